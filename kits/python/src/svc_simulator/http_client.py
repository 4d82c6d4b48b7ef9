"""One HTTP request on a connection of its own; no proxies, no redirects."""

import http.client
import json
from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional
from urllib.parse import urlsplit


class NoAnswer(Exception):
    """The server could not be reached, broke off, took too long, or answered with what is no HTTP."""


@dataclass(frozen=True)
class Reply:
    """What a server answered."""

    status: int
    headers: Dict[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


def request(
    method: str,
    url: str,
    body: Optional[bytes] = None,
    headers: Optional[Mapping[str, str]] = None,
    timeout: float = 30.0,
) -> Reply:
    """Sends a request and reads the whole answer. Header names of the answer are in lower case."""
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=timeout)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        connection.request(method, target, body, dict(headers or {}))
        answer = connection.getresponse()
        content = answer.read()
        return Reply(answer.status, {name.lower(): value for name, value in answer.getheaders()}, content)
    except (OSError, http.client.HTTPException) as error:
        raise NoAnswer(f"{method} {url}: {type(error).__name__}: {error}") from error
    finally:
        connection.close()
