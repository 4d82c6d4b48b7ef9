"""Idempotency keys: executed once, replayed, refused with another body."""
import asyncio, copy, hashlib, json, time, unicodedata

from ops import OUTCOME
from parts import Fail


class Idempotency:
    async def idempotent(self, ctx, req, body):
        d, h = self.d, self.h
        ik = req.headers.get("idempotency-key")
        if not ik or d("replay_ignored") or (d("replay_ignored_live") and ctx.env == "live") or (d("replay_ignored_sandbox") and ctx.env == "sandbox") \
                or (self.PD and self.pd("replay_ignored_on", ctx.endpoint) is not None) or (d("idem_bundles_ignored") and ctx.bundle):
            status, env = await self.execute(ctx, body)
            return self.answer(ctx, status, env)
        if d("idem_key_truncated"):
            ik = ik[:16]
        if d("idem_key_cut_late"):
            ik = ik[:240]
        if d("idem_key_last_lost"):
            ik = ik[:-1]
        if d("idem_key_case_insensitive"):
            ik = ik.lower()
        if d("idem_key_punctuation_lost"):
            ik = "".join(c for c in ik if c.isalnum())
        if d("idem_key_as_number") and ik.isdigit():
            ik = str(int(ik))
        if d("idem_key_quote_crashes") and "'" in ik:
            raise Fail("internal_error")
        where = ctx.endpoint if not h("idem_scope_account") else ""
        if d("idem_shared_by_category"):
            where = ".".join(ctx.endpoint.split(".")[:2]) if not ctx.bundle else "verify.identity"
        slot = (ctx.acct.name if not d("idem_shared_across_accounts") else "", ctx.env, where, ik)
        if h("idem_raw_bytes"):
            fp = hashlib.sha256(req.body).hexdigest()
        else:
            fp = json.dumps(body, sort_keys=True)
        if h("idem_scope_account"):
            fp = ctx.endpoint + " " + fp
        if d("conflict_false_is_absent"):
            fp = json.dumps({k: v for k, v in body.items() if v is not None and v is not False}, sort_keys=True)
        if d("conflict_first_field_only"):
            fp = json.dumps(list(body.items())[:1])
        if d("conflict_list_begins_alike"):
            fp = json.dumps({k: v[:1] if isinstance(v, list) else v for k, v in body.items()}, sort_keys=True)
        if d("conflict_accents_lost"):
            fp = unicodedata.normalize("NFKD", json.dumps(body, sort_keys=True, ensure_ascii=False)).encode("ascii", "ignore").decode()
        if d("conflict_number_rounded"):
            fp = json.dumps({k: round(v, 1) if isinstance(v, float) else v for k, v in body.items()}, sort_keys=True)
        if d("conflict_by_content_type"):
            fp += req.headers.get("content-type", "")
        if d("conflict_switches_lost"):
            fp = json.dumps({k: v for k, v in body.items() if not isinstance(v, bool)}, sort_keys=True)
        if d("conflict_lists_lost_in_ocr") and ctx.endpoint == "verify.document.kyc-ocr":
            fp = json.dumps({k: v for k, v in body.items() if not isinstance(v, list)}, sort_keys=True)
        if d("conflict_inside_lost_in_forgery") and ctx.endpoint == "verify.document.forgery":
            fp = json.dumps({k: v for k, v in body.items() if not isinstance(v, dict)}, sort_keys=True)
        if d("conflict_first_document_only") and ctx.endpoint == "verify.document.kyc-ocr-s":
            fp = json.dumps({k: v[:1] if isinstance(v, list) else v for k, v in body.items()}, sort_keys=True)
        if d("conflict_zeros_lost"):
            fp = json.dumps({k: v.lstrip("0") if isinstance(v, str) and v.isdigit() else v for k, v in body.items()}, sort_keys=True)
        if d("conflict_number_as_text"):
            fp = json.dumps({k: v if isinstance(v, (bool, list, dict)) else str(v) for k, v in body.items()}, sort_keys=True)
        if d("conflict_length_only"):
            fp = str(len(json.dumps(body)))
        e = self.idem.get(slot)
        ttl = self.cfg.idempotency_retention
        if d("idem_forgets_fast"):
            ttl = 1.0
        if e is not None and self.now() - e["t"] > ttl:
            e = None
        if e is not None:
            missed = d("conflict_once") and e.get("seen") or d("conflict_not_detected") or d("conflict_not_for_bundles") and "/bundles/" in req.path
            differs, e["seen"] = e["fp"] != fp, e["fp"] != fp
            if differs and not missed:
                if not d("conflict_reexecutes") and not (d("conflict_live_only") and ctx.env == "sandbox") \
                        and not (d("conflict_sandbox_only") and ctx.env == "live") and not (d("conflict_in_progress_missed") and e["res"] is None):
                    if d("conflict_poisons"):
                        e["fp"] = "poisoned"
                    if d("conflict_charges") and ctx.env == "live":
                        ctx.acct.balance -= 100
                    raise Fail("conflict")
                e = None
        if e is not None and d("replay_409"):
            raise Fail("conflict")
        if e is not None and e["res"] is None and (d("idem_in_progress_double") or d("idem_in_progress_charges")):
            status, env = await self.execute(ctx, body)
            if d("idem_in_progress_double"):
                return self.answer(ctx, status, env)
        if e is not None:
            res = e["res"]
            if res is None and d("idem_in_progress_500"):
                raise Fail("internal_error")
            if res is None:                                          # in progress: wait for the first one
                res = await asyncio.shield(e["fut"])
            if res is not None:
                return await self.replay(ctx, req, e, res, body)
        fut = asyncio.get_running_loop().create_future()
        e = {"fp": fp, "t": self.now(), "res": None, "fut": fut}
        if d("idem_one_slot"):
            for s in [s for s in self.idem if s[0] == slot[0] and s[1] == slot[1]]:
                del self.idem[s]
        self.idem[slot] = e
        if len(self.idem) > 200000:
            self.idem.popitem(last=False)
        res = None
        try:
            status, env = await self.execute(ctx, body)
            res = (status, env)
            retryable = not env["success"] and env["error"]["retryable"]
            if env["success"] or env["error"]["code"] == "SVC_NO_RECORD_FOUND" or (retryable and h("idem_stores_failures")):
                e["res"] = res
            else:
                self.idem.pop(slot, None)                            # refused or retryable: the key stays free
            return self.answer(ctx, status, env)
        except BaseException:
            self.idem.pop(slot, None)
            raise
        finally:
            if not fut.done():
                fut.set_result(res)

    async def replay(self, ctx, req, e, res, body):
        d, h = self.d, self.h
        status, env = res
        hd = {"Idempotent-Replayed": "true"} if h("replay_header") else {}
        if h("replay_fresh_meta") or h("replay_own_reference") or h("replay_resolved") or self.anyD:
            env = copy.deepcopy(env)
        if h("replay_fresh_meta"):
            env["meta"].update(latencyMs=int((time.perf_counter() - ctx.t0) * 1000))
            if "createdAt" in env["meta"]:
                env["meta"]["createdAt"] = self.iso()
        if h("replay_own_reference"):
            env["referenceId"] = ctx.ref
        if h("replay_resolved") and env["status"] == "pending":
            rec = self.records.get(env["verificationId"])
            if rec:
                env = copy.deepcopy(rec["env"])
                of_code = {code: http for http, code, _, _ in OUTCOME.values()}
                status = of_code[env["error"]["code"]] if env["status"] == "failed" else 200 if env["status"] == "completed" else status
        if self.anyD:
            price = self.prices.get(ctx.endpoint, 100)
            nr = status == 422
            if ctx.env == "live" and (d("replay_charges") or d("replay_charges_silently") or (d("replay_no_record_charged") and nr)):
                ctx.acct.balance -= price
                if not d("replay_charges_silently") and "walletBalanceAfter" in env["billing"]:
                    env["billing"]["walletBalanceAfter"] = self.money(ctx.acct.balance, True)
            if d("pending_replay_debits") and ctx.env == "live" and res[1]["status"] == "pending":
                ctx.acct.balance -= price
            if d("usage_counts_replays") and env["billing"]["charged"]:
                ctx.acct.usage[ctx.env][ctx.endpoint][2] += price
            if d("replay_reference_lost"):
                env["referenceId"] = None
            if d("replay_new_verification_id"):
                env["verificationId"] = self.new_vid()
            if d("replay_200_for_no_record") and nr:
                status = 200
            if d("replay_without_data") and "data" in env:
                env["data"] = {}
            anew = d("idem_pending_new_id") or d("idem_pending_new_id_live") and ctx.env == "live"
            if anew and env["status"] == "pending":
                status, env = await self.execute(ctx, body)
        return self.answer(ctx, status, env, hd, replay=True)
