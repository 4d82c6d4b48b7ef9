//! What the reader of scenario files says of what was learned: a thing that it refuses is not said, or said with the words
//! that it asks for.

use std::collections::{BTreeMap, BTreeSet};

use svc_fixtures::contract::Contract;
use svc_fixtures::reading::{Problem, Problems};

use super::inputs::SeenInput;
use super::people::LearnedPerson;
use super::rule::LearnedRule;
use super::traffic::{Provenance, Traffic};
use crate::scenario::AnswerForm;

/// The word that lets an answer lose its form.
const BREAKS: &str = "breaks_contract";

/// What is said of a member that no row has begins so: with that word it may be there.
const UNKNOWN: &str = "the answer's member";

/// By exchange the inputs that it is a call of.
type ByCall<'c> = BTreeMap<&'c Provenance, BTreeSet<usize>>;

/// A place of the file: which person or rule it belongs to.
#[derive(Debug, Clone, Copy)]
enum Item {
    Answers,
    Person(usize),
    Rule(usize),
}

/// What was learned, to be changed.
pub(super) struct LearnedDraft<'d> {
    /// The operations.
    pub(super) contract: &'d Contract,
    /// What all answers share.
    pub(super) shared: &'d mut AnswerForm,
    /// The people, as they stand in the file.
    pub(super) people: &'d mut Vec<LearnedPerson>,
    /// The rules, as they stand in the file.
    pub(super) rules: &'d [LearnedRule],
    /// What the rules were made from.
    pub(super) inputs: &'d mut [SeenInput],
    /// The calls.
    pub(super) traffic: &'d Traffic,
    /// The operations of which what everybody gets breaks the contract.
    pub(super) breaking: &'d mut BTreeSet<String>,
    /// The operations of which nothing can be said for everybody.
    pub(super) exact: &'d mut BTreeSet<String>,
}

/// The file as it was written: its lines, and what each belongs to.
struct Written<'t> {
    lines: Vec<&'t str>,
    items: Vec<Option<Item>>,
}

impl<'d> LearnedDraft<'d> {
    /// Changes what these problems are about. Whether there was something to change.
    pub(super) fn repair(&mut self, path: &str, text: &str, problems: &Problems) -> bool {
        let own = problems.iter().filter(|problem| problem.path() == path);
        let written = Written::of(text);
        let by_call = self.by_call();
        let mut gone = Vec::new();
        let mut any = false;
        // With the word that lets an answer lose its form a rule is read otherwise: it is said once, and first.
        let mut told = BTreeSet::new();
        let (asking, others): (Vec<&Problem>, Vec<&Problem>) = own.partition(|it| asks_for_it(it));
        for problem in asking.into_iter().chain(others) {
            match written.item(problem.line()) {
                Some(Item::Answers) => any |= self.forget_shared(),
                Some(Item::Person(at)) => any |= self.person(at, &written, problem, &mut gone),
                Some(Item::Rule(at)) if asks_for_it(problem) && told.insert(at) => {
                    any |= self.rule((at, &by_call), &written, problem);
                }
                Some(Item::Rule(at)) if !told.contains(&at) => {
                    any |= self.rule((at, &by_call), &written, problem);
                }
                _ => {}
            }
        }
        gone.sort_unstable();
        gone.dedup();
        for at in gone.into_iter().rev() {
            self.people.remove(at);
        }
        any
    }

    fn person(
        &mut self,
        at: usize,
        written: &Written<'_>,
        problem: &Problem,
        gone: &mut Vec<usize>,
    ) -> bool {
        let Some(person) = self.people.get_mut(at) else {
            return false;
        };
        // Letters that say something else in two places say so once.
        if problem.hinted().is_some_and(|hint| hint.contains(BREAKS)) {
            person.breaks_contract = true;
            return true;
        }
        let line = written.line(problem.line());
        let key = line
            .split(" =")
            .next()
            .unwrap_or_default()
            .trim_matches('"');
        if person.said.remove(key).is_none()
            && (person.asked.remove(key).is_none() || person.asked.is_empty())
        {
            gone.push(at);
        }
        true
    }

