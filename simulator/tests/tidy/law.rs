//! From law to line: what follows a rule of the service names it in its comment, as `ruling 24`,
//! `rulings 18 to 20` or `clause auth.bad-key`, so that the code of a rule is found by searching for it. The clauses are the
//! rows of `fixtures/contract/clauses.toml`, the rulings are those that the rows are named after.

use std::collections::BTreeSet;

use svc_fixtures::contract::Contract;

use super::File;
use super::source::{Item, Kind};

/// Where rules are followed: in code, and in the comments of rows.
const CODE: [&str; 4] = [
    "fixtures/src/",
    "simulator/core/src/",
    "simulator/server/src/",
    "simulator/src/",
];
const ROWS: [&str; 2] = ["fixtures/contract", "scenarios"];

/// Whose every method that `run` calls on itself is a stage.
const PIPELINE: &str = "CallPipeline";

/// Whose every variant follows a rule.
const ENUMS: [&str; 2] = ["Change", "Rejection"];

/// How the name of a limit begins, and where a limit bounds what others send.
const LIMIT: &str = "MAX_";
const LIMITS: [&str; 6] = [
    "fixtures/src/json",
    "simulator/core/src/engine/call/",
    "simulator/core/src/engine/state/",
    "simulator/server/src/host/transport/",
    "simulator/server/src/http/",
    "simulator/src/http/",
];

/// What a limit says that no rule speaks of.
const OURS: &str = "No clause";

/// Rulings that no code follows yet. The list may only shrink.
const NOT_BUILT: [u8; 0] = [];

/// Which rules there are.
struct Law {
    clauses: BTreeSet<String>,
    rulings: BTreeSet<u8>,
}

impl Law {
    fn of(ids: impl Iterator<Item = String>) -> Self {
        let clauses: BTreeSet<String> = ids.collect();
        let number = |id: &String| {
            let (number, _) = id.strip_prefix("ruling.")?.split_once('-')?;
            number.parse().ok()
        };
        let rulings = clauses.iter().filter_map(number).collect();
        Law { clauses, rulings }
    }
}

/// What a comment cites: rulings by number, clauses by id.
#[derive(Debug, Default, PartialEq)]
struct Cited {
    rulings: Vec<u8>,
    clauses: Vec<String>,
}

fn cited(comment: &str) -> Cited {
    let mut cited = Cited::default();
    let words = comment.split_whitespace();
    let mut words = words
        .map(|word| word.trim_start_matches(['(', '`']))
        .peekable();
    while let Some(word) = words.next() {
        match word.to_lowercase().as_str() {
            "ruling" | "rulings" => {
                let (mut last, mut is_range) = (0, false);
                while let Some(word) = words.peek() {
                    match (bare(word).parse::<u8>(), *word) {
                        (Ok(ruling), _) if is_range => cited.rulings.extend(last + 1..=ruling),
                        (Ok(ruling), _) => cited.rulings.push(ruling),
                        (Err(_), "and" | "to") if !cited.rulings.is_empty() => {}
                        (Err(_), _) => break,
                    }
                    is_range = *word == "to";
                    last = cited.rulings.last().copied().unwrap_or(last);
                    let goes_on = !word.ends_with([')', '.', ';', ':']);
                    words.next();
                    if !goes_on {
                        break;
                    }
                }
            }
            "clause" => {
                let next = words.peek().map(|next| bare(next));
                cited
                    .clauses
                    .extend(next.filter(|next| next.contains('.')).map(str::to_owned));
            }
            _ => {}
        }
    }
    cited
}

/// A word without what follows it in a sentence.
fn bare(word: &str) -> &str {
    word.trim_end_matches([',', '.', ')', ';', ':', '`'])
}

/// The comments of a file, without the mark that begins each line.
fn comments(text: &str, mark: &str) -> String {
    let comment = |line: &str| {
        let comment = line.trim_start().strip_prefix(mark)?;
        Some(comment.trim_start_matches(['/', '!']).to_owned())
    };
    let comments: Vec<String> = text.lines().filter_map(comment).collect();
    comments.join(" ")
}

/// The items that must cite: stages, variants and limits.
fn bound<'f>(files: &[&'f File]) -> Vec<(&'f str, &'f Item)> {
    let items = || {
        files
            .iter()
            .flat_map(|file| file.source.items.iter().map(|it| (file.path.as_str(), it)))
    };
    let run =
        items().find(|(_, it)| it.kind == Kind::Method && it.of == PIPELINE && it.name == "run");
    let stages = run.map(|(_, run)| run.calls.as_slice()).unwrap_or_default();
    items()
        .filter(|(path, it)| match it.kind {
            Kind::Method => it.of == PIPELINE && stages.contains(&it.name),
            Kind::Type => false,
            Kind::Variant => ENUMS.contains(&it.of.as_str()),
            Kind::Constant => {
                it.name.starts_with(LIMIT) && LIMITS.iter().any(|place| path.starts_with(place))
            }
        })
        .collect()
}

