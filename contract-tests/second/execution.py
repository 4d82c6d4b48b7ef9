"""One call of one operation: what the sources say, and what is billed."""
import asyncio, json

from ops import SLOW_MARK, UAN_SLOW
from parts import Fail, Opts


class Execution:
    async def execute(self, ctx, raw):
        """validated run of one operation or bundle -> (http status, envelope)"""
        if ctx.bundle is not None:
            return await self.execute_bundle(ctx, raw)
        d, h = self.d, self.h
        op = ctx.op
        ctx.given = raw
        body, mark = self.validate_fields(ctx, op.fields, raw, op.endpoint)
        ctx.body = body
        if d("insufficient_contacts_provider") and mark:
            return self.settle_error(ctx, mark, None)
        poor = ctx.env == "live" and ctx.acct.balance < self.prices[op.endpoint]
        if d("insufficient_after_no_record") and poor and op.nr and any(body.get(k) == v for k, v in op.nr.items()):
            return self.settle_error(ctx, "no_record", None)
        self.take_hold(ctx, self.prices[op.endpoint])
        try:
            await self.latency(op.ms, body)
            kind, payload = self.upstream(ctx, op, body, mark)
        except Fail as f:
            self.release(ctx)
            raise
        return self.settle(ctx, kind, payload)

    async def latency(self, ms, body):
        wait = ms / 1000 * self.cfg.latency_scale
        if SLOW_MARK in json.dumps(body, default=str):
            wait += self.cfg.slow_ms / 1000
        if self.D and not self.D.isdisjoint(("hold_absent", "hold_lost_update", "idem_in_progress_double", "idem_in_progress_charges", "idem_in_progress_500", "swapped_responses", "conflict_in_progress_missed")):
            wait += .06                                              # so that calls can overlap at all
        if wait > 0:
            await asyncio.sleep(wait)

    def settle(self, ctx, kind, payload):
        d = self.d
        if kind == "success":
            if d("success_not_charged") or (self.PD and self.pd("uncharged", ctx.endpoint) is not None):
                self.release(ctx)
                charged = 0
            else:
                charged = self.commit(ctx) if ctx.env == "live" else 0
            env = self.envelope(ctx, True, "completed", payload, None, charged)
            self.log(ctx, env, charged)
            if charged and d("reference_costs_more_silently") and ctx.ref:
                ctx.acct.balance -= 250
            if ctx.env != "live" and d("sandbox_ip_quality_takes_live") and ctx.endpoint == "screen.ip-quality":
                ctx.acct.balance -= 100
            if ctx.op is not None and ctx.op.flow == "v1":
                self.flows[(ctx.acct.name, ctx.env, ctx.vid)] = dict(payload, kind="v1", programId=ctx.body.get("programId", "310"))
            if ctx.op is not None and ctx.op.flow == "forgery" and not self.h("no_forgery_callback"):
                self.spawn(self.deliver(ctx.acct, env, ctx.key.key))
            return 200, env
        if kind == "pending":
            return self.start_pending(ctx, payload)
        if kind == "dishonest":
            charged = self.charge_anyway(ctx, ctx.price)
            status, env = self.error_envelope(ctx, "internal_error", None, charged)
            self.log(ctx, env, charged)
            return status, env
        return self.settle_error(ctx, kind, payload)

    def settle_error(self, ctx, kind, message):
        d = self.d
        charged, is_charged = 0, None
        if kind == "no_record":
            if self.PD and self.pd("no_record_as_success", ctx.endpoint) is not None:
                charged = self.commit(ctx) if ctx.env == "live" else 0
                env = self.envelope(ctx, True, "completed", {}, None, charged)
                self.log(ctx, env, charged)
                return 200, env
            if d("no_record_free_on_live") or (self.PD and self.pd("uncharged", ctx.endpoint) is not None):
                self.release(ctx)
            else:
                half = ctx.hold // 2 if d("no_record_half_price") else None
                charged = self.commit(ctx, half, no_record=True) if ctx.env == "live" else 0
        else:
            price = ctx.price or self.prices.get(ctx.endpoint, 100)
            wrongly = {"source_unavailable": "charge_source_down", "source_timeout": "charge_source_timeout", "provider_error": "charge_provider_error", "internal_error": "charge_internal_error"}.get(kind, "-")
            if self.anyD and ctx.env == "live" and kind in ("source_unavailable", "source_timeout", "provider_error", "internal_error"):
                if d(wrongly) or (self.PD and self.pd("charge_failures", ctx.endpoint) is not None) or (d("bundle_source_down_billed") and ctx.bundle):
                    charged = self.charge_anyway(ctx, price)
                if kind == "source_timeout" and d("charge_timeout_of_reports_silently") and ctx.endpoint == "verify.financial.credit-report":
                    self.charge_anyway(ctx, price)
                if kind == "source_unavailable" and (d("charge_source_down_silently") or (self.PD and self.pd("silent_source_down", ctx.endpoint) is not None)):
                    self.charge_anyway(ctx, price)
            self.release(ctx)
        status, env = self.error_envelope(ctx, kind, message, charged, is_charged)
        if d("no_record_shows_before") and kind == "no_record" and "walletBalanceAfter" in env["billing"]:
            env["billing"]["walletBalanceAfter"] = self.money(ctx.acct.balance + charged, True)
        self.log(ctx, env, charged)
        return status, env

    # ---- what the sources say
    def upstream(self, ctx, op, body, mark):
        """-> (kind, data or message)"""
        d, h = self.d, self.h
        if (h("honest_5xx") and self.rng.random() < .02):
            return self.rng.choice(["internal_error", "provider_error", "source_unavailable", "source_timeout"]), None
        if d("dishonest_5xx") and ctx.env == "live" and self.rng.random() < .03:
            return "dishonest", None
        if d("nondeterministic_status") and self.rng.random() < 1 / 6:
            return "no_record", None
        if d("long_name_crashes") and any(isinstance(v, str) and len(v) > 255 and "://" not in v for v in body.values()):
            return "internal_error", None
        if d("sign_in_name_crashes") and op.path == "screen/negative-diligence" and any(ord(c) > 0xffff for c in body["name"]):
            return "internal_error", None
        if d("source_stays_down"):
            if mark == "source_unavailable":
                self.marked.add(op.path)
            elif op.path in self.marked:
                self.marked.discard(op.path)
                return "source_unavailable", None
        if mark:
            if d("source_unavailable_pending") and mark == "source_unavailable":
                return "pending", {"resolve": None, "data": {}, "http": 202}
            return mark, None
        if op.path == "screen/court-records" and "ZZZZZ" in body["name"].upper() and not d("court_zzzzz_ignored") and not (ctx.env == "live" and self.cfg.live_upstream == "real"):
            return "source_unavailable", None
        if op.nr and any(body.get(k) == v for k, v in op.nr.items()):
            if not (d("pan_no_record_success") and op.path == "verify/identity/pan"):
                return "no_record", None
        if d("pan_ok_no_record") and body.get("pan") == "AAAAA0000A":
            return "no_record", None
        if d("uan_lookup_fixed_mobile_no_record") and op.path == "verify/employment/uan-lookup" and body["mobile"] == "9000000001":
            return "no_record", None
        if h("unknown_inputs_no_record") and op.nr and ctx.env == "sandbox":
            if not any(body.get(k) in (op.ok.get(k), "SLOWW0000S", "AAAAA0000A") or any(m in str(body.get(k)) for m in (SLOW_MARK,)) for k in op.nr) and not (op.flow == "uan" and body["uan"] in UAN_SLOW):
                return "no_record", None
        o = self.opts(ctx)
        flow = getattr(self, "flow_" + op.flow, None) if op.flow else None
        if flow is not None:
            return flow(ctx, op, body, o)
        data = self.world.data(op.path, body, "live" if ctx.env == "live" else "test", o)
        return "success", data

    def opts(self, ctx):
        o = Opts()
        o.given, o.flow_id, o.flow, o.otp_ok = ctx.given, None, None, True
        o.now_iso = self.iso()
        o.d, o.h, o.live = self.d, self.h, ctx.env == "live"
        return o

    def gen(self, ctx, op, body, o):
        return self.world.data(op.path, body, "live" if ctx.env == "live" else "test", o)
