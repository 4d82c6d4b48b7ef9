//! Scenarios from recorded traffic: who it is about, and the rules a person would have written for what the simulator would
//! not answer by itself. What was learned is played in process and compared. Reads and writes no file.

mod claims;
mod compare;
mod computed;
mod everybody;
mod fidelity;
mod inputs;
mod leaves;
mod naming;
mod outcome;
mod people;
mod repair;
mod replay;
mod rule;
mod rules;
mod stand_ins;
mod traffic;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use svc_capture::Capture;
use svc_fixtures::contract::Contract;
use svc_fixtures::reading::{Problems, Source};

use crate::engine::call::rules::Rules;
use crate::rehearsal::report_overlaps;
use crate::scenario::is_built_in;
use crate::scenario_analysis::{find_contradictions, find_contrary_letters, find_unreachable};

pub use compare::BY_FORM;
pub use fidelity::{EndpointFidelity, Fidelity, ReportedDifference};
pub use people::slug;
pub use traffic::Traffic;
pub use write::FIRST_WORDS;

use compare::Comparison;
use computed::follows;
use fidelity::{Reasons, fidelity};
use inputs::{Inexpressible, SeenInput, inputs, note_changes, note_ends};
use outcome::LearnedEdit;
use people::{LearnedPerson, people, subjects};
use repair::LearnedDraft;
use replay::{Replayed, account, replay};
use rule::LearnedRule;
use rules::{Breadth, RuleMaker};

/// What was learned from a capture.
#[derive(Debug)]
pub struct Learned {
    /// The scenario file; none where the simulator says everything by itself.
    pub text: Option<String>,
    /// How many people and companies it declares.
    pub people: usize,
    /// How many rules it has.
    pub rules: usize,
    /// What playing the capture against it finds.
    pub fidelity: Fidelity,
}

/// What is learned from, and into what.
pub struct Lesson<'l> {
    /// The rules so far: the built-in ones, and those of the folder.
    pub base: &'l Rules,
    /// The calls.
    pub traffic: &'l Traffic,
    /// What the capture is called in comments.
    pub capture: &'l str,
    /// The path of the file that is to be written.
    pub path: &'l str,
}

/// More than this often nothing new is found.
const ROUNDS: usize = 5;

/// So many mistakes, one after the other, are worked around.
const REPAIRS: usize = 24;

/// So many members of one answer are tried without, one after the other.
const TRIED: usize = 12;

/// The calls of a capture. `text` is its file, for the lines.
#[must_use]
pub fn read_capture(contract: &Contract, capture: &Capture, text: &str) -> Traffic {
    let mut traffic = Traffic::of(contract, capture, text);
    stand_ins::replace(contract, &mut traffic.calls);
    traffic
}

/// Learns what there is to learn.
#[must_use]
pub fn learn(lesson: &Lesson<'_>) -> Learned {
    let mut student = Student::new(lesson);
    student.meet_people();
    student.watch_ends();
    student.leave_out_what_is_not_seen();
    student.leave_out_what_follows();
    student.generalize();
    student.finish()
}

/// Why a member is not said.
const UNSEEN: &str = "it is there only when it is asked for";

/// What is known so far.
struct Student<'l> {
    lesson: &'l Lesson<'l>,
    comparison: Comparison,
    people: Vec<LearnedPerson>,
    inputs: Vec<SeenInput>,
    inexpressible: Inexpressible,
    /// The operations of which nothing general can be said.
    exact: BTreeSet<String>,
    /// The operations of which what everybody gets breaks the contract.
    breaking: BTreeSet<String>,
    breadth: Breadth,
}

/// Rules that were made, as a file, and as the simulator reads them.
struct Tried {
    rules: Vec<LearnedRule>,
    text: String,
    read: Rules,
    replayed: Vec<Replayed>,
}

impl<'l> Student<'l> {
    fn new(lesson: &'l Lesson<'l>) -> Self {
        let Lesson { base, traffic, .. } = lesson;
        let subjects = subjects(&base.contract, traffic);
        Student {
            comparison: Comparison::new(base, traffic),
            people: people(base, traffic, &subjects),
            inputs: inputs(&base.contract, traffic, &subjects),
            inexpressible: Inexpressible::new(),
            exact: BTreeSet::new(),
            breaking: BTreeSet::new(),
            breadth: Breadth::Exact,
            lesson,
        }
    }

