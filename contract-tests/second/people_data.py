"""What single operations answer with: people, work, companies, memberships, contact."""
import datetime

from parts import Fail
from world import PIXEL, PLACES, digits, dmy, gen, iso, iso_of_dmy, letters, name_score, operator_of, person_for


# ------------------------------------------------------------------ identity
@gen("verify/identity/pan")
def _(w, b, r, o):
    p = person_for(w, b["pan"].upper())
    claimed = b.get("name") or ""
    d = {"pan": b["pan"].upper(), "name": claimed, "nameMatchScore": name_score(claimed, p["name"]) if claimed else 0,
         "nameOnPan": p["name"].upper(), "category": "Individual", "panStatus": "VALID", "lastUpdated": iso(r, 2015, 2024)}
    if not claimed and o.h("omit_unasked_scores"):
        del d["name"], d["nameMatchScore"]
    if claimed and o.d("pan_name_is_claimed"):
        d["nameOnPan"] = claimed.upper()
    return d


@gen("verify/identity/dl")
def _(w, b, r, o):
    p = person_for(w, b["dlNumber"])
    i = iso(r, 2008, 2018)
    born = iso_of_dmy(b["dateOfBirth"])
    if o.d("dl_born_a_day_early"):
        born = str(datetime.date.fromisoformat(born) - datetime.timedelta(1))
    if o.d("dl_leap_day_rolled") and born[5:] == "02-29":
        born = born[:4] + "-03-01"
    if o.d("dl_year_of_week"):
        born = datetime.date.fromisoformat(born).strftime("%G-%m-%d")
    if o.d("dl_century_lost") and born < "1969":
        born = "20" + born[2:]
    if o.d("dl_born_turned") and born[8:] <= "12":
        born = born[:5] + born[8:] + born[4:7]
    return {"dlNumber": b["dlNumber"], "name": p["name"], "fatherOrHusbandName": p["father"], "dateOfBirth": born,
            "issueDate": i, "validity": {"nonTransport": {"from": i, "to": str(int(i[:4]) + 20) + i[4:]},
                                         "transport": {"from": "", "to": ""} if r.random() < .5 else {"from": i, "to": str(int(i[:4]) + 15) + i[4:]}},
            "vehicleClasses": r.sample(["MCWG", "LMV", "TRANS", "HMV"], 2), "rtoOffice": "RTO " + p["place"][0], "address": p["address"],
            "splitAddress": w.split_address(p), "status": "Active", "photo": "data:image/jpeg;base64," + PIXEL}


@gen("verify/identity/voter")
def _(w, b, r, o):
    p = person_for(w, b["epicNumber"])
    regional = b.get("includeRegionalLanguage", True)
    if o.d("voter_regional_default_false") and "includeRegionalLanguage" not in o.given:
        regional = False
    return {"epicNumber": b["epicNumber"], "name": p["name"], "nameInRegionalLang": "मतदाता " + p["name"][:1] if regional else "",
            "age": 2026 - int(p["dob"][:4]), "gender": p["gender"], "fatherName": p["father"], "relationType": "FATHER",
            "address": p["address"], "splitAddress": w.split_address(p),
            "constituency": {"assemblyNumber": str(r.randint(1, 280)), "assemblyName": p["place"][0] + " East",
                             "parliamentaryNumber": str(r.randint(1, 48)), "parliamentaryName": p["place"][0]},
            "pollingStation": {"partNumber": str(r.randint(1, 300)), "serialNumber": str(r.randint(1, 1200)),
                               "name": "Municipal School No. %d" % r.randint(1, 90), "address": p["place"][0]}}


@gen("verify/identity/passport")
def _(w, b, r, o):
    p = person_for(w, b["fileNumber"])
    given, _, sur = p["name"].partition(" ")
    return {"fileNumber": b["fileNumber"], "givenName": given, "surname": sur, "fullName": p["name"],
            "dateOfBirth": iso_of_dmy(b["dateOfBirth"]), "typeOfApplication": r.choice(["Normal", "Tatkaal"]), "applicationReceivedOn": iso(r, 2012, 2024)}


