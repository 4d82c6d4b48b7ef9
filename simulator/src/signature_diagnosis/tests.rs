//! Every mistake is made here on purpose, and the diagnosis must name it.

use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL, HEXLOWER, HEXLOWER_PERMISSIVE, HEXUPPER};
use hmac::{Hmac, KeyInit as _, Mac as _};
use proptest::prelude::{any, prop_assert_eq, proptest};
use sha2::{Digest as _, Sha256, Sha512};

use super::{Certainty, SignatureCase, Verdict, diagnose};
use crate::engine::state::signature::{Signature, base_string};

const SECRET: &str = "whsec_c2FtcGxlIHNlY3JldA";
const OTHERS: [(&str, &str); 1] = [("the API key", "svc_test_local")];
const NOW_S: i64 = 1_800_000_000;
const BODY: &str = "{\"success\":true,\"verificationId\":\"svcv_1\",\"data\":{\"name\":\"ZO\u{cb} <RAO>\",\
                    \"url\":\"http://127.0.0.1/a\",\"score\":1.0,\"count\":2}}";

fn case<'a>(headers: &'a [&'a str], body: &'a [u8]) -> SignatureCase<'a> {
    SignatureCase {
        secret: SECRET,
        others: &OTHERS,
        headers,
        body,
        now_s: NOW_S,
        tolerance_s: 300,
    }
}

fn codes(verdict: Verdict) -> Vec<&'static str> {
    match verdict {
        Verdict::Valid { .. } => Vec::new(),
        Verdict::NotValid(diagnoses) => diagnoses.iter().map(|it| it.code).collect(),
    }
}

fn said_of(header: &str, body: &[u8]) -> Vec<&'static str> {
    codes(diagnose(&case(&[header], body)))
}

fn hmac(key: &[u8], message: &[u8]) -> Vec<u8> {
    let mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.chain_update(message).finalize().into_bytes().to_vec()
}

fn header(mac: &[u8]) -> String {
    format!("t={NOW_S},v1={}", HEXLOWER.encode(mac))
}

/// What is said of the sample body when this was signed.
fn said_when_signed(signed: &[u8]) -> Vec<&'static str> {
    said_of(&header(&hmac(SECRET.as_bytes(), signed)), BODY.as_bytes())
}

/// What is said when a genuine delivery's body reaches the check as this.
fn said_when_received(received: &[u8]) -> Vec<&'static str> {
    said_of(&genuine().to_string(), received)
}

fn genuine() -> Signature {
    Signature::sign(SECRET, NOW_S, BODY.as_bytes())
}

#[test]
fn a_genuine_delivery_is_valid_up_to_the_tolerance_on_both_sides() {
    for (at_s, said) in [
        (NOW_S, vec![]),
        (NOW_S - 300, vec![]),
        (NOW_S + 300, vec![]),
        (NOW_S - 301, vec!["too-old"]),
        (NOW_S + 301, vec!["from-the-future"]),
        (0, vec!["too-old"]),
    ] {
        let signed = Signature::sign(SECRET, at_s, BODY.as_bytes()).to_string();
        assert_eq!(said_of(&signed, BODY.as_bytes()), said, "{at_s}");
    }
}

#[test]
fn mistakes_of_the_header_are_named() {
    let hex = HEXLOWER.encode(&genuine().mac);
    let base64 = BASE64.encode(&genuine().mac);
    let t = NOW_S;
    for (value, said) in [
        (String::new(), &["header-empty"][..]),
        (" ".into(), &["header-spaces", "header-empty"]),
        (format!("v1={hex},t={t}"), &["part-order"]),
        (format!("t={t}, v1={hex}"), &["header-spaces"]),
        (format!("t={t};v1={hex}"), &["header-separator"]),
        (format!("t={t}&v1={hex}"), &["header-separator"]),
        (format!("t={t},v0={hex}"), &["scheme-v0"]),
        (format!("t={t},v1={hex},v2=1"), &["part-unknown"]),
        (format!("t={t},v1={hex},"), &["part-unknown"]),
        (format!("t={t},v1={hex},v1={hex}"), &["part-twice"]),
        (format!("T={t},V1={hex}"), &["part-case", "part-case"]),
        (format!("\"t={t},v1={hex}\""), &["header-quoted"]),
        (
            format!("X-Service-Signature:t={t},v1={hex}"),
            &["header-name-in-value"],
        ),
        (format!("t={t},v1=sha256={hex}"), &["scheme-prefix"]),
        (
            format!("t={t},v1={}", HEXUPPER.encode(&genuine().mac)),
            &["hex-uppercase"],
        ),
        (format!("t={t},v1={base64}"), &["base64"]),
        (
            format!("t={t},v1={}", BASE64URL.encode(&genuine().mac)),
            &["base64"],
        ),
        (
            format!("t={t},v1={}", BASE64_NOPAD.encode(hex.as_bytes())),
            &["base64"],
        ),
        (format!("t={t},v1={}", &hex[..40]), &["hex-length"]),
        (format!("t={t},v1={hex}00"), &["hex-length"]),
        (format!("t={t},v1="), &["hex-length"]),
        (format!("t={t},v1=wrong"), &["not-hex"]),
        (format!("t={t}"), &["signature-missing"]),
        (hex.clone(), &["part-unknown", "time-missing"]),
    ] {
        let found = said_of(&value, BODY.as_bytes());
        assert_eq!(found, said, "{value}");
    }
    assert_eq!(codes(diagnose(&case(&[], b"{}"))), ["header-missing"]);
    let twice = genuine().to_string();
    assert_eq!(
        codes(diagnose(&case(&[&twice, &twice], BODY.as_bytes()))),
        ["header-several"]
    );
}

