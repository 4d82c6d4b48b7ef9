//! `try`: makes a call in process and prints the envelopes that a simulator that serves would answer.

use std::time::Duration;

use clap::Args;
use jiff::Timestamp;

use super::call_args::CallArgs;
use super::failure::Failure;
use super::terminal;
use super::values::{duration, instant};
use crate::rehearsal::{BEGINS, CallSpec, CallTarget, Observed, Rehearsal};

/// The arguments of `try`.
#[derive(Debug, Args)]
pub(super) struct TryArgs {
    #[command(flatten)]
    call: CallArgs,
    /// When the call is made, by the account's clock: what an answer says of days and ages depends on its month
    #[arg(long, value_name = "INSTANT", default_value_t = BEGINS, value_parser = instant)]
    at: Timestamp,
    /// How many times the call is made
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    times: u32,
    /// Of a call that is pending, print its result as well; of a bundle in two calls, make the second
    #[arg(long)]
    result: bool,
    /// The same once the account's clock is moved on by so much; it fails where the result is not there
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    after: Option<Duration>,
    /// Say on stderr what decided each answer, and what a client would see of it
    #[arg(long)]
    because: bool,
    /// Print each envelope on several lines
    #[arg(long)]
    pretty: bool,
}

/// Runs the command.
pub(super) fn run(args: &TryArgs) -> Result<(), Failure> {
    let setup = args.call.setup()?;
    let mut rehearsal = Rehearsal::at(&setup.rules, setup.config.clone(), args.at);
    let body = setup.body(&mut rehearsal);
    let key = rehearsal.key(setup.environment);
    let spec = setup.spec(&key, &body);
    if args.because {
        let id = setup.endpoint();
        let account = rehearsal.account();
        terminal::error(&format!(
            "{account} ({}) calls {id} with {body}",
            setup.environment
        ))?;
    }
    let after_ms = args
        .after
        .map(|after| u64::try_from(after.as_millis()).unwrap_or(u64::MAX));
    for at in 1..=args.times {
        let observed = rehearsal.call(&spec);
        if at == 1 {
            note_unknown(&observed)?;
        }
        args.print(&at.to_string(), &observed)?;
        let wanted = args.result || args.after.is_some();
        if at == args.times
            && wanted
            && let CallTarget::Bundle(bundle) = setup.target
            && let Some(body) = rehearsal.second_body(bundle, &observed, &setup.given)
        {
            let second = rehearsal.call(&CallSpec {
                body: &body,
                idempotency_key: None,
                ..spec
            });
            args.print("second call", &second)?;
        } else if at == args.times && wanted && observed.is_pending() {
            let Some(result) = rehearsal.result(&observed, after_ms) else {
                let message = "the result is still to come; give a longer --after, or --result";
                return Err(Failure::Running(anyhow::anyhow!(message)));
            };
            args.print("result", &result)?;
        }
    }
    Ok(())
}

impl TryArgs {
    fn print(&self, which: &str, observed: &Observed) -> Result<(), Failure> {
        if observed.replay && observed.code().is_some() {
            terminal::error(&format!(
                "{which}: the failure is given again, since the key is the same; a retry that is to be executed brings a new one"
            ))?;
        }
        if let Some(wire) = observed.wire.filter(|_| !self.because) {
            terminal::error(&format!(
                "{which}: a client does not get this as it is printed here: {wire}"
            ))?;
        }
        if self.because {
            terminal::error(&format!("{which}: {}", summary(observed)))?;
            for step in &observed.steps {
                let (operation, status, outcome) = (&step.operation, step.status, &step.outcome);
                let because = &step.because;
                terminal::error(&format!("  {operation}: {status} {outcome}, {because}"))?;
            }
        }
        let text = match self.pretty {
            false => String::from_utf8_lossy(&observed.body).into_owned(),
            true => serde_json::to_string_pretty(&observed.envelope)
                .expect("JSON can always be printed"),
        };
        terminal::print(&format!("{}\n", text.trim_end()))
    }
}

/// An answer in a line.
/// What the service ignores is hardly meant to be.
fn note_unknown(observed: &Observed) -> Result<(), Failure> {
    match observed.unknown_members.as_slice() {
        [] => Ok(()),
        names => terminal::error(&format!(
            "note: no field is called {}; it is ignored, and refused by `serve --strict`",
            names.join(", ")
        )),
    }
}

fn summary(observed: &Observed) -> String {
    let (status, outcome, because) = (observed.status, observed.outcome(), &observed.because);
    let mut text = format!("{status} {outcome}, {because}");
    if observed.replay {
        text += ", replayed";
    }
    if observed.delay_ms > 0 {
        let delay = Duration::from_millis(observed.delay_ms);
        text += &format!(", held back for {delay:?}");
    }
    if let Some(wire) = observed.wire {
        text += &format!(", and on the wire {wire}");
    }
    text
}
