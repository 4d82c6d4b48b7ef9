"""The service: its state, its ids, its accounts."""
import asyncio, collections, json, random, time, uuid

import defects as defreg
import more_data, people_data  # each adds its operations to world.GEN
from ops import BUNDLES, OPS
from world import World
from authentication import Authentication
from bundles import Bundles
from console import Console
from entry import Entry
from envelope import Envelope
from execution import Execution
from flows import Flows
from idempotency import Idempotency
from mangle import Mangle
from parts import Account, Key, no
from pending import Pending
from reading import Reading
from validation import Validation
from wallet import Wallet
from webhooks import Webhooks


class Service(Entry, Authentication, Idempotency, Validation, Wallet, Envelope, Execution, Flows, Pending, Bundles, Reading, Webhooks, Mangle, Console):
    def __init__(self, cfg):
        self.cfg = cfg
        dl, hl = defreg.check_names(cfg.defect, cfg.harmless)
        self.D = {x.split(":")[0] for x in dl if x.split(":")[0] in defreg.D}
        self.PD = collections.defaultdict(dict)                     # parametrised: name -> endpoint -> [paths]
        for x in dl:
            p = x.split(":")
            if p[0] in defreg.P:
                self.PD[p[0]].setdefault(p[1], []).append(p[2] if len(p) > 2 else "")
        self.H = set(hl)
        self.anyD = bool(self.D or self.PD)
        self.d = self.D.__contains__ if self.D else no
        self.h = self.H.__contains__ if self.H else no
        self.rng = random.Random(cfg.seed * 7919 + 13)               # chance (harmless differences, defects)
        self.idrng = random.Random()                                 # ids and tokens: never the same twice
        self.idbase = int(time.time() * 4) % 10 ** 9
        people = json.load(open(cfg.people)) if cfg.people else None
        self.world = World(cfg.seed + (1000 if "other_people" in self.H else 0), people, big="big_data" in self.H)
        self.accounts, self.keys = {}, {}
        self.records = collections.OrderedDict()
        self.idem = collections.OrderedDict()
        self.flows = {}
        self.consents = {}
        self.marked = set()
        self.ifsc_asked = set()
        self.deliveries = []
        self.tasks = set()
        self.skew = 0.0
        self.counter = self.calls = 0
        self.last_vids = collections.deque(maxlen=64)
        self.last_ref = None
        self.global_limited_until = 0
        self.key_of_path = {}
        self.prev_answer = None
        self.swap_wait = None
        self.urls = {}
        self.prices = {}
        r = random.Random(cfg.seed + 5)
        for o in OPS.values():
            p = int(round(o.price * 100))
            if self.h("other_prices"):
                p = max(25, int(p * r.uniform(.3, 3.1)))
            if self.h("integer_prices"):
                p = max(100, round(p / 100) * 100)
            self.prices[o.endpoint] = p
        given = json.load(open(cfg.prices)) if cfg.prices and not self.h("other_prices") else {}
        self.prices.update({e: round(p * 100) for e, p in given.items() if e in self.prices})
        for b in BUNDLES.values():
            p = b.price * 100
            if self.h("other_bundle_prices"):
                p = int(r.uniform(b.lo, b.hi) * 100)
                if self.h("integer_prices"):
                    p = p // 100 * 100
            if self.d("bundle_price_outside_typical"):
                p = b.hi * 500
            if b.endpoint in given and p == b.price * 100:
                p = round(given[b.endpoint] * 100)
            self.prices[b.endpoint] = p

    # ---- small things
    def now(self):
        return time.time() + self.skew

    def pd(self, name, endpoint):
        return self.PD[name].get(endpoint) if self.PD and name in self.PD else None

    def spawn(self, coro):
        t = asyncio.get_running_loop().create_task(coro)
        self.tasks.add(t)
        t.add_done_callback(self.tasks.discard)
        return t

    def new_vid(self):
        self.counter += 1
        if self.anyD:
            if self.d("vid_constant"):
                return "svcv_0a1b2c3d4e5f"
            if self.d("vid_bare_prefix"):
                return "svcv_"
            if self.d("vid_repeats_sometimes") and self.counter % 8 == 0 and self.last_vids:
                return self.last_vids[0]
        if self.h("ids_uuid"):
            v = "svcv_" + str(uuid.UUID(int=self.idrng.getrandbits(128), version=4))
        elif self.h("ids_long"):
            v = "svcv_" + "".join(self.idrng.choice("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") for _ in range(80))
        elif self.h("ids_short_counter"):
            v = "svcv_" + str(self.idbase + self.counter)
        else:
            v = "svcv_%024x" % self.idrng.getrandbits(96)
        if self.anyD:
            self.last_vids.append(v)
        return v

    def new_flow_id(self, prefix):
        if self.h("flow_ids_of_other_shape"):
            return str(uuid.UUID(int=self.idrng.getrandbits(128), version=4))
        return "%s_%020x" % (prefix, self.idrng.getrandbits(80))

    def iso(self, t=None):
        t = self.now() if t is None else t
        g = time.gmtime(t)
        base = "%04d-%02d-%02dT%02d:%02d:%02d" % g[:6]
        if self.h("created_at_seconds"):
            return base + "Z"
        if self.h("created_at_offset_zero"):
            return base + ".%06d+00:00" % int(t % 1 * 1e6)
        return base + ".%03dZ" % int(t % 1 * 1000)

    def money(self, paise, wallet=False, usage=False):
        if self.h("amounts_in_paise") or (self.h("paise_but_usage") and not usage) or (wallet and self.h("wallet_in_paise")):
            return paise
        if paise % 100 == 0:
            return paise // 100
        return paise / 100

    # ---- accounts
    def add_account(self, name, **k):
        if name not in self.accounts:
            self.accounts[name] = Account(name, **k)
        return self.accounts[name]

    def add_key(self, key, env, account="default", **k):
        self.add_account(account)
        if k.get("rotated") is not None:
            k["rotated_at"] = self.now() - float(k.pop("rotated"))
        else:
            k.pop("rotated", None)
        self.keys[key] = Key(key, env, self.accounts[account], **k)

    def fixtures(self):
        A = self.add_account
        A("default", wallet=100000)
        A("second", wallet=5000)
        A("poor", wallet=.2)
        A("exact", wallet=self.prices["verify.identity.pan"] / 100)
        A("tight", wallet=self.prices["verify.employment.uan"] * 1.5 / 100)
        for n in ("limited", "revoked", "elsewhere", "here", "rotated", "expired"):
            A(n, wallet=1000)
        for env, pre in (("sandbox", "svc_test_"), ("live", "svc_live_")):
            for n in ("default", "second", "poor", "exact", "tight"):
                self.add_key(pre + n + "_k1", env, n)
            self.add_key(pre + "limited_k1", env, "limited", rate=3, burst=3)
            self.add_key(pre + "revoked_k1", env, "revoked", status="revoked")
            self.add_key(pre + "elsewhere_k1", env, "elsewhere", allow=["203.0.113.0/24"])
            self.add_key(pre + "here_k1", env, "here", allow=["127.0.0.1/32"])
            self.add_key(pre + "rotated_k1", env, "rotated", rotated=3600)
            self.add_key(pre + "expired_k1", env, "expired", rotated=25 * 3600)
