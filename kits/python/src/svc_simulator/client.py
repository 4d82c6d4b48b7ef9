"""The client of the service, for threads and for coroutines."""

import asyncio
import functools
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from typing import Any, Mapping, Optional, Union
from urllib.parse import quote, urlencode

from . import models
from .http_client import NoAnswer, Reply, request
from .operations import AsyncOperations, Operations
from .result import Result, ServiceError, TransportError

Day = Union[date, str]


class Client(Operations):
    """Calls the service at a base URL with an API key. It works with the sandbox and with production, too."""

    def __init__(self, base_url: str, api_key: str, timeout: float = 30.0) -> None:
        self.base_url = base_url.rstrip("/")
        self.timeout = timeout
        self._api_key = api_key

    def call(
        self,
        path: str,
        body: Mapping[str, Any],
        *,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[Any]":
        if not path.startswith("/"):
            raise ValueError(f"{path!r} is no path: one begins with a slash, such as /v1/verify/identity/pan")
        headers = {"Content-Type": "application/json"}
        if idempotency_key is not None:
            headers["Idempotency-Key"] = _sendable("idempotency_key", idempotency_key)
        if reference_id is not None:
            headers["X-Reference-Id"] = _sendable("reference_id", reference_id)
        return self._send("POST", path, json.dumps(body).encode(), headers)

    def verification(self, verification_id: str) -> "Result[Any]":
        """Looks a verification up. One that failed is raised as its error."""
        return self._send("GET", f"/v1/verifications/{quote(verification_id, safe='')}", None, {})

    def usage(self, *, from_: Optional[Day] = None, to: Optional[Day] = None) -> "Result[models.UsageData]":
        """What the account spent, by endpoint, from one day to another, both counted: `GET /v1/usage`."""
        days = {name: str(day) for name, day in (("from", from_), ("to", to)) if day is not None}
        return self._send("GET", "/v1/usage" + (f"?{urlencode(days)}" if days else ""), None, {})

    def _send(self, method: str, path: str, body: Optional[bytes], headers: Mapping[str, str]) -> "Result[Any]":
        headers = {**headers, "Authorization": f"Bearer {self._api_key}"}
        try:
            reply = request(method, self.base_url + path, body, headers, self.timeout)
        except NoAnswer as error:
            raise TransportError(str(error)) from error
        return _result(path, reply)


class AsyncClient(AsyncOperations):
    """The same for coroutines. Calls run in threads of the client's own; up to 64 run at once."""

    def __init__(self, base_url: str, api_key: str, timeout: float = 30.0) -> None:
        self._client = Client(base_url, api_key, timeout)
        self._threads = ThreadPoolExecutor(max_workers=64, thread_name_prefix="svc-client")

    async def call(
        self,
        path: str,
        body: Mapping[str, Any],
        *,
        idempotency_key: Optional[str] = None,
        reference_id: Optional[str] = None,
    ) -> "Result[Any]":
        call = functools.partial(
            self._client.call, path, body, idempotency_key=idempotency_key, reference_id=reference_id)
        return await asyncio.get_running_loop().run_in_executor(self._threads, call)

    async def verification(self, verification_id: str) -> "Result[Any]":
        """Looks a verification up. One that failed is raised as its error."""
        return await asyncio.get_running_loop().run_in_executor(
            self._threads, self._client.verification, verification_id)

    async def usage(self, *, from_: Optional[Day] = None, to: Optional[Day] = None) -> "Result[models.UsageData]":
        """What the account spent, by endpoint, from one day to another, both counted: `GET /v1/usage`."""
        asking = functools.partial(self._client.usage, from_=from_, to=to)
        return await asyncio.get_running_loop().run_in_executor(self._threads, asking)

    def close(self) -> None:
        """Ends the threads once their calls have ended."""
        self._threads.shutdown(wait=False)


def _sendable(name: str, text: str) -> str:
    """A text as a header has it: in UTF-8, written as the bytes that HTTP's own library sends."""
    if any(letter < " " or letter == "\x7f" for letter in text):
        raise ValueError(f"{name}: {text!r} has a line break or another control character, which no header can have")
    return text.encode().decode("latin-1")


def _result(path: str, reply: Reply) -> "Result[Any]":
    try:
        envelope = reply.json()
        if "error" in envelope:
            raise ServiceError(reply.status, envelope, reply.headers.get("retry-after"))
        return Result(reply.status, envelope, reply.headers.get("idempotent-replay") == "true")
    except (ValueError, KeyError, TypeError) as error:
        raise TransportError(f"{path}: the answer ({reply.status}) is no envelope: {reply.body[:200]!r}") from error
