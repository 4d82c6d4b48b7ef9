"""Planted defects that change a finished envelope."""
import hashlib, json, re, time


class Mangle:
    def mangle(self, e, status, ctx, kind):
        d = self.d
        pd = self.PD
        ok = e.get("success") is True
        failed = e["status"] == "failed"
        completed = e["status"] == "completed"
        pending = e["status"] == "pending"
        code = e["error"]["code"] if "error" in e else None
        live = e["meta"]["environment"] == "live"
        billing, meta = e["billing"], e["meta"]
        ep = e["endpoint"]
        data = e.get("data")
        # -- single operations, parametrised
        if pd and data is not None and (completed or (pending and ep == "verify.document.digilocker")):
            for what in ("drop_field", "wrong_type", "null_field", "rename_field"):
                for path in self.pd(what, ep) or ():
                    self.hurt(data, path.split("/"), what)
        if pd:
            if self.pd("wrong_endpoint", ep) is not None:
                e["endpoint"] = "verify.identity.voter" if ep != "verify.identity.voter" else "verify.identity.pan"
            if self.pd("env_live_on", ep) is not None:
                meta["environment"] = "live"
        # -- statuses and codes
        if code:
            err = e["error"]
            T = {"SVC_NO_RECORD_FOUND": "no_record", "SVC_SOURCE_UNAVAILABLE": "src", "SVC_SOURCE_TIMEOUT": "timeout", "SVC_PROVIDER_ERROR": "prov", "SVC_INTERNAL_ERROR": "int",
                 "SVC_AUTH_INVALID": "auth", "SVC_KEY_ENVIRONMENT_MISMATCH": "keyenv", "SVC_IP_NOT_ALLOWED": "ip", "SVC_INVALID_INPUT": "input", "SVC_INVALID_IDENTIFIER": "ident",
                 "SVC_RATE_LIMITED": "rate", "SVC_IDEMPOTENCY_CONFLICT": "conflict", "SVC_INSUFFICIENT_BALANCE": "insufficient", "SVC_NOT_FOUND": "nf"}[code]
            if T == "no_record":
                if d("no_record_404"):
                    status = 404
                if d("no_record_200"):
                    status = 200
                if d("no_record_retryable"):
                    err["retryable"] = True
                if d("no_record_code_not_found"):
                    err["code"] = "SVC_NOT_FOUND"
                if d("no_record_status_completed"):
                    e["status"] = "completed"
                if d("no_record_success_empty"):
                    e.update(success=True, status="completed", data={})
                    del e["error"]
                    status = 200
                if d("sandbox_no_record_charged") and not live:
                    billing.update(charged=True, amount=2)
            elif T == "src":
                if d("source_unavailable_500"):
                    status = 500
                if d("source_unavailable_not_retryable"):
                    err["retryable"] = False
                if d("source_unavailable_code"):
                    err["code"] = "SVC_PROVIDER_ERROR"
                if d("error_code_of_provider"):
                    err["code"] = "NSDL_DOWN"
                if d("errors_html_503"):
                    return e, status, (b"<html><body><h1>503 Service Unavailable</h1></body></html>", "text/html")
            elif T == "timeout":
                if d("timeout_http_503"):
                    status = 503
                if d("timeout_not_retryable"):
                    err["retryable"] = False
            elif T == "prov":
                if d("provider_error_500"):
                    status = 500
                if d("provider_error_not_retryable"):
                    err["retryable"] = False
            elif T == "int":
                if d("internal_not_retryable"):
                    err["retryable"] = False
            elif T == "auth":
                if d("auth_bad_key_403"):
                    status = 403
                if d("auth_bad_key_wrong_code"):
                    err["code"] = "SVC_IP_NOT_ALLOWED"
                if d("auth_bad_key_retryable"):
                    err["retryable"] = True
            elif T == "keyenv":
                if d("env_mismatch_code_auth_invalid"):
                    err["code"] = "SVC_AUTH_INVALID"
                if d("env_mismatch_403"):
                    status = 403
            elif T == "ip":
                if d("ip_not_allowed_401"):
                    status = 401
                if d("ip_not_allowed_code"):
                    err["code"] = "SVC_AUTH_INVALID"
            elif T == "input":
                if d("validation_retryable"):
                    err["retryable"] = True
                if d("validation_http_200"):
                    status = 200
            elif T == "ident":
                if d("bad_identifier_422"):
                    status = 422
                if d("bad_identifier_retryable"):
                    err["retryable"] = True
            elif T == "rate":
                if d("rate_limit_503"):
                    status = 503
                if d("rate_limit_not_retryable"):
                    err["retryable"] = False
                if d("rate_limit_code"):
                    err["code"] = "SVC_SOURCE_UNAVAILABLE"
            elif T == "conflict":
                if d("conflict_400"):
                    status = 400
                if d("conflict_code"):
                    err["code"] = "SVC_INVALID_INPUT"
                if d("conflict_retryable"):
                    err["retryable"] = True
            elif T == "insufficient":
                if d("insufficient_403"):
                    status = 403
                if d("insufficient_retryable"):
                    err["retryable"] = True
                if d("insufficient_code"):
                    err["code"] = "SVC_INVALID_INPUT"
            elif T == "nf":
                if d("not_found_retryable"):
                    err["retryable"] = True
            if d("error_problem_json") and status == 400:
                return e, status, (json.dumps({"type": "about:blank", "title": "Bad Request", "status": 400, "detail": err["message"]}).encode(), "application/problem+json")
            if d("errors_plain_text_401") and status == 401:
                return e, status, (b"Unauthorized\n", "text/plain")
            if d("errors_http_200"):
                status = 200
            if d("error_code_lowercase"):
                err["code"] = err["code"].lower()
            if d("error_code_unprefixed"):
                err["code"] = err["code"][4:]
            if d("error_code_missing"):
                del err["code"]
            if d("error_message_missing"):
                del err["message"]
            if d("error_message_object") and "message" in err:
                err["message"] = {"en": err["message"]}
            if d("error_retryable_string"):
                err["retryable"] = str(err["retryable"]).lower()
            if d("error_retryable_missing"):
                del err["retryable"]
            if d("error_as_string"):
                e["error"] = code
            if d("error_missing_on_failure"):
                del e["error"]
        elif completed and d("success_http_201"):
            status = 201
        # -- data
        if data is not None and completed:
            if d("pan_not_echoed") and ep == "verify.identity.pan":
                data["pan"] = "ABCDE1234F"
            if d("pan_masked_on_live") and live and "pan" in data:
                data["pan"] = "XXXXX" + data["pan"][5:9] + "X"
            if d("pan_name_score_constant") and ep == "verify.identity.pan":
                data["nameMatchScore"] = 0
            if d("first_answer_differs") and ep == "verify.financial.ifsc":
                known = self.ifsc_asked
                if data["ifsc"] not in known:
                    data["branch"] = "SOMEWHERE ELSE"
                known.add(data["ifsc"])
            if d("nondeterministic"):
                self.jitter(data)
            if d("dates_us_format") or d("dates_with_time"):
                self.redate(data)
            if d("strings_null_when_empty"):
                self.empty_to_null(data)
        if failed:
            if d("data_on_error"):
                e["data"] = {"input": True}
            if d("data_null_on_error"):
                e["data"] = None
        if completed:
            if d("data_missing_on_success"):
                e.pop("data", None)
            if d("data_wrapped_in_array"):
                e["data"] = [data]
            if d("data_as_json_text"):
                e["data"] = json.dumps(data)
            if d("error_on_success"):
                e["error"] = {"code": "SVC_OK", "message": "", "retryable": False}
            if d("error_null_on_success"):
                e["error"] = None
            if d("status_failed_with_success"):
                e["status"] = "failed"
            if d("env_success_false_on_completed"):
                e["success"] = False
        if pending:
            if d("data_missing_on_pending"):
                e.pop("data", None)
            if d("pending_as_completed"):
                e["status"] = "completed"
            if d("pending_word"):
                e["status"] = "processing"
        # -- billing
        if not live:
            if d("sandbox_charged_true") or (d("bundle_sandbox_charged") and ep.startswith("bundles.")):
                if completed:
                    billing.update(charged=True, amount=2)
            if d("sandbox_amount") and completed:
                billing["amount"] = 2
            if d("test_key_debits_live") and kind == "response" and completed and ctx.acct:
                ctx.acct.balance -= 100
        if live and billing["charged"]:
            if d("charged_true_amount_zero"):
                billing["amount"] = 0
            if d("charged_false_but_debited"):
                billing["charged"] = False
                billing.pop("walletBalanceAfter", None)
                billing["amount"] = 0
            if (d("wallet_shows_before") or self.pd("balance_before", ep) is not None) and "walletBalanceAfter" in billing:
                billing["walletBalanceAfter"] = round(billing["walletBalanceAfter"] + billing["amount"], 2)
            if d("billing_wallet_string") and "walletBalanceAfter" in billing:
                billing["walletBalanceAfter"] = str(billing["walletBalanceAfter"])
            if d("billing_wallet_missing"):
                billing.pop("walletBalanceAfter", None)
        if d("billing_charged_string"):
            billing["charged"] = str(billing["charged"]).lower()
        if d("billing_charged_missing"):
            billing.pop("charged", None)
        if d("billing_amount_string"):
            billing["amount"] = str(billing["amount"])
        if d("billing_amount_missing"):
            billing.pop("amount", None)
        if d("billing_currency_missing"):
            billing.pop("currency", None)
        if d("billing_currency_usd") and "currency" in billing:
            billing["currency"] = "USD"
        if d("billing_missing") or (d("billing_missing_on_errors") and failed):
            del e["billing"]
        # -- meta
        if d("meta_environment_swapped"):
            meta["environment"] = "test" if live else "live"
        if d("meta_environment_sandbox_word") and not live:
            meta["environment"] = "sandbox"
        if d("meta_environment_production_word") and live:
            meta["environment"] = "production"
        if d("meta_environment_live_on_errors") and failed:
            meta["environment"] = "live"
        if d("meta_environment_test_on_live_errors") and failed and live:
            meta["environment"] = "test"
        if d("meta_environment_missing"):
            del meta["environment"]
        if d("meta_latency_missing"):
            meta.pop("latencyMs", None)
        if d("meta_latency_fraction"):
            meta["latencyMs"] = 12.345
        if d("meta_latency_string"):
            meta["latencyMs"] = "12"
        if d("meta_latency_negative"):
            meta["latencyMs"] = -12
        t = self.now()
        if d("meta_created_not_iso"):
            meta["createdAt"] = time.strftime("%d/%m/%Y %H:%M:%S", time.gmtime(t))
        if d("meta_created_epoch"):
            meta["createdAt"] = int(t)
        if d("meta_created_offset"):
            meta["createdAt"] = time.strftime("%Y-%m-%dT%H:%M:%S+05:30", time.gmtime(t + 19800))
        if d("meta_created_yesterday"):
            meta["createdAt"] = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(t - 86400))
        if d("meta_created_wrong_clock"):
            meta["createdAt"] = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(t + 19800))
        if d("meta_missing") or (d("meta_missing_on_errors") and failed):
            del e["meta"]
        # -- head of the envelope
        ref = e.get("referenceId")
        if d("ref_not_echoed"):
            e["referenceId"] = None
        if ref and d("ref_lowercased"):
            e["referenceId"] = ref.lower()
        if ref and d("ref_cut_at_colon"):
            e["referenceId"] = ref.split(":")[0]
        if ref and d("ref_truncated"):
            e["referenceId"] = ref[:12]
        if ref is None and d("ref_empty_string_when_absent"):
            e["referenceId"] = ""
        if ref is None and d("ref_stale") and self.last_ref:
            e["referenceId"] = self.last_ref
        if ref:
            self.last_ref = ref
        if ref and failed and d("ref_null_on_errors"):
            e["referenceId"] = None
        if ref is None and d("ref_is_verification_id"):
            e["referenceId"] = e["verificationId"]
        ep = e["endpoint"]
        if d("endpoint_with_slashes"):
            e["endpoint"] = ep.replace(".", "/")
        if d("endpoint_with_version"):
            e["endpoint"] = "v1." + ep
        if d("endpoint_underscored"):
            e["endpoint"] = ep.replace("-", "_")
        if d("endpoint_last_segment_lost") and ep.count(".") >= 3:
            e["endpoint"] = ep.rpartition(".")[0]
        if d("endpoint_null_on_errors") and failed:
            e["endpoint"] = None
        if d("endpoint_missing"):
            del e["endpoint"]
        if d("vid_wrong_prefix"):
            e["verificationId"] = "ver_" + e["verificationId"][5:]
        if d("vid_number"):
            e["verificationId"] = int(hashlib.sha256(e["verificationId"].encode()).hexdigest()[:12], 16)
        if d("env_drop_verification_id") or (d("env_drop_verification_id_on_errors") and failed):
            del e["verificationId"]
        if d("status_success_word") and e["status"] == "completed":
            e["status"] = "success"
        if d("status_error_word") and e["status"] == "failed":
            e["status"] = "error"
        if d("status_completed_on_failure") and failed:
            e["status"] = "completed"
        if d("status_uppercase"):
            e["status"] = e["status"].upper()
        if d("status_missing"):
            del e["status"]
        if d("env_success_true_on_failure"):
            e["success"] = True
        if d("env_success_string"):
            e["success"] = str(e["success"]).lower()
        if d("env_drop_success"):
            del e["success"]
        # -- whole shape
        if d("bundle_not_envelope") and completed and ep.startswith("bundles.") and isinstance(e.get("data"), dict) and "steps" in e["data"]:
            return e, status, (json.dumps([dict(e, endpoint=x["endpoint"], data=x.get("data")) for x in e["data"]["steps"]]).encode(), "application/json")
        if d("shape_differs_company") and ".company." in ep and "data" in e:
            e["result"] = e.pop("data")
        if d("shape_snake_case"):
            ren = {"verificationId": "verification_id", "referenceId": "reference_id"}
            e = {ren.get(k, k): v for k, v in e.items()}
        if d("envelope_wrapped"):
            e = {"response": e}
        return e, status, None

    def hurt(self, v, path, what):
        if isinstance(v, list):
            if path[0] == "*":
                for x in v:
                    self.hurt(x, path[1:], what)
            return
        if not isinstance(v, dict) or path[0] not in v:
            return
        k = path[0]
        if len(path) > 1:
            return self.hurt(v[k], path[1:], what)
        x = v[k]
        if what == "drop_field":
            del v[k]
        elif what == "null_field":
            v[k] = None
        elif what == "rename_field":
            v[k + "X"] = v.pop(k)
        elif isinstance(x, bool):
            v[k] = str(x).lower()
        elif isinstance(x, (int, float)):
            v[k] = str(x)
        elif isinstance(x, str):
            v[k] = len(x)
        elif isinstance(x, list):
            v[k] = {"0": x[0] if x else None}
        else:
            v[k] = [x]

    def jitter(self, v):
        for k, x in v.items():
            if isinstance(x, str) and x and k not in ("request_id", "referenceId"):
                v[k] = x + " " + "abcdefghij"[self.rng.randrange(10)] + str(self.rng.randrange(1000))
                return
            if isinstance(x, (int, float)) and not isinstance(x, bool):
                v[k] = x + self.rng.random() / 100
                return

    def redate(self, v):
        if isinstance(v, dict):
            for k, x in v.items():
                if isinstance(x, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", x):
                    v[k] = x[5:7] + "/" + x[8:] + "/" + x[:4] if self.d("dates_us_format") else x + "T00:00:00Z"
                else:
                    self.redate(x)
        elif isinstance(v, list):
            for x in v:
                self.redate(x)

    def empty_to_null(self, v):
        if isinstance(v, dict):
            for k, x in v.items():
                if x == "":
                    v[k] = None
                else:
                    self.empty_to_null(x)
        elif isinstance(v, list):
            for x in v:
                self.empty_to_null(x)
