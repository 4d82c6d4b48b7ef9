//! Paths, methods and bodies: what is no operation, and what is no JSON object.

use svc_fixtures::contract::ErrorCode;
use svc_fixtures::json::Json;
use svc_fixtures::sample::{self, Extent};

use super::entry::{Check, Stage, everywhere};
use crate::plan::{Case, Ending, RequestTemplate, Rule, Setting};

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
        run: unknown,
    },
    Check {
        id: "paths.other-method",
        title: "An operation takes POST only",
        clauses: &["wire.post-json", "ruling.06-other-method"],
        stage: Stage::Refused,
        run: other_method,
    },
    Check {
        id: "body.no-object",
        title: "A body that is no JSON object is invalid input",
        clauses: &["ruling.06-bad-body"],
        stage: Stage::Refused,
        run: no_object,
    },
    Check {
        id: "body.content-type",
        title: "A body that says it is something else than JSON is invalid input",
        clauses: &["ruling.06-bad-body"],
        stage: Stage::Refused,
        run: content_type,
    },
];

fn unknown(setting: &Setting<'_>) -> Vec<Case> {
    let not_found = Rule::Ends(Ending::Error(ErrorCode::NotFound));
    let case = |name: &str, request: RequestTemplate, clause: &str| {
        let mut case = Case::new(name).extension();
        case.push(request);
        case.expecting("ruling.06-unknown-path", not_found.clone())
            .expecting(clause, not_found.clone())
    };
    let cases = |environment| {
        let mut cases = vec![
            case(
                "GET",
                RequestTemplate::get("/v1/no/such/path"),
                "ruling.01-envelope-everywhere",
            ),
            case(
                "the root",
                RequestTemplate::get("/"),
                "ruling.01-envelope-everywhere",
            ),
        ];
        if let Some(operation) = setting.operations().next() {
            let body = sample::body(setting.contract, operation, Extent::Required);
            let request = RequestTemplate::post(operation, body);
            let path = request.path.replacen("/v1/", "/v0/", 1);
            cases.push(case(
                "another version",
                RequestTemplate { path, ..request },
                "wire.version-prefix",
            ));
        }
        cases
            .into_iter()
            .map(|case| case.on(environment))
            .collect::<Vec<_>>()
    };
    everywhere(setting).flat_map(cases).collect()
}

fn other_method(setting: &Setting<'_>) -> Vec<Case> {
    let case = |operation| {
        let mut case = Case::about(operation, "").extension();
        case.push(RequestTemplate::get(sample::path(operation)));
        let refused = Rule::Ends(Ending::Refused(405, ErrorCode::InvalidInput));
        case.expecting("wire.post-json", refused.clone())
            .expecting("ruling.06-other-method", refused)
            .expecting(
                "ruling.06-other-method",
                Rule::Header("allow", Some("POST")),
            )
    };
    setting.operations().map(case).collect()
}

fn no_object(setting: &Setting<'_>) -> Vec<Case> {
    let deep = format!("{{\"x\":{}{}}}", "[".repeat(130), "]".repeat(130));
    let bodies: &[(&str, &[u8])] = &[
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
    let cases = |operation| {
        let request = RequestTemplate::post(operation, Json::Object(Vec::new()));
        let case = |(name, bytes): &(&str, &[u8])| {
            let mut case = Case::about(operation, name);
            case.push(request.clone().raw(*bytes));
            case.expecting(
                "ruling.06-bad-body",
                Rule::Ends(Ending::Error(ErrorCode::InvalidInput)),
            )
        };
        bodies.iter().map(case).collect::<Vec<_>>()
    };
    setting.operations().flat_map(cases).collect()
}

fn content_type(setting: &Setting<'_>) -> Vec<Case> {
    let Some(operation) = setting.operations().next() else {
        return Vec::new();
    };
    let request = RequestTemplate::post(
        operation,
        sample::body(setting.contract, operation, Extent::All),
    );
    let case = |name: &str, request: RequestTemplate| {
        let mut case = Case::about(operation, name);
        case.push(request);
        case.expecting(
            "ruling.06-bad-body",
            Rule::Ends(Ending::Error(ErrorCode::InvalidInput)),
        )
    };
    let without = RequestTemplate {
        headers: Vec::new(),
        ..request.clone()
    };
    vec![
        case("text", request.clone().header("content-type", "text/plain")),
        case(
            "form",
            request
                .clone()
                .header("content-type", "application/x-www-form-urlencoded"),
        ),
        case(
            "another charset",
            request
                .clone()
                .header("content-type", "application/json; charset=utf-16"),
        ),
        case("compressed", request.header("content-encoding", "gzip")),
        case("none", without),
    ]
}
