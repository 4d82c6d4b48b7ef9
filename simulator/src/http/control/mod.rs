//! The control API (ruling 34): accounts, clocks, wallets, webhooks, deliveries and scenarios of a
//! running simulator. JSON in and out; the host makes the changes.

mod account_dto;
mod account_file;
mod accounts;
mod audit;
mod call_story;
mod calls;
mod clock;
mod consents;
mod deliveries;
mod errors;
mod event_dto;
mod events;
mod explain;
mod forecast;
mod forms;
pub mod guard;
mod health;
mod json;
mod keys;
mod machine_time;
mod make_call;
mod memory;
mod people;
mod received_dto;
mod request;
mod response;
mod route;
mod scenario_files;
mod scenarios;
mod settings;
mod timeline;
mod trigger;
mod usage;
mod values;
mod wallet;
mod world;
mod world_guess;
mod world_links;

use std::sync::Arc;

use axum::Router;
use http::{Method, StatusCode};

pub(crate) use accounts::ResetDto;
pub(crate) use deliveries::{AttemptDto, DeliveryDto, DeliveryListDto};
pub(crate) use event_dto::DeliveryStateDto;
pub(super) use request::{BodyPresence, query_of};
use response::ControlErrorCode as Code;
pub(super) use response::{ControlError, ControlErrorCode, ErrorDto, content};
pub(super) use route::{ControlApi, Route};
pub(crate) use trigger::TriggeredDto;

const GET: Method = Method::GET;
const POST: Method = Method::POST;
const PUT: Method = Method::PUT;
const DELETE: Method = Method::DELETE;

/// Every route, in the order of the document. Those that name an account in their path or query can
/// answer that there is none, which no row repeats.
pub(super) fn routes() -> Vec<Route> {
    let all = [account_routes(), call_routes(), reference_routes()];
    all.into_iter().flatten().collect()
}

/// The router of the control API.
pub(super) fn router(api: &Arc<ControlApi>) -> Router {
    routes().into_iter().fold(Router::new(), |router, route| {
        router.route(route.path, route.router(api))
    })
}

