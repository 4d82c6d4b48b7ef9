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
use super::form::{Fields, Message, lead_to};
use super::live;
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

/// What the page shows.
struct Shown {
    accounts: Vec<Account>,
    /// Whose receiver can be set.
    account: String,
    /// Where its webhooks go now, by environment.
    receivers: Vec<(&'static str, String)>,
    deliveries: Vec<DeliveryView>,
}

/// The deliveries of all accounts, or of one.
pub(super) async fn list(
    State(pages): State<Arc<Pages>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let filter = Filter::read(query.as_deref());
    let page = page(&pages, &headers, "Webhooks");
    match read(&pages, &filter).await {
        Ok(shown) => page.show(&listed(&pages, &filter, &shown, &Fields::default())),
        Err(refusal) => page.refused(&refusal),
    }
}

/// What the page has; `typed` is what was typed for a receiver that was refused.
fn listed(pages: &Pages, filter: &Filter, shown: &Shown, typed: &Fields) -> Markup {
    html! {
        (choose(pages, filter, &shown.accounts))
        (live::following(pages, "/webhooks/live", filter, &[("rows", rows(pages, &shown.deliveries))]))
        (settings(pages, shown, typed))
    }
}

/// The list again whenever it is another one.
pub(super) async fn live(State(pages): State<Arc<Pages>>, RawQuery(query): RawQuery) -> Response {
    live::follow(pages, query.as_deref(), |pages, filter| {
        Box::pin(async move {
            let found = deliveries(&pages, &filter).await.ok()?;
            Some(vec![("rows", rows(&pages, &found))])
        })
    })
}

fn page<'p>(pages: &'p Pages, headers: &'p HeaderMap, title: &'p str) -> Page<'p> {
    Page {
        pages,
        headers,
        part: "/webhooks",
        title,
    }
}

async fn deliveries(pages: &Pages, filter: &Filter) -> Result<Vec<DeliveryView>, Refusal> {
    let path = format!("/control/deliveries?{}", filter.query());
    let list: DeliveryList = pages.api.read(&path).await?;
    Ok(list
        .deliveries
        .into_iter()
        .map(|one| of(one, filter))
        .collect())
}

/// The list of one account does not repeat whose deliveries these are.
fn of(delivery: DeliveryView, filter: &Filter) -> DeliveryView {
    let account = delivery
        .account
        .or(filter.get("account").map(str::to_owned));
    DeliveryView {
        account,
        ..delivery
    }
}

async fn read(pages: &Pages, filter: &Filter) -> Result<Shown, Refusal> {
    let AccountList { accounts } = pages.api.read("/control/accounts").await?;
    let deliveries = deliveries(pages, filter).await?;
    let wanted = filter.get("account").map(str::to_owned);
    let account = match wanted.or_else(|| deliveries.first()?.account.clone()) {
        Some(account) => account,
        None => last_used(pages, &accounts).await?,
    };
    let receivers = match account.as_str() {
        "" => Vec::new(),
        account => {
            let path = format!("/control/accounts/{}", encoded(account));
            receivers(&pages.api.get(&path).await?)
        }
    };
    Ok(Shown {
        accounts,
        account,
        receivers,
        deliveries,
    })
}

/// Where an account's webhooks go, by environment.
pub(super) fn receivers(account: &Value) -> Vec<(&'static str, String)> {
    let of = |environment| {
        let url = account[environment]["webhook"]["url"].as_str()?;
        Some((environment, url.to_owned()))
    };
    ["test", "live"].into_iter().filter_map(of).collect()
}

/// The account that made the newest call; the first where none did.
async fn last_used(pages: &Pages, accounts: &[Account]) -> Result<String, Refusal> {
    let newest = pages.api.get("/control/calls?limit=1").await?;
    let first = || accounts.first().map(|account| account.id.clone());
    let account = newest["calls"][0]["account"].as_str();
    Ok(account
        .map(str::to_owned)
        .or_else(first)
        .unwrap_or_default())
}

