"""Operation table: requests, prices, guidance latencies, fixed inputs; bundles."""
import datetime, ipaddress, re
from world import gstin_check

ID, IN = "SVC_INVALID_IDENTIFIER", "SVC_INVALID_INPUT"


def rx(p):
    c = re.compile(p)
    return lambda v: c.fullmatch(v) is not None


def _dmy(v):
    if not re.fullmatch(r"\d\d/\d\d/\d{4}", v):
        return False
    try:
        datetime.date(int(v[6:]), int(v[3:5]), int(v[:2]))
        return True
    except ValueError:
        return False


def _courtdob(v):
    m = re.fullmatch(r"(?P<d>\d\d)-(?P<m>\d\d)-(?P<y>\d{4})|(?P<y2>\d{4})-(?P<m2>\d\d)-(?P<d2>\d\d)|(?P<d3>\d\d)(?P<m3>\d\d)(?P<y3>\d{4})", v)
    if not m:
        return False
    g = m.groupdict()
    try:
        datetime.date(int(g["y"] or g["y2"] or g["y3"]), int(g["m"] or g["m2"] or g["m3"]), int(g["d"] or g["d2"] or g["d3"]))
        return True
    except ValueError:
        return False


def _ip(v):
    try:
        ipaddress.ip_address(v)
        return True
    except ValueError:
        return False


def _num(lo, hi):
    def f(v):
        if not re.fullmatch(r"[+-]?\d{1,3}(\.\d{1,12})?", v):
            return False
        return lo <= float(v) <= hi
    return f


# checker name -> (predicate on the string, error code)
# "amb" marks kinds where the specification does not say which of the two 400 codes applies
CHECKS = {
    "pan": (rx(r"[A-Za-z]{5}[0-9]{4}[A-Za-z]"), ID), "dob": (_dmy, IN), "mobile": (rx(r"[0-9]{10}"), ID),
    "dl": (rx(r"[A-Za-z]{2}[A-Za-z0-9 /-]{3,22}"), ID), "ident": (rx(r"[A-Za-z0-9][A-Za-z0-9 /_.-]{1,39}"), ID),
    "account": (rx(r"[A-Za-z0-9]{5,34}"), ID), "ifsc": (rx(r"[A-Za-z0-9]{11}"), ID), "uan": (rx(r"[0-9]{12}"), ID),
    "est15": (rx(r"[A-Za-z0-9]{15}"), ID), "cin": (rx(r"[A-Za-z0-9]{21}"), ID), "cin_llp": (rx(r"[A-Za-z0-9]{21}|[A-Za-z]{3}-?[0-9]{4}"), ID),
    "din": (rx(r"[0-9]{8}"), ID), "tan": (rx(r"[A-Za-z0-9]{10}"), ID), "udyam": (rx(r"(?i:UDYAM)-[A-Za-z]{2}-[0-9]{2}-[0-9]{7}"), ID),
    "iec": (rx(r"[A-Za-z0-9]{10}"), ID), "tin": (rx(r"[0-9]{11}"), ID), "gstin": (rx(r"[0-9]{2}[A-Za-z]{5}[0-9]{4}[A-Za-z][0-9A-Za-z][Zz][0-9A-Za-z]"), ID),
    "cs": (rx(r"[AFaf][0-9]{1,8}"), ID), "member": (rx(r"[A-Za-z0-9/-]{1,15}"), ID), "lpg": (rx(r"[0-9]{17}"), ID), "nospace": (rx(r"[A-Za-z0-9-]{4,15}"), ID),
    "otp": (rx(r"[0-9]{4}|[0-9]{6}"), IN), "email": (rx(r"[^@\s]+@[^@\s.]+(\.[^@\s.]+)+"), IN), "ip": (_ip, IN), "url": (rx(r"https?://[^\s/?#]+[^\s]*"), IN),
    "upperstate": (rx(r"[A-Z][A-Z &]{2,}"), IN), "upper": (rx(r"[A-Z0-9][A-Z0-9 &.-]*"), IN), "a2": (rx(r"[A-Za-z]{2}"), IN), "iso": (rx(r"[A-Za-z]{2,3}"), IN), "amount": (rx(r"[0-9]+\.[0-9]{2}"), IN),
    "lat": (_num(-90, 90), IN), "lon": (_num(-180, 180), IN), "courtdob": (_courtdob, IN), "flow": (rx(r"\S{1,100}"), IN), "text": (lambda v: v.strip() != "", IN),
}
CHECKS["ifsc_strict"] = (rx(r"[A-Za-z]{4}0[A-Za-z0-9]{6}"), ID)
AMBIGUOUS = {"mobile", "email", "ip", "url", "otp", "member", "account"}
UPPERCASED = {"pan", "ifsc", "cin", "cin_llp", "tan", "udyam", "gstin", "iec", "est15"}


