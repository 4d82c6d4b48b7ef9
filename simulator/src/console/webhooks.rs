//! The deliveries of an account's webhooks: what was sent where, what came of it, and what is still to come.

use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, Method};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Pages;
use super::api::{Refusal, encoded};
use super::delivery::{AttemptView, DeliveryView};
use super::filter::Filter;
use super::form::{FormFields, Message, lead_to};
use super::page::Page;
use super::schedule;
use super::text::{badge, json_text, shown};

#[derive(Deserialize)]
struct AccountList {
    accounts: Vec<Account>,
}

#[derive(Deserialize)]
struct Account {
    id: String,
}

#[derive(Deserialize)]
struct DeliveryList {
    deliveries: Vec<DeliveryView>,
}

/// The deliveries of an account.
pub(super) async fn list(
    State(pages): State<Arc<Pages>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let filter = Filter::read(query.as_deref());
    let page = page(&pages, &headers, "Webhooks");
    match read(&pages, &filter).await {
        Ok((account, accounts, found)) => page.show(&html! {
            (choose(&pages, &filter, &account, &accounts))
            (rows(&pages, &found))
            (settings(&pages, &account))
        }),
        Err(refusal) => page.refused(&refusal),
    }
}

fn page<'p>(pages: &'p Pages, headers: &'p HeaderMap, title: &'p str) -> Page<'p> {
    Page {
        pages,
        headers,
        part: "/webhooks",
        title,
    }
}

async fn read(
    pages: &Pages,
    filter: &Filter,
) -> Result<(String, Vec<Account>, Vec<DeliveryView>), Refusal> {
    let AccountList { accounts } = pages.api.read("/control/accounts").await?;
    let first = accounts.first().map(|account| account.id.clone());
    let account = filter
        .get("account")
        .map(str::to_owned)
        .or(first)
        .unwrap_or_default();
    let query = filter.with("account", &account);
    let path = format!("/control/deliveries?{query}");
    let list: DeliveryList = pages.api.read(&path).await?;
    Ok((account, accounts, list.deliveries))
}

fn choose(pages: &Pages, filter: &Filter, account: &str, accounts: &[Account]) -> Markup {
    let select = |name: &str, values: &[&str]| {
        let given = filter.get(name).unwrap_or_default();
        html! {
            select name=(name) {
                option value="" { "any" }
                @for value in values { option value=(value) selected[*value == given] { (value) } }
            }
        }
    };
    html! {
        form.filters method="get" action=(pages.to("/webhooks")) {
            label {
                "Account"
                select name="account" {
                    @for one in accounts { option value=(one.id) selected[one.id == account] { (one.id) } }
                }
            }
            label { "Environment" (select("environment", &["test", "live"])) }
            label { "State" (select("state", &["due", "delivered", "dead"])) }
            button { "Filter" }
        }
    }
}

fn rows(pages: &Pages, found: &[DeliveryView]) -> Markup {
    if found.is_empty() {
        return html! { p { "No delivery that fits: results that come later are sent to the receiver below." } };
    }
    html! {
        div.region tabindex="0" role="region" aria-label="Deliveries" {
            table {
                thead {
                    tr {
                        th scope="col" { "Since" } th scope="col" { "Delivery" } th scope="col" { "Environment" }
                        th scope="col" { "State" } th.number scope="col" { "Attempts" } th scope="col" { "Last came to" }
                        th scope="col" { "Next due" }
                    }
                }
                tbody {
                    @for one in found {
                        tr {
                            td data-label="Since" { time.mono datetime=(one.since) { (one.since) } }
                            td data-label="Delivery" { a href=(pages.to(&path(&one.id))) { code { (one.id) } } }
                            td data-label="Environment" { (one.environment) }
                            td data-label="State" { (badge(&one.state, None)) }
                            td.number data-label="Attempts" { (one.attempts.len()) }
                            td.wide data-label="Last came to" { @if let Some(last) = one.attempts.last() { (shown(&last.came_to())) } }
                            td data-label="Next due" { @if let Some(due) = &one.next_due { time.mono datetime=(due) { (due) } } }
                        }
                    }
                }
            }
        }
    }
}

fn path(id: &str) -> String {
    format!("/webhooks/{}", encoded(id))
}

/// Where webhooks go, and one to try it with.
fn settings(pages: &Pages, account: &str) -> Markup {
    html! {
        section {
            h2 { "Receiver of account " (account) }
            form.row method="post" action=(pages.to("/webhooks/receiver")) {
                input type="hidden" name="account" value=(account);
                label { "URL" input name="url" type="url" size="40" placeholder="http://127.0.0.1:3000/webhooks" required; }
                label { "Signing secret" input name="secret" value="whsec_sample" size="20" required; }
                button { "Send webhooks there" }
            }
            form.row method="post" action=(pages.to("/webhooks/test")) {
                input type="hidden" name="account" value=(account);
                button.quiet { "Send a test event" }
            }
        }
    }
}

