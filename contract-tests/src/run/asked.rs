//! Which checks have cases here, and why the others have none. Sends nothing.

use super::filter::Filter;
use crate::capture::KeyKind;
use crate::check::Check;
use crate::plan::{Case, Setting};
use crate::profile::Profile;
use svc_fixtures::contract::Environment;

/// A check of a run, with its cases.
pub(super) struct PlannedCheck<'c> {
    pub(super) check: &'c Check,
    pub(super) cases: Vec<Case>,
    /// Why it has none, where it has none.
    pub(super) not_asked: Option<&'static str>,
}

/// The checks that were asked for, each with its cases. One whose cases the filter leaves out was not.
pub(super) fn plan<'c>(
    setting: &Setting<'_>,
    checks: &'c [Check],
    filter: &Filter,
) -> Vec<PlannedCheck<'c>> {
    let wider = wider(setting);
    let planned = checks.iter().filter_map(|check| {
        let cases = |setting: &Setting<'_>| match filter.allows_check(check, setting) {
            true => filter.cases(check, setting),
            false => Vec::new(),
        };
        let here = cases(setting);
        let elsewhere = || wider.iter().find(|(wider, _)| !cases(wider).is_empty());
        let not_asked = match here.is_empty() {
            true => Some(elsewhere().map(|(_, why)| *why)?),
            false => None,
        };
        Some(PlannedCheck {
            check,
            cases: here,
            not_asked,
        })
    });
    planned.collect()
}

/// Settings in which more is asked, from less to more, and what each of them has that this one lacks.
pub(super) fn wider<'c>(setting: &Setting<'c>) -> Vec<(Setting<'c>, &'static str)> {
    let mut on_live = setting.clone();
    on_live.environments = Environment::ALL.to_vec();
    let mut keyed = on_live.clone();
    keyed.capabilities.keys = KeyKind::of_simulator();
    let mut extended = keyed.clone();
    extended.profile = Profile::Simulator;
    let mut listening = extended.clone();
    listening.capabilities.registered = true;
    let everything = setting.clone().everything();
    let mut all = vec![
        (
            on_live,
            "it is asked on live only, and no live address was given",
        ),
        (keyed, "it needs keys that do not work as others do: --keys"),
        (extended, "its cases are asked with --profile simulator"),
    ];
    // A console tells of the run's receiver itself.
    match setting.capabilities.control {
        None => all.extend([
            (
                listening,
                "it needs a receiver of webhooks: --listen with --webhook-secret",
            ),
            (everything, "it needs a console: --console-url"),
        ]),
        Some(_) => all.push((
            everything,
            "it needs a receiver of webhooks, or clocks that can be moved: --listen",
        )),
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;
    use crate::plan::inputs;
    use svc_fixtures::contract::Contract;

    #[test]
    fn what_was_not_asked_for_is_not_planned_and_what_cannot_be_asked_says_why() {
        let contract = Contract::built_in();
        let real = Setting::new(&contract, inputs::built_in(), "s");
        let checks = check::all();
        let planned = |filter: &Filter, id: &str| {
            let planned = plan(&real, &checks, filter).into_iter();
            let mut found = planned.filter(|it| it.check.id == id);
            found.next().map(|it| (it.cases.len(), it.not_asked))
        };
        let pan = Filter {
            operations: vec!["verify.identity.pan".to_owned()],
            ..Filter::default()
        };
        assert_eq!(planned(&pan, "envelope.success"), Some((1, None)));
        assert_eq!(planned(&pan, "flows.in-order"), None);
        for (check, needs) in [
            ("clocks.own", "a console: --console-url"),
            ("webhooks.registered", "--listen with --webhook-secret"),
            ("wallet.prices", "no live address was given"),
            (
                "authentication.other-keys",
                "keys that do not work as others do: --keys",
            ),
        ] {
            let (cases, why) = planned(&Filter::default(), check).expect("it is listed");
            assert_eq!(cases, 0);
            assert!(why.is_some_and(|why| why.contains(needs)), "{why:?}");
        }
    }
}
