//! Rules that can never win, because one before them holds for each of their inputs. Says so only
//! where it is certain; uses the index, so that a hundred thousand rules take no longer than to load.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;
use svc_fixtures::contract::{Contract, Environment, FieldIndex, Operation, OperationIndex};
use svc_fixtures::json::Json;
use svc_fixtures::reading::{Problem, Problems, Source};

use super::implies::implies;
use crate::scenario::index::Candidate;
use crate::scenario::matching::{MatchInput, fields};
use crate::scenario::{
    Condition, LEARNED, Predicate, RequestContext, Scenario, ScenarioIndex, ScenarioSet, Selector,
    folder,
};

/// So many of the rules that no table holds are looked at for each other rule.
const MOST_OTHERS: usize = 256;

/// The rules that never win, each with the one that wins in its place. Who puts a folder before
/// others means to hide what is in them: only rules of one folder, and those in it, are compared.
#[must_use]
pub fn find_unreachable(
    contract: &Contract,
    set: &ScenarioSet,
    sources: &[Arc<Source>],
) -> Problems {
    let by_path = sources.iter().map(|source| (source.path.as_str(), source));
    let by_path: HashMap<&str, &Arc<Source>, FixedState> = by_path.collect();
    let expressions = Expressions::new(set);
    let mut problems = Problems::default();
    for (number, scenario) in set.iter() {
        let Some(winner) = winner(contract, set, &expressions, number) else {
            continue;
        };
        let [own, first] = [scenario, winner].map(|it| by_path.get(&*it.file));
        // What was learned later hides what was learned earlier.
        let is_learned =
            |it: Option<&&Arc<Source>>| it.is_some_and(|it| it.text.starts_with(LEARNED));
        let is_later = scenario.file != winner.file && is_learned(own) && is_learned(first);
        if let Some(source) = own.filter(|_| !is_later) {
            problems.push(problem(source, scenario, winner));
        }
    }
    problems.sorted()
}

fn problem(source: &Arc<Source>, scenario: &Scenario, winner: &Scenario) -> Problem {
    let (name, first) = (&scenario.name, &winner.name);
    let message =
        format!("the rule \"{name}\" never wins: \"{first}\" before it holds for all its inputs");
    let hint = format!(
        "\"{first}\" stands at {}:{}; put the narrower rule first, or take one of them away",
        winner.file, winner.line
    );
    Problem::new(source, source.line_span(scenario.line), message).hint(hint)
}

/// The first rule that wins in the place of this one, for some of its inputs, where others do for
/// all the rest.
fn winner<'s>(
    contract: &Contract,
    set: &'s ScenarioSet,
    expressions: &Expressions,
    index: ScenarioIndex,
) -> Option<&'s Scenario> {
    let rule = set.get(index);
    if rule.operations.is_empty() {
        return None;
    }
    let mut winners = Vec::new();
    for &operation in &rule.operations {
        let row = &contract.operations[operation];
        for part in parts(row, &rule.conditions) {
            let cover = Cover {
                set,
                expressions,
                operation,
                row,
                rule,
                part: &part,
            };
            winners.push(cover.find()?);
        }
    }
    let first = winners.into_iter().min()?;
    Some(set.get(first))
}

/// A rule split into parts: a list of values holds where one of them does, and any identifier where
/// one of them does.
fn parts(row: &Operation, conditions: &[Condition]) -> Vec<Vec<Condition>> {
    let splits = |condition: &Condition| match &condition.predicate {
        Predicate::OneOf(values) => values.len() * fields(&condition.selector, row).len().max(1),
        _ => fields(&condition.selector, row).len(),
    };
    let widest = (0..conditions.len()).max_by_key(|&at| (splits(&conditions[at]), at));
    let Some(at) = widest.filter(|&at| splits(&conditions[at]) > 1) else {
        return vec![conditions.to_vec()];
    };
    let mut rest = conditions[..at].to_vec();
    rest.extend_from_slice(&conditions[at + 1..]);
    let with = |selector: &Selector, predicate: Predicate| {
        let selector = selector.clone();
        let split = Condition {
            selector,
            predicate,
        };
        std::iter::once(split).chain(rest.iter().cloned()).collect()
    };
    let mut subjects: Vec<Selector> = fields(&conditions[at].selector, row)
        .into_iter()
        .map(|field| Selector::Field(row.request[field].name.clone()))
        .collect();
    if subjects.is_empty() {
        subjects.push(conditions[at].selector.clone());
    }
    let of = |selector: &Selector| -> Vec<Vec<Condition>> {
        match &conditions[at].predicate {
            Predicate::OneOf(values) => {
                let one =
                    |value: &Json<'static>| with(selector, Predicate::OneOf(vec![value.clone()]));
                values.iter().map(one).collect()
            }
            predicate => vec![with(selector, predicate.clone())],
        }
    };
    subjects.iter().flat_map(of).collect()
}

