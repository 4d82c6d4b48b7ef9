//! `replay`: a captured case sent again, with keys and references of its own, and judged.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;

use super::exit::{CommandError, Exit};
use super::judge::load;
use super::run::{RepeatedCases, Run};
use crate::capture::Capture;

/// How many names a message lists.
const LISTED: usize = 12;

/// What to send again, and to whom.
#[derive(Debug, Args)]
pub(super) struct Replay {
    /// A capture that `run --capture` saved, or a file of `run --failures`
    file: PathBuf,
    /// The case, where the file has several
    #[arg(long, value_name = "NAME")]
    case: Option<String>,
    #[command(flatten)]
    run: Run,
}

impl Replay {
    pub(super) fn execute(&self) -> Result<Exit, CommandError> {
        let capture = load(&self.file)?;
        let chosen = chosen(&capture, self.case.as_deref(), self.run.checks())?;
        self.run.send_again(&RepeatedCases {
            cases: [chosen].into(),
            profile: capture.profile,
        })
    }
}

/// The one case that is meant.
fn chosen(
    capture: &Capture,
    case: Option<&str>,
    checks: &[String],
) -> Result<(String, String), CommandError> {
    let meant = |(of, named): &&(String, String)| {
        case.is_none_or(|wanted| wanted == named)
            && (checks.is_empty() || checks.iter().any(|wanted| of.starts_with(wanted)))
    };
    let all = capture.cases.iter();
    let all = all.map(|case| (case.check.clone(), case.case.clone()));
    let all: BTreeSet<_> = all.collect();
    let found: Vec<_> = all.iter().filter(meant).collect();
    let (what, names) = match found.as_slice() {
        [one] => return Ok((*one).clone()),
        [] => ("there is no such case; the file has", all.iter().collect()),
        _ => ("the file has several cases; say which", found),
    };
    let mut text = what.to_owned();
    for (check, case) in names.iter().take(LISTED) {
        text += &format!("\n  --check {check} --case '{case}'");
    }
    if names.len() > LISTED {
        text += &format!("\n  and {} more", names.len() - LISTED);
    }
    Err(CommandError::usage(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{Capabilities, CapturedCase};
    use crate::prices::PriceList;
    use crate::profile::Profile;

    fn capture(names: &[(&str, &str)]) -> Capture {
        let case = |(check, case): &(&str, &str)| CapturedCase::new(*check, *case);
        Capture {
            seed: "s".to_owned(),
            environments: Vec::new(),
            profile: Profile::Provider,
            prices: PriceList::default(),
            http: true,
            capabilities: Capabilities::default(),
            local: true,
            cases: names.iter().map(case).collect(),
        }
    }

    fn found(names: &[(&str, &str)], case: Option<&str>, check: Option<&str>) -> String {
        let checks: Vec<_> = check.into_iter().map(str::to_owned).collect();
        match chosen(&capture(names), case, &checks) {
            Ok((check, case)) => format!("{check}: {case}"),
            Err(mistake) => mistake.cause.to_string(),
        }
    }

    #[test]
    fn one_case_is_meant_or_the_message_lists_them() {
        let two = [("a.check", "one"), ("b.check", "one"), ("b.check", "two")];
        assert_eq!(found(&two[..1], None, None), "a.check: one");
        assert_eq!(found(&two, Some("two"), None), "b.check: two");
        assert_eq!(found(&two, Some("one"), Some("b.")), "b.check: one");
        insta::assert_snapshot!(found(&two, Some("one"), None), @"
        the file has several cases; say which
          --check a.check --case 'one'
          --check b.check --case 'one'
        ");
        insta::assert_snapshot!(found(&two[..1], Some("three"), None), @"
        there is no such case; the file has
          --check a.check --case 'one'
        ");
    }
}
