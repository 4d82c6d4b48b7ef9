//! Paths, methods and bodies: what is no operation, and what is no JSON object.

use reqwest::Url;
use svc_fixtures::contract::{Environment, ErrorCode, Operation};
use svc_fixtures::json::Json;
use svc_fixtures::sample::{self, Extent};

use super::entry::{Cases, Check, Stage};
use super::envelope::REFERENCE;
use crate::plan::{Case, Ending, Payload, RequestTemplate, Rule, Setting, lead};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "paths.unknown",
        title: "A path that is no operation is not found, in the envelope",
        clauses: &[
            "ruling.06-unknown-path",
            "ruling.01-envelope-everywhere",
            "wire.version-prefix",
            "errors.envelope",
        ],
        stage: Stage::Refused,
        cases: Cases::Once(unknown),
    },
    Check {
        id: "paths.other-method",
        title: "An operation takes POST only",
        clauses: &["wire.post-json", "ruling.06-other-method"],
        stage: Stage::Refused,
        cases: Cases::PerOperation(other_method),
    },
    Check {
        id: "body.malformed",
        title: "A body that cannot be read is refused in the envelope, and is no fault of the service",
        clauses: &["errors.invalid-input", "errors.envelope"],
        stage: Stage::Refused,
        cases: Cases::PerOperation(malformed),
    },
    Check {
        id: "body.other-type",
        title: "Whatever a body says that it is, the answer is the envelope and no fault of the service",
        clauses: &["errors.envelope"],
        stage: Stage::Sandbox,
        cases: Cases::Once(other_type),
    },
    Check {
        id: "body.written-otherwise",
        title: "A body is what it says, however its JSON is written",
        clauses: &["wire.post-json", "errors.envelope"],
        stage: Stage::Sandbox,
        cases: Cases::Once(written_otherwise),
    },
    Check {
        id: "body.no-object",
        title: "A body that is no JSON object is invalid input",
        clauses: &["ruling.06-bad-body"],
        stage: Stage::Refused,
        cases: Cases::PerOperation(no_object),
    },
    Check {
        id: "body.size",
        title: "A body of 10 MiB is taken, and of one byte more is invalid input",
        clauses: &["ruling.06-bad-body"],
        stage: Stage::Sandbox,
        cases: Cases::Once(size),
    },
    Check {
        id: "body.content-type",
        title: "A body that says it is something else than JSON is invalid input",
        clauses: &["ruling.06-bad-body"],
        stage: Stage::Refused,
        cases: Cases::Once(content_type),
    },
];

fn unknown(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let clause = "ruling.01-envelope-everywhere";
    let mut requests = vec![
        ("GET", RequestTemplate::get("/v1/no/such/path"), clause),
        ("the root", RequestTemplate::get("/"), clause),
    ];
    if let Some(operation) = setting.operations().next() {
        let body = sample::body(setting.contract, operation, Extent::Required);
        let request = RequestTemplate::post(operation, body);
        let path = request.path.replacen("/v1/", "/v0/", 1);
        let request = RequestTemplate { path, ..request };
        requests.push(("another version", request, "wire.version-prefix"));
    }
    let cases = |environment: &Environment| {
        let case = |(name, request, clause): &(&str, RequestTemplate, &'static str)| {
            let mut case = Case::new(*name).extension().on(*environment);
            let step = case.push(request.clone());
            let not_found = Rule::fails(ErrorCode::NotFound);
            case.expect_each(step, ["ruling.06-unknown-path", *clause], &not_found);
            case
        };
        requests.iter().map(case).collect::<Vec<_>>()
    };
    let mut cases: Vec<_> = setting.environments.iter().flat_map(cases).collect();
    // How it is called that there is no such operation only a ruling says: the envelope is of every answer.
    cases.extend(setting.environments.iter().map(|environment| {
        let mut case = Case::new("no operation of any service").on(*environment);
        let body = Json::Object(Vec::new());
        let nowhere = RequestTemplate::post_to("/v1/verify/no-such-operation", body);
        case.push(nowhere.header("x-reference-id", REFERENCE));
        case.expecting("errors.envelope", Rule::Ends(Ending::Rejected))
    }));
    Some(cases)
}

