//! One account: its wallet with its history as a line, its keys, what it spent, what it keeps.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use maud::{Markup, html};
use serde_json::Value;

use super::Pages;
use super::api::{Refusal, encoded};
use super::form::Fields;
use super::layout::{Notice, cell, instant, items, member, rupees, table, text};
use super::webhooks::receivers;

/// How many movements of the wallet are drawn.
const MOVEMENTS: usize = 200;

pub(super) async fn show(
    State(pages): State<Arc<Pages>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    pages
        .account(&id, StatusCode::OK, Notice::of(&headers))
        .await
}

/// All that the page shows.
struct Shown {
    account: Value,
    wallet: Value,
    test: Value,
    live: Value,
    memory: Value,
}

impl Pages {
    /// The page of an account.
    pub(super) async fn account(&self, id: &str, status: StatusCode, notice: Notice) -> Response {
        match self.account_data(id).await {
            Ok(shown) => {
                let content = self.account_content(id, &shown, &notice.typed);
                let title = format!("Account {id}");
                self.page(status, ("/accounts", &title), &notice, &content)
            }
            Err(refusal) => self.refusal("/accounts", &refusal),
        }
    }

    async fn account_data(&self, id: &str) -> Result<Shown, Refusal> {
        let path = format!("/control/accounts/{}", encoded(id));
        let get = async |rest: &str| self.api.get(&format!("{path}{rest}")).await;
        Ok(Shown {
            account: get("").await?,
            wallet: get(&format!("/wallet?limit={MOVEMENTS}")).await?,
            test: get("/usage?environment=test").await?,
            live: get("/usage?environment=live").await?,
            memory: get("/memory").await?,
        })
    }

    fn account_content(&self, id: &str, shown: &Shown, typed: &Fields) -> Markup {
        html! {
            p {
                a href=(self.to(&format!("/time/{}", encoded(id)))) { "Its clock shows " (member(&shown.account["clock"], "now")) }
                ", " a href=(self.to(&format!("/try?account={}", encoded(id)))) { "make a call" }
                ", " a href=(self.to(&format!("/consents?account={}", encoded(id)))) { "its pending consents" }
            }
            p {
                @let receivers = receivers(&shown.account);
                @if receivers.is_empty() { "Its webhooks go nowhere" }
                @for (at, (environment, url)) in receivers.iter().enumerate() {
                    @if at > 0 { ", " } "its webhooks of " (environment) " go to " code { (text(url)) }
                }
                ": " a href=(self.to(&format!("/webhooks?account={}", encoded(id)))) { "webhooks and their receiver" }
            }
            (wallet(self, &shown.wallet, typed))
            (keys(&shown.account))
            (limits(&shown.account, typed))
            (usage("Usage of the sandbox", &shown.test))
            (usage("Usage of live", &shown.live))
            (memory(&shown.memory))
            section {
                h2 { "All of it" }
                form method="post" {
                    label { "Copy it as" input name="copy" value=(text(typed.get("copy"))); }
                    button name="action" value="fork" { "Fork" }
                }
                details {
                    summary { "Reset or delete it" }
                    p {
                        "Its calls, webhooks and wallet are gone then, and nothing brings them back: a fork, or an export, keeps them. \
                         One that was deleted and stands in a file comes again with the next start."
                    }
                    form method="post" {
                        button.danger name="action" value="reset" { "Reset to its beginning" }
                        button.danger name="action" value="delete" { "Delete" }
                    }
                }
                p { a href=(self.to(&format!("/control/accounts/{}/export", encoded(id)))) download { "Export as a file" } ", with its keys and secrets" }
            }
        }
    }
}

fn wallet(pages: &Pages, wallet: &Value, typed: &Fields) -> Markup {
    let entries = items(wallet, "entries").iter().map(|it| {
        let verification = member(it, "verificationId");
        vec![
            instant(it, "at"),
            cell(it, "kind"),
            html! { (rupees(it, "amount")) },
            html! { (rupees(it, "balance")) },
            html! { (rupees(it, "held")) },
            cell(it, "endpoint"),
            html! {
                @if !verification.is_empty() {
                    a href=(pages.to(&format!("/calls/{verification}"))) { code { (verification) } }
                }
            },
        ]
    });
    let entries: Vec<Vec<Markup>> = entries.collect();
    let holds = items(wallet, "holds").iter().map(|it| {
        vec![
            instant(it, "since"),
            html! { (rupees(it, "amount")) },
            cell(it, "endpoint"),
            html! { a href=(pages.to(&format!("/calls/{}", member(it, "verificationId")))) { code { (member(it, "verificationId")) } } },
            instant(it, "due"),
        ]
    });
    let holds: Vec<Vec<Markup>> = holds.collect();
    html! {
        section {
            h2 { "Live wallet" }
            p {
                strong { (rupees(wallet, "balance")) " INR" }
                ", of which " (rupees(wallet, "held")) " is held; topped up " (rupees(wallet, "toppedUp"))
                ", charged " (rupees(wallet, "charged"))
            }
            (line(items(wallet, "entries")))
            form method="post" {
                label { "Amount, INR" input name="amount" inputmode="decimal" required value=(text(typed.get("amount"))); }
                button name="action" value="topUp" { "Top up" }
                button name="action" value="balance" { "Set the balance" }
            }
            @if !holds.is_empty() {
                h2 { "Held now" }
                (table("Holds", &["Since", "INR", "Call", "Verification", "Due"], &holds))
            }
            details {
                summary { "History, newest first" }
                (table("History of the wallet", &["When", "What", "INR", "Balance", "Held", "Call", "Verification"], &entries))
            }
        }
    }
}

