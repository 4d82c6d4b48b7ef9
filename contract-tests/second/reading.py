"""Usage reports and the look-up of verifications."""
import urllib.parse

from ops import OUTCOME
from parts import Fail, Resp


class Reading:
    def usage(self, ctx, req):
        if self.d("usage_missing"):
            raise Fail("not_found")
        if self.d("usage_500"):
            raise Fail("internal_error")
        u = ctx.acct.usage[ctx.env]
        if self.d("usage_of_both"):
            both = [ctx.acct.usage[env] for env in ctx.acct.usage]
            u = {k: [sum(n) for n in zip(*(it[k] for it in both if k in it))] for k in set().union(*both)}
        if self.d("usage_of_all_accounts"):
            all_of = [k.account.usage[ctx.env] for k in {k.account.name: k for k in self.keys.values()}.values()]
            u = {k: [sum(n) for n in zip(*(it[k] for it in all_of if k in it))] for k in set().union(*all_of)}
        if self.d("usage_of_the_other"):
            u = next(ctx.acct.usage[env] for env in ctx.acct.usage if env != ctx.env)
        rows = [{"endpoint": k, "calls": v[0], "billedCalls": v[1], "spend": self.money(v[2], usage=True)} for k, v in sorted(u.items())]
        if self.h("usage_spend_text"):
            rows = [dict(row, spend="%.2f" % row["spend"]) for row in rows]
        if self.d("usage_without_spend"):
            rows = [dict(row, spend=0) for row in rows]
        want = req.query.get("endpoint")
        if want:
            rows = [r for r in rows if r["endpoint"] == want]
        total = sum(v[2] for k, v in u.items() if not want or k == want)
        if self.d("usage_wrong_total"):
            total = total * 2 + 100
        if self.d("usage_not_envelope"):
            return Resp(200, self.dump(rows))
        ctx.vid = self.new_vid()
        env = self.envelope(ctx, True, "completed", {"currency": "INR", "totalCalls": sum(r["calls"] for r in rows), "totalSpend": self.money(total, usage=True), "endpoints": rows})
        return self.answer(ctx, 200, env)

    def lookup(self, ctx, vid):
        d = self.d
        vid = urllib.parse.unquote(vid)
        rec = self.records.get(vid)
        if rec is None and d("lookup_by_beginning") and len(vid) > 10:
            rec = next((kept for own, kept in self.records.items() if own.startswith(vid)), None)
        if rec is not None and (rec["side"] != ctx.env or rec["acct"] != ctx.acct.name) and not d("lookup_other_account") and not d("lookup_without_auth"):
            rec = None
        if rec is None and d("lookup_other_environment"):
            rec = self.records.get(vid)
        if rec is not None and d("lookup_failures_lost") and not rec["env"]["success"]:
            rec = None
        if rec is not None and d("lookup_source_down_lost") and rec["env"].get("error", {}).get("code") == "SVC_SOURCE_UNAVAILABLE":
            rec = None
        if rec is not None and d("bundle_not_logged") and rec["env"]["endpoint"].startswith("bundles."):
            rec = None
        if rec is not None and d("lookup_only_once"):
            rec = None if rec.get("looked_up") else rec
            self.records[vid]["looked_up"] = True
        if rec is None or d("lookup_missing"):
            if d("errors_bare_404"):
                return Resp(404, b"<html><body>404</body></html>", "text/html")
            if d("not_found_200"):
                return self.answer(ctx, 200, self.envelope(ctx, True, "completed", {}))
            if d("not_found_no_record"):
                return self.answer(ctx, *self.error_envelope(ctx, "no_record"))
            status, env = self.error_envelope(ctx, "not_found")
            return self.answer(ctx, status, env)
        env = rec["env"]
        if d("lookup_other_data") and "data" in env:
            env = dict(env, data={k: ("X" + v if isinstance(v, str) else v) for k, v in env["data"].items()})
        if d("lookup_new_id"):
            env = dict(env, verificationId=self.new_vid())
        if d("lookup_pending_has_error") and env["status"] == "pending":
            env = dict(env, error={"code": "SVC_SOURCE_TIMEOUT", "message": "not yet", "retryable": True})
        if d("lookup_error_generic") and "error" in env:
            env = dict(env, error=dict(env["error"], code="SVC_PROVIDER_ERROR"))
        if d("lookup_says_free"):
            env = dict(env, billing=dict(env["billing"], charged=False, amount=0))
        if d("lookup_charged_again") and ctx.env == "live":
            ctx.acct.balance -= 100
        status = 200
        if self.h("lookup_original_status"):
            status = {"failed": 422}.get(env["status"], 200)
            if not env["success"]:
                status = next(v[0] for v in OUTCOME.values() if v[1] == env["error"]["code"])
            elif env["status"] == "pending":
                status = 202
        return self.answer(ctx, status, env, kind="lookup")
