//! `webhook sign` and `webhook verify`: the signature of a delivery, from files and arguments.

pub(super) mod verdict;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand};

use super::failure::Failure;
use super::terminal;
use super::values::duration;
use crate::engine::state::signature::{HEADER, Signature};
use crate::host::clock::Clock;
use crate::signature_diagnosis::{SignatureCase, Verdict, diagnose};

/// What is done with a signature.
#[derive(Debug, Subcommand)]
pub(super) enum WebhookCommand {
    /// Print the value of the signature header for a body
    Sign(SignArgs),
    /// Say whether a signature is valid, and when it is not, which mistake was made
    #[command(
        after_help = "Exit codes: 0 the signature is valid, 1 it is not, 2 the command line is wrong."
    )]
    Verify(VerifyArgs),
}

/// The flags of `webhook sign`.
#[derive(Debug, Args)]
pub(super) struct SignArgs {
    #[command(flatten)]
    secret: SecretArg,
    /// When it is signed: Unix seconds, or `now`
    #[arg(long, value_name = "UNIX", default_value = "now", value_parser = instant, allow_hyphen_values = true)]
    at: i64,
    /// The body; `-` is standard input
    #[arg(default_value = "-")]
    file: PathBuf,
}

/// The flags of `webhook verify`.
#[derive(Debug, Args)]
pub(super) struct VerifyArgs {
    #[command(flatten)]
    secret: SecretArg,
    /// The value of the signature header; several for a request that had several, none where it had none
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    header: Vec<String>,
    /// How far the signature's time may be from the time of the check
    #[arg(long, value_name = "DURATION", default_value = "5m", value_parser = duration)]
    tolerance: Duration,
    /// The time of the check: Unix seconds, or `now`
    #[arg(long, value_name = "UNIX", default_value = "now", value_parser = instant, allow_hyphen_values = true)]
    at: i64,
    /// A secret that may have been used by mistake, such as an API key; may be repeated
    #[arg(long, value_name = "SECRET")]
    other_secret: Vec<String>,
    /// Print the verdict as JSON
    #[arg(long)]
    json: bool,
    /// The body as it was received; `-` is standard input
    #[arg(default_value = "-")]
    file: PathBuf,
}

#[derive(Debug, Args)]
struct SecretArg {
    /// The webhook signing secret
    #[arg(
        long,
        env = "SVC_WEBHOOK_SECRET",
        hide_env_values = true,
        value_parser = secret
    )]
    secret: String,
}

/// Runs the command.
pub(super) fn run(command: &WebhookCommand) -> Result<(), Failure> {
    match command {
        WebhookCommand::Sign(args) => sign(args),
        WebhookCommand::Verify(args) => verify(args),
    }
}

fn sign(args: &SignArgs) -> Result<(), Failure> {
    let body = read(&args.file)?;
    let signature = Signature::sign(&args.secret.secret, args.at, &body);
    terminal::print(&format!("{signature}\n"))
}

fn verify(args: &VerifyArgs) -> Result<(), Failure> {
    let body = read(&args.file)?;
    let headers: Vec<&str> = args.header.iter().map(String::as_str).collect();
    let names = (1..).map(|number| format!("the other secret no. {number} that was given"));
    let others: Vec<(String, &String)> = names.zip(&args.other_secret).collect();
    let others: Vec<(&str, &str)> = others.iter().map(|(name, it)| (&**name, &***it)).collect();
    let verdict = diagnose(&SignatureCase {
        secret: &args.secret.secret,
        others: &others,
        headers: &headers,
        body: &body,
        now_s: args.at,
        tolerance_s: args.tolerance.as_secs(),
    });
    terminal::print(&match args.json {
        true => format!("{}\n", verdict::json_line(&verdict::render_json(&verdict))),
        false => format!("the signature is {}\n", verdict::render_text(&verdict, "")),
    })?;
    match verdict {
        Verdict::Valid { .. } => Ok(()),
        Verdict::NotValid(_) => Err(Failure::Answered),
    }
}

/// The largest body: no delivery has a hundredth of it.
const MAX_BODY_BYTES: u64 = 16 << 20;

/// All of a body, as bytes.
fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    let input: Result<Box<dyn Read>, _> = match file.as_os_str() == "-" {
        true => Ok(Box::new(std::io::stdin().lock())),
        false => std::fs::File::open(file).map(|file| Box::new(file) as Box<dyn Read>),
    };
    let mut body = Vec::new();
    let read = input.and_then(|input| input.take(MAX_BODY_BYTES + 1).read_to_end(&mut body));
    let from = file.display();
    match read {
        Ok(bytes) if bytes as u64 > MAX_BODY_BYTES => Err(Failure::Usage(format!(
            "the body in {from} has no end, or is over {} MiB: give the body of one delivery",
            MAX_BODY_BYTES >> 20
        ))),
        Ok(_) => Ok(body),
        Err(error) => Err(Failure::Usage(format!(
            "the body can't be read from {from}: {error}. Name a file, or write it to standard input"
        ))),
    }
}

/// A secret that is one. What it says is not repeated.
pub(super) fn secret(text: &str) -> Result<String, String> {
    match text.is_empty() {
        true => Err(format!(
            "the secret is empty: give the webhook signing secret, whose signature is in {HEADER}"
        )),
        false => Ok(text.to_owned()),
    }
}

fn instant(text: &str) -> Result<i64, String> {
    match text {
        "now" => Ok(Clock::machine().real().as_second()),
        _ => text
            .parse()
            .map_err(|_| "write whole Unix seconds, such as 1800000000, or `now`".to_owned()),
    }
}
