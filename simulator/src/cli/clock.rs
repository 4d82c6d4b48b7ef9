//! `clock`: shows and moves the clock of an account in a running simulator.

use std::fmt::Write as _;
use std::time::Duration;

use clap::{Args, Subcommand};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::control_client::{ANSWER_TIMEOUT, ConsoleArgs, ControlClient};
use super::failure::Failure;
use super::layout::{columns, plain, words};
use super::{terminal, values};

/// The arguments of `clock`.
#[derive(Debug, Args)]
pub(super) struct ClockArgs {
    #[command(flatten)]
    console: ConsoleArgs,
    /// Whose clock
    #[arg(long, global = true, value_name = "ID", default_value = "local")]
    account: String,
    /// Print the answer of the control API as it is
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    action: Option<ClockAction>,
}

#[derive(Debug, Subcommand)]
enum ClockAction {
    /// Show what the clock says (the default)
    Show,
    /// Move it forward, through everything that falls due on the way
    Advance {
        /// By how much: 500ms, 30s, 2m, 6h or 7d
        #[arg(value_parser = duration)]
        by: String,
    },
    /// Move it forward to an instant, through everything that falls due on the way
    Set {
        /// Such as 2031-01-01T00:00:00Z
        #[arg(value_parser = instant)]
        instant: String,
    },
    /// Move it forward to the next thing that is due
    Next,
    /// Let it stand still
    Freeze,
    /// Let it run
    Run,
}

/// Kept as text: the simulator gets it as it was written.
fn duration(text: &str) -> Result<String, String> {
    values::duration(text).map(|_| text.to_owned())
}

fn instant(text: &str) -> Result<String, String> {
    values::instant(text).map(|_| text.to_owned())
}

/// A clock that moves makes every attempt that falls due, and each may take its ten seconds.
const MOVING: Duration = Duration::from_secs(60 * 60);

/// Runs the command.
pub(super) fn run(args: &ClockArgs) -> Result<(), Failure> {
    let client = ControlClient::new(&args.console)?;
    let path = ["accounts", args.account.as_str(), "clock"];
    let change = match &args.action {
        None | Some(ClockAction::Show) => None,
        Some(ClockAction::Advance { by }) => Some(json!({"advance": by})),
        Some(ClockAction::Set { instant }) => Some(json!({"set": instant})),
        Some(ClockAction::Next) => Some(json!({"next": true})),
        Some(ClockAction::Freeze) => Some(json!({"freeze": true})),
        Some(ClockAction::Run) => Some(json!({"freeze": false})),
    };
    let answer = match change {
        None => client.get(&path, &[], ANSWER_TIMEOUT)?,
        Some(change) => client.post(&path, change.to_string(), MOVING)?,
    };
    terminal::print(&match args.json {
        true => format!("{}\n", answer.text.trim_end()),
        false => render(&args.account, &client.read(&answer)?),
    })
}

/// The clock in an answer of the control API.
#[derive(Debug, Deserialize)]
struct ClockAnswer {
    now: String,
    state: String,
    /// Only where it was to move.
    happened: Option<Vec<Map<String, Value>>>,
}

fn render(account: &str, clock: &ClockAnswer) -> String {
    let ClockAnswer {
        now,
        state,
        happened,
    } = clock;
    let mut text = format!("the clock of {account} is {state} and shows {now}\n");
    match happened.as_deref() {
        None => {}
        Some([]) => text += "nothing happened on the way\n",
        Some(happened) => {
            text += "what happened on the way:\n";
            let rows: Vec<_> = happened.iter().map(event).collect();
            text += &columns(&rows);
        }
    }
    text
}

/// When, where, what; then whatever else the event says.
fn event(event: &Map<String, Value>) -> [String; 4] {
    let known = |name: &str| event.get(name).map(plain).unwrap_or_default();
    let mut more = String::new();
    for (name, value) in event {
        if !["at", "environment", "kind", "seq"].contains(&name.as_str()) {
            let between = if more.is_empty() { "" } else { ", " };
            write!(more, "{between}{} {}", words(name), plain(value)).expect("a text takes all");
        }
    }
    [
        known("at"),
        known("environment"),
        words(&known("kind")),
        more,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(answer: Value) -> String {
        render("local", &serde_json::from_value(answer).unwrap())
    }

    #[test]
    fn a_clock_that_is_only_shown_has_no_events() {
        let answer = json!({"now": "2027-01-15T08:00:00.000Z", "state": "running"});
        insta::assert_snapshot!(of(answer), @"the clock of local is running and shows 2027-01-15T08:00:00.000Z");
    }

    #[test]
    fn each_event_on_the_way_is_a_line() {
        let answer = json!({
            "now": "2027-01-15T14:00:00.000Z",
            "state": "frozen",
            "happened": [
                {"at": "2027-01-15T08:00:25.000Z", "environment": "test", "kind": "resultReady",
                 "verificationId": "svcv_1", "status": "completed", "delivers": true},
                {"at": "2027-01-15T08:00:25.000Z", "environment": "test", "kind": "deliveryAttempted",
                 "verificationId": "svcv_1", "number": 1, "reason": "no\nanswer", "state": "due"},
                {"at": "2027-01-15T09:00:00.000Z", "environment": "live", "kind": "keyEnded",
                 "key": "svc_live_old"},
                {"at": "2027-01-15T14:00:00.000Z", "environment": "test", "kind": "accountChanged"},
            ],
        });
        insta::assert_snapshot!(of(answer), @r"
        the clock of local is frozen and shows 2027-01-15T14:00:00.000Z
        what happened on the way:
        2027-01-15T08:00:25.000Z  test  result ready        verification id svcv_1, status completed, delivers true
        2027-01-15T08:00:25.000Z  test  delivery attempted  verification id svcv_1, number 1, reason no\nanswer, state due
        2027-01-15T09:00:00.000Z  live  key ended           key svc_live_old
        2027-01-15T14:00:00.000Z  test  account changed
        ");
        let nothing = json!({"now": "2027-01-15T14:00:00.000Z", "state": "frozen", "happened": []});
        assert!(of(nothing).ends_with("\nnothing happened on the way\n"));
    }

    #[test]
    fn bad_durations_and_instants_are_refused_before_anything_is_asked() {
        for text in ["6", "h", "-1h", "6 h", "101d!", "99999999d"] {
            assert!(duration(text).is_err(), "{text}");
        }
        for text in ["2031-01-01", "2031-01-01T00:00:00", "tomorrow", ""] {
            assert!(instant(text).is_err(), "{text}");
        }
        assert_eq!(duration("6h"), Ok("6h".to_owned()));
        let shifted = "2031-01-01T00:00:00+05:30";
        assert_eq!(instant(shifted), Ok(shifted.to_owned()));
    }
}