fn other_method(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let mut case = Case::about(operation, "").extension();
    let step = case.push(RequestTemplate::get(sample::path(operation)));
    let refused = Rule::Ends(Ending::Refused(405, ErrorCode::InvalidInput));
    let clauses = ["wire.post-json", "ruling.06-other-method"];
    case.expect_each(step, clauses, &refused);
    let allow = Rule::Header("allow", Some("POST"));
    let ruled = case.expecting(clauses[1], allow);
    // How it is refused only a ruling says. What routes one operation routes the others.
    let call = super::authentication::any_call(setting);
    let call = call.filter(|call| call.path == sample::path(operation));
    let as_query = |call: &RequestTemplate| RequestTemplate {
        query: query(&call.payload),
        payload: Payload::Nothing,
        ..call.clone()
    };
    let other = |(method, name, call): (&str, &str, RequestTemplate)| {
        let mut case = Case::about(operation, name);
        case.push(RequestTemplate {
            method: method.to_owned(),
            ..call
        });
        case.expecting(clauses[0], Rule::Ends(Ending::Rejected))
    };
    let others = call.into_iter().flat_map(|call| {
        let get = ("GET", "GET, its fields in the query", as_query(&call));
        let others = ["GET", "PUT", "PATCH", "DELETE"];
        let others = others.map(|method| (method, method, call.clone()));
        [get].into_iter().chain(others)
    });
    Some([ruled].into_iter().chain(others.map(other)).collect())
}

/// The texts of a body, as a form would send them.
fn query(payload: &Payload) -> String {
    let Payload::Json(Json::Object(fields)) = payload else {
        return String::new();
    };
    let texts = fields
        .iter()
        .filter_map(|(name, value)| Some((name.as_ref(), value.as_text()?)));
    let texts = texts.collect::<Vec<(&str, &str)>>();
    let url = Url::parse_with_params("http://localhost", texts).ok();
    url.and_then(|url| url.query().map(str::to_owned))
        .unwrap_or_default()
}

/// A call of an operation that is refused for its body.
fn bad_body(operation: &Operation, name: &str, request: RequestTemplate) -> Case {
    let mut case = Case::about(operation, name);
    case.push(request);
    case.expecting("ruling.06-bad-body", Rule::fails(ErrorCode::InvalidInput))
}

/// The sample body of an operation that takes nothing from a call before, as it goes on the wire: whatever
/// is done to it is all that is wrong with it.
fn valid_text(setting: &Setting<'_>, operation: &Operation) -> Option<String> {
    let carried = setting.contract.carried_field(operation).is_some();
    let body = sample::body(setting.contract, operation, Extent::Required);
    (!carried).then(|| body.to_string())
}

/// A text without its last character.
fn open_ended(text: &str) -> &str {
    text.strip_suffix('}').unwrap_or(text)
}

fn malformed(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let valid = valid_text(setting, operation)?;
    let request = RequestTemplate::post(operation, Json::Object(Vec::new()));
    let bodies = [
        ("cut off", open_ended(&valid).to_owned()),
        ("in an array", format!("[{valid}]")),
        ("with more behind it", format!("{valid} more")),
    ];
    let case = |(name, body): (&str, String)| {
        let mut case = Case::about(operation, name);
        let sent = request.clone().raw(body);
        case.push(sent.header("x-reference-id", REFERENCE));
        case.expecting("errors.invalid-input", Rule::Ends(Ending::Rejected))
    };
    Some(bodies.map(case).into())
}

