"""Where a request comes in: what is called, and whether its body can be read."""
import asyncio, json, time, traceback

from ops import BUNDLES, OPS
from parts import Ctx, Fail, HANG, Resp


class Entry:
    async def handle(self, req):
        if req.side == "console":
            return self.console(req)
        if req.path.startswith("/consent/"):
            return self.consent_page(req)
        ctx = Ctx()
        ctx.t0 = time.perf_counter()
        ctx.created = self.now()
        ctx.env, ctx.req = req.side, req
        ref = req.headers.get("x-reference-id")
        if ref in ("null", "none") and self.d("reference_null_word"):
            ref = None
        ctx.ref, ctx.has_ref = ref, ref is not None
        path = req.path
        if self.d("version_required_twice"):                        # Versioning
            path = path[4:] if path.startswith("/api/") else "/nowhere" + path
        ctx.endpoint = (path[4:] if path.startswith("/v1/") else path[1:]).strip("/").replace("/", ".")
        if self.anyD:
            self.calls += 1
            if self.d("hangs_sometimes") and self.calls % 40 == 0:
                return HANG
        try:
            r = await self.route(ctx, req, path)
        except Fail as f:
            r = self.failure(ctx, f.kind, f.message)
        except RecursionError:
            r = self.failure(ctx, "invalid_input", "The body is nested too deeply.")
        except Exception as e:                                       # honest: envelope, unbilled
            import traceback
            traceback.print_exc()
            self.release(ctx)
            r = self.failure(ctx, "internal_error")
        if self.h("slow_but_allowed"):
            await asyncio.sleep(self.rng.random() * .4)
        if self.anyD and r is not HANG:
            if self.d("duplicate_answer") and self.calls % 10 == 0 and self.prev_answer:
                return self.prev_answer
            self.prev_answer = r
            if self.d("truncated_json") and self.calls % 15 == 0:
                r = Resp(r.status, r.body[:-7], r.ctype, r.headers)
            if self.d("swapped_responses"):
                if self.swap_wait and not self.swap_wait[0].done():
                    fut, other = self.swap_wait
                    self.swap_wait = None
                    fut.set_result(r)
                    return other
                fut = asyncio.get_running_loop().create_future()
                self.swap_wait = (fut, r)
                try:
                    return await asyncio.wait_for(asyncio.shield(fut), .03)
                except asyncio.TimeoutError:
                    self.swap_wait = None
                    return r
        return r

    async def route(self, ctx, req, path):
        d = self.d
        anonymous_ok = (d("usage_no_auth") and path == "/v1/usage") or (d("lookup_without_auth") and path.startswith("/v1/verifications/"))
        if d("fields_before_key") and req.method == "POST" and req.body.strip() in (b"", b"{}"):
            raise Fail("invalid_input", "The body has no fields.")
        if d("key_after_replay") and "idempotency-key" in req.headers:
            for slot, kept in self.idem.items():
                if slot[3] == req.headers["idempotency-key"] and kept["res"] is not None:
                    return self.answer(ctx, *kept["res"])
        self.authenticate(ctx, req, anonymous_ok)
        if not path.startswith("/v1/"):
            raise Fail("not_found", "There is no such address.")
        sub = path[4:].rstrip("/")
        if sub == "usage":
            if req.method != "GET":
                return self.method_not_allowed(ctx)
            return self.usage(ctx, req)
        if sub.startswith("verifications/"):
            if req.method != "GET":
                return self.method_not_allowed(ctx)
            return self.lookup(ctx, sub[len("verifications/"):])
        op = OPS.get(sub)
        bundle = None
        if op is None:
            if sub.startswith("verify/document/digilocker"):
                rest = sub[len("verify/document/digilocker"):].strip("/")
                if "/" not in rest:
                    op = OPS["verify/document/digilocker"]
            elif sub.startswith("bundles/"):
                bundle = BUNDLES.get(sub[8:])
        if op is None and bundle is None:
            if d("refusal_of_a_path_takes") and ctx.env == "live":
                ctx.acct.balance -= 25
            raise Fail("not_found", "There is no such address.")
        if op is not None:
            ctx.op = op
            if op.flow != "consent" or not self.h("digilocker_long_endpoint"):
                ctx.endpoint = op.endpoint
            if self.PD and self.pd("not_deployed", op.endpoint) is not None:
                raise Fail("not_found", "There is no such address.")
        else:
            ctx.bundle = bundle
            ctx.endpoint = bundle.endpoint
        if d("get_with_query") and req.method == "GET" and req.query:
            ctx.raw = dict(req.query)
            return await self.idempotent(ctx, req, ctx.raw)
        if req.method != "POST" and not (d("put_executes") and req.method == "PUT") and not (d("patch_executes") and req.method in ("PATCH", "DELETE")) \
                and not (d("get_with_body") and req.method == "GET" and req.body):
            return self.method_not_allowed(ctx)
        ct = req.headers.get("content-type", "")
        if d("other_type_500") and not ct.startswith("application/json"):
            raise Fail("internal_error")
        if ct.split(";")[0].strip().lower() != "application/json" and not self.h("content_type_unchecked"):
            raise Fail("invalid_input", "Content-Type must be application/json.")
        if self.anyD:
            if d("idempotency_key_required") and "idempotency-key" not in req.headers:
                raise Fail("invalid_input", "Idempotency-Key is required.")
            if d("reference_id_required") and not ctx.has_ref:
                raise Fail("invalid_input", "X-Reference-Id is required.")
        if d("escaped_slashes_refused") and b"\\/" in req.body:
            raise Fail("invalid_input", "The body is not valid JSON.")
        if d("surrogates_crash") and b"\\ud83d" in req.body:
            raise Fail("internal_error")
        if d("json_escapes_refused") and b"\\u" in req.body:
            raise Fail("invalid_input", "The body is not valid JSON.")
        if self.d("null_body_crashes") and req.body == b"null":
            raise Fail("internal_error")
        try:
            body = json.loads(req.body.decode("utf-8"), parse_constant=self._bad_constant)
            if b"\\u" in req.body:
                json.dumps(body, ensure_ascii=False).encode("utf-8")  # lone surrogates
        except (ValueError, UnicodeDecodeError):
            if d("malformed_json_500"):
                raise Fail("internal_error")
            if d("cut_off_json_accepted"):
                try:
                    body = json.loads(req.body.decode("utf-8") + "}")
                    ctx.raw = body
                    return await self.idempotent(ctx, req, body)
                except ValueError:
                    pass
            if d("malformed_json_plain"):
                return Resp(400, b"Bad Request: invalid JSON\n", "text/plain")
            raise Fail("no_record" if d("malformed_body_no_record") else "invalid_input", "The body is not valid JSON.")
        if d("array_body_unwrapped") and isinstance(body, list) and len(body) == 1:
            body = body[0]
        if not isinstance(body, dict):
            if d("array_body_500"):
                raise Fail("internal_error")
            raise Fail("invalid_input", "The body must be a JSON object.")
        ctx.raw = body
        return await self.idempotent(ctx, req, body)

    @staticmethod
    def _bad_constant(c):
        raise ValueError(c)

    def method_not_allowed(self, ctx):
        if self.h("method_405"):
            return self.failure(ctx, "invalid_input", "Method not allowed.", http=405)
        return self.failure(ctx, "not_found", "There is no such address for this method.")
