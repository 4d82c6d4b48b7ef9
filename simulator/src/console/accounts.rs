//! The list of accounts, and the form that opens one.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::Pages;
use super::api::{Refusal, encoded};
use super::filter::Filter;
use super::form::Fields;
use super::layout::{Notice, cell, items, member, rupees, table, text};

const PART: &str = "/accounts";

/// How many accounts the list shows at most: of more, nobody finds one by looking.
const ROWS: usize = 200;

pub(super) async fn list(
    State(pages): State<Arc<Pages>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let filter = Filter::read(query.as_deref());
    let part = filter.get("id").unwrap_or_default();
    pages
        .accounts(StatusCode::OK, part, Notice::of(&headers))
        .await
}

pub(super) async fn open(State(pages): State<Arc<Pages>>, body: Bytes) -> Response {
    let typed = Fields::form(&body);
    match opened(&pages, &typed).await {
        Ok(id) => pages.back(
            &format!("{PART}/{}", encoded(&id)),
            "The account was opened.",
        ),
        Err(refusal) => {
            let notice = Notice::refused(&refusal, typed);
            pages.accounts(refusal.status, "", notice).await
        }
    }
}

async fn opened(pages: &Pages, typed: &Fields) -> Result<String, Refusal> {
    let mut account = json!({ "id": typed.get("id") });
    if let Some(amount) = typed.filled("wallet") {
        account["walletInr"] = number(amount)?;
    }
    let opened = pages.api.post("/control/accounts", &account).await?;
    Ok(member(&opened, "id"))
}

/// An amount that somebody typed.
pub(super) fn number(typed: &str) -> Result<Value, Refusal> {
    typed
        .parse::<f64>()
        .map(|it| json!(it))
        .map_err(|_| Refusal {
            status: StatusCode::BAD_REQUEST,
            message: "an amount is a number, such as 500 or 12.50".to_owned(),
            answer: Value::Null,
        })
}

impl Pages {
    /// The list of the accounts whose ids have this part.
    async fn accounts(&self, status: StatusCode, part: &str, notice: Notice) -> Response {
        let accounts = match self.api.get("/control/accounts").await {
            Ok(accounts) => accounts,
            Err(refusal) => return self.refusal("/", &refusal),
        };
        let all = items(&accounts, "accounts");
        let named = |it: &&Value| member(it, "id").contains(part);
        let found = all.iter().filter(named).count();
        let shown = all.iter().filter(named).take(ROWS);
        let rows: Vec<Vec<Markup>> = shown.map(|it| self.account_row(it)).collect();
        let columns = [
            "Account",
            "Its clock shows",
            "Clock",
            "Live wallet, INR",
            "Held, INR",
            "Calls",
        ];
        let content = html! {
            section {
                h2 { "Open an account" }
                form method="post" action=(self.to(PART)) {
                    label { "Id: what its keys say after svc_test_ and svc_live_"
                        input name="id" required pattern="[A-Za-z0-9_.\\-]{1,100}" value=(text(notice.typed.get("id")));
                    }
                    label { "In its live wallet, INR"
                        input name="wallet" inputmode="decimal" value=(text(notice.typed.get("wallet")));
                    }
                    button { "Open" }
                }
                p { a href=(self.to("/import")) { "Read an account from a file" } ", as an account's page exports it" }
            }
            section {
                @if all.len() > ROWS || !part.is_empty() {
                    form.filters method="get" action=(self.to(PART)) {
                        label { "Part of an id" input name="id" value=(part) size="16"; }
                        button { "Find" }
                    }
                    p { (rows.len()) " of " (found) @if !part.is_empty() { " with this in their id, of " (all.len()) } " accounts"
                        @if !part.is_empty() { " · " a href=(self.to(PART)) { "All" } }
                    }
                }
                (table("Accounts", &columns, &rows))
                p { a href=(self.to("/reset")) { "Reset all accounts" } }
            }
        };
        self.page(status, (PART, "Accounts"), &notice, &content)
    }

    fn account_row(&self, account: &Value) -> Vec<Markup> {
        let id = member(account, "id");
        let of = |environment| &account["calls"][environment];
        let calls = format!("{} test, {} live", of("test"), of("live"));
        vec![
            html! { a href=(self.to(&format!("{PART}/{}", encoded(&id)))) { (id) } },
            html! { a href=(self.to(&format!("/time/{}", encoded(&id)))) { (member(account, "now")) } },
            cell(account, "clock"),
            html! { (rupees(&account["live"], "balance")) },
            html! { (rupees(&account["live"], "held")) },
            html! { (calls) },
        ]
    }
}
