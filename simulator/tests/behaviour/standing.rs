//! A day that an answer told once stays (rulings 37 and 38): what happened to a stranger is told alike whenever
//! the account's clock stands. Only what says when something happened last, or ends, goes on with it.

use std::collections::{BTreeMap, BTreeSet};

use svc_fixtures::json::Json;
use svc_fixtures::pairs::{Law, Within};

use super::pairs::{CONTRACT, WORLDS, asked, numbers};

/// From the first month after the population was drawn up.
const INSTANTS: [&str; 5] = [
    "2026-01-01T00:00:00Z",
    "2026-02-14T09:30:00Z",
    "2026-12-31T23:59:59Z",
    "2029-05-02T00:00:01Z",
    "2036-07-15T12:00:00Z",
];

/// How many strangers of an operation.
const SUBJECTS: u64 = 40;

/// What goes on with the clock: the last of something that is repeated, and how long something is valid.
const GOES_ON: [&str; 10] = [
    "billDueDate",
    "dueDate",
    "insurance",
    "lastAgmDate",
    "lastFilingDate",
    "lastPaidDate",
    "puccValidUpto",
    "returnsFilingHistory",
    "timestamp",
    "validUpto",
];

/// Every text in an answer that is a day, by where it stands.
fn days(answer: &Json<'_>, at: &str, found: &mut BTreeMap<String, String>) {
    match answer {
        Json::Object(members) => {
            let going_on = |name: &str| GOES_ON.contains(&name);
            for (name, member) in members.iter().filter(|(name, _)| !going_on(name)) {
                days(member, &format!("{at}.{name}"), found);
            }
        }
        Json::List(items) => {
            for (place, item) in items.iter().enumerate() {
                days(item, &format!("{at}.{place}"), found);
            }
        }
        Json::Text(text) => {
            let digits = text.bytes().filter(u8::is_ascii_digit).count();
            let others = text.bytes().filter(|c| matches!(c, b'-' | b'/')).count();
            if digits == 8 && others == 2 && text.len() == 10 {
                found.insert(at.to_owned(), text.clone().into_owned());
            }
        }
        _ => {}
    }
}

#[test]
fn a_day_that_was_told_stays_while_the_clock_goes_on() {
    let any = Law::built_in()
        .iter()
        .find(|law| law.name == "nothing-later");
    let mut moved = BTreeSet::new();
    for law in any
        .expect("a law of all operations")
        .of_operations(&CONTRACT)
    {
        for subject in 0..SUBJECTS {
            let told = INSTANTS.map(|instant| {
                let world = &WORLDS[subject as usize % WORLDS.len()];
                let exchange = asked(&law, world, instant, &mut numbers(subject + 1))?;
                let mut found = BTreeMap::new();
                let data = exchange.answers[0].get("data").unwrap_or(&Json::Null);
                days(data, "", &mut found);
                Ok::<_, String>(found)
            });
            let told: Vec<_> = told.into_iter().flatten().collect();
            for pair in told.windows(2) {
                let others = pair[1].iter().filter(|(at, _)| pair[0].contains_key(*at));
                for (at, day) in others.filter(|(at, day)| pair[0][*at] != **day) {
                    let operation = &law.asks[0].operation;
                    moved.insert(format!(
                        "{operation} {subject}{at}: {} then {day}",
                        pair[0][at]
                    ));
                }
            }
        }
    }
    let moved: Vec<_> = moved.into_iter().collect();
    assert!(moved.is_empty(), "{}", moved.join("\n"));
}

#[test]
fn the_members_of_an_answer_agree_with_each_other_and_with_their_request() {
    let any = Law::built_in()
        .iter()
        .find(|law| law.name == "nothing-later");
    let (mut broken, mut judged) = (BTreeSet::new(), BTreeSet::new());
    for law in any
        .expect("a law of all operations")
        .of_operations(&CONTRACT)
    {
        let operation = &law.asks[0].operation;
        for subject in 0..SUBJECTS {
            let world = &WORLDS[subject as usize % WORLDS.len()];
            let exchange = asked(&law, world, INSTANTS[1], &mut numbers(subject + 1));
            let Ok(mut exchange) = exchange else {
                continue;
            };
            for within in Within::of(operation) {
                judged.insert(operation.clone());
                let found = within.broken(&mut exchange).into_iter();
                broken.extend(found.map(|(claim, found)| format!("{operation}: {claim}: {found}")));
            }
        }
    }
    assert!(judged.len() >= 20, "{judged:?}");
    let broken: Vec<_> = broken.into_iter().collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn a_limited_liability_partnership_is_not_older_than_the_law_of_them() {
    let law = Law::built_in().iter().find(|law| law.name == "llpin");
    for subject in 0..SUBJECTS {
        let world = &WORLDS[subject as usize % WORLDS.len()];
        let exchange = asked(
            law.expect("it is a law"),
            world,
            INSTANTS[0],
            &mut numbers(subject),
        );
        let exchange = exchange.expect("it is answered");
        let founded = exchange.answers[0]
            .get("data")
            .and_then(|it| it.get("incorporationDate"));
        let founded = founded.and_then(Json::as_text).expect("a day");
        assert!(("2009-04-01".."2026").contains(&founded), "{founded}");
    }
}
