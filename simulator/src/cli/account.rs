//! `account`: lists the accounts of a running simulator, writes one into a file, reads it again, copies, resets and deletes.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde::Deserialize;
use serde_json::{Value, json};

use super::control_client::{ANSWER_TIMEOUT, ConsoleArgs, ControlClient};
use super::failure::Failure;
use super::layout::columns;
use super::replace_file::replace_private_file;
use super::terminal;
use crate::http::control::ResetDto;
use crate::http::invisible::write_out_invisible;

/// The arguments of `account`.
#[derive(Debug, Args)]
pub(super) struct AccountArgs {
    #[command(flatten)]
    console: ConsoleArgs,
    #[command(subcommand)]
    action: AccountAction,
}

#[derive(Debug, Subcommand)]
enum AccountAction {
    /// List the accounts
    List {
        /// Print the answer of the control API as it is
        #[arg(long)]
        json: bool,
    },
    /// Write all of an account as one JSON file: keys and secrets of webhooks stand in it
    #[command(
        after_help = "The file has both environments, keys, wallet, verifications, flows, idempotency keys, counters, \
                      deliveries, the clock and the scenarios that were added for the account; not the calls whose \
                      answer is delayed. Whoever has it has the keys, and unless --without-secrets is given what \
                      webhooks are signed with, too: treat it as a secret.\n\
                      A clock that runs goes on with that of the machine that imports it: what fell due meanwhile is \
                      done then, in order. `svc-simulator clock freeze` first, and it stands where it stood."
    )]
    Export {
        /// Whose
        #[arg(value_name = "ACCOUNT")]
        account: String,
        /// Write it here, for the owner alone, and not to stdout
        #[arg(long, short, alias = "out", value_name = "FILE")]
        output: Option<PathBuf>,
        /// Leave the secrets of webhooks out, and with them the receivers
        #[arg(long)]
        without_secrets: bool,
    },
    /// Read an account from a file that `export` wrote
    #[command(
        after_help = "Under its own name it goes on as it was: the same calls with the same seed get the same answers \
                      and ids. Under another it is a copy with keys of its own, as `fork` makes one."
    )]
    Import {
        /// The file; `-` reads stdin
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Under this name, with a key of this name for each environment
        #[arg(long = "as", value_name = "NAME")]
        name: Option<String>,
        /// Delete an account of this name first
        #[arg(long)]
        replace: bool,
    },
    /// Copy an account with all of its state, with a key of the new name for each environment
    Fork {
        /// Which one
        #[arg(value_name = "ACCOUNT")]
        account: String,
        /// The name of the copy
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Set an account back to its beginning, or all of them; only the clock goes on
    Reset {
        /// Which one
        #[arg(value_name = "ACCOUNT", required_unless_present = "all")]
        account: Option<String>,
        /// Every account, one after the other
        #[arg(long, conflicts_with = "account")]
        all: bool,
    },
    /// Delete an account: its keys are unknown then, until the next start where a file declares it
    Delete {
        /// Which one
        #[arg(value_name = "ACCOUNT")]
        account: String,
    },
}

/// An account may have much to write and to read.
const WHOLE: Duration = Duration::from_secs(300);

/// No file is longer: the control API takes no more.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// Runs the command.
pub(super) fn run(args: &AccountArgs) -> Result<(), Failure> {
    let client = ControlClient::new(&args.console)?;
    match &args.action {
        AccountAction::List { json } => list(&client, *json),
        AccountAction::Export {
            account,
            output,
            without_secrets,
        } => export(&client, account, output.as_deref(), *without_secrets),
        AccountAction::Import {
            file,
            name,
            replace,
        } => import(&client, file, name.as_deref(), *replace),
        AccountAction::Fork { account, name } => {
            let body = json!({ "id": name }).to_string();
            client.post(&["accounts", account, "fork"], body, ANSWER_TIMEOUT)?;
            terminal::print(&format!("{name} is a copy of {account}\n"))
        }
        AccountAction::Reset { account, .. } => reset(&client, account.as_deref()),
        AccountAction::Delete { account } => {
            client.delete(&["accounts", account], ANSWER_TIMEOUT)?;
            terminal::print(&format!("{account} is deleted\n"))
        }
    }
}

/// The accounts in an answer of the control API.
#[derive(Debug, Deserialize)]
struct Accounts {
    accounts: Vec<Account>,
}

#[derive(Debug, Deserialize)]
struct Account {
    id: String,
    now: String,
    clock: String,
    live: Balance,
    calls: Calls,
}

#[derive(Debug, Deserialize)]
struct Balance {
    balance: f64,
}

#[derive(Debug, Deserialize)]
struct Calls {
    test: u64,
    live: u64,
}

