//! `try`: makes a call in process and prints the envelopes that a simulator that serves would answer.

use std::time::Duration;

use clap::Args;
use svc_fixtures::duration::parse_duration_ms;
use svc_fixtures::json::Json;

use super::call_args::CallArgs;
use super::{Failure, terminal};
use crate::rehearsal::{CallSpec, CallTarget, Observed, Rehearsal};
use crate::scenario::WireFault;

/// What `try` is told.
#[derive(Debug, Args)]
pub(super) struct TryArgs {
    #[command(flatten)]
    call: CallArgs,
    /// How many times the call is made
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    times: u32,
    /// Of a call that is pending, print its result as well; of a bundle in two calls, make the second
    #[arg(long)]
    result: bool,
    /// The same once the account's clock is moved on by so much; it fails where the result is not there
    #[arg(long, value_name = "DURATION", value_parser = duration_ms)]
    after: Option<u64>,
    /// Say on stderr what decided each answer, and what a client would see of it
    #[arg(long)]
    because: bool,
    /// Print each envelope on several lines
    #[arg(long)]
    pretty: bool,
}

fn duration_ms(text: &str) -> Result<u64, String> {
    parse_duration_ms(text).map_err(|mistake| mistake.to_string())
}

/// Runs the command.
pub(super) fn run(args: &TryArgs) -> Result<(), Failure> {
    let stage = args.call.stage()?;
    let mut rehearsal = Rehearsal::new(&stage.rules, stage.config.clone());
    let body = stage.body(&mut rehearsal);
    let key = rehearsal.key(stage.environment);
    let spec = stage.spec(&key, &body);
    if args.because {
        let id = stage.endpoint();
        let account = rehearsal.account();
        terminal::error(&format!(
            "{account} ({}) calls {id} with {body}",
            stage.environment
        ));
    }
    for at in 1..=args.times {
        let observed = rehearsal.call(&spec);
        args.tell(&at.to_string(), &observed);
        let wanted = args.result || args.after.is_some();
        if at == args.times
            && wanted
            && let CallTarget::Bundle(bundle) = stage.target
            && let Some(body) = rehearsal.second_body(bundle, &observed, &stage.given)
        {
            let second = rehearsal.call(&CallSpec {
                body: &body,
                idempotency_key: None,
                ..spec
            });
            args.tell("second call", &second);
        } else if at == args.times && wanted && observed.is_pending() {
            let Some(result) = rehearsal.result(&observed, args.after) else {
                let message = "the result is still to come; give a longer --after, or --result";
                return Err(Failure::Running(anyhow::anyhow!(message)));
            };
            args.tell("result", &result);
        }
    }
    Ok(())
}

impl TryArgs {
    fn tell(&self, which: &str, observed: &Observed) {
        if self.because {
            terminal::error(&format!("{which}: {}", told(observed)));
            for step in &observed.steps {
                let (operation, status, outcome) = (&step.operation, step.status, &step.outcome);
                let because = &step.because;
                terminal::error(&format!("  {operation}: {status} {outcome}, {because}"));
            }
        }
        let text = match self.pretty {
            false => String::from_utf8_lossy(&observed.body).into_owned(),
            true => pretty(&observed.envelope),
        };
        terminal::print(&format!("{}\n", text.trim_end()));
    }
}

fn pretty(envelope: &Json<'_>) -> String {
    serde_json::to_string_pretty(envelope).expect("JSON can always be printed")
}

/// An answer in a line.
fn told(observed: &Observed) -> String {
    let outcome = observed.code().unwrap_or(observed.text("status"));
    let mut told = format!("{} {outcome}, {}", observed.status, observed.because);
    if observed.replay {
        told += ", replayed";
    }
    if observed.delay_ms > 0 {
        told += &format!(
            ", held back for {:?}",
            Duration::from_millis(observed.delay_ms)
        );
    }
    if let Some(wire) = observed.wire {
        told += &format!(", and on the wire {}", on_the_wire(wire));
    }
    told
}

fn on_the_wire(fault: WireFault) -> String {
    match fault {
        WireFault::Reset => "the connection is reset".to_owned(),
        WireFault::Never => "no answer comes".to_owned(),
        WireFault::Garbage => "bytes come that are no answer".to_owned(),
        WireFault::CutAfter(bytes) => format!("the body is cut after {bytes} bytes"),
        WireFault::Slow { over_ms } => {
            format!("the body takes {:?}", Duration::from_millis(over_ms))
        }
    }
}
