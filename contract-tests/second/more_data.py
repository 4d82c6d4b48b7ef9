"""What single operations answer with: money, screening, utilities, documents, addresses, names."""
import re

from world import BANKS, PIXEL, PLACES, Rng, address_score, digits, gen, iso, letters, name_score, parse_address, person_for, seed_of


# ----------------------------------------------------------------- financial
def _bank(ifsc):
    return BANKS[seed_of("bank", ifsc[:4]) % len(BANKS)]


@gen("verify/financial/bank-account")
def _(w, b, r, o):
    p = person_for(w, b["accountNumber"])
    claimed = b.get("nameToVerify") or ""
    s = name_score(claimed, p["name"]) if claimed else 0
    d = {"accountActive": True, "accountHolderName": p["name"].upper(), "nameMatch": s >= .8, "nameMatchScore": s, "bankName": _bank(b["ifsc"])[0],
         "branchName": p["place"][0]}
    if not claimed and o.h("omit_unasked_scores"):
        del d["nameMatch"], d["nameMatchScore"]
    if claimed and o.d("bank_score_constant"):
        d["nameMatchScore"] = 1
    if claimed and o.d("bank_score_left_out"):
        del d["nameMatchScore"]
    if claimed and o.d("bank_holder_is_claimed"):
        d["accountHolderName"] = claimed.upper()
    return d


@gen("verify/financial/bank-dynamic/send")
def _(w, b, r, o):
    p = person_for(w, b["accountNumber"])
    return {"active": True, "reason": "", "auditTrail": {"nature": "CREDIT", "value": "%.2f" % o.flow["amount"], "timestamp": o.now_iso},
            "beneficiaryName": p["name"].upper(), "beneficiaryIfsc": b["ifsc"], "referenceId": o.flow_id, "amountSent": o.flow["amount"]}


@gen("verify/financial/bank-dynamic/verify")
def _(w, b, r, o):
    ok = abs(float(b["amount"]) - o.flow["amount"]) < .001
    if o.d("dynamic_wrong_amount_matches"):
        ok = True
    if o.d("dynamic_less_matches"):
        ok = float(b["amount"]) <= o.flow["amount"] + .001
    if o.d("dynamic_right_amount_fails"):
        ok = False
    if o.d("dynamic_amount_rounded"):
        ok = int(float(b["amount"])) == int(o.flow["amount"])
    return {"amountMatch": ok, "accountHolderName": person_for(w, o.flow["account"])["name"].upper()}


@gen("verify/financial/credit-report")
def _(w, b, r, o):
    acc = [{"accountType": t, "memberName": r.choice(BANKS)[0], "openDate": iso(r, 2015, 2023), "status": s,
            "balance": round(r.uniform(0, 90000), 2), "creditLimit": r.randint(1, 9) * 25000} for t, s in (("Credit Card", "Active"), ("Personal Loan", "Active"), ("Auto Loan", "Closed"))]
    if o.d("credit_totals_inconsistent"):
        acc = acc[:2]
    return {"score": r.randint(610, 860), "scoreBand": "Good", "totalAccounts": 3, "activeAccounts": 2, "closedAccounts": 1,
            "highCreditAmount": 450000, "currentBalance": round(sum(a["balance"] for a in acc), 2), "overdueAmount": 0, "delinquentAccounts": 0,
            "inquiriesLast6Months": r.randint(0, 4), "accounts": acc}


@gen("verify/financial/ifsc")
def _(w, b, r, o):
    p = w.person(r)
    yes = "Live"
    d = {"verification_id": "ifsc-" + digits(r, 8), "reference_id": r.randint(100000, 999999), "status": "VALID", "bank": _bank(b["ifsc"])[0], "ifsc": b["ifsc"],
         "neft": yes, "imps": yes, "rtgs": yes, "upi": yes, "ft": yes, "card": "Not Live", "micr": int("4" + digits(r, 8)), "nbin": r.randint(1000, 9999),
         "address": p["address"], "city": p["place"][0], "state": p["place"][2], "branch": p["place"][0] + " Main", "ifsc_subcode": b["ifsc"][:4] + "0",
         "swift_code": ""}
    if o.d("ifsc_kept_from_before"):
        w.first_ifsc = getattr(w, "first_ifsc", None) or b["ifsc"]
        d["ifsc"] = w.first_ifsc
    if o.d("ifsc_rails_bool"):
        for k in ("neft", "imps", "rtgs", "upi", "ft", "card"):
            d[k] = d[k] == yes
    return d


