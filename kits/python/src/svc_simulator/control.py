"""The simulator's control API, as plain calls."""

import json
from typing import Any, List, Mapping, Optional
from urllib.parse import quote, urlencode

from .http_client import request

# Moving a clock takes as long as receivers take to answer, and the simulator's own limit is ten minutes.
TIMEOUT_S = 660.0


class ControlError(Exception):
    """The control API refused a request; the message is the simulator's own."""

    def __init__(self, status: int, code: str, message: str, mistakes: List[Mapping[str, Any]]) -> None:
        super().__init__(f"{code} ({status}): {message}")
        self.status = status
        self.code = code
        self.message = message
        self.mistakes = mistakes


class Control:
    """Sends requests to the control API and reads its answers."""

    def __init__(self, url: str, token: Optional[str] = None) -> None:
        self.url = url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def send(self, method: str, path: str, body: Any = None, query: Optional[Mapping[str, Any]] = None) -> Any:
        """The answer's JSON, or None where it has no body."""
        given = {name: value for name, value in (query or {}).items() if value is not None}
        url = f"{self.url}/control{path}" + (f"?{urlencode(given)}" if given else "")
        headers = dict(self._headers)
        content = None
        if body is not None:
            content = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        reply = request(method, url, content, headers, TIMEOUT_S)
        if reply.status >= 400:
            raise _refusal(reply.status, reply.body)
        return reply.json() if reply.body else None

    def get(self, path: str, **query: Any) -> Any:
        """The answer to a GET."""
        return self.send("GET", path, query=query)


def segment(text: str) -> str:
    """A text as one part of a path."""
    return quote(text, safe="")


def _refusal(status: int, body: bytes) -> ControlError:
    try:
        answer = json.loads(body)
        if "verificationId" in answer:
            return ControlError(status, "NOT_THE_CONSOLE", "this is an address of the API, which applications call", [])
        error = answer["error"]
        return ControlError(status, error["code"], error["message"], error.get("mistakes", []))
    except (ValueError, KeyError, TypeError):
        return ControlError(status, "NO_JSON", body.decode("utf-8", "replace"), [])
