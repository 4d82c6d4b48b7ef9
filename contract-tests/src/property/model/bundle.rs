//! Bundles of the modelled account: which steps run, what they come to, and what the whole costs.

use std::borrow::Cow;

use svc_fixtures::contract::{Bundle, BundleMode, ErrorCode, Field, Operation, Paise};
use svc_fixtures::json::Json;

use super::account::{KeyUse, Model, OpenBundle, REPLAY, answer, conflict, replay, unpaid};
use super::expect::{expect, text};
use crate::plan::{Ending, Expectation, Place, Predicate, Rule};
use crate::property::oracle::{self, Body, Refusal};

/// A step that runs, and what it comes to.
struct StepResult<'c> {
    operation: &'c Operation,
    ending: Ending,
}

/// What a bundle call asks for.
struct BundlePlan<'c> {
    /// The steps that may run.
    steps: Vec<&'c Operation>,
    /// What the second call of a bundle in two calls carries.
    second: Option<String>,
    /// What must be free in the wallet.
    price: Paise,
}

impl<'m> Model<'m> {
    pub(super) fn bundle(&mut self, at: usize, row: &'m Bundle) -> Vec<Expectation> {
        let exchanges = self.exchanges;
        let request = &exchanges[at].request;
        let plan =
            oracle::body(request).and_then(|body| self.plan(row, &body).map(|plan| (plan, body)));
        let (plan, body) = match plan {
            Ok(plan) => plan,
            Err(refusal) => return self.refused(None, refusal),
        };
        match self.claimed(request, &body) {
            Err(refusal) => return self.refused(None, refusal),
            Ok(KeyUse::Replay(first)) => return replay(first),
            Ok(KeyUse::Conflict) => return self.refused(None, conflict()),
            Ok(KeyUse::Fresh) => {}
        }
        let earlier = match &plan.second {
            None => None,
            Some(key) => {
                let mut begun = self.begun.iter();
                match begun.position(|one| one.slug == row.slug && one.key == *key) {
                    Some(place) => Some(self.begun[place].clone()),
                    None => return self.refused(None, Refusal::input()),
                }
            }
        };
        if !self.state.covers(plan.price) {
            return self.refused(None, unpaid());
        }
        self.claim(at, request, &body);
        let ends = self.ends(row, &plan, &body);
        match earlier {
            Some(begun) => self.second_call(row, &begun, &ends),
            None => self.first_call(at, row, plan.price, &ends),
        }
    }

    /// What a body asks for, or why it is refused: as the first of its steps that has a mistake is.
    fn plan(&self, row: &Bundle, body: &Body<'_>) -> Result<BundlePlan<'m>, Refusal> {
        let contract = self.setting.contract;
        let all: Vec<&'m Operation> = row
            .steps
            .iter()
            .filter_map(|id| contract.operation(id))
            .collect();
        let named = |name: &str| {
            let sent = body.iter().find(|(known, _)| known == name);
            sent.map(|(_, value)| value)
        };
        let mut second = None;
        let mut price: Paise = all.iter().map(|step| step.price).sum();
        let steps = match &row.mode {
            BundleMode::Sequence | BundleMode::Parallel => all,
            BundleMode::Choice { field, options } => {
                let value = named(field).and_then(Json::as_text);
                let mut options = options.iter();
                let chosen = options.find(|(known, _)| Some(known.as_str()) == value);
                let (_, id) = chosen.ok_or_else(Refusal::input)?;
                let step = contract.operation(id).ok_or_else(Refusal::input)?;
                price = step.price;
                vec![step]
            }
            BundleMode::TwoCalls => {
                let carried = row.carries.first().and_then(|carry| named(&carry.field));
                second = carried.map(|value| value.as_text().unwrap_or_default().to_owned());
                price = if second.is_some() { Paise::ZERO } else { price };
                vec![all[usize::from(second.is_some())]]
            }
        };
        for step in &steps {
            let given = given(step, body);
            let own = |field: &&Field| {
                let sent = given.iter().any(|(name, _)| *name == field.name);
                sent || !takes(row, step, field)
            };
            let own: Vec<Field> = step.request.iter().filter(own).cloned().collect();
            if let Some(refusal) = oracle::refusal(contract, step, &own, &given) {
                return Err(refusal);
            }
        }
        Ok(BundlePlan {
            steps,
            second,
            price,
        })
    }

    /// What each step that runs comes to. One that lacks what an earlier step gives does not run.
    fn ends(&self, row: &Bundle, plan: &BundlePlan<'m>, body: &Body<'_>) -> Vec<StepResult<'m>> {
        let mut ends: Vec<StepResult<'m>> = Vec::new();
        for &operation in &plan.steps {
            let given = given(operation, body);
            let lacks = |field: &&Field| {
                let sent = given.iter().any(|(name, _)| *name == field.name);
                !sent && takes(row, operation, field)
            };
            let given_by_earlier = |field: &Field| {
                let mut carries = row.carries.iter();
                let carry =
                    carries.find(|carry| carry.step == operation.id && carry.field == field.name);
                carry.is_some_and(|carry| {
                    ends.iter().any(|end| {
                        end.operation.id == carry.from
                            && matches!(end.ending, Ending::Completed | Ending::Pending)
                    })
                })
            };
            let mut lacking = operation.request.iter().filter(lacks);
            if lacking.any(|field| !given_by_earlier(field)) {
                continue;
            }
            // What earlier steps give is nobody's fixed input.
            let ending = oracle::outcome(self.setting, operation, &given).ending;
            ends.push(StepResult { operation, ending });
        }
        ends
    }