@gen("verify/financial/bank-hybrid")
def _(w, b, r, o):
    p = person_for(w, b["accountNumber"])
    s = name_score(b["nameToVerify"], p["name"])
    th = b.get("threshold", .9)
    if o.d("hybrid_threshold_ignored"):
        th = .9
    if o.d("hybrid_threshold_default_half") and "threshold" not in o.given:
        th = .5
    invalid = b["accountNumber"].startswith("000")
    yes, no, na = "yes", "no", "not available"
    d = {"active": no if invalid else yes, "reason": "ACCOUNT_INVALID" if invalid else "ACCOUNT_VALID", "nameMatch": yes if s >= th and not invalid else no,
         "mobileMatch": yes if b.get("mobile") else na, "nameMatchScore": 0 if invalid else s, "bankRRN": "" if invalid else digits(r, 12),
         "beneName": "" if invalid else p["name"].upper(), "beneIFSC": b["ifsc"]}
    if o.d("bank_holder_is_claimed"):
        d["beneName"] = b["nameToVerify"].upper()
    if o.d("hybrid_flags_bool"):
        d["active"], d["nameMatch"] = d["active"] == yes, d["nameMatch"] == yes
    if o.d("hybrid_score_percent"):
        d["nameMatchScore"] = int(d["nameMatchScore"] * 100)
    if o.d("hybrid_own_name_above_1") and b["nameToVerify"].upper() == d["beneName"]:
        d["nameMatchScore"] = 1.2
    if o.d("hybrid_mobile_match_without_mobile") and not b.get("mobile"):
        d["mobileMatch"] = yes
    return d


@gen("verify/financial/bank-account-v1")
def _(w, b, r, o):
    p = person_for(w, b["accountNumber"])
    invalid = b["accountNumber"].startswith("000")
    cust = b.get("custName") or ""
    prog = b.get("programId", "310")
    method = {"310": "PENNY_DROP", "311": "PENNY_LESS", "312": "HYBRID"}.get(prog, "PENNY_DROP")
    if o.d("bank_v1_program_ignored"):
        method = "PENNY_DROP"
    score = "%.2f" % (name_score(cust, p["name"]) if cust else 0)
    if o.d("bank_v1_score_constant") and cust:
        score = "0.87"
    st = "ACCOUNT_INVALID" if invalid else "ACCOUNT_VALID"
    if o.d("bank_v1_status_word"):
        st = "INVALID" if invalid else "VALID"
    return {"statusCode": "101", "status": "SUCCESS", "acValidationStatus": st, "message": "Validation done", "custName": cust,
            "nameAtBank": "" if invalid else cust.upper() if cust and o.d("bank_holder_is_claimed") else p["name"].upper(), "custAcctNo": b["accountNumber"], "custIfsc": b["ifsc"], "bankCode": _bank(b["ifsc"])[1],
            "methodUsed": method, "fuzzyLogicScore": float(score) if o.d("bank_v1_fuzzy_number") else score, "utr": "" if invalid else digits(r, 12)}


@gen("verify/financial/bank-account-v1/status")
def _(w, b, r, o):
    f = o.flow
    return {"statusCode": "101", "status": "SUCCESS", "acValidationStatus": f["acValidationStatus"], "requestId": b["origRequestId"],
            "nameAtBank": f["nameAtBank"], "bankCode": f["bankCode"], "methodUsed": f["methodUsed"]}