/// The balance after each movement as a line; the table below it says the same.
fn line(entries: &[Value]) -> Markup {
    let balances: Vec<f64> = entries
        .iter()
        .rev()
        .filter_map(|it| it["balance"].as_f64())
        .collect();
    let (Some(first), Some(last)) = (balances.first(), balances.last()) else {
        return html! { p.quiet { "Nothing happened to it yet." } };
    };
    let least = balances.iter().copied().fold(f64::INFINITY, f64::min);
    let most = balances.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let span = (most - least).max(0.01);
    let steps = (balances.len() - 1).max(1) as f64;
    let point = |(at, balance): (usize, &f64)| {
        let (x, y) = (
            1000.0 * at as f64 / steps,
            95.0 - 90.0 * (balance - least) / span,
        );
        format!("{x:.1},{y:.1}")
    };
    let mut points: Vec<String> = balances.iter().enumerate().map(point).collect();
    if let [only] = points.as_slice() {
        points.push(only.replacen("0.0", "1000.0", 1));
    }
    let about = format!(
        "Balance over {} movements: from {first:.2} to {last:.2} INR, between {least:.2} and {most:.2}",
        balances.len()
    );
    html! {
        svg viewBox="0 0 1000 100" preserveAspectRatio="none" role="img" aria-label=(about) {
            title { (about) }
            polyline points=(points.join(" "));
        }
        p.quiet { (about) }
    }
}

fn keys(account: &Value) -> Markup {
    let rows = items(account, "keys").iter().map(|it| {
        let key = member(it, "key");
        vec![
            html! { code { (key) } },
            cell(it, "environment"),
            cell(it, "state"),
            instant(it, "until"),
            html! {
                @if it["state"] != "revoked" {
                    form method="post" {
                        input type="hidden" name="key" value=(key);
                        button.danger name="action" value="revoke" aria-label=(format!("Revoke {key}")) { "Revoke" }
                    }
                }
            },
        ]
    });
    let rows: Vec<Vec<Markup>> = rows.collect();
    html! {
        section {
            h2 { "Keys" }
            (table("Keys", &["Key", "Environment", "State", "Until", "Change"], &rows))
            form method="post" {
                label { "Environment"
                    select name="environment" { option value="test" { "test" } option value="live" { "live" } }
                }
                button name="action" value="rotate" { "Rotate the newest" }
            }
        }
    }
}

fn limits(account: &Value, typed: &Fields) -> Markup {
    let networks: Vec<&str> = items(account, "allowlist")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let rate = &account["rateLimit"];
    let value = |name: &str, known: String| typed.filled(name).map_or(known, text);
    html! {
        section {
            h2 { "Allowlist and rate limit" }
            form method="post" {
                label { "Networks, separated by spaces; from anywhere where there is none"
                    input name="networks" value=(value("networks", networks.join(" ")));
                }
                button name="action" value="allowlist" { "Set the allowlist" }
            }
            form method="post" {
                label { "Calls a second" input name="perSecond" inputmode="numeric" value=(value("perSecond", member(rate, "perSecond"))); }
                label { "At once" input name="burst" inputmode="numeric" value=(value("burst", member(rate, "burst"))); }
                button name="action" value="rateLimit" { "Set the rate limit" }
                button name="action" value="noRateLimit" { "Without a limit" }
            }
        }
    }
}

fn usage(title: &str, usage: &Value) -> Markup {
    let row = |it: &Value, name: Markup| {
        let count = |member: &str| html! { (super::layout::member(it, member)) };
        vec![
            name,
            count("calls"),
            count("completed"),
            count("noRecord"),
            count("failed"),
            count("billed"),
            html! { (rupees(it, "amount")) },
        ]
    };
    let endpoints = items(usage, "endpoints").iter();
    let mut rows: Vec<Vec<Markup>> = endpoints.map(|it| row(it, cell(it, "endpoint"))).collect();
    rows.push(row(&usage["totals"], html! { strong { "All" } }));
    let columns = [
        "Endpoint",
        "Calls",
        "Completed",
        "No record",
        "Failed",
        "Billed",
        "INR",
    ];
    html! { section { h2 { (title) } (table(title, &columns, &rows)) } }
}

fn memory(memory: &Value) -> Markup {
    html! {
        section {
            h2 { "Memory" }
            dl {
                @for environment in ["test", "live"] {
                    dt { (environment) }
                    dd {
                        (member(&memory[environment], "calls")) " calls, "
                        (member(&memory[environment], "endedBytes")) " bytes that may be forgotten, "
                        (member(&memory[environment], "openBytes")) " that may not; forgotten so far: "
                        (member(&memory[environment]["forgotten"], "calls")) " calls"
                    }
                }
            }
        }
    }
}