@gen("verify/identity/face-liveness")
def _(w, b, r, o):
    s = round(r.uniform(.86, .99), 3)
    if o.d("liveness_score_percent"):
        s = round(s * 100, 1)
    return {"isLive": True, "livenessScore": s, "multipleFacesDetected": False, "reviewNeeded": False}


@gen("verify/identity/face-match")
def _(w, b, r, o):
    same = b["imageUrl1"] == b["imageUrl2"] or r.random() < .8
    s = round(r.uniform(.83, .99) if same else r.uniform(.05, .4), 3)
    d = {"match": same, "matchScore": s, "confidence": round(r.uniform(.8, .99), 3), "reviewNeeded": False}
    if b.get("includeFaceCount") and not o.d("faces_uncounted"):
        d["faceCount1"] = 1
        d["faceCount2"] = 1
    return d


@gen("verify/identity/mobile-otp/start")
def _(w, b, r, o):
    return {"request_id": o.flow_id, "status-code": "101", "message": "OTP sent to the mobile number"}


@gen("verify/identity/mobile-otp/verify")
def _(w, b, r, o):
    return {"provider": operator_of(o.flow["mobile"]), "otp_validated": o.otp_ok, "status-code": "101" if o.otp_ok else "102"}


@gen("verify/identity/mobile-otp/fetch")
def _(w, b, r, o):
    p = person_for(w, o.flow["mobile"])
    d = {"name": p["name"], "date_of_birth": dmy(p["dob"], "-"), "address": p["address"], "alt_contact": p["mobile"],
         "provider": operator_of(o.flow["mobile"]), "type": r.choice(["prepaid", "postpaid"])}
    if o.h("payment_history"):
        d["payment_history"] = [{"month": i + 1, "paid": True} for i in range(10)]
    return d


@gen("verify/identity/mobile-otp-s/start")
def _(w, b, r, o):
    return {"referenceId": o.flow_id}


@gen("verify/identity/mobile-otp-s/fetch")
def _(w, b, r, o):
    p = person_for(w, b["mobile"])
    d = {"name": p["name"], "dob": p["dob"], "billingType": r.choice(["Prepaid", "Postpaid"]), "mobileNetworkOperator": operator_of(b["mobile"]),
         "alternatePhone": "", "email": p["email"]}
    if o.h("payment_history"):
        d["paymentHistory"] = [{"month": i + 1, "amount": 199} for i in range(4)]
    return d


# ---------------------------------------------------------------- employment
@gen("verify/employment/uan-lookup")
def _(w, b, r, o):
    return {"mobile": b["mobile"], "uanList": ["100900000001" if i == 0 and b["mobile"] == "9000000001" else "1009" + digits(r, 8) for i in range(1 if not w.big else 25)]}


@gen("verify/employment/uan")
def _(w, b, r, o):
    p = person_for(w, b["uan"])
    hist, n = [], (r.randint(1, 3) if not w.big else 120)
    year = 2024
    for i in range(n):
        doj = "%04d-%02d-01" % (max(1970, year - 2), r.randint(1, 12))
        hist.append({"establishmentId": letters(r, 5) + digits(r, 10), "establishmentName": w.company(r), "doj": doj,
                     "dol": "" if i == 0 else "%04d-%02d-28" % (max(1971, year), r.randint(1, 12)),
                     "designation": r.choice(["Executive", "Engineer", "Clerk", "Manager"]), "memberId": letters(r, 5) + digits(r, 17)})
        year -= 3
    if o.d("uan_current_dol_null"):
        hist[0]["dol"] = None
    return {"uan": b["uan"], "memberName": p["name"].upper(), "dateOfBirth": p["dob"], "employmentHistory": hist}