# -------------------------------------------------------------------- screen
@gen("screen/negative-diligence")
def _(w, b, r, o):
    name = " ".join(b["name"].upper().split())
    cats = b.get("includeCategories")
    hits = []
    if name == "SANCTIONED PERSON":
        hits = [("SANCTIONS", "UN consolidated list"), ("PEP", "Office holders register"), ("ADVERSE_MEDIA", "News archive")]
    if o.d("clean_person_hits") and name == "CLEAN PERSON":
        hits = [("PEP", "Office holders register")]
    if o.d("clean_person_hits_with_birth") and name == "CLEAN PERSON" and b.get("dateOfBirth"):
        hits = [("PEP", "Office holders register")]
    if o.d("sanctioned_two_matches"):
        hits = hits[:2]
    if o.d("sanctioned_no_adverse_media"):
        hits = [(("SANCTIONS" if c == "ADVERSE_MEDIA" else c), s) for c, s in hits]
    if o.d("sanctioned_no_matches"):
        hits = []
    if cats == ["ADVERSE_MEDIA"] and o.d("adverse_media_alone_clean"):
        hits = []
    if cats and not o.d("include_categories_ignored"):
        hits = [h for h in hits if h[0] in cats]
    ms = [{"category": c, "source": s, "name": name, "matchScore": round(r.uniform(.88, .99), 2), "details": "Listed " + iso(r, 2010, 2023)} for c, s in hits]
    d = {"clean": not ms, "matchCount": len(ms), "categoriesHit": sorted({m["category"] for m in ms}, key=[h[0] for h in hits].index)}
    if ms and not o.d("matches_missing_on_hits"):
        d["matches"] = ms
    elif o.h("matches_empty_array"):
        d["matches"] = []
    if o.d("clean_flag_inverted"):
        d["clean"] = not d["clean"]
    if o.d("match_count_off_by_one"):
        d["matchCount"] += 1
    return d


@gen("screen/mobile-mnrl")
def _(w, b, r, o):
    hit = b["mobile"] == "9000000001"
    if o.d("mnrl_fixed_mobile_no_hit"):
        hit = False
    return {"mobile": b["mobile"], "matchFound": hit, "category": "Disconnected: request of law enforcement" if hit else (None if o.d("mnrl_category_null") else "")}


@gen("screen/mobile-silent")
def _(w, b, r, o):
    p = person_for(w, b["mobile"])
    more = b.get("includeAdditional")
    ported = r.random() < .5
    return {"customerName": p["name"], "alternateNumber": "", "isValid": True, "subscriberStatus": "Active", "connectionType": "Prepaid",
            "currentServiceProvider": "Operator A", "originalServiceProvider": ("Operator B" if ported else "Operator A") if more else "",
            "networkRegion": p["place"][2], "isPorted": ported}


@gen("screen/ip-quality")
def _(w, b, r, o):
    p = w.person(r)
    s = r.randint(0, 100)
    if o.d("ip_fraud_score_over_100"):
        s += 101
    f = {k: r.random() < .1 for k in ("isProxy", "isVpn", "isTor", "isBot", "isCrawler", "isAbuser")}
    d = {"ip": "198.51.100.250" if o.d("ip_echo_other") else b["ip"], "fraudScore": s}
    d.update(f)
    d.update({"country": "IN", "region": p["place"][2], "city": p["place"][0], "isp": "Broadband " + p["place"][3], "asn": "AS%d" % r.randint(9000, 65000)})
    return d


@gen("screen/email-fraud")
def _(w, b, r, o):
    s = r.randint(0, 60)
    return {"email": b["email"], "fraudScore": s, "riskLevel": "LOW" if s < 30 else "MEDIUM", "deliverable": True, "disposable": False,
            "freeProvider": r.random() < .5, "domainAgeDays": r.randint(300, 9000), "breachCount": r.randint(0, 3), "firstSeenDaysAgo": r.randint(10, 2500)}