    /// Reads rules that have this file behind those of people and before the built-in ones.
    fn read(&self, text: &str) -> Result<Rules, Problems> {
        let base = self.lesson.base;
        let (built_in, own): (Vec<_>, Vec<_>) = base
            .sources()
            .iter()
            .cloned()
            .partition(|it| is_built_in(&it.path));
        let learned = Source::new(self.lesson.path, text);
        let files: Vec<Arc<Source>> = own.into_iter().chain([learned]).chain(built_in).collect();
        base.with_scenarios_replaced(&files)
    }

    /// Makes rules of what is known and plays the traffic by them. What the reader refuses is not known any more.
    fn attempt(&mut self) -> Tried {
        for _ in 0..REPAIRS {
            let (rules, text) = self.file();
            match self.read(&text) {
                Ok(read) => {
                    let replayed = replay(&read, self.lesson.traffic);
                    return Tried {
                        rules,
                        text,
                        read,
                        replayed,
                    };
                }
                Err(problems) => {
                    if !self.repair(&rules, &text, &problems) {
                        break;
                    }
                }
            }
        }
        // Never seen; without rules nothing is refused.
        self.inputs.iter_mut().for_each(|input| input.steps.clear());
        self.people.clear();
        let read = self.lesson.base.clone();
        Tried {
            rules: Vec::new(),
            text: String::new(),
            replayed: replay(&read, self.lesson.traffic),
            read,
        }
    }

    fn file(&self) -> (Vec<LearnedRule>, String) {
        let maker = RuleMaker {
            contract: &self.lesson.base.contract,
            traffic: self.lesson.traffic,
            people: &self.people,
            breaking: &self.breaking,
        };
        let rules = maker.rules(&self.inputs, &self.exact, self.breadth);
        let text = write::file(self.lesson.capture, &self.people, &rules);
        (rules, text)
    }

    fn repair(&mut self, rules: &[LearnedRule], text: &str, problems: &Problems) -> bool {
        let mut draft = LearnedDraft {
            people: &mut self.people,
            rules,
            inputs: &mut self.inputs,
            traffic: self.lesson.traffic,
            breaking: &mut self.breaking,
            exact: &mut self.exact,
        };
        draft.repair(self.lesson.path, text, problems)
    }

    /// So many members of these answers differ.
    fn differing(&self, replayed: &[Replayed]) -> Vec<usize> {
        let calls = self.lesson.traffic.calls.iter().zip(replayed);
        calls
            .map(|(call, here)| self.comparison.compare(call, here).differences.len())
            .collect()
    }

    /// Keeps those people of whom the answers speak better than before.
    fn meet_people(&mut self) {
        let before = self.differing(&replay(self.lesson.base, self.lesson.traffic));
        let after = self.attempt();
        let after = self.differing(&after.replayed);
        let calls = &self.lesson.traffic.calls;
        self.people.retain(|person| {
            let own = |counts: &[usize]| -> usize {
                let of = calls
                    .iter()
                    .zip(counts)
                    .filter(|(call, _)| person.origins.contains(&call.place));
                of.map(|(_, count)| count).sum()
            };
            own(&after) < own(&before)
        });
    }

    /// Notes how each input ended, then what its answers say, until nothing differs any more that a rule can say.
    fn watch_ends(&mut self) {
        let Lesson { base, traffic, .. } = self.lesson;
        let tried = self.attempt();
        self.inexpressible = note_ends(
            &base.contract,
            traffic,
            &tried.replayed,
            &self.comparison,
            &mut self.inputs,
        );
        for _ in 0..ROUNDS {
            let tried = self.attempt();
            let replayed = &tried.replayed;
            if !note_changes(
                &base.contract,
                traffic,
                replayed,
                &self.comparison,
                &mut self.inputs,
            ) && !self.insist(replayed)
            {
                break;
            }
        }
    }

