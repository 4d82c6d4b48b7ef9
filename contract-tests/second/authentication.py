"""Who calls: keys, environments, addresses, rate limits."""
import base64, copy, ipaddress, time

from parts import DAY, Fail


class Authentication:
    def authenticate(self, ctx, req, anonymous_ok=False):
        d = self.d
        env = ctx.env
        default = next((k for k in self.keys.values() if k.env == env and k.status == "active" and not k.allow), None)
        a = req.headers.get("authorization")
        key = None
        if a:
            scheme, _, rest = a.partition(" ")
            if scheme.lower() == "bearer":
                key = rest.strip()
            elif d("auth_any_scheme"):
                key = rest.strip()
                if scheme.lower() == "basic":
                    try:
                        key = base64.b64decode(key).decode().split(":")[0]
                    except Exception:
                        pass
            elif d("auth_basic_user") and scheme.lower() == "basic":
                try:
                    key = base64.b64decode(rest).decode().split(":")[0]
                except Exception:
                    pass
            elif d("auth_raw_key") and not rest:
                key = scheme
        if d("auth_query_key") and not key:
            key = req.query.get("api_key")
        if key and d("foreign_key_crashes") and not key.isascii():
            raise Fail("internal_error")
        if not key:
            if (d("auth_not_checked") or d("auth_not_checked_live") and env == "live" or anonymous_ok) and default:
                ctx.key, ctx.acct = default, default.account
                return
            if d("auth_missing_400"):
                raise Fail("invalid_input", "Authorization is required.")
            raise Fail("auth_invalid")
        mine, other = ("svc_test_", "svc_live_") if env == "sandbox" else ("svc_live_", "svc_test_")
        k = self.keys.get(key)
        if k is None and d("key_case_insensitive"):
            k = next((x for x in self.keys.values() if x.env == env and x.key.lower() == key.lower()), None)
            key = k.key if k else key
        if k is None and d("key_end_ignored"):
            k = next((x for x in self.keys.values() if x.env == env and x.key[:-1] == key), None)
        if k is None and d("live_prefix_accepted") and env == "sandbox" and key.startswith("svc_live_"):
            ctx.key, ctx.acct = default, default.account
            return
        if key.startswith(other):
            if k and d("lookup_any_environment_key") and req.path.startswith("/v1/verifications/"):
                ctx.key, ctx.acct = k, k.account
                return
            if k and env == "sandbox" and self.pd("env_not_scoped_on", ctx.endpoint) is not None:
                ctx.key, ctx.acct = k, k.account
                return
            if d("env_not_scoped_sandbox") and env == "sandbox" and k or d("env_not_scoped_live") and env == "live" and k:
                ctx.key, ctx.acct = k, k.account
                return
            if not k and self.h("unknown_wrong_prefix_auth_invalid"):
                raise Fail("auth_invalid")
            raise Fail("key_env")
        if k is None:
            if d("key_prefix_only") and key.startswith(mine):
                k = default
            elif d("key_full_stop_ignored"):
                k = self.keys.get(key.rstrip("."))
            elif d("key_compared_by_prefix"):
                k = next((x for x in self.keys.values() if x.env == env and key.startswith(x.key)), None)
            elif d("key_last_character_ignored"):
                k = next((x for x in self.keys.values() if x.env == env and len(x.key) == len(key) and x.key[:-1] == key[:-1]), None)
        if k is None or k.env != env:
            if anonymous_ok and default:
                k = default
            else:
                raise Fail("auth_invalid")
        lets_in = d("revoked_key_looks_up") and req.path.startswith("/v1/verifications/") or d("revoked_key_accepted") or d("revoked_key_refused_of_pan_alone") and not req.path.endswith("/identity/pan")
        if k.status == "revoked" and not lets_in:
            if d("revoked_key_404"):
                raise Fail("not_found")
            raise Fail("auth_invalid")
        if k.rotated_at is not None:
            age = self.now() - k.rotated_at
            limit = DAY
            if d("rotated_key_dies_at_once"):
                limit = -1
            if d("rotated_key_never_dies"):
                limit = 1e18
            if d("rotated_key_one_hour"):
                limit = 3500
            if d("rotated_key_dies_on_screening") and "/screen/" in req.path:
                raise Fail("auth_invalid", "The key was replaced.")
            if d("rotated_key_not_for_bundles") and "/bundles/" in req.path:
                limit = -1
            if d("rotated_key_reads_nothing") and req.method == "GET":
                limit = -1
            if age > limit:
                raise Fail("auth_invalid")
        if k.allow is not None and d("ip_allowlist_shuts_everybody_out"):
            raise Fail("ip")
        on_bundle = d("ip_allowlist_not_for_bundles") and "/bundles/" in req.path
        if k.allow is not None and not on_bundle and not d("ip_allowlist_ignored") and not (d("ip_allowlist_live_only") and env == "sandbox"):
            ip = ipaddress.ip_address(req.peer)
            if not any(ip in n for n in k.allow):
                raise Fail("ip")
        ctx.key, ctx.acct = k, k.account
        if self.h("honest_429") and self.rng.random() < .01:
            raise Fail("rate_limited")
        unlimited = d("rate_limit_not_for_screening") and "/screen/" in req.path or d("rate_limit_not_for_bundles") and "/bundles/" in req.path
        if k.rate and not unlimited and not d("rate_limit_absent"):
            t = time.monotonic()
            if d("rate_limit_per_endpoint"):
                k = self.key_of_path.setdefault((k.key, req.path), copy.copy(k))
            if k.last is None:
                k.last = t
            k.tokens = min(k.burst, k.tokens + (t - k.last) * k.rate)
            k.last = t
            if d("rate_limit_never_recovers") and k.limited_for_good:
                k.tokens = 0
            if k.tokens < 1:
                k.limited_for_good = True
                self.global_limited_until = t + 2
                raise Fail("rate_limited")
            k.tokens -= 1
        if d("rate_limit_global") and time.monotonic() < self.global_limited_until:
            raise Fail("rate_limited")