    fn rule(
        &mut self,
        (at, by_call): (usize, &ByCall<'_>),
        written: &Written<'_>,
        problem: &Problem,
    ) -> bool {
        let Some(rule) = self.rules.get(at) else {
            return false;
        };
        let message = problem.message();
        let asks_for_it = asks_for_it(problem);
        let keeps = message.contains("keeps the contract");
        if rule.otherwise && rule.when.is_empty() {
            // It is said once more with the word that is asked for, or each of its inputs has a rule.
            let operation = &rule.operation;
            if asks_for_it && !keeps && self.breaking.insert(operation.clone())
                || self.exact.insert(operation.clone())
            {
                return true;
            }
        }
        let place = token(written.line(problem.line()), problem.column());
        let nth = written.nth_outcome(problem.line());
        let mut any = false;
        for number in self.meant(rule, by_call) {
            let input = &mut self.inputs[number];
            // Of several answers one may break the contract and another keep it.
            let nth = nth.filter(|_| input.steps.len() == rule.then.len());
            let steps = input.steps.iter_mut().enumerate();
            let meant = steps.filter(|(at, _)| nth.is_none_or(|nth| nth == *at));
            for changes in meant.filter_map(|(_, step)| step.changes_mut()) {
                if asks_for_it && !keeps && !changes.breaks_contract {
                    changes.breaks_contract = true;
                    any = true;
                } else if keeps && changes.breaks_contract {
                    changes.breaks_contract = false;
                    any = true;
                } else if changes.edits.remove(&place).is_some() {
                    changes.breaks_contract &= !changes.edits.is_empty();
                    input.refused.insert(place.clone(), message.to_owned());
                    any = true;
                }
            }
        }
        if any {
            return true;
        }
        self.forget_rule((at, by_call), message)
    }

    /// Says nothing any more of what these problems are about. Whether there was something.
    pub(super) fn forget(&mut self, path: &str, text: &str, problems: &Problems) -> bool {
        let (mut gone, mut any) = (BTreeSet::new(), false);
        let (written, by_call) = (Written::of(text), self.by_call());
        for problem in problems.iter().filter(|problem| problem.path() == path) {
            match written.item(problem.line()) {
                Some(Item::Answers) => any |= self.forget_shared(),
                Some(Item::Person(at)) => any |= gone.insert(at),
                Some(Item::Rule(at)) => {
                    any |= self.forget_rule((at, &by_call), problem.message());
                }
                None => {}
            }
        }
        for at in gone.into_iter().rev() {
            self.people.remove(at);
        }
        any
    }

    /// What all answers share, and no reader takes, is not said.
    fn forget_shared(&mut self) -> bool {
        std::mem::take(self.shared) != AnswerForm::default()
    }

    /// What nothing else can be said of is not said.
    fn forget_rule(&mut self, (at, by_call): (usize, &ByCall<'_>), message: &str) -> bool {
        let Some(rule) = self.rules.get(at) else {
            return false;
        };
        let mut any = rule.otherwise && self.exact.insert(rule.operation.clone());
        for number in self.meant(rule, by_call) {
            let input = &mut self.inputs[number];
            input.steps.clear();
            input.refused.insert(String::new(), message.to_owned());
            any = true;
        }
        any
    }

    /// Which inputs each exchange is a call of: the steps of a bundle stand where the bundle does, and are of several
    /// operations.
    fn by_call(&self) -> ByCall<'d> {
        let mut by_call = ByCall::new();
        for (number, input) in self.inputs.iter().enumerate() {
            for at in input.lives.values().flatten() {
                let place = &self.traffic.calls[*at].place;
                by_call.entry(place).or_default().insert(number);
            }
        }
        by_call
    }

    /// The inputs of which something is said that a rule was made from.
    fn meant(&self, rule: &LearnedRule, by_call: &ByCall<'_>) -> BTreeSet<usize> {
        let inputs = rule.origins.iter().filter_map(|place| by_call.get(place));
        let is_of = |number: &usize| {
            let input = &self.inputs[*number];
            let operation = &self.contract.operations[input.operation];
            !input.steps.is_empty() && operation.id == rule.operation
        };
        inputs.flatten().copied().filter(is_of).collect()
    }
}

/// Whether the reader asks for the word that lets an answer lose its form.
fn asks_for_it(problem: &Problem) -> bool {
    problem.hinted().is_some_and(|hint| hint.contains(BREAKS))
        || problem.message().starts_with(UNKNOWN)
}

impl<'t> Written<'t> {
    fn of(text: &'t str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let (mut people, mut rules, mut found) = (0, 0, None);
        let belongs = lines.iter().map(|line| {
            if *line == "[[scenario]]" {
                found = Some(Item::Rule(rules));
                rules += 1;
            } else if *line == "[answers]" || line.starts_with("[answers.") {
                found = Some(Item::Answers);
            } else if line.starts_with('[') && line.ends_with(']') && line.contains('.') {
                found = Some(Item::Person(people));
                people += 1;
            }
            found
        });
        Written {
            items: belongs.collect(),
            lines,
        }
    }

