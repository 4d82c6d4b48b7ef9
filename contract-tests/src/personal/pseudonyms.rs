//! Personal data blacked out: found by the names of members, as the contract's rows and
//! `personal.toml` say, then replaced wherever the same value stands.
//!
//! Equal values get equal pseudonyms and different ones different pseudonyms, and a date stays a date,
//! so that a saved capture can still be judged.

use std::collections::{BTreeMap, BTreeSet};

use data_encoding::BASE64;
use serde_json::Value;

use super::collecting::{Context, Known, TELLING, collect};
use super::days::{Days, Written};
use super::members::PersonalMembers;
use super::replacing::{SHORTEST, in_text, replace_in_case};
use crate::capture::{CapturedCase, Channel, Exchange};
use crate::event::CheckResult;
use crate::verdict::Verdict;

/// What stands in place of each personal value, the same for the same one.
#[derive(Debug, Clone)]
pub struct Pseudonyms {
    personal: PersonalMembers,
    known: BTreeMap<String, String>,
    /// By what is the same of several values, as a day in several layouts, the number of their stand-ins.
    numbers: BTreeMap<String, usize>,
    days: Days,
}

/// How many years earlier the stand-ins of days are, where nobody says.
const EARLIER: u16 = 700;

impl Pseudonyms {
    /// None yet.
    #[must_use]
    pub fn of(personal: PersonalMembers) -> Self {
        Pseudonyms {
            personal,
            known: BTreeMap::new(),
            numbers: BTreeMap::new(),
            days: Days::earlier(EARLIER),
        }
    }

    /// The same with other years for days: who reads a recording is not to know the real ones.
    #[must_use]
    pub fn with_chance(self, chance: u16) -> Self {
        Pseudonyms {
            days: Days::earlier(EARLIER - chance % 200),
            ..self
        }
    }

    /// A case without personal data. Values in `keep` stay: the plan itself sent them, they are
    /// written in the contract's rows, and the judge compares with them.
    pub fn case(&mut self, case: &CapturedCase, keep: &BTreeSet<String>) -> CapturedCase {
        let mine = self.found_in(&case.exchanges, keep);
        let mut clean = case.clone();
        replace_in_case(&mine, &mut clean);
        clean
    }

    /// What was judged, without personal data. What everybody can read in the documents stays: calls with it can be made
    /// again as they are printed.
    pub fn replace_in(&mut self, result: &mut CheckResult) {
        let evidence = result.evidence.iter();
        let exchanges = evidence.flat_map(|case| &case.exchanges);
        let public = self.personal.public().clone();
        let mine = self.found_in(exchanges, &public);
        for case in &mut result.evidence {
            replace_in_case(&mine, case);
        }
        for finding in &mut result.findings {
            match &mut finding.verdict {
                Verdict::Broken {
                    expected, found, ..
                } => {
                    *expected = in_text(&mine, expected);
                    *found = in_text(&mine, found);
                }
                Verdict::NotJudged { why } => *why = in_text(&mine, why),
                Verdict::Noted { found, .. } => *found = in_text(&mine, found),
                Verdict::Held { .. } => {}
            }
        }
    }

    /// One exchange, without personal data.
    pub fn replace_in_exchange(&mut self, exchange: &mut Exchange) {
        let public = self.personal.public().clone();
        let mine = self.found_in([&*exchange], &public);
        let mut case = CapturedCase {
            exchanges: vec![exchange.clone()],
            ..CapturedCase::new("", "")
        };
        replace_in_case(&mine, &mut case);
        if let Some(clean) = case.exchanges.pop() {
            *exchange = clean;
        }
    }

