//! Every operation's success and every error code's envelope, as the simulator answers them by a
//! clock that stands still: a file a category in `snapshots/`, and one of the errors.
//!
//! Whether an answer is right the checks say. These files show what changed.

mod support;

use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::LazyLock;

use libtest_mimic::{Arguments, Failed, Trial};
use support::InProcess;
use svc_contract_tests::capture::{Credential, Exchange};
use svc_contract_tests::client::{Client, Keyring};
use svc_contract_tests::plan::{Case, RequestTemplate, Setting, lead};
use svc_fixtures::contract::{Contract, Environment, ErrorCode, Operation};
use svc_fixtures::json::Json;
use svc_fixtures::sample::{self, Extent};

static CONTRACT: LazyLock<Contract> = LazyLock::new(Contract::built_in);

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut categories: Vec<&str> = Vec::new();
    for operation in &CONTRACT.operations {
        if !categories.contains(&operation.category.as_str()) {
            categories.push(&operation.category);
        }
    }
    let of_category = |category: &'static str| Trial::test(category, move || successes(category));
    let mut trials: Vec<_> = categories.into_iter().map(of_category).collect();
    trials.push(Trial::test("errors", errors));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The successes of a category, in the order of its rows.
fn successes(category: &str) -> Result<(), Failed> {
    let setting = support::setting(&CONTRACT);
    let mut shown = String::new();
    for operation in setting.operations().filter(|row| row.category == category) {
        let mut case = Case::about(operation, "");
        lead::to_success(&mut case, &setting, operation);
        show(&mut shown, &operation.id, &last(&setting, &case)?)?;
    }
    let name: Vec<_> = category.split_whitespace().map(str::to_lowercase).collect();
    compare(&name.join("-"), &shown);
    Ok(())
}

fn errors() -> Result<(), Failed> {
    let setting = support::setting(&CONTRACT);
    let operation = setting.operations().next().ok_or("there are operations")?;
    let mut shown = String::new();
    for code in ErrorCode::ALL {
        let case = ending_in(&setting, operation, code);
        show(&mut shown, code.as_str(), &last(&setting, &case)?)?;
    }
    compare("errors", &shown);
    Ok(())
}

/// Calls of which the last ends in an error.
fn ending_in(setting: &Setting<'_>, operation: &Operation, code: ErrorCode) -> Case {
    let mut case = Case::about(operation, code.as_str());
    let sound = || {
        let body = sample::body(setting.contract, operation, Extent::Required);
        RequestTemplate::post(operation, body)
    };
    let other = |text: &str| {
        let (_, field) = operation.identifiers().next().expect("it identifies");
        let body = sample::body_with_text(setting.contract, operation, field, text);
        RequestTemplate::post(operation, body)
    };
    let built_in = |name| sound().by(Credential::BuiltIn(name));
    let covers = match code {
        ErrorCode::InvalidInput => vec![RequestTemplate::post(operation, Json::Object(Vec::new()))],
        ErrorCode::InvalidIdentifier => vec![other("nonsense")],
        ErrorCode::AuthInvalid => vec![sound().by(Credential::Unknown)],
        ErrorCode::KeyEnvironmentMismatch => vec![sound().by(Credential::OtherEnvironment)],
        ErrorCode::InsufficientBalance => {
            case.environment = Environment::Live;
            vec![built_in("broke".to_owned())]
        }
        ErrorCode::IpNotAllowed => vec![built_in("blocked".to_owned())],
        ErrorCode::NotFound => vec![RequestTemplate::get(
            "/v1/verifications/svcv_00000000000000000000000000",
        )],
        ErrorCode::IdempotencyConflict => vec![
            sound().idempotency("key"),
            other("EEEEE0001E").idempotency("key"),
        ],
        ErrorCode::RateLimited => vec![built_in("throttled".to_owned()); 3],
        ErrorCode::NoRecordFound
        | ErrorCode::ProviderError
        | ErrorCode::SourceUnavailable
        | ErrorCode::SourceTimeout
        | ErrorCode::InternalError => {
            let status = setting.contract.error(code).status;
            lead::to_status(&mut case, setting, operation, status);
            Vec::new()
        }
    };
    for request in covers {
        case.push(request);
    }
    case
}

/// The last exchange of a case, on a simulator of its own.
fn last(setting: &Setting<'_>, case: &Case) -> Result<Exchange, Failed> {
    let target = InProcess::new(support::accounts());
    let client = Client::new(&target, Keyring::of_simulator(), setting);
    let mut captured = support::block_on(client.capture("snapshots", case));
    match captured.stopped {
        Some(why) => Err(why.into()),
        None => captured.exchanges.pop().ok_or_else(|| "nothing".into()),
    }
}

fn show(shown: &mut String, name: &str, exchange: &Exchange) -> Result<(), Failed> {
    let (request, response) = (&exchange.request, exchange.response.as_ref());
    let response = response.map_err(ToString::to_string)?;
    let body = String::from_utf8_lossy(&request.body);
    writeln!(shown, "== {name}\n{} {}", request.method, request.path)?;
    if !body.is_empty() {
        writeln!(shown, "{body}")?;
    }
    write!(shown, "-- {}", response.status)?;
    for (name, value) in &response.headers {
        write!(shown, ", {name}: {value}")?;
    }
    let json: serde_json::Value = serde_json::from_slice(&response.body)?;
    writeln!(shown, "\n{}\n", serde_json::to_string_pretty(&json)?)?;
    Ok(())
}

fn compare(name: &str, shown: &str) {
    let mut settings = insta::Settings::new();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, shown));
}