@gen("screen/court-records")
def _(w, b, r, o):
    name = " ".join(b["name"].upper().split())
    key = name if not o.d("court_case_sensitive") else b["name"]
    n = 4 if key == "RECORDS PERSON" else 0
    if o.d("records_person_3") and n:
        n = 3
    dob = b.get("dob") or ""
    iso_dob = dob
    m = re.match(r"(\d\d)-(\d\d)-(\d{4})$", dob) or re.match(r"(\d\d)(\d\d)(\d{4})$", dob)
    if m and o.d("court_dob_compact_turned") and "-" not in dob:
        iso_dob = "%s-%s-%s" % (dob[:4], dob[4:6], dob[6:])
    elif m:
        iso_dob = "%s-%s-%s" % (m.group(3), m.group(2), m.group(1))
    if o.h("court_dob_echo_raw"):
        iso_dob = dob
    year = re.search(r"\d{4}", iso_dob if "-" in iso_dob else iso_dob[-4:]) if dob else None
    by = int(year.group(0)) if year else 0
    state = (b.get("state") or "").upper()
    auto = False
    if not state and b.get("city"):
        state = next((p[3] for p in PLACES if p[0].lower() == b["city"].lower()), "")
        auto = bool(state)
        if auto and o.d("court_city_other_state"):
            state = "ZZ"
    variants = [name, " ".join(reversed(name.split()))]
    cases = [{"cnr": letters(r, 4) + digits(r, 12), "court": "District Court " + r.choice(PLACES)[0], "caseType": "Criminal", "filingYear": max(by + 20, r.randint(2012, 2022)),
              "status": "Pending", "severity": s} for s in (["high", "medium", "low", "low"][:n])]
    if by + 14 > 2026 and not o.d("court_dob_drops_nothing"):
        cases = []
    tiers = {t: sum(c["severity"] == t for c in cases) for t in ("high", "medium", "low")}
    verdict = "RECORDS_FOUND" if cases else "CLEAR"
    if o.d("court_verdict_wrong"):
        verdict = "CLEAR" if cases else "RECORDS_FOUND"
    if o.d("court_tier_counts_wrong"):
        tiers["high"] += 1
    return {"candidate": {"name": "SOMEBODY ELSE" if o.d("court_candidate_other") else b["name"], "father_name": "" if o.d("court_father_lost") else b.get("father_name") or "", "dob": "/".join(reversed(iso_dob.split("-"))) if o.d("court_dob_slashes") else iso_dob, "state": state, "city": b.get("city") or ""},
            "verdict": verdict, "tier_counts": tiers, "cases": cases, "cases_total": len(cases) + (1 if o.d("court_total_mismatch") else 0),
            "search_log": [{"variant": v, "http": 200, "latency_ms": r.randint(80, 900), "total_hits": len(cases), "new_cnrs": len(cases) if i == 0 else 0} for i, v in enumerate(variants)],
            "records_scanned": r.randint(0, 400), "variants_run": variants, "credits_used": 1, "gpt": None, "gpt_raw": None, "gpt_tokens": 0,
            "state_auto_derived": auto, "dob_filtered": 0, "min_filing_year": by + 14 if by else 0, "pipeline_ms": r.randint(400, 19000)}


# ------------------------------------------------------------------- utility
@gen("verify/utility/vehicle-rc")
def _(w, b, r, o):
    p = person_for(w, b["rcNumber"])
    reg = iso(r, 2012, 2022)
    my = reg[5:7] + "/" + reg[:4]
    if o.d("rc_month_year_iso"):
        my = reg[:7]
    return {"registrationNumber": b["rcNumber"], "ownerName": p["name"], "fatherName": p["father"], "vehicleManufacturer": "Northgate Motors", "model": "Kestrel %d" % r.randint(1, 9),
            "vehicleClass": "Motor Car", "fuelType": r.choice(["PETROL", "DIESEL", "CNG"]), "manufacturingMonthYear": my,
            "registrationDate": reg, "rcExpiryDate": str(int(reg[:4]) + 15) + reg[4:], "address": p["address"], "rtoCode": b["rcNumber"][:4], "rtoOffice": "RTO " + p["place"][0],
            "insurance": {"company": "Harbour General", "policyNumber": digits(r, 12), "validUpto": iso(r, 2027, 2028)}, "puccNumber": digits(r, 9), "puccValidUpto": iso(r, 2027, 2028),
            "status": "ACTIVE", "blacklistStatus": ""}


@gen("verify/utility/vehicle-rc-reverse")
def _(w, b, r, o):
    p = person_for(w, b["chassisNumber"])
    return {"registrationNumber": p["place"][3] + digits(r, 2) + letters(r, 2) + digits(r, 4), "engineNumber": b["engineNumber"], "chassisNumber": b["chassisNumber"],
            "ownerName": p["name"], "vehicleManufacturer": "Northgate Motors", "model": "Kestrel 3", "vehicleClass": "Motor Car", "status": "ACTIVE"}


@gen("verify/utility/fastag")
def _(w, b, r, o):
    return {"tagId": letters(r, 6) + digits(r, 14), "vehicleNumber": b["vehicleNumber"], "tagStatus": "Active", "vehicleClass": "VC4", "issueDate": iso(r, 2020, 2024), "issuerBank": r.choice(BANKS)[0]}


def _rs(r):
    return "₹ {:,.2f}".format(r.uniform(100, 9000))


@gen("verify/utility/electricity")
def _(w, b, r, o):
    p = person_for(w, b["consumerNumber"])
    a = _rs(r)
    return {"consumerNumber": b["consumerNumber"], "consumerName": p["name"], "billAmount": a if not o.d("bill_amount_number") else 812.5,
            "billDueDate": iso(r, 2026, 2026), "address": p["address"], "provider": b["serviceProvider"]}


