//! Scenarios from recorded traffic: who it is about, and the rules a person would have written for what the simulator would
//! not answer by itself. What was learned is played in process and compared. Reads and writes no file.

mod bundle_data;
mod bundle_steps;
mod claims;
mod compare;
mod computed;
mod declared;
mod everybody;
mod everywhere;
mod fidelity;
mod headers;
mod inputs;
mod leave_out;
mod leaves;
mod naming;
mod others;
mod outcome;
mod people;
mod refusals;
mod repair;
mod replay;
mod rule;
mod rules;
mod stand_ins;
mod together;
mod traffic;
mod usage_report;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use svc_capture::Capture;
use svc_fixtures::contract::Contract;
use svc_fixtures::reading::{Problems, Source};

use crate::engine::call::rules::Rules;
use crate::rehearsal::report_overlaps;
use crate::scenario::{AnswerForm, is_built_in};
use crate::scenario_analysis::{find_contradictions, find_contrary_letters, find_unreachable};

pub use compare::BY_FORM;
pub use fidelity::{EndpointFidelity, Fidelity, ReportedDifference};
pub use people::slug;
pub use traffic::Traffic;
pub use write::{learned_until, people_alone};

use compare::Comparison;
use fidelity::{Reasons, fidelity};
use inputs::{Inexpressible, SeenInput, inputs, note_changes, note_ends};
use others::Whose;
use people::{LearnedPerson, people, subjects};
use repair::LearnedDraft;
use replay::{Replayed, account, replay};
use rule::LearnedRule;
use rules::{Breadth, RuleMaker};
use traffic::Provenance;

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
    /// When its last call was made.
    pub ended: Option<Timestamp>,
    /// The path of the file that is to be written.
    pub path: &'l str,
    /// What there is beside the rules so far.
    pub later: &'l LaterRules,
}

/// The rules that were learned of later calls. What they say of anybody is not known while an earlier capture is learned.
#[derive(Debug, Default)]
pub struct LaterRules {
    /// What they are called.
    pub names: BTreeSet<String>,
    /// The operations of which they say what everybody gets of whom nothing else is said: whoever is seen is spoken of by name
    /// then.
    pub general: BTreeSet<String>,
}

impl LaterRules {
    /// Those of a folder that stand in these files.
    #[must_use]
    pub fn of(folder: &Rules, files: &BTreeSet<String>) -> Self {
        let mut later = LaterRules::default();
        let all = folder.scenarios.all().iter();
        for rule in all.filter(|it| files.contains(&*it.file)) {
            later.names.insert(rule.name.to_string());
            if rule.otherwise {
                let ids = rule.operations.iter();
                let ids = ids.map(|at| folder.contract.operations[*at].id.clone());
                later.general.extend(ids);
            }
        }
        later
    }
}

/// More than this often nothing new is found.
const ROUNDS: usize = 5;

/// So often something is said against the rows.
const INSISTED: usize = 2;

/// So many mistakes, one after the other, are worked around.
const REPAIRS: usize = 24;

