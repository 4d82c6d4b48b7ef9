"""Webhook signatures, as the specification says."""

import hashlib
import hmac
import re
import time
from typing import Optional, Sequence

HEADER_NAME = "X-Service-Signature"

# Exactly two parts, the time first. \Z and not $: $ would let a line break through.
_HEADER = re.compile(r"t=([0-9]{1,12}),v1=([0-9a-f]{64})\Z")


def sign(secret: str, body: bytes, at: Optional[int] = None) -> str:
    """The header for a body, signed now or at the given time (in seconds since 1970)."""
    moment = str(int(time.time()) if at is None else at)
    return f"t={moment},v1={_digest(secret, moment, body)}"


def signature_fault(
    secret: str, headers: Sequence[str], body: bytes, tolerance_s: Optional[int] = 300
) -> Optional[str]:
    """Why these values of the header do not sign exactly these bytes; None where they do."""
    if len(headers) != 1:
        return f"there are {len(headers)} {HEADER_NAME} headers, not one"
    parts = _HEADER.match(headers[0])
    if parts is None:
        return f"{headers[0]!r} is not t=<unix seconds>,v1=<64 lowercase hex digits>"
    moment, digest = parts.groups()
    if not hmac.compare_digest(_digest(secret, moment, body), digest):
        return "the signature does not fit the secret, the time and the raw body"
    if tolerance_s is not None and abs(time.time() - int(moment)) > tolerance_s:
        return f"it was signed at {moment}, more than {tolerance_s} s from now; with a faked clock let tolerance_s be None"
    return None


def _digest(secret: str, moment: str, body: bytes) -> str:
    return hmac.new(secret.encode(), moment.encode() + b"." + body, hashlib.sha256).hexdigest()
