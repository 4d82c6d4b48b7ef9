//! What a run may spend: the arguments, and the guard they make.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use data_encoding::HEXLOWER;
use reqwest::Url;
use sha2::{Digest as _, Sha256};
use svc_fixtures::contract::{Contract, Paise};
use svc_fixtures::reading::Source;

use super::exit::CommandError;
use super::{keys, say};
use crate::check;
use crate::client::RunKey;
use crate::plan::Setting;
use crate::prices::PriceList;
use crate::run::EarlyEnd;
use crate::run::Filter;
use crate::spend::{Journal, JournalError, Ledger, PricedCase, SpendGuard, SpendPlan};

/// What a run may spend on live.
#[derive(Debug, Args)]
pub(super) struct BudgetArgs {
    /// What live calls may cost in all, such as 50 or 12.50. Without it only calls that cost nothing
    /// are sent to a live service that is not a simulator on this machine
    #[arg(long, value_name = "INR", value_parser = rupees)]
    budget_inr: Option<Paise>,
    /// Where it is written down what was spent [default: one file for each host and key, in
    /// svc-contract-tests/ of the user's data folder]
    #[arg(long, value_name = "FILE", requires = "budget_inr")]
    spend_file: Option<PathBuf>,
    /// Go on with a run that was broken off: what it may have spent counts as spent, and paid cases that
    /// were answered are not sent again, and count. After a run that came to its end it begins anew
    #[arg(long, requires = "budget_inr")]
    resume: bool,
    /// What calls cost at this provider, in INR by endpoint: TOML or JSON
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
}

/// An amount: digits, and at most two more after a point.
pub(super) fn rupees(text: &str) -> Result<Paise, String> {
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
    /// Those of a command that asks for them in its own words.
    pub(super) fn of(
        budget_inr: Option<Paise>,
        spend_file: Option<PathBuf>,
        prices: Option<PathBuf>,
    ) -> Self {
        BudgetArgs {
            budget_inr,
            spend_file,
            resume: false,
            prices,
        }
    }

    /// Who says which calls may go out. Opens the journal where money can be spent.
    pub(super) fn guard(
        &self,
        live: Option<&Url>,
        key: Option<&RunKey>,
        setting: &Setting<'_>,
        filter: &Filter,
    ) -> Result<SpendGuard, CommandError> {
        self.guard_of(live, key, &setting.seed, paid_cases(setting, filter))
    }

    /// The same for these cases.
    pub(super) fn guard_of(
        &self,
        live: Option<&Url>,
        key: Option<&RunKey>,
        seed: &str,
        todo: impl Iterator<Item = PricedCase>,
    ) -> Result<SpendGuard, CommandError> {
        let (live, budget) = match (live, self.budget_inr) {
            (None, _) => return Ok(SpendGuard::unlimited()),
            (Some(live), None) if keys::is_simulator(live, key) => {
                return Ok(SpendGuard::unlimited());
            }
            (Some(_), None | Some(Paise::ZERO)) => return Ok(SpendGuard::free_only()),
            (Some(live), Some(budget)) => (live, budget),
        };
        let path = self.file(live, key)?;
        let opened = match self.resume {
            true => Journal::resume(&path, budget, seed),
            false => Journal::begin(&path, budget, seed),
        };
        let (journal, ledger) = opened.map_err(refused)?;
        let plan = plan(&ledger, todo);
        Ok(SpendGuard::budget(ledger, journal).planned(plan))
    }

    /// What the budget covers, where there is one that is asked for: just what a run would send.
    pub(super) fn plan(
        &self,
        live: Option<&Url>,
        key: Option<&RunKey>,
        setting: &Setting<'_>,
        filter: &Filter,
    ) -> Result<Option<SpendPlan>, CommandError> {
        let (Some(live), Some(budget)) = (live, self.budget_inr) else {
            return Ok(None);
        };
        let ledger = match budget {
            Paise::ZERO => Ledger::default(),
            _ => Journal::peek(&self.file(live, key)?, budget, self.resume).map_err(refused)?,
        };
        Ok(Some(plan(&ledger, paid_cases(setting, filter))))
    }

    /// The cases that a run would leave out, for what they can cost: check and name.
    pub(super) fn left_out(
        &self,
        live: Option<&Url>,
        key: Option<&RunKey>,
        setting: &Setting<'_>,
        filter: &Filter,
    ) -> Result<BTreeSet<(String, String)>, CommandError> {
        let free = match (live, self.budget_inr) {
            (None, _) => return Ok(BTreeSet::new()),
            (Some(live), None) if keys::is_simulator(live, key) => return Ok(BTreeSet::new()),
            (Some(_), budget) => budget.is_none_or(|budget| budget == Paise::ZERO),
        };
        let plan = match free {
            true => SpendPlan::choose(Paise::ZERO, paid_cases(setting, filter)),
            false => self.plan(live, key, setting, filter)?.unwrap_or_default(),
        };
        let cases = paid_cases(setting, filter);
        let out = cases.filter(|case| !plan.sends(&case.check, &case.case));
        Ok(out.map(|case| (case.check, case.case)).collect())
    }

    /// What calls cost at this provider, where a file says so.
    pub(super) fn prices(&self, contract: &Contract) -> Result<PriceList, CommandError> {
        let Some(path) = &self.prices else {
            return Ok(PriceList::default());
        };
        let shown = path.display();
        let text = std::fs::read_to_string(path)
            .map_err(|error| CommandError::usage(format!("--prices {shown}: {error}")))?;
        PriceList::read(contract, &Source::new(shown.to_string(), text))
            .map_err(|problems| CommandError::usage(format!("--prices\n{problems}")))
    }

    fn file(&self, live: &Url, key: Option<&RunKey>) -> Result<PathBuf, CommandError> {
        match &self.spend_file {
            Some(path) => Ok(path.clone()),
            None => Ok(default_file(&data_folder()?, live, key)),
        }
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
                format!(
                    "the budget is {budget} INR: what it does not cover is left out, and not counted here"
                )
            }
        }
    }
}

