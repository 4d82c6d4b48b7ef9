"""Bundles: steps run as one call."""
from ops import OUTCOME, step_op
from parts import Ctx, Fail


class Bundles:
    async def execute_bundle(self, ctx, raw):
        d, h = self.d, self.h
        b = ctx.bundle
        ctx.given = raw
        steps = list(b.steps)
        fields, mark = [], None
        if b.router:
            t = raw.get("body_type", "CA" if d("body_type_defaults") else None)
            if d("body_type_unchecked") and t not in b.router:
                t = "CA"
            if not isinstance(t, str) or t not in b.router or (d("body_type_cma_rejected") and t == "CMA"):
                raise Fail("invalid_input", "body_type must be CA, CS or CMA.")
            if not d("bundle_router_runs_all"):
                steps = [b.router[t]]
        if d("bundle_tan_unneeded") and b.slug == "company-tan-identity":
            raw.setdefault("tan", "PNES12345B")
        dyn_second = b.special == "dynamic" and "referenceId" in raw
        if b.special == "dynamic":
            steps = steps[1:] if dyn_second else steps[:1]
        if d("bundle_missing_step") and len(steps) > 1:
            steps = steps[:-1]
        if d("bundle_order"):
            steps = steps[::-1] if b.special != "uan" else steps
        nested = raw.get("inputs") if isinstance(raw.get("inputs"), dict) else {}
        plan, marks = [], []
        seen = set()
        for s in steps:
            op = step_op(s)
            inp = dict(nested.get(s) or {})
            for f in op.fields:
                if f.name not in inp:
                    n = b.rename.get((s, f.name), f.name)
                    if n in raw:
                        inp[f.name] = raw[n]
                    elif n != f.name and f.name in raw:
                        inp[f.name] = raw[f.name]
            if s == "identity.face-liveness" and "imageUrl" not in inp:
                if "imageUrl1" in raw:
                    inp["imageUrl"] = raw["imageUrl1"]
                elif isinstance(raw.get("imageUrls"), list) and raw["imageUrls"]:
                    inp["imageUrl"] = raw["imageUrls"][0]
            if b.special == "uan" and s == "employment.uan":
                plan.append((s, op, None, None))
                continue
            if d("bundle_consent_null") and inp.get("consentArtifact", 1) is None:
                inp["consentArtifact"] = {"none": True}
            if d("bundle_identifiers_unchecked"):
                inp.update((f.name, op.ok[f.name]) for f in op.fields if f.name in inp and f.name in op.ok and isinstance(inp[f.name], str))
            if d("bundle_consent_ignored") and "consentArtifact" not in inp:
                inp["consentArtifact"] = {"none": True}
            if d("bundle_router_runs_all") and s == "membership.cs" and not str(inp.get("membershipNumber", ""))[:1] in "AF":
                inp["membershipNumber"] = "A1"
            body, m = self.validate_fields(ctx, op.fields, inp, op.endpoint, strict=False)
            plan.append((s, op, body, m))
            marks.append(m)
        price = self.prices[b.endpoint]
        flow_key = (ctx.acct.name, ctx.env, raw.get("referenceId"))
        if dyn_second and isinstance(raw.get("referenceId"), str) and flow_key in self.flows and self.flows[flow_key].get("bundle"):
            f = self.flows[flow_key]
            ctx.hold, ctx.price = f.pop("hold", 0), price
            if ctx.env == "live" and not ctx.hold:
                self.take_hold(ctx, price)
        else:
            self.take_hold(ctx, price)
        ms = max(o.ms for _, o, _, _ in plan) if b.parallel else sum(o.ms for _, o, _, _ in plan)
        results, failed = [], None
        try:
            await self.latency(ms, raw)
            uan = None
            for s, op, body, m in plan:
                if body is None:
                    if uan is None:
                        continue
                    body = {"uan": uan}
                sub = Ctx()
                sub.t0, sub.created, sub.env, sub.endpoint, sub.ref, sub.key, sub.acct, sub.given, sub.body, sub.op = ctx.t0, ctx.created, ctx.env, op.endpoint, ctx.ref, ctx.key, ctx.acct, body, body, op
                kind, payload = self.upstream(sub, op, body, m)
                if kind == "pending":                                # a bundle waits for its steps
                    end = payload["resolve"][1] if payload.get("resolve") else "source_timeout"
                    kind, payload = end, (payload["make"]() if end == "success" else None)
                if kind == "dishonest" or (kind == "source_timeout" and d("bundle_timeout_500")):
                    kind = "internal_error"
                r = {"step": s, "endpoint": op.endpoint}
                if kind == "success":
                    r.update(status="completed", data=payload)
                    if s == "employment.uan-lookup":
                        uan = payload["uanList"][0]
                    if s == "financial.bank-dynamic.send":
                        self.flows[(ctx.acct.name, ctx.env, payload["referenceId"])]["bundle"] = True
                else:
                    http, code, retry, text = OUTCOME[kind]
                    r.update(status="failed", error={"code": code, "message": text, "retryable": retry})
                    if retry:
                        failed = failed or kind
                        if not h("bundle_partial"):
                            break
                results.append(r)
        except Fail:
            self.release(ctx)
            raise
        if failed and (not h("bundle_partial") or all(r["status"] == "failed" for r in results)):
            return self.settle_error(ctx, failed, None)
        data = {"bundle": b.slug}
        if h("bundle_other_shape"):
            data["results"] = {r["step"]: {k: v for k, v in r.items() if k != "step"} for r in results}
        else:
            data["steps"] = results
            data["summary"] = {"completed": sum(r["status"] == "completed" for r in results), "failed": sum(r["status"] == "failed" for r in results)}
        if b.slug == "fraud-check" and not d("bundle_no_risk_score"):
            score = 0
            for r in results:
                x = r.get("data", {})
                score += 20 if x.get("matchFound") else 0
                score += 40 if x.get("matchCount") else 0
                score += int(x.get("fraudScore", 0) * .4)
            data["riskScore"] = min(100, score)
        if b.special == "dynamic" and not dyn_second:
            snd = results[0]
            if snd["status"] == "completed":
                f = self.flows[(ctx.acct.name, ctx.env, snd["data"]["referenceId"])]
                f["hold"], ctx_hold = ctx.hold, ctx.hold
                ctx.hold = 0
                env = self.envelope(ctx, True, "pending", data)
                self.log(ctx, env, 0)
                f["first"] = ctx.vid
                return 200, env
            return self.settle_error(ctx, "no_record", None)
        charged = 0
        if ctx.env == "live":
            good = sum(1 for r in results if r["status"] == "completed" or not r["error"]["retryable"])
            charged = self.commit(ctx, ctx.price if not failed else ctx.price * good // len(results))
        env = self.envelope(ctx, True, "completed", data, None, charged)
        self.log(ctx, env, charged)
        if dyn_second:
            f = self.flows.get(flow_key) or {}
            rec = self.records.get(f.get("first"))
            if rec:
                rec["env"] = dict(rec["env"], status="completed", data=data)
        return 200, env
