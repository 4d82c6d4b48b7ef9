//! The README's calls are made and answered exactly as it says.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use http_body_util::BodyExt as _;
use svc_simulator::host::transport::TargetPolicy;
use svc_simulator::http::console::Console;
use svc_simulator::http::control::guard::ConsoleAccess;
use svc_simulator::http::people::{PEOPLE_COLUMNS, list};
use svc_simulator::http::table_cell::markdown_table;
use svc_simulator::http::{ListenerAddresses, PublicUrls};

use tokio_util::sync::CancellationToken;
use tower::Service as _;

use crate::scene::Scene;

const README: &str = include_str!("../../../README.md");

/// Each `curl` of the README with the answer printed below it.
fn examples() -> Vec<(&'static str, &'static str)> {
    let mut found = Vec::new();
    let mut lines = README.lines().map(str::trim);
    while let Some(line) = lines.next() {
        if line.starts_with("curl ") {
            let answer = lines.by_ref().find(|line| line.starts_with('{'));
            found.push((line, answer.expect("an answer stands below each call")));
        }
    }
    found
}

fn between<'t>(text: &'t str, before: &str, after: char) -> &'t str {
    let (_, rest) = text.split_once(before).expect("a curl of the usual form");
    rest.split(after).next().unwrap_or_default()
}

#[test]
fn every_call_of_the_readme_gets_the_answer_it_shows() {
    let examples = examples();
    assert!(examples.len() >= 2, "{examples:?}");
    for (curl, answer) in examples {
        // Ids depend on no seed there, and on nothing that was asked before.
        let scene = Scene::seeded("");
        let path = between(curl, "http://127.0.0.1:880", ' ');
        let (port, path) = path.split_at(1);
        let body = between(curl, "-d '", '\'');
        if port == "0" {
            let method = if curl.contains("-X PUT ") {
                "PUT"
            } else {
                "POST"
            };
            assert_eq!(controlled(&scene, method, path, body), answer, "{curl}");
            continue;
        }
        let key = between(curl, "Bearer ", '\'');
        let asked = scene.post(path, body);
        let asked = if port == "2" { asked.live() } else { asked };
        let got = asked.key(key).send();
        let got = std::str::from_utf8(&got.0.body).expect("an envelope is text");
        assert_eq!(got, answer, "{curl}");
    }
}

/// What the console answers.
fn controlled(scene: &Scene, method: &str, path: &str, body: &str) -> String {
    let console = Console {
        host: Arc::clone(&scene.host),
        accounts: Vec::new(),
        addresses: ListenerAddresses::DEFAULT,
        public: PublicUrls::default(),
        connections: ["console", "sandbox", "live"].map(|name| (name, Arc::default())),
        targets: TargetPolicy::loopback_only(),
        access: ConsoleAccess::default(),
        stop: CancellationToken::new(),
        pages: svc_simulator::console::router,
    };
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("host", "127.0.0.1:8800")
        .header("content-type", "application/json")
        .body(Body::from(body.to_owned()))
        .expect("the README's calls are requests");
    scene.runtime.block_on(async {
        let Ok(answer) = console.router().call(request).await;
        let body = answer.into_body().collect().await;
        let body = body.expect("an answer in memory is whole").to_bytes();
        String::from_utf8(body.to_vec()).expect("JSON is text")
    })
}

#[test]
fn the_readme_lists_the_people_as_the_command_does() {
    let rules = Scene::seeded("").host.rules();
    let (_, rest) = README
        .split_once("<!-- what svc-simulator people --format markdown prints -->\n")
        .expect("the beginning of the table");
    let (table, _) = rest
        .split_once("<!-- end of what it prints -->")
        .expect("the end of the table");
    let printed = markdown_table(&PEOPLE_COLUMNS.map(str::to_owned), &list(&rules).table());
    assert_eq!(table.trim(), printed.trim(), "copy the table anew");
}

#[test]
fn the_call_printed_at_the_start_is_the_first_of_the_readme() {
    let contract = svc_fixtures::contract::Contract::built_in();
    let accounts = svc_simulator::scenario::read_accounts(&svc_simulator::scenario::accounts());
    let call =
        svc_simulator::http::first_call::FirstCall::find(&contract, &accounts.expect("accounts"));
    let (shown, _) = examples()[0];
    assert_eq!(call.expect("a call").curl("http://127.0.0.1:8801"), shown);
}