#[rustfmt::skip]
fn account_routes() -> Vec<Route> {
    vec![
        Route::new(GET, "/control/health", "health", health::health, "Whether the simulator lives"),
        Route::new(GET, "/control/ready", "ready", health::ready, "Whether the simulator takes calls")
            .errors(&[Code::NotReady, Code::Stopping]),
        Route::new(GET, "/control/accounts", "accounts.list", accounts::list, "Every account"),
        Route::new(POST, "/control/accounts", "accounts.open", accounts::open, "Open an account")
            .status(StatusCode::CREATED).errors(&[Code::AccountExists, Code::TooManyAccounts, Code::TargetRefused]),
        Route::new(GET, "/control/accounts/{id}", "accounts.get", accounts::one, "All of an account"),
        Route::new(DELETE, "/control/accounts/{id}", "accounts.delete", accounts::remove,
            "Delete an account; its keys are unknown then, until the next start where a file declares it")
            .status(StatusCode::NO_CONTENT),
        Route::new(POST, "/control/accounts/{id}/fork", "accounts.fork", accounts::fork,
            "Copy an account with all of its state")
            .status(StatusCode::CREATED).errors(&[Code::AccountExists]),
        Route::new(GET, "/control/accounts/{id}/export", "accounts.export", account_file::export,
            "All of an account as a file, with its keys and secrets"),
        Route::new(POST, "/control/accounts/{id}/import", "accounts.import", account_file::import,
            "Read an account from a file that was exported: under its own id as it was, under another as a copy")
            .status(StatusCode::CREATED)
            .errors(&[
                Code::NewerFormat, Code::AccountExists, Code::TooManyAccounts, Code::TargetRefused,
                Code::ScenarioMistakes,
            ]),
        Route::new(POST, "/control/accounts/{id}/reset", "accounts.reset", accounts::reset,
            "Set an account back to its beginning; only its clock goes on"),
        Route::new(POST, "/control/reset", "accounts.resetAll", accounts::reset_all,
            "Set every account back to its beginning, one after the other; only their clocks go on"),
        Route::new(GET, "/control/accounts/{id}/wallet", "wallet.get", wallet::show,
            "What is in the live wallet, what is put aside, and how it came to that"),
        Route::new(POST, "/control/accounts/{id}/wallet", "wallet.set", settings::wallet,
            "Put money into the live wallet, or set it")
            .errors(&[Code::BelowHeld]),
        Route::new(PUT, "/control/accounts/{id}/webhook", "webhook.set", settings::set_webhook,
            "Register where webhooks go").errors(&[Code::TargetRefused]),
        Route::new(DELETE, "/control/accounts/{id}/webhook", "webhook.remove", settings::remove_webhook,
            "Send no webhooks any more")
            .status(StatusCode::NO_CONTENT),
        Route::new(PUT, "/control/accounts/{id}/allowlist", "allowlist.set", settings::set_allowlist,
            "Set where keys may be used from"),
        Route::new(PUT, "/control/accounts/{id}/rate-limit", "rateLimit.set", settings::set_rate_limit,
            "Set how often each key may be used"),
        Route::new(DELETE, "/control/accounts/{id}/rate-limit", "rateLimit.remove", settings::remove_rate_limit,
            "Let keys be used without a limit")
            .status(StatusCode::NO_CONTENT),
        Route::new(POST, "/control/accounts/{id}/keys", "keys.add", keys::add, "Give an account one more key")
            .status(StatusCode::CREATED).errors(&[Code::KeyExists, Code::TooManyKeys]),
        Route::new(POST, "/control/accounts/{id}/keys/rotate", "keys.rotate", keys::rotate,
            "Put a new key in the place of the newest that works; that one works on for a while")
            .errors(&[Code::NoActiveKey, Code::TooManyKeys]),
        Route::new(POST, "/control/accounts/{id}/keys/revoke", "keys.revoke", keys::revoke, "End a key")
            .errors(&[Code::KeyNotFound]),
        Route::new(GET, "/control/accounts/{id}/clock", "clock.get", clock::show,
            "What an account's clock shows"),
        Route::new(POST, "/control/accounts/{id}/clock", "clock.set", clock::set,
            "Move an account's clock forward through all that falls due, stop it, let it run")
            .errors(&[Code::ClockBackwards, Code::NothingDue, Code::TooManyWaits, Code::ClockMoveTimeout]),
        Route::new(GET, "/control/accounts/{id}/timeline", "timeline.get", timeline::show,
            "What is still to come of an account: by its clock, the first first, and what waits for somebody"),
        Route::new(GET, "/control/accounts/{id}/usage", "usage.get", usage::show,
            "What an account spent, as `GET /v1/usage` tells it"),
    ]
}

#[rustfmt::skip]
fn call_routes() -> Vec<Route> {
    vec![
        Route::new(GET, "/control/calls", "calls.list", calls::list, "The calls of an account, or those that no account could be found for, newest first"),
        Route::new(POST, "/control/calls", "calls.make", make_call::make,
            "Make a call as an account would, with its key and from where it may; what the service answers is in the answer")
            .errors(&[Code::AccountNotFound, Code::NoActiveKey]),
        Route::new(GET, "/control/calls/{verificationId}", "calls.get", calls::one,
            "One call with its newest envelope").errors(&[Code::VerificationNotFound]),
        Route::new(GET, "/control/deliveries", "deliveries.list", deliveries::list,
            "The deliveries of all accounts or of one, newest first"),
        Route::new(GET, "/control/deliveries/{id}", "deliveries.get", deliveries::one,
            "One delivery with its body and what was signed").errors(&[Code::DeliveryNotFound]),
        Route::new(POST, "/control/deliveries/{id}/redeliver", "deliveries.redeliver", deliveries::redeliver,
            "Attempt a delivery once more, whatever the schedule says; does not wait for the attempt")
            .status(StatusCode::ACCEPTED).errors(&[Code::DeliveryNotFound]),
        Route::new(GET, "/control/consents", "consents.list", consents::list,
            "What persons are asked on the consent page and have not decided yet, the oldest first"),
        Route::new(POST, "/control/consents/{verificationId}", "consents.decide", consents::decide,
            "Allow or refuse in a person's place")
            .errors(&[Code::VerificationNotFound, Code::NotPending]),
        Route::new(POST, "/control/trigger", "trigger", trigger::trigger,
            "Make an account's webhook happen now")
            .errors(&[
                Code::AccountNotFound, Code::VerificationNotFound, Code::OperationNotFound,
                Code::NotPending, Code::NoActiveKey, Code::CallRefused,
            ]),
        Route::new(GET, "/control/events", "events.list", events::list,
            "What happened to an account; waits for the first where nothing did yet")
            .errors(&[Code::TooManyWaits]),
    ]
}

