//! Laws of the scenario language: no file can hurt the reader, and whatever loads answers in the form
//! of the contract.

use std::sync::{Arc, LazyLock};

use proptest::prelude::*;
use svc_fixtures::contract::{Contract, Operation, Shape};
use svc_fixtures::embedded;
use svc_fixtures::json::Json;
use svc_fixtures::reading::Source;
use svc_fixtures::sample::any::runner;
use svc_fixtures::sample::{self, Extent};
use svc_fixtures::template::Answers;
use svc_fixtures::world::WorldRows;
use svc_simulator::engine::compute;
use svc_simulator::scenario::read_scenarios;

use crate::scene::Scene;

static CONTRACT: LazyLock<Contract> = LazyLock::new(Contract::built_in);

static ANSWERS: LazyLock<Answers> = LazyLock::new(|| {
    let answers = Answers::read(
        &embedded::answers(),
        &CONTRACT,
        &compute::signatures(),
        WorldRows::built_in(),
    );
    answers.expect("the built-in answers read")
});

/// The paths of the lists in a form, as they are written.
fn lists(form: &Shape, path: &str, found: &mut Vec<String>) {
    let Shape::Object(members) = form else { return };
    // A list that is spread over members is named by these.
    for member in members.iter().filter(|member| !member.is_spread()) {
        let path = match path.is_empty() {
            true => member.name.clone(),
            false => format!("{path}.{}", member.name),
        };
        match &member.shape {
            Shape::List(item) => {
                found.push(path.clone());
                lists(item, &format!("{path}[]"), found);
            }
            other => lists(other, &path, found),
        }
    }
}

fn with_lists() -> Vec<(&'static Operation, Vec<String>)> {
    let found = |operation: &'static Operation| {
        let mut found = Vec::new();
        lists(&operation.response, "", &mut found);
        (operation, found)
    };
    let all = CONTRACT.operations.iter().map(found);
    all.filter(|(_, lists)| !lists.is_empty()).collect()
}

/// What an operation answers its sample, in the end: of a pending call its result.
fn completed(scene: &Scene, operation: &Operation) -> Json<'static> {
    let path = sample::path(operation);
    let body = sample::body(&CONTRACT, operation, Extent::Required).to_string();
    let answer = scene.post(&path, &body).send();
    let data = answer.json().get("data").cloned().unwrap_or(Json::Null);
    assert_eq!(answer.at("status"), "completed", "{answer}");
    data.into_owned()
}

#[test]
fn every_list_of_every_answer_gets_longer_and_shorter_in_its_form() {
    // What is always pending first, or a later step, has no answer at once.
    let at_once = |operation: &Operation| {
        let pending = operation.pending.as_ref();
        let carries = operation
            .request
            .iter()
            .any(|field| field.name == "request_id" || field.name == "referenceId");
        !pending.is_some_and(|pending| pending.always) && !carries
    };
    let all: Vec<_> = with_lists()
        .into_iter()
        .filter(|(row, _)| at_once(row))
        .collect();
    assert!(all.len() > 8);
    for length in [0, 1, 4] {
        let scenario = |(operation, lists): &(&Operation, Vec<String>)| {
            let id = &operation.id;
            let lengths: Vec<_> = lists
                .iter()
                .map(|list| format!("\"{list}\" = {length}"))
                .collect();
            let lengths = lengths.join(", ");
            format!(
                "[[scenario]]\nname = \"{id}\"\noperation = \"{id}\"\n\
                 then = {{ success = {{}}, length = {{ {lengths} }} }}\n"
            )
        };
        let scene = Scene::with(&all.iter().map(scenario).collect::<String>());
        for (operation, lists) in &all {
            let data = completed(&scene, operation);
            let mistakes = operation.response.mistakes(&data);
            assert!(
                mistakes.is_empty(),
                "{} {length}: {mistakes:?}",
                operation.id
            );
            // A category is told once, however often it is there.
            let counted = |list: &&String| !list.contains("[]") && *list != "categoriesHit";
            for list in lists.iter().filter(counted) {
                let steps = svc_fixtures::path::parse_path(list).expect("a path");
                let found = svc_fixtures::path::find(&data, &steps);
                let items = found
                    .first()
                    .and_then(|list| list.as_list())
                    .map(<[_]>::len);
                let sometimes = operation.response.member(list).is_some_and(|member| {
                    member.presence == svc_fixtures::contract::MemberPresence::Sometimes
                });
                assert!(
                    items == Some(length) || sometimes && length == 0,
                    "{} {list}",
                    operation.id
                );
            }
        }
    }
}

/// Words of the language, right ones and nearly right ones.
const WORDS: &[&str] = &[
    "[[scenario]]\n",
    "[scenario]\n",
    "[values]\n",
    "[person.asha]\n",
    "[company.acme]\n",
    "name = \"a\"\n",
    "operation = \"verify.identity.pan\"\n",
    "operation = \"*\"\n",
    "operation = \"verify.document.*\"\n",
    "when = { pan = \"AAAAA0001A\" }\n",
    "when = { who = \"asha\" }\n",
    "when = { \"a[].b[3].c\" = { absent = true } }\n",
    "when = { \"urls[0]\" = { matches = \"(\" } }\n",
    "when.header.X-Reference-Id = \"$x\"\n",
    "when = { months = { at_least = inf, below = nan } }\n",
    "when = { any_identifier = [] }\n",
    "when = { account = { contains = \"\" }, environment = 7 }\n",
    "when = []\n",
    "when = \"$asha\"\n",
    "then = { success = {} }\n",
    "then = []\n",
    "then = [{ success = \"$x\", length = { \"a[]\" = 9 } }]\n",
    "then = { success = { \"imageResults[999].summary\" = {} }, remove = [\"imageResults[]\"] }\n",
    "then = { success = {}, breaks_contract = true, null = [\"pan\", \"\", \"[\"] }\n",
    "then = { success = { pan = 1979-05-27 }, delay = { from = \"1s\" } }\n",
    "cases.a = { success = {} }\ncases.\"\" = { pending = {}, finally = { pending = {} } }\n",
    "x = \"$x\"\n",
    "x = 1\n",
    "pan = \"AAAAA0001A\"\n",
    "pan = []\n",
    "company = \"acme\"\n",
    "person = \"asha\"\n",
    "date_of_birth = 1990-01-01\n",
    "$ = 1\n",
    "{",
    "}",
    "\u{0}",
    "\"",
    "\n",
    "=",
    "é",
];

#[test]
fn no_file_can_hurt_the_reader() {
    let word = prop::sample::select(WORDS);
    let file = prop::collection::vec(word, 0..24).prop_map(|words| words.concat());
    let outcome = runner(600).run(&file, |text| {
        let files: Vec<Arc<Source>> = vec![Source::new("mine.toml", text)];
        if let Err(problems) = read_scenarios(&CONTRACT, &ANSWERS, &files) {
            prop_assert!(!problems.to_string().is_empty());
        }
        Ok(())
    });
    outcome.expect("every file is read or refused");
}
