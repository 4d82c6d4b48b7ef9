//! `deliveries`: lists webhook deliveries of a running simulator, shows one, sends one again.

use std::fmt::Write as _;

use clap::{Args, Subcommand, ValueEnum};
use serde::Deserialize;
use svc_fixtures::contract::Environment;

use super::control_client::{ANSWER_TIMEOUT, ConsoleArgs, ControlAnswer, ControlClient};
use super::failure::Failure;
use super::layout::{columns, one_line, plain};
use super::terminal;
use super::values::environment;
use crate::http::control::{AttemptDto, DeliveryDto, DeliveryListDto};

/// The arguments of `deliveries`.
#[derive(Debug, Args)]
pub(super) struct DeliveriesArgs {
    #[command(flatten)]
    console: ConsoleArgs,
    /// Whose deliveries are listed [default: local]
    #[arg(long, value_name = "ID")]
    account: Option<String>,
    /// Only those of one environment
    #[arg(long, value_parser = environment())]
    environment: Option<Environment>,
    /// Only those that stand so
    #[arg(long)]
    state: Option<StateArg>,
    /// Only that of one verification
    #[arg(long, value_name = "ID")]
    verification: Option<String>,
    /// Print the answer of the control API as it is
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    action: Option<DeliveriesAction>,
}

