"""People, companies and the data each operation answers with.

Everything here is invented.  Data depends only on (seed, environment, the
input), so the sandbox is deterministic per input.
"""
import base64, datetime, difflib, hashlib, ipaddress, json, random, re

FIRST_M = "Ishaan Pranav Tejas Nirav Devansh Harish Omkar Vikram Lokesh Sanjay Yusuf Gurpreet Anthony Subhash Kiran Bhavesh".split()
FIRST_F = "Meera Anjali Kavya Rukmini Shalini Farida Lavanya Jyoti Simran Nandita Teresa Pallavi Sushma Vandana Ira Charu".split()
LAST = "Deshpande Kulkarni Menon Chatterjee Bhattacharya Sandhu Pillai Rao Fernandes Qureshi Tripathi Solanki Hegde Borah Mahato Naidu".split()
PLACES = [
    ("Nashik", "Nashik", "Maharashtra", "MH", "422001"), ("Mysuru", "Mysuru", "Karnataka", "KA", "570001"),
    ("Kochi", "Ernakulam", "Kerala", "KL", "682001"), ("Indore", "Indore", "Madhya Pradesh", "MP", "452001"),
    ("Guwahati", "Kamrup", "Assam", "AS", "781001"), ("Jaipur", "Jaipur", "Rajasthan", "RJ", "302001"),
    ("Ludhiana", "Ludhiana", "Punjab", "PB", "141001"), ("Coimbatore", "Coimbatore", "Tamil Nadu", "TN", "641001"),
    ("Patna", "Patna", "Bihar", "BR", "800001"), ("Surat", "Surat", "Gujarat", "GJ", "395001"),
    ("Mumbai", "Mumbai", "Maharashtra", "MH", "400001"), ("Bengaluru", "Bengaluru Urban", "Karnataka", "KA", "560001"),
]
COMPANY_A = "Marigold Bluepeak Kaveri Sindhu Northgate Tamarind Ashoka Lotusfield Monsoon Granite".split()
COMPANY_B = "Textiles Logistics Foods Analytics Castings Pharma Retail Ceramics Solar Instruments".split()
BANKS = [("State Cooperative Bank", "SCBK"), ("Deccan Mercantile Bank", "DMBK"), ("Union Harbour Bank", "UHBK"), ("Coastal Gramin Bank", "CGBK")]
PIXEL = base64.b64encode(b"\xff\xd8\xff\xe0" + b"invented photo" * 3 + b"\xff\xd9").decode()


FLOW_IDS = ("request_id", "referenceId", "origRequestId")        # data do not depend on these, only on what they stand for


def operator_of(mobile):
    return "Operator " + "ABC"[seed_of("operator", mobile) % 3]


class Rng(random.Random):
    pass


def seed_of(*parts):
    return int.from_bytes(hashlib.blake2b("\x1f".join(map(str, parts)).encode(), digest_size=8).digest(), "big")


def iso(r, y0=2000, y1=2024):
    return "%04d-%02d-%02d" % (r.randint(y0, y1), r.randint(1, 12), r.randint(1, 28))


def dmy(isodate, sep="/"):
    y, m, d = isodate.split("-")
    return sep.join((d, m, y))


def iso_of_dmy(text):
    if not re.fullmatch(r"\d\d/\d\d/\d{4}", text):               # only with defects that let such a date in
        return text
    d, m, y = text.split("/")
    return "%s-%s-%s" % (y, m, d)


def digits(r, n):
    return "".join(r.choice("0123456789") for _ in range(n))


def letters(r, n):
    return "".join(r.choice("ABCDEFGHJKLMNPQRSTUVWXYZ") for _ in range(n))


def gstin_check(first14):
    alpha = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    total = 0
    for i, c in enumerate(first14):
        v = alpha.index(c) * (1 if i % 2 == 0 else 2)
        total += v // 36 + v % 36
    return alpha[(36 - total % 36) % 36]


def norm_tokens(name):
    return [t for t in re.sub(r"[^a-z0-9]+", " ", name.lower()).split()]


def name_score(a, b, reorder_penalty=True, partial=False):
    ta, tb = norm_tokens(a), norm_tokens(b)
    if not ta or not tb:
        return 0.0
    if ta == tb:
        return 1.0
    sa, sb = " ".join(sorted(ta)), " ".join(sorted(tb))
    s = difflib.SequenceMatcher(None, sa, sb, autojunk=False).ratio()
    if sa == sb and reorder_penalty:
        s = 0.95
    if partial and (set(ta) <= set(tb) or set(tb) <= set(ta)):
        s = max(s, 0.92)
    return round(s, 2)


