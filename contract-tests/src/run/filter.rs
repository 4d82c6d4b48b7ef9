//! Which checks and cases are run. Every filter that is given must let them through.

use std::collections::BTreeSet;

use svc_fixtures::contract::ClauseKind;

use crate::check::{Check, Stage};
use crate::plan::{Case, Setting};
use crate::verdict::EVERY_ANSWER;

/// Which of the cases are run.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only those about this operation, or about operations below it.
    pub operation: Option<String>,
    /// Only those of checks whose id begins so.
    pub check: Option<String>,
    /// Only those that prove this clause.
    pub clause: Option<String>,
    /// Only those of checks with each of these tags.
    pub tags: Vec<Tag>,
    /// Only these: check and case.
    pub only: Option<BTreeSet<(String, String)>>,
}

/// What a check is, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tag {
    /// What its calls do.
    Stage(Stage),
    /// It proves a clause of this kind.
    Proves(ClauseKind),
}

impl Tag {
    /// Every tag, with its name.
    pub const ALL: [(&'static str, Tag); 10] = [
        ("refused", Tag::Stage(Stage::Refused)),
        ("sandbox", Tag::Stage(Stage::Sandbox)),
        ("live", Tag::Stage(Stage::Live)),
        ("wire", Tag::Proves(ClauseKind::Wire)),
        ("behaviour", Tag::Proves(ClauseKind::Behaviour)),
        ("billing", Tag::Proves(ClauseKind::Billing)),
        ("webhook", Tag::Proves(ClauseKind::Webhook)),
        ("sandbox-only", Tag::Proves(ClauseKind::SandboxOnly)),
        ("live-only", Tag::Proves(ClauseKind::LiveOnly)),
        ("extension", Tag::Proves(ClauseKind::Extension)),
    ];

    fn is_of(self, check: &Check, setting: &Setting<'_>) -> bool {
        match self {
            Tag::Stage(stage) => check.stage == stage,
            Tag::Proves(kind) => {
                let proven = check.proves(setting);
                let mut clauses = setting.contract.clauses.iter();
                clauses.any(|clause| clause.kind == kind && proven.contains(&clause.id))
            }
        }
    }
}

impl Filter {
    /// Whether a check is run at all.
    #[must_use]
    pub fn allows_check(&self, check: &Check, setting: &Setting<'_>) -> bool {
        let named = self.check.as_ref();
        let named = named.is_none_or(|wanted| check.id.starts_with(wanted.as_str()));
        let listed = |only: &BTreeSet<(String, String)>| only.iter().any(|(id, _)| id == check.id);
        named
            && self.only.as_ref().is_none_or(listed)
            && self.tags.iter().all(|tag| tag.is_of(check, setting))
            && self.clause.as_ref().is_none_or(|clause| {
                EVERY_ANSWER.contains(&clause.as_str()) || check.proves(setting).contains(clause)
            })
    }

    fn allows_case(&self, case: &Case) -> bool {
        let Some(wanted) = &self.operation else {
            return true;
        };
        let below = |id: &str| {
            let rest = id.strip_prefix(wanted.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        case.operation.as_deref().is_some_and(below)
    }

    /// The cases of a check that are run.
    #[must_use]
    pub fn cases(&self, check: &Check, setting: &Setting<'_>) -> Vec<Case> {
        let mut cases = check.cases(setting);
        cases.retain(|case| self.allows_case(case));
        if let Some(only) = &self.only {
            cases.retain(|case| only.contains(&(check.id.to_owned(), case.name.clone())));
        }
        if let Some(clause) = &self.clause {
            let expects = |case: &Case| case.clauses().any(|expected| expected == *clause);
            // A clause that is judged of every answer is proven by every case.
            if !EVERY_ANSWER.contains(&clause.as_str()) {
                cases.retain(expects);
            }
        }
        cases
    }
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
    fn a_clause_lets_through_the_checks_and_cases_that_prove_it() {
        let clause = Some("billing.no-record-is-billed".to_owned());
        let filter = Filter {
            clause: Some("sandbox.pan-no-record".to_owned()),
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
            clause,
            ..Filter::default()
        };
        assert_eq!(ids(&every).len(), all.len(), "it is judged of every answer");
    }

    #[test]
    fn a_check_must_have_each_of_the_tags() {
        let live = ids(&tags(&["live"]));
        assert!(live.contains(&"billing.replay"), "{live:?}");
        assert!(!live.contains(&"billing.sandbox"), "{live:?}");
        let both = ids(&tags(&["live", "live-only"]));
        assert!(both.len() < live.len() && !both.is_empty(), "{both:?}");
        assert!(ids(&tags(&["live", "sandbox"])).is_empty());
    }

    #[test]
    fn every_kind_of_clause_is_a_tag() {
        for clause in Contract::built_in().clauses {
            let tag = Tag::Proves(clause.kind);
            assert!(Tag::ALL.iter().any(|(_, known)| *known == tag));
        }
    }
}