    fn first_call(
        &mut self,
        at: usize,
        row: &Bundle,
        held: Paise,
        ends: &[StepResult<'_>],
    ) -> Vec<Expectation> {
        let ending = ending(row, ends);
        if ending == Ending::Pending {
            self.state.hold(held);
            self.await_second(at, row, held);
        }
        let endpoint = format!("bundles.{}", row.slug);
        let over = (ending != Ending::Pending).then_some(ending);
        self.state.count(&endpoint, 1, over, Paise::ZERO);
        let mut total = Paise::ZERO;
        for end in ends {
            let charge = match ending == Ending::Completed && self.state.live {
                true => end.operation.price,
                false => Paise::ZERO,
            };
            total.0 += charge.0;
            let ended = over.map(|_| end.ending);
            self.state.count(&end.operation.id, 1, ended, charge);
        }
        self.whole(row, ending, total)
    }

    /// A bundle in two calls is begun once its first step has issued what the second one carries.
    fn await_second(&mut self, at: usize, row: &Bundle, held: Paise) {
        let answer = answer(&self.exchanges[at]);
        let carry = row
            .carries
            .first()
            .filter(|_| row.mode == BundleMode::TwoCalls);
        let key = carry.and_then(|carry| text(answer.as_ref(), &["data", &carry.field]));
        let verification = text(answer.as_ref(), &["verificationId"]);
        if let (Some(key), Some(verification)) = (key, verification) {
            self.begun.push(OpenBundle {
                slug: row.slug.clone(),
                key,
                verification,
                held,
            });
        }
    }

    fn second_call(
        &mut self,
        row: &Bundle,
        begun: &OpenBundle,
        ends: &[StepResult<'_>],
    ) -> Vec<Expectation> {
        self.begun.retain(|one| one.key != begun.key);
        self.state.release(match self.state.live {
            true => begun.held,
            false => Paise::ZERO,
        });
        let ending = ending_of(ends);
        let endpoint = format!("bundles.{}", row.slug);
        self.state.count(&endpoint, 0, Some(ending), Paise::ZERO);
        let first = row
            .steps
            .first()
            .and_then(|id| self.setting.contract.operation(id));
        let before = first.map(|operation| (operation, Ending::Completed, 0));
        let now = ends.iter().map(|end| (end.operation, end.ending, 1));
        let mut total = Paise::ZERO;
        for (operation, ended, calls) in before.into_iter().chain(now) {
            let charge = match ending == Ending::Completed && self.state.live {
                true => operation.price,
                false => Paise::ZERO,
            };
            total.0 += charge.0;
            self.state.count(&operation.id, calls, Some(ended), charge);
        }
        let same = Json::from(begun.verification.clone());
        let id = Rule::Value(Place::of(["verificationId"]), Predicate::Is(same));
        let mut expected = self.whole(row, ending, total);
        expected.push(expect("ruling.29-dynamic-bank", id));
        expected
    }

    /// What must hold of the answer of the whole bundle.
    fn whole(&mut self, row: &Bundle, ending: Ending, total: Paise) -> Vec<Expectation> {
        let mut expected = vec![
            expect("ruling.29-bundle-outcome", Rule::Ends(ending)),
            expect("ruling.19-replay-bytes", Rule::NoHeader(REPLAY)),
        ];
        if matches!(ending, Ending::Completed | Ending::Pending) {
            let place = Place::of(["data", "bundle"]);
            let slug = Rule::Value(place, Predicate::Is(Json::from(row.slug.clone())));
            expected.push(expect("ruling.29-bundle-data", slug));
        }
        expected.extend(self.state.charge(total));
        expected
    }
}

/// How a bundle's call ends: pending while a step is or a second call is to come.
fn ending(row: &Bundle, ends: &[StepResult<'_>]) -> Ending {
    match ending_of(ends) {
        Ending::Completed if row.mode == BundleMode::TwoCalls => Ending::Pending,
        ending => ending,
    }
}

/// Pending while a step is, failed as the first that was not conclusive, else completed.
fn ending_of(ends: &[StepResult<'_>]) -> Ending {
    let conclusive = |ending: Ending| {
        matches!(
            ending,
            Ending::Completed | Ending::Error(ErrorCode::NoRecordFound)
        )
    };
    let pending = ends.iter().find(|end| end.ending == Ending::Pending);
    let failed = || ends.iter().find(|end| !conclusive(end.ending));
    pending
        .or_else(failed)
        .map_or(Ending::Completed, |end| end.ending)
}

/// Whether a step takes a field from an earlier one.
fn takes(row: &Bundle, step: &Operation, field: &Field) -> bool {
    let mut carries = row.carries.iter();
    carries.any(|carry| carry.step == step.id && carry.field == field.name)
}

/// The fields of a body that are a step's: under their own name, or under the last part of the
/// step's and a dot.
fn given<'b>(step: &Operation, body: &Body<'b>) -> Body<'b> {
    let last = step.id.rsplit('.').next().unwrap_or_default();
    let value = |field: &Field| {
        let own = format!("{last}.{}", field.name);
        let mut members = body.iter();
        let found = members
            .find(|(name, _)| *name == own)
            .or_else(|| body.iter().find(|(name, _)| *name == field.name))?;
        Some((Cow::Owned(field.name.clone()), found.1.clone()))
    };
    step.request.iter().filter_map(value).collect()
}
