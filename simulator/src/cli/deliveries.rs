//! `deliveries`: lists webhook deliveries of a running simulator, shows one, sends one again.

use std::fmt::Write as _;

use clap::{Args, Subcommand, ValueEnum};
use serde::Deserialize;

use super::control_client::{AT_ONCE, Answer, ConsoleArgs, ControlClient};
use super::layout::{columns, one_line};
use super::{Failure, terminal};

/// What `deliveries` is told.
#[derive(Debug, Args)]
pub(super) struct DeliveriesArgs {
    #[command(flatten)]
    console: ConsoleArgs,
    /// Whose deliveries are listed [default: local]
    #[arg(long, value_name = "ID")]
    account: Option<String>,
    /// Only those of one environment
    #[arg(long)]
    environment: Option<EnvironmentName>,
    /// Only those that stand so
    #[arg(long)]
    state: Option<StateName>,
    /// Only that of one verification
    #[arg(long, value_name = "ID")]
    verification: Option<String>,
    /// Print the answer of the control API as it is
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    action: Option<Action>,
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

/// An environment as it is written on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum EnvironmentName {
    Test,
    Live,
}

impl EnvironmentName {
    /// As the control API writes it.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            EnvironmentName::Test => "test",
            EnvironmentName::Live => "live",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StateName {
    /// An attempt is still to come
    Due,
    /// The receiver took it
    Delivered,
    /// The last attempt failed
    Dead,
}

impl StateName {
    fn as_str(self) -> &'static str {
        match self {
            StateName::Due => "due",
            StateName::Delivered => "delivered",
            StateName::Dead => "dead",
        }
    }
}

#[derive(Debug, Subcommand)]
enum Action {
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
        None => print(&client, args, &list(&client, args)?, |list: &List| {
            table(&list.deliveries)
        }),
        Some(Action::Show { id }) => {
            let answer = client.get(&["deliveries", id], &[], AT_ONCE)?;
            print(&client, args, &answer, details)
        }
        Some(Action::Redeliver { id }) => {
            let path = ["deliveries", id.as_str(), "redeliver"];
            let answer = client.post(&path, "{}".to_owned(), AT_ONCE)?;
            print(&client, args, &answer, asked_again)
        }
    }
}

fn print<T: for<'de> Deserialize<'de>>(
    client: &ControlClient,
    args: &DeliveriesArgs,
    answer: &Answer,
    told: fn(&T) -> String,
) -> Result<(), Failure> {
    terminal::print(&match args.json {
        true => format!("{}\n", answer.text.trim_end()),
        false => told(&client.read(answer)?),
    });
    Ok(())
}

fn list(client: &ControlClient, args: &DeliveriesArgs) -> Result<Answer, Failure> {
    let filters = [
        ("account", Some(args.account.as_deref().unwrap_or("local"))),
        ("environment", args.environment.map(EnvironmentName::as_str)),
        ("state", args.state.map(StateName::as_str)),
        ("verificationId", args.verification.as_deref()),
    ];
    let query = filters
        .iter()
        .filter_map(|(name, value)| Some((*name, (*value)?)));
    let query: Vec<_> = query.collect();
    Ok(client.get(&["deliveries"], &query, AT_ONCE)?)
}

#[derive(Debug, Deserialize)]
struct List {
    deliveries: Vec<Delivery>,
}

/// What the control API says of a delivery.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Delivery {
    pub(super) id: String,
    verification_id: String,
    environment: String,
    pub(super) state: String,
    pub(super) next_due: Option<String>,
    since: String,
    pub(super) attempts: Vec<Attempt>,
    body: Option<String>,
}

/// What it says of an attempt.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Attempt {
    number: u64,
    due: String,
    why: String,
    url: Option<String>,
    signature: Option<String>,
    signature_base: Option<String>,
    status: Option<u16>,
    reason: Option<String>,
    response_excerpt: Option<String>,
}