class Field:
    __slots__ = ("name", "type", "req", "check", "enum", "lo", "hi", "default", "items")

    def __init__(self, name, type="s", req=False, check="text", enum=None, lo=None, hi=None, default=None, items=None):
        self.name, self.type, self.req, self.check, self.enum = name, type, req, check, enum
        self.lo, self.hi, self.default, self.items = lo, hi, default, items


def R(name, check="text", **k):
    return Field(name, req=True, check=check, **k)


def O(name, check="text", **k):
    return Field(name, check=check, **k)


class Op:
    def __init__(self, path, fields, price, ms, ok, nr=None, **k):
        self.path, self.fields, self.price, self.ms = path, fields, price, ms
        self.ok, self.nr = ok, nr          # fixed inputs: success body, and overrides giving no record
        self.endpoint = k.get("endpoint") or path.replace("/", ".")
        self.flow = k.get("flow")
        self.extra = k.get("extra", False)  # not one of the 61 documented shapes


PAN_OK, PAN_NR = "AAAAA0000A", "AAAAA9999A"
MOB_OK, MOB_NR = "9000000001", "9999999999"
G = "27AAAAA0000A1Z"
GST_OK, GST_NR = G + gstin_check(G), "27AAAAA9999A1Z" + gstin_check("27AAAAA9999A1Z")
DOB = "14/08/1988"
IMG = "https://assets.example/selfie-one.jpg"
DOCT = ["PAN", "AADHAAR", "VOTER_ID", "PASSPORT", "DL"]
SCR = ["SANCTIONS", "PEP", "ADVERSE_MEDIA", "REGULATORY", "LAW_ENFORCEMENT"]
ACC = {"accountNumber": "123456789012", "ifsc": "HDFC0001234"}
ACC_NR = {"accountNumber": "999999999999"}