/// Whether such a call is served the specification does not say.
fn other_type(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let operation = setting.operations().next()?;
    let request = lead::sample_call(setting, operation);
    let without = RequestTemplate {
        headers: Vec::new(),
        ..request.clone()
    };
    let calls = [
        ("none", without),
        ("text", request.clone().header("content-type", "text/plain")),
        ("no type", request.clone().header("content-type", "json")),
        ("nothing sent", request.clone().raw("")),
        ("null", request.clone().raw("null")),
        ("a text", request.clone().raw("\"pan\"")),
        ("UTF-16", request.clone().raw(b"\xFF\xFE{\0}\0".as_slice())),
        ("nested", request.clone().raw(nested(&request))),
        (
            "with a letter of no shape",
            request.clone().raw(without_shape(&request)),
        ),
        ("not UTF-8", request.raw(b"{\"pan\":\"\xFF\"}".as_slice())),
    ];
    let case = |(name, request)| {
        let mut case = Case::about(operation, name);
        case.push(request);
        case.expecting("errors.envelope", Rule::Ends(Ending::NoFault))
    };
    Some(calls.map(case).into())
}

/// A call's body with a member that nobody knows, in which lists stand in each other.
fn nested(call: &RequestTemplate) -> String {
    let depth = 40;
    let lists = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    with_member(call, &lists)
}

