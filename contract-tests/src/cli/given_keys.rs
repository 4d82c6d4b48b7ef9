//! The file of `--keys`, `--left-keys` and `--right-keys`: keys that a provider gave beside the run's own, by what is the matter with each.

use std::collections::BTreeMap;
use std::path::Path;

use svc_fixtures::contract::Environment;
use svc_fixtures::reading::{Problems, Source, Table};

use super::exit::CommandError;
use crate::capture::KeyKind;
use crate::redact::{Redactor, Secret};

/// Keys by environment and by what is the matter with them.
type GivenKeys = BTreeMap<(Environment, KeyKind), Secret>;

/// The tables of the file.
const TABLES: [(Environment, &str); 2] =
    [(Environment::Test, "sandbox"), (Environment::Live, "live")];

/// Reads the file that this flag names.
pub(super) fn read(flag: &str, path: &Path) -> Result<GivenKeys, CommandError> {
    let shown = path.display().to_string();
    let text = std::fs::read_to_string(path);
    let read = text.map_err(|error| format!(" {shown}: {error}"));
    let read = read.and_then(|text| of_text(&shown, &text));
    read.map_err(|why| CommandError::usage(format!("{flag}{why}\nNothing was sent")))
}

fn of_text(shown: &str, text: &str) -> Result<GivenKeys, String> {
    // What is told of a mistake shows its line: no key is in that.
    let discreet = Redactor::of([]).text(text);
    named(shown, &discreet).map_err(|problems| format!("\n{problems}"))?;
    let named = named(shown, text).map_err(|_| format!(" {shown}: is no such file"))?;
    let key = |((environment, kind), value): ((Environment, KeyKind), String)| {
        let key = match value.strip_prefix('$') {
            Some(name) => variable(name).ok_or_else(|| format!("the variable {name} is not set")),
            None => Ok(value),
        };
        let prefix = environment.key_prefix();
        let is_key = |key: &String| {
            let rest = key.strip_prefix(prefix).unwrap_or_default();
            !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_graphic())
        };
        let key = key.and_then(|key| match is_key(&key) {
            true => Ok(key),
            false => Err(format!("must begin with {prefix}")),
        });
        let tables = TABLES.iter().find(|(at, _)| *at == environment);
        let table = tables.map_or("", |(_, table)| table);
        let key = key.map_err(|why| format!(" {shown}: {table}.{}: {why}", kind.name()))?;
        Ok(((environment, kind), Secret::new(key)))
    };
    match named.is_empty() {
        true => Err(format!(
            " {shown}: there is no key here: below [sandbox], `revoked = \"…\"` is one"
        )),
        false => named.into_iter().map(key).collect(),
    }
}

/// The file may name variables, so that it can be shown to everybody.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// What the file says.
fn named(path: &str, text: &str) -> Result<BTreeMap<(Environment, KeyKind), String>, Problems> {
    let source = Source::new(path, text);
    let (found, problems) = Table::of_source(&source, |root| {
        let mut found = BTreeMap::new();
        for (environment, name) in TABLES {
            let table = root.optional(name).and_then(|item| item.table());
            let Some(table) = table else { continue };
            for (kind, name) in KeyKind::ALL {
                let key = table.optional(name).and_then(|item| item.text());
                found.extend(key.map(|key| ((environment, kind), key.to_owned())));
            }
            table.done();
        }
        root.done();
        found
    });
    problems.or(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        match of_text("keys.toml", text) {
            Ok(keys) => format!("{:?}", keys.keys().collect::<Vec<_>>()),
            Err(why) => why.trim_start().to_owned(),
        }
    }

    #[test]
    fn keys_are_read_by_environment_and_kind() {
        let text = "[sandbox]\nrevoked = \"svc_test_a\"\n[live]\npoor = \"svc_live_b\"\n";
        assert_eq!(told(text), "[(Test, Revoked), (Live, Poor)]");
    }

    #[test]
    fn a_mistake_is_told_with_its_line_and_without_a_key() {
        let text = "[sandbox]\nrevokd = \"svc_test_abcdefgh12\"\n";
        insta::assert_snapshot!(told(text), @r#"
        error: `revokd` is not known here
         --> keys.toml:2:1
          |
        2 | revokd = "[redacted key]"
          | ^^^^^^
          |
          = help: did you mean `revoked`?

        1 mistake found
        "#);
        let of = |line: &str| told(&format!("[live]\n{line}\n"));
        insta::assert_snapshot!(of("poor = \"svc_test_abcdefgh12\""), @"keys.toml: live.poor: must begin with svc_live_");
        insta::assert_snapshot!(of("poor = \"$SVC_NO_SUCH_VARIABLE\""), @"keys.toml: live.poor: the variable SVC_NO_SUCH_VARIABLE is not set");
        assert!(told("").contains("there is no key here"));
    }
}
