"""The envelope of every answer, and its way out."""
import copy, email.utils, gzip, json, re, time

from ops import OUTCOME
from parts import Resp


class Envelope:
    def envelope(self, ctx, success, status, data=None, error=None, charged=0, is_charged=None):
        if ctx.vid is None:
            ctx.vid = self.new_vid()
        is_charged = charged > 0 if is_charged is None else is_charged
        billing = {"charged": is_charged, "amount": self.money(charged), "currency": "INR"}
        if ctx.env == "live" and ctx.acct is not None and (is_charged or self.h("wallet_after_on_unbilled")):
            bal = ctx.acct.balance
            if self.h("wallet_net_of_holds"):
                bal -= ctx.acct.held
            billing["walletBalanceAfter"] = self.money(bal, True)
        meta = {"createdAt": self.iso(ctx.created), "environment": "live" if ctx.env == "live" else "test", "latencyMs": int((time.perf_counter() - ctx.t0) * 1000)}
        if self.H:
            if self.h("omit_created_at"):
                del meta["createdAt"]
            if self.h("latency_typical"):
                meta["latencyMs"] = ctx.op.ms if ctx.op else 40
            if self.h("latency_zero"):
                meta["latencyMs"] = 0
            if self.h("provider_member"):
                meta["provider"] = "aggregator-%d" % (len(ctx.endpoint) % 3)
        e = {"success": success, "verificationId": ctx.vid, "referenceId": ctx.ref, "endpoint": ctx.endpoint, "status": status}
        if data is not None:
            e["data"] = data
        if error is not None:
            e["error"] = error
        e["billing"] = billing
        e["meta"] = meta
        return e

    def error_envelope(self, ctx, kind, message=None, charged=0, is_charged=None):
        extra = {"missing422": (422, "SVC_INVALID_INPUT", False, ""), "bad_as_nr": (422, "SVC_NO_RECORD_FOUND", False, "No record.")}
        http, code, retry, text = OUTCOME[kind] if kind in OUTCOME else extra[kind]
        if kind == "bad_as_nr" and self.d("bad_identifier_billed_no_record") and ctx.env == "live":
            charged = self.charge_anyway(ctx, self.prices.get(ctx.endpoint, 100))
        if self.h("other_messages"):
            message = "अनुरोध पूरा नहीं हुआ (%s)" % (sum(map(ord, code)) % 97)
        if self.h("empty_message"):
            message = ""
        return http, self.envelope(ctx, False, "failed", None, {"code": code, "message": text if message is None else message, "retryable": retry}, charged, is_charged)

    def failure(self, ctx, kind, message=None, http=None):
        """a refusal before anything was executed"""
        charged = 0
        if self.anyD and ctx.acct and ctx.env == "live":
            if self.d("charge_invalid_input") and kind in ("invalid_input", "invalid_identifier"):
                charged = self.charge_anyway(ctx, self.prices.get(ctx.endpoint, 100))
            if self.d("rate_limit_billed") and kind == "rate_limited":
                charged = self.charge_anyway(ctx, 50)
            if self.d("conflict_charges") and kind == "conflict":
                charged = 100
        status, env = self.error_envelope(ctx, kind, message, charged)
        if ctx.acct is not None:
            self.log(ctx, env, 0)
        hd = {}
        if kind in ("rate_limited", "source_unavailable") and not self.h("retry_after_absent"):
            hd["Retry-After"] = "1" if not self.h("retry_after_http_date") else email.utils.formatdate(time.time() + 1, usegmt=True)
        if kind == "conflict" and self.anyD:
            if self.d("conflict_reference_lost"):
                env["referenceId"] = None
            if self.d("conflict_as_text"):
                return Resp(status, self.dump(env), "text/plain", hd)
        if kind == "insufficient" and self.d("insufficient_reference_lost") or kind == "rate_limited" and self.d("rate_limit_reference_lost"):
            env["referenceId"] = None
        if self.d("rate_limit_plain") and kind == "rate_limited":
            return Resp(429, b"Too Many Requests", "text/plain")
        return self.answer(ctx, http or status, env, hd)

    def log(self, ctx, env, charged):
        self.records[ctx.vid] = {"env": env, "side": ctx.env, "acct": ctx.acct.name, "http": 200}
        if len(self.records) > 300000:
            self.records.popitem(last=False)
        if ctx.op is None and ctx.bundle is None:
            return
        u = ctx.acct.usage[ctx.env].setdefault(ctx.endpoint, [0, 0, 0])
        u[0] += 1
        if charged:
            u[1] += 1
            u[2] += charged
        elif self.d("usage_counts_conflicts") and env.get("error", {}).get("code") == "SVC_IDEMPOTENCY_CONFLICT":
            u[2] += self.prices.get(ctx.endpoint, 100)
        elif self.d("usage_counts_free") and not env["success"]:
            u[1] += 1
            u[2] += self.prices.get(ctx.endpoint, 100)

    # ---- the way out: defects on the envelope, harmless differences, serialisation
    def answer(self, ctx, status, env, headers=None, replay=False, kind="response"):
        headers = dict(headers) if headers else {}
        if self.anyD:
            env, status, raw = self.mangle(copy.deepcopy(env), status, ctx, kind)
            if raw is not None:
                return Resp(status, raw[0], raw[1], headers)
        if self.H:
            env = self.disguise(copy.deepcopy(env), ctx, headers)
        body, ctype = self.dump(env), "application/json"
        if self.H:
            if self.h("content_type_charset"):
                ctype = "application/json; charset=utf-8"
            if self.h("gzip_when_accepted") and "gzip" in ctx.req.headers.get("accept-encoding", ""):
                body = gzip.compress(body, 1)
                headers["Content-Encoding"] = "gzip"
                headers["Vary"] = "Accept-Encoding"
            if self.h("set_cookie"):
                headers["Set-Cookie"] = "lb=a1; Path=/; HttpOnly"
                headers["Strict-Transport-Security"] = "max-age=31536000"
                headers["X-Request-Id"] = "%016x" % self.rng.getrandbits(64)
            if self.h("rate_limit_headers") and ctx.key:
                headers["X-RateLimit-Limit"] = str(int(ctx.key.rate or 5000))
                headers["X-RateLimit-Remaining"] = str(int(ctx.key.tokens))
        return Resp(status, body, ctype, headers)

    def dump(self, env):
        if self.H:
            if self.h("pretty_json"):
                return (json.dumps(env, indent=2, ensure_ascii=self.h("ascii_only")) + "\n").encode()
            if self.h("numbers_exponent"):
                return re.sub(r'("(?:amount|walletBalanceAfter)": ?)(-?\d+(?:\.\d+)?)(?=[,}])', r"\1\2E0", json.dumps(env, ensure_ascii=False)).encode()
            if self.h("ascii_only"):
                return json.dumps(env, ensure_ascii=True).encode()
        return json.dumps(env, ensure_ascii=False, separators=(",", ":")).encode()

    def disguise(self, env, ctx, headers):
        h = self.h
        if h("omit_reference_everywhere"):
            env.pop("referenceId", None)
        if h("omit_reference_null") and env.get("referenceId", 1) is None:
            del env["referenceId"]
        if h("omit_reference_on_errors") and not env.get("success", True):
            env.pop("referenceId", None)
        if h("extra_members"):
            env["apiVersion"] = "2026-04"
            env["links"] = {"docs": "https://docs.example/x"}
            for k in ("data", "error", "billing", "meta"):
                if isinstance(env.get(k), dict):
                    env[k]["xTrace"] = {"n": 1, "list": [None, True]}
        if h("key_order"):
            env = self.shuffle(env)
        return env

    def shuffle(self, v):
        if isinstance(v, dict):
            items = list(v.items())
            self.rng.shuffle(items)
            return {k: self.shuffle(x) for k, x in items}
        if isinstance(v, list):
            return [self.shuffle(x) for x in v]
        return v