/// The same with the sign of which most texts have none.
fn without_shape(call: &RequestTemplate) -> String {
    with_member(call, r#""a\u0000b""#)
}

fn with_member(call: &RequestTemplate, value: &str) -> String {
    let Payload::Json(body) = &call.payload else {
        return String::new();
    };
    format!("{},\"notes\":{value}}}", open_ended(&body.to_string()))
}

/// With escapes for all letters of its texts, with white space before it, and much of it behind it, and in chunks; with
/// slashes that are escaped; and with a sign that is no letter in a name, plain and escaped, and a name that is long.
fn written_otherwise(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let mut operations = setting.operations();
    let alone =
        |it: &&Operation| it.pending.is_none() && setting.contract.step_of(&it.id).is_none();
    let operation = operations.find(alone)?;
    let call = lead::sample_call(setting, operation);
    let Payload::Json(body) = &call.payload else {
        return None;
    };
    let long = RequestTemplate {
        padded_to: Some(LONG),
        ..call.clone()
    };
    let others = [
        ("with escapes", call.clone().raw(escaped(body))),
        (
            "behind white space",
            call.clone().raw(format!("\r\n\t {body}")),
        ),
        ("with white space behind it", long),
        (
            "in chunks",
            call.clone().header("transfer-encoding", "chunked"),
        ),
    ];
    let mut cases: Vec<_> = others
        .map(|(name, request)| {
            let mut case = Case::about(operation, name);
            case.push(request);
            case.expecting("wire.post-json", Rule::succeeds(operation))
        })
        .into();
    let named = setting.operations().filter_map(|operation| {
        let field = operation.request.iter().find(|field| field.folds)?;
        alone(&operation).then_some((operation, field))
    });
    let named: Vec<_> = named.collect();
    let names = [
        (
            "with a sign that is no letter",
            "Asha \u{1F642} Rao".to_owned(),
        ),
        ("with a long name", "Asha Rao ".repeat(40)),
    ];
    let no_fault = |case: Case| case.expecting("errors.envelope", Rule::Ends(Ending::NoFault));
    for (name, text) in names {
        cases.extend(named.first().map(|(operation, field)| {
            let mut case = Case::about(operation, name);
            lead::to_text(&mut case, setting, operation, field, text.trim_end());
            no_fault(case)
        }));
    }
    // Of the others both at once.
    let both = "Asha \u{1F642} Rao ".repeat(30);
    cases.extend(named.iter().skip(1).map(|(operation, field)| {
        let mut case = Case::about(operation, "with a long name and such a sign");
        lead::to_text(&mut case, setting, operation, field, both.trim_end());
        no_fault(case)
    }));
    cases.extend(named.first().map(|(operation, field)| {
        let text = "Asha \u{1F642} Rao";
        let body = sample::body_with_text(setting.contract, operation, field, text);
        let mut case = Case::about(operation, "with the escapes of a sign that is no letter");
        case.push(RequestTemplate::post(operation, Json::Null).raw(escaped(&body)));
        no_fault(case)
    }));
    cases.extend(with_slashes(setting));
    Some(cases)
}

/// A URL may be written with escaped slashes, as some libraries do.
fn with_slashes(setting: &Setting<'_>) -> Option<Case> {
    let mut operations = setting.operations();
    let (operation, text) = operations.find_map(|operation| {
        let text = valid_text(setting, operation).filter(|text| text.contains('/'))?;
        operation.pending.is_none().then_some((operation, text))
    })?;
    let mut case = Case::about(operation, "with escaped slashes");
    let call = lead::sample_call(setting, operation);
    case.push(call.raw(text.replace('/', "\\/")));
    Some(case.expecting("wire.post-json", Rule::succeeds(operation)))
}

/// How long a body is that much white space stands behind, in bytes.
const LONG: usize = 4096;

/// A JSON text in which every letter and digit of a text is an escape.
fn escaped(body: &Json<'_>) -> String {
    let members = body.as_object().unwrap_or_default().iter();
    let text = |text: &str| {
        let units = text.encode_utf16().map(|unit| format!("\\u{unit:04x}"));
        format!("\"{}\"", units.collect::<String>())
    };
    let members = members.map(|(name, value)| match value.as_text() {
        Some(value) => format!("{}:{}", text(name), text(value)),
        None => format!("{}:{value}", text(name)),
    });
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

/// Bodies of which one thing is wrong: all else is the operation's sample.
fn no_object(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let valid = valid_text(setting, operation)?;
    let begun = open_ended(&valid);
    let name_and_value = begun.trim_start_matches('{');
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let bodies: [(&str, Vec<u8>); 10] = [
        ("empty", Vec::new()),
        ("cut off", begun.into()),
        ("an array", format!("[{valid}]").into()),
        ("a text", Json::from(valid.clone()).to_string().into()),
        ("null", b"null".into()),
        ("names twice", format!("{begun},{name_and_value}}}").into()),
        ("a byte-order mark", format!("\u{feff}{valid}").into()),
        (
            "not UTF-8",
            [begun.as_bytes(), b",\"x\":\"\xFF\"}"].concat(),
        ),
        ("two documents", format!("{valid} {{}}").into()),
        (
            "too deep",
            format!("{begun},\"x\":{}}}", nested(128)).into(),
        ),
    ];
    let request = RequestTemplate::post(operation, Json::Object(Vec::new()));
    let case =
        |(name, bytes): (&str, Vec<u8>)| bad_body(operation, name, request.clone().raw(bytes));
    let mut cases: Vec<_> = bodies.map(case).into();
    let mut deep = Case::about(operation, "as deep as may be").extension();
    deep.push(
        request
            .clone()
            .raw(format!("{begun},\"x\":{}}}", nested(127))),
    );
    cases.push(deep.expecting("ruling.06-bad-body", Rule::succeeds(operation)));
    Some(cases)
}

/// The longest body, in bytes.
const LONGEST: usize = 10 << 20;

fn size(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let operation = setting.operations().next()?;
    let valid = lead::sample_call(setting, operation);
    let clause = "ruling.06-bad-body";
    let invalid = Rule::fails(ErrorCode::InvalidInput);
    let cases = [
        ("the longest", LONGEST, Rule::succeeds(operation)),
        ("a byte too long", LONGEST + 1, invalid),
    ];
    let case = |(name, length, rule): (&str, usize, Rule)| {
        let mut case = Case::about(operation, name).extension();
        case.push(RequestTemplate {
            padded_to: Some(length),
            ..valid.clone()
        });
        case.expecting(clause, rule)
    };
    Some(cases.map(case).into())
}

fn content_type(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let operation = setting.operations().next()?;
    let request = lead::sample_call(setting, operation);
    let headers = [
        ("text", "content-type", "text/plain"),
        ("form", "content-type", "application/x-www-form-urlencoded"),
        (
            "another charset",
            "content-type",
            "application/json; charset=utf-16",
        ),
        ("compressed", "content-encoding", "gzip"),
    ];
    let without = RequestTemplate {
        headers: Vec::new(),
        ..request.clone()
    };
    let case = |(case, name, value)| bad_body(operation, case, request.clone().header(name, value));
    let mut cases: Vec<_> = headers.map(case).into();
    cases.push(bad_body(operation, "none", without));
    Some(cases)
}
