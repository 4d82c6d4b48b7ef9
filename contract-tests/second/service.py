#!/usr/bin/env python3
"""An independent verification service, to be judged: `python3 service.py --port-sandbox 0 --port-live 0` (README.md).

Hooks for planted defects read  d("name")  and for harmless differences  h("name")."""
import argparse, asyncio, json, os, signal, ssl, sys

import defects as defreg
from ops import BUNDLES, MARKERS, OPS, SLOW_MARK, UAN_SLOW
from core import Service
from http_server import Http
from parts import Account, DAY


def parse_key(text):
    """sandbox:svc_test_x[,account=a][,rate=5][,burst=5][,allow=10.0.0.0/8+127.0.0.1][,revoked][,rotated=3600]"""
    head, *rest = text.split(",")
    env, _, key = head.partition(":")
    if env not in ("sandbox", "live") or not key:
        raise argparse.ArgumentTypeError("expected sandbox:KEY or live:KEY")
    out = {"env": env, "key": key}
    for r in rest:
        k, _, v = r.partition("=")
        if k == "revoked":
            out["status"] = "revoked"
        elif k == "allow":
            out["allow"] = v.split("+")
        elif k in ("rate", "rotated"):
            out[k] = float(v)
        elif k == "burst":
            out[k] = int(v)
        elif k == "account":
            out[k] = v
        else:
            raise argparse.ArgumentTypeError("unknown key option " + k)
    return out


def parse_assign(text):
    a, sep, v = text.partition("=")
    if not sep or "/" in a or ":" in a:
        return "default", text
    return a, v


def arguments(argv=None):
    p = argparse.ArgumentParser(description="A verification service (own implementation of the public specification).")
    p.add_argument("--port-sandbox", type=int, default=0)
    p.add_argument("--port-live", type=int, default=0)
    p.add_argument("--port-console", type=int, default=None, help="local administration (clock, keys, wallets); not part of the public interface")
    p.add_argument("--host", default="127.0.0.1")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--people", help="JSON list of {name, father, gender, dob, city, state}")
    p.add_argument("--prices", help="JSON object: INR by endpoint, instead of its own prices")
    p.add_argument("--tls-cert", help="certificates, PEM: sandbox and live then speak https")
    p.add_argument("--tls-key", help="the key of the certificate, PEM")
    p.add_argument("--config", help="JSON file with accounts (README)")
    p.add_argument("--key", action="append", type=parse_key, default=[])
    p.add_argument("--wallet", action="append", default=[], help="[account=]INR")
    p.add_argument("--webhook", action="append", default=[], help="[account=]URL")
    p.add_argument("--webhook-secret", action="append", default=[], help="[account=]SECRET")
    p.add_argument("--no-fixtures", action="store_true", help="leave out the built-in accounts and keys")
    p.add_argument("--time-scale", type=float, default=1.0, help="factor on the webhook retry offsets")
    p.add_argument("--latency-scale", type=float, default=0.0, help="factor on the guidance latencies")
    p.add_argument("--pending-ms", type=float, default=400)
    p.add_argument("--consent-auto-ms", type=float, default=1500)
    p.add_argument("--consent-auto-live", action="store_true")
    p.add_argument("--slow-ms", type=float, default=800)
    p.add_argument("--webhook-timeout", type=float, default=5)
    p.add_argument("--idempotency-retention", type=float, default=DAY)
    p.add_argument("--live-upstream", choices=["mirror", "real"], default="mirror")
    p.add_argument("--live-otp", default="482913")
    p.add_argument("--defect", action="append", default=[])
    p.add_argument("--harmless", action="append", default=[])
    p.add_argument("--until-input-ends", action="store_true", help="end when standard input does: when whoever started it is gone")
    p.add_argument("--list", action="store_true", help="print defects and harmless differences as JSON")
    p.add_argument("--inputs", action="store_true", help="print the fixed inputs as JSON")
    return p.parse_args(argv)