    /// What is said and not seen is there only when it is asked for, or follows from something else: it is said against the
    /// rows. Whether there was something.
    fn insist(&mut self, replayed: &[Replayed]) -> bool {
        let differing = self.differing(replayed);
        let mut any = false;
        for input in &mut self.inputs {
            let mut calls = input.lives.values().flatten();
            if !calls.any(|at| differing[*at] > 0) {
                continue;
            }
            let refused = &input.refused;
            for changes in input.steps.iter_mut().filter_map(|step| step.changes_mut()) {
                if !changes.edits.is_empty() && refused.is_empty() && !changes.breaks_contract {
                    changes.breaks_contract = true;
                    any = true;
                }
            }
        }
        any
    }

    /// What is said and not seen even so is there only when it is asked for: it is not said.
    fn leave_out_what_is_not_seen(&mut self) {
        let tried = self.attempt();
        let calls = &self.lesson.traffic.calls;
        for input in &mut self.inputs {
            let of = input.lives.values().flatten();
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
    fn leave_out_what_follows(&mut self) {
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
        let now = self.differing(&tried.replayed);
        for (number, edits) in without {
            let input = &mut self.inputs[number];
            let mut calls = input.lives.values().flatten();
            if calls.any(|call| now[*call] > known[*call]) {
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
        let tried = self.attempt();
        *known = self.differing(&tried.replayed);
        true
    }

    /// Says as much as possible at once, wherever that says nothing wrong.
    fn generalize(&mut self) {
        let exact = self.attempt();
        let exact = self.differing(&exact.replayed);
        self.breadth = Breadth::General;
        for _ in 0..ROUNDS {
            let tried = self.attempt();
            let now = self.differing(&tried.replayed);
            let calls = self.lesson.traffic.calls.iter().zip(now.iter().zip(&exact));
            let worse = calls
                .filter(|(_, (now, exact))| now > exact)
                .filter_map(|(call, _)| call.operation);
            let operations = &self.lesson.base.contract.operations;
            let worse: BTreeSet<String> = worse.map(|at| operations[at].id.clone()).collect();
            let before = self.exact.len();
            self.exact.extend(worse);
            if self.exact.len() == before {
                break;
            }
        }
    }

    /// Where one input is meant by two of the rules, nothing general is said of the operation. Whether there was such a one.
    fn keep_apart(&mut self, tried: &Tried) -> bool {
        let sources = tried.read.sources();
        let notes = report_overlaps(&tried.read, &[account()], sources);
        let mut any = false;
        for note in notes.iter().filter(|note| {
            note.first.file == self.lesson.path || note.second.file == self.lesson.path
        }) {
            any |= self.exact.insert(note.operation.clone());
        }
        any
    }

    /// The file that passes every check, and how alike it answers.
    fn finish(mut self) -> Learned {
        let mut tried = self.attempt();
        for _ in 0..REPAIRS {
            let sources = tried.read.sources();
            let mut problems = find_contradictions(&tried.read, sources);
            problems.extend(find_contrary_letters(&tried.read, sources));
            problems.extend(find_unreachable(
                &tried.read.contract,
                &tried.read.scenarios,
                sources,
            ));
            let (rules, text) = (tried.rules.clone(), tried.text.clone());
            if !self.repair(&rules, &text, &problems) && !self.keep_apart(&tried) {
                break;
            }
            tried = self.attempt();
            // What breaks the contract says all of its answer.
            let Lesson { base, traffic, .. } = self.lesson;
            if note_changes(
                &base.contract,
                traffic,
                &tried.replayed,
                &self.comparison,
                &mut self.inputs,
            ) {
                tried = self.attempt();
            }
        }
        let reasons = Reasons {
            rules: &tried.read,
            inputs: &self.inputs,
            inexpressible: &self.inexpressible,
        };
        let fidelity = fidelity(
            self.lesson.traffic,
            &tried.replayed,
            &self.comparison,
            &reasons,
        );
        let is_empty = self.people.is_empty() && tried.rules.is_empty();
        Learned {
            text: (!is_empty).then_some(tried.text),
            people: self.people.len(),
            rules: tried.rules.len(),
            fidelity,
        }
    }
}
