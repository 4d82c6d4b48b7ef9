//! Which checks and cases are run. Of what is given several times one must fit; every kind that is given must.

use std::collections::BTreeSet;

use svc_fixtures::contract::ClauseKind;

use crate::check::{Check, Stage};
use crate::plan::{Case, Setting};
use crate::verdict::EVERY_ANSWER;

/// Which of the cases are run.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only those about one of these operations, or about operations below it.
    pub operations: Vec<String>,
    /// Only those of checks whose id begins like one of these.
    pub checks: Vec<String>,
    /// Only those that ask one of these clauses.
    pub clauses: Vec<String>,
    /// Only those of checks with one of these tags.
    pub tags: Vec<Tag>,
    /// Only these: check and case.
    pub only: Option<BTreeSet<(String, String)>>,
}

/// What a check is, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tag {
    /// What its calls do.
    Stage(Stage),
    /// It asks a clause of this kind.
    Asks(ClauseKind),
}

impl Tag {
    /// Every tag, with its name.
    pub const ALL: [(&'static str, Tag); 10] = [
        ("refused", Tag::Stage(Stage::Refused)),
        ("sandbox", Tag::Stage(Stage::Sandbox)),
        ("live", Tag::Stage(Stage::Live)),
        ("wire", Tag::Asks(ClauseKind::Wire)),
        ("behaviour", Tag::Asks(ClauseKind::Behaviour)),
        ("billing", Tag::Asks(ClauseKind::Billing)),
        ("webhook", Tag::Asks(ClauseKind::Webhook)),
        ("sandbox-only", Tag::Asks(ClauseKind::SandboxOnly)),
        ("live-only", Tag::Asks(ClauseKind::LiveOnly)),
        ("extension", Tag::Asks(ClauseKind::Extension)),
    ];

    fn is_of(self, check: &Check, setting: &Setting<'_>) -> bool {
        match self {
            Tag::Stage(stage) => check.stage == stage,
            Tag::Asks(kind) => {
                let asked = check.asks(setting);
                let mut clauses = setting.contract.clauses.iter();
                clauses.any(|clause| clause.kind == kind && asked.contains(&clause.id))
            }
        }
    }
}

impl Filter {
    /// Whether a check is run at all.
    #[must_use]
    pub fn allows_check(&self, check: &Check, setting: &Setting<'_>) -> bool {
        let named = any(&self.checks, |wanted| check.id.starts_with(wanted.as_str()));
        let listed = |only: &BTreeSet<(String, String)>| only.iter().any(|(id, _)| id == check.id);
        named
            && self.only.as_ref().is_none_or(listed)
            && any(&self.tags, |tag| tag.is_of(check, setting))
            && any(&self.clauses, |clause| {
                EVERY_ANSWER.contains(&clause.as_str()) || check.asks(setting).contains(clause)
            })
    }

    fn allows_case(&self, case: &Case) -> bool {
        any(&self.operations, |wanted| {
            let operation = case.operation.as_deref();
            operation.is_some_and(|id| is_or_below(id, wanted))
        })
    }

    /// The cases of a check that are run.
    #[must_use]
    pub fn cases(&self, check: &Check, setting: &Setting<'_>) -> Vec<Case> {
        let mut cases = check.cases(setting);
        cases.retain(|case| self.allows_case(case));
        if let Some(only) = &self.only {
            cases.retain(|case| only.contains(&(check.id.to_owned(), case.name.clone())));
        }
        // A clause that is judged of every answer is asked by every case.
        let of_every_answer = |clause: &String| EVERY_ANSWER.contains(&clause.as_str());
        if !self.clauses.iter().any(of_every_answer) {
            cases.retain(|case| {
                any(&self.clauses, |clause| {
                    case.clauses().any(|expected| expected == *clause)
                })
            });
        }
        cases
    }
}

/// Whether something fits one of those that were given; where none was, everything does.
fn any<T>(given: &[T], fits: impl Fn(&T) -> bool) -> bool {
    given.is_empty() || given.iter().any(fits)
}

/// Whether an operation is that one, or one below it.
#[must_use]
pub fn is_or_below(operation: &str, wanted: &str) -> bool {
    let rest = operation.strip_prefix(wanted);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;
    use crate::plan::inputs;
    use svc_fixtures::contract::Contract;

    fn ids(filter: &Filter) -> Vec<&'static str> {
        let contract = Contract::built_in();
        let setting = Setting::new(&contract, inputs::built_in(), "seed").everything();
        let checks = check::all().into_iter();
        let found = checks.filter(|check| filter.allows_check(check, &setting));
        found.map(|check| check.id).collect()
    }

