//! Personal data blacked out: found by the names of members, as the contract's rows and
//! `personal.toml` say, then replaced wherever the same value stands.
//!
//! Equal values get equal pseudonyms and different ones different pseudonyms, and a date stays a date,
//! so that a saved capture can still be judged.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use data_encoding::BASE64;
use regex::Regex;
use serde::Deserialize;
use serde_json::Value;

use crate::capture::{CapturedCase, Exchange};
use crate::event::CheckResult;
use crate::verdict::Verdict;
use svc_fixtures::contract::{Contract, Field, Kind};

/// A shorter value is replaced only where it is a whole value: inside a text it may be a word.
const SHORTEST: usize = 4;

/// Which members hold personal data.
#[derive(Debug, Clone)]
pub struct PersonalMembers {
    fields: BTreeSet<String>,
    list: WordList,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct WordList {
    words: BTreeSet<String>,
    formats: BTreeSet<String>,
    except: BTreeSet<String>,
}

impl PersonalMembers {
    /// What the rows of a contract and `personal.toml` say.
    ///
    /// # Panics
    /// Never: a test reads the built-in file.
    #[must_use]
    pub fn of(contract: &Contract) -> Self {
        let list: WordList =
            toml::from_str(include_str!("../../personal.toml")).expect("the built-in list reads");
        let carried: BTreeSet<&str> = contract
            .flows
            .iter()
            .flat_map(|flow| &flow.steps)
            .filter_map(|step| step.takes.as_deref())
            .collect();
        let mut fields = BTreeSet::new();
        for operation in &contract.operations {
            named(contract, &list, &operation.request, &mut fields);
        }
        // What the service made up to hold a flow together says nothing of a person.
        fields.retain(|name| !carried.contains(name.as_str()));
        PersonalMembers { fields, list }
    }

    /// Whether a member of that name holds personal data.
    #[must_use]
    pub fn is(&self, member: &str) -> bool {
        let word = |word: &String| self.list.words.contains(word);
        !self.list.except.contains(member)
            && (self.fields.contains(member) || words(member).iter().any(word))
    }
}

fn named(contract: &Contract, list: &WordList, fields: &[Field], out: &mut BTreeSet<String>) {
    for field in fields {
        let format = match &field.kind {
            Kind::Text { format, .. } => format.map(|index| contract.format(index).name.as_str()),
            _ => None,
        };
        let personal = format.is_some_and(|format| list.formats.contains(format));
        if field.identifies || field.folds || personal {
            out.insert(field.name.clone());
        }
        if let Kind::Object { fields } = &field.kind {
            named(contract, list, fields, out);
        }
    }
}

static WORD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("[A-Z]*[a-z]+|[A-Z]+").expect("it is a pattern"));

/// The words of a name, in lower case.
fn words(name: &str) -> Vec<String> {
    let words = WORD.find_iter(name);
    words
        .map(|word| word.as_str().to_ascii_lowercase())
        .collect()
}

/// What stands in place of each personal value, the same for the same one.
#[derive(Debug, Clone)]
pub struct Pseudonyms {
    personal: PersonalMembers,
    known: BTreeMap<String, String>,
}

impl Pseudonyms {
    /// None yet.
    #[must_use]
    pub fn of(personal: PersonalMembers) -> Self {
        Pseudonyms {
            personal,
            known: BTreeMap::new(),
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

    /// What was judged, without personal data.
    pub fn replace_in(&mut self, result: &mut CheckResult) {
        let evidence = result.evidence.iter();
        let exchanges = evidence.flat_map(|case| &case.exchanges);
        let mine = self.found_in(exchanges, &BTreeSet::new());
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
        let mine = self.found_in([&*exchange], &BTreeSet::new());
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
                    collect(&self.personal, &json, Context::Openly, &mut values);
                }
            }
        }
        let mut mine = Vec::new();
        for value in values.into_iter().filter(|value| !keep.contains(value)) {
            let next = self.known.len() + 1;
            let known = self.known.entry(value.clone());
            let pseudonym = known.or_insert_with(|| pseudonym(&value, next)).clone();
            mine.push((value, pseudonym));
        }
        mine.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        mine
    }
}

