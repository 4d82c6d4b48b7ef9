//! `trigger`: makes a webhook of a running simulator happen now, and waits for what comes of it.

use std::time::Duration;

use anyhow::anyhow;
use clap::Args;
use serde::Deserialize;
use serde_json::{Value, json};
use svc_fixtures::contract::Environment;
use svc_fixtures::json::Json;

use super::call_args::object;
use super::control_client::{ANSWER_TIMEOUT, ConsoleArgs, ControlClient, ControlClientError};
use super::deliveries::{attempt_line, state_line};
use super::failure::Failure;
use super::layout::{one_line, plain};
use super::terminal;
use super::values::{duration, environment};
use crate::http::control::{DeliveryDto, DeliveryStateDto, TriggeredDto};

/// The arguments of `trigger`.
#[derive(Debug, Args)]
pub(super) struct TriggerArgs {
    #[command(flatten)]
    console: ConsoleArgs,
    /// Whose webhook
    #[arg(long, value_name = "ID", default_value = "local")]
    account: String,
    /// In which environment
    #[arg(long, default_value = "test", value_parser = environment())]
    environment: Environment,
    /// A pending verification that comes to its end now; without one a call is made first
    #[arg(long, value_name = "ID", conflicts_with_all = ["operation", "body"])]
    verification: Option<String>,
    /// The operation to call, instead of the first that can be pending
    #[arg(long, value_name = "ID")]
    operation: Option<String>,
    /// The body to call it with, instead of the operation's own input for a pending result
    #[arg(long, value_name = "JSON", requires = "operation", value_parser = object)]
    body: Option<Json<'static>>,
    /// How long to wait for the receiver's answer; 0s does not wait
    #[arg(long, value_name = "DURATION", default_value = "15s", value_parser = duration)]
    wait: Duration,
}

/// One poll waits at most so long; the control API allows a minute.
const POLL: Duration = Duration::from_secs(30);

#[derive(Debug, Deserialize)]
struct EventList {
    events: Vec<Value>,
    next: u64,
}

/// Runs the command.
pub(super) fn run(args: &TriggerArgs) -> Result<(), Failure> {
    let client = ControlClient::new(&args.console)?;
    // The event number is read first, so that an immediate attempt is not missed.
    let before = [("account", args.account.as_str()), ("from", "0")];
    let before: EventList = client.read(&client.get(&["events"], &before, ANSWER_TIMEOUT)?)?;
    let answer = client.post(&["trigger"], request(args).to_string(), ANSWER_TIMEOUT)?;
    let triggered: TriggeredDto = client.read(&answer)?;
    terminal::print(&render(args, &triggered))?;
    let Some(delivery) = triggered.delivery_id.as_deref() else {
        return Err(unsent(&triggered).into());
    };
    if args.wait.is_zero() {
        return Ok(());
    }
    let is_attempted = wait_for_attempt(&client, args, &triggered.verification_id, before.next)?;
    let delivery = client.get(&["deliveries", delivery], &[], ANSWER_TIMEOUT)?;
    let delivery: DeliveryDto = client.read(&delivery)?;
    if !is_attempted {
        return Err(no_attempt_error(&delivery, args.wait).into());
    }
    terminal::print(&render_outcome(&delivery))?;
    match delivery.state {
        DeliveryStateDto::Delivered => Ok(()),
        DeliveryStateDto::Due | DeliveryStateDto::Dead => {
            Err(anyhow!("the receiver did not take {}", delivery.id).into())
        }
    }
}

fn request(args: &TriggerArgs) -> Value {
    let mut request = json!({
        "account": args.account,
        "environment": args.environment,
        "verificationId": args.verification,
        "operation": args.operation,
        "body": args.body,
    });
    let members = request.as_object_mut().expect("it was made as an object");
    members.retain(|_, value| !value.is_null());
    request
}

/// Waits until an attempt for the verification was made. Says whether one was.
fn wait_for_attempt(
    client: &ControlClient,
    args: &TriggerArgs,
    verification: &str,
    from: u64,
) -> Result<bool, ControlClientError> {
    let from = from.to_string();
    let mut left = args.wait;
    // A poll that comes back empty took the time it was given: no clock is needed.
    while !left.is_zero() {
        let poll = left.min(POLL);
        let wait = format!("{}ms", poll.as_millis());
        let query = [
            ("account", args.account.as_str()),
            ("from", &from),
            ("kind", "deliveryAttempted"),
            ("verificationId", verification),
            ("wait", &wait),
        ];
        let found: EventList =
            client.read(&client.get(&["events"], &query, poll + ANSWER_TIMEOUT)?)?;
        if !found.events.is_empty() {
            return Ok(true);
        }
        left -= poll;
    }
    Ok(false)
}

fn render(args: &TriggerArgs, triggered: &TriggeredDto) -> String {
    let TriggeredDto {
        verification_id,
        delivery_id,
        note: _,
    } = triggered;
    let (account, environment) = (&args.account, args.environment.as_str());
    let mut text = format!("{verification_id} of {account} ({environment}) came to its end\n");
    if let Some(delivery) = delivery_id {
        text += &format!("{delivery} carries its result\n");
    }
    text
}

