//! Built-in rules that speak of what rows laid over the built-in ones no longer have: they are left out, so that a
//! provider can be followed that dropped a member. Rules of other people are theirs to mend.

use svc_fixtures::contract::Contract;
use svc_fixtures::reading::{Problem, Source};
use svc_fixtures::template::Answers;

use super::embedded;
use super::read::read_scenarios;

/// Leaves out of the built-in scenario files what does not go with these rows, and says what that was. To be called
/// before anybody reads them; once in a process.
#[must_use]
pub fn leave_out_unfit(contract: &Contract, answers: &Answers) -> Vec<Problem> {
    let mut sources = embedded::built_in();
    let mut left_out = Vec::new();
    // What is left may be at odds only with what was left out.
    while let Err(problems) = read_scenarios(contract, answers, &sources) {
        let before = left_out.len();
        for problem in problems.iter() {
            let file = sources.iter_mut().find(|file| file.path == problem.path());
            let Some(file) = file else { continue };
            if let Some(text) = without_rule(&file.text, problem.line()) {
                *file = Source::new(file.path.clone(), text);
                left_out.push(problem.clone());
            }
        }
        // What stands in no rule is said by whoever reads them.
        if left_out.len() == before {
            return Vec::new();
        }
    }
    if !left_out.is_empty() {
        embedded::read_instead(sources);
    }
    left_out
}

/// The text with blank lines in the place of the rule that has this line, and of what is expected of the person or company
/// that it stands with. None where the line is in no rule, or in one that is blank already.
fn without_rule(text: &str, line: usize) -> Option<String> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    let at = line.checked_sub(1).filter(|at| *at < lines.len())?;
    if lines[at].trim().is_empty() {
        return None;
    }
    let first = (0..=at).rev().find(|at| block(lines[*at]).is_some())?;
    if block(lines[first]) != Some(Block::Rule) {
        return None;
    }
    let whose = |at: &usize| block(lines[*at]) == Some(Block::Declared);
    let section = (0..first).rev().find(whose).unwrap_or(0)
        ..(first..lines.len()).find(whose).unwrap_or(lines.len());
    let mut inside = None;
    for (at, line) in lines
        .iter_mut()
        .enumerate()
        .take(section.end)
        .skip(section.start)
    {
        inside = block(line).map(|block| (block, at)).or(inside);
        let gone = match inside {
            Some((Block::Rule, begin)) => begin == first,
            Some((Block::Expected, _)) => true,
            _ => false,
        };
        if gone {
            *line = "";
        }
    }
    Some(lines.join("\n"))
}

/// What begins on a line of a scenario file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    Rule,
    Expected,
    /// A person, a company.
    Declared,
}

fn block(line: &str) -> Option<Block> {
    match line {
        "[[scenario]]" => Some(Block::Rule),
        "[[expect]]" => Some(Block::Expected),
        inner if inner.starts_with("[scenario.") || inner.starts_with("[expect.") => None,
        other => other.starts_with('[').then_some(Block::Declared),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "[person.a]\nname = \"A\"\n\n[[scenario]]\nname = \"one\"\nthen = 1\n\n[[expect]]\nname = \"it\"\n\
                        \n[[scenario]]\nname = \"two\"\n\n[person.b]\n[[expect]]\nname = \"b\"\n";

    #[test]
    fn a_rule_goes_with_what_is_expected_and_every_other_line_stays_where_it_is() {
        let without = without_rule(FILE, 6).unwrap();
        assert_eq!(without.lines().count(), FILE.lines().count());
        let left: Vec<_> = without.lines().filter(|line| !line.is_empty()).collect();
        let two = ["[[scenario]]", "name = \"two\""];
        let other = ["[person.b]", "[[expect]]", "name = \"b\""];
        let person = ["[person.a]", "name = \"A\""];
        assert_eq!(left, [&person[..], &two, &other].concat());
        assert_eq!(without_rule(&without, 6), None, "it is gone already");
        assert_eq!(without_rule(FILE, 2), None, "this is no rule");
    }
}
