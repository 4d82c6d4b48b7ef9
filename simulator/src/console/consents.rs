//! The consents that are pending, with allow and refuse.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, StatusCode, Uri};
use maud::{Markup, html};
use serde_json::json;

use super::Pages;
use super::api::encoded;
use super::form::Fields;
use super::layout::{Notice, cell, instant, items, member, table};

const PART: &str = "/consents";

pub(super) async fn list(
    State(pages): State<Arc<Pages>>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let query = Fields::of(uri.query().unwrap_or_default().as_bytes());
    let account = query.filled("account").map(str::to_owned);
    pages
        .inbox(StatusCode::OK, Notice::of(&headers), account)
        .await
}

pub(super) async fn decide(State(pages): State<Arc<Pages>>, body: Bytes) -> Response {
    let typed = Fields::form(&body);
    let (decision, account) = (typed.get("decision"), typed.get("account"));
    let path = format!("/control/consents/{}", encoded(typed.get("id")));
    let body = json!({ "decision": decision, "account": account });
    match pages.api.post(&path, &body).await {
        Ok(decided) => {
            let (status, code) = (member(&decided, "status"), member(&decided, "code"));
            let done = format!("{} is {status} {code}", member(&decided, "verificationId"));
            pages.back(PART, done.trim())
        }
        Err(refusal) => {
            let notice = Notice::refused(&refusal, Fields::default());
            pages.inbox(refusal.status, notice, None).await
        }
    }
}

impl Pages {
    async fn inbox(&self, status: StatusCode, notice: Notice, account: Option<String>) -> Response {
        let path = account.map_or_else(
            || "/control/consents".to_owned(),
            |id| format!("/control/consents?account={}", encoded(&id)),
        );
        let consents = match self.api.get(&path).await {
            Ok(consents) => consents,
            Err(refusal) => return self.refusal("/", &refusal),
        };
        let rows = items(&consents, "consents").iter().map(|it| {
            let id = member(it, "verificationId");
            let documents = items(it, "documents").iter().filter_map(|it| it.as_str());
            let documents: Vec<String> = documents.map(super::layout::text).collect();
            vec![
                cell(it, "account"),
                cell(it, "environment"),
                instant(it, "since"),
                html! { @if documents.is_empty() { "all documents" } @else { (documents.join(", ")) } },
                html! { a href=(member(it, "link")) rel="noreferrer" { code { (id) } } },
                html! {
                    form method="post" action=(self.to(PART)) {
                        input type="hidden" name="id" value=(id);
                        input type="hidden" name="account" value=(member(it, "account"));
                        button name="decision" value="allow" aria-label=(format!("Allow {id}")) { "Allow" }
                        button.danger name="decision" value="refuse" aria-label=(format!("Refuse {id}")) { "Refuse" }
                    }
                },
            ]
        });
        let rows: Vec<Vec<Markup>> = rows.collect();
        let columns = [
            "Account",
            "Environment",
            "Since",
            "Asks for",
            "Consent page",
            "Decide",
        ];
        let content = html! {
            section {
                @if rows.is_empty() { p { "Nobody is asked anything." } }
                @else { (table("Pending consents", &columns, &rows)) }
            }
        };
        self.page(status, (PART, "Consents"), &notice, &content)
    }
}
