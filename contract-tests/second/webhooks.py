"""Webhooks: signed, and repeated on the schedule."""
import asyncio, base64, copy, hashlib, hmac, json, ssl, urllib.parse

from parts import Ctx


class Webhooks:
    def sign(self, acct, ts, raw, key, attempt):
        d = self.d
        secret = acct.secret
        if d("webhook_sig_api_key"):
            secret = key
        if d("webhook_sig_wrong_secret_on_retry") and attempt:
            secret = "other"
        if d("webhook_t_of_other_zone"):
            ts += 19_800
        msg = str(ts).encode() + b"." + raw
        if d("webhook_sig_body_only"):
            msg = raw
        if d("webhook_sig_other_separator"):
            msg = str(ts).encode() + b":" + raw
        if d("webhook_sig_reserialised"):
            try:
                msg = str(ts).encode() + b"." + json.dumps(json.loads(raw), indent=1).encode()
            except ValueError:
                pass
        algo = hashlib.sha1 if d("webhook_sig_sha1") else hashlib.sha256
        m = hmac.new(secret.encode(), msg, algo)
        sig = m.hexdigest()
        if d("webhook_sig_plain_sha256"):
            sig = hashlib.sha256(secret.encode() + msg).hexdigest()
        if d("webhook_sig_base64"):
            sig = base64.b64encode(m.digest()).decode()
        if d("webhook_sig_uppercase"):
            sig = sig.upper()
        t = str(ts + 7 if d("webhook_sig_t_mismatch") else ts)
        parts = ["t=" + t, "v1=" + sig]
        if d("webhook_sig_parts_swapped"):
            parts.reverse()
        return (";" if d("webhook_sig_semicolon") else ",").join(parts)

    async def deliver(self, acct, env, key, ctx=None):
        d, h = self.d, self.h
        if d("webhook_never_sent") or not acct.webhook:
            return
        url, scale = acct.webhook, self.cfg.time_scale
        offsets = [0, 30, 120, 600, 3600, 21600]
        if d("webhook_first_attempt_late"):
            offsets = [30] + offsets[1:]
        if d("webhook_no_retry"):
            offsets = offsets[:1]
        if d("webhook_retry_three"):
            offsets = offsets[:3]
        if d("webhook_retry_at_once"):
            offsets = [0] * 6
        if d("webhook_retry_linear"):
            offsets = [0, 30, 60, 90, 120, 150]
        if d("webhook_retry_for_ever"):
            offsets = offsets + [21600 + 3600 * i for i in range(1, 9)]
        env = copy.deepcopy(env)
        if d("webhook_new_verification_id"):
            env["verificationId"] = self.new_vid()
        if d("webhook_duplicated_ids"):
            env["verificationId"] = "svcv_%024x" % 4711
        if d("webhook_status_pending"):
            env["status"] = "pending"
        if d("webhook_data_missing"):
            env.pop("data", None)
        if d("webhook_environment_live"):
            env["meta"]["environment"] = "live"
        if d("webhook_created_local"):
            env["meta"]["createdAt"] = self.iso(self.now() + 19800)
        if d("webhook_without_documents") and "digilocker" in env.get("endpoint", "") and env["status"] == "completed":
            env["data"] = {}
        if d("webhook_reference_lost"):
            env["referenceId"] = None
        if self.anyD:
            env, _, _ = self.mangle(env, 200, ctx or Ctx(), "webhook")
        if self.H:
            env = self.disguise(env, ctx, {})
        if d("webhook_other_shape"):
            env = {"event": "verification." + env.get("status", ""), "payload": env}
        log = {"account": acct.name, "verificationId": env.get("verificationId"), "attempts": [], "state": "open"}
        self.deliveries.append(log)
        if len(self.deliveries) > 5000:
            del self.deliveries[:1000]
        loop = asyncio.get_running_loop()
        t0 = loop.time()
        first_ts = None
        for i, off in enumerate(offsets):
            at = t0 + off * scale * (1 + (self.rng.random() * .1 if h("webhook_jitter") else 0))
            w = at - loop.time()
            if w > 0:
                await asyncio.sleep(w)
            if d("webhook_retry_new_id") and i:
                env["verificationId"] = self.new_vid()
            raw = json.dumps(env, indent=2).encode() if h("webhook_pretty_body") else self.dump(env)
            ctype = "application/json"
            if d("webhook_body_not_json"):
                raw, ctype = urllib.parse.urlencode({k: json.dumps(v) for k, v in env.items()}).encode(), "application/x-www-form-urlencoded"
            if d("webhook_retry_empty_body") and i:
                raw = b""
            ts = int(self.now())
            if h("webhook_ms_timestamp"):
                ts = int(self.now() * 1000)
            if h("webhook_same_timestamp"):
                ts = first_ts = first_ts or ts
            sig = self.sign(acct, ts, raw, key, i)
            times = 2 if h("duplicate_webhooks") else 1
            ok = False
            for _ in range(times):
                status = await self.post(acct.webhook or url, raw, ctype, sig)
                log["attempts"].append({"at": round(loop.time() - t0, 4), "status": status})
                ok = ok or (status is not None and 200 <= status < 300) or (d("webhook_retry_stops_on_500") and status is not None)
            if ok:
                log["state"] = "delivered"
                if h("webhook_after_success_again"):
                    await asyncio.sleep(.2)
                    await self.post(acct.webhook or url, raw, ctype, sig)
                return
        log["state"] = "dead-letter"

    async def post(self, url, raw, ctype, sig):
        d, h = self.d, self.h
        u = urllib.parse.urlsplit(url)
        host, port = u.hostname, u.port or (443 if u.scheme == "https" else 80)
        path = (u.path or "/") + ("?" + u.query if u.query else "")
        if d("webhook_other_path"):
            path = "/"
        heads = [("Host", u.netloc), ("Content-Type", ctype), ("Connection", "close")]
        name = "X-Signature" if d("webhook_sig_header_name") else "X-Service-Signature"
        if not d("webhook_no_signature"):
            heads.append((name, sig))
        if h("webhook_extra_headers"):
            heads += [("User-Agent", "hooks/2"), ("X-Event-Id", "%016x" % self.rng.getrandbits(64))]
            heads = [(k.lower(), v) for k, v in heads]
        if h("webhook_chunked"):
            heads.append(("Transfer-Encoding", "chunked"))
            payload = b""
            for i in range(0, len(raw), 100):
                c = raw[i:i + 100]
                payload += b"%x\r\n" % len(c) + c + b"\r\n"
            payload += b"0\r\n\r\n"
        else:
            heads.append(("Content-Length", str(len(raw))))
            payload = raw
        method = "PUT" if d("webhook_put") else "POST"
        head = "%s %s HTTP/1.1\r\n" % (method, path) + "".join("%s: %s\r\n" % x for x in heads) + "\r\n"
        w = None
        try:
            async def go():
                nonlocal w
                ctx = ssl.create_default_context() if u.scheme == "https" else None
                r, w = await asyncio.open_connection(host, port, ssl=ctx)
                w.write(head.encode("latin-1") + payload)
                await w.drain()
                line = await r.readline()
                return int(line.split()[1])
            return await asyncio.wait_for(go(), self.cfg.webhook_timeout)
        except (OSError, ValueError, IndexError, asyncio.TimeoutError):
            return None
        finally:
            if w is not None:
                w.close()