/// The calls of a capture. `text` is its file, for the lines.
#[must_use]
pub fn read_capture(contract: &Contract, capture: &Capture, text: &str) -> Traffic {
    let mut traffic = Traffic::of(contract, capture, text);
    stand_ins::uncover_meta(&mut traffic.calls);
    traffic.shared = everywhere::shared(contract, &traffic.calls);
    bundle_steps::unfold(contract, &mut traffic.calls);
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

/// What is known so far.
struct Student<'l> {
    lesson: &'l Lesson<'l>,
    comparison: Comparison<'l>,
    people: Vec<LearnedPerson>,
    inputs: Vec<SeenInput>,
    inexpressible: Inexpressible,
    /// The operations of which nothing general can be said.
    exact: BTreeSet<String>,
    /// The operations of which what everybody gets breaks the contract.
    breaking: BTreeSet<String>,
    breadth: Breadth,
    /// What all answers share that no file says.
    shared: AnswerForm,
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
            exact: lesson.later.general.clone(),
            breaking: BTreeSet::new(),
            breadth: Breadth::Exact,
            shared: everywhere::unsaid(base, traffic.shared.clone()),
            lesson,
        }
    }

    /// Reads rules that have this file behind those of people, and before what was learned earlier and the built-in ones.
    fn read(&self, text: &str) -> Result<Rules, Problems> {
        let base = self.lesson.base;
        let is_behind =
            |it: &Arc<Source>| is_built_in(&it.path) || learned_until(&it.text).is_some();
        let (behind, before): (Vec<_>, Vec<_>) =
            base.sources().iter().cloned().partition(is_behind);
        let learned = Source::new(self.lesson.path, text);
        let files: Vec<Arc<Source>> = before.into_iter().chain([learned]).chain(behind).collect();
        base.with_scenarios_replaced(&files)
    }

    /// Makes rules of what is known and plays the traffic by them. What the reader refuses is not known any more.
    fn attempt(&mut self) -> Tried {
        for round in 0..2 * REPAIRS {
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
                    let path = self.lesson.path;
                    let is_repaired = round < REPAIRS && self.repair(&rules, &text, &problems);
                    if !is_repaired
                        && !self.change(&rules, |draft| draft.forget(path, &text, &problems))
                    {
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
            base: self.lesson.base,
            traffic: self.lesson.traffic,
            people: &self.people,
            whose: Whose::of(&self.people),
            breaking: &self.breaking,
            named: &self.lesson.later.names,
        };
        let rules = maker.rules(&self.inputs, &self.exact, self.breadth);
        let Lesson { capture, ended, .. } = *self.lesson;
        let text = write::file((capture, ended), &self.shared, &self.people, &rules);
        (rules, text)
    }

    fn repair(&mut self, rules: &[LearnedRule], text: &str, problems: &Problems) -> bool {
        let path = self.lesson.path;
        self.change(rules, |draft| draft.repair(path, text, problems))
    }

    fn change(
        &mut self,
        rules: &[LearnedRule],
        change: impl FnOnce(&mut LearnedDraft<'_>) -> bool,
    ) -> bool {
        let mut draft = LearnedDraft {
            contract: &self.lesson.base.contract,
            shared: &mut self.shared,
            people: &mut self.people,
            rules,
            inputs: &mut self.inputs,
            traffic: self.lesson.traffic,
            breaking: &mut self.breaking,
            exact: &mut self.exact,
        };
        change(&mut draft)
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
        let mut gained: BTreeMap<&Provenance, (usize, usize)> = BTreeMap::new();
        for (at, call) in self.lesson.traffic.calls.iter().enumerate() {
            let of = gained.entry(&call.place).or_default();
            *of = (of.0 + before[at], of.1 + after[at]);
        }
        self.people.retain(|person| {
            let own = person.origins.iter().filter_map(|it| gained.get(it));
            let sums = own.fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
            sums.1 < sums.0
        });
    }

    /// Notes how each input ended, then what its answers say, until nothing differs any more that a rule can say.
    fn watch_ends(&mut self) {
        let Lesson { base, traffic, .. } = self.lesson;
        let tried = self.attempt();
        let learned = base
            .sources()
            .iter()
            .filter(|it| learned_until(&it.text).is_some());
        let earlier: Vec<&str> = learned.map(|it| it.path.as_str()).collect();
        self.inexpressible = note_ends(
            &base.contract,
            (traffic, &earlier),
            &tried.replayed,
            &self.comparison,
            &mut self.inputs,
        );
        for input in &mut self.inputs {
            let first = input.lives.values().flatten().min().copied();
            let why = declared::contradicted(base, traffic, input, &earlier);
            if let (Some(first), Some(why)) = (first, why) {
                input.steps.clear();
                self.inexpressible.insert(first, why);
            }
        }
        for _ in 0..INSISTED {
            self.watch_changes();
            let tried = self.attempt();
            if !self.insist(&tried.replayed) {
                break;
            }
        }
    }

    /// Notes what answers say until nothing new is seen.
    fn watch_changes(&mut self) {
        let Lesson { base, traffic, .. } = self.lesson;
        for _ in 0..ROUNDS {
            let tried = self.attempt();
            let changed = note_changes(
                &base.contract,
                traffic,
                &tried.replayed,
                &self.comparison,
                &mut self.inputs,
            );
            if !changed {
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
        let is_empty = self.people.is_empty()
            && tried.rules.is_empty()
            && self.shared == AnswerForm::default();
        Learned {
            text: (!is_empty).then_some(tried.text),
            people: self.people.len(),
            rules: tried.rules.len(),
            fidelity,
        }
    }
}