/// No webhook was sent, which is what the command is for.
fn unsent(triggered: &TriggeredDto) -> anyhow::Error {
    let why = triggered.note.as_deref().map(one_line);
    anyhow!("no webhook was sent: {}", why.unwrap_or_default())
}

fn render_outcome(delivery: &DeliveryDto) -> String {
    let last = delivery.attempts.last();
    let last = last.map_or_else(|| "no attempt is kept".to_owned(), attempt_line);
    format!("{last}; {}\n", state_line(delivery))
}

fn no_attempt_error(delivery: &DeliveryDto, waited: Duration) -> anyhow::Error {
    let next = delivery.next_due.map_or_else(|| "never".to_owned(), plain);
    let (id, state) = (&delivery.id, plain(delivery.state));
    anyhow!("no attempt of {id} ended within {waited:?}: it is {state}, next attempt {next}")
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use serde_json::{Value, json};

    use super::*;

    #[derive(Debug, clap::Parser)]
    struct Alone {
        #[command(flatten)]
        args: TriggerArgs,
    }

    fn args(more: &[&str]) -> Result<TriggerArgs, String> {
        let parsed = Alone::try_parse_from(std::iter::once(&"trigger").chain(more));
        parsed.map(|it| it.args).map_err(|error| error.to_string())
    }

    fn triggered(answer: Value) -> TriggeredDto {
        serde_json::from_value(answer).unwrap()
    }

    #[test]
    fn the_request_has_what_the_arguments_say() {
        let asked = |more: &[&str]| request(&args(more).unwrap()).to_string();
        assert_eq!(asked(&[]), r#"{"account":"local","environment":"test"}"#);
        assert_eq!(
            asked(&[
                "--account",
                "a",
                "--environment",
                "live",
                "--verification",
                "svcv_1"
            ]),
            r#"{"account":"a","environment":"live","verificationId":"svcv_1"}"#
        );
        assert_eq!(
            asked(&[
                "--operation",
                "an.operation",
                "--body",
                r#" {"a": 1.0, "b": []}"#
            ]),
            r#"{"account":"local","environment":"test","operation":"an.operation","body":{"a":1.0,"b":[]}}"#
        );
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        for more in [
            ["--verification", "svcv_1", "--operation", "an.operation"],
            ["--operation", "an.operation", "--body", "[]"],
            ["--operation", "an.operation", "--body", "{"],
            ["--account", "local", "--body", "{}"],
            ["--account", "local", "--wait", "15"],
            ["--account", "local", "--environment", "sandbox"],
        ] {
            assert!(args(&more).is_err(), "{more:?}");
        }
    }

    #[test]
    fn the_verification_and_its_delivery_are_printed() {
        let args = args(&[]).unwrap();
        let sent = triggered(json!({"verificationId": "svcv_1", "deliveryId": "dlv_1"}));
        let note = "no receiver is registered for local in test";
        let unsent_one = triggered(json!({"verificationId": "svcv_1", "note": note}));
        insta::assert_snapshot!(render(&args, &sent), @"
        svcv_1 of local (test) came to its end
        dlv_1 carries its result
        ");
        insta::assert_snapshot!(render(&args, &unsent_one), @"
        svcv_1 of local (test) came to its end
        ");
        let why = unsent(&unsent_one).to_string();
        insta::assert_snapshot!(why, @"no webhook was sent: no receiver is registered for local in test");
    }

    #[test]
    fn the_outcome_of_the_attempt_is_printed() {
        let delivery = |state: &str, next: Option<&str>, attempts: Value| -> DeliveryDto {
            let delivery = json!({
                "id": "dlv_1", "verificationId": "svcv_1", "environment": "test", "state": state,
                "since": "2027-01-15T08:00:25.000Z", "nextDue": next, "attempts": attempts,
            });
            serde_json::from_value(delivery).unwrap()
        };
        let attempt = |status: u16| {
            json!([{"number": 1, "due": "2027-01-15T08:00:25.000Z",
            "why": "schedule", "url": "http://127.0.0.1:9/hook", "status": status}])
        };
        let next = Some("2027-01-15T08:00:55.000Z");
        let delivered = render_outcome(&delivery("delivered", None, attempt(200)));
        let due = render_outcome(&delivery("due", next, attempt(503)));
        let none = no_attempt_error(&delivery("due", next, json!([])), Duration::from_secs(15));
        insta::assert_snapshot!(format!("{delivered}{due}{none}"), @"
        attempt 1 to http://127.0.0.1:9/hook: 200; delivered
        attempt 1 to http://127.0.0.1:9/hook: 503; due, next attempt 2027-01-15T08:00:55.000Z
        no attempt of dlv_1 ended within 15s: it is due, next attempt 2027-01-15T08:00:55.000Z
        ");
    }
}
