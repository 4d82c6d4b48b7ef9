//! Whatever a service answers, the rows that `drift` proposes read: harness and simulator go on with them. Here each
//! operation answers some of its members in another form, in turns, with names that TOML has to quote beside them.

use svc_contract_tests::capture::{
    Capabilities, Capture, CapturedCase, Channel, Exchange, Request, Response,
};
use svc_contract_tests::drift::drift;
use svc_contract_tests::plan::{Setting, inputs};
use svc_contract_tests::profile::Profile;
use svc_fixtures::contract::{Contract, Environment, Operation};
use svc_fixtures::json::Json;
use svc_fixtures::reading::Source;
use svc_fixtures::template::Answers;
use svc_fixtures::world::WorldRows;
use svc_simulator::engine::call::rules::Files;
use svc_simulator::engine::compute::signatures;

/// Every second member is answered otherwise, the others next time.
const TURNS: usize = 2;

/// An answer with some of its values in another form.
fn twisted(value: Json<'static>, count: &mut usize, turn: usize) -> Json<'static> {
    match value {
        Json::Object(members) if !members.is_empty() => {
            let members = members.into_iter();
            let members = members.map(|(name, value)| (name, twisted(value, count, turn)));
            Json::Object(members.collect())
        }
        Json::List(items) if !items.is_empty() => {
            let items = items.into_iter();
            Json::List(items.map(|item| twisted(item, count, turn)).collect())
        }
        value => {
            *count += 1;
            match (&value, *count % TURNS == turn) {
                (_, false) => value,
                (Json::Text(_), true) => Json::Int(7),
                _ => "it's \"another\" {form}".into(),
            }
        }
    }
}

fn exchange(operation: &Operation, data: &Json<'static>) -> Exchange {
    let body = format!(
        r#"{{"success":true,"verificationId":"svcv_00000000000000000000000000","referenceId":null,"endpoint":"{}","status":"completed","data":{data},"billing":{{"charged":false,"amount":0,"currency":"INR"}},"meta":{{"createdAt":"2027-01-15T08:00:00.000Z","environment":"test","latencyMs":20}}}}"#,
        operation.id
    );
    Exchange {
        request: Request {
            channel: Channel::Api,
            environment: Environment::Test,
            method: "POST".to_owned(),
            path: operation.path.clone(),
            query: String::new(),
            authorization: None,
            headers: Vec::new(),
            body: b"{}".to_vec(),
            padded_to: None,
        },
        credential: Default::default(),
        at_s: None,
        response: Ok(Response {
            status: 200,
            headers: Vec::new(),
            body: body.into_bytes(),
        }),
        took_ms: 0,
        result: None,
    }
}

fn capture(operation: &Operation, turn: usize) -> Capture {
    let data = twisted(operation.response.sample(), &mut 0, turn);
    let Json::Object(mut members) = data else {
        panic!("{}: an answer is an object", operation.id)
    };
    members.push(("a \"quoted\" \\ name".into(), Json::Bool(true)));
    let inside = vec![("b\"c".into(), Json::Int(1))];
    members.push(("more".into(), Json::Object(inside)));
    members.push(("nothing".into(), Json::Null));
    let data = Json::Object(members);
    let mut case = CapturedCase::new("recorded", operation.id.clone());
    case.exchanges = vec![exchange(operation, &data); 3];
    Capture {
        seed: String::new(),
        environments: vec![Environment::Test],
        profile: Profile::Provider,
        prices: Default::default(),
        http: true,
        capabilities: Capabilities::default(),
        local: true,
        cases: vec![case],
    }
}

/// The built-in rows with these files in the place of theirs.
fn with(files: &[(String, String)]) -> Files {
    let mut all = Files::built_in();
    for (path, text) in files {
        let sources = all.contract.iter_mut().chain(&mut all.answers);
        let mut same = sources.filter(|source| source.path.ends_with(path.as_str()));
        let source = same
            .next()
            .unwrap_or_else(|| panic!("{path} is no file of rows"));
        *source = Source::new(path.as_str(), text.as_str());
    }
    all
}

#[test]
fn an_operation_that_no_row_has_and_one_that_is_pending_now_are_told() {
    let contract = Contract::built_in();
    let operation = contract.operations.iter().find(|row| row.pending.is_none());
    let operation = operation.expect("nearly all are answered at once");
    let mut capture = capture(operation, 0);
    let exchanges = &mut capture.cases[0].exchanges;
    exchanges[0].request.path = "/v1/verify/newstuff/credit".to_owned();
    exchanges[1].request.path = "/v1/usage".to_owned();
    let response = exchanges[2].response.as_mut().expect("it has an answer");
    let body = String::from_utf8(response.body.clone()).expect("a text");
    response.body = body.replace("completed", "pending").into_bytes();
    let setting = Setting::of(&contract, inputs::built_in(), &capture);
    let left = drift(&setting, &capture, false).left;
    assert_eq!(
        left,
        [
            format!("{}: it was answered as pending, and its row has no `pending`", operation.id),
            "/v1/verify/newstuff/credit: it gave a result once, and no row has this path: a new operation is written by hand, and where a bundle is its row says as `path`".to_owned(),
        ]
    );
}

/// What changes of the built-in rows make of them reads, and takes these envelopes as they are.
#[test]
fn what_is_new_in_the_envelope_is_a_row_and_what_is_new_in_its_error_is_told() {
    let contract = Contract::built_in();
    let mut capture = capture(&contract.operations[0], 0);
    for (at, exchange) in capture.cases[0].exchanges.iter_mut().enumerate() {
        let data = contract.operations[0].response.sample().to_string();
        let (id, billing) = (
            &contract.operations[0].id,
            r#"{"charged":false,"amount":0,"currency":"INR"}"#,
        );
        let error = match at {
            0 => r#","error":{"code":"SVC_INTERNAL_ERROR","traceId":"t"}"#,
            _ => "",
        };
        let body = format!(
            r#"{{"success":true,"verificationId":"svcv_1","endpoint":"{id}","status":"completed","data":{data}{error},"billing":{billing},"requestId":"a","links":{{"self":"b"}},"meta":{{"environment":"test","latencyMs":20,"region":"c"}}}}"#
        );
        exchange.response.as_mut().expect("it has an answer").body = body.into_bytes();
    }
    let setting = Setting::of(&contract, inputs::built_in(), &capture);
    let found = drift(&setting, &capture, false);
    let told = [
        r#"envelope: links? is new: { self = "string" } (in 3 of 3 envelopes, and no row names it; the simulator leaves it out)"#,
        r#"envelope: meta.region is new: "string, sometimes" (in 3 of 3 envelopes, and no row names it; the simulator leaves it out)"#,
        r#"envelope: requestId is new: "string, sometimes" (in 3 of 3 envelopes, and no row names it; the simulator leaves it out)"#,
    ];
    assert_eq!(found.changes, told);
    let left = "the envelope has a member `error.traceId`: no row says what stands in `error`";
    assert_eq!(found.left, [left]);
    assert!(
        found.patch.contains(r#"+requestId = "string, sometimes""#),
        "{}",
        found.patch
    );
    let files = with(&found.files);
    let changed = Contract::read(&files.contract).unwrap_or_else(|problems| panic!("{problems}"));
    let setting = Setting::of(&changed, inputs::built_in(), &capture);
    assert_eq!(
        drift(&setting, &capture, false).changes,
        Vec::<String>::new()
    );
}

#[test]
fn whatever_a_service_answers_the_rows_that_are_proposed_read() {
    let contract = Contract::built_in();
    let (mut unread, mut left) = (Vec::new(), Vec::new());
    for operation in &contract.operations {
        for turn in 0..TURNS {
            let capture = capture(operation, turn);
            let setting = Setting::of(&contract, inputs::built_in(), &capture);
            let drift = drift(&setting, &capture, false);
            assert!(drift.changes.len() > 1, "{}: {drift:?}", operation.id);
            let always_null = "+nothing = \"{null}\"";
            assert!(drift.patch.contains(always_null), "{}", drift.patch);
            let files = with(&drift.files);
            let read = Contract::read(&files.contract).and_then(|contract| {
                let population = WorldRows::built_in();
                Answers::read(&files.answers, &contract, &signatures(), population)
            });
            if let Err(problems) = read {
                unread.push(format!("{} {turn}: {problems}", operation.id));
            }
            left.extend(drift.left);
        }
    }
    assert!(unread.is_empty(), "{}", unread.join("\n"));
    // What other rows are made of is for a person.
    let told = |line: &String| line.contains("uanList is") && line.contains("bundles.toml:");
    assert!(left.iter().any(told), "{}", left.join("\n"));
}

/// What stands in an answer, what stands in its place, and what is told of it.
const TOLD: [(&str, &str, &str); 8] = [
    (
        r#""success":true,"#,
        "",
        "the envelope: `success` is not there in",
    ),
    (
        r#""currency":"INR""#,
        r#""currency":"USD""#,
        "the envelope: `billing.currency` is",
    ),
    (
        r#""latencyMs":3000"#,
        r#""latencyMs":"3000""#,
        "the envelope: `meta.latencyMs` is",
    ),
    (
        r#""billing":{"#,
        r#""billed":{"#,
        "the envelope: `billing` is not there in",
    ),
    (
        r#""insurance":{"#,
        r#""insurance":null,"before":{"#,
        "verify.utility.vehicle-rc: `data.insurance` is null",
    ),
    (
        r#""data":{"#,
        r#""data":null,"before":{"#,
        "verify.utility.vehicle-rc: `data` is null",
    ),
    (
        r#""endpoint":"verify.utility.vehicle-rc""#,
        r#""endpoint":"vehicle-rc""#,
        "`endpoint` is `vehicle-rc`",
    ),
    (
        r#""status":"completed""#,
        r#""status":"success""#,
        "`status` is `success`",
    ),
];

#[test]
fn what_no_row_says_of_an_answer_is_told() {
    let contract = Contract::built_in();
    let operation = contract
        .operation("verify.utility.vehicle-rc")
        .expect("a row");
    let told = |from: &str, to: &str| {
        let mut capture = capture(operation, 0);
        for exchange in &mut capture.cases[0].exchanges {
            let data = operation.response.sample().to_string();
            let body = format!(
                r#"{{"success":true,"verificationId":"svcv_1","endpoint":"{}","status":"completed","data":{data},"billing":{{"charged":false,"amount":0,"currency":"INR"}},"meta":{{"environment":"test","latencyMs":3000}}}}"#,
                operation.id
            );
            assert!(body.contains(from), "{from}: {body}");
            exchange.response.as_mut().expect("it has an answer").body =
                body.replacen(from, to, 1).into_bytes();
        }
        let setting = Setting::of(&contract, inputs::built_in(), &capture);
        drift(&setting, &capture, false).left
    };
    assert_eq!(told("INR", "INR"), Vec::<String>::new());
    for (from, to, what) in TOLD {
        let left = told(from, to);
        assert!(
            left.iter().any(|line| line.contains(what)),
            "{what}: {left:?}"
        );
    }
}
