//! What a run may spend: the arguments, and the guard they make.

use std::path::PathBuf;

use clap::Args;
use reqwest::Url;
use svc_fixtures::contract::Paise;

use super::exit::CommandError;
use super::{keys, say};
use crate::client::RunKey;
use crate::spend::{Journal, SpendGuard};

/// What a run may spend on live.
#[derive(Debug, Args)]
pub(super) struct BudgetArgs {
    /// What live calls may cost in all, such as 50 or 12.50. Without it only calls that cost nothing
    /// are sent to a live service that is not a simulator on this machine
    #[arg(long, value_name = "INR", value_parser = rupees)]
    budget_inr: Option<Paise>,
    /// Where it is written down what was spent [default: target/svc-contract-tests/spend-HOST.jsonl]
    #[arg(long, value_name = "FILE", requires = "budget_inr")]
    spend_file: Option<PathBuf>,
    /// Go on with the budget of a run that was broken off: what it may have spent counts as spent
    #[arg(long, requires = "budget_inr")]
    resume: bool,
}

/// An amount: digits, and at most two more after a point.
fn rupees(text: &str) -> Result<Paise, String> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(part) || part.len() > 2 {
        return Err("an amount in INR with at most two decimals, such as 50 or 12.50".to_owned());
    }
    let paise = format!("{whole}{part:0<2}").parse();
    // Far above any budget, far below what sums can hold.
    let paise = paise.ok().filter(|paise: &i64| *paise <= 100_000_000_000);
    let too_much = || "at most 1000000000 INR".to_owned();
    paise.map(Paise).ok_or_else(too_much)
}

impl BudgetArgs {
    /// Who says which calls may go out. Opens the journal where money can be spent.
    pub(super) fn guard(
        &self,
        live: Option<&Url>,
        key: Option<&RunKey>,
        seed: &str,
    ) -> Result<SpendGuard, CommandError> {
        let (live, budget) = match (live, self.budget_inr) {
            (None, _) => return Ok(SpendGuard::unlimited()),
            (Some(live), None) if keys::is_simulator(live, key) => {
                return Ok(SpendGuard::unlimited());
            }
            (Some(_), None | Some(Paise::ZERO)) => return Ok(SpendGuard::free_only()),
            (Some(live), Some(budget)) => (live, budget),
        };
        let file = self.spend_file.clone();
        let path = file.unwrap_or_else(|| default_file(live));
        let opened = match self.resume {
            true => Journal::resume(&path, budget, seed),
            false => Journal::begin(&path, budget, seed),
        };
        let (journal, ledger) = opened.map_err(|error| {
            CommandError::usage(format!("--spend-file {error}. Nothing was sent"))
        })?;
        Ok(SpendGuard::budget(ledger, journal))
    }

    /// In words, for the plan.
    pub(super) fn describe(&self, live: Option<&Url>, key: Option<&RunKey>) -> String {
        match (live, self.budget_inr) {
            (None, _) => "no live address was given: nothing can cost anything".to_owned(),
            (Some(live), None) if keys::is_simulator(live, key) => {
                "live is a simulator on this machine: its money is nobody's".to_owned()
            }
            (Some(_), None | Some(Paise::ZERO)) => {
                "the budget is 0: cases with a call that can cost something are left out".to_owned()
            }
            (Some(_), Some(budget)) => {
                format!("the budget is {budget} INR: the run stops before a call it does not cover")
            }
        }
    }
}

/// Says what was spent and why the run stopped, where it did, and ends the journal.
pub(super) fn report_spending(guard: &SpendGuard) {
    if let Some(stop) = guard.stopped() {
        say(format_args!("stopped: {stop}"));
    }
    if let Some(ledger) = guard.sums() {
        let (spent, budget) = (ledger.spent(), ledger.budget());
        let unknown = match ledger.reserved() {
            Paise::ZERO => String::new(),
            reserved => format!(", and up to {reserved} INR for calls whose outcome is unknown"),
        };
        say(format_args!("spent {spent} INR of {budget} INR{unknown}"));
    }
    if let Err(error) = guard.end() {
        say(format_args!("{error}: a later run will ask for --resume"));
    }
}

/// One file a service, below the folder where builds leave what may be thrown away.
fn default_file(live: &Url) -> PathBuf {
    let host = live.host_str().unwrap_or_default();
    let port = live.port_or_known_default().unwrap_or_default();
    let host = host.replace(|c: char| !c.is_ascii_alphanumeric() && c != '.', "_");
    PathBuf::from(format!(
        "target/svc-contract-tests/spend-{host}-{port}.jsonl"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_has_at_most_two_decimals() {
        let paise = |text| rupees(text).map(|amount| amount.0);
        assert_eq!(paise("50"), Ok(5000));
        assert_eq!(paise("12.5"), Ok(1250));
        assert_eq!(paise("12.50"), Ok(1250));
        assert_eq!(paise("0.07"), Ok(7));
        assert_eq!(paise("1000000000"), Ok(100_000_000_000));
        for wrong in [
            "",
            "-1",
            "1.005",
            "1e3",
            ".5",
            "5.",
            "1,00",
            " 1",
            "+1",
            "1000000001",
            "99999999999999999999",
        ] {
            assert!(rupees(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_service_has_a_journal_of_its_own() {
        let file = |url| default_file(&Url::parse(url).expect("a URL"));
        let text = file("http://api.example:8080/v");
        assert_eq!(
            text,
            PathBuf::from("target/svc-contract-tests/spend-api.example-8080.jsonl")
        );
        assert_ne!(file("http://[::1]:1"), file("http://[::1]:2"));
    }
}
