"""Results that come later, and the page of consent."""
import asyncio, urllib.parse

from parts import Resp


class Pending:
    def start_pending(self, ctx, p):
        d = self.d
        charged = 0
        if ctx.env == "live" and (d("pending_charged_at_start") or d("pending_charged_twice")):
            charged = ctx.price
            ctx.acct.balance -= charged
            if d("pending_charged_at_start"):
                ctx.acct.held -= ctx.hold
                ctx.hold = 0
        if d("pending_no_hold") and ctx.hold:
            ctx.acct.held -= ctx.hold
            ctx.hold = 0
        env = self.envelope(ctx, True, "pending", p["data"], None, charged)
        http = p["http"]
        if d("pending_success_http_500") and ctx.op is not None and ctx.op.flow == "uan":
            http = 503
        self.log(ctx, env, 0)
        if p.get("token"):
            self.consents[p["token"]] = {"ctx": ctx, "p": p, "done": False}
        if p.get("resolve") and not d("pending_never_resolves"):
            wait, end = p["resolve"]
            if self.h("slow_pending"):
                wait += 3
            self.spawn(self.resolve_later(ctx, wait, end, p))
        return http, env

    async def resolve_later(self, ctx, wait, end, p):
        await asyncio.sleep(wait)
        self.resolve(ctx, end, p)

    def resolve(self, ctx, end, p, message=None):
        d = self.d
        if p.get("resolved"):
            return
        p["resolved"] = True
        charged = 0
        conclusive = end in ("success", "no_record")
        if ctx.env == "live":
            if conclusive and not d("pending_never_charged"):
                if d("pending_charged_at_start"):
                    charged = ctx.price
                elif d("pending_no_hold"):
                    charged = ctx.price
                    ctx.acct.balance -= charged
                else:
                    charged = self.commit(ctx)
                if d("pending_end_debits_twice") and end == "success":
                    ctx.acct.balance -= ctx.price
            elif not conclusive and d("pending_failure_charged"):
                charged = self.charge_anyway(ctx, ctx.price)
            elif not conclusive and d("pending_hold_not_released"):
                ctx.hold = 0
            else:
                self.release(ctx)
        if end == "success":
            env = self.envelope(ctx, True, "completed", p["make"](), None, charged)
        else:
            _, env = self.error_envelope(ctx, end, message, charged)
        if not d("lookup_stays_pending"):
            rec = self.records.get(ctx.vid)
            if rec is not None:
                rec["env"] = env
                rec["http"] = 200
        if charged:
            u = ctx.acct.usage[ctx.env].setdefault(ctx.endpoint, [0, 0, 0])
            u[1] += 1
            u[2] += charged
        if d("webhook_only_completed") and env["status"] == "failed":
            return
        self.spawn(self.deliver(ctx.acct, env, ctx.key.key, ctx))

    def consent_page(self, req):
        c = self.consents.get(req.path[len("/consent/"):])
        if c is None or c["ctx"].env != req.side:
            return Resp(404, b"<html><body>Unknown consent request</body></html>", "text/html")
        done = c["p"].get("resolved")
        if req.method == "GET":
            page = "<html><body><h1>Share documents?</h1>%s</body></html>" % (
                "<p>This request has been answered.</p>" if done else '<form method="post"><button name="decision" value="allow">Allow</button><button name="decision" value="deny">Deny</button></form>')
            return Resp(200, page.encode(), "text/html; charset=utf-8")
        if req.method != "POST":
            return Resp(405, b"", "text/html")
        form = urllib.parse.parse_qs(req.body.decode("latin-1"))
        allow = form.get("decision", ["deny"])[0] == "allow"
        if not done:
            if allow:
                self.resolve(c["ctx"], "success", c["p"])
            else:
                self.resolve(c["ctx"], "invalid_input", c["p"], "The user refused the consent.")
        sep = "&" if "?" in c["p"]["redirect"] else "?"
        return Resp(302, b"", "text/html", {"Location": c["p"]["redirect"] + sep + "verificationId=" + c["ctx"].vid + "&consent=" + ("granted" if allow else "refused")})
