"""Receives webhook deliveries of the Verification Service. Standard library only, Python 3.9 or later.

Settings, from the environment:
  WEBHOOK_SECRET  the webhook signing secret (required)
  PORT            the port on 127.0.0.1; 0 takes a free one (default 8080)
  TOLERANCE_S     how many seconds old, or ahead, a signature may be (default 300)
"""

import hashlib
import hmac
import json
import os
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAX_BODY_BYTES = 16 * 1024 * 1024

# Exactly two parts, the time first. \Z and not $: $ would let a line break through.
HEADER = re.compile(r"t=([0-9]{1,12}),v1=([0-9a-f]{64})\Z")


def signature_is_valid(secret: bytes, header: str, body: bytes, now_s: float, tolerance_s: int) -> bool:
    """Whether the header is the signature of exactly these bytes, and of this time."""
    parts = HEADER.match(header)
    if parts is None:
        return False
    timestamp, signature = parts.groups()
    # The text of the timestamp is signed, not the number, so it is used as it stands.
    signed = timestamp.encode("ascii") + b"." + body
    expected = hmac.new(secret, signed, hashlib.sha256).hexdigest()
    # Not `==`: how long that takes tells how many characters were guessed right.
    if not hmac.compare_digest(expected, signature):
        return False
    # An old signature is a recorded delivery that somebody sends again.
    return abs(now_s - int(timestamp)) <= tolerance_s


class Deliveries:
    """The verifications acted on so far. A service would keep them in its database, with a unique
    index, and add the id in the same transaction as what it does about it."""

    def __init__(self):
        self._lock = threading.Lock()
        self._seen = set()

    def act_once(self, envelope: dict) -> None:
        """Acts on a verification, unless that was done before. Deliveries come at least once."""
        # The lock is held while acting: a duplicate that comes meanwhile waits, and is not told
        # that all is done before it is.
        with self._lock:
            if envelope["verificationId"] in self._seen:
                return
            self.act(envelope)
            # Only now: had acting failed, the next attempt must try again.
            self._seen.add(envelope["verificationId"])

    @staticmethod
    def act(envelope: dict) -> None:
        """Your application's work. Should be short: after 10 seconds the service tries again."""
        print("accepted", envelope["verificationId"], envelope.get("status"), flush=True)


class Receiver(BaseHTTPRequestHandler):
    """Answers 204 to what is taken, 400 to what is not."""

    # Set in main().
    secret: bytes
    tolerance_s: int
    deliveries: Deliveries

    timeout = 10  # seconds a client may take for its next bytes
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch("[0-9]{1,9}", length):
            return self.answer(411)
        if int(length) > MAX_BODY_BYTES:
            return self.answer(413)
        # The raw bytes, before anything parses them: what is printed anew has another signature.
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            # The sender has gone: there is nobody to answer.
            self.close_connection = True
            return
        headers = self.headers.get_all("X-Service-Signature", [])
        # Several headers: somebody added one. Neither is believed.
        if len(headers) != 1 or not signature_is_valid(
            self.secret, headers[0], body, time.time(), self.tolerance_s
        ):
            return self.answer(400)
        # Only what is signed is parsed.
        try:
            envelope = json.loads(body)
            known = isinstance(envelope["verificationId"], str)
        except (ValueError, KeyError, TypeError, RecursionError):
            known = False
        if not known:
            return self.answer(400)
        try:
            self.deliveries.act_once(envelope)
        except Exception as error:
            # Anything but 2xx: the service tries again later.
            print("a delivery failed:", repr(error), file=sys.stderr)
            return self.answer(500)
        self.answer(204)

    def answer(self, status: int) -> None:
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", "0")
            # The body may not have been read to its end, and what is left of it is no request.
            self.send_header("Connection", "close")
        self.end_headers()

    def log_message(self, format, *args):
        """Says nothing: a request line may hold what steers a terminal."""


class Server(ThreadingHTTPServer):
    """Answers each request in a thread of its own."""

    # So many connections may wait to be accepted. The default of 5 makes bursts wait for seconds.
    request_queue_size = 128
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A client that breaks off is nothing to report; all that is, is told in a line."""
        error = sys.exc_info()[1]
        if not isinstance(error, ConnectionError):
            print("a request failed:", repr(error), file=sys.stderr)


def main() -> None:
    secret = os.environ.get("WEBHOOK_SECRET", "")
    if not secret:
        # With an empty secret anybody could sign.
        sys.exit("WEBHOOK_SECRET is not set: give the webhook signing secret")
    Receiver.secret = secret.encode()
    Receiver.tolerance_s = int(os.environ.get("TOLERANCE_S", "300"))
    Receiver.deliveries = Deliveries()
    server = Server(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Receiver)
    print(f"listening on 127.0.0.1:{server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