_L = [
    Op("verify/identity/pan", [R("pan", "pan"), O("name")], 3.5, 250, {"pan": PAN_OK, "name": "Meera Rao"}, {"pan": PAN_NR}),
    Op("verify/identity/dl", [R("dlNumber", "dl"), R("dateOfBirth", "dob")], 6, 4000, {"dlNumber": "MH1220110012345", "dateOfBirth": DOB}, {"dlNumber": "MH0000000000000"}),
    Op("verify/identity/voter", [R("epicNumber", "ident"), O("includeRegionalLanguage", type="b", default=True)], 4, 400, {"epicNumber": "XYZ1234567"}, {"epicNumber": "XYZ0000000"}),
    Op("verify/identity/passport", [R("fileNumber", "ident"), R("dateOfBirth", "dob")], 5, 350, {"fileNumber": "BO1068789012315", "dateOfBirth": DOB}, {"fileNumber": "BO0000000000000"}),
    Op("verify/identity/face-liveness", [R("imageUrl", "url")], 7, 2000, {"imageUrl": IMG}),
    Op("verify/identity/face-match", [R("imageUrl1", "url"), R("imageUrl2", "url"), O("includeFaceCount", type="b")], 7.5, 1000, {"imageUrl1": IMG, "imageUrl2": "https://assets.example/selfie-two.png"}),
    Op("verify/identity/mobile-otp/start", [R("mobile", "mobile"), O("consent", default="y"), O("countryCode", default="91")], 1.5, 500, {"mobile": MOB_OK}, {"mobile": MOB_NR}, flow="otp_start"),
    Op("verify/identity/mobile-otp/verify", [R("request_id", "flow"), R("otp", "otp")], 1, 500, {"request_id": "@otp_start", "otp": "000000"}, flow="otp_verify"),
    Op("verify/identity/mobile-otp/fetch", [R("request_id", "flow")], 9, 2000, {"request_id": "@otp_verified"}, flow="otp_fetch"),
    Op("verify/identity/mobile-otp-s/start", [R("mobile", "mobile"), O("countryCode", default="91")], 1.5, 500, {"mobile": MOB_OK}, {"mobile": MOB_NR}, flow="otps_start"),
    Op("verify/identity/mobile-otp-s/fetch", [R("mobile", "mobile"), R("referenceId", "flow"), R("otp", "otp")], 9, 2000, {"mobile": MOB_OK, "referenceId": "@otps_start", "otp": "000000"}, flow="otps_fetch"),
    Op("verify/employment/uan-lookup", [R("mobile", "mobile")], 4, 500, {"mobile": MOB_OK}, {"mobile": MOB_NR}),
    Op("verify/employment/uan", [R("uan", "uan")], 14, 9000, {"uan": "100900000001"}, {"uan": "100999999999"}, flow="uan"),
    Op("verify/employment/epfo-establishment", [R("establishmentId", "est15"), O("months", type="i", lo=1, hi=12, default=6)], 11, 6000, {"establishmentId": "MHBAN0012345000"}, {"establishmentId": "MHBAN9999999000"}),
    Op("verify/company/mca/cin-lookup", [R("companyName")], 5, 6000, {"companyName": "Marigold Textiles"}, {"companyName": "NOSUCH COMPANY"}),
    Op("verify/company/mca/master", [R("cin", "cin_llp")], 8, 8000, {"cin": "U72200KA2013PTC097389"}, {"cin": "U99999MH1999PTC999999"}),
    Op("verify/company/mca/signatories", [R("cin", "cin")], 9, 14000, {"cin": "U72200KA2013PTC097389"}, {"cin": "U99999MH1999PTC999999"}),
    Op("verify/company/mca/search", [R("companyName")], 4, 2000, {"companyName": "Marigold Textiles"}, {"companyName": "NOSUCH COMPANY"}),
    Op("verify/company/roc/director", [R("din", "din")], 6, 4000, {"din": "01234567"}, {"din": "99999999"}),
    Op("verify/company/tan", [R("tan", "tan")], 3, 1000, {"tan": "MUMA12345B"}, {"tan": "MUMA99999Z"}),
    Op("verify/company/udyam", [R("udyamNumber", "udyam")], 6, 3000, {"udyamNumber": "UDYAM-MH-12-0012345"}, {"udyamNumber": "UDYAM-MH-99-9999999"}),
    Op("verify/company/iec", [R("iec", "iec")], 4, 1000, {"iec": "0305012345"}, {"iec": "9999999999"}),
    Op("verify/company/shop-establishment", [R("registrationNumber", "ident"), R("state", "upperstate")], 8, 5000, {"registrationNumber": "KA/BLR/2017/00123", "state": "KARNATAKA"}, {"registrationNumber": "KA/BLR/0000/00000"}),
    Op("verify/company/tin", [R("tinNumber", "tin")], 5, 21000, {"tinNumber": "27123456789"}, {"tinNumber": "99999999999"}),
    Op("verify/company/gst", [R("gstin", "gstin")], 2.75, 700, {"gstin": GST_OK}, {"gstin": GST_NR}),
    Op("verify/company/gst-detailed", [R("gstin", "gstin")], 6.25, 1500, {"gstin": GST_OK}, {"gstin": GST_NR}),
    Op("verify/membership/ca", [R("membershipNumber", "member")], 10, 3000, {"membershipNumber": "123456"}, {"membershipNumber": "999999"}),
    Op("verify/membership/cs", [R("membershipNumber", "cs")], 10, 3000, {"membershipNumber": "A12345"}, {"membershipNumber": "A99999"}),
    Op("verify/membership/cma", [R("membershipNumber", "member")], 10, 8000, {"membershipNumber": "23456"}, {"membershipNumber": "99999"}),
    Op("verify/contact/email", [R("email", "email")], 1, 600, {"email": "meera.rao@mailbox.example"}),
    Op("verify/financial/bank-account", [R("accountNumber", "account"), R("ifsc", "ifsc"), O("nameToVerify")], 3, 250, dict(ACC, nameToVerify="Meera Rao"), ACC_NR),
    Op("verify/financial/bank-dynamic/send", [R("accountNumber", "account"), R("ifsc", "ifsc")], 8, 2500, dict(ACC), ACC_NR, flow="dyn_send"),
    Op("verify/financial/bank-dynamic/verify", [R("referenceId", "flow"), R("amount", "amount")], 2, 500, {"referenceId": "@dyn_send", "amount": "@dyn_amount"}, flow="dyn_verify"),
    Op("verify/financial/credit-report", [R("pan", "pan"), R("mobile", "mobile"), R("name"), R("dateOfBirth", "dob"), R("consentArtifact", type="o")], 60, 8000,
       {"pan": PAN_OK, "mobile": MOB_OK, "name": "Meera Rao", "dateOfBirth": DOB, "consentArtifact": {"timestamp": "2026-01-05T10:00:00Z", "ip": "198.51.100.7", "messageId": "m-1"}}, {"pan": PAN_NR}),
    Op("verify/financial/ifsc", [R("ifsc", "ifsc")], .5, 150, {"ifsc": "HDFC0001234"}, {"ifsc": "HDFC0999999"}),
    Op("verify/financial/bank-hybrid", [R("accountNumber", "account"), R("ifsc", "ifsc"), R("nameToVerify"), O("mobile", "mobile"), O("threshold", type="n", lo=0, hi=1, default=.9)], 4, 3000, dict(ACC, nameToVerify="Meera Rao"), ACC_NR),
    Op("verify/financial/bank-account-v1", [R("ifsc", "ifsc"), R("accountNumber", "account"), O("custName"), O("programId", enum=["310", "311", "312"], default="310"), O("txnType", enum=["ANY", "IMPS", "NACH", "UPI"], default="IMPS")], 4, 4000, dict(ACC), ACC_NR, flow="v1"),
    Op("verify/financial/bank-account-v1/status", [R("origRequestId", "flow"), O("programId")], .5, 300, {"origRequestId": "@v1"}, flow="v1_status"),
    Op("screen/negative-diligence", [R("name"), O("dateOfBirth", "dob"), O("nationality", "iso"), O("includeCategories", type="a", enum=SCR)], 9, 5000, {"name": "CLEAN PERSON"}),
    Op("screen/mobile-mnrl", [R("mobile", "mobile")], 1.5, 1200, {"mobile": MOB_OK}),
    Op("screen/mobile-silent", [R("mobile", "mobile"), O("includeAdditional", type="b")], 4, 5000, {"mobile": MOB_OK}, {"mobile": MOB_NR}),
    Op("screen/ip-quality", [R("ip", "ip")], 1, 600, {"ip": "198.51.100.7"}),
    Op("screen/email-fraud", [R("email", "email")], 3, 3000, {"email": "meera.rao@mailbox.example"}),
    Op("screen/court-records", [R("name"), O("father_name"), O("dob", "courtdob"), O("state", "a2"), O("city")], 30, 20000, {"name": "CLEAR PERSON"}),
    Op("verify/utility/vehicle-rc", [R("rcNumber", "nospace")], 5, 3000, {"rcNumber": "MH12AB1234"}, {"rcNumber": "MH00ZZ0000"}),
    Op("verify/utility/vehicle-rc-reverse", [R("engineNumber", "ident"), R("chassisNumber", "ident")], 7, 1500, {"engineNumber": "K12MN1234567", "chassisNumber": "MA3EYD32S00123456"}, {"chassisNumber": "NOCHASSIS00000000"}),
    Op("verify/utility/fastag", [R("vehicleNumber", "ident")], 3, 450, {"vehicleNumber": "MH12AB1234"}, {"vehicleNumber": "MH00ZZ0000"}),
    Op("verify/utility/electricity", [R("consumerNumber", "ident"), R("serviceProvider"), O("registeredMobile", "mobile")], 4, 1500, {"consumerNumber": "170012345678", "serviceProvider": "MSEDCL"}, {"consumerNumber": "000000000000"}),
    Op("verify/utility/property-tax", [R("state", "upperstate"), R("city"), R("propertyNumber", "ident"), O("ulb", "upper")], 6, 2000, {"state": "MAHARASHTRA", "city": "Nashik", "propertyNumber": "PT-0012345"}, {"propertyNumber": "PT-0000000"}),
    Op("verify/utility/png", [R("bpNumber", "ident"), R("serviceProvider")], 3, 300, {"bpNumber": "BP00123456", "serviceProvider": "MNGL"}, {"bpNumber": "BP00000000"}),
    Op("verify/utility/lpg", [R("lpgId", "lpg")], 3, 500, {"lpgId": "12345678901234567"}, {"lpgId": "99999999999999999"}),
    Op("verify/document/forgery", [R("imageUrls", type="a", check="url"), O("textFields", type="o"), O("threshold", type="i", lo=0, hi=100, default=20)], 12, 3000, {"imageUrls": ["https://assets.example/doc-one.jpg"]}, flow="forgery"),
    Op("verify/document/digilocker", [R("redirectUrl", "url"), O("requestedDocs", type="a")], 10, 1000, {"redirectUrl": "https://client.example/return"}, flow="consent"),
    Op("verify/document/kyc-ocr", [R("url", "url"), O("docTypes", type="a", enum=DOCT), O("pdfPassword"), O("requiredConfidence", type="b", default=True),
                                   O("returnQualityChecks", type="a", enum=["ALL", "BRIGHTNESS", "BLUR", "BLACK_AND_WHITE", "CUT_CARD"]),
                                   O("maskAadhaarImage", enum=["EIGHT_DIGITS", "TWELVE_DIGITS", "NONE"], default="EIGHT_DIGITS"), O("responseType", enum=["URL", "BASE64"], default="URL")], 5, 4000, {"url": "https://assets.example/pan-card.jpg"}),
    Op("verify/document/cheque-ocr", [R("url", "url")], 4, 3000, {"url": "https://assets.example/cheque.jpg"}),
    Op("verify/document/kyc-ocr-s", [R("urls", type="a", check="url")], 6, 4000, {"urls": ["https://assets.example/pan-card.jpg"]}),
    Op("verify/address/geocode", [R("latitude", "lat"), R("longitude", "lon")], 1, 600, {"latitude": "19.9975", "longitude": "73.7898"}, {"latitude": "0.0", "longitude": "0.0"}),
    Op("verify/address/geo-fence", [R("ip", "ip"), R("country", "a2"), R("state", "a2")], 1, 500, {"ip": "198.51.100.7", "country": "IN", "state": "MH"}),
    Op("verify/address/match", [R("address1"), R("address2")], 1, 400, {"address1": "12, Rao Road, Nashik, Maharashtra 422001", "address2": "12 Rao Road Nashik 422001"}),
    Op("verify/address/split", [R("address"), O("inferState", type="b", default=False)], 1, 300, {"address": "12, Rao Road, Nashik 422001"}),
    Op("verify/name/match", [R("name1"), R("name2"), O("type", enum=["individual", "business"], default="individual"), O("preset"), O("allowPartialMatch", type="b"), O("suppressReorderPenalty", type="b")], .5, 200, {"name1": "Meera Rao", "name2": "Rao Meera"}),
    # named in the document without a shape; ours
    Op("verify/employment/epfo-name-search", [R("name")], 5, 3000, {"name": "Meera Rao"}, extra=True),
    Op("verify/company/udyam/otp-confirm", [R("udyamNumber", "udyam"), R("otp", "otp")], 4, 2000, {"udyamNumber": "UDYAM-MH-12-0012345", "otp": "000000"}, {"udyamNumber": "UDYAM-MH-99-9999999"}, flow="udyam_otp", extra=True),
]
OPS = {o.path: o for o in _L}
BY_ENDPOINT = {o.endpoint: o for o in _L}
DOCUMENTED = [o for o in _L if not o.extra]
assert len(DOCUMENTED) == 61, len(DOCUMENTED)

