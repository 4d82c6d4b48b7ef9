//! What must hold of the functions whatever they are given.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use svc_fixtures::json::Json;

use super::{FUNCTIONS, call};

fn runner(cases: u32) -> TestRunner {
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

/// Pieces of names, addresses and dates, so that the interesting ways are taken, and anything.
fn text() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "ASHA",
        "Rao",
        "A",
        "K",
        "SHRI",
        "MS",
        "D/O",
        " son of ",
        "PVT",
        "(INDIA)",
        "&",
        "LTD",
        "L L P",
        "M/s",
        "'",
        "लक्ष्मी",
        "ß",
        "ŉ",
        "é",
        "12",
        "4TH",
        "560038",
        "560",
        "038",
        "CROSS",
        "FLOOR",
        "NEAR",
        "TOWER",
        "KARNATAKA",
        "NEW",
        "DELHI",
        "INDIA",
        "PIN",
        "No.",
        "\u{200d}",
        "2024-02-29",
        "2024-02",
        "29/02/2024",
        "-",
        "/",
        "@",
        ".",
        ",",
        ",",
        " ",
        " ",
        " ",
    ]);
    let piece = prop_oneof![
        9 => pieces.prop_map(str::to_owned),
        1 => prop::collection::vec(any::<char>(), 0..4).prop_map(String::from_iter),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn value() -> impl Strategy<Value = Json<'static>> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        prop_oneof![any::<i64>(), -12..12_i64].prop_map(Json::Int),
        prop::num::f64::NORMAL.prop_map(Json::Num),
        text().prop_map(Json::from),
        prop::sample::select(vec!["colours", "codes", "city", "s", "pin", "YYYY-MM"])
            .prop_map(Json::from),
    ];
    leaf.prop_recursive(2, 12, 4, |inner| {
        let member = inner.clone().prop_map(|value| ("s".into(), value));
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Json::List),
            prop::collection::vec(member, 0..2).prop_map(Json::Object),
        ]
    })
}

fn number(json: &Json<'_>) -> f64 {
    json.as_num().expect("a number")
}

#[test]
fn any_arguments_give_the_same_json_twice() {
    let args = prop::collection::vec(value(), 1..6);
    let outcome = runner(6000).run(&(args, any::<u64>()), |(args, draw)| {
        for function in FUNCTIONS {
            let signature = function.signature;
            if !(signature.min_args..=signature.max_args).contains(&args.len()) {
                continue;
            }
            let first = call(signature.name, draw, &args);
            prop_assert_eq!(&first, &call(signature.name, draw, &args));
            let printed = first.to_string();
            let read = Json::parse(printed.as_bytes());
            prop_assert!(read.is_ok(), "{} printed {}", signature.name, printed);
        }
        Ok(())
    });
    assert_eq!(outcome, Ok(()));
}

#[test]
fn scores_are_symmetric_within_bounds_and_one_for_the_same() {
    let options = (any::<bool>(), any::<bool>(), any::<bool>());
    let outcome = runner(6000).run(&(text(), text(), options), |(a, b, options)| {
        let (business, partial, any_order) = options;
        let kind = if business { "business" } else { "individual" };
        let name = |a: &str, b: &str, partial: bool, any_order: bool| {
            let args = [
                a.into(),
                b.into(),
                kind.into(),
                partial.into(),
                any_order.into(),
            ];
            number(&call("name_score", 0, &args))
        };
        let address = |a: &str, b: &str| number(&call("address_score", 0, &[a.into(), b.into()]));
        for (score, back, same) in [
            (
                name(&a, &b, partial, any_order),
                name(&b, &a, partial, any_order),
                name(&a, &a, partial, any_order),
            ),
            (address(&a, &b), address(&b, &a), address(&a, &a)),
        ] {
            prop_assert_eq!(score, back);
            prop_assert_eq!(same, 1.0);
            prop_assert!((0.0..=1.0).contains(&score) && score.is_sign_positive());
            prop_assert!(((score * 100.0).round() / 100.0 - score).abs() < f64::EPSILON);
        }
        let strict = name(&a, &b, false, false);
        prop_assert!(name(&a, &b, true, false) >= strict);
        prop_assert!(name(&a, &b, false, true) >= strict);
        Ok(())
    });
    assert_eq!(outcome, Ok(()));
}

#[test]
fn names_without_a_letter_in_common_score_nothing() {
    let outcome = runner(2000).run(&("[A-Ma-m ]{1,24}", "[N-Zn-z ]{1,24}"), |(a, b)| {
        prop_assume!(!a.trim().is_empty() || !b.trim().is_empty());
        let score = number(&call("name_score", 0, &[a.into(), b.into()]));
        prop_assert!(score < 0.4, "{}", score);
        Ok(())
    });
    assert_eq!(outcome, Ok(()));
}

#[test]
fn a_mask_hides_a_character_and_keeps_the_rest_in_place() {
    let ends = (any::<i64>(), -2..12_i64, -2..12_i64, any::<bool>());
    let outcome = runner(4000).run(&(text(), ends), |(text, (huge, first, last, is_huge))| {
        let first = if is_huge { huge } else { first };
        let args = [text.as_str().into(), first.into(), last.into()];
        let masked = call("mask", 0, &args);
        let masked = masked.as_text().expect("a text");
        prop_assert_eq!(masked.chars().count(), text.chars().count());
        let mut hidden = 0;
        for (now, before) in masked.chars().zip(text.chars()) {
            hidden += usize::from(now == 'X' && before.is_alphanumeric());
            prop_assert!(now == before || (now == 'X' && before.is_alphanumeric()));
        }
        prop_assert!(hidden > 0 || !text.contains(char::is_alphanumeric));
        Ok(())
    });
    assert_eq!(outcome, Ok(()));
}

#[test]
fn an_address_comes_apart_into_what_stands_in_it() {
    let parts = [
        "pincode", "state", "floor", "landmark", "building", "street", "house", "city", "locality",
        "line",
    ];
    let outcome = runner(4000).run(&text(), |text| {
        let part = |part: &str| call("address_part", 0, &[text.as_str().into(), part.into()]);
        for name in parts {
            let found = part(name);
            let found = found.as_text().expect("a text");
            let is_written = |word: &str| text.contains(word);
            let words = found.split([' ', ',']).filter(|_| name != "pincode");
            prop_assert!(words.into_iter().all(is_written), "{}: {}", name, found);
        }
        let pin = part("pincode");
        let pin = pin.as_text().expect("a text");
        prop_assert!(pin.is_empty() || (pin.len() == 6 && !pin.starts_with('0')));
        prop_assert_eq!(part("pin").as_int(), Some(pin.parse().unwrap_or(0)));
        Ok(())
    });
    assert_eq!(outcome, Ok(()));
}

#[test]
fn a_birthday_fills_the_years_that_were_added() {
    let outcome = runner(2000).run(&(0..60_000_i64, 0..120_i64), |(days, years)| {
        let born = call("add_days", 0, &["1900-01-01".into(), days.into()]);
        let birthday = call("add_years", 0, &[born.clone(), years.into()]);
        let eve = call("add_days", 0, &[birthday.clone(), (-1).into()]);
        let age = |day: Json<'static>| call("years_between", 0, &[born.clone(), day]);
        prop_assert_eq!(age(birthday), years.into());
        prop_assert_eq!(age(eve), (years - 1).into());
        Ok(())
    });
    assert_eq!(outcome, Ok(()));
}
