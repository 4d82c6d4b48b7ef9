//! The console's own pages: where everything is, and which input leads where. Without scripts.

use maud::{Markup, html};
use svc_fixtures::sample;

use super::first_call::{FirstCall, newest_key, working_account};
use super::named_inputs::pending_input;
use super::operation_groups::GROUP_COLUMNS;
use super::operations::{NAMED_COLUMNS, OperationList};
use super::people::{PEOPLE_COLUMNS, PeopleList};
use super::table_cell::TableCell;
use super::{BaseUrls, PublicUrl};
use crate::engine::call::request::Environment;
use crate::engine::call::rules::Rules;
use crate::scenario::AccountConfig;

/// What the console's pages lead to on the console itself.
pub(super) struct Links(String);

impl Links {
    /// Below the public URL, where there is one: whoever sees a page came to it by that name. Without one any name of
    /// this machine may have been taken, so that links say the path alone.
    pub(super) fn of(public: Option<&PublicUrl>) -> Self {
        Links(public.map_or_else(String::new, |public| public.base().to_owned()))
    }

    pub(super) fn to(&self, path: &str) -> String {
        format!("{}{path}", self.0)
    }
}

/// The first page.
pub(super) fn home(
    rules: &Rules,
    accounts: &[AccountConfig],
    urls: &BaseUrls,
    links: &Links,
) -> Markup {
    let listeners = [
        ("Sandbox", &urls.sandbox, Environment::Test),
        ("Live", &urls.live, Environment::Live),
    ];
    html! {
        (first_minute(rules, accounts, urls, links))
        h2 { "Listeners" }
        div.region tabindex="0" role="region" aria-label="Listeners" { table {
            thead { tr { th scope="col" { "Listener" } th scope="col" { "Address" } th scope="col" { "Keys begin with" } } }
            tbody {
                @for (name, url, environment) in listeners {
                    tr {
                        td data-label="Listener" { (name) }
                        td data-label="Address" { code { (url) } }
                        td data-label="Keys begin with" { code { (environment.key_prefix()) } }
                    }
                }
            }
        } }
        h2 { "Accounts" }
        div.region tabindex="0" role="region" aria-label="Accounts" { table {
            thead { tr { th scope="col" { "Account" } th scope="col" { "Keys" } th scope="col" { "What it is for" } } }
            tbody {
                @for account in accounts {
                    tr {
                        td data-label="Account" {
                            a href=(links.to(&format!("/accounts/{}", account.id))) { (account.id) }
                        }
                        td data-label="Keys" {
                            code { (newest_key(account, Environment::Test)) }
                            br;
                            code { (newest_key(account, Environment::Live)) }
                        }
                        td data-label="What it is for" { (about(account)) }
                    }
                }
            }
        } }
        h2 { "Pages" }
        ul {
            li { a href=(links.to("/accounts")) { "Accounts" } ": wallets, keys, limits, usage" }
            li { a href=(links.to("/time")) { "Time" } ": what is due, and clocks moved to it" }
            li { a href=(links.to("/scenarios")) { "Scenarios" } ": which rule decided how often, and rules for one account" }
            li { a href=(links.to("/world")) { "World" } ": whose an identifier is, and personas" }
            li { a href=(links.to("/try")) { "Try it" } ": a form for every operation and bundle" }
            li { a href=(links.to("/consents")) { "Consents" } ": what persons are asked" }
        }
        h2 { "Reference" }
        ul {
            li { a href=(links.to("/operations")) { "Operations, their prices and paths" } }
            li { a href=(links.to("/errors")) { "Errors, with an input that gives each" } }
            li { a href=(links.to("/inputs")) { "Fixed inputs, and who has a story" } }
            li { a href=(links.to("/docs/")) { "Reference page" } }
            li { a href=(links.to("/openapi.json")) { "OpenAPI document" } }
            li { a href=(links.to("/control/health")) { "Health" } }
        }
        h2 { "Control API" }
        p {
            "Accounts, clocks, wallets, webhooks, deliveries and scenarios can be changed while the \
             simulator runs, below " code { "/control/" } ": the " a href=(links.to("/docs/")) { "reference page" }
            " describes it with examples."
        }
    }
}