    fn tags(names: &[&str]) -> Filter {
        let tag = |name: &&str| Tag::ALL.iter().find(|(known, _)| known == name);
        let tags = names.iter().map(|name| tag(name).expect("a tag").1);
        Filter {
            tags: tags.collect(),
            ..Filter::default()
        }
    }

    #[test]
    fn a_clause_lets_through_the_checks_and_cases_that_ask_it() {
        let clauses = vec!["billing.no-record-is-billed".to_owned()];
        let filter = Filter {
            clauses: vec!["sandbox.pan-no-record".to_owned()],
            ..Filter::default()
        };
        assert_eq!(ids(&filter), ["identifiers.fixed-by-specification"]);
        let contract = Contract::built_in();
        let setting = Setting::new(&contract, inputs::built_in(), "seed");
        let all = check::all();
        let check = all.iter().find(|check| check.id == ids(&filter)[0]);
        let cases = filter.cases(check.expect("it is there"), &setting);
        assert!(!cases.is_empty());
        let names = cases.iter().all(|case| case.name.contains("AAAAA9999A"));
        assert!(names, "{cases:?}");
        let every = Filter {
            clauses,
            ..Filter::default()
        };
        assert_eq!(ids(&every).len(), all.len(), "it is judged of every answer");
    }

    #[test]
    fn what_is_given_several_times_adds_and_kinds_narrow() {
        let live = ids(&tags(&["live"]));
        assert!(live.contains(&"billing.replay"), "{live:?}");
        assert!(!live.contains(&"billing.sandbox"), "{live:?}");
        let both = ids(&tags(&["live", "sandbox"]));
        assert!(both.len() > live.len(), "{both:?}");
        let narrow = Filter {
            checks: vec!["billing.".to_owned(), "envelope.meta".to_owned()],
            ..tags(&["live"])
        };
        let narrow = ids(&narrow);
        assert!(narrow.contains(&"billing.replay"), "{narrow:?}");
        assert!(
            narrow
                .iter()
                .all(|id| id.starts_with("billing.") && live.contains(id))
        );
        let two = |ids: [&str; 2]| Filter {
            operations: ids.map(str::to_owned).to_vec(),
            ..Filter::default()
        };
        let pan = "verify.identity.pan";
        assert_eq!(about(&two([pan, "verify.identity.vot"])), [pan]);
        let both = [pan, "verify.identity.voter"];
        assert_eq!(about(&two(both)), both);
    }

    /// The operations of the cases that are run of one check.
    fn about(filter: &Filter) -> Vec<String> {
        let contract = Contract::built_in();
        let setting = Setting::new(&contract, inputs::built_in(), "seed").everything();
        let all = check::all();
        let check = all.iter().find(|check| check.id == "envelope.success");
        let cases = filter.cases(check.expect("it is there"), &setting);
        cases
            .into_iter()
            .filter_map(|case| case.operation)
            .collect()
    }

    #[test]
    fn every_kind_of_clause_is_a_tag() {
        for clause in Contract::built_in().clauses {
            let tag = Tag::Asks(clause.kind);
            assert!(Tag::ALL.iter().any(|(_, known)| *known == tag));
        }
    }
}
