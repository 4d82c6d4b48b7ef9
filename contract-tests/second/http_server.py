"""HTTP/1.1 as far as the service needs it."""
import asyncio, collections, socket, time, urllib.parse

from parts import Ctx, HANG, REASON, Req


class Http(asyncio.Protocol):
    MAXHEAD, MAXBODY = 65536, 4 << 20

    def __init__(self, running, side):
        self.running, self.side = running, side
        self.buf = bytearray()
        self.queue = collections.deque()
        self.task = None
        self.closing = False
        self.cont = False
        self.idle = None

    @property
    def svc(self):
        """The service of the moment: the console may plant other defects between two requests."""
        return self.running.service

    def connection_made(self, tr):
        self.tr = tr
        peer = tr.get_extra_info("peername")
        self.peer = peer[0] if peer else "127.0.0.1"
        s = tr.get_extra_info("socket")
        if s is not None:
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def connection_lost(self, exc):
        self.closing = True
        if self.idle:
            self.idle.cancel()

    def data_received(self, data):
        self.buf += data
        while True:
            r = self.parse()
            if r is None:
                break
            self.queue.append(r)
        if self.queue and self.task is None:
            if self.idle:
                self.idle.cancel()
                self.idle = None
            self.task = asyncio.get_running_loop().create_task(self.run())

    def bad(self):
        self.buf.clear()
        r = Req()
        r.method, r.path, r.query, r.headers, r.body, r.peer, r.side, r.version = "BAD", "/", {}, {"connection": "close"}, b"", self.peer, self.side, "1.1"
        return r

    def parse(self):
        if self.closing:
            return None
        buf = self.buf
        i = buf.find(b"\r\n\r\n")
        if i < 0:
            if len(buf) > self.MAXHEAD:
                return self.bad()
            return None
        head = bytes(buf[:i]).decode("latin-1").split("\r\n")
        parts = head[0].split(" ")
        if len(parts) != 3 or not parts[2].startswith("HTTP/1."):
            return self.bad()
        h = {}
        for line in head[1:]:
            k, sep, v = line.partition(":")
            if not sep or k != k.strip():
                return self.bad()
            k = k.lower()
            v = v.strip(" \t")
            h[k] = h[k] + ", " + v if k in h and k != "authorization" else v
        start = i + 4
        if "transfer-encoding" in h:
            body, pos = bytearray(), start
            while True:
                j = buf.find(b"\r\n", pos)
                if j < 0:
                    self.expect(h)
                    return None
                try:
                    n = int(bytes(buf[pos:j]).split(b";")[0], 16)
                except ValueError:
                    return self.bad()
                if len(buf) < j + 2 + n + 2:
                    return None
                if n == 0:
                    k = buf.find(b"\r\n", j + 2)
                    if k < 0:
                        return None
                    end = j + 4
                    break
                body += buf[j + 2:j + 2 + n]
                if len(body) > self.MAXBODY:
                    return self.bad()
                pos = j + 2 + n + 2
            body = bytes(body) if not self.svc.d("chunks_unread") else b""
        else:
            try:
                n = int(h.get("content-length", "0"))
            except ValueError:
                return self.bad()
            if n < 0 or n > self.MAXBODY:
                return self.bad()
            end = start + n
            if len(buf) < end:
                self.expect(h)
                return None
            body = bytes(buf[start:end])
        del buf[:end]
        self.cont = False
        r = Req()
        target = parts[1]
        path, _, q = target.partition("?")
        ref = h.get("x-reference-id")
        if ref is not None:
            try:
                h["x-reference-id"] = ref.encode("latin-1").decode("utf-8")
            except UnicodeDecodeError:
                pass
        r.method, r.path, r.headers, r.body, r.peer, r.side, r.version = parts[0], urllib.parse.unquote(path), h, body, self.peer, self.side, parts[2][5:]
        r.query = dict(urllib.parse.parse_qsl(q)) if q else {}
        return r

    def expect(self, h):
        if not self.cont and h.get("expect", "").lower() == "100-continue":
            self.cont = True
            self.tr.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    async def run(self):
        svc = self.svc
        try:
            while self.queue and not self.closing:
                req = self.queue.popleft()
                resp = await svc.handle(req) if req.method != "BAD" else self.bad_answer(req)
                if resp is HANG:
                    return
                if self.closing:
                    return
                close = resp.close or req.headers.get("connection", "").lower() == "close" or (req.version == "1.0" and req.headers.get("connection", "").lower() != "keep-alive")
                drop = False
                if svc.H:
                    if svc.h("connection_close_each"):
                        close = True
                    drop = svc.h("connection_drops") and svc.rng.random() < .05
                await self.write(resp, close, req)
                if close or drop:
                    self.closing = True
                    self.tr.close()
                    return
            if svc.h("keepalive_short") and not self.closing:
                self.idle = asyncio.get_running_loop().call_later(.5, self.tr.close)
        finally:
            self.task = None
            if self.queue and not self.closing:
                self.task = asyncio.get_running_loop().create_task(self.run())

    def bad_answer(self, req):
        ctx = Ctx()
        ctx.t0, ctx.created, ctx.env, ctx.endpoint, ctx.ref, ctx.req = time.perf_counter(), self.svc.now(), self.side, "", None, req
        r = self.svc.failure(ctx, "invalid_input", "The HTTP request cannot be read.")
        r.close = True
        return r

    async def write(self, resp, close, req):
        svc = self.svc
        body = resp.body if req.method != "HEAD" else b""
        heads = [("Content-Type", resp.ctype)]
        heads += list(resp.headers.items())
        if close:
            heads.append(("Connection", "close"))
        chunked = svc.h("chunked_encoding") and req.version == "1.1" and self.side != "console"
        heads.append(("Transfer-Encoding", "chunked") if chunked else ("Content-Length", str(len(body))))
        if svc.H:
            if svc.h("uppercase_header_names"):
                heads = [(k.upper(), v) for k, v in heads]
            if svc.h("lowercase_header_names"):
                heads = [(k.lower(), v) for k, v in heads]
        head = "HTTP/1.1 %d %s\r\n" % (resp.status, REASON.get(resp.status, "X")) + "".join("%s: %s\r\n" % x for x in heads) + "\r\n"
        if chunked:
            out = b""
            step = max(1, len(body) // 3)
            for i in range(0, len(body), step):
                c = body[i:i + step]
                out += b"%x\r\n" % len(c) + c + b"\r\n"
            body = out + b"0\r\n\r\n"
        if svc.h("idle_first_byte"):
            self.tr.write(head.encode("latin-1") + body[:10])
            await asyncio.sleep(.02)
            self.tr.write(body[10:])
            return
        self.tr.write(head.encode("latin-1") + body)