#[rustfmt::skip]
fn reference_routes() -> Vec<Route> {
    vec![
        Route::new(GET, "/control/scenarios", "scenarios.list", scenarios::list,
            "The scenarios in force, the first wins"),
        Route::new(POST, "/control/scenarios", "scenarios.add", scenarios::add,
            "Add scenarios for one account, before all others")
            .status(StatusCode::CREATED).errors(&[Code::AccountNotFound, Code::ScenarioMistakes]),
        Route::new(POST, "/control/scenarios/check", "scenarios.check", scenarios::check,
            "What `check` says of a text of scenarios; adds nothing").errors(&[Code::AccountNotFound]),
        Route::new(GET, "/control/scenarios/files", "scenarios.files", scenario_files::list,
            "The files of the scenarios in force, the first wins, with how often each of their rules decided a call that is kept"),
        Route::new(GET, "/control/scenarios/file", "scenarios.file", scenario_files::one,
            "One file of scenarios: its text, and each rule with how often it decided a call that is kept")
            .errors(&[Code::ScenarioNotFound]),
        Route::new(PUT, "/control/scenarios/{id}", "scenarios.rewrite", scenarios::rewrite,
            "Put another text in the place of added scenarios")
            .errors(&[Code::AccountNotFound, Code::ScenarioNotFound, Code::ScenarioMistakes]),
        Route::new(DELETE, "/control/scenarios/{id}", "scenarios.remove", scenarios::remove,
            "Take added scenarios away")
            .status(StatusCode::NO_CONTENT).errors(&[Code::ScenarioNotFound]),
        Route::new(POST, "/control/explain", "explain", explain::explain,
            "Why an input gets what it gets, and an input for every outcome")
            .errors(&[Code::AccountNotFound, Code::OperationNotFound]),
        Route::new(POST, "/control/forecast", "forecast", forecast::forecast,
            "What a month of calls costs and how long its flows take: of those that are kept, of a file, or of a mix; calls nothing")
            .errors(&[Code::AccountNotFound]),
        Route::new(GET, "/control/operations", "operations.list", forms::list,
            "Every operation and every bundle"),
        Route::new(GET, "/control/operations/{id}", "operations.get", forms::one,
            "What it takes to call one: its fields, a sample, the fixed inputs, and who of the personas it can be asked about")
            .errors(&[Code::OperationNotFound]),
        Route::new(GET, "/control/errors", "errors.list", errors::list,
            "Every error: its HTTP status, whether to try again, whether it is charged, and when it comes"),
        Route::new(GET, "/control/people", "people.list", people::list,
            "Who is declared in scenario files: the story of each, and what they are asked for by"),
        Route::new(GET, "/control/world", "world.get", world::look_up,
            "Whose an identifier is: all identifiers of the subject, what answers say of it, whom it has to do with")
            .errors(&[Code::SubjectNotFound]),
        Route::new(GET, "/control/audit", "audit.list", audit::list,
            "Every access to answers that must be retained"),
        Route::new(GET, "/control/memory", "memory.get", memory::all,
            "What all accounts take, and how much they may"),
        Route::new(GET, "/control/accounts/{id}/memory", "memory.account", memory::one,
            "What an account keeps, and what it forgot"),
    ]
}
