//! Cases: calls in order, each with what must hold of its answer.

use std::ops::Range;

use svc_fixtures::contract::{Bundle, Environment, Operation};

use super::expect::{Expectation, Rule};
use super::request::{RequestTemplate, USAGE};
use crate::capture::{Channel, Credential};

/// Some calls in order, and what must hold of their answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// What the case is, unique within its check.
    pub name: String,
    /// The operation it is about, or the endpoint of a bundle, where it is about one.
    pub operation: Option<String>,
    /// Where it is sent.
    pub environment: Environment,
    /// Whether it is asked only of those who follow our rulings, whatever its clauses.
    pub extension: bool,
    /// The steps that are sent at the same time: none of them carries anything from another of them.
    pub together: Range<usize>,
    /// The calls.
    pub steps: Vec<Step>,
}

/// How a case goes together with others on one account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It looks at the answers to its own calls only, whatever else is called meanwhile.
    Shared,
    /// It changes the account or measures it: whoever called meanwhile would be seen.
    Alone,
}

/// One call of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// What is sent.
    pub request: RequestTemplate,
    /// What must hold of the answer, beside what must hold of every answer.
    pub expect: Vec<Expectation>,
}

impl Case {
    /// A case without steps, on the sandbox.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Case {
            name: name.into(),
            operation: None,
            environment: Environment::Test,
            extension: false,
            together: 0..0,
            steps: Vec::new(),
        }
    }

    /// A case about an operation, named after it.
    #[must_use]
    pub fn about(operation: &Operation, name: &str) -> Self {
        let named = match name {
            "" => operation.id.clone(),
            _ => format!("{}: {name}", operation.id),
        };
        Case {
            operation: Some(operation.id.clone()),
            ..Case::new(named)
        }
    }

    /// A case about a bundle, of this name.
    #[must_use]
    pub fn of_bundle(bundle: &Bundle, name: impl Into<String>) -> Self {
        Case {
            operation: Some(bundle.endpoint()),
            ..Case::new(name)
        }
    }

    /// The same, sent there.
    #[must_use]
    pub fn on(self, environment: Environment) -> Self {
        let name = match environment {
            Environment::Test => self.name,
            Environment::Live => format!("{} (live)", self.name),
        };
        Case {
            name,
            environment,
            ..self
        }
    }

    /// The same, asked only of those who follow our rulings.
    #[must_use]
    pub fn extension(self) -> Self {
        Case {
            extension: true,
            ..self
        }
    }

    /// Adds a step; answers its place.
    pub fn push(&mut self, request: RequestTemplate) -> usize {
        self.steps.push(Step {
            request,
            expect: Vec::new(),
        });
        self.steps.len() - 1
    }

    /// Adds a step that sends the same as another one; answers its place.
    pub fn push_again(&mut self, step: usize) -> usize {
        self.push(self.steps[step].request.clone())
    }

    /// Sends the steps from this one to the last at the same time.
    pub fn send_together(&mut self, from: usize) {
        self.together = from..self.steps.len();
    }

    /// Changes what a step sends.
    pub fn change(&mut self, step: usize, to: impl FnOnce(RequestTemplate) -> RequestTemplate) {
        self.steps[step].request = to(self.steps[step].request.clone());
    }

    /// Adds something that must hold of the answer to a step.
    pub fn expect(&mut self, step: usize, clause: impl Into<String>, rule: Rule) {
        self.steps[step].expect.push(Expectation {
            clause: clause.into(),
            rule,
        });
    }

    /// Adds something that must hold of the answer to a step for each of these clauses.
    pub fn expect_each<C: Into<String>>(
        &mut self,
        step: usize,
        clauses: impl IntoIterator<Item = C>,
        rule: &Rule,
    ) {
        for clause in clauses {
            self.expect(step, clause, rule.clone());
        }
    }

    /// The clauses that its steps expect something for, as often as they do.
    pub fn clauses(&self) -> impl Iterator<Item = String> {
        let expected = self.steps.iter().flat_map(|step| &step.expect);
        expected.map(|expectation| expectation.clause.clone())
    }

    /// Whether it must have its account for itself: the console changes accounts, the usage is what all
    /// calls have made of one, and some rules measure one.
    #[must_use]
    pub fn access(&self) -> Access {
        let alone = |step: &Step| {
            let request = &step.request;
            let of_account = match request.channel {
                Channel::Api => request.path == USAGE,
                Channel::Console | Channel::Sink => true,
                Channel::Page | Channel::Registered | Channel::Webhook => false,
            };
            let beside = matches!(
                request.credential,
                Credential::Another(_) | Credential::Rotated
            );
            // A key that was given for it is no business of the run's own account.
            let own = !matches!(request.credential, Credential::Given(_));
            let mut rules = step.expect.iter().map(|it| &it.rule);
            own && (of_account || beside || rules.any(Rule::measures_account))
        };
        match self.steps.iter().any(alone) {
            true => Access::Alone,
            false => Access::Shared,
        }
    }

    /// With something that must hold of the answer to the last step.
    #[must_use]
    pub fn expecting(mut self, clause: impl Into<String>, rule: Rule) -> Self {
        let last = self.steps.len() - 1;
        self.expect(last, clause, rule);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;
    use crate::plan::{Setting, inputs};
    use svc_fixtures::contract::Contract;

    #[test]
    fn a_case_that_changes_or_measures_its_account_has_it_alone() {
        let contract = Contract::built_in();
        let setting = Setting::new(&contract, inputs::built_in(), "s").everything();
        let alone = |check: &check::Check| {
            let cases = check.cases(&setting);
            let alone = cases.iter().filter(|it| it.access() == Access::Alone);
            (alone.count(), cases.len())
        };
        let all = check::all();
        let of = |id: &str| {
            let found = all.iter().find(|check| check.id == id);
            alone(found.expect("a check"))
        };
        for id in [
            "billing.no-record",
            "billing.replay",
            "usage.counts",
            "webhooks.result",
        ] {
            let (alone, all) = of(id);
            assert!(alone == all && all > 0, "{id}: {alone} of {all}");
        }
        for id in [
            "validation.input",
            "idempotency.concurrent",
            "errors.no-record",
        ] {
            assert_eq!(of(id).0, 0, "{id}");
        }
        // A simulator has room for some thousand accounts.
        let sum: usize = all.iter().map(|check| alone(check).0).sum();
        assert!(sum < 1000, "{sum}");
    }
}