fn list(client: &ControlClient, json: bool) -> Result<(), Failure> {
    let answer = client.get(&["accounts"], &[], ANSWER_TIMEOUT)?;
    if json {
        return terminal::print(&format!("{}\n", answer.text.trim_end()));
    }
    let Accounts { accounts } = client.read(&answer)?;
    let row = |account: &Account| {
        [
            account.id.clone(),
            format!("{} {}", account.clock, account.now),
            format!("{} INR", account.live.balance),
            format!(
                "{} calls on the sandbox, {} on live",
                account.calls.test, account.calls.live
            ),
        ]
    };
    let rows: Vec<_> = accounts.iter().map(row).collect();
    terminal::print(&columns(&rows))
}

/// Sets the account back, or all of them where none is named.
fn reset(client: &ControlClient, account: Option<&str>) -> Result<(), Failure> {
    let Some(account) = account else {
        let answer = client.post(&["reset"], "{}".to_owned(), WHOLE)?;
        let ResetDto { accounts } = client.read(&answer)?;
        let accounts = accounts.join(", ");
        return terminal::print(&format!("set back to their beginning: {accounts}\n"));
    };
    client.post(
        &["accounts", account, "reset"],
        "{}".to_owned(),
        ANSWER_TIMEOUT,
    )?;
    terminal::print(&format!("{account} is set back to its beginning\n"))
}

fn export(
    client: &ControlClient,
    account: &str,
    output: Option<&Path>,
    without_secrets: bool,
) -> Result<(), Failure> {
    let query: &[(&str, &str)] = match without_secrets {
        true => &[("withoutSecrets", "true")],
        false => &[],
    };
    let answer = client.get(&["accounts", account, "export"], query, WHOLE)?;
    let text = format!("{}\n", escaped(answer.text.trim_end()));
    let Some(path) = output else {
        return terminal::print(&text);
    };
    let written = replace_private_file(path, &text);
    written.with_context(|| format!("{} can't be written", path.display()))?;
    let secrets = match without_secrets {
        true => "without the secrets of webhooks",
        false => "keys and secrets of webhooks stand in it",
    };
    terminal::print(&format!(
        "{account} is written to {}; {secrets}\n",
        path.display()
    ))
}

/// JSON in which everything can be seen: what could steer a terminal is written as JSON escapes it, and read as it was.
fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for char in json.chars() {
        let mut shown = [0; 4];
        let shown: &str = char.encode_utf8(&mut shown);
        let is_plain = matches!(char, ' '..='~' | '\n') || write_out_invisible(shown, &[]) == shown;
        if is_plain {
            text.push(char);
            continue;
        }
        for unit in char.encode_utf16(&mut [0; 2]) {
            write!(text, "\\u{unit:04x}").expect("a text takes all");
        }
    }
    text
}

fn import(
    client: &ControlClient,
    path: &Path,
    name: Option<&str>,
    replace: bool,
) -> Result<(), Failure> {
    let text = read(path)
        .map_err(|error| Failure::Usage(format!("{} can't be read: {error}", path.display())))?;
    let file: Value = serde_json::from_str(&text).map_err(|mistake| {
        Failure::Usage(format!("{}: this is no JSON: {mistake}", path.display()))
    })?;
    let own = file["account"]["id"].as_str();
    let Some(name) = name.or(own) else {
        let path = path.display();
        let reason = "no account that `svc-simulator account export` wrote";
        return Err(Failure::Usage(format!("{path}: this is {reason}")));
    };
    let query: &[(&str, &str)] = match replace {
        true => &[("replace", "true")],
        false => &[],
    };
    client.post_with(&["accounts", name, "import"], query, text, WHOLE)?;
    terminal::print(&match own {
        Some(own) if own != name => format!("{name} is a copy of {own} in {}\n", path.display()),
        _ => format!("{name} goes on from {}\n", path.display()),
    })
}

/// All of a file, as far as any account goes.
fn read(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    if path == Path::new("-") {
        std::io::stdin()
            .lock()
            .take(MAX_FILE_BYTES + 1)
            .read_to_string(&mut text)?;
    } else {
        File::open(path)?
            .take(MAX_FILE_BYTES + 1)
            .read_to_string(&mut text)?;
    }
    match text.len() as u64 > MAX_FILE_BYTES {
        true => Err(std::io::Error::other(
            "it is over 256 MiB, and no account is",
        )),
        false => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_not_be_seen_is_escaped_and_read_as_it_was() {
        let json = json!({"name": "a\u{202e}b\u{7f}c\u{1f600}\u{e0001}", "hindi": "आशा"});
        let text = escaped(&json.to_string());
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), json);
        assert!(text.contains("\\u202e") && text.contains("आशा"), "{text}");
        assert_eq!(write_out_invisible(&text, &[]), text);
    }
}
