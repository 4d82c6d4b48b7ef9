//! Inputs learnt from a service: each operation is called with its sample, and how that ends is written down in the
//! format of `inputs.toml`.

use std::fmt::Write as _;

use svc_fixtures::contract::{Environment, Field, Operation};
use svc_fixtures::json::Json;
use svc_fixtures::sample;

use super::{Case, Setting, lead};
use crate::capture::CapturedCase;

/// What the cases are captured as.
pub const CHECK: &str = "inputs.learn";

/// An input to try.
#[derive(Debug, Clone)]
pub struct Trial<'c> {
    operation: &'c Operation,
    field: &'c Field,
    value: String,
    /// The calls, of which the last has the input.
    pub case: Case,
}

/// The samples of every operation that is asked: those whose first identifying field is a text. What an earlier call
/// issues is no input, and what is fixed already is not learnt.
#[must_use]
pub fn trials<'c>(setting: &Setting<'c>, environment: Environment) -> Vec<Trial<'c>> {
    let contract = setting.contract;
    let trial = |operation: &'c Operation| {
        let (_, field) = operation.identifiers().next()?;
        let value = sample::value(contract, field);
        let value = value
            .as_text()
            .filter(|_| !contract.carries(operation, field))?;
        let mut known = setting.inputs.iter();
        let is_known = known.any(|input| {
            let own = input.field(contract, operation);
            let same = own.is_some_and(|own| own.name == field.name) && input.value == value;
            same && input.environment == environment
        });
        if is_known {
            return None;
        }
        let mut case = Case::about(operation, "").on(environment);
        lead::to_text(&mut case, setting, operation, field, value);
        Some(Trial {
            operation,
            field,
            value: value.to_owned(),
            case,
        })
    };
    setting.operations().filter_map(trial).collect()
}

/// How a trial ended: `completed`, or an error code; none where the service fixes nothing by it.
fn ending(trial: &Trial<'_>, captured: &CapturedCase) -> Result<String, String> {
    let whole = captured.exchanges.len() == trial.case.steps.len();
    let last = captured.exchanges.last().filter(|_| whole);
    let Some(exchange) = last else {
        let why = captured.stopped.as_deref();
        return Err(why
            .unwrap_or("the calls before it were not answered")
            .to_owned());
    };
    let response = exchange.last().ok_or("it was not answered")?;
    let json = Json::parse(&response.body).map_err(|_| "the answer is no JSON".to_owned())?;
    let text = |json: Option<&Json<'_>>| json.and_then(Json::as_text).map(str::to_owned);
    match text(json.get("status")).unwrap_or_default().as_str() {
        "completed" => Ok("completed".to_owned()),
        "failed" if [422, 502, 503, 504].contains(&response.status) => {
            let code = json.get("error").and_then(|error| error.get("code"));
            text(code).ok_or_else(|| "the answer has no code".to_owned())
        }
        status => Err(format!("it was answered {} {status}", response.status)),
    }
}

/// One trial as it stands in the file: an `[[input]]`, or a comment that says why it is none.
#[must_use]
pub fn written(trial: &Trial<'_>, captured: &CapturedCase) -> String {
    let (operation, field, value) = (&trial.operation.id, &trial.field.name, &trial.value);
    let mut out = String::from("\n");
    let ends = match ending(trial, captured) {
        Ok(ends) => ends,
        Err(why) => {
            let why = why.replace(char::is_control, " ");
            let _ = writeln!(out, "# {operation}, {field}: nothing was learnt, {why}");
            return out;
        }
    };
    let clause = match ends.as_str() {
        "completed" => "states.completed",
        "SVC_NO_RECORD_FOUND" => "states.no-record",
        _ => "states.source-failure",
    };
    let quoted = Json::from(value.as_str());
    let environment = trial.case.environment;
    let _ = write!(
        out,
        "[[input]]\nclause = \"{clause}\"\nenvironment = \"{environment}\"\noperation = \"{operation}\"\n\
         field = \"{field}\"\nvalue = {quoted}\nends = \"{ends}\"\n"
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::inputs;
    use crate::report::tests::sample::exchange;
    use svc_fixtures::contract::Contract;
    use svc_fixtures::reading::Source;

    #[test]
    fn what_is_learnt_reads_as_inputs_and_what_is_not_says_why() {
        let contract = Contract::built_in();
        let setting = Setting::new(&contract, Vec::new(), "seed");
        let trials = trials(&setting, Environment::Live);
        assert!(trials.len() > 40, "{}", trials.len());
        let mut file = String::new();
        for (at, trial) in trials.iter().enumerate() {
            let (status, body) = match at {
                0 => (
                    422,
                    r#"{"status":"failed","error":{"code":"SVC_NO_RECORD_FOUND"}}"#,
                ),
                1 => (202, r#"{"status":"pending"}"#),
                2 => (
                    400,
                    r#"{"status":"failed","error":{"code":"SVC_INVALID_INPUT"}}"#,
                ),
                _ => (200, r#"{"status":"completed"}"#),
            };
            let mut captured = CapturedCase::new(CHECK, &trial.case.name);
            let mut answer = exchange("{}", body);
            answer.response.as_mut().unwrap().status = status;
            captured.exchanges = vec![answer; trial.case.steps.len()];
            file += &written(trial, &captured);
        }
        let source = Source::new("learnt.toml", file.as_str());
        let Ok(read) = inputs::read(&contract, &source, &[]) else {
            panic!("{file}")
        };
        assert_eq!(read.len(), trials.len() - 2);
        assert_eq!(read[0].ends, "SVC_NO_RECORD_FOUND");
        assert!(
            read.iter()
                .all(|input| input.environment == Environment::Live)
        );
        assert!(
            file.contains("nothing was learnt, it was answered 202 pending"),
            "{file}"
        );
    }
}