/// The search for a rule that holds wherever a part of another one does.
struct Cover<'c> {
    set: &'c ScenarioSet,
    expressions: &'c Expressions,
    operation: OperationIndex,
    row: &'c Operation,
    rule: &'c Scenario,
    part: &'c [Condition],
}

impl Cover<'_> {
    /// The first one. A rule that holds wherever the part does is found by an input of
    /// the part, for that is one of its inputs as well.
    fn find(&self) -> Option<ScenarioIndex> {
        let index = self.set.index(self.operation)?;
        let inputs = self.inputs();
        let field = |at: FieldIndex| inputs.get(&at);
        let input = MatchInput {
            operation: self.operation,
            field: &field,
            context: RequestContext::plain("local", Environment::Test),
        };
        let mut found: Vec<Candidate> = Vec::new();
        index.exact(self.row, &input, &mut found);
        index.patterns(self.row, &input, |_| true, &mut found);
        let found = found.into_iter().map(|candidate| candidate.rule);
        let others = index.others.iter().take(MOST_OTHERS).copied();
        let alike = |condition| self.expressions.rules(self.operation, condition);
        let alike = self.part.iter().flat_map(alike).copied();
        let numbers = found.chain(others).chain(alike);
        numbers.filter(|&number| self.is_covered_by(number)).min()
    }

    /// The texts of an input that the part holds for, as far as the index looks at them.
    fn inputs(&self) -> HashMap<FieldIndex, Json<'static>, FixedState> {
        let mut inputs = HashMap::default();
        for condition in self.part {
            let value = match &condition.predicate {
                Predicate::OneOf(values) => values.first().cloned(),
                Predicate::Contains(text)
                | Predicate::StartsWith(text)
                | Predicate::EndsWith(text) => Some(Json::from(text.clone())),
                Predicate::PathEnds(end) => Some(Json::from(format!("https://host{end}"))),
                Predicate::Query(pair) => Some(Json::from(format!("https://host/?{pair}"))),
                _ => None,
            };
            let first = fields(&condition.selector, self.row).into_iter().next();
            if let (Some(field), Some(value)) = (first, value) {
                inputs.entry(field).or_insert(value);
            }
        }
        inputs
    }

    fn is_covered_by(&self, index: ScenarioIndex) -> bool {
        let earlier = self.set.get(index);
        let holds = |wanted: &Condition| {
            let mut known = self.part.iter();
            known.any(|known| implies(self.row, known, wanted))
        };
        comes_before(earlier, self.rule) && earlier.conditions.iter().all(holds)
    }
}

