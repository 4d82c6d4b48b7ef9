//! Every kind of test, on both sides of its border. A test that holds of everything proves nothing.

use svc_fixtures::contract::Environment;
use svc_fixtures::json::Json;

use super::holds;
use crate::capture::{Exchange, Request, Response};
use crate::plan::{EarlierValue, JsonType, Pattern, Place, Predicate};
use crate::verdict::answer::Answer;

fn json(text: &'static str) -> Json<'static> {
    Json::parse(text.as_bytes()).expect("JSON")
}

fn is(text: &'static str) -> Predicate {
    Predicate::Is(json(text))
}

fn boxed(test: Predicate) -> Box<Predicate> {
    Box::new(test)
}

/// The test holds of the first values and not of the others; `earlier` is the answer before.
fn border(test: &Predicate, good: &[&'static str], bad: &[&'static str]) {
    let exchange = Exchange {
        request: Request {
            channel: crate::capture::Channel::Api,
            environment: Environment::Test,
            method: "GET".to_owned(),
            path: "/".to_owned(),
            query: String::new(),
            authorization: None,
            headers: Vec::new(),
            body: Vec::new(),
            padded_to: None,
        },
        credential: crate::capture::Credential::Own,
        at_s: None,
        response: Ok(Response {
            status: 200,
            headers: Vec::new(),
            body: br#"{"data": {"x": 5, "text": "A"}}"#.to_vec(),
        }),
        took_ms: 0,
        result: None,
    };
    let answers = [Answer::of(&exchange)];
    for text in good {
        assert!(
            holds(test, Some(&json(text)), &answers),
            "{test} holds of {text}"
        );
    }
    for text in bad {
        assert!(
            !holds(test, Some(&json(text)), &answers),
            "{test} does not hold of {text}"
        );
    }
    let there = !holds(test, None, &answers);
    assert_eq!(there, *test != Predicate::Absent, "{test} of nothing");
}

fn before(place: &str) -> EarlierValue {
    let place = Place::parse(place).expect("a place");
    EarlierValue { step: 0, place }
}

#[test]
fn equality_is_of_numbers_and_of_members_in_any_order() {
    border(&is("1"), &["1", "1.0"], &["2", "\"1\"", "null", "[1]"]);
    border(&is("1.5"), &["1.5"], &["1", "1.51"]);
    border(&is("\"A\""), &["\"A\""], &["\"a\"", "\"A \"", "\"\""]);
    border(&is("false"), &["false"], &["true", "null", "0"]);
    border(
        &is("[1, 2]"),
        &["[1.0, 2]"],
        &["[2, 1]", "[1]", "[1, 2, 3]"],
    );
    let object = is(r#"{"a": 1, "b": 2}"#);
    let other = [
        r#"{"a": 1}"#,
        r#"{"a": 1, "b": 3}"#,
        r#"{"a": 1, "b": 2, "c": 3}"#,
    ];
    border(&object, &[r#"{"b": 2, "a": 1}"#], &other);
}

#[test]
fn absent_is_no_null_and_present_may_be_null() {
    border(&Predicate::Absent, &[], &["null", "\"\"", "[]", "1"]);
    border(&Predicate::Present, &["null", "\"\"", "[]", "1"], &[]);
}

#[test]
fn a_pattern_is_looked_for_in_texts_only() {
    let pattern = Pattern::new("^[0-9]{2}$").expect("a pattern");
    let test = Predicate::Matches(pattern);
    border(&test, &["\"12\""], &["\"123\"", "\"1a\"", "12", "null"]);
}

#[test]
fn a_bound_belongs_to_what_it_bounds() {
    border(
        &Predicate::AtLeast(0.8),
        &["0.8", "1"],
        &["0.79", "\"1\"", "null"],
    );
    border(
        &Predicate::AtMost(1.0),
        &["1", "0.5"],
        &["1.01", "\"1\"", "null"],
    );
}

#[test]
fn length_counts_items_and_characters() {
    let four = Predicate::Length(boxed(is("4")));
    border(
        &four,
        &["[1, 2, 3, 4]", "\"आशार\"", r#"{"a":1,"b":2,"c":3,"d":4}"#],
        &["[1]", "\"abcde\"", "4", "{}", "null"],
    );
    let some = Predicate::Length(boxed(Predicate::AtLeast(1.0)));
    border(&some, &["[1]", "\"a\""], &["[]", "\"\"", "1"]);
}

#[test]
fn each_holds_of_no_empty_list() {
    let each = Predicate::Each(boxed(is("\"A\"")));
    border(
        &each,
        &[r#"["A"]"#, r#"["A", "A"]"#],
        &["[]", r#"["A", "B"]"#, "\"A\""],
    );
}

#[test]
fn contains_looks_into_lists_and_texts() {
    let contains = Predicate::Contains(boxed(is("\"PEP\"")));
    border(
        &contains,
        &[r#"["A", "PEP"]"#, "\"a PEP list\""],
        &["[]", r#"["PEPS"]"#, "\"pep\"", "1"],
    );
    let some = Predicate::Contains(boxed(Predicate::Length(boxed(is("2")))));
    border(&some, &[r#"["A", "AB"]"#], &[r#"["A"]"#, "\"AB\""]);
}

#[test]
fn one_of_knows_only_its_own() {
    let test = Predicate::OneOf(vec![json("1"), json("\"A\"")]);
    border(&test, &["1.0", "\"A\""], &["2", "\"B\"", "null"]);
}

#[test]
fn a_type_is_the_values_and_a_whole_number_is_a_number_too() {
    let samples = [
        (JsonType::Text, "\"1\""),
        (JsonType::Int, "1"),
        (JsonType::Bool, "true"),
        (JsonType::List, "[]"),
        (JsonType::Object, "{}"),
        (JsonType::Null, "null"),
    ];
    for (kind, good) in samples {
        let others = samples.iter().filter(|(other, _)| *other != kind);
        let bad: Vec<_> = others.map(|(_, text)| *text).chain(["1.5"]).collect();
        border(&Predicate::Type(vec![kind]), &[good], &bad);
    }
    border(
        &Predicate::Type(vec![JsonType::Num]),
        &["1", "1.5"],
        &["\"1\"", "null"],
    );
    let either = Predicate::Type(vec![JsonType::Text, JsonType::Null]);
    border(&either, &["\"\"", "null"], &["1", "{}"]);
}

#[test]
fn what_is_inside_is_judged_at_its_place() {
    let place = Place::parse("a.b/0").expect("a place");
    let has = Predicate::Has(vec![(place.clone(), is("1"))]);
    border(
        &has,
        &[r#"{"a.b": [1], "c": 2}"#],
        &[r#"{"a.b": []}"#, "{}", "[1]"],
    );
    let without = Predicate::Has(vec![(place, Predicate::Absent)]);
    border(&without, &["{}", r#"{"a.b": []}"#], &[r#"{"a.b": [1]}"#]);
}

#[test]
fn not_asks_for_a_value_that_is_otherwise() {
    border(
        &Predicate::Not(boxed(is("\"A\""))),
        &["\"B\"", "null"],
        &["\"A\""],
    );
}

#[test]
fn all_of_several_must_hold() {
    let range = Predicate::All(vec![Predicate::AtLeast(0.0), Predicate::AtMost(1.0)]);
    border(&range, &["0", "1", "0.5"], &["-0.1", "1.1", "\"0\""]);
}

#[test]
fn an_earlier_value_is_compared_and_must_be_there() {
    let same = Predicate::SameAs(before("data/x"));
    border(&same, &["5", "5.0"], &["6", "\"5\"", "null"]);
    let other = Predicate::OtherThan(before("data/text"));
    border(&other, &["\"B\"", "1"], &["\"A\""]);
    let less = Predicate::LessThan(before("data/x"));
    border(&less, &["4.99"], &["5", "6", "\"1\""]);
    for nothing in [
        Predicate::SameAs(before("data/y")),
        Predicate::OtherThan(before("data/y")),
        Predicate::LessThan(before("data/text")),
    ] {
        border(&nothing, &[], &["1", "\"A\"", "null"]);
    }
}

#[test]
fn nothing_can_be_all_of_what_nothing_is() {
    let all = |test| Predicate::All(vec![Predicate::Absent, test]);
    assert!(holds(&all(Predicate::Absent), None, &[]));
    assert!(!holds(&all(Predicate::Present), None, &[]));
}

#[test]
fn a_flag_tells_what_another_value_is_also_in_words() {
    let tells = |test: Predicate, place: &str| {
        let place = Place::parse(place).expect("a place");
        Predicate::Tells(EarlierValue { step: 0, place }, boxed(test))
    };
    let (yes, no) = (["true", r#""yes""#], ["false", r#""No""#, "1", "null"]);
    border(&tells(is(r#""A""#), "data/text"), &yes, &no);
    border(&tells(Predicate::AtLeast(5.1), "data/x"), &["false"], &yes);
    border(&tells(Predicate::AtLeast(4.9), "data/x"), &yes, &no);
    // Rounding in print may have brought it there.
    border(
        &tells(Predicate::AtLeast(5.005), "data/x"),
        &["true", "false"],
        &["1"],
    );
    // Nothing is told of what is not there.
    border(&tells(is("1"), "data/y"), &[], &["true", "false"]);
}
