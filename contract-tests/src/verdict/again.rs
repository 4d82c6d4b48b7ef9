//! What a sandbox says of one input over a whole run: the same each time, whatever case asks.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use svc_fixtures::contract::{Environment, Operation};
use svc_fixtures::json::Json;

use super::alike;
use super::finding::{Finding, Verdict};
use crate::capture::{Capture, CapturedCase, Channel, Credential, Exchange, Request};
use crate::plan::Setting;

/// What stands in a saved capture for what is somebody's begins so.
const STAND_IN: &[u8] = b"[redacted ";

/// Says that a sandbox answers from fixed inputs.
const CLAUSE: &str = "sandbox.deterministic";

/// What each input was answered first: the data as it was sent.
#[derive(Debug, Default)]
pub(super) struct AnsweredInputs {
    first: HashMap<(String, Vec<u8>), FirstAnswer, FixedState>,
    /// Whether nothing can be compared.
    is_blind: bool,
}

#[derive(Debug)]
struct FirstAnswer {
    data: Vec<u8>,
    check: String,
    case: String,
}

impl AnsweredInputs {
    /// For a saved capture: where people have stand-ins in it, one input stands for several, and nothing is compared.
    pub(super) fn of_saved(capture: &Capture) -> Self {
        let hidden = |body: &[u8]| body.windows(STAND_IN.len()).any(|part| part == STAND_IN);
        let mut exchanges = capture.cases.iter().flat_map(|case| &case.exchanges);
        AnsweredInputs {
            is_blind: exchanges.any(|it| {
                let answer = it.response.as_ref();
                hidden(&it.request.body) || answer.is_ok_and(|answer| hidden(&answer.body))
            }),
            ..AnsweredInputs::default()
        }
    }

    /// Takes in what was captured of a case; answers what it shows: inputs that were answered otherwise before. By our own
    /// rulings the answers of a simulator follow its clock, which checks move: there two calls of one case are compared.
    pub(super) fn take(&mut self, setting: &Setting<'_>, captured: &CapturedCase) -> Vec<Finding> {
        let is_console = |it: &Exchange| it.request.channel == Channel::Console;
        if captured.exchanges.iter().any(is_console) {
            self.first.clear();
            return Vec::new();
        }
        if self.is_blind || setting.by_rulings() || !setting.covers(CLAUSE) {
            return Vec::new();
        }
        let exchanges = captured.exchanges.iter().enumerate();
        let found = exchanges.filter_map(|(step, exchange)| {
            let verdict = self.differs(setting, captured, exchange)?;
            Some(Finding {
                case: captured.case.clone(),
                step,
                verdict,
            })
        });
        found.collect()
    }

    fn differs(
        &mut self,
        setting: &Setting<'_>,
        captured: &CapturedCase,
        exchange: &Exchange,
    ) -> Option<Verdict> {
        let (request, response) = (&exchange.request, exchange.response.as_ref().ok()?);
        let operation = asked(setting, exchange)?;
        let answer = Json::parse(&response.body).ok()?;
        let is_result = answer.get("status").and_then(Json::as_text) == Some("completed");
        let data = answer.get("data").filter(|_| is_result)?;
        let key = (operation.id.clone(), input(request)?);
        let Some(first) = self.first.get(&key) else {
            let first = FirstAnswer {
                data: data.to_string().into_bytes(),
                check: captured.check.clone(),
                case: captured.case.clone(),
            };
            self.first.insert(key, first);
            return None;
        };
        let before = Json::parse(&first.data).ok()?;
        let (place, [said, found]) = alike::other(&before, data, Some(&operation.response))?;
        let (check, case) = (&first.check, &first.case);
        Some(Verdict::Broken {
            clause: CLAUSE.to_owned(),
            what: format!("`{place}` of an input that was asked before"),
            expected: format!("{said}, as {check}, {case} was answered"),
            found,
            known: None,
            seen: None,
        })
    }
}

/// The operation that the run's own key asks on the sandbox, where the request alone decides.
fn asked<'c>(setting: &Setting<'c>, exchange: &Exchange) -> Option<&'c Operation> {
    let request = &exchange.request;
    let is_own = request.channel == Channel::Api && exchange.credential == Credential::Own;
    let operation = setting.operation_at(&request.path)?;
    let is_first = setting.contract.carried_field(operation).is_none();
    (is_own && is_first && request.environment == Environment::Test).then_some(operation)
}

/// What is asked, however it is written.
fn input(request: &Request) -> Option<Vec<u8>> {
    let body = Json::parse(&request.body).ok()?;
    let mut bytes = Vec::new();
    body.canonical(&mut |part| bytes.extend_from_slice(part));
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use svc_fixtures::contract::Contract;

    use super::*;
    use crate::plan::inputs;
    use crate::profile::Profile;
    use crate::report::tests::sample;

    /// What is found where one input is asked by three cases and answered so.
    fn found(answers: [(&str, &str); 3]) -> Vec<String> {
        let contract = Contract::built_in();
        let mut setting = Setting::new(&contract, inputs::built_in(), "seed");
        setting.profile = Profile::Provider;
        let mut before = AnsweredInputs::default();
        let found = answers
            .into_iter()
            .enumerate()
            .flat_map(|(at, (ifsc, branch))| {
                let answer = format!(
                    r#"{{"status":"completed","data":{{"branch":"{branch}","upi":"Live"}}}}"#
                );
                let mut exchange = sample::exchange(&format!(r#"{{"ifsc":"{ifsc}"}}"#), &answer);
                exchange.request.path = "/v1/verify/financial/ifsc".to_owned();
                let captured = sample::captured(&format!("case {at}"), vec![exchange]);
                before.take(&setting, &captured)
            });
        let told = found.map(|finding| match finding.verdict {
            Verdict::Broken {
                what,
                expected,
                found,
                ..
            } => format!("{}: {what}: {expected}: {found}", finding.case),
            other => panic!("{other:?}"),
        });
        told.collect()
    }

    #[test]
    fn an_input_is_answered_alike_over_a_whole_run() {
        let (one, other) = ("HDFC0000001", "HDFC0000002");
        assert_eq!(
            found([(one, "A"), (other, "B"), (one, "A")]),
            Vec::<String>::new()
        );
        let told = r#"case 2: `data.branch` of an input that was asked before: "A", as a.check, case 0 was answered: "B""#;
        assert_eq!(found([(one, "A"), (other, "B"), (one, "B")]), [told]);
    }
}
