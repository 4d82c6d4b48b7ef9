"""A small onboarding service: PAN, mobile number by OTP, employment history by webhook."""

import hashlib
import hmac
import json
import os
import re
import signal
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid
from dataclasses import dataclass, field
from http.client import HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, Optional, Set, Tuple

ATTEMPTS = 3
TOLERANCE_S = 300
HEADER = re.compile(r"t=([0-9]{1,12}),v1=([0-9a-f]{64})\Z")


class CallFailed(Exception):
    """A verification that came to an error, after all attempts."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Verifications:
    """Calls the Verification Service, and tries again where that can help."""

    def __init__(self, base_url: str, api_key: str, wait: Callable[[float], None] = time.sleep) -> None:
        self._base_url = base_url
        self._api_key = api_key
        self._wait = wait

    def call(self, path: str, body: Dict[str, str], key: str) -> Dict[str, Any]:
        """The envelope of a call that did not fail. `key` names what is done, and is never used for anything else."""
        failed = 0
        for attempt in range(ATTEMPTS):
            if attempt:
                self._wait(0.1 * 2**attempt)
            try:
                # No answer: it may have been executed, so the key stays. An error: it is the key's result for good.
                envelope = self._post(path, body, f"{key}-{failed}")
            except (OSError, HTTPException):
                continue
            if "error" not in envelope:
                return envelope
            if not envelope["error"]["retryable"]:
                raise CallFailed(envelope["error"]["code"])
            failed += 1
        raise CallFailed("UNAVAILABLE")

    def _post(self, path: str, body: Dict[str, str], key: str) -> Dict[str, Any]:
        headers = {
            "Authorization": f"Bearer {self._api_key}", "Content-Type": "application/json", "Idempotency-Key": key}
        request = urllib.request.Request(self._base_url + path, json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                envelope: Dict[str, Any] = json.load(answer)
        except urllib.error.HTTPError as error:
            envelope = json.load(error)
        return envelope


@dataclass
class Applicant:
    """Somebody who wants to be a customer."""

    uan: str
    state: str = "new"
    reason: str = ""
    otp_request: str = ""
    id: str = field(default_factory=lambda: uuid.uuid4().hex)


class Onboarding:
    """The steps of an onboarding, and whom they are about."""

    def __init__(self, verifications: Verifications) -> None:
        self._verifications = verifications
        self._lock = threading.Lock()
        self._applicants: Dict[str, Applicant] = {}
        # A result may come before the answer that says it will: it waits here.
        self._waiting: Dict[str, Applicant] = {}
        self._early: Dict[str, Dict[str, Any]] = {}
        # Results come at least once. A service would keep this in its database, with what it decided.
        self._taken: Set[str] = set()

    def apply(self, form: Dict[str, str]) -> Applicant:
        """Checks the PAN, then sends an OTP."""
        applicant = Applicant(form["uan"])
        self._applicants[applicant.id] = applicant
        try:
            pan = self._verifications.call(
                "/v1/verify/identity/pan", {"pan": form["pan"], "name": form["name"]}, f"{applicant.id}-pan")
            if pan["data"]["nameMatchScore"] < 0.9:
                return refuse(applicant, "NAME_DIFFERS")
            otp = self._verifications.call(
                "/v1/verify/identity/mobile-otp/start", {"mobile": form["mobile"]}, f"{applicant.id}-otp-start")
        except CallFailed as error:
            return refuse(applicant, error.code)
        applicant.otp_request, applicant.state = otp["data"]["request_id"], "otp_sent"
        return applicant

    def confirm(self, applicant: Applicant, otp: str) -> Applicant:
        """Checks the OTP, then asks for the employment history."""
        if applicant.state != "otp_sent":
            return applicant
        try:
            checked = self._verifications.call(
                "/v1/verify/identity/mobile-otp/verify", {"request_id": applicant.otp_request, "otp": otp},
                f"{applicant.id}-otp-{otp}")
            # A wrong OTP is a call that succeeded: it found out that the OTP is wrong.
            if not checked["data"]["otp_validated"]:
                return refuse(applicant, "WRONG_OTP")
            history = self._verifications.call(
                "/v1/verify/employment/uan", {"uan": applicant.uan}, f"{applicant.id}-history")
        except CallFailed as error:
            return refuse(applicant, error.code)
        with self._lock:
            early = self._early.pop(history["verificationId"], None)
            if history["status"] == "pending" and early is None:
                applicant.state = "waiting"
                self._waiting[history["verificationId"]] = applicant
            else:
                decide(applicant, early or history)
        return applicant

    def take(self, envelope: Dict[str, Any]) -> None:
        """Takes a result, once."""
        identifier = envelope["verificationId"]
        with self._lock:
            if identifier in self._taken:
                return
            self._taken.add(identifier)
            applicant = self._waiting.pop(identifier, None)
            if applicant is None:
                self._early[identifier] = envelope
            else:
                decide(applicant, envelope)

    def applicant(self, identifier: str) -> Optional[Applicant]:
        """Whom an id means."""
        return self._applicants.get(identifier)


def refuse(applicant: Applicant, reason: str) -> Applicant:
    applicant.state, applicant.reason = "refused", reason
    return applicant


def decide(applicant: Applicant, envelope: Dict[str, Any]) -> None:
    if "error" in envelope:
        refuse(applicant, envelope["error"]["code"])
    elif not envelope["data"]["employmentHistory"]:
        refuse(applicant, "NO_EMPLOYMENT")
    else:
        applicant.state = "approved"


def is_genuine(secret: str, headers: List[str], body: bytes) -> bool:
    """Whether a webhook was signed with our secret, just now."""
    parts = HEADER.match(headers[0]) if len(headers) == 1 else None
    if parts is None:
        return False
    moment, signature = parts.groups()
    expected = hmac.new(secret.encode(), moment.encode() + b"." + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, signature) and abs(time.time() - int(moment)) <= TOLERANCE_S


class Service(ThreadingHTTPServer):
    """The service on an address of this machine; port 0 takes a free one."""

    daemon_threads = True

    def __init__(self, onboarding: Onboarding, webhook_secret: str, host: str = "127.0.0.1", port: int = 0) -> None:
        super().__init__((host, port), Handler)
        self.onboarding = onboarding
        self.webhook_secret = webhook_secret
        self.url = f"http://{host}:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    """The routes."""

    server: Service

    def do_GET(self) -> None:
        self.answer(*self.shown(self.server.onboarding.applicant(self.path.split("/")[2])))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        onboarding = self.server.onboarding
        parts = self.path.strip("/").split("/")
        if parts == ["webhooks"]:
            if not is_genuine(self.server.webhook_secret, self.headers.get_all("X-Service-Signature", []), body):
                return self.answer(400, {"error": "the signature does not fit"})
            onboarding.take(json.loads(body))
            return self.answer(200, {})
        applicant = onboarding.applicant(parts[1]) if len(parts) == 3 else None
        if parts == ["applicants"]:
            applicant = onboarding.apply(json.loads(body))
        elif applicant is not None:
            onboarding.confirm(applicant, json.loads(body)["otp"])
        self.answer(*self.shown(applicant))

    def shown(self, applicant: Optional[Applicant]) -> Tuple[int, Dict[str, str]]:
        if applicant is None:
            return 404, {"error": "no such applicant"}
        return 200, {"id": applicant.id, "state": applicant.state, "reason": applicant.reason}

    def answer(self, status: int, content: Dict[str, str]) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing in tests."""


def main() -> None:
    """Serves with the settings of the environment, until it is ended."""
    verifications = Verifications(os.environ["SVC_BASE_URL"], os.environ["SVC_API_KEY"])
    host, port = os.environ.get("ADDRESS", "127.0.0.1:8000").rsplit(":", 1)
    served = Service(Onboarding(verifications), os.environ["SVC_WEBHOOK_SECRET"], host, int(port))
    # As process 1 of a container nothing else would end it.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(0))
    print(f"onboarding listens on {served.url}", flush=True)
    served.serve_forever()


if __name__ == "__main__":
    main()