@gen("verify/employment/epfo-establishment")
def _(w, b, r, o):
    n = b.get("months", 6)
    if o.d("months_default_12") and "months" not in o.given:
        n = 12
    if o.d("months_ignored") or o.d("months_ignored_on_live") and o.live:
        n = 6
    n = max(0, min(n, 12))
    out = []
    for i in range(n):
        m = 2026 * 12 + 9 - i
        e = round(r.uniform(20000, 90000), 2)
        out.append({"month": "%04d-%02d" % (m // 12, m % 12 + 1), "employerShare": e, "employeeShare": round(e * .97, 2), "memberCount": r.randint(20, 400)})
    if o.d("month_format_wrong"):
        for h in out:
            h["month"] = h["month"][5:] + "/" + h["month"][:4]
    return {"establishmentId": b["establishmentId"], "establishmentName": w.company(r), "address": w.person(r)["address"],
            "businessActivity": "Engineering", "registrationDate": iso(r, 1990, 2015), "status": "Active", "totalEmployees": r.randint(20, 900),
            "contributionHistory": out}


@gen("verify/employment/epfo-name-search")
def _(w, b, r, o):
    return {"name": b["name"], "establishments": [{"establishmentId": letters(r, 5) + digits(r, 10), "establishmentName": w.company(r)}]}


# ------------------------------------------------------------------- company
def _cin(r):
    return "U%s%s%sPTC%s" % (digits(r, 5), r.choice(PLACES)[3], r.randint(1985, 2022), digits(r, 6))


@gen("verify/company/mca/cin-lookup")
def _(w, b, r, o):
    if o.d("cin_lookup_whole_names_only") and b["companyName"].upper().endswith(" PRIVATE"):
        raise Fail("no_record")
    cin = lambda: _cin(r).lower() if o.d("cin_lookup_lower_case") else _cin(r)
    return {"matches": [{"cin": cin(), "companyName": (b["companyName"] + " " + s).upper(), "status": "Active"} for s in ("Private Limited", "Holdings Limited")]}


@gen("verify/company/mca/master")
def _(w, b, r, o):
    return {"cin": b["cin"], "companyName": w.company(r).upper(), "registrationNumber": b["cin"][-6:], "companyStatus": "Active",
            "companyCategory": "Company limited by shares", "companySubcategory": "Non-government company", "classOfCompany": "Private",
            "incorporationDate": iso(r, 1990, 2020), "registeredOffice": w.person(r)["address"], "authorizedCapital": r.randint(1, 90) * 100000,
            "paidUpCapital": r.randint(1, 50) * 50000, "lastAgmDate": iso(r, 2022, 2024), "lastFilingDate": iso(r, 2022, 2024), "registrar": "RoC " + r.choice(PLACES)[0]}


@gen("verify/company/mca/signatories")
def _(w, b, r, o):
    ds = []
    for i in range(r.randint(2, 3)):
        ds.append({"din": digits(r, 8), "name": w.person(r)["name"], "designation": "Director", "appointmentDate": iso(r, 2010, 2020),
                   "endDate": "" if i == 0 else iso(r, 2021, 2024)})
    if o.d("signatories_current_end_null"):
        ds[0]["endDate"] = None
    return {"cin": b["cin"], "directors": ds}


@gen("verify/company/mca/search")
def _(w, b, r, o):
    return {"cins": [_cin(r) for _ in range(r.randint(1, 3))]}


@gen("verify/company/roc/director")
def _(w, b, r, o):
    p = person_for(w, b["din"])
    cs = [{"cin": _cin(r), "companyName": w.company(r), "beginDate": iso(r, 2005, 2018), "endDate": "" if i == 0 else iso(r, 2019, 2024)} for i in range(2)]
    father = p["father"]
    d = {"din": b["din"], "name": p["name"], "fatherName": father[:2] + "*" * (len(father) - 4) + father[-2:], "dateOfBirth": dmy(p["dob"]),
         "panNumber": letters(r, 2) + "XXXXXX" + digits(r, 1) + letters(r, 1), "dinStatus": "Approved", "nationality": "Indian",
         "noOfCompanies": len(cs), "companies": cs}
    if o.d("roc_father_unmasked"):
        d["fatherName"] = father
    if o.h("roc_pan_crossed_out"):
        d["panNumber"] = "xxxxx" + digits(r, 4) + "x"
    if o.d("roc_pan_unmasked"):
        d["panNumber"] = letters(r, 3) + "P" + letters(r, 1) + digits(r, 4) + letters(r, 1)
    if o.d("roc_pan_all_masked"):
        d["panNumber"] = "*" * 10
    if o.d("roc_cin_cut"):
        for c in cs:
            c["cin"] = c["cin"][:20]
    if o.d("roc_dob_iso"):
        d["dateOfBirth"] = p["dob"]
    return d


@gen("verify/company/tan")
def _(w, b, r, o):
    tan = b["tan"]
    if o.d("tan_kept_from_before"):
        tan = w.first_tan = getattr(w, "first_tan", None) or tan
    return {"tan": tan, "name": w.company(r), "category": "Company", "status": "Active"}


@gen("verify/company/udyam")
def _(w, b, r, o):
    p = person_for(w, b["udyamNumber"])
    c, d, s, code, pin = p["place"]
    adr = {"flat": str(r.randint(1, 90)), "premises": "Plot %d" % r.randint(1, 90), "road": "Industrial Road", "city": c, "district": d, "state": s, "pincode": pin}
    branch = {k: v for k, v in adr.items() if k != "district"}
    branch["name"] = "Unit 2"
    unknown = r.random() < .5
    return {"udyamRegistrationNo": b["udyamNumber"], "dateOfRegistration": iso(r, 2020, 2024),
            "profile": {"name": w.company(r), "majorActivity": "Manufacturing", "organizationType": "Proprietary", "ownerName": None if unknown else p["name"],
                        "pan": None if unknown else "ABXXXXXX1Z", "socialCategory": "General", "dateOfIncorporation": iso(r, 2000, 2018),
                        "dateOfCommencement": iso(r, 2018, 2020)},
            "officialAddress": adr,
            "industry": [{"nicCode": digits(r, 5), "industry": "Manufacture of textiles", "subSector": "Weaving", "activityDescription": "Cotton weaving", "activity": "Manufacturing"}],
            "branchDetails": [branch],
            "employmentDetails": {"male": str(r.randint(1, 30)), "female": str(r.randint(1, 30)), "others": None, "total": str(r.randint(30, 60))},
            "financials": {"financialYear": None if unknown else "2023-24",
                           "details": {"wdvPme": str(r.randint(1, 90) * 1000), "netInvestmentInPme": str(r.randint(1, 90) * 1000), "totalTurnover": None}}}


@gen("verify/company/iec")
def _(w, b, r, o):
    return {"iec": b["iec"], "entityName": w.company(r), "iecIssueDate": iso(r, 2002, 2020), "iecStatus": "Valid", "natureOfBusiness": "Merchant exporter",
            "branches": [{"address": w.person(r)["address"]} for _ in range(2)]}


@gen("verify/company/shop-establishment")
def _(w, b, r, o):
    p = person_for(w, b["registrationNumber"])
    return {"registrationNumber": b["registrationNumber"], "establishmentName": w.company(r), "ownerName": p["name"], "address": p["address"],
            "natureOfBusiness": "Retail", "registrationDate": iso(r, 2012, 2020), "validUpto": iso(r, 2027, 2031), "status": "Active"}


@gen("verify/company/tin")
def _(w, b, r, o):
    return {"tinNumber": b["tinNumber"], "dealerName": w.company(r), "state": w.person(r)["place"][2], "status": "Active", "registrationDate": iso(r, 2004, 2016)}


def gst_lite(w, b, r, o):
    g = b["gstin"]
    c = w.company(r)
    p = w.person(r)
    d = {"gstin": g, "isValid": True, "businessName": c, "legalName": c.upper(), "tradeName": c.rsplit(" ", 2)[0],
         "registrationDate": dmy(iso(r, 2017, 2022)), "taxpayerType": "Regular", "status": "Active", "constitution": "Private Limited Company",
         "principalAddress": p["address"], "stateJurisdiction": "Ward %d" % r.randint(1, 80), "centerJurisdiction": "Range %d" % r.randint(1, 9), "pan": g[2:12]}
    if o.d("gst_date_iso"):
        x = d["registrationDate"].split("/")
        d["registrationDate"] = "-".join(reversed(x))
    return d


@gen("verify/company/gst")
def _(w, b, r, o):
    return gst_lite(w, b, r, o)


@gen("verify/company/gst-detailed")
def _(w, b, r, o):
    d = gst_lite(w, b, r, o)
    if o.d("gst_detailed_lacks_lite"):
        for k in ("legalName", "tradeName", "constitution"):
            del d[k]
    hist = []
    for i in range(12 if o.d("gst_history_12") else 24):
        m = 2026 * 12 + 8 - i
        y, mo = m // 12, m % 12 + 1
        hist.append({"returnType": "GSTR3B", "periodOfReturn": ("%04d-%02d" % (y, mo)) if o.d("gst_period_iso") else "%02d%04d" % (mo, y),
                     "dateOfFiling": "%02d/%02d/%04d" % (r.randint(1, 28), mo % 12 + 1, y + (mo == 12)), "status": "Filed"})
    d.update({"additionalAddresses": [{"address": w.person(r)["address"], "type": "Warehouse"}], "natureOfBusiness": ["Wholesale Business", "Export"],
              "returnsFilingFrequency": "Monthly", "returnsFilingHistory": hist, "complianceRating": "A", "lateFilingPenalty": 0 if r.random() < .5 else 450.5})
    return d


# ---------------------------------------------------------------- membership
@gen("verify/membership/ca")
def _(w, b, r, o):
    since = iso(r, 1995, 2018)
    if o.d("ca_since_slashes"):
        since = "/".join(reversed(since.split("-")))
    return {"membershipNumber": b["membershipNumber"], "name": person_for(w, b["membershipNumber"])["name"], "designation": "FCA", "category": "Fellow",
            "memberSince": since, "cpNumber": digits(r, 6), "region": "Western"}


@gen("verify/membership/cs")
def _(w, b, r, o):
    p = person_for(w, b["membershipNumber"])
    return {"membershipNumber": b["membershipNumber"], "name": p["name"], "designation": "ACS", "memberCategory": "Associate", "city": p["place"][0],
            "address": p["address"], "cpNumber": digits(r, 5), "photo": "data:image/jpeg;base64," + PIXEL}


@gen("verify/membership/cma")
def _(w, b, r, o):
    p = person_for(w, b["membershipNumber"])
    f, _, s = p["name"].partition(" ")
    return {"membershipNumber": b["membershipNumber"], "firstName": f, "middleName": "" if not o.d("cma_null_for_unavailable") else None, "surname": s,
            "fullName": p["name"], "memberCategory": "Associate", "region": "South", "chapter": p["place"][0]}


# ------------------------------------------------------------------- contact
@gen("verify/contact/email")
def _(w, b, r, o):
    dom = b["email"].rpartition("@")[2].lower()
    disp = "tempmail" in dom or "mailinator" in dom
    return {"email": b["email"] if not o.d("email_plus_is_space") else b["email"].replace("+", " "), "result": "deliverable" if not disp else "risky", "deliverable": True, "disposable": disp,
            "webmail": dom in ("mailbox.example", "gmail.com"), "smtp_check": True, "mx_records": True, "blocked": False}
