//! `fmt` on whatever can be written: what it writes means the same, and it leaves that alone.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use svc_fixtures::json::Json;
use svc_fixtures::reading::{Source, Table};
use svc_simulator::scenario::built_in;
use svc_simulator::scenario_format::format_toml;

/// What a text means, where it is TOML.
fn meaning(text: &str) -> Option<Vec<(String, Option<Json<'static>>)>> {
    let source = Source::new("any.toml", text);
    let ((intact, members), _) = Table::of_source(&source, |root| {
        let members = root.entries().into_iter();
        let members = members.map(|(name, item)| (name.to_owned(), item.json_or_problem()));
        (root.is_intact(), members.collect())
    });
    intact.then_some(members)
}

fn comments(text: &str) -> Vec<&str> {
    let lines = text.lines().filter_map(|line| line.split_once("# c"));
    lines.map(|(_, comment)| comment.trim_end()).collect()
}

fn blanks() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["", " ", "  ", "\t", "     "])
}

fn ends() -> impl Strategy<Value = String> {
    let ends = vec!["\n", "\r\n", "\n\n\n", " \n", "\t\n\n \n"];
    (blanks(), prop::bool::ANY, prop::sample::select(ends)).prop_map(|(blanks, comment, end)| {
        let comment = if comment { "# c one, [two] = {3}" } else { "" };
        format!("{blanks}{comment}{end}")
    })
}

fn value() -> impl Strategy<Value = String> {
    let plain = vec![
        "1",
        "-1.5",
        "true",
        "\"a # b\"",
        "'c  d'",
        "\"\"\"\n x\n\n\n y \"\"\"",
        "'''z\n'''",
        "2027-01-15 08:00:00",
        "2027-01-15",
        "1e3",
        "\"\\u00e9 \\\" [\"",
        "[]",
        "{}",
    ];
    let leaf = prop::sample::select(plain).prop_map(str::to_owned);
    leaf.prop_recursive(3, 12, 3, |inner| {
        let item = (blanks(), inner.clone(), blanks(), ends(), prop::bool::ANY);
        let list = prop::collection::vec(item, 0..4).prop_map(|items| {
            let item = |(a, value, b, end, split): (&str, String, &str, String, bool)| {
                let end = if split { end } else { String::new() };
                format!("{a}{value}{b},{end}")
            };
            format!("[{}]", items.into_iter().map(item).collect::<String>())
        });
        let member = (blanks(), inner, blanks());
        let table = prop::collection::vec(member, 0..3).prop_map(|members| {
            let members = members.into_iter().enumerate();
            let member = |(at, (a, value, b)): (usize, (&str, String, &str))| {
                format!("{a}k{at}{b}={a}{value}{b}")
            };
            let members: Vec<String> = members.map(member).collect();
            format!("{{{}}}", members.join(","))
        });
        prop_oneof![list, table]
    })
}

fn file() -> impl Strategy<Value = String> {
    let line = (blanks(), value(), blanks(), ends(), 0..6_u8);
    prop::collection::vec(line, 0..8).prop_map(|lines| {
        let line = |(at, (a, value, b, end, kind)): (usize, (&str, String, &str, String, u8))| {
            match kind {
                0 => format!("{a}[[{b}t{b}]]{end}{a}k{at}{b}={value}{end}"),
                1 => format!("{a}[x{at}{b}.{a}y]{end}"),
                2 => format!("{a}k{at}{b}.{a}\"q\"={b}{value}{end}"),
                3 => format!("{a}# c alone{b}\n"),
                _ => format!("{a}k{at}{b}={a}{value}{end}"),
            }
        };
        lines.into_iter().enumerate().map(line).collect()
    })
}

#[test]
fn what_is_laid_out_means_the_same_and_stays_as_it_is() {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let config = Config {
        cases: 1500,
        failure_persistence: None,
        ..Config::default()
    };
    let intact = std::cell::Cell::new(0);
    let checked = TestRunner::new_with_rng(config, rng).run(&file(), |text| {
        let Some(before) = meaning(&text) else {
            return Ok(());
        };
        intact.set(intact.get() + 1);
        let laid = format_toml(&text);
        prop_assert_eq!(meaning(&laid), Some(before));
        prop_assert_eq!(&format_toml(&laid), &laid);
        prop_assert_eq!(comments(&laid), comments(&text));
        Ok(())
    });
    checked.unwrap_or_else(|failure| panic!("{failure}"));
    // Most of what is made up is TOML: otherwise little would be tried.
    assert!(intact.get() > 700, "{}", intact.get());
}

#[test]
fn no_text_makes_it_panic() {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[8; 32]);
    let config = Config {
        cases: 1500,
        failure_persistence: None,
        ..Config::default()
    };
    let any = prop::collection::vec(
        prop::sample::select(vec![
            "[", "]", "{", "}", "=", ",", ".", "#", "\"", "'", "\n", " ", "a", "é", "\\", "\"\"\"",
            "\r", "\u{feff}", "1",
        ]),
        0..30,
    );
    let checked = TestRunner::new_with_rng(config, rng).run(&any, |parts| {
        let laid = format_toml(&parts.concat());
        prop_assert!(laid.is_empty() || laid.ends_with('\n'));
        Ok(())
    });
    checked.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn what_is_built_in_is_laid_out() {
    for file in built_in() {
        assert_eq!(format_toml(&file.text), file.text, "{}", file.path);
    }
}
