"""Operations of several calls: OTPs, the bank transfers, consent."""
import hashlib, random

from ops import OPS, UAN_SLOW
from parts import Fail


class Flows:
    def flow_get(self, ctx, ident, kind):
        f = self.flows.get((ctx.acct.name, ctx.env, ident))
        if f is None and self.d("flow_id_of_either_environment"):
            f = next((x for (acct, _, i), x in self.flows.items() if acct == ctx.acct.name and i == ident), None)
        if f is not None and f["kind"] == kind and not self.d("flow_id_mixed"):
            return f
        if f is not None and self.d("flow_id_of_other_kind") and {f["kind"], kind} == {"dyn", "otps"}:
            return dict(f, kind=kind, amount=1.01, account="1", mobile=f.get("mobile", "9000000001"))
        if self.d("flow_id_unchecked") or (f is not None and self.d("flow_id_mixed")):
            return next((x for x in reversed(list(self.flows.values())) if x["kind"] == kind), {"kind": kind, "mobile": "9000000001", "verified": True, "amount": 1.01, "account": "1", "programId": "310",
                        "acValidationStatus": "ACCOUNT_VALID", "nameAtBank": "NOBODY", "bankCode": "SCBK", "methodUsed": "PENNY_DROP"})
        raise Fail("not_found" if self.h("unknown_flow_404") else "invalid_input", "The identifier does not belong to an earlier step.")

    def otp_good(self, ctx, otp):
        if self.d("otp_validates_anything") or self.d("otp_any_on_live") and ctx.env == "live":
            return True
        if self.d("otp_of_four_validates") and len(otp) == 4:
            return True
        if ctx.env == "sandbox":
            if self.d("otp_000000_rejected") and otp == "000000":
                return False
            return otp in ("000000", "123456")
        return otp == self.cfg.live_otp or (self.cfg.live_upstream == "mirror" and otp in ("000000", "123456"))

    def flow_otp_start(self, ctx, op, body, o):
        o.flow_id = self.new_flow_id("otp")
        if self.d("flows_few_kept"):
            mine = [k for k, x in self.flows.items() if k[:2] == (ctx.acct.name, ctx.env) and x["kind"] == "otp"]
            for k in mine[:-2]:
                del self.flows[k]
        if self.h("otp_one_a_number"):
            before = [k for k, x in self.flows.items() if k[:2] == (ctx.acct.name, ctx.env) and x["kind"] == "otp" and x["mobile"] == body["mobile"]]
            for k in before:
                del self.flows[k]
        self.flows[(ctx.acct.name, ctx.env, o.flow_id)] = {"kind": "otp", "mobile": body["mobile"], "verified": False}
        return "success", self.gen(ctx, op, body, o)

    def flow_otp_verify(self, ctx, op, body, o):
        f = self.flow_get(ctx, body["request_id"], "otp")
        if f["verified"] and self.h("otp_single_use"):
            raise Fail("invalid_input", "The OTP has been used.")
        o.otp_ok = self.otp_good(ctx, body["otp"])
        if self.d("otp_wrong_once_locks"):
            o.otp_ok = o.otp_ok and not f.get("wrong")
            f["wrong"] = f.get("wrong") or not o.otp_ok
        if not o.otp_ok and self.h("wrong_otp_error"):
            raise Fail("invalid_input", "The OTP is wrong.")
        f["verified"] = f["verified"] or o.otp_ok or self.d("otp_any_try_counts")
        if o.otp_ok and self.d("otp_number_verified"):
            for x in self.flows.values():
                if x["kind"] == "otp" and x["mobile"] == f["mobile"]:
                    x["verified"] = True
        o.flow = f
        return "success", self.gen(ctx, op, body, o)

    def flow_otp_fetch(self, ctx, op, body, o):
        f = self.flow_get(ctx, body["request_id"], "otp")
        if self.d("otp_fetch_wants_verify_id"):
            raise Fail("invalid_input", "The identifier does not belong to the verify step.")
        if not f["verified"] and not self.d("fetch_without_verify") and not (self.d("fetch_without_verify_on_live") and ctx.env == "live"):
            raise Fail("invalid_input", "The OTP has not been validated.")
        o.flow = f
        return "success", self.gen(ctx, op, body, o)

    def flow_otps_start(self, ctx, op, body, o):
        o.flow_id = self.new_flow_id("sil")
        self.flows[(ctx.acct.name, ctx.env, o.flow_id)] = {"kind": "otps", "mobile": body["mobile"], "verified": False}
        data = self.gen(ctx, op, body, o)
        if ctx.ref and self.d("flow_id_answers_reference"):
            data["referenceId"] = ctx.ref
        return "success", data

    def flow_otps_fetch(self, ctx, op, body, o):
        f = self.flow_get(ctx, body["referenceId"], "otps")
        if f["mobile"] != body["mobile"]:
            raise Fail("invalid_input", "The mobile number differs from that of the start.")
        if not self.otp_good(ctx, body["otp"]) and not self.d("silent_fetch_any_otp"):
            raise Fail("invalid_input", "The OTP is wrong.")
        return "success", self.gen(ctx, op, body, o)

    def flow_dyn_send(self, ctx, op, body, o):
        o.flow_id = self.new_flow_id("dyn")
        r = random.Random(hashlib.sha256((body["accountNumber"] + body["ifsc"] + str(self.cfg.seed)).encode()).digest())
        o.flow = {"kind": "dyn", "amount": round(r.uniform(1.01, 1.99), 2), "account": body["accountNumber"]}
        self.flows[(ctx.acct.name, ctx.env, o.flow_id)] = o.flow
        data = self.gen(ctx, op, body, o)
        if self.d("dynamic_amount_text"):
            data["amountSent"] = "%.2f" % data["amountSent"]
        if self.d("dynamic_amount_zero"):
            data["amountSent"] = 0.0
        return "success", data

    def flow_dyn_verify(self, ctx, op, body, o):
        o.flow = self.flow_get(ctx, body["referenceId"], "dyn")
        if self.d("dynamic_any_after_right"):
            right = abs(float(body["amount"]) - o.flow["amount"]) < .001
            if o.flow.get("right"):
                body = dict(body, amount=str(o.flow["amount"]))
            o.flow["right"] = o.flow.get("right") or right
        if self.d("dynamic_any_on_live") and ctx.env == "live":
            body = dict(body, amount=str(o.flow["amount"]))
        if self.d("dynamic_wrong_amount_error") and abs(float(body["amount"]) - o.flow["amount"]) > .001:
            return "no_record", None
        return "success", self.gen(ctx, op, body, o)

    def flow_v1(self, ctx, op, body, o):
        return "success", self.gen(ctx, op, body, o)

    def flow_v1_status(self, ctx, op, body, o):
        f = self.flow_get(ctx, body["origRequestId"], "v1")
        if self.d("status_of_last_call"):
            f = dict(f, methodUsed=[x for x in self.flows.values() if x["kind"] == "v1"][-1]["methodUsed"])
        if self.d("status_program_defaults"):
            body.setdefault("programId", "310")
        if body.get("programId") is not None and body["programId"] != f["programId"] and not self.d("status_program_mismatch_ok"):
            raise Fail("invalid_input", "programId differs from that of the original call.")
        if self.d("status_other_result"):
            f = dict(f, acValidationStatus="ACCOUNT_INVALID" if f["acValidationStatus"] == "ACCOUNT_VALID" else "ACCOUNT_VALID")
        o.flow = f
        return "success", self.gen(ctx, op, body, o)

    def flow_uan(self, ctx, op, body, o):
        end = UAN_SLOW.get(body["uan"])
        if end and not self.h("uan_never_pending"):
            return "pending", {"resolve": (self.cfg.pending_ms / 1000, end), "data": {"uan": body["uan"]}, "http": 200 if self.d("pending_uan_http_200") else 202, "make": lambda: self.gen(ctx, op, body, o)}
        if end and end != "success":
            return end, None
        if self.h("pending_first"):
            return "pending", {"resolve": (self.cfg.pending_ms / 1000, "success"), "data": {"uan": body["uan"]}, "http": 202, "make": lambda: self.gen(ctx, op, body, o)}
        return "success", self.gen(ctx, op, body, o)

    def flow_udyam_otp(self, ctx, op, body, o):
        if not self.otp_good(ctx, body["otp"]):
            raise Fail("invalid_input", "The OTP is wrong.")
        udy = OPS["verify/company/udyam"]
        return "pending", {"resolve": (self.cfg.pending_ms / 1000, "success"), "data": {"udyamNumber": body["udyamNumber"]}, "http": 202,
                           "make": lambda: self.gen(ctx, udy, {"udyamNumber": body["udyamNumber"]}, o)}

    def flow_forgery(self, ctx, op, body, o):
        if self.h("forgery_pending"):
            data = self.gen(ctx, op, body, o)
            return "pending", {"resolve": (self.cfg.pending_ms / 1000, "success"), "data": {"trackingId": data["trackingId"]}, "http": 202, "make": lambda: data}
        return "success", self.gen(ctx, op, body, o)

    def flow_consent(self, ctx, op, body, o):
        token = "%032x" % self.idrng.getrandbits(128)
        url = self.urls[ctx.env] + "/consent/" + token
        if self.d("consent_url_relative"):
            url = "/consent/" + token
        if self.d("consent_url_is_redirect"):
            url = ctx.given.get("redirectUrl", url)
        data = {"consentUrl": url}
        if self.h("consent_extra_data"):
            data.update(expiresInSeconds=1800, token=token)
        if self.d("consent_url_missing"):
            data = {"state": "waiting"}
        if self.d("consent_error_status"):
            return "no_record", None
        auto = self.cfg.consent_auto_ms / 1000 if ctx.env == "sandbox" or self.cfg.consent_auto_live else None
        return "pending", {"resolve": (auto, "success") if auto is not None else (1800, "source_timeout"), "data": data, "http": 202 if self.h("digilocker_http_202") else 200,
                           "make": lambda: self.gen(ctx, op, body, o), "token": token, "redirect": body["redirectUrl"]}