#[test]
fn mistakes_of_the_time_are_named() {
    let signed = |time: &str| {
        let mac = hmac(SECRET.as_bytes(), format!("{time}.{BODY}").as_bytes());
        said_of(
            &format!("t={time},v1={}", HEXLOWER.encode(&mac)),
            BODY.as_bytes(),
        )
    };
    assert_eq!(signed("1800000000123"), ["time-unit"]);
    assert_eq!(signed("1800000000123456"), ["time-unit"]);
    assert_eq!(signed("1700000000123"), ["time-unit", "too-old"]);
    assert_eq!(signed("1800000000.5"), ["time-not-a-number"]);
    assert_eq!(signed("2027-01-15T08:00:00Z"), ["time-not-a-number"]);
    assert_eq!(signed("99999999999999999999"), ["time-not-a-number"]);
    assert_eq!(signed("01800000000"), ["time-spelling"]);
    assert_eq!(
        said_when_signed(format!("{NOW_S}000.{BODY}").as_bytes()),
        ["time-differs"]
    );
    let mac = HEXLOWER.encode(&genuine().mac);
    let milliseconds = format!("t={NOW_S}123,v1={mac}");
    assert_eq!(
        said_of(&milliseconds, BODY.as_bytes()),
        ["time-unit", "time-differs"]
    );
}

#[test]
fn other_ways_to_join_time_and_body_are_named() {
    for (signed, said) in [
        (BODY.to_owned(), "body-alone"),
        (format!("{NOW_S}{BODY}"), "no-dot"),
        (format!("{NOW_S}:{BODY}"), "join"),
        (format!("{NOW_S}\n{BODY}"), "join"),
        (format!("t={NOW_S}.{BODY}"), "join"),
        (format!("{BODY}.{NOW_S}"), "join"),
        (format!("{BODY}{NOW_S}"), "join"),
    ] {
        assert_eq!(said_when_signed(signed.as_bytes()), [said], "{signed}");
    }
}

#[test]
fn a_body_printed_anew_is_named_whichever_side_did_it() {
    let python = "{\"success\": true, \"verificationId\": \"svcv_1\", \"data\": {\"name\": \"ZO\\u00cb <RAO>\", \
                  \"url\": \"http://127.0.0.1/a\", \"score\": 1.0, \"count\": 2}}";
    let sorted = "{\"data\":{\"count\":2,\"name\":\"ZO\u{cb} <RAO>\",\"score\":1.0,\"url\":\"http://127.0.0.1/a\"},\
                  \"success\":true,\"verificationId\":\"svcv_1\"}";
    let value: serde_json::Value = serde_json::from_str(BODY).unwrap();
    let pretty = serde_json::to_string_pretty(&value).unwrap();
    let javascript = BODY.replace("1.0", "1");
    for other in [
        python,
        &pretty,
        &pretty.replace("  ", "    "),
        &javascript,
        &BODY.replace('/', "\\/"),
    ] {
        assert_eq!(
            said_when_received(other.as_bytes()),
            ["body-reprinted"],
            "{other}"
        );
        let signed = base_string(NOW_S, other.as_bytes());
        assert_eq!(said_when_signed(&signed), ["body-reprinted"], "{other}");
    }
    assert_eq!(
        said_when_signed(&base_string(NOW_S, sorted.as_bytes())),
        ["body-reprinted"]
    );
}

