//! Paths, methods and bodies: what is no operation, and what is no JSON object.

use svc_fixtures::contract::{Environment, ErrorCode, Operation};
use svc_fixtures::json::Json;
use svc_fixtures::sample::{self, Extent};

use super::entry::{Cases, Check, Stage};
use crate::plan::{Case, Ending, RequestTemplate, Rule, Setting, lead};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "paths.unknown",
        title: "A path that is no operation is not found, in the envelope",
        clauses: &[
            "ruling.06-unknown-path",
            "ruling.01-envelope-everywhere",
            "wire.version-prefix",
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
        id: "body.no-object",
        title: "A body that is no JSON object is invalid input",
        clauses: &["ruling.06-bad-body"],
        stage: Stage::Refused,
        cases: Cases::PerOperation(no_object),
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
    Some(setting.environments.iter().flat_map(cases).collect())
}

fn other_method(_: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let mut case = Case::about(operation, "").extension();
    let step = case.push(RequestTemplate::get(sample::path(operation)));
    let refused = Rule::Ends(Ending::Refused(405, ErrorCode::InvalidInput));
    let clauses = ["wire.post-json", "ruling.06-other-method"];
    case.expect_each(step, clauses, &refused);
    let allow = Rule::Header("allow", Some("POST"));
    Some(vec![case.expecting(clauses[1], allow)])
}

/// A call of an operation that is refused for its body.
fn bad_body(operation: &Operation, name: &str, request: RequestTemplate) -> Case {
    let mut case = Case::about(operation, name);
    case.push(request);
    case.expecting("ruling.06-bad-body", Rule::fails(ErrorCode::InvalidInput))
}

fn no_object(_: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let deep = format!("{{\"x\":{}{}}}", "[".repeat(130), "]".repeat(130));
    let bodies: [(&str, &[u8]); 10] = [
        ("empty", b""),
        ("cut off", b"{\"a\":"),
        ("an array", b"[]"),
        ("a text", b"\"text\""),
        ("null", b"null"),
        ("a name twice", b"{\"a\":1,\"a\":1}"),
        ("a byte-order mark", b"\xEF\xBB\xBF{}"),
        ("not UTF-8", b"{\"a\":\"\xFF\"}"),
        ("two documents", b"{} {}"),
        ("too deep", deep.as_bytes()),
    ];
    let request = RequestTemplate::post(operation, Json::Object(Vec::new()));
    let case = |(name, bytes)| bad_body(operation, name, request.clone().raw(bytes));
    Some(bodies.map(case).into())
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