impl DeliveriesArgs {
    /// Whether a flag chooses among what is listed.
    fn chooses(&self) -> bool {
        self.account.is_some()
            || self.environment.is_some()
            || self.state.is_some()
            || self.verification.is_some()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StateArg {
    /// An attempt is still to come
    Due,
    /// The receiver took it
    Delivered,
    /// The last attempt failed
    Dead,
}

#[derive(Debug, Subcommand)]
enum DeliveriesAction {
    /// Show body, attempts, and what was signed
    Show {
        /// The delivery, as the list names it
        id: String,
    },
    /// Send it once more now, whatever became of it before
    Redeliver {
        /// The delivery, as the list names it
        id: String,
    },
}

/// Runs the command.
pub(super) fn run(args: &DeliveriesArgs) -> Result<(), Failure> {
    if args.action.is_some() && args.chooses() {
        let message = "--account, --environment, --state and --verification choose what is \
                       listed; show and redeliver take the delivery's id alone";
        return Err(Failure::Usage(message.to_owned()));
    }
    let client = ControlClient::new(&args.console)?;
    match &args.action {
        None => print(
            &client,
            args,
            &list(&client, args)?,
            |list: &DeliveryListDto| render_table(&list.deliveries),
        ),
        Some(DeliveriesAction::Show { id }) => {
            let answer = client.get(&["deliveries", id], &[], ANSWER_TIMEOUT)?;
            print(&client, args, &answer, render_details)
        }
        Some(DeliveriesAction::Redeliver { id }) => {
            let path = ["deliveries", id.as_str(), "redeliver"];
            let answer = client.post(&path, "{}".to_owned(), ANSWER_TIMEOUT)?;
            print(&client, args, &answer, render_redelivery)
        }
    }
}

fn print<T: for<'de> Deserialize<'de>>(
    client: &ControlClient,
    args: &DeliveriesArgs,
    answer: &ControlAnswer,
    render: fn(&T) -> String,
) -> Result<(), Failure> {
    terminal::print(&match args.json {
        true => format!("{}\n", answer.text.trim_end()),
        false => render(&client.read(answer)?),
    })
}

fn list(client: &ControlClient, args: &DeliveriesArgs) -> Result<ControlAnswer, Failure> {
    let state = args.state.and_then(|state| state.to_possible_value());
    let filters = [
        ("account", Some(args.account.as_deref().unwrap_or("local"))),
        ("environment", args.environment.map(Environment::as_str)),
        ("state", state.as_ref().map(|state| state.get_name())),
        ("verificationId", args.verification.as_deref()),
    ];
    let query = filters
        .iter()
        .filter_map(|(name, value)| Some((*name, (*value)?)));
    let query: Vec<_> = query.collect();
    Ok(client.get(&["deliveries"], &query, ANSWER_TIMEOUT)?)
}

/// The status of the answer, or why there was none.
fn outcome(attempt: &AttemptDto) -> String {
    match (attempt.status, attempt.reason.as_deref()) {
        (Some(status), _) => status.to_string(),
        (None, reason) => reason.unwrap_or("no answer").to_owned(),
    }
}

/// Number, receiver and outcome of an attempt in one line.
pub(super) fn attempt_line(attempt: &AttemptDto) -> String {
    let to = attempt.url.as_deref().unwrap_or("nobody");
    let (number, outcome) = (attempt.number, outcome(attempt));
    one_line(&format!("attempt {number} to {to}: {outcome}"))
}

/// How a delivery stands, and when its next attempt is due.
pub(super) fn state_line(delivery: &DeliveryDto) -> String {
    let state = plain(delivery.state);
    match delivery.next_due {
        Some(next) => format!("{state}, next attempt {}", plain(next)),
        None => state,
    }
}

fn render_table(deliveries: &[DeliveryDto]) -> String {
    if deliveries.is_empty() {
        return "no deliveries\n".to_owned();
    }
    let head = [
        "DELIVERY",
        "VERIFICATION",
        "IN",
        "STATE",
        "ATTEMPTS",
        "LAST ANSWER",
        "NEXT",
    ];
    let mut rows = vec![head.map(str::to_owned)];
    rows.extend(deliveries.iter().map(|delivery| {
        let last = delivery.attempts.last();
        [
            delivery.id.clone(),
            delivery.verification_id.clone(),
            plain(delivery.environment),
            plain(delivery.state),
            delivery.attempts.len().to_string(),
            last.map_or_else(|| "-".to_owned(), outcome),
            delivery.next_due.map_or_else(|| "-".to_owned(), plain),
        ]
    }));
    columns(&rows)
}

fn render_details(delivery: &DeliveryDto) -> String {
    let mut text = columns(&[
        ["delivery".to_owned(), delivery.id.clone()],
        ["verification".to_owned(), delivery.verification_id.clone()],
        ["environment".to_owned(), plain(delivery.environment)],
        ["state".to_owned(), state_line(delivery)],
        ["result since".to_owned(), plain(delivery.since)],
    ]);
    if let Some(body) = &delivery.body {
        text += &format!("\nbody\n{body}\n");
    }
    for attempt in &delivery.attempts {
        text += &render_attempt(attempt);
    }
    text
}

fn render_attempt(attempt: &AttemptDto) -> String {
    let mut text = format!("\n{}\n", attempt_line(attempt));
    let due = format!("{} ({})", plain(attempt.due), plain(attempt.why));
    let signature = attempt.signature.as_deref().unwrap_or_default();
    for (name, value) in [
        ("due", due.as_str()),
        ("signature", signature),
        ("answer began", &attempt.response_excerpt),
    ] {
        if !value.is_empty() {
            writeln!(text, "  {name:<12}  {}", one_line(value)).expect("a text takes all");
        }
    }
    if let Some(signed) = &attempt.signature_base {
        // Just as it was signed: whoever computes the signature again can take the line as it is.
        text += &format!("  signed text\n{signed}\n");
    }
    text
}

fn render_redelivery(delivery: &DeliveryDto) -> String {
    let DeliveryDto { id, attempts, .. } = delivery;
    let made = match attempts.len() {
        1 => "1 attempt".to_owned(),
        more => format!("{more} attempts"),
    };
    format!(
        "{id} is sent once more, after {made}; svc-simulator deliveries show {id} shows what comes of it\n"
    )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn sample() -> Value {
        json!({
            "id": "dlv_1", "verificationId": "svcv_1", "environment": "test", "state": "due",
            "nextDue": "2027-01-15T08:02:25.000Z", "since": "2027-01-15T08:00:25.000Z",
            "body": "{\"success\":true}",
            "attempts": [
                {"number": 1, "due": "2027-01-15T08:00:25.000Z", "why": "schedule",
                 "url": "http://127.0.0.1:9/hook", "signature": "t=1800000000,v1=0a0b",
                 "signatureBase": "1800000000.{\"success\":true}", "status": 503,
                 "responseExcerpt": "not now\nattempt 9 to you: 200"},
                {"number": 2, "due": "2027-01-15T08:00:55.000Z", "why": "hand",
                 "reason": "nobody listens at 127.0.0.1:9", "responseExcerpt": ""},
            ],
        })
    }

    #[test]
    fn deliveries_are_printed_as_a_table() {
        let delivered = json!({
            "id": "dlv_22", "verificationId": "svcv_22", "environment": "live",
            "state": "delivered", "since": "2027-01-15T08:00:25.000Z", "attempts": [],
        });
        let list = json!({"deliveries": [sample(), delivered]});
        let list: DeliveryListDto = serde_json::from_value(list).unwrap();
        insta::assert_snapshot!(render_table(&list.deliveries), @"
        DELIVERY  VERIFICATION  IN    STATE      ATTEMPTS  LAST ANSWER                    NEXT
        dlv_1     svcv_1        test  due        2         nobody listens at 127.0.0.1:9  2027-01-15T08:02:25.000Z
        dlv_22    svcv_22       live  delivered  0         -                              -
        ");
        assert_eq!(render_table(&[]), "no deliveries\n");
    }

    #[test]
    fn one_delivery_is_printed_with_everything_that_was_sent() {
        let delivery: DeliveryDto = serde_json::from_value(sample()).unwrap();
        insta::assert_snapshot!(render_details(&delivery), @r#"
        delivery      dlv_1
        verification  svcv_1
        environment   test
        state         due, next attempt 2027-01-15T08:02:25.000Z
        result since  2027-01-15T08:00:25.000Z

        body
        {"success":true}

        attempt 1 to http://127.0.0.1:9/hook: 503
          due           2027-01-15T08:00:25.000Z (schedule)
          signature     t=1800000000,v1=0a0b
          answer began  not now\nattempt 9 to you: 200
          signed text
        1800000000.{"success":true}

        attempt 2 to nobody: nobody listens at 127.0.0.1:9
          due           2027-01-15T08:00:55.000Z (hand)
        "#);
        insta::assert_snapshot!(render_redelivery(&delivery), @"dlv_1 is sent once more, after 2 attempts; svc-simulator deliveries show dlv_1 shows what comes of it");
    }
}
