"""The console: clock, keys, wallets, webhooks, and what is planted. No part of the public interface."""
import json

from parts import Account, Key, Resp


class Console:
    def console(self, req):
        try:
            b = json.loads(req.body or b"{}")
        except ValueError:
            return Resp(400, b"{}")
        p = req.path
        if p == "/clock":
            self.skew += float(b.get("advance", 0))
            out = {"skew": self.skew}
        elif p == "/keys/revoke":
            self.keys[b["key"]].status = "revoked"
            out = {"ok": True}
        elif p == "/keys/rotate":
            k = self.keys[b["key"]]
            k.rotated_at = self.now()
            self.keys[b["new"]] = Key(b["new"], k.env, k.account, k.rate, k.burst)
            self.keys[b["new"]].allow = k.allow
            out = {"ok": True}
        elif p == "/keys/add":
            b = dict(b)
            self.add_key(b.pop("key"), b.pop("env"), b.pop("account", "default"), **b)
            out = {"ok": True}
        elif p == "/accounts/add":
            self.accounts[b["name"]] = Account(b["name"], b.get("wallet", 0), b.get("webhook"), b.get("secret"))
            out = {"ok": True}
        elif p == "/wallet":
            a = self.accounts[b.get("account") or req.query.get("account", "default")]
            if "topup" in b:
                a.balance += int(round(b["topup"] * 100))
            if "set" in b:
                a.balance = int(round(b["set"] * 100))
            out = {"balance": a.balance / 100, "held": a.held / 100}
        elif p == "/webhook":
            a = self.accounts[b.get("account", "default")]
            a.webhook, a.secret = b.get("url"), b.get("secret", a.secret)
            out = {"url": a.webhook, "secret": a.secret}
        elif p == "/plant":
            out = self.running.plant(b.get("defect", []), b.get("harmless", []))
        elif p == "/deliveries":
            out = self.deliveries
        elif p == "/state":
            out = {"accounts": {n: {"balance": a.balance / 100, "held": a.held / 100, "webhook": a.webhook} for n, a in self.accounts.items()}, "keys": list(self.keys), "records": len(self.records)}
        else:
            return Resp(404, b"{}")
        return Resp(200, json.dumps(out).encode())