impl Attempt {
    /// What came of it.
    pub(super) fn outcome(&self) -> String {
        match (self.status, self.reason.as_deref()) {
            (Some(status), _) => status.to_string(),
            (None, Some(reason)) => reason.to_owned(),
            (None, None) => "no answer".to_owned(),
        }
    }

    /// Which one it was, where it went, what came of it.
    pub(super) fn told(&self) -> String {
        let to = self.url.as_deref().unwrap_or("nobody");
        let outcome = self.outcome();
        one_line(&format!("attempt {} to {to}: {outcome}", self.number))
    }
}

fn table(deliveries: &[Delivery]) -> String {
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
            delivery.environment.clone(),
            delivery.state.clone(),
            delivery.attempts.len().to_string(),
            last.map_or_else(|| "-".to_owned(), Attempt::outcome),
            delivery.next_due.clone().unwrap_or_else(|| "-".to_owned()),
        ]
    }));
    columns(&rows)
}

fn details(delivery: &Delivery) -> String {
    let state = match &delivery.next_due {
        Some(next) => format!("{}, next attempt {next}", delivery.state),
        None => delivery.state.clone(),
    };
    let mut text = columns(&[
        ["delivery".to_owned(), delivery.id.clone()],
        ["verification".to_owned(), delivery.verification_id.clone()],
        ["environment".to_owned(), delivery.environment.clone()],
        ["state".to_owned(), state],
        ["result since".to_owned(), delivery.since.clone()],
    ]);
    if let Some(body) = &delivery.body {
        text += &format!("\nbody\n{body}\n");
    }
    for attempt in &delivery.attempts {
        text += &attempt_details(attempt);
    }
    text
}

fn attempt_details(attempt: &Attempt) -> String {
    let mut text = format!("\n{}\n", attempt.told());
    let lines = [
        ("due", Some(format!("{} ({})", attempt.due, attempt.why))),
        ("signature", attempt.signature.clone()),
        (
            "answer began",
            attempt.response_excerpt.clone().filter(|it| !it.is_empty()),
        ),
    ];
    for (name, value) in lines {
        if let Some(value) = value {
            writeln!(text, "  {name:<12}  {}", one_line(&value)).expect("a text takes all");
        }
    }
    if let Some(signed) = &attempt.signature_base {
        // Just as it was signed: whoever computes the signature again can take the line as it is.
        text += &format!("  signed text\n{signed}\n");
    }
    text
}

fn asked_again(delivery: &Delivery) -> String {
    let Delivery { id, attempts, .. } = delivery;
    format!(
        "{id} is sent once more, after {} attempts; svc-simulator deliveries show {id} tells what \
         comes of it\n",
        attempts.len()
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
    fn deliveries_are_told_in_a_table() {
        let delivered = json!({
            "id": "dlv_22", "verificationId": "svcv_22", "environment": "live",
            "state": "delivered", "since": "2027-01-15T08:00:25.000Z", "attempts": [],
        });
        let list = json!({"deliveries": [sample(), delivered]});
        let list: List = serde_json::from_value(list).unwrap();
        insta::assert_snapshot!(table(&list.deliveries), @"
        DELIVERY  VERIFICATION  IN    STATE      ATTEMPTS  LAST ANSWER                    NEXT
        dlv_1     svcv_1        test  due        2         nobody listens at 127.0.0.1:9  2027-01-15T08:02:25.000Z
        dlv_22    svcv_22       live  delivered  0         -                              -
        ");
        assert_eq!(table(&[]), "no deliveries\n");
    }

    #[test]
    fn one_delivery_is_told_with_all_that_was_sent() {
        let delivery: Delivery = serde_json::from_value(sample()).unwrap();
        insta::assert_snapshot!(details(&delivery), @r#"
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
        insta::assert_snapshot!(asked_again(&delivery), @"dlv_1 is sent once more, after 2 attempts; svc-simulator deliveries show dlv_1 tells what comes of it");
    }
}
