//! The reference: operations with their prices, errors with an input for each, fixed inputs, and what describes the API for
//! programs.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, StatusCode};
use maud::{Markup, PreEscaped, html};
use serde_json::{Value, json};

use super::Pages;
use super::api::{Refusal, encoded};
use super::layout::{items, member, rupees};
use super::page::Page;

const PART: &str = "/operations";

/// Its pages on the console: path and name.
const PAGES: [(&str, &str); 5] = [
    ("/operations", "Operations"),
    ("/errors", "Errors"),
    ("/inputs", "Fixed inputs"),
    ("/docs/", "All requests and answers"),
    ("/openapi.json", "OpenAPI document"),
];

fn page<'p>(pages: &'p Pages, headers: &'p HeaderMap, title: &'p str) -> Page<'p> {
    Page {
        pages,
        headers,
        part: PART,
        title,
    }
}

impl Pages {
    /// The pages of the reference, on each of them.
    fn reference(&self, here: &str) -> Markup {
        html! {
            p {
                @for (at, (path, name)) in PAGES.into_iter().enumerate() {
                    @if at > 0 { " · " }
                    a href=(self.to(path)) aria-current=[(path == here).then_some("page")] { (name) }
                }
            }
        }
    }
}

/// Every operation and bundle with its price and path.
pub(super) async fn operations(State(pages): State<Arc<Pages>>, headers: HeaderMap) -> Response {
    let page = page(&pages, &headers, "Operations");
    let all = match pages.api.get("/control/operations").await {
        Ok(all) => all,
        Err(refusal) => return page.refused(&refusal),
    };
    let rows = |name: &'static str, price: &'static str| {
        html! {
            div.region id=(name) tabindex="0" role="region" aria-label=(name) {
                table {
                    thead {
                        tr {
                            th scope="col" { "Operation" } th scope="col" { "Category" } th.number scope="col" { (price) }
                            th scope="col" { "POST to" } th scope="col" { "May be pending" }
                        }
                    }
                    tbody { @for row in items(&all, name) { (operation(&pages, row)) } }
                }
            }
        }
    };
    page.show(&html! {
        (pages.reference("/operations"))
        p.quiet { "A conclusive live answer costs its price: a result, or that there is no record. The sandbox costs nothing." }
        (rows("operations", "INR on live"))
        h2 { "Bundles" }
        (rows("bundles", "INR on live, at least"))
    })
}

fn operation(pages: &Pages, row: &Value) -> Markup {
    let id = row["id"].as_str().unwrap_or_default();
    let pending = row["canBePending"] == true;
    html! {
        tr {
            td data-label="Operation" { a href=(pages.to(&format!("/try/{}", encoded(id)))) { (member(row, "title")) } br; code { (id) } }
            td data-label="Category" { (member(row, "category")) }
            td.number data-label="INR on live" { (rupees(row, "price")) }
            td data-label="POST to" { code { (member(row, "path")) } }
            td data-label="May be pending" { @if pending { "yes" } @else { "no" } }
        }
    }
}

/// Every error: when it comes, whether to try again, whether it is charged, and an input that gives it.
pub(super) async fn errors(State(pages): State<Arc<Pages>>, headers: HeaderMap) -> Response {
    let page = page(&pages, &headers, "Errors");
    match read_errors(&pages).await {
        Ok((errors, explanation)) => page.show(&table(&pages, &errors, &explanation)),
        Err(refusal) => page.refused(&refusal),
    }
}

/// The table, and the explanation of the first operation, which has an input for nearly every error.
async fn read_errors(pages: &Pages) -> Result<(Value, Value), Refusal> {
    let errors = pages.api.get("/control/errors").await?;
    let all = pages.api.get("/control/operations").await?;
    let accounts = pages.api.get("/control/accounts").await?;
    let ask = json!({
        "account": pages.first_account(&accounts),
        "operation": all["operations"][0]["id"],
    });
    let explanation = pages.api.post("/control/explain", &ask).await?;
    Ok((errors, explanation))
}

impl Pages {
    /// The account that examples are for.
    fn first_account(&self, accounts: &Value) -> String {
        let all = items(accounts, "accounts");
        let local = all.iter().find(|it| it["id"] == "local");
        local
            .or(all.first())
            .map_or_else(String::new, |it| member(it, "id"))
    }
}

fn table(pages: &Pages, errors: &Value, explanation: &Value) -> Markup {
    let said = |row: &Value, name: &str| if row[name] == true { "yes" } else { "no" };
    let operation = explanation["operation"].as_str().unwrap_or_default();
    html! {
        (pages.reference("/errors"))
        p.quiet {
            "The inputs are those of " code { (operation) } "; what a scenario may ask for, it may ask for of every operation."
        }
        div.region id="errors" tabindex="0" role="region" aria-label="Errors" {
            table {
                thead {
                    tr {
                        th scope="col" { "Code" } th.number scope="col" { "HTTP" } th scope="col" { "When" }
                        th scope="col" { "Try again" } th scope="col" { "Charged on live" } th scope="col" { "By scenario" }
                        th scope="col" { "An input that gives it" }
                    }
                }
                tbody {
                    @for row in items(errors, "errors") {
                        tr {
                            td data-label="Code" { code.whole { (member(row, "code")) } }
                            td.number data-label="HTTP" { (member(row, "status")) }
                            td.wide data-label="When" { (member(row, "meaning")) }
                            td data-label="Try again" { (said(row, "retryable")) }
                            td data-label="Charged on live" { (said(row, "billed")) }
                            td data-label="By scenario" { (said(row, "outcome")) }
                            td.wide data-label="An input that gives it" { (pages.inputs_of(explanation, row["code"].as_str().unwrap_or_default())) }
                        }
                    }
                }
            }
        }
    }
}

/// Every operation with its fixed inputs, and whoever has a story.
pub(super) async fn inputs(State(pages): State<Arc<Pages>>, headers: HeaderMap) -> Response {
    let page = page(&pages, &headers, "Fixed inputs");
    let make = Arc::clone(&pages.settings.operations);
    let made = pages.inputs.get_or_try_init(|| async {
        // Slow: on a thread that may block.
        tokio::task::spawn_blocking(move || make().into_string()).await
    });
    match made.await {
        Ok(made) => page.show(&html! { (pages.reference("/inputs")) (PreEscaped(made.clone())) }),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
