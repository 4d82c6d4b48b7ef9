//! The population: somebody looked up by an identifier, whom they lead to, and who has a story.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::{StatusCode, Uri};
use maud::{Markup, html};
use serde_json::Value;

use super::Pages;
use super::api::encoded;
use super::form::Fields;
use super::layout::{Notice, cell, items, member, table, text};

const PART: &str = "/world";

pub(super) async fn show(State(pages): State<Arc<Pages>>, uri: Uri) -> Response {
    let query = Fields::of(uri.query().unwrap_or_default().as_bytes());
    let form = pages.search(&query);
    let Some(identifier) = query.filled("identifier") else {
        let people = match pages.api.get("/control/people").await {
            Ok(people) => people,
            Err(refusal) => return pages.refusal("/", &refusal),
        };
        let content = html! { (form) (pages.personas(&people)) };
        return pages.page(
            StatusCode::OK,
            (PART, "World"),
            &Notice::default(),
            &content,
        );
    };
    let mut path = format!("/control/world?identifier={}", encoded(identifier));
    for name in ["kind", "account"] {
        if let Some(value) = query.filled(name) {
            path += &format!("&{name}={}", encoded(value));
        }
    }
    match pages.api.get(&path).await {
        Ok(subject) => {
            let content = html! { (form) (pages.subject(&subject, query.get("account"))) };
            let name = subject["name"].as_str().unwrap_or(identifier).to_owned();
            pages.page(StatusCode::OK, (PART, &name), &Notice::default(), &content)
        }
        Err(refusal) => {
            let notice = Notice::refused(&refusal, query);
            pages.page(refusal.status, (PART, "World"), &notice, &form)
        }
    }
}

impl Pages {
    fn search(&self, query: &Fields) -> Markup {
        html! {
            section {
                form method="get" action=(self.to(PART)) {
                    label { "Identifier: a PAN, a mobile number, a CIN, a registration, a name …"
                        input name="identifier" required value=(text(query.get("identifier")));
                    }
                    label { "Taken for the field (guessed where empty)" input name="kind" value=(text(query.get("kind"))); }
                    label { "On the clock of account" input name="account" value=(text(query.get("account"))); }
                    button { "Look up" }
                }
            }
        }
    }

    fn somebody(&self, identifier: &str, field: &str, account: &str) -> String {
        let mut path = format!("{PART}?identifier={}", encoded(identifier));
        for (name, value) in [("kind", field), ("account", account)] {
            if !value.is_empty() {
                path += &format!("&{name}={}", encoded(value));
            }
        }
        self.to(&path)
    }

    fn subject(&self, subject: &Value, account: &str) -> Markup {
        let declared = &subject["declared"];
        let link = |it: &Value, value: &str| {
            let field = member(it, "field");
            html! {
                @if field.is_empty() { (value) }
                @else { a href=(self.somebody(value, &field, account)) { (value) } }
            }
        };
        let linked = items(subject, "links").iter().map(|it| {
            let (identifier, name) = (member(it, "identifier"), member(it, "name"));
            vec![
                cell(it, "relation"),
                cell(it, "kind"),
                html! { (name) },
                link(it, &identifier),
            ]
        });
        let linked: Vec<Vec<Markup>> = linked.collect();
        let identifier = member(subject, "identifier");
        html! {
            section {
                p {
                    "A " strong { (member(subject, "kind")) } ", as answers of " (member(subject, "today")) " speak of it; "
                    code { (identifier) } " was taken for " code { (member(subject, "takenFor")) } "."
                }
                @if subject["own"].is_string() {
                    p {
                        "Many such texts lead to one " (member(subject, "kind")) ". An answer says " code { (identifier) }
                        " back and hands out " code { (member(subject, "own")) } ", the own one, from there on."
                    }
                }
                @if !items(subject, "alternatives").is_empty() {
                    p { "It could also be: "
                        @for field in items(subject, "alternatives").iter().filter_map(Value::as_str) {
                            a href=(self.somebody(&identifier, field, account)) { (text(field)) } " "
                        }
                    }
                }
                @if declared.is_object() {
                    p { strong { (member(declared, "name")) } ": " (member(declared, "story")) " (" (member(declared, "file")) ":" (member(declared, "line")) ")" }
                }
            }
            section {
                h2 { "Identifiers" }
                dl {
                    @for it in items(subject, "identifiers") {
                        dt { (member(it, "name")) }
                        dd { (link(it, &member(it, "value"))) (shared(&it["sharedWith"])) }
                    }
                }
            }
            section {
                h2 { "Whom it has to do with" }
                @if linked.is_empty() { p { "Nobody." } }
                @else { (table("Links", &["As", "Kind", "Name", "Looked up by"], &linked)) }
            }
            section {
                h2 { "What answers say" }
                dl {
                    @for (name, _) in subject["attributes"].as_object().into_iter().flatten() {
                        dt { (text(name)) } dd { (member(&subject["attributes"], name)) }
                    }
                }
            }
        }
    }

    /// Forms that ask about a persona.
    fn ways_to_ask(&self, person: &Value) -> Markup {
        let identifiers = items(person, "identifiers").iter();
        let operations = identifiers.flat_map(|it| items(it, "operations"));
        let mut asked: Vec<&str> = operations.filter_map(Value::as_str).collect();
        asked.sort_unstable();
        asked.dedup();
        let name = person["name"].as_str().unwrap_or_default();
        html! {
            details {
                summary { (asked.len()) " operations" }
                @for operation in asked {
                    a href=(self.to(&format!("/try/{}?with={}", encoded(operation), encoded(name)))) { (operation) } br;
                }
            }
        }
    }

    fn personas(&self, people: &Value) -> Markup {
        let rows = items(people, "people").iter().map(|it| {
            let identifiers = items(it, "identifiers").iter();
            let declared = identifiers.filter(|it| it["declared"] == true);
            vec![
                html! { strong { (member(it, "display")) } br; code { (member(it, "name")) } },
                cell(it, "story"),
                html! {
                    @for known in declared {
                        @let field = known["fields"][0].as_str().unwrap_or_default();
                        (text(field)) " "
                        a href=(self.somebody(known["value"].as_str().unwrap_or_default(), "", "")) { (member(known, "value")) }
                        br;
                    }
                },
                self.ways_to_ask(it),
            ]
        });
        let rows: Vec<Vec<Markup>> = rows.collect();
        let samples = items(people, "samples").iter().map(|it| {
            let (identifier, field) = (it["identifier"].as_str(), it["field"].as_str());
            let to = self.somebody(
                identifier.unwrap_or_default(),
                field.unwrap_or_default(),
                "",
            );
            vec![
                cell(it, "kind"),
                cell(it, "name"),
                html! { (member(it, "field")) " " a href=(to) { (member(it, "identifier")) } },
            ]
        });
        let samples: Vec<Vec<Markup>> = samples.collect();
        html! {
            section {
                h2 { "Samples: whom all examples ask about" }
                (table("Samples", &["Kind", "Name", "Asked for by"], &samples))
            }
            section {
                h2 { "People, companies and vehicles with a story" }
                (table("Personas", &["Who", "Story", "Asked for by", "Ask about them"], &rows))
            }
        }
    }
}

/// Who has an identifier, too.
fn shared(with: &Value) -> Markup {
    let name = with["name"].as_str().unwrap_or("another");
    html! {
        @if with.is_object() {
            " " span.quiet {
                "shared with the " (member(with, "kind")) " " (text(name))
                @if with["isFound"] == true { ", who is found by it" }
            }
        }
    }
}