/// One delivery.
pub(super) async fn one(
    State(pages): State<Arc<Pages>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    let page = page(&pages, &headers, "A delivery");
    match pages
        .api
        .read::<DeliveryView>(&format!("/control/deliveries/{}", encoded(&id)))
        .await
    {
        Ok(delivery) => page.show(&content(&pages, &delivery)),
        Err(refusal) => page.refused(&refusal),
    }
}

fn content(pages: &Pages, delivery: &DeliveryView) -> Markup {
    let call = format!("/calls/{}", encoded(&delivery.verification_id));
    html! {
        dl.facts {
            dt { "Delivery" } dd { code { (delivery.id) } }
            dt { "Result of" } dd { a href=(pages.to(&call)) { code { (delivery.verification_id) } } }
            dt { "Environment" } dd { (delivery.environment) }
            dt { "State" } dd { (badge(&delivery.state, None)) }
            @if let Some(due) = &delivery.next_due {
                dt { "Next attempt" } dd { time.mono datetime=(due) { (due) } " by the account's clock" }
            }
        }
        (schedule::picture(delivery))
        form.actions method="post" action=(pages.to(&format!("{}/redeliver", path(&delivery.id)))) {
            button { "Deliver it again now" }
        }
        @for attempt in delivery.attempts.iter().rev() { (attempted(attempt)) }
        section {
            h2 { "Body, the same at each attempt" }
            (json_text(delivery.body.as_deref().unwrap_or_default(), &[]))
        }
    }
}

fn attempted(attempt: &AttemptView) -> Markup {
    html! {
        section {
            h2 { "Attempt " (attempt.number) ": " (shown(&attempt.came_to())) }
            dl.facts {
                dt { "Due" } dd { time.mono datetime=(attempt.due) { (attempt.due) } " (" (attempt.why) ")" }
                @if let Some(url) = &attempt.url { dt { "To" } dd { code { (shown(url)) } } }
                @if let Some(signature) = &attempt.signature { dt { "Signature" } dd { code { (shown(signature)) } } }
            }
            @if let Some(base) = &attempt.signature_base {
                details { summary { "What was signed" } pre tabindex="0" { (shown(base)) } }
            }
            @if !attempt.response_excerpt.is_empty() {
                h3 { "What the receiver answered, its beginning" }
                (json_text(&attempt.response_excerpt, &[]))
            }
        }
    }
}

/// Attempts a delivery once more.
pub(super) async fn redeliver(State(pages): State<Arc<Pages>>, Path(id): Path<String>) -> Response {
    let ask = format!("/control/deliveries/{}/redeliver", encoded(&id));
    let done = pages.api.ask(Method::POST, &ask, None).await;
    let done = done.map(|_| {
        "One more attempt is being made; load the page again to see what came of it.".to_owned()
    });
    lead_to(&pages.to(&path(&id)), &Message::of(done))
}

/// Registers where an account's webhooks go.
pub(super) async fn receiver(State(pages): State<Arc<Pages>>, body: Bytes) -> Response {
    let form = FormFields::read(&body);
    let account = encoded(form.get("account"));
    let ask = json!({ "url": form.get("url"), "secret": form.get("secret") });
    let set = pages
        .api
        .ask(
            Method::PUT,
            &format!("/control/accounts/{account}/webhook"),
            Some(&ask),
        )
        .await;
    let set = set.map(|_| {
        format!(
            "Webhooks of account {} go to {} now.",
            form.get("account"),
            form.get("url")
        )
    });
    lead_to(
        &pages.to(&format!("/webhooks?account={account}")),
        &Message::of(set),
    )
}

/// Makes a webhook of an account happen.
pub(super) async fn test(State(pages): State<Arc<Pages>>, body: Bytes) -> Response {
    let form = FormFields::read(&body);
    let ask = json!({ "account": form.get("account") });
    let back = format!("/webhooks?account={}", encoded(form.get("account")));
    let (to, message) = match pages
        .api
        .ask(Method::POST, "/control/trigger", Some(&ask))
        .await
    {
        Ok(made) => match (made["deliveryId"].as_str(), made["note"].as_str()) {
            (Some(id), _) => (
                path(id),
                Ok("This is the test event's delivery.".to_owned()),
            ),
            (None, note) => (
                back,
                Ok(note.map_or_else(|| Value::to_string(&made), str::to_owned)),
            ),
        },
        Err(refusal) => (back, Err(refusal)),
    };
    lead_to(&pages.to(&to), &Message::of(message))
}