/// From nothing to a signed webhook: a call, a receiver, an event.
fn first_minute(
    rules: &Rules,
    accounts: &[AccountConfig],
    urls: &BaseUrls,
    links: &Links,
) -> Markup {
    let account = working_account(accounts).or(accounts.first());
    let account = account.map_or("", |account| &*account.id);
    html! {
        ol {
            @if let Some(call) = FirstCall::find(&rules.contract, accounts) {
                li {
                    p { "Make a call (" (call.title) "), and find it in " a href=(links.to("/calls")) { "Calls" } ":" }
                    (copied("first-call", &call.curl(&urls.sandbox)))
                }
            }
            li {
                p { "Let something receive webhooks. This prints each of them and says whether its signature is right:" }
                (copied("first-receiver", &format!("svc-simulator listen --console {}", urls.console)))
            }
            li {
                p { "Let one be sent, and look at it in " a href=(links.to("/webhooks")) { "Webhooks" } ":" }
                form method="post" action=(links.to("/webhooks/test")) {
                    input type="hidden" name="account" value=(account);
                    button { "Send a test event" }
                }
            }
            @if let Some(call) = later_call(rules, accounts) {
                li {
                    p { "Or make a call whose result comes later, by webhook (" (call.title) "):" }
                    (copied("later-call", &call.curl(&urls.sandbox)))
                }
                li {
                    p {
                        "Nobody has to wait for it: its account's clock moves to the next thing that is due. The same with a button is in "
                        a href=(links.to(&format!("/time/{account}"))) { "Time" } ":"
                    }
                    (copied("first-clock", &move_clock(&urls.console, account)))
                }
            }
        }
    }
}

/// A call that is answered as pending and whose result needs nobody.
fn later_call(rules: &Rules, accounts: &[AccountConfig]) -> Option<FirstCall> {
    let account = working_account(accounts)?;
    let (index, body) = pending_input(rules, None)?;
    let row = &rules.contract.operations[index];
    Some(FirstCall {
        title: row.title.clone(),
        path: sample::path(row),
        body: body.to_string(),
        key: newest_key(account, Environment::Test),
    })
}

/// The line for a shell that moves an account's clock to the next thing that is due.
fn move_clock(console: &str, account: &str) -> String {
    format!(
        "curl -sS {console}/control/accounts/{account}/clock -H 'Content-Type: application/json' -d '{{\"next\":true}}'"
    )
}

/// A text to copy, with a button where scripts run.
fn copied(id: &str, text: &str) -> Markup {
    html! {
        pre id=(id) tabindex="0" { (text) }
        button.quiet.needs-script type="button" data-copy=(id) { "Copy" }
    }
}

/// The page of operations.
pub(super) fn operations(
    list: &OperationList<'_>,
    people: &PeopleList<'_>,
    links: &Links,
) -> Markup {
    html! {
        p {
            a href=(links.to("/docs/")) { "All requests and answers" } " · "
            a href=(links.to("/openapi.json")) { "OpenAPI document" }
        }
        p { "What ends in which outcome. Of a URL only the end matters." }
        (table("Fixed inputs", &list.columns(), &list.table()))
        h2 { "Bundles and flows" }
        p { "Several operations in one call, and several calls that belong together." }
        (table("Bundles and flows", &GROUP_COLUMNS, &list.groups().table()))
        h2 { "Inputs that a scenario names and that succeed" }
        (table("Named inputs", &NAMED_COLUMNS, &list.named()))
        h2 { "People, companies and vehicles with a story" }
        p { "Whoever is asked for by one of these is one of them, in every operation." }
        (table("Personas", &PEOPLE_COLUMNS, &people.table()))
    }
}

/// A table in a box that scrolls by itself, reached by the keyboard.
fn table<C: AsRef<[TableCell]>>(name: &str, columns: &[impl AsRef<str>], rows: &[C]) -> Markup {
    html! {
        div.region tabindex="0" role="region" aria-label=(name) { table {
            thead { tr { @for column in columns { th scope="col" { (column.as_ref()) } } } }
            tbody {
                @for row in rows {
                    tr {
                        @for (column, cell) in columns.iter().zip(row.as_ref()) {
                            td data-label=(column.as_ref()) { @if cell.is_code { code { (cell.text) } } @else { (cell.text) } }
                        }
                    }
                }
            }
        } }
    }
}

/// What is special about an account, by its configuration.
fn about(account: &AccountConfig) -> String {
    let mut parts = vec![format!("live wallet {} INR", account.live_wallet)];
    if account.keys.first().is_some_and(|key| key.revoked) {
        parts.push("its keys are revoked".to_owned());
    }
    if !account.allowlist.is_empty() {
        let networks: Vec<String> = account.allowlist.iter().map(ToString::to_string).collect();
        parts.push(format!("works from {} only", networks.join(", ")));
    }
    if let Some(limit) = account.rate_limit {
        parts.push(format!(
            "{} calls a second, {} at once",
            limit.per_second, limit.burst
        ));
    }
    for old in account.keys.iter().skip(1) {
        parts.push(format!("{} is its rotated key", old.name));
    }
    if account.copies {
        let key = newest_key(account, Environment::Test);
        parts.push(format!("a key such as {key}_worker1 opens a copy of it"));
    }
    parts.join("; ")
}