# fixed inputs of the ops whose terminal result comes later (both environments)
UAN_SLOW = {"100900000202": "success", "100900000204": "no_record", "100900000206": "source_timeout"}

# strings that, contained in any string of the body, decide the outcome (both environments; only the first is documented)
MARKERS = {
    "ZZZZZ0000Z": "source_unavailable", "TIMEO0000T": "source_timeout", "PRERR0000P": "provider_error", "INTER0000E": "internal_error",
}
SLOW_MARK = "SLOWW0000S"

OUTCOME = {
    "no_record": (422, "SVC_NO_RECORD_FOUND", False, "No record exists for the given input."),
    "source_unavailable": (503, "SVC_SOURCE_UNAVAILABLE", True, "The source system is temporarily down."),
    "source_timeout": (504, "SVC_SOURCE_TIMEOUT", True, "The source did not answer in time."),
    "provider_error": (502, "SVC_PROVIDER_ERROR", True, "The upstream answered with an error."),
    "internal_error": (500, "SVC_INTERNAL_ERROR", True, "Unexpected fault on our side."),
    "invalid_input": (400, "SVC_INVALID_INPUT", False, "The request is not valid."),
    "invalid_identifier": (400, "SVC_INVALID_IDENTIFIER", False, "The identifier has a wrong format."),
    "auth_invalid": (401, "SVC_AUTH_INVALID", False, "The API key is not valid."),
    "key_env": (401, "SVC_KEY_ENVIRONMENT_MISMATCH", False, "This key belongs to the other environment."),
    "insufficient": (402, "SVC_INSUFFICIENT_BALANCE", False, "The wallet balance does not cover this call."),
    "ip": (403, "SVC_IP_NOT_ALLOWED", False, "This address is not on the allowlist of the key."),
    "not_found": (404, "SVC_NOT_FOUND", False, "Nothing is known under this identifier."),
    "conflict": (409, "SVC_IDEMPOTENCY_CONFLICT", False, "The Idempotency-Key was used with another body."),
    "rate_limited": (429, "SVC_RATE_LIMITED", True, "Too many requests for this key."),
}