    /// A line, of which the first is 1.
    fn line(&self, number: usize) -> &'t str {
        let at = number.checked_sub(1);
        at.and_then(|at| self.lines.get(at))
            .copied()
            .unwrap_or_default()
    }

    /// What a line belongs to.
    fn item(&self, number: usize) -> Option<Item> {
        self.items.get(number.checked_sub(1)?).copied().flatten()
    }

    /// Which of the answers of a rule that gives several a line says.
    fn nth_outcome(&self, number: usize) -> Option<usize> {
        let before = self.lines.get(..number)?;
        let begins = before.iter().rposition(|line| !line.starts_with("  "))?;
        let nth = (before.len() - 1).checked_sub(begins + 1)?;
        (before[begins] == "then = [").then_some(nth)
    }
}

/// The path of a change that a problem stands at, in its line: the key or the text there, or the key of the value.
fn token(line: &str, column: usize) -> String {
    let column = column - 1;
    let before: String = line.chars().take(column).collect();
    if let Some(key) = before.trim_end().strip_suffix('=') {
        let key = key.trim_end();
        return match key.strip_suffix('"') {
            Some(key) => opened(key),
            None => key
                .rsplit([' ', '.', '{', ','])
                .next()
                .unwrap_or_default()
                .to_owned(),
        };
    }
    let from: String = line.chars().skip(column).collect();
    let from = from.strip_prefix("then.success.").unwrap_or(&from);
    match from.strip_prefix('"') {
        Some(quoted) => closed(quoted),
        None => {
            let is_bare = |c: &char| c.is_ascii_alphanumeric() || "_-".contains(*c);
            from.chars().take_while(is_bare).collect()
        }
    }
}

/// The text in quotes that ends here, its closing quote taken off.
fn opened(text: &str) -> String {
    let quotes = text.rmatch_indices('"').map(|(at, _)| at);
    let mut open = quotes.filter(|at| !text[..*at].ends_with('\\'));
    plain(open.next().map_or(text, |at| &text[at + 1..]))
}

/// The text in quotes that begins here, its opening quote taken off.
fn closed(text: &str) -> String {
    let mut quotes = text.match_indices('"').map(|(at, _)| at);
    let close = quotes.find(|at| !text[..*at].ends_with('\\'));
    plain(&text[..close.unwrap_or(text.len())])
}

/// A text of the file as it is meant.
fn plain(written: &str) -> String {
    let read: Result<String, _> = serde_json::from_str(&format!("\"{written}\""));
    read.unwrap_or_else(|_| written.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_answers_the_line_says_which_and_of_one_none() {
        let several = "[[scenario]]\nthen = [\n  { success = {} },\n  { wire = \"reset\" },\n]\n";
        let of_line = |text, line| Written::of(text).nth_outcome(line);
        assert_eq!(of_line(several, 2), None);
        assert_eq!(of_line(several, 3), Some(0));
        assert_eq!(of_line(several, 4), Some(1));
        let one = "[[scenario]]\nthen.success.items = [\n  { name = \"A\" },\n]\n";
        assert_eq!(of_line(one, 3), None);
    }
}