@gen("verify/utility/property-tax")
def _(w, b, r, o):
    p = person_for(w, b["propertyNumber"])
    return {"propertyNumber": b["propertyNumber"], "ownerName": p["name"], "propertyAddress": p["address"], "ward": "Ward %d" % r.randint(1, 70), "billAmount": _rs(r),
            "dueDate": iso(r, 2026, 2026), "lastPaidAmount": _rs(r), "lastPaidDate": iso(r, 2024, 2025)}


@gen("verify/utility/png")
def _(w, b, r, o):
    p = person_for(w, b["bpNumber"])
    return {"bpNumber": b["bpNumber"], "consumerName": p["name"], "address": p["address"], "connectionStatus": "Active", "billAmount": _rs(r), "dueDate": iso(r, 2026, 2026)}


@gen("verify/utility/lpg")
def _(w, b, r, o):
    p = person_for(w, b["lpgId"])
    return {"lpgId": b["lpgId"], "consumerName": p["name"], "distributor": "Gas Agency " + p["place"][0], "address": p["address"], "subsidyStatus": "Active"}


# ------------------------------------------------------------------ document
@gen("verify/document/forgery")
def _(w, b, r, o):
    th = b.get("threshold", 20)
    if o.d("forgery_threshold_ignored"):
        th = 20
    if o.d("forgery_threshold_default_90") and "threshold" not in o.given:
        th = 90
    out = []
    urls = b["imageUrls"]
    if o.d("forgery_first_image_only"):
        urls = urls[:1]
    for u in urls:
        q = Rng(seed_of(w.seed, "img", u))
        bad = "forged" in u.lower() and "not" not in u.lower()
        sc = {k: round(q.uniform(0, 15), 1) for k in ("splice", "photocopy", "webcheck", "screenshot")}
        if bad:
            sc["splice"] = round(q.uniform(40, 80), 1)
        worst = max(sc.values())
        forged = worst > th
        s = {"status": "Forged" if forged else "Not Forged"}
        for k, v in sc.items():
            s[k + "Detection"] = "Yes" if v > th else "No"
            s[k + "DetectionScore"] = v
        s["textmatch"] = "Yes" if b.get("textFields") else "No"
        s["textmatchScore"] = 96.5 if b.get("textFields") else 0
        s["reason"] = "Splice score above threshold" if forged else ""
        if o.d("forgery_flag_bool"):
            for k in sc:
                s[k + "Detection"] = s[k + "Detection"] == "Yes"
        res = [q.randint(600, 4000), q.randint(600, 4000)]
        if o.d("forgery_resolution_text"):
            res = "%dx%d" % tuple(res)
        out.append({"imageUrl": u, "summary": s, "metadata": {"resolution": res, "cameraMake": "", "cameraModel": "", "software": "", "captureDate": iso(q, 2020, 2025) + "T09:30:00Z"}})
    return {"trackingId": "trk-" + digits(r, 10), "imageResults": out}


@gen("verify/document/digilocker")
def _(w, b, r, o):                     # the terminal result
    p = w.person(r)
    docs = b.get("requestedDocs") or ["PANCR", "DRVLC"]
    return {"documents": [{"docType": d, "name": p["name"], "issuedOn": iso(r, 2012, 2023), "content": PIXEL} for d in docs]}


@gen("verify/document/kyc-ocr")
def _(w, b, r, o):
    p = w.person(r)
    t = (b.get("docTypes") or ["PAN"])[0]
    d = {"documentType": t, "pageNo": 1}
    f = {"name": p["name"].upper(), "dob": p["dob"], "pan": letters(r, 3) + "P" + letters(r, 1) + digits(r, 4) + letters(r, 1), "doi": iso(r, 2012, 2022), "father": p["father"].upper()}
    if o.d("ocr_dates_as_printed"):
        f.update((k, "/".join(reversed(f[k].split("-")))) for k in ("dob", "doi"))
    if o.d("ocr_nested"):
        d["ocrData"] = f
    else:
        for k, v in f.items():
            d["ocrData." + k] = v
    q = b.get("returnQualityChecks") or ["ALL"]
    names = ["BRIGHTNESS", "BLUR", "BLACK_AND_WHITE", "CUT_CARD"] if "ALL" in q else q
    for i, n in enumerate(names):
        d["qualityChecks[%d]" % i] = "%s %.2f %s" % (n, r.uniform(.8, .99), "OK" if not o.d("quality_flag_missing") else "")
    return d