class Bundle:
    def __init__(self, slug, steps, price, lo, hi, ok, name, **k):
        self.slug, self.steps, self.price, self.lo, self.hi, self.ok, self.name = slug, steps, price, lo, hi, ok, name
        self.parallel = k.get("parallel", False)
        self.router = k.get("router")
        self.rename = k.get("rename", {})      # (step, field) -> name in the bundle's body
        self.special = k.get("special")
        self.path = "bundles/" + slug
        self.endpoint = "bundles." + slug


def ok_of(*paths, **extra):
    d = {}
    for p in paths:
        d.update({k: v for k, v in OPS[p].ok.items() if not str(v).startswith("@")})
    d.update(extra)
    return d


BUNDLES = {b.slug: b for b in [
    Bundle("full-identity-kyc", ["identity.dl", "identity.face-match", "identity.face-liveness"], 120, 100, 150,
           ok_of("verify/identity/dl", "verify/identity/face-match", "verify/identity/face-liveness"), "Full identity KYC"),
    Bundle("fraud-check", ["screen.mobile-silent", "screen.email-fraud", "screen.mobile-mnrl", "screen.negative-diligence"], 20, 15, 25,
           ok_of("screen/mobile-silent", "screen/email-fraud", "screen/negative-diligence"), "Fraud check", parallel=True),
    Bundle("document-forgery-check", ["document.forgery", "identity.face-liveness"], 20, 15, 25,
           ok_of("verify/document/forgery", "verify/identity/face-liveness"), "Document forgery check"),
    Bundle("professional", ["membership.ca", "membership.cs", "membership.cma"], 20, 15, 25,
           {"body_type": "CA", "membershipNumber": "123456"}, "Professional the service router", router={"CA": "membership.ca", "CS": "membership.cs", "CMA": "membership.cma"}),
    Bundle("full-business-verification", ["company.udyam", "company.mca.master", "company.iec", "screen.negative-diligence", "company.tan"], 200, 150, 250,
           ok_of("verify/company/udyam", "verify/company/mca/master", "verify/company/iec", "screen/negative-diligence", "verify/company/tan"), "Full business verification"),
    Bundle("director-due-diligence", ["company.roc.director", "company.mca.master"], 35, 25, 50, ok_of("verify/company/roc/director", "verify/company/mca/master"), "Director due diligence"),
    Bundle("employment-claim-verification", ["employment.uan-lookup", "employment.uan", "employment.epfo-name-search"], 75, 50, 100,
           {"mobile": MOB_OK, "name": "Marigold Textiles"}, "Employment claim verification", special="uan"),
    Bundle("credit-bureau-report", ["financial.credit-report"], 90, 50, 150, ok_of("verify/financial/credit-report"), "Credit bureau report"),
    Bundle("vehicle-forensic-verification", ["utility.vehicle-rc", "utility.vehicle-rc-reverse", "utility.fastag"], 60, 50, 75,
           ok_of("verify/utility/vehicle-rc", "verify/utility/vehicle-rc-reverse", "verify/utility/fastag"), "Vehicle forensic verification"),
    Bundle("address-utility-verification", ["utility.electricity", "utility.property-tax", "utility.png"], 25, 20, 30,
           dict(ok_of("verify/utility/electricity", "verify/utility/property-tax", "verify/utility/png"), serviceProvider="MSEDCL", pngServiceProvider="MNGL"), "Address utility verification",
           rename={("utility.png", "serviceProvider"): "pngServiceProvider"}),
    Bundle("dynamic-bank-validation", ["financial.bank-dynamic.send", "financial.bank-dynamic.verify"], 20, 15, 25, dict(ACC), "Dynamic bank validation", special="dynamic"),
    Bundle("company-tan-identity", ["company.tan", "company.mca.master"], 8, 5, 10, ok_of("verify/company/tan", "verify/company/mca/master"), "Company TAN identity"),
]}
assert len(BUNDLES) == 12


def step_op(step):
    p = step.replace(".", "/")
    return OPS[p] if p in OPS else OPS["verify/" + p]