#[test]
fn a_body_changed_on_the_way_is_named() {
    let lines = |end: &str| format!("{{{end}\"a\": 1,{end}\"b\": \"\u{e9}\"{end}}}");
    let said = |signed: &[u8], received: &[u8]| {
        said_of(
            &Signature::sign(SECRET, NOW_S, signed).to_string(),
            received,
        )
    };
    let (unix, windows) = (lines("\n"), lines("\r\n"));
    let (unix, windows) = (unix.as_bytes(), windows.as_bytes());
    let latin = b"{\n\"a\": 1,\n\"b\": \"\xe9\"\n}";
    let twice = "{\n\"a\": 1,\n\"b\": \"\u{c3}\u{a9}\"\n}".as_bytes();
    let marked = [b"\xef\xbb\xbf", unix].concat();
    let ended = [unix, b"\n"].concat();
    for (signed, received, name) in [
        (unix, windows, "body-line-ends"),
        (windows, unix, "body-line-ends"),
        (unix, &ended, "body-line-ends"),
        (&ended, unix, "body-line-ends"),
        (unix, &marked, "body-encoding"),
        (&marked, unix, "body-encoding"),
        (unix, latin, "body-encoding"),
        (latin, unix, "body-encoding"),
        (unix, twice, "body-encoding"),
        (twice, unix, "body-encoding"),
        (b"", unix, "body-not-signed"),
        (&unix[..9], unix, "body-longer"),
    ] {
        assert_eq!(
            said(signed, received),
            [name],
            "{}",
            String::from_utf8_lossy(received)
        );
    }
    let printed = serde_json::to_string(BODY).unwrap();
    assert_eq!(
        said_when_received(printed.as_bytes()),
        ["body-printed-twice"]
    );
}

#[test]
fn what_can_only_be_guessed_is_said_to_be_a_guess() {
    for (received, said) in [
        (&b""[..], "body-empty"),
        (&BODY.as_bytes()[..60], "body-cut"),
        (b"hello", "body-not-json"),
        ("{\"name\":\"ZO\u{fffd}\"}".as_bytes(), "body-undecodable"),
        (b"\xff\xfe", "body-not-utf8"),
    ] {
        let Verdict::NotValid(found) = diagnose(&case(&[&genuine().to_string()], received)) else {
            panic!("{said} is valid");
        };
        assert_eq!(
            found.iter().map(|it| it.code).collect::<Vec<_>>(),
            [said, "unexplained"]
        );
        assert!(found.iter().all(|it| it.certainty == Certainty::Suspected));
    }
    assert_eq!(
        said_when_received(&BODY.as_bytes().to_ascii_uppercase()),
        ["body-not-json", "unexplained"]
    );
    assert_eq!(
        said_when_received(BODY.replace("RAO", "SEN").as_bytes()),
        ["unexplained"]
    );
}

#[test]
fn another_key_is_named_by_what_it_is() {
    let base = base_string(NOW_S, BODY.as_bytes());
    let bare = SECRET.strip_prefix("whsec_").unwrap();
    for (key, said) in [
        ("svc_test_local".as_bytes().to_vec(), "secret-other"),
        (format!("{SECRET}\n").into(), "secret-white-space"),
        (format!(" {SECRET}").into(), "secret-white-space"),
        (format!("\"{SECRET}\"").into(), "secret-white-space"),
        (bare.into(), "secret-encoding"),
        (
            BASE64_NOPAD.decode(bare.as_bytes()).unwrap(),
            "secret-encoding",
        ),
        (HEXLOWER.encode(SECRET.as_bytes()).into(), "secret-encoding"),
        (Vec::new(), "secret-not-set"),
        ("undefined".into(), "secret-not-set"),
    ] {
        assert_eq!(
            said_of(&header(&hmac(&key, &base)), BODY.as_bytes()),
            [said]
        );
    }
    let given = |secret, key: &[u8]| {
        let header = header(&hmac(key, &base));
        codes(diagnose(&SignatureCase {
            secret,
            ..case(&[&header], BODY.as_bytes())
        }))
    };
    assert_eq!(
        given("whsec_sample\n", b"whsec_sample"),
        ["secret-white-space"]
    );
    assert_eq!(
        given("'whsec_sample'", b"whsec_sample"),
        ["secret-white-space"]
    );
    let hex = HEXLOWER_PERMISSIVE.decode(b"C0FFEE").unwrap();
    assert_eq!(given("C0FFEE", &hex), ["secret-encoding"]);
}

#[test]
fn another_hash_is_named() {
    let base = base_string(NOW_S, BODY.as_bytes());
    let sha512 = Hmac::<Sha512>::new_from_slice(SECRET.as_bytes()).unwrap();
    let sha512 = sha512.chain_update(&base).finalize().into_bytes().to_vec();
    assert_eq!(
        said_of(&header(&sha512), BODY.as_bytes()),
        ["hex-length", "hash"]
    );
    assert_eq!(said_of(&header(&[7; 20]), BODY.as_bytes()), ["hex-length"]);
    let plain = |pieces: &[&[u8]]| header(&Sha256::digest(pieces.concat()));
    assert_eq!(said_of(&plain(&[&base]), BODY.as_bytes()), ["hash"]);
    assert_eq!(
        said_of(&plain(&[SECRET.as_bytes(), &base]), BODY.as_bytes()),
        ["hash"]
    );
    assert_eq!(
        said_of(&plain(&[&base, SECRET.as_bytes()]), BODY.as_bytes()),
        ["hash"]
    );
    assert_eq!(
        said_of(&header(&hmac(&base, SECRET.as_bytes())), BODY.as_bytes()),
        ["hash"]
    );
}