/// Says what was spent and why the run stopped, where it did, and ends the journal.
pub(super) fn report_spending(guard: &SpendGuard, early: Option<EarlyEnd>) {
    if let Some(stop) = guard.shortened() {
        say(format_args!("stopped: {stop}"));
    }
    let unexplained = guard.unexplained();
    if unexplained > Paise::ZERO {
        say(format_args!(
            "the wallet fell by more than the answers say: others use it, or calls are charged silently; \
             {unexplained} INR of that count as spent"
        ));
    }
    if let Some(spending) = guard.spending() {
        say(spending);
    }
    match early {
        // The journal stays open, so that nothing is paid twice.
        Some(_) if guard.sums().is_some() => say("--resume goes on where this run was ended"),
        _ => {
            if let Err(error) = guard.end() {
                say(format_args!("{error}: a later run will ask for --resume"));
            }
        }
    }
}

fn refused(error: JournalError) -> CommandError {
    CommandError::usage(format!("--spend-file {error}. Nothing was sent"))
}

/// What is left of a budget covers these of the cases that are not settled.
fn plan(ledger: &Ledger, cases: impl Iterator<Item = PricedCase>) -> SpendPlan {
    let (settled, todo): (Vec<_>, Vec<_>) =
        cases.partition(|case| ledger.settled(&case.check, &case.case).is_some());
    SpendPlan::choose(ledger.left(), todo).after(settled)
}

/// Every case that is run, with its price.
fn paid_cases(setting: &Setting<'_>, filter: &Filter) -> impl Iterator<Item = PricedCase> {
    let checks = check::all().into_iter();
    let checks = checks.filter(|check| filter.allows_check(check, setting));
    checks.flat_map(move |check| {
        let cases = filter.cases(&check, setting).into_iter();
        cases.map(move |case| PricedCase::of(setting, check.id, &case))
    })
}

/// Where a user's programs keep what must outlive a working folder.
fn data_folder() -> Result<PathBuf, CommandError> {
    let named = |name| std::env::var_os(name).map(PathBuf::from);
    let absolute = |path: &PathBuf| path.is_absolute();
    let usual = || Some(named("HOME")?.join(".local/share"));
    let found = named("XDG_DATA_HOME").filter(absolute).or_else(usual);
    let none = "--spend-file is needed: neither XDG_DATA_HOME nor HOME says where data is kept. Nothing was sent";
    found.ok_or_else(|| CommandError::usage(none))
}

/// One file for each host and key, whose money it is. Its name gives neither away.
fn default_file(folder: &Path, live: &Url, key: Option<&RunKey>) -> PathBuf {
    let host = live.host_str().unwrap_or_default();
    let port = live.port_or_known_default().unwrap_or_default();
    let mut digest = Sha256::new();
    digest.update(format!("{host}:{port}\n"));
    digest.update(key.map_or("", |key| key.secret.expose()));
    let name = HEXLOWER.encode(&digest.finalize()[..16]);
    folder.join(format!("svc-contract-tests/spend-{name}.jsonl"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::Secret;

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
    fn every_host_and_key_has_a_journal_of_its_own_that_names_neither() {
        let file = |url, key| {
            let key = RunKey::new(Secret::new(key));
            let url = Url::parse(url).expect("a URL");
            default_file(Path::new("/data"), &url, Some(&key))
        };
        let first = file("http://api.example:8080/v", "svc_live_a");
        assert_eq!(first, file("http://api.example:8080", "svc_live_a"));
        assert_ne!(first, file("http://api.example:8081", "svc_live_a"));
        assert_ne!(first, file("http://api.example:8080", "svc_live_b"));
        let text = first.display().to_string();
        assert!(
            text.starts_with("/data/svc-contract-tests/spend-"),
            "{text}"
        );
        assert!(
            !text.contains("svc_live") && !text.contains("example"),
            "{text}"
        );
    }
}