def fixed_inputs():
    return {"operations": {o.endpoint: {"path": "/v1/" + o.path + ("/start" if o.flow == "consent" else ""), "success": o.ok,
                                        "no_record": dict(o.ok, **o.nr) if o.nr else None, "price": o.price, "documented": not o.extra} for o in OPS.values()},
            "bundles": {b.slug: {"path": "/v1/" + b.path, "body": b.ok, "price": b.price, "steps": b.steps} for b in BUNDLES.values()},
            "markers": MARKERS, "slow": SLOW_MARK, "uan_pending": UAN_SLOW,
            "note": "@otp_start, @otp_verified, @otps_start, @dyn_send, @dyn_amount, @v1: take the value from the earlier step (v1: verificationId of bank-account-v1)"}


class Running:
    """The service of the moment, and the addresses it has."""

    def __init__(self, cfg):
        self.cfg, self.urls, self.service = cfg, {}, None
        self.plant(cfg.defect, cfg.harmless)

    def plant(self, defect, harmless):
        """A fresh service, with other defects and differences."""
        cfg = argparse.Namespace(**dict(vars(self.cfg), defect=list(defect), harmless=list(harmless)))
        fresh = build(cfg)
        if self.service is not None:
            for task in list(self.service.tasks):
                task.cancel()
        fresh.running, fresh.urls, self.service = self, self.urls, fresh
        return {"defects": cfg.defect, "harmless": cfg.harmless}


def build(cfg):
    """A service with the accounts that the command line names."""
    svc = Service(cfg)
    if not cfg.no_fixtures:
        svc.fixtures()
    if cfg.config:
        for a in json.load(open(cfg.config))["accounts"]:
            w = a.get("webhook") or {}
            svc.accounts[a["name"]] = Account(a["name"], a.get("wallet", 0), w.get("url"), w.get("secret"))
            for k in a.get("keys", []):
                svc.add_key(k["key"], k["env"], a["name"], **{x: k[x] for x in ("rate", "burst", "allow", "status", "rotated") if x in k})
    for k in map(dict, cfg.key):
        svc.add_key(k.pop("key"), k.pop("env"), k.pop("account", "default"), **k)
    for x in cfg.wallet:
        a, v = parse_assign(x)
        svc.add_account(a).balance = int(round(float(v) * 100))
    for x in cfg.webhook:
        a, v = parse_assign(x)
        svc.add_account(a).webhook = v
    for x in cfg.webhook_secret:
        a, v = parse_assign(x)
        svc.add_account(a).secret = v
    return svc


def tls_of(cfg):
    """What https is spoken with, where a certificate was given."""
    if not cfg.tls_cert:
        return None
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(cfg.tls_cert, cfg.tls_key)
    return tls


async def main_async(cfg):
    running, tls = Running(cfg), tls_of(cfg)
    loop = asyncio.get_running_loop()
    servers = []
    for side, port in (("sandbox", cfg.port_sandbox), ("live", cfg.port_live), ("console", cfg.port_console)):
        if port is None:
            continue
        secure = tls if side != "console" else None
        s = await loop.create_server(lambda side=side: Http(running, side), cfg.host, port, backlog=512, ssl=secure)
        servers.append(s)
        running.urls[side] = "%s://%s:%d" % ("https" if secure else "http", cfg.host, s.sockets[0].getsockname()[1])
    urls = running.urls
    print(json.dumps({"sandbox_url": urls["sandbox"], "live_url": urls["live"], "console_url": urls.get("console"), "pid": os.getpid()}), flush=True)
    stop = asyncio.Event()
    for sg in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(sg, stop.set)
    if cfg.until_input_ends:
        loop.add_reader(sys.stdin.fileno(), lambda: os.read(sys.stdin.fileno(), 4096) or stop.set())
    await stop.wait()
    for s in servers:
        s.close()


def main():
    cfg = arguments()
    if cfg.list:
        print(json.dumps(defreg.listing(), indent=1))
    elif cfg.inputs:
        print(json.dumps(fixed_inputs(), indent=1))
    else:
        asyncio.run(main_async(cfg))


if __name__ == "__main__":
    main()