def address_score(a, b):
    ta, tb = norm_tokens(a), norm_tokens(b)
    if ta == tb:
        return 1.0
    if not ta or not tb:
        return 0.0
    common = len(set(ta) & set(tb))
    jac = 2.0 * common / (len(set(ta)) + len(set(tb)))
    seq = difflib.SequenceMatcher(None, " ".join(ta)[:200], " ".join(tb)[:200], autojunk=False).ratio()
    return round((jac + seq) / 2, 2)


def parse_address(text):
    parts = [p.strip() for p in re.split(r"[,\n]", text) if p.strip()]
    pin = re.search(r"(?<!\d)([1-9]\d{5})(?!\d)", text)
    state = ""
    low = text.lower()
    for p in PLACES:
        if p[2].lower() in low:
            state = p[2]
    floor = re.search(r"(\w+)\s+floor", text, re.I)
    return {
        "house": parts[0] if parts else "",
        "floor": floor.group(0) if floor else "",
        "building": next((p for p in parts[1:] if re.search(r"tower|apart|house|building|society|residency", p, re.I)), ""),
        "street": next((p for p in parts if re.search(r"road|street|marg|lane|cross", p, re.I)), ""),
        "locality": parts[-2] if len(parts) > 2 else (parts[-1] if parts else ""),
        "landmark": next((p for p in parts if re.search(r"\b(near|opp|behind)\b", p, re.I)), ""),
        "pin": int(pin.group(1)) if pin else 0,
        "state": state,
        "inferred": next((q[2] for q in PLACES if pin and pin.group(1)[:2] == q[4][:2]), state),
    }


class World:
    def __init__(self, seed=1, people=None, big=False):
        self.seed = seed
        self.big = big              # harmless "big_data"
        self.people = []
        if people:
            for p in people:
                self.people.append(self._complete(dict(p), len(self.people)))
        else:
            r = Rng(seed_of("people", seed))
            for i in range(48):
                g = "F" if r.random() < .5 else "M"
                last = r.choice(LAST)
                pl = PLACES[r.randrange(len(PLACES))]
                self.people.append(self._complete({
                    "name": "%s %s" % (r.choice(FIRST_F if g == "F" else FIRST_M), last),
                    "father": "%s %s" % (r.choice(FIRST_M), last), "gender": g,
                    "dob": iso(r, 1960, 2002), "place": pl}, i))

    def _complete(self, p, i):
        r = Rng(seed_of("complete", self.seed, i))
        p.setdefault("name", "Person %d" % i)
        p.setdefault("father", "Father %d" % i)
        p.setdefault("gender", "M")
        p.setdefault("dob", iso(r, 1960, 2002))
        if "place" not in p:
            pl = PLACES[r.randrange(len(PLACES))]
            p["place"] = (p.get("city", pl[0]), p.get("city", pl[1]), p.get("state", pl[2]), pl[3], pl[4])
        p.setdefault("address", "%d, %s Road, %s, %s %s" % (r.randint(1, 400), r.choice(LAST), p["place"][0], p["place"][2], p["place"][4]))
        p.setdefault("mobile", "9" + digits(r, 9))
        p.setdefault("email", p["name"].lower().replace(" ", ".") + "@mailbox.example")
        return p

    def person(self, r):
        return self.people[r.randrange(len(self.people))]

    def company(self, r):
        return "%s %s Private Limited" % (r.choice(COMPANY_A), r.choice(COMPANY_B))

    def split_address(self, p):
        city, district, state, code, pin = p["place"]
        return {"addressLine": p["address"].split(",")[0] + "," + p["address"].split(",")[1], "city": city, "district": district,
                "state": state, "stateCode": code, "pincode": pin, "country": "India"}

    def data(self, op, body, env, opts):
        """op: path under /v1/; body: validated input with defaults filled in."""
        fn = GEN[op]
        r = Rng(seed_of(self.seed, env, op, json.dumps({k: v for k, v in body.items() if k not in FLOW_IDS}, sort_keys=True, default=str)))
        return fn(self, body, r, opts)


GEN = {}


def gen(op):
    def deco(f):
        GEN[op] = f
        return f
    return deco


def person_for(w, *ids):
    """the same identifier always belongs to the same person"""
    return w.people[seed_of(w.seed, "who", *ids) % len(w.people)]
