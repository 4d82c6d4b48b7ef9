//! What was learned and need not be said: what nobody would see, and what follows from the rest.

use std::collections::BTreeMap;

use super::Student;
use super::computed::follows;
use super::outcome::LearnedEdit;
use super::traffic::Enveloped;

/// So many members of one answer are tried without, one after the other.
const TRIED: usize = 12;

/// Why a member is not said.
const UNSEEN: &str = "it is there only when it is asked for";

impl Student<'_> {
    /// What is said and not seen even so is there only when it is asked for: it is not said.
    pub(super) fn leave_out_what_is_not_seen(&mut self) {
        let tried = self.attempt();
        let calls = &self.lesson.traffic.calls;
        for input in &mut self.inputs {
            // Where the simulator does not answer nothing is seen of what it would say.
            let both_ended = |at: &&usize| {
                let ended = |answer: &Enveloped| answer.text("status") == "completed";
                calls[**at].last().is_some_and(ended) && ended(tried.replayed[**at].last())
            };
            let of = input.lives.values().flatten().filter(both_ended);
            let compared = of.map(|at| self.comparison.compare(&calls[*at], &tried.replayed[*at]));
            let differences = compared.flat_map(|it| it.differences);
            let unseen = differences.filter(|it| it.simulated.is_none() && it.recorded.is_some());
            let paths: Vec<String> = unseen
                .filter_map(|it| Some(it.path.strip_prefix("data.")?.to_owned()))
                .collect();
            for changes in input.steps.iter_mut().filter_map(|step| step.changes_mut()) {
                for path in paths
                    .iter()
                    .filter(|path| changes.edits.remove(*path).is_some())
                {
                    input.refused.insert(path.clone(), UNSEEN.to_owned());
                }
            }
        }
    }

    /// Takes away what follows from the rest of an answer: of members that go together one is enough, the shortest that
    /// says it all; else the longest goes first.
    pub(super) fn leave_out_what_follows(&mut self) {
        let tried = self.attempt();
        let mut known = self.differing(&tried.replayed);
        for at in 0..TRIED {
            let all_but_one = |paths: &[String]| -> Vec<String> {
                let others = paths.iter().enumerate().filter(|(other, _)| *other != at);
                let others = others.map(|(_, path)| path.clone());
                others.filter(|_| at < paths.len()).collect()
            };
            if !self.try_without(&mut known, &all_but_one) {
                break;
            }
        }
        for at in 0..TRIED {
            let one = |paths: &[String]| -> Vec<String> {
                let path = paths.iter().rev().nth(at);
                path.cloned().into_iter().collect()
            };
            if !self.try_without(&mut known, &one) {
                break;
            }
        }
    }

    /// Takes away of each step some of the members that can follow from others, the shortest of which come first, and
    /// puts them back where more differs then. Whether there was something to take away.
    fn try_without(
        &mut self,
        known: &mut Vec<usize>,
        pick: &dyn Fn(&[String]) -> Vec<String>,
    ) -> bool {
        let mut without: BTreeMap<usize, Vec<(usize, String, LearnedEdit)>> = BTreeMap::new();
        for (number, input) in self.inputs.iter_mut().enumerate() {
            let template = self.lesson.base.template(input.operation);
            for (step, outcome) in input.steps.iter_mut().enumerate() {
                let Some(changes) = outcome.changes_mut() else {
                    continue;
                };
                let computed = changes
                    .edits
                    .iter()
                    .filter(|(path, _)| follows(template, path));
                let mut paths: Vec<(usize, String)> = computed
                    .map(|(path, edit)| (format!("{edit:?}").len(), path.clone()))
                    .collect();
                paths.sort();
                let paths: Vec<String> = paths.into_iter().map(|(_, path)| path).collect();
                for path in pick(&paths) {
                    if let Some(edit) = changes.edits.remove(&path) {
                        without.entry(number).or_default().push((step, path, edit));
                    }
                }
            }
        }
        if without.is_empty() {
            return false;
        }
        let tried = self.attempt();
        let mut now = self.differing(&tried.replayed);
        for (number, edits) in without {
            let input = &mut self.inputs[number];
            let calls = || input.lives.values().flatten();
            if calls().any(|call| now[*call] > known[*call]) {
                // Its answers are again what they were: they needn't be asked for once more.
                calls().for_each(|call| now[*call] = known[*call]);
                for (step, path, edit) in edits {
                    if let Some(changes) = input
                        .steps
                        .get_mut(step)
                        .and_then(|step| step.changes_mut())
                    {
                        changes.edits.insert(path, edit);
                    }
                }
            }
        }
        *known = now;
        true
    }
}