/// Whether a rule comes before another one, and nobody meant it to hide the other.
pub(super) fn comes_before(earlier: &Scenario, rule: &Scenario) -> bool {
    let (above, below) = (folder(&earlier.file), folder(&rule.file));
    let within = |inner: &str, outer: &str| {
        let rest = inner.strip_prefix(outer);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let stays = !earlier.passes_on();
    stays && earlier.order < rule.order && (within(above, below) || within(below, above))
}

/// The rules that look for each expression, by operation: the index finds no expression by one.
struct Expressions(HashMap<(OperationIndex, String), Vec<ScenarioIndex>, FixedState>);

impl Expressions {
    fn new(set: &ScenarioSet) -> Self {
        let mut rules = HashMap::<_, Vec<ScenarioIndex>, FixedState>::default();
        for (number, rule) in set.iter() {
            for written in rule.conditions.iter().filter_map(written) {
                for &operation in &rule.operations {
                    let rules = rules.entry((operation, written.clone())).or_default();
                    if rules.len() < MOST_OTHERS {
                        rules.push(number);
                    }
                }
            }
        }
        Expressions(rules)
    }

    fn rules(&self, operation: OperationIndex, condition: &Condition) -> &[ScenarioIndex] {
        let rules = written(condition).and_then(|written| self.0.get(&(operation, written)));
        rules.map_or(&[], Vec::as_slice)
    }
}

/// A condition that is an expression, as it is written.
fn written(condition: &Condition) -> Option<String> {
    let is_expression = matches!(condition.predicate, Predicate::Matches(_));
    is_expression.then(|| format!("{condition:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::call::rules::{Files, Rules};
    use crate::engine::state::ids::Seed;

    fn found(files: &[(&str, &str)]) -> String {
        let rules =
            Rules::read(&Files::built_in(), Seed::new("")).expect("the built-in files read");
        let sources = files.iter().map(|(path, text)| Source::new(*path, *text));
        let sources: Vec<_> = sources.chain(rules.sources().iter().cloned()).collect();
        let rules = rules
            .with_scenarios_replaced(&sources)
            .unwrap_or_else(|found| panic!("{found}"));
        find_unreachable(&rules.contract, &rules.scenarios, &sources).to_string()
    }

    /// A file of rules for one operation, called by their number, with these conditions.
    fn rules(whens: &[&str]) -> String {
        let rule = |(number, when): (usize, &&str)| {
            format!(
                "[[scenario]]\nname = \"{number}\"\noperation = \"screen.court-records\"\n\
                 when = {{ {when} }}\nthen = {{ success = {{}} }}\n"
            )
        };
        whens.iter().enumerate().map(rule).collect()
    }

    /// Whether the last of these rules never wins.
    fn is_unreachable(whens: &[&str]) -> bool {
        let last = format!("the rule \"{}\" never wins", whens.len() - 1);
        found(&[("mine/a.toml", &rules(whens))]).contains(&last)
    }

    #[test]
    fn a_rule_behind_a_wider_one_is_shown_with_it() {
        let text = rules(&["city = \"PUNE\"", "name = \"ASHA RAO\", city = \"Pune\""]);
        insta::assert_snapshot!(found(&[("mine/a.toml", &text)]), @r#"
        error: the rule "1" never wins: "0" before it holds for all its inputs
         --> mine/a.toml:6:1
          |
        6 | [[scenario]]
          | ^^^^^^^^^^^^
          |
          = help: "0" stands at mine/a.toml:1; put the narrower rule first, or take one of them away

        1 mistake found
        "#);
    }

    #[test]
    fn what_an_earlier_rule_holds_for_is_unreachable() {
        for whens in [
            &["", "name = \"A\""][..],
            &["name = \"asha  rao\"", "name = \"ASHA RAO\""],
            &["name = \"A\"", "city = \"P\"", "name = \"A\", city = \"P\""],
            &["name = \"A\"", "name = \"B\"", "name = [\"A\", \"B\"]"],
            &["any_identifier = \"A\"", "name = \"A\""],
            &["name = \"A\"", "any_identifier = \"A\", city = \"P\""],
            &["name = { contains = \"SH\" }", "name = \"ASHA\""],
            &[
                "name = { contains = \"SH\" }",
                "name = { starts_with = \"ASHA\" }",
            ],
            &[
                "name = { starts_with = \"A\" }",
                "name = { starts_with = \"AS\" }",
            ],
            &[
                "name = { ends_with = \"A\" }",
                "name = { ends_with = \"HA\" }",
            ],
            &["name = { matches = \"^A\" }", "name = \"ASHA\""],
            &[
                "name = { matches = \"^A\" }",
                "name = { matches = \"^A\" }, city = \"P\"",
            ],
            &["name = { present = true }", "name = { contains = \"A\" }"],
            &[
                "state = { present = false }",
                "name = \"A\", state = { present = false }",
            ],
            &["account = \"a\"", "account = \"a\", name = \"A\""],
            &[
                "account = { starts_with = \"lo\" }",
                "account = [\"local\", \"local_b\"]",
            ],
            &[
                "environment = \"live\"",
                "environment = \"live\", account = \"a\"",
            ],
            &[
                "header.\"X-Reference-Id\" = { contains = \"b\" }",
                "header.\"x-reference-id\" = { ends_with = \"abc\" }",
            ],
        ] {
            assert!(is_unreachable(whens), "{whens:?}");
        }
    }

    #[test]
    fn what_no_earlier_rule_holds_for_alone_is_not_reported() {
        for whens in [
            &["name = \"A\", city = \"P\"", "name = \"A\""][..],
            &["name = \"A\"", "name = [\"A\", \"B\"]"],
            &["name = \"A\"", "father_name = \"A\""],
            &["state = \"ka\"", "state = \"KA\""],
            &[
                "name = { starts_with = \"SH\" }",
                "name = { contains = \"SH\" }",
            ],
            &[
                "name = { contains = \"ASHA\" }",
                "name = { contains = \"SH\" }",
            ],
            &[
                "name = { matches = \"^A\" }",
                "name = { starts_with = \"A\" }",
            ],
            &["state = { present = false }", "name = \"A\""],
            &["account = \"a\"", "account = [\"a\", \"b\"]"],
            &["account = \"A\"", "account = \"a\""],
            &[
                "header.\"X-Reference-Id\" = \"a\"",
                "header.\"Idempotency-Key\" = \"a\"",
            ],
        ] {
            assert!(!is_unreachable(whens), "{whens:?}");
        }
    }

    #[test]
    fn a_rule_that_ends_after_some_calls_hides_none() {
        let text = rules(&["name = \"A\"", "name = \"A\""]);
        let ending = text.replacen(
            "{ success = {} }",
            "{ success = {} }\nfall_through = true",
            1,
        );
        assert_eq!(found(&[("mine/a.toml", &ending)]), "0 mistakes found");
    }

    /// Whether the second of two rules for an operation never wins.
    fn is_hidden(operation: &str, first: &str, second: &str) -> bool {
        let text = rules(&[first, second]).replace("screen.court-records", operation);
        found(&[("mine/a.toml", &text)]).contains("the rule \"1\" never wins")
    }

    #[test]
    fn what_stands_inside_a_field_is_compared_by_its_place() {
        let operation = "verify.financial.credit-report";
        let starts = "\"consentArtifact.ip\" = { starts_with = \"10.\" }";
        let is = "\"consentArtifact.ip\" = \"10.0.0.1\"";
        assert!(is_hidden(operation, starts, is));
        assert!(!is_hidden(operation, is, starts));
        let other = "\"consentArtifact.timestamp\" = { starts_with = \"10.\" }";
        assert!(!is_hidden(operation, other, is));
    }

    #[test]
    fn a_range_within_another_one_is_unreachable_to_its_bounds() {
        for (first, second, hidden) in [
            ("at_least = 1", "above = 1, at_most = 5", true),
            ("above = 1, below = 9", "at_least = 1.5, at_most = 8", true),
            (
                "at_least = 1, at_most = 5",
                "at_least = 1, at_most = 5",
                true,
            ),
            ("present = true", "below = 5", true),
            ("above = 1", "at_least = 1", false),
            ("below = 5", "at_most = 5", false),
            ("at_least = 1, at_most = 5", "at_least = 2", false),
        ] {
            let when = |range: &str| format!("uan = {{ {range} }}");
            let found = is_hidden("verify.employment.uan", &when(first), &when(second));
            assert_eq!(found, hidden, "{first} before {second}");
        }
    }

    #[test]
    fn what_a_folder_before_others_hides_is_no_mistake() {
        let hides = "[[scenario]]\nname = \"all\"\noperation = \"*\"\nthen = { success = {} }\n";
        let one = rules(&["name = \"A\""]);
        assert_eq!(found(&[("mine/a.toml", hides)]), "0 mistakes found");
        let (mine, other) = (("mine/a.toml", hides), ("theirs/a.toml", one.as_str()));
        assert_eq!(found(&[mine, other]), "0 mistakes found");
        for path in ["mine/b.toml", "mine/below/a.toml"] {
            let text = found(&[("mine/a.toml", hides), (path, &one)]);
            assert!(text.contains("1 mistake found"), "{text}");
        }
    }
}