#[test]
fn two_mistakes_at_once_are_both_named() {
    let signed = hmac(b"svc_test_local", BODY.as_bytes());
    assert_eq!(
        said_of(&header(&signed), BODY.as_bytes()),
        ["secret-other", "body-alone"]
    );
    let signed = hmac(
        b"svc_test_local",
        &base_string(NOW_S - 400, BODY.replace("1.0", "1").as_bytes()),
    );
    let header = format!("t={},v1={}", NOW_S - 400, HEXUPPER.encode(&signed));
    let said = ["hex-uppercase", "body-reprinted", "secret-other", "too-old"];
    assert_eq!(said_of(&header, BODY.as_bytes()), said);
}

#[test]
fn no_secret_is_ever_in_the_words() {
    let base = base_string(NOW_S, BODY.as_bytes());
    for key in [
        "svc_test_local",
        "",
        "other",
        &format!("{SECRET}\n"),
        &SECRET[6..],
    ] {
        let words = format!(
            "{:?}",
            diagnose(&case(
                &[&header(&hmac(key.as_bytes(), &base))],
                BODY.as_bytes()
            ))
        );
        assert!(
            !words.contains(SECRET) && !words.contains(&SECRET[6..]),
            "{words}"
        );
        assert!(!words.contains("svc_test_local"), "{words}");
    }
}

#[test]
fn the_words_say_what_was_seen_why_and_what_to_do() {
    let signed = header(&hmac(SECRET.as_bytes(), BODY.as_bytes()));
    insta::assert_debug_snapshot!(diagnose(&case(&[&signed], BODY.as_bytes())), @r#"
    NotValid(
        [
            Diagnosis {
                code: "body-alone",
                certainty: Proven,
                seen: "the signature is over the body alone",
                why: "The time was left out of what is signed. A recorded delivery could then be sent again at any time.",
                advice: "Sign the time as it stands in the header, a dot, and the raw body: hmac_sha256(secret, t + \".\" + body).",
            },
        ],
    )
    "#);
    insta::assert_debug_snapshot!(diagnose(&case(&[&header(&[7; 32])], b"{}")), @r#"
    NotValid(
        [
            Diagnosis {
                code: "unexplained",
                certainty: Suspected,
                seen: "the signature is that of another secret or of another body",
                why: "None of the usual mistakes gives it. Tried were: 672 combinations, up to 2 mistakes at once, of: 18 keys (the secret with white space or quotes, decoded, encoded, without `whsec_`, not set, and the other secrets given), 17 ways to join time and body, the body with other line ends, character sets and byte order marks, empty, cut at its end, printed twice, or printed anew as other languages print JSON, and 5 kinds of hash.",
                advice: "Compare the secret with the registered one, character by character (its length first), and the body with what was sent, byte by byte (its length first). If both are the same, the sender is not who you think.",
            },
        ],
    )
    "#);
}

#[test]
fn a_search_that_grows_too_long_ends_and_says_so() {
    let body = format!("[{}1]", "1,".repeat(10_000));
    let headers = [];
    let searched = |most_bytes| {
        let case = case(&headers, body.as_bytes());
        super::search::search(&case, Some("1800000000"), &[7; 32], most_bytes)
    };
    let ended = searched(200_000);
    assert!(ended.found.is_none() && ended.tried.contains("not all combinations"));
    assert!(ended.tried.starts_with("7 combinations"), "{}", ended.tried);
}

proptest! {
    #[test]
    fn a_header_is_refused_exactly_when_something_is_wrong_with_it(
        header in "(v1|t|v0|T)?=?[0-9a-f. ]{0,12},?(v1=|v1)?([0-9a-fA-F]{64}|.{0,70}),?"
    ) {
        let refused = Signature::parse(&header).is_err();
        let mistakes = super::header::read(&[&header]).mistakes;
        let wrong = mistakes.iter().any(|it| it.code != "time-unit");
        prop_assert_eq!(refused, wrong, "{:?}", mistakes);
    }

    #[test]
    fn nothing_that_comes_makes_it_panic(header in ".{0,100}", body in any::<Vec<u8>>(), now_s in any::<i64>()) {
        let verdict = diagnose(&SignatureCase { now_s, tolerance_s: u64::MAX, ..case(&[&header], &body) });
        prop_assert_eq!(matches!(verdict, Verdict::Valid { .. }), false);
    }
}