fn found(files: &[&File], rows: &[(String, String)], law: &Law, not_built: &[u8]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (path, item) in bound(files) {
        let cited = cited(&item.docs);
        let is_ours = item.kind == Kind::Constant && item.docs.contains(OURS);
        if cited == Cited::default() && !is_ours {
            wrong.push(format!(
                "{path}:{} {} names no ruling and no clause",
                item.line, item.name
            ));
        }
    }
    let mut followed = BTreeSet::new();
    let code = files
        .iter()
        .map(|file| (&file.path, comments(&file.text, "//")));
    let rows = rows.iter().map(|(path, text)| (path, comments(text, "#")));
    for (path, comments) in code.chain(rows) {
        let cited = cited(&comments);
        for ruling in &cited.rulings {
            if !law.rulings.contains(ruling) {
                wrong.push(format!("{path}: there is no ruling {ruling}"));
            }
        }
        for clause in &cited.clauses {
            if !law.clauses.contains(clause) {
                wrong.push(format!("{path}: there is no clause {clause}"));
            }
        }
        followed.extend(cited.rulings);
    }
    for ruling in &law.rulings {
        match (followed.contains(ruling), not_built.contains(ruling)) {
            (false, false) => wrong.push(format!("no comment names ruling {ruling}")),
            (true, true) => wrong.push(format!("dead entry: ruling {ruling} is followed")),
            _ => {}
        }
    }
    wrong
}

#[test]
fn what_follows_a_rule_names_it() {
    let contract = Contract::built_in();
    let law = Law::of(contract.clauses.into_iter().map(|clause| clause.id));
    assert_eq!(law.rulings, (1..=40).collect());
    let is_code = |file: &&File| CODE.iter().any(|folder| file.path.starts_with(folder));
    let files: Vec<&File> = super::rust().iter().filter(is_code).collect();
    let rows = ROWS.iter();
    let rows: Vec<(String, String)> = rows
        .flat_map(|folder| super::files(&super::root().join(folder), "toml"))
        // It says what the rules are.
        .filter(|(path, _)| !path.ends_with("/clauses.toml"))
        .collect();
    let all = bound(&files);
    assert!(
        all.iter().any(|(_, it)| it.kind == Kind::Method),
        "{PIPELINE} has no `run` any more"
    );
    for name in ENUMS {
        assert!(
            all.iter().any(|(_, it)| it.of == name),
            "there is no {name} any more"
        );
    }
    super::none("from law to line", found(&files, &rows, &law, &NOT_BUILT));
}

#[cfg(test)]
mod tests {
    use super::{Cited, Law, cited, found};
    use crate::File;

    fn planted(text: &str) -> File {
        File {
            path: "simulator/src/http/f".to_owned(),
            text: text.to_owned(),
            source: crate::source::read(text),
        }
    }

    fn law() -> Law {
        Law::of(
            ["auth.bad-key", "ruling.01-a", "ruling.01-b", "ruling.02-c"]
                .map(str::to_owned)
                .into_iter(),
        )
    }

    #[test]
    fn rulings_and_clauses_are_read_from_prose() {
        let cases: [(&str, &[u8], &[&str]); 6] = [
            (
                "as told (ruling 24, clause auth.bad-key); Ruling 3.",
                &[24, 3],
                &["auth.bad-key"],
            ),
            ("rulings 18 to 20", &[18, 19, 20], &[]),
            ("(rulings 1, 3 and\n5) and 7", &[1, 3, 5], &[]),
            ("(ruling 11); 12 of them", &[11], &[]),
            ("by `ruling 4` and clause `a.b`.", &[4], &["a.b"]),
            (
                "No clause speaks of it, nor does a ruling. Clause by clause",
                &[],
                &[],
            ),
        ];
        for (text, rulings, clauses) in cases {
            let Cited {
                rulings: found,
                clauses: ids,
            } = cited(text);
            assert_eq!(
                (found.as_slice(), ids),
                (rulings, clauses.iter().map(|id| (*id).to_owned()).collect()),
                "{text}"
            );
        }
    }

    #[test]
    fn a_stage_a_variant_and_a_limit_without_a_rule_are_found() {
        let file = planted(
            "impl CallPipeline {\n/// All.\nfn run(&mut self) { self.first(); other(self.second()?); }\n}\n\
             impl<'a> CallPipeline<'a> {\n/// One (ruling 1).\nfn first(&self) {}\n/// Two.\nfn second(&self) {}\nfn third() {}\n}\n\
             enum Rejection {\n/// A (clause auth.bad-key).\nA,\nB,\n}\n\
             /// Ruling 2.\nconst MAX_A: u8 = 1;\n/// No clause says so.\nconst MAX_B: u8 = 1;\n/// Much.\nconst MAX_C: u8 = 1;\nconst D: u8 = 1;",
        );
        assert_eq!(
            found(&[&file], &[], &law(), &[]),
            [
                "simulator/src/http/f:9 second names no ruling and no clause",
                "simulator/src/http/f:15 B names no ruling and no clause",
                "simulator/src/http/f:22 MAX_C names no ruling and no clause",
            ]
        );
    }

    #[test]
    fn what_does_not_exist_and_what_nobody_follows_is_found() {
        let file = planted(
            "//! Ruling 3, clause auth.good-key.\nfn f() {\n    // See ruling\n    // 1.\n}",
        );
        let rows = [("r".to_owned(), "# clause b.c\na = 'ruling 9'".to_owned())];
        assert_eq!(
            found(&[&file], &rows, &law(), &[1]),
            [
                "simulator/src/http/f: there is no ruling 3",
                "simulator/src/http/f: there is no clause auth.good-key",
                "r: there is no clause b.c",
                "dead entry: ruling 1 is followed",
                "no comment names ruling 2",
            ]
        );
    }
}
