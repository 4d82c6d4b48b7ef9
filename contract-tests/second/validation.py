"""Whether the fields of a request are what the operation asks for."""
import re

import ops
from ops import AMBIGUOUS, CHECKS, MARKERS, OPS, UPPERCASED
from world import gstin_check
from parts import Fail


class Validation:
    def validate_fields(self, ctx, fields, raw, endpoint, strict=True):
        d, h = self.d, self.h
        body = {}
        skip = self.pd("skip_validation", endpoint) or ()
        need = self.pd("require_optional", endpoint) or ()
        names = set()
        for f in fields:
            names.add(f.name)
            v = raw.get(f.name)
            if v is False and d("false_is_missing"):
                raise Fail("invalid_input", "The field %s must not be empty." % f.name)
            if v == 0 and v is not False and f.name == "threshold" and d("threshold_zero_is_default"):
                v = None
            if f.name in skip:
                body[f.name] = v if isinstance(v, (str if f.type in "s" else list if f.type == "a" else dict)) and v and self.check_one(f, v) else self.filler(f)
                continue
            if v is None:
                if f.name in need:
                    raise Fail("invalid_input", "The field %s is required." % f.name)
                if f.req:
                    later_on_live = ctx.env == "live" and f is not fields[0] and d("live_asks_the_first_field")
                    if d("missing_field_accepted") or later_on_live or (d("consent_not_required") and f.name == "consentArtifact"):
                        body[f.name] = self.filler(f)
                        continue
                    if d("missing_field_identifier_code"):
                        raise Fail("invalid_identifier", "The field %s is required." % f.name)
                    if d("missing_field_500"):
                        raise Fail("internal_error")
                    if d("missing_field_422"):
                        raise Fail("missing422", "The field %s is required." % f.name)
                    raise Fail("invalid_input", "The field %s is required." % f.name)
                if f.name in raw and h("null_optional_rejected"):
                    raise Fail("invalid_input", "The field %s must not be null." % f.name)
                if d("otp_required_for_consent") and f.name == "consent" and endpoint.startswith("verify.identity.mobile-otp"):
                    raise Fail("invalid_input", "The field consent is required.")
                if f.default is not None:
                    body[f.name] = f.default
                continue
            t = f.type
            if t == "s" and d("text_from_list") and isinstance(v, list) and v and isinstance(v[0], str):
                v = v[0]
            if d("digits_of_any_script") and t == "s" and isinstance(v, str):
                v = "".join(str(int(c)) if c.isdecimal() else c for c in v)
            if d("live_takes_short_ones") and ctx.env == "live" and f.check == "uan" and isinstance(v, str) and len(v) == 11:
                v += "0"
            if d("letter_too_many_taken") and t == "s" and isinstance(v, str) and v[-1:].isalpha() and v[-1:] == v[-2:-1]:
                v = v[:-1]
            if t == "o" and d("object_from_text") and isinstance(v, str):
                v = {"text": v}
            if t == "s":
                ok = isinstance(v, str)
                if d("amount_number_required") and f.name == "amount":
                    ok = not isinstance(v, str)
                    v = "%.2f" % v if isinstance(v, (int, float)) else v
                if not ok and d("types_coerced") and isinstance(v, (int, float)):
                    v, ok = str(v), True
            elif t == "b":
                ok = isinstance(v, bool)
                if not ok and (d("types_coerced") or d("bool_takes_numbers") and v in (0, 1)):
                    v, ok = bool(v), True
            elif t == "i":
                if not isinstance(v, (int, float)) and d("types_coerced"):
                    try:
                        v = int(v)
                    except (TypeError, ValueError):
                        pass
                ok = isinstance(v, int) and not isinstance(v, bool) or isinstance(v, float) and v.is_integer()
                v = int(v) if ok else v
            elif t == "n":
                if isinstance(v, str) and d("types_coerced"):
                    try:
                        v = float(v)
                    except ValueError:
                        pass
                ok = isinstance(v, (int, float)) and not isinstance(v, bool)
            elif t == "a":
                if isinstance(v, str) and d("array_single_string"):
                    v = [v]
                ok = isinstance(v, list) and all(isinstance(x, str) for x in v)
            else:
                ok = isinstance(v, dict)
            if not ok:
                raise Fail("invalid_input", "The field %s has a wrong type." % f.name)
            if f.req and v in ("", [], {}) and v is not False:
                if v == "" and d("empty_string_accepted"):
                    body[f.name] = self.filler(f)
                    continue
                if not (v == [] and d("array_empty_accepted")):
                    raise Fail("invalid_input", "The field %s must not be empty." % f.name)
            body[f.name] = v
        if strict and h("reject_unknown_fields"):
            extra = set(raw) - names
            if extra:
                raise Fail("invalid_input", "Unknown field %s." % sorted(extra)[0])
        if self.h("marker_identifier_fields_only"):
            mark = self.marker({k: v for k, v in body.items() if any(f.name == k and f.type == "s" and CHECKS[f.check][1] == ops.ID for f in fields)})
        elif d("marker_pan_only"):
            mark = self.marker({k: v for k, v in body.items() if k == "pan"})
        elif d("marker_exact_only"):
            mark = MARKERS.get(next((v for v in body.values() if isinstance(v, str) and v in MARKERS), ""))
        else:
            mark = self.marker(body)
        if mark and ctx.env == "live" and self.cfg.live_upstream == "real":
            mark = None if mark == "source_unavailable" else mark
        if d("marker_first_time_only") and mark == "source_unavailable":
            asked = (endpoint, str(body))
            mark = None if asked in self.marked else mark
            self.marked.add(asked)
        if mark == "source_unavailable" and (d("marker_ignored") or (self.PD and self.pd("marker_ignored_on", endpoint) is not None)):
            for f in fields:
                if f.type == "s" and isinstance(body.get(f.name), str) and "ZZZZZ0000Z" in body[f.name] and not self.check_one(f, body[f.name]):
                    raise Fail("invalid_identifier" if CHECKS[f.check][1] == ops.ID else "invalid_input", "The field %s has a wrong format." % f.name)
            mark = None
        if mark and not (d("marker_after_format") and mark == "source_unavailable"):
            return body, mark
        for f in fields:
            if f.name in body and f.name not in skip and f.name in raw and raw[f.name] is not None:
                self.check_format(ctx, f, body[f.name], endpoint)
                if f.check in UPPERCASED and f.type == "s":
                    body[f.name] = body[f.name].upper()
        if h("strict_consent_artifact") and "consentArtifact" in body:
            for k in ("timestamp", "ip", "messageId"):
                if not body["consentArtifact"].get(k):
                    raise Fail("invalid_input", "consentArtifact.%s is required." % k)
        return body, mark

    def filler(self, f):
        if f.type == "a":
            return ["https://assets.example/filler.jpg"]
        if f.type == "o":
            return {"filler": True}
        for o in OPS.values():
            for g in o.fields:
                if g.check == f.check and isinstance(o.ok.get(g.name), str) and not o.ok[g.name].startswith("@"):
                    return o.ok[g.name]
        return "1.00" if f.check == "amount" else "filler"

    @staticmethod
    def check_one(f, v):
        try:
            if f.type == "s":
                return CHECKS[f.check][0](v) and (not f.enum or v in f.enum)
            if f.type == "a":
                return all(CHECKS[f.check][0](x) for x in v)
        except Exception:
            return False
        return True

    @staticmethod
    def marker(body):
        for v in body.values():
            if isinstance(v, str):
                for m, k in MARKERS.items():
                    if m in v:
                        return k
            elif isinstance(v, list):
                for x in v:
                    if isinstance(x, str):
                        for m, k in MARKERS.items():
                            if m in x:
                                return k
            elif isinstance(v, dict):
                k = Validation.marker(v)
                if k:
                    return k
        return None

    def check_format(self, ctx, f, v, endpoint):
        d, h = self.d, self.h
        bad = "The field %s has a wrong format." % f.name
        if f.type in "in":
            lo, hi = f.lo, f.hi
            if f.name == "months":
                if d("months_13_accepted"):
                    hi = 100
                if d("months_12_rejected"):
                    hi = 11
                if d("months_even_rejected") and v not in (3, 6, 12):
                    raise Fail("invalid_input", "The field months is 3, 6 or 12.")
            if f.name == "threshold" and endpoint.endswith("bank-hybrid"):
                if d("threshold_range_unchecked"):
                    return
                if d("threshold_1_rejected"):
                    hi = .9999
            if lo is not None and v < lo or hi is not None and v > hi:
                raise Fail("invalid_input", "The field %s is out of range." % f.name)
            return
        if f.type == "a":
            if f.enum:
                if d("enum_categories_regulatory_rejected") and "REGULATORY" in v:
                    raise Fail("invalid_input", "Unknown value in %s." % f.name)
                if d("enum_list_one_only") and len(v) > 1:
                    raise Fail("invalid_input", "Too many entries in %s." % f.name)
                if not d("enum_unchecked") and any(x not in f.enum for x in v):
                    raise Fail("invalid_input", "Unknown value in %s." % f.name)
            elif f.check == "url":
                if d("array_one_only") and len(v) > 1:
                    raise Fail("invalid_input", "Too many entries in %s." % f.name)
                if any(not CHECKS["url"][0](x) for x in v):
                    raise Fail("invalid_identifier" if h("format_codes_input") else "invalid_input", bad)
            return
        if f.type != "s":
            return
        if d("enum_programid_312_rejected_at_status") and v == "312" and endpoint.endswith(".status"):
            raise Fail("invalid_input", "Unknown value in %s." % f.name)
        if f.enum and d("enum_last_rejected") and v == f.enum[-1]:
            raise Fail("invalid_input", "Unknown value for %s." % f.name)
        if f.enum:
            if d("enum_txn_type_upi_rejected") and v == "UPI" or d("enum_programid_311_rejected") and v == "311":
                raise Fail("invalid_input", "Unknown value for %s." % f.name)
            if v not in f.enum and not d("enum_unchecked"):
                raise Fail("invalid_input", "Unknown value for %s." % f.name)
            return
        c = f.check
        if c == "cin" and d("signatories_llpin_accepted"):
            c = "cin_llp"
        if c == "flow":
            return                                                   # unknown ones are dealt with by the flow
        if c == "text" and not f.req:
            return
        if c == "ifsc" and h("ifsc_strict"):
            c = "ifsc_strict"
        pred, code = CHECKS[c]
        ok = pred(v)
        if self.D:
            n = len(v)
            if c == "ip" and d("ipv4_rejected") and "." in v or c == "cin_llp" and d("llpin_rejected") and n < 21 \
                    or c == "cs" and d("cs_fellow_rejected") and v[:1] == "F" or c == "dob" and d("leap_day_rejected") and v.startswith("29/02") \
                    or c in ("lat", "lon") and d("negative_coordinates_rejected") and v.startswith("-") \
                    or c == "upperstate" and d("state_of_two_words_rejected") and " " in v or c == "url" and d("url_query_rejected") and "?" in v \
                    or c == "url" and d("pdf_rejected") and v.endswith(".pdf") or c == "url" and d("jpg_rejected") and v.endswith(".jpg") \
                    or c == "ip" and d("ipv6_in_full_rejected") and n > 30 or c == "lat" and d("zero_latitude_rejected") and v == "0" \
                    or c == "amount" and d("whole_amount_rejected") and v.endswith(".00"):
                ok = False
            if c == "pan" and d("pan_pattern_unchecked"):
                ok = n == 10
            if c == "gstin" and d("gstin_pattern_unchecked"):
                ok = n == 15
            if c == "udyam" and d("udyam_prefix_optional"):
                ok = ok or v[2:3] == "-" and v[5:6] == "-" and n == 13
            if c == "udyam" and d("udyam_part_longer"):
                ok = ok or bool(re.fullmatch(r"UDYAM-[A-Z]{2,3}-[0-9]{2,3}-[0-9]{7}", v))
            if c == "udyam" and d("udyam_pattern_unchecked"):
                ok = n > 0
            if c == "cs" and d("cs_prefix_unchecked"):
                ok = v.isalnum()
            if c == "uan" and d("uan_length_unchecked"):
                ok = v.isdigit() and 10 <= n <= 14
            if c in ("din", "tin", "lpg", "uan") and d("digits_allow_letters"):
                ok = v.isalnum() and n == {"din": 8, "tin": 11, "lpg": 17, "uan": 12}[c]
            if c in ("cin", "cin_llp", "ifsc", "tan", "iec", "est15"):
                L = {"cin": 21, "cin_llp": 21, "ifsc": 11, "tan": 10, "iec": 10, "est15": 15}[c]
                if d("length_off_by_one") and v.isalnum() and n == L + 1 or d("length_one_less") and v.isalnum() and n == L - 1:
                    ok = True
            if c == "mobile":
                if d("mobile_any_length"):
                    ok = v.isdigit() and 6 <= n <= 15
                if d("mobile_11_rejected_10"):
                    ok = v.isdigit() and n >= 12
            if c == "otp":
                if d("otp_any_length"):
                    ok = v.isdigit() and 1 <= n <= 10
                if d("otp_four_rejected"):
                    ok = v.isdigit() and n == 6
            if c == "dob":
                if d("dob_format_unchecked") or (d("dob_iso_accepted") and re.fullmatch(r"\d{4}-\d\d-\d\d", v)) or (d("dob_impossible_accepted") and re.fullmatch(r"\d\d/\d\d/\d{4}", v)):
                    ok = True
                if d("dob_month_first") and re.fullmatch(r"\d\d/\d\d/\d{4}", v) and v[:2] <= "12":
                    ok = True
                if d("dob_iso_only"):
                    ok = re.fullmatch(r"\d{4}-\d\d-\d\d", v) is not None
            if c == "ip":
                ok = ok and not (d("ipv6_rejected") and ":" in v) or d("ip_unchecked")
            if c == "email" and d("email_unchecked"):
                ok = True
            if c == "courtdob":
                if d("court_dob_one_format"):
                    ok = re.fullmatch(r"\d{4}-\d\d-\d\d", v) is not None
                if d("court_dob_unchecked"):
                    ok = True
            if c == "upperstate" and d("state_lowercase_only"):
                ok = v == v.lower()
        if ok and h("reject_lowercase") and c in UPPERCASED and v != v.upper():
            ok = False
        if ok and c == "gstin" and h("gstin_checksum_verified") and gstin_check(v[:14].upper()) != v[14].upper():
            ok = False
        if ok:
            return
        ident = code == ops.ID
        if c in AMBIGUOUS and h("format_codes_input"):
            ident = not ident
        if ident:
            if d("bad_identifier_input_code"):
                raise Fail("invalid_input", bad)
            if d("bad_identifier_no_record") or (d("bad_identifier_billed_no_record") and ctx.env == "live"):
                raise Fail("bad_as_nr", bad)
            raise Fail("invalid_identifier", bad)
        raise Fail("invalid_input", bad)