    /// The personal values of some exchanges with their stand-ins, the longest first.
    fn found_in<'x>(
        &mut self,
        exchanges: impl IntoIterator<Item = &'x Exchange>,
        keep: &BTreeSet<String>,
    ) -> Vec<(String, String)> {
        let mut values = BTreeSet::new();
        for exchange in exchanges {
            let answered = exchange.response.iter().chain(&exchange.result);
            let answered = answered.map(|response| &response.body);
            for body in [&exchange.request.body].into_iter().chain(answered) {
                if let Ok(json) = serde_json::from_slice(body) {
                    let context = match exchange.request.channel {
                        Channel::Api | Channel::Webhook => Context::Openly,
                        _ => Context::Elsewhere,
                    };
                    let known = self.known_of(exchange, &json);
                    collect(known, &json, context, &mut values);
                    let free = self.personal.free();
                    for text in free.filter_map(|at| json.pointer(at)?.as_str()) {
                        self.in_free_text(text, &mut values);
                    }
                }
            }
            if let Some(text) = exchange.request.header("x-reference-id") {
                self.in_free_text(text, &mut values);
            }
        }
        let mut mine = Vec::new();
        // What is a part of what everybody can read, as a PAN is of a GSTIN, everybody can read.
        let sentinel = self.personal.sentinel();
        let kept = |value: &String| {
            let of = |text: &String| value.len() >= SHORTEST && text.contains(&**value);
            // Of what has the sentinel in it nobody is the holder, and no word of JSON is anybody's.
            let is_nobodys =
                value.contains(sentinel) || ["true", "false", "null"].contains(&&**value);
            is_nobodys || keep.contains(value) || keep.iter().any(of)
        };
        // A year is reckoned from a day, and stays where one does.
        let is_day = |value: &&String| Written::read(value).is_some();
        let years_stay = values.iter().filter(is_day).any(kept);
        let is_year = |value: &String| value.len() == 4 && value.parse::<u16>().is_ok();
        values.retain(|value| !(kept(value) || years_stay && is_year(value)));
        for value in values {
            let next = self.numbers.len() + 1;
            let number = *self.numbers.entry(likeness(&value)).or_insert(next);
            let days = &mut self.days;
            let known = self.known.entry(value.clone());
            let pseudonym = known.or_insert_with(|| pseudonym(&value, number, days));
            mine.push((value, pseudonym.clone()));
        }
        mine.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        mine
    }
}

impl Pseudonyms {
    /// The names that members of a body may have: those of the operation that was called, or of which it tells.
    fn known_of(&self, exchange: &Exchange, body: &Value) -> Known<'_> {
        let called = exchange.request.path.strip_prefix("/v1/");
        let called = called.map(|path| path.replace('/', "."));
        let told = body.get("endpoint").and_then(Value::as_str);
        let endpoint = told.or(called.as_deref());
        Known {
            personal: &self.personal,
            names: self.personal.names_of(endpoint),
            steps: self.personal.steps_of(endpoint),
        }
    }

    /// What a free text says of people: by its form, or since it stood where personal data does before.
    fn in_free_text(&self, text: &str, out: &mut BTreeSet<String>) {
        out.extend(TELLING.find_iter(text).map(|it| it.as_str().to_owned()));
        let is_of_word = |c: char| c.is_alphanumeric();
        let words = text.split(|c: char| !is_of_word(c));
        let seen = words.filter(|it| it.len() >= SHORTEST && self.known.contains_key(*it));
        out.extend(seen.map(str::to_owned));
    }
}

/// What values have alike that mean the same: the day, however it is written, and a text in any letters.
fn likeness(value: &str) -> String {
    let day = Written::read(value).map(|day| day.iso());
    day.unwrap_or_else(|| value.to_lowercase())
}

/// A stand-in unlike those of values that mean something else, in the form of the value: a date, a `data:` URI with its type, an address,
/// digits only, another number.
fn pseudonym(value: &str, number: usize, days: &mut Days) -> String {
    let day = Written::read(value).and_then(|day| days.stand_in(&day));
    let year = || value.parse().map(|year| days.year(year).to_string());
    let is_digits = value.bytes().all(|byte| byte.is_ascii_digit());
    match day {
        Some(day) => day,
        None if is_digits && value.len() >= 6 => {
            format!("7{number:0width$}", width = value.len() - 1)
        }
        // Years are of days: they lie as far apart.
        None if is_digits && value.len() == 4 => {
            year().unwrap_or_else(|_| format!("[redacted {number}]"))
        }
        // Where it stands without quotes, no text may.
        None if !is_digits && is_number(value) => format!("7.{number:04}1"),
        None => like_address(value, number).unwrap_or_else(|| format!("[redacted {number}]")),
    }
}

