"""A receiver of webhooks that tests can ask, and tell how to behave."""

import asyncio
import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Deque, Dict, List, Optional, Tuple
from collections import deque

from .signature import HEADER_NAME, signature_fault


@dataclass(frozen=True)
class Webhook:
    """One request that came to the inbox."""

    body: bytes
    headers: Dict[str, str]
    answered: int
    fault: Optional[str]
    envelope: Dict[str, Any] = field(default_factory=dict)

    @property
    def verification_id(self) -> str:
        """Whose result it is."""
        return str(self.envelope.get("verificationId", ""))


class NoWebhook(AssertionError):
    """What was waited for did not come in time; the message says what came instead."""


class WebhookInbox:
    """Listens on a free port of this machine, keeps what is signed with its secret, and refuses all else with 400."""

    def __init__(self, secret: str = "whsec_sample", tolerance_s: Optional[int] = 300) -> None:
        self.secret = secret
        # How far the time of a signature may be from now; None where a test fakes the clock.
        self.tolerance_s = tolerance_s
        self._changed = threading.Condition()
        self._came: List[Webhook] = []
        self._next: Deque[Tuple[int, float]] = deque()
        self._closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _handler(self._take))
        self.url = f"http://127.0.0.1:{self._server.server_port}/webhooks"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def received(self) -> List[Webhook]:
        """All that came with a valid signature and was answered with 204, in order."""
        with self._changed:
            return [webhook for webhook in self._came if webhook.fault is None and webhook.answered == 204]

    @property
    def refused(self) -> List[Webhook]:
        """All that came with a signature that does not fit; `fault` says why."""
        with self._changed:
            return [webhook for webhook in self._came if webhook.fault is not None]

    @property
    def attempts(self) -> List[Webhook]:
        """All that came, whatever it was answered."""
        with self._changed:
            return list(self._came)

    def fail_next(self, times: int = 1, status: int = 500) -> None:
        """Answers the next genuine webhooks with this status, so that they are sent again later."""
        with self._changed:
            self._next.extend([(status, 0.0)] * times)

    def slow_next(self, seconds: float, times: int = 1) -> None:
        """Answers the next genuine webhooks only after so many seconds; after ten the service has given up."""
        with self._changed:
            self._next.extend([(204, seconds)] * times)

    def wait(
        self,
        verification_id: Optional[str] = None,
        *,
        where: Optional[Callable[[Webhook], bool]] = None,
        timeout: float = 10.0,
    ) -> Webhook:
        """The first webhook of that verification (or any) that was taken; NoWebhook after the time-out."""

        def find() -> Optional[Webhook]:
            for webhook in self._came:
                if webhook.fault is None and webhook.answered == 204 \
                        and verification_id in (None, webhook.verification_id) \
                        and (where is None or where(webhook)):
                    return webhook
            return None

        with self._changed:
            # Its clock is the machine's, also where a test fakes those of the module `time`.
            found = self._changed.wait_for(find, timeout)
            if found is None:
                raise NoWebhook(self._missing(verification_id, timeout))
            return found

    async def wait_async(
        self,
        verification_id: Optional[str] = None,
        *,
        where: Optional[Callable[[Webhook], bool]] = None,
        timeout: float = 10.0,
    ) -> Webhook:
        """The same for coroutines."""
        return await asyncio.to_thread(self.wait, verification_id, where=where, timeout=timeout)

    def clear(self) -> None:
        """Forgets what came, and how the next ones were to be answered."""
        with self._changed:
            self._came.clear()
            self._next.clear()

    def close(self) -> None:
        """Stops listening; slow answers are given at once."""
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()

    def _take(self, headers: List[str], all_headers: Dict[str, str], body: bytes) -> int:
        fault = signature_fault(self.secret, headers, body, self.tolerance_s)
        envelope: Dict[str, Any] = {}
        if fault is None:
            try:
                envelope = json.loads(body)
            except ValueError:
                fault = "the body is no JSON"
        status, seconds = 204, 0.0
        if fault is not None:
            status = 400
        else:
            with self._changed:
                if self._next:
                    status, seconds = self._next.popleft()
        if seconds:
            self._closing.wait(seconds)
        with self._changed:
            self._came.append(Webhook(body, all_headers, status, fault, envelope))
            self._changed.notify_all()
        return status

    def _missing(self, verification_id: Optional[str], timeout: float) -> str:
        what = f"webhook of {verification_id}" if verification_id else "webhook"
        lines = [f"no {what} came within {timeout:g} s; {len(self._came)} came to {self.url}"]
        for webhook in self._came:
            lines.append(f"  {webhook.verification_id or '?'}: answered {webhook.answered}"
                         + (f", {webhook.fault}" if webhook.fault else ""))
        lines.append("Results are due by the account's clock: move it with clock.advance(…) or clock.next()")
        return "\n".join(lines)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # A handler that is slow on purpose must not hold up the end of the test.
    block_on_close = False
    request_queue_size = 128


def _handler(take: Callable[[List[str], Dict[str, str], bytes], int]) -> type:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 10

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            names = {name.lower(): value for name, value in self.headers.items()}
            status = take(self.headers.get_all(HEADER_NAME, []), names, body)
            try:
                self.send_response(status)
                if status != 204:
                    self.send_header("Content-Length", "0")
                self.end_headers()
            except OSError:
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            """Says nothing: the inbox itself is asked."""

    return Handler
