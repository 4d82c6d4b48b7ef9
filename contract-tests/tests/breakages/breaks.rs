//! The breakages: what a service does that has each of them.

use serde_json::{Value, json};
use svc_contract_tests::capture::{Arrived, Request, Response, TransportError};
use svc_contract_tests::profile::Profile;
use svc_fixtures::contract::Environment;

/// Something that goes wrong in a service.
pub(crate) struct Breakage {
    /// Its name, and that of its file.
    pub(crate) name: &'static str,
    /// What the service does.
    pub(crate) does: &'static str,
    /// The operations that are asked, where not all are.
    pub(crate) about: &'static [&'static str],
    /// By which rules it is judged.
    pub(crate) profile: Profile,
    /// Makes it of a sound answer.
    pub(crate) breaks: fn(&Request, Response, &mut Past) -> Result<Response, TransportError>,
}

/// What the service remembers of the calls before.
#[derive(Default)]
pub(crate) struct Past {
    calls: usize,
    reference: Option<String>,
}

const PAN: &str = "/v1/verify/identity/pan";

/// One by the specification alone.
const fn breakage(
    name: &'static str,
    does: &'static str,
    breaks: fn(&Request, Response, &mut Past) -> Result<Response, TransportError>,
) -> Breakage {
    Breakage {
        name,
        does,
        about: &[
            "verify.identity.pan",
            "verify.identity.voter",
            "verify.company",
        ],
        profile: Profile::Provider,
        breaks,
    }
}

/// All of them.
pub(crate) const BREAKAGES: &[Breakage] = &[
    breakage(
        "wrong-type",
        "a number comes as a text in the data of one operation",
        |request, answer, _| {
            Ok(edit(answer, |json| {
                let score = json.pointer("/data/nameMatchScore").cloned();
                if let (PAN, Some(Value::Number(score))) = (request.path.as_str(), score) {
                    json["data"]["nameMatchScore"] = json!(score.to_string());
                }
            }))
        },
    ),
    breakage(
        "null",
        "a text of one operation is null",
        |request, answer, _| {
            Ok(edit(answer, |json| {
                if request.path == PAN && json.pointer("/data/panStatus").is_some() {
                    json["data"]["panStatus"] = Value::Null;
                }
            }))
        },
    ),
    breakage(
        "missing-member",
        "failures come without billing",
        |_, answer, _| {
            Ok(edit(answer, |json| {
                if json["success"] == false {
                    remove(json, "billing");
                }
            }))
        },
    ),
    Breakage {
        profile: Profile::Simulator,
        ..breakage(
            "missing-header",
            "replays come without `Idempotent-Replay`, which a simulator sends",
            |_, mut answer, _| {
                answer
                    .headers
                    .retain(|(name, _)| name != "idempotent-replay");
                Ok(answer)
            },
        )
    },
    breakage(
        "wrong-status",
        "a PAN without a record is answered with 404 in place of 422",
        |request, mut answer, _| {
            if request.path == PAN && answer.status == 422 {
                answer.status = 404;
            }
            Ok(answer)
        },
    ),
    Breakage {
        about: &["verify.identity.pan", "verify.identity.voter"],
        profile: Profile::Simulator,
        ..breakage(
            "extra-charge",
            "a source that is down is charged on live",
            |request, answer, _| {
                Ok(edit(answer, |json| {
                    let down =
                        json.pointer("/error/code") == Some(&json!("SVC_SOURCE_UNAVAILABLE"));
                    if down && request.environment == Environment::Live {
                        json["billing"]["charged"] = json!(true);
                        json["billing"]["amount"] = json!(2.5);
                        json["billing"]["walletBalanceAfter"] = json!(997.5);
                    }
                }))
            },
        )
    },
    Breakage {
        about: &["verify.employment.uan", "verify.document"],
        profile: Profile::Simulator,
        ..breakage(
            "wrong-signature",
            "webhooks are signed with another secret than was registered",
            |_, answer, _| Ok(answer),
        )
    },
    breakage(
        "slow",
        "one operation is not answered in time",
        |request, answer, _| match request.path.ends_with("/mca/signatories") {
            false => Ok(answer),
            true => Err(TransportError::TimedOut(Arrived {
                waited_ms: 60_000,
                ..Arrived::default()
            })),
        },
    ),
    breakage(
        "truncated",
        "the answers of one operation end in the middle",
        |request, answer, _| match request.path == PAN && answer.status == 200 {
            false => Ok(answer),
            true => Err(TransportError::Cut {
                why: "end of file before message length reached".to_owned(),
                arrived: Arrived {
                    status: Some(200),
                    bytes: answer.body.len() / 2,
                    waited_ms: 251,
                    ..Arrived::default()
                },
            }),
        },
    ),
    breakage(
        "html-page",
        "a gateway answers one operation with a page in place of JSON",
        |request, answer, _| match request.path.ends_with("/company/gst") {
            false => Ok(answer),
            true => Ok(page(
                502,
                "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>",
            )),
        },
    ),
    breakage(
        "once-a-500",
        "the seventh call of one operation is answered with 500, and no other",
        |request, answer, past| {
            past.calls += usize::from(request.path == PAN && answer.status == 200);
            if request.path != PAN || answer.status != 200 || past.calls != 7 {
                return Ok(answer);
            }
            Ok(Response {
                status: 500,
                body: br#"{"timestamp":"2027-01-15T08:00:00Z","status":500,"error":"Internal Server Error"}"#.to_vec(),
                ..answer
            })
        },
    ),
    breakage(
        "changed-replay",
        "a replay is worked out anew: another person comes for the same key",
        |_, answer, _| {
            let replay = answer.header("idempotent-replay").is_some();
            Ok(edit(answer, |json| {
                if replay && json.pointer("/data/name").is_some() {
                    json["data"]["name"] = json!("SOMEBODY ELSE");
                }
            }))
        },
    ),
    breakage(
        "unknown-code",
        "a source that is down is called by the provider's own code",
        |_, answer, _| {
            Ok(edit(answer, |json| {
                if json.pointer("/error/code") == Some(&json!("SVC_SOURCE_UNAVAILABLE")) {
                    json["error"]["code"] = json!("NSDL_DOWN");
                }
            }))
        },
    ),
    breakage(
        "stale-reference",
        "an answer has the reference of the call before it",
        |request, answer, past| {
            let mine = request.header("x-reference-id").map(str::to_owned);
            let before = std::mem::replace(&mut past.reference, mine);
            Ok(edit(answer, |json| {
                if let (Some(before), true) = (before, json["referenceId"].is_string()) {
                    json["referenceId"] = json!(before);
                }
            }))
        },
    ),
    breakage(
        "local-time",
        "the time of a call is Indian time, and not UTC",
        |_, answer, _| {
            Ok(edit(answer, |json| {
                if json.pointer("/meta/createdAt").is_some() {
                    json["meta"]["createdAt"] = json!("2027-01-15T13:30:00+05:30");
                }
            }))
        },
    ),
];

/// Changes the body of an answer, where it is JSON.
fn edit(mut answer: Response, edit: impl FnOnce(&mut Value)) -> Response {
    if let Ok(mut json) = serde_json::from_slice(&answer.body) {
        edit(&mut json);
        answer.body = json.to_string().into_bytes();
    }
    answer
}

fn remove(json: &mut Value, member: &str) {
    if let Some(members) = json.as_object_mut() {
        members.remove(member);
    }
}

fn page(status: u16, text: &str) -> Response {
    Response {
        status,
        headers: vec![("content-type".to_owned(), "text/html".to_owned())],
        body: text.as_bytes().to_vec(),
    }
}