/// Whether it is a number such as a coordinate.
fn is_number(value: &str) -> bool {
    let plain = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
    !value.starts_with('+') && value.chars().all(plain) && value.parse::<f64>().is_ok()
}

/// The stand-in of a `data:` URI or of an address; none of another value.
fn like_address(value: &str, number: usize) -> Option<String> {
    if let Some(rest) = value.strip_prefix("data:") {
        let kind = rest.split(',').next().unwrap_or_default();
        let plain = |c: char| c.is_ascii_lowercase() || "/+-.;".contains(c);
        let named = kind.strip_suffix(";base64").is_some_and(|kind| {
            kind.len() < 40 && kind.starts_with("image/") && kind.chars().all(plain)
        });
        return Some(match named {
            true => format!(
                "data:{kind},{}",
                BASE64.encode(format!("redacted-{number}").as_bytes())
            ),
            false => format!("data:,redacted-{number}"),
        });
    }
    let scheme = ["https://", "http://"];
    let scheme = scheme.iter().find(|scheme| value.starts_with(**scheme))?;
    Some(format!("{scheme}redacted.example/{number}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sample;
    use svc_fixtures::contract::Contract;

    fn pseudonyms() -> Pseudonyms {
        Pseudonyms::of(PersonalMembers::of(&Contract::built_in()))
    }

    fn case(sent: &str, answered: &str) -> CapturedCase {
        CapturedCase {
            exchanges: vec![sample::exchange(sent, answered)],
            ..CapturedCase::new("a.check", "a case")
        }
    }

    fn answer(case: &CapturedCase) -> String {
        let response = case.exchanges[0].response.as_ref().expect("an answer");
        String::from_utf8_lossy(&response.body).into_owned()
    }

    #[test]
    fn personal_values_are_replaced_wherever_they_stand() {
        let captured = case(
            "{}",
            r#"{"data":{"fullName":"RAVI KUMAR","dob":"1990-02-03","dateOfBirth":"03/02/1990","gender":"M","mobile":9000000001,"status":"VALID","photo":"data:image/png;base64,AA"},"error":{"message":"no RAVI KUMAR here"},"verificationId":"svcv_RAVI"}"#,
        );
        let clean = pseudonyms().case(&captured, &BTreeSet::new());
        insta::assert_snapshot!(answer(&clean), @r#"{"data":{"fullName":"[redacted 4]","dob":"1290-07-01","dateOfBirth":"01/07/1290","gender":"[redacted 3]","mobile":7000000002,"status":"VALID","photo":"data:image/png;base64,cmVkYWN0ZWQtNQ=="},"error":{"message":"no [redacted 4] here"},"verificationId":"svcv_RAVI"}"#);
    }

    #[test]
    fn what_the_contract_does_not_know_and_what_is_said_freely_tells_of_nobody() {
        let mut pseudonyms = pseudonyms();
        let mut clean = |sent: &str, answered: &str| {
            let clean = pseudonyms.case(&case(sent, answered), &BTreeSet::new());
            let sent = String::from_utf8_lossy(&clean.exchanges[0].request.body).into_owned();
            format!("{sent}\n{}", answer(&clean))
        };
        let first = clean(
            r#"{"pan":"BKHPD4321K","note":"for Meera"}"#,
            r#"{"status":"completed","data":{"panStatus":"VALID","relationshipManager":"Rahul Bose","guardian":{"mail":"sunita@kale.example"},"riskBand":"completed"}}"#,
        );
        insta::assert_snapshot!(first, @r#"
        {"pan":"[redacted 1]","note":"[redacted 3]"}
        {"status":"completed","data":{"panStatus":"VALID","relationshipManager":"[redacted 2]","guardian":{"mail":"[redacted 4]"},"riskBand":"completed"}}
        "#);
        let later = clean(
            "{}",
            r#"{"referenceId":"user-BKHPD4321K","error":{"message":"like BKHPQ9999K, 9822012345, meera@example.com"}}"#,
        );
        insta::assert_snapshot!(later, @r#"
        {}
        {"referenceId":"user-[redacted 1]","error":{"message":"like [redacted 6], 7000000005, [redacted 7]"}}
        "#);
    }

    #[test]
    fn of_a_step_that_a_bundle_tells_in_its_own_form_is_known_what_is_known_of_its_operation() {
        let told = |data: &str| {
            let answer = format!(
                r#"{{"endpoint":"bundles.company-tan-identity","data":{{"checks":{{"first":{data}}}}}}}"#
            );
            let clean = pseudonyms().case(&case("{}", &answer), &BTreeSet::new());
            let clean = self::answer(&clean);
            let from = clean.find("first").unwrap() + "first\":".len();
            clean[from..].strip_suffix("}}}").unwrap().to_owned()
        };
        let step = r#"{"tan":"PNEK12345B","name":"KALE MILLS","category":"Company","status":"Active","note":"by Meera"}"#;
        insta::assert_snapshot!(told(step), @r#"{"tan":"[redacted 2]","name":"[redacted 1]","category":"Company","status":"Active","note":"[redacted 3]"}"#);
        // Too few of them, or of another operation: it may be anything.
        insta::assert_snapshot!(told(r#"{"status":"Meera","category":"Kale"}"#), @r#"{"status":"[redacted 2]","category":"[redacted 1]"}"#);
        insta::assert_snapshot!(told(r#"{"panStatus":"Meera","category":"Kale","lastUpdated":"once"}"#), @r#"{"panStatus":"[redacted 2]","category":"[redacted 1]","lastUpdated":"[redacted 3]"}"#);
    }

    #[test]
    fn a_day_in_two_layouts_and_a_name_in_two_letters_have_one_stand_in() {
        let captured = case(
            r#"{"dateOfBirth":"03/02/1990","name":"Ravi Kumar"}"#,
            r#"{"data":{"dob":"1990-02-03","fullName":"RAVI KUMAR"}}"#,
        );
        let clean = pseudonyms().case(&captured, &BTreeSet::new());
        let sent = String::from_utf8_lossy(&clean.exchanges[0].request.body).into_owned();
        insta::assert_snapshot!(sent, @r#"{"dateOfBirth":"01/07/1290","name":"[redacted 2]"}"#);
        insta::assert_snapshot!(answer(&clean), @r#"{"data":{"dob":"1290-07-01","fullName":"[redacted 2]"}}"#);
    }

    #[test]
    fn a_reference_that_is_carried_has_no_number_of_an_account_in_it() {
        let captured = case(
            r#"{"origRequestId":"v1-501020033110"}"#,
            r#"{"data":{"requestId":"v1-501020033110"}}"#,
        );
        let clean = pseudonyms().case(&captured, &BTreeSet::new());
        let clean = serde_json::to_string(&clean).expect("JSON");
        assert!(!clean.contains("501020033110"), "{clean}");
    }

    #[test]
    fn what_is_written_about_somebody_is_replaced_and_what_only_another_operation_has() {
        let captured = case(
            "{}",
            r#"{"endpoint":"verify.identity.pan","data":{"category":"Individual","panStatus":"for 98123 99866","details":"Meera Kale","summary":["seen"],"source":"her cousin"},"error":{"details":"Meera"}}"#,
        );
        let clean = pseudonyms().case(&captured, &BTreeSet::new());
        insta::assert_snapshot!(answer(&clean), @r#"{"endpoint":"verify.identity.pan","data":{"category":"Individual","panStatus":"for [redacted 1]","details":"[redacted 3]","summary":["[redacted 5]"],"source":"[redacted 4]"},"error":{"details":"[redacted 2]"}}"#);
    }

    #[test]
    fn escapes_hide_no_name_numbers_no_pin_and_an_endpoint_is_no_name() {
        let captured = case(
            r#"{"name":"Jos\u00e9 \u0042ose \/ \ud83d\ude00","pdfPassword":"Tiger@98"}"#,
            r#"{"endpoint":"bundles.fraud-check","data":{"bundleName":"fraud-check","fullName":"José Bose / 😀","Pin":600004}}"#,
        );
        let clean = pseudonyms().case(&captured, &BTreeSet::new());
        let sent = String::from_utf8_lossy(&clean.exchanges[0].request.body).into_owned();
        insta::assert_snapshot!(sent, @r#"{"name":"[redacted 2]","pdfPassword":"[redacted 3]"}"#);
        insta::assert_snapshot!(answer(&clean), @r#"{"endpoint":"bundles.fraud-check","data":{"bundleName":"fraud-check","fullName":"[redacted 2]","Pin":700001}}"#);
    }

    #[test]
    fn a_coordinate_is_another_number_in_a_text_and_without_quotes() {
        let captured = case(
            r#"{"latitude":"12.5"}"#,
            r#"{"data":{"latitude":12.5,"longitude":-77.123456}}"#,
        );
        let clean = pseudonyms().case(&captured, &BTreeSet::new());
        let expected = r#"{"data":{"latitude":7.00021,"longitude":7.00011}}"#;
        assert_eq!(answer(&clean), expected);
        assert_eq!(
            clean.exchanges[0].request.body,
            br#"{"latitude":"7.00021"}"#
        );
    }

    #[test]
    fn what_comes_later_or_stands_as_json_in_a_text_is_replaced() {
        let delivered = r#"{"deliveries":[{"body":"{\"data\":{\"fullName\":\"RAVI KUMAR\"}}"}]}"#;
        let mut captured = case("{}", delivered);
        let before = sample::exchange("{}", r#"{"data":{"fullName":"ANITA RAO"}}"#);
        captured.exchanges.push(before);
        let clean = pseudonyms().case(&captured, &BTreeSet::new());
        let text = format!("{:?} {}", clean.exchanges[1].response, answer(&clean));
        assert!(!text.contains("RAVI") && !text.contains("ANITA"), "{text}");
        let clean = serde_json::to_string(&clean).expect("JSON");
        assert!(
            !clean.contains("RAVI") && !clean.contains("ANITA"),
            "{clean}"
        );
        let mut result = CheckResult {
            evidence: vec![captured],
            ..CheckResult::default()
        };
        pseudonyms().replace_in(&mut result);
        let evidence = serde_json::to_string(&result.evidence).expect("JSON");
        assert!(
            !evidence.contains("RAVI") && !evidence.contains("ANITA"),
            "{evidence}"
        );
    }

    #[test]
    fn a_report_keeps_what_everybody_can_read_and_nothing_else() {
        let captured = case(
            r#"{"pan":"AAAAA0000A","name":"ASHA RAO"}"#,
            r#"{"data":{"pan":"BKHPD4321K","nameOnPan":"RAVI KUMAR"}}"#,
        );
        let mut result = CheckResult {
            evidence: vec![captured],
            ..CheckResult::default()
        };
        pseudonyms().replace_in(&mut result);
        let shown = &result.evidence[0];
        assert_eq!(
            shown.exchanges[0].request.body,
            br#"{"pan":"AAAAA0000A","name":"ASHA RAO"}"#
        );
        let hidden = r#"{"data":{"pan":"[redacted 1]","nameOnPan":"[redacted 2]"}}"#;
        assert_eq!(answer(shown), hidden);
    }

    #[test]
    fn what_the_plan_sent_is_kept_in_a_capture() {
        let captured = case(
            r#"{"pan":"AAAAA0000A"}"#,
            r#"{"data":{"pan":"AAAAA0000A"}}"#,
        );
        let keep = BTreeSet::from(["AAAAA0000A".to_owned()]);
        assert_eq!(pseudonyms().case(&captured, &keep), captured);
        let clean = pseudonyms().case(&captured, &BTreeSet::new());
        assert_eq!(answer(&clean), r#"{"data":{"pan":"[redacted 1]"}}"#);
        assert_eq!(
            clean.exchanges[0].request.body,
            br#"{"pan":"[redacted 1]"}"#
        );
    }
}
