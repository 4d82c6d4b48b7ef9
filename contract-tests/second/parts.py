"""What the parts of the service share: a request, an answer, a key, an account, a call."""
import ipaddress


REASON = {200: "OK", 201: "Created", 202: "Accepted", 302: "Found", 400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
          405: "Method Not Allowed", 409: "Conflict", 422: "Unprocessable Entity", 429: "Too Many Requests", 500: "Internal Server Error", 502: "Bad Gateway",
          503: "Service Unavailable", 504: "Gateway Timeout"}
DAY = 86400.0
HANG = object()


class Req:
    __slots__ = ("method", "path", "query", "headers", "body", "peer", "side", "version")


class Resp:
    __slots__ = ("status", "body", "ctype", "headers", "close")

    def __init__(self, status, body, ctype="application/json", headers=None, close=False):
        self.status, self.body, self.ctype, self.headers, self.close = status, body, ctype, headers or {}, close


class Key:
    def __init__(self, key, env, account, rate=0.0, burst=0, allow=None, status="active", rotated_at=None):
        self.key, self.env, self.account, self.rate, self.status, self.rotated_at = key, env, account, float(rate), status, rotated_at
        self.burst = float(burst or max(1, rate))
        self.tokens, self.last = self.burst, None
        self.allow = [ipaddress.ip_network(a) for a in allow] if allow else None
        self.limited_for_good = False


class Account:
    def __init__(self, name, wallet=0, webhook=None, secret=None):
        self.name, self.balance, self.held = name, int(round(wallet * 100)), 0
        self.webhook, self.secret = webhook, secret or "whsec_" + name
        self.usage = {"sandbox": {}, "live": {}}
        self.last_ref = None
        self.sandbox_calls = 0
        self.ncharges = 0
        self.ntopped = 0


class Ctx:
    """one call"""
    __slots__ = ("t0", "env", "endpoint", "ref", "has_ref", "key", "acct", "vid", "op", "hold", "body", "raw", "given", "req", "created", "price", "bundle", "snapshot")

    def __init__(self):
        self.key = self.acct = self.vid = self.op = self.body = self.raw = self.bundle = None
        self.hold, self.given, self.price, self.snapshot = 0, (), 0, None


class Opts:
    __slots__ = ("given", "flow_id", "flow", "otp_ok", "now_iso", "d", "h", "live")


class Fail(Exception):
    def __init__(self, kind, message=None):
        self.kind, self.message = kind, message


def no(_):
    return False