fn choose(pages: &Pages, filter: &Filter, accounts: &[Account]) -> Markup {
    let select = |name: &str, values: &[&str]| {
        let given = filter.get(name).unwrap_or_default();
        html! {
            select name=(name) {
                option value="" { "any" }
                @for value in values { option value=(value) selected[*value == given] { (value) } }
            }
        }
    };
    let all: Vec<&str> = accounts.iter().map(|one| one.id.as_str()).collect();
    html! {
        form.filters method="get" action=(pages.to("/webhooks")) {
            label { "Account" (select("account", &all)) }
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
        div.region id="deliveries" tabindex="0" role="region" aria-label="Deliveries" {
            table {
                thead {
                    tr {
                        th scope="col" { "Since" } th scope="col" { "Account" } th scope="col" { "Delivery" } th scope="col" { "Environment" }
                        th scope="col" { "State" } th.number scope="col" { "Attempts" } th scope="col" { "Last came to" }
                        th scope="col" { "Next due" }
                    }
                }
                tbody {
                    @for one in found {
                        tr {
                            td data-label="Since" { time.mono datetime=(one.since) { (one.since) } }
                            td data-label="Account" { (shown(one.account.as_deref().unwrap_or_default())) }
                            td data-label="Delivery" { a id=(one.id) href=(pages.to(&path(&one.id))) { code { (one.id) } } }
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
fn settings(pages: &Pages, on: &Shown, typed: &Fields) -> Markup {
    let account = || {
        html! {
            label {
                "Account"
                select name="account" {
                    @for one in &on.accounts { option value=(one.id) selected[one.id == on.account] { (one.id) } }
                }
            }
        }
    };
    html! {
        section {
            h2 { "Receiver" }
            p {
                @if on.receivers.is_empty() { "Webhooks of " (shown(&on.account)) " go nowhere yet." }
                @for (environment, url) in &on.receivers {
                    "Those of " (shown(&on.account)) " on " (environment) " go to " code { (shown(url)) } ". "
                }
            }
            form.row method="post" action=(pages.to("/webhooks/receiver")) {
                (account())
                label { "URL" input name="url" type="url" size="40" placeholder="http://127.0.0.1:3000/webhooks" value=(typed.get("url")) required; }
                label { "Signing secret" input name="secret" value=(typed.filled("secret").unwrap_or("whsec_sample")) size="20" required; }
                button { "Send webhooks there" }
            }
            form.row method="post" action=(pages.to("/webhooks/test")) {
                (account())
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
    match read_one(&pages, &id).await {
        Ok(delivery) => {
            let live = format!("{}/live", path(&delivery.id));
            page.show(&html! {
                form.actions method="post" action=(pages.to(&format!("{}/redeliver", path(&delivery.id)))) {
                    button { "Deliver it again now" }
                }
                (live::following(&pages, &live, &Filter::read(None), &content(&pages, &delivery)))
            })
        }
        Err(refusal) => page.refused(&refusal),
    }
}

async fn read_one(pages: &Pages, id: &str) -> Result<DeliveryView, Refusal> {
    let path = format!("/control/deliveries/{}", encoded(id));
    let read: DeliveryView = pages.api.read(&path).await?;
    Ok(read.at_the_second())
}

/// One delivery again whenever something of it is new.
pub(super) async fn live_one(
    State(pages): State<Arc<Pages>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    let id = Arc::new(id);
    live::follow(pages, query.as_deref(), move |pages, _| {
        let id = Arc::clone(&id);
        Box::pin(async move {
            let delivery = read_one(&pages, &id).await.ok()?;
            Some(content(&pages, &delivery).to_vec())
        })
    })
}

/// Where it is on its account's clock; and what was sent, which somebody may have unfolded.
fn content(pages: &Pages, delivery: &DeliveryView) -> [live::Part; 2] {
    let call = format!("/calls/{}", encoded(&delivery.verification_id));
    let state = html! {
        dl.facts {
            dt { "Delivery" } dd { code { (delivery.id) } }
            dt { "Result of" } dd { a href=(pages.to(&call)) { code { (delivery.verification_id) } } }
            @if let Some(account) = &delivery.account {
                dt { "Account" }
                dd {
                    a href=(pages.to(&format!("/accounts/{}", encoded(account)))) { (shown(account)) }
                    @if let Some(now) = &delivery.now {
                        ", whose clock shows "
                        a href=(pages.to(&format!("/time/{}", encoded(account)))) { time.mono datetime=(now) { (now) } }
                    }
                }
            }
            dt { "Environment" } dd { (delivery.environment) }
            dt { "State" } dd { (badge(&delivery.state, None)) }
            @if let Some(due) = &delivery.next_due {
                dt { "Next attempt" } dd { time.mono datetime=(due) { (due) } " by the account's clock" }
            }
        }
        (schedule::picture(delivery))
    };
    let sent = html! {
        @for attempt in delivery.attempts.iter().rev() { (attempted(attempt)) }
        section {
            h2 { "Body, the same at each attempt" }
            (json_text(delivery.body.as_deref().unwrap_or_default(), &[]))
        }
    };
    [("clock", state), ("rows", sent)]
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
    let done = done
        .map(|_| "One more attempt is being made: it is listed here when it has ended.".to_owned());
    lead_to(&pages.to(&path(&id)), &Message::of(done))
}

/// Registers where an account's webhooks go.
pub(super) async fn receiver(
    State(pages): State<Arc<Pages>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let form = Fields::form(&body);
    let account = encoded(form.get("account"));
    let ask = json!({ "url": form.get("url"), "secret": form.raw("secret") });
    let set = pages
        .api
        .ask(
            Method::PUT,
            &format!("/control/accounts/{account}/webhook"),
            Some(&ask),
        )
        .await;
    let query = format!("account={account}");
    let Err(refusal) = set else {
        let (account, url) = (form.get("account"), form.get("url"));
        let done = format!("Webhooks of account {account} go to {url} now.");
        return lead_to(
            &pages.to(&format!("/webhooks?{query}")),
            &Message::Done(done),
        );
    };
    let page = page(&pages, &headers, "Webhooks");
    let filter = Filter::read(Some(&query));
    match read(&pages, &filter).await {
        Ok(shown) => page.answer(
            refusal.status,
            &html! {
                p.message.bad role="alert" { (self::shown(&refusal.message)) }
                (listed(&pages, &filter, &shown, &form))
            },
        ),
        Err(_) => page.refused(&refusal),
    }
}

/// Makes a webhook of an account happen.
pub(super) async fn test(State(pages): State<Arc<Pages>>, body: Bytes) -> Response {
    let form = Fields::form(&body);
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