@gen("verify/document/cheque-ocr")
def _(w, b, r, o):
    p = w.person(r)
    bank = r.choice(BANKS)
    d = {"name": p["name"].upper(), "accNo": digits(r, 12), "chequeNo": digits(r, 6), "ifsc": bank[1] + "0" + digits(r, 6), "micr": digits(r, 9), "bank": bank[0]}
    f = {"branch": p["place"][0] + " Main", "city": p["place"][0], "state": p["place"][2]}
    if o.d("cheque_bank_details_nested"):
        d["bankDetails"] = f
    else:
        for k, v in f.items():
            d["bankDetails." + k] = v
    return d


@gen("verify/document/kyc-ocr-s")
def _(w, b, r, o):
    return {"docType": r.choice(["PAN", "DL", "PASSPORT"]), "status": "PROCESSED", "requestId": "ocr-" + digits(r, 9)}


# ------------------------------------------------------------------- address
@gen("verify/address/geocode")
def _(w, b, r, o):
    p = w.person(r)
    d = {"address": p["address"], "latitude": b["latitude"], "longitude": b["longitude"], "confidenceScore": round(r.uniform(.7, .99), 2), "city": p["place"][0], "state": p["place"][2],
         "stateCode": p["place"][3], "country": "India", "countryCode": "IN", "zipcode": p["place"][4]}
    if o.d("geocode_coordinates_swapped"):
        d["latitude"], d["longitude"] = d["longitude"], d["latitude"]
    if o.d("geocode_coordinates_number"):
        d["latitude"], d["longitude"] = float(b["latitude"]), float(b["longitude"])
    return d


@gen("verify/address/geo-fence")
def _(w, b, r, o):
    q = Rng(seed_of(w.seed, "ip", b["ip"]))
    p = w.person(q)
    ok = b["state"].upper() == p["place"][3] and b["country"].upper() == "IN"
    if o.d("geofence_always_valid"):
        ok = True
    if o.d("geofence_inverted"):
        ok = not ok
    if o.d("geofence_never_valid"):
        ok = False
    return {"ip": b["ip"], "country": "India", "countryCode": "IN", "state": p["place"][2], "stateCode": p["place"][3], "city": p["place"][0], "zipCode": p["place"][4],
            "latitude": round(q.uniform(9, 31), 4), "longitude": round(q.uniform(70, 92), 4), "asn": "AS%d" % q.randint(9000, 65000), "riskip": False, "validUser": ok}


@gen("verify/address/match")
def _(w, b, r, o):
    s = address_score(b["address1"], b["address2"])
    a = parse_address(b["address1"])
    th = .8
    if o.d("address_match_threshold_06"):
        th = .6
    if o.d("address_match_threshold_095"):
        th = .95
    m = s >= th
    if o.d("address_match_percent"):
        s = int(s * 100)
    if o.d("address_match_parts_of_second"):
        a = parse_address(b["address2"])
    return {"score": s, "match": m, "address1.house": a["house"], "address1.street": a["street"], "address1.pin": a["pin"], "address1.state": a["state"]}


@gen("verify/address/split")
def _(w, b, r, o):
    a = parse_address(b["address"])
    d = {"House": a["house"], "Floor": a["floor"], "Building": a["building"], "Street": a["street"], "locality": a["locality"], "Landmark": a["landmark"], "Pin": a["pin"]}
    if o.d("split_pin_string"):
        d["Pin"] = str(d["Pin"])
    infer = b.get("inferState", False)
    if o.d("split_infer_default_true") and "inferState" not in o.given:
        infer = True
    if infer and a["pin"] and not o.d("split_state_missing"):
        d["State"] = "GOA" if o.d("split_state_of_goa") else a["inferred"] or a["state"]
    return d


@gen("verify/name/match")
def _(w, b, r, o):
    s = name_score(b["name1"], b["name2"], not b.get("suppressReorderPenalty"), bool(b.get("allowPartialMatch")))
    res = s >= .8
    if o.d("name_match_inverted"):
        res = not res
    if o.d("name_match_score_constant"):
        s = 1
    if o.d("name_match_percent"):
        s = s * 100
    if o.d("name_match_ascii_only") and not (b["name1"] + b["name2"]).isascii():
        s = None
    return {"score": s, "result": res}