#[derive(Clone, Copy)]
enum Context {
    Openly,
    AsPersonal,
}

fn collect(personal: &PersonalMembers, json: &Value, context: Context, out: &mut BTreeSet<String>) {
    match (json, context) {
        (Value::Object(members), _) => {
            for (name, value) in members {
                let context = match personal.is(name) {
                    true => Context::AsPersonal,
                    false => context,
                };
                collect(personal, value, context, out);
            }
        }
        (Value::Array(items), _) => {
            for item in items {
                collect(personal, item, context, out);
            }
        }
        (Value::String(text), Context::AsPersonal) if !text.trim().is_empty() => {
            out.insert(text.clone());
        }
        // What came to the receiver of webhooks, or a body as the console shows it: JSON in a text.
        (Value::String(text), Context::Openly) if text.starts_with(['{', '[']) => {
            if let Ok(json) = serde_json::from_str(text) {
                collect(personal, &json, Context::Openly, out);
            }
        }
        // A mobile number given as a number; scores and counts are shorter.
        (Value::Number(number), Context::AsPersonal) if number.to_string().len() >= 8 => {
            out.insert(number.to_string());
        }
        _ => {}
    }
}

/// A stand-in unlike those of other values, in the form of the value: a date, a `data:` URI with its type, an address,
/// digits only, another number.
fn pseudonym(value: &str, number: usize) -> String {
    let digits: String = value.chars().filter(char::is_ascii_digit).collect();
    let separators: String = value.chars().filter(|c| !c.is_ascii_digit()).collect();
    let year = format!("{:04}", 1000 + number % 9000);
    match (separators.as_str(), value.find(['-', '/', '.'])) {
        ("--" | "//" | "..", Some(4)) if digits.len() == 8 => {
            let c = &separators[..1];
            format!("{year}{c}01{c}01")
        }
        ("--" | "//" | "..", Some(2)) if digits.len() == 8 => {
            let c = &separators[..1];
            format!("01{c}01{c}{year}")
        }
        ("", None) if value.len() >= 6 => format!("7{number:0width$}", width = value.len() - 1),
        // Where it stands without quotes, no text may.
        (separators, _) if !separators.is_empty() && is_number(value) => format!("7.{number:04}1"),
        _ => like_address(value, number).unwrap_or_else(|| format!("[redacted {number}]")),
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

fn replace_in_case(pseudonyms: &[(String, String)], case: &mut CapturedCase) {
    let clean = |text: &mut String| *text = in_text(pseudonyms, text);
    let message = |headers: &mut [(String, String)], body: &mut Vec<u8>| {
        headers.iter_mut().for_each(|(_, value)| clean(value));
        if let Ok(text) = std::str::from_utf8(body) {
            *body = in_text(pseudonyms, text).into_bytes();
        }
    };
    for Exchange {
        request,
        response,
        result,
        ..
    } in &mut case.exchanges
    {
        clean(&mut request.query);
        message(&mut request.headers, &mut request.body);
        for response in response.iter_mut().chain(result) {
            message(&mut response.headers, &mut response.body);
        }
    }
    case.stopped.iter_mut().for_each(clean);
}

/// A text without these values: as they are, as JSON writes them, as a query does.
fn in_text(pseudonyms: &[(String, String)], text: &str) -> String {
    let mut out = text.to_owned();
    for (value, pseudonym) in pseudonyms {
        let quoted = Value::from(value.as_str()).to_string();
        let escaped = quoted[1..quoted.len() - 1].to_owned();
        if value.chars().count() < SHORTEST {
            out = out.replace(&quoted, &Value::from(pseudonym.as_str()).to_string());
            continue;
        }
        let spaced = value.replace(' ', "+");
        let percent = value.replace(' ', "%20");
        for form in BTreeSet::from([value.clone(), escaped, spaced, percent]) {
            out = whole_words(&out, &form, pseudonym);
        }
    }
    out
}

/// Replaces a value where no letter or digit stands beside it: elsewhere it is part of something
/// else, such as an id.
fn whole_words(text: &str, value: &str, pseudonym: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find(value) {
        let end = at + value.len();
        let before = rest[..at].chars().next_back();
        let before = before.or_else(|| out.chars().next_back());
        let after = rest[end..].chars().next();
        let free = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
        out.push_str(&rest[..at]);
        out.push_str(match free(before) && free(after) {
            true => pseudonym,
            false => value,
        });
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sample;
    use svc_fixtures::contract::{Leaf, Member, Shape};

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
        insta::assert_snapshot!(answer(&clean), @r#"{"data":{"fullName":"[redacted 5]","dob":"1002-01-01","dateOfBirth":"01/01/1001","gender":"[redacted 4]","mobile":7000000003,"status":"VALID","photo":"data:image/png;base64,cmVkYWN0ZWQtNg=="},"error":{"message":"no [redacted 5] here"},"verificationId":"svcv_RAVI"}"#);
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
    fn what_the_plan_sent_is_kept_in_a_capture_and_not_in_a_report() {
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

    #[test]
    fn every_name_of_an_answer_is_decided() {
        fn texts(shape: &Shape, name: &str, out: &mut BTreeSet<String>) {
            match shape {
                Shape::Leaf {
                    leaf: Leaf::Text | Leaf::Date { .. } | Leaf::DataUri,
                    ..
                } => {
                    out.insert(name.to_owned());
                }
                Shape::List(item) => texts(item, name, out),
                Shape::Object(members) => {
                    let walk = |member: &Member| (member.name.clone(), member.shape.clone());
                    for (name, shape) in members.iter().map(walk) {
                        texts(&shape, &name, out);
                    }
                }
                Shape::Leaf { .. } | Shape::AnyObject => {}
            }
        }
        let contract = Contract::built_in();
        let personal = PersonalMembers::of(&contract);
        let mut all = BTreeSet::new();
        for operation in &contract.operations {
            texts(&operation.response, "", &mut all);
        }
        all.retain(|name| !personal.is(name));
        let open: Vec<_> = all.into_iter().collect();
        // A new member that is not personal is added here, any other to `personal.toml`.
        insta::assert_snapshot!(open.join(" "), @"State accountType activity activityDescription applicationReceivedOn appointmentDate asn assemblyNumber bank bankCode bankDetails.branch bankDetails.state bankName beginDate beneIFSC beneficiaryIfsc billAmount billDueDate billingType blacklistStatus branch branchName businessActivity cameraMake cameraModel caseType category centerJurisdiction chapter classOfCompany companyCategory companyStatus companySubcategory complianceRating connectionStatus connectionType constitution country countryCode court currentServiceProvider custIfsc dateOfCommencement dateOfFiling dateOfIncorporation dateOfRegistration designation details dinStatus docType dueDate endDate female filingDate financialYear from fuelType fuzzyLogicScore gpt gpt_raw iecIssueDate iecStatus ifsc_subcode incorporationDate industry isp issueDate issuer issuerBank lastAgmDate lastFilingDate lastPaidAmount lastPaidDate lastUpdated majorActivity male manufacturingMonthYear memberCategory memberSince message micr mobileNetworkOperator model month nationality nature natureOfBusiness netInvestmentInPme networkRegion nicCode openDate organizationType originalServiceProvider others panStatus parliamentaryNumber partNumber periodOfReturn provider qualityChecks[#] reason referenceId region registrar registrationDate relationType requestId request_id result returnType returnsFilingFrequency rtoCode scoreBand serialNumber software source state stateCode stateJurisdiction status status-code statusCode subSector subscriberStatus subsidyStatus summary swift_code tagStatus taxpayerType textmatch tier timestamp to total totalTurnover trackingId type typeOfApplication validUpto value variant variants_run vehicleClass vehicleClasses verification_id wdvPme");
    }

    #[test]
    fn an_exception_has_a_word_to_except_it_from() {
        let list = PersonalMembers::of(&Contract::built_in()).list;
        let idle: Vec<_> = list
            .except
            .iter()
            .filter(|name| words(name).iter().all(|word| !list.words.contains(word)))
            .collect();
        assert!(idle.is_empty(), "{idle:?}");
    }
}
