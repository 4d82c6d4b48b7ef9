//! What calls will cost: of those that are kept at an address of its own, of a file or a mix from a form. The control API
//! reckons; nothing is called or kept.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::response::Response;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode, Uri};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::Pages;
use super::api::Refusal;
use super::forecast_view;
use super::form::Fields;
use super::layout::{Notice, items, lines, member, text};
use super::upload;

const PART: &str = "/calls";

/// The longest file that the page reads: as long as the control API reads one.
pub(super) const LONGEST_FILE: usize = 16 << 20;

/// The fields that are told as they are typed.
const TEXTS: [&str; 6] = [
    "account",
    "from",
    "span",
    "retryWithin",
    "cacheFor",
    "prices",
];

/// The fields that are numbers.
const NUMBERS: [&str; 3] = ["wallet", "days", "callsPerMonth"];

/// The forms, and what calls that are kept come to where they are asked for.
pub(super) async fn show(
    State(pages): State<Arc<Pages>>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let typed = Fields::of(uri.query().unwrap_or_default().as_bytes());
    if uri.query().is_none_or(str::is_empty) {
        let notice = Notice::of(&headers);
        return page(&pages, StatusCode::OK, &notice, &typed, &html! {}).await;
    }
    let mut ask = asked(&typed);
    if typed.filled("account").is_none() {
        ask["allAccounts"] = json!(true);
    }
    match pages.api.post("/control/forecast", &ask).await {
        // A link from elsewhere names the account alone: what is missing was not typed yet, and is no mistake.
        Err(refusal) if typed.names().all(|name| name == "account") => {
            let missing = html! { section { p { (text(&refusal.message)) } } };
            let notice = Notice::of(&headers);
            page(&pages, StatusCode::OK, &notice, &typed, &missing).await
        }
        told => shown(&pages, told, typed).await,
    }
}

/// What a file or a text comes to.
pub(super) async fn read(
    State(pages): State<Arc<Pages>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let kind = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok());
    let typed = typed(&body, kind.unwrap_or_default());
    let mut ask = asked(&typed);
    let member = match typed.get("kind") {
        "traffic" => "traffic",
        _ => "mix",
    };
    ask[member] = json!(typed.raw("text"));
    let told = pages.api.post("/control/forecast", &ask).await;
    shown(&pages, told, typed).await
}

/// The fields of the form. The text is the file's where one was chosen.
fn typed(body: &Bytes, kind: &str) -> Fields {
    if !kind.starts_with("multipart/form-data") {
        return Fields::form(body);
    }
    let of = |name: &str| {
        let found = upload::part(body, kind, name).unwrap_or_default();
        String::from_utf8_lossy(found).replace("\r\n", "\n")
    };
    let file = of("file");
    let text = if file.trim().is_empty() {
        of("text")
    } else {
        file
    };
    let others = TEXTS.iter().chain(&NUMBERS).chain(&["kind", "asLive"]);
    let others = others.map(|name| (*name, of(name)));
    Fields::pairs(others.chain([("text", text)]))
}

/// What the control API is asked, beside what it is asked of.
fn asked(typed: &Fields) -> Value {
    let mut ask = json!({});
    for name in TEXTS {
        if let Some(value) = typed.filled(name) {
            ask[name] = json!(value);
        }
    }
    for name in NUMBERS {
        if let Some(value) = typed.filled(name) {
            // What is no number is told by the control API, as it was typed.
            ask[name] = serde_json::from_str(value).unwrap_or_else(|_| json!(value));
        }
    }
    if typed.filled("asLive").is_some() {
        ask["asLive"] = json!(true);
    }
    ask
}

async fn shown(pages: &Pages, told: Result<Value, Refusal>, typed: Fields) -> Response {
    match told {
        Ok(forecast) => {
            let shown = forecast_view::shown(&forecast);
            page(pages, StatusCode::OK, &Notice::default(), &typed, &shown).await
        }
        Err(refusal) => {
            let notice = Notice::refused(&refusal, typed.clone());
            page(pages, refusal.status, &notice, &typed, &html! {}).await
        }
    }
}

async fn page(
    pages: &Pages,
    status: StatusCode,
    notice: &Notice,
    typed: &Fields,
    shown: &Markup,
) -> Response {
    let written = match typed.raw("text") {
        "" => sample(pages).await,
        text => text.to_owned(),
    };
    let content = html! {
        (shown)
        (of_kept(pages, typed))
        (of_text(pages, typed, &written))
        p { a href=(pages.to("/guide/use/forecast")) { "How it is reckoned" } }
    };
    pages.page(status, (PART, "What it will cost"), notice, &content)
}

/// A mix to begin with: of the first operation and the first bundle.
async fn sample(pages: &Pages) -> String {
    let all = pages
        .api
        .get("/control/operations")
        .await
        .unwrap_or_default();
    let first = |list: &str| items(&all, list).first().map(|row| member(row, "id"));
    let of = |id: Option<String>, more: &str| {
        id.map(|id| format!("[[calls]]\nendpoint = \"{id}\"\n{more}"))
    };
    let alone = of(
        first("operations"),
        "per_day = 1000\nno_record = 0.05\nfailed = 0.01\n",
    );
    let bundle = of(first("bundles"), "per_month = 500\nretries = 0.02\n");
    let parts: Vec<String> = [alone, bundle].into_iter().flatten().collect();
    parts.join("\n")
}

fn of_kept(pages: &Pages, typed: &Fields) -> Markup {
    html! {
        section {
            h2 { "Of the calls that are kept" }
            form.tall method="get" action=(pages.to("/forecast")) {
                label { "Account; all where it is left out" input name="account" value=(text(typed.get("account"))); }
                (about_traffic(typed))
                (common(typed))
                div { button { "Foretell a month" } }
            }
        }
    }
}

fn of_text(pages: &Pages, typed: &Fields, written: &str) -> Markup {
    html! {
        section {
            h2 { "Of a mix, or of a file of calls" }
            form.tall method="post" enctype="multipart/form-data" action=(pages.to("/forecast")) {
                label { "What it is"
                    select name="kind" {
                        option value="mix" { "a mix, in TOML" }
                        option value="traffic" selected[typed.get("kind") == "traffic"] { "calls that were made: a capture, or JSON, a line a call" }
                    }
                }
                label { "The file" input type="file" name="file"; }
                label { "Or its text" textarea name="text" rows="12" spellcheck="false" { (lines(written)) } }
                (about_traffic(typed))
                (common(typed))
                div { button { "Foretell a month" } }
            }
        }
    }
}

/// What is asked of calls that were made, and not of a mix.
fn about_traffic(typed: &Fields) -> Markup {
    html! {
        label { "Of calls: how long they stand for, such as 7d, where their times do not say it"
            input name="span" value=(text(typed.get("span")));
        }
        label { "Or how many a month brings" input type="number" min="1" name="callsPerMonth" value=(text(typed.get("callsPerMonth"))); }
        label.tick {
            input type="checkbox" name="asLive" value="true" checked[!typed.get("asLive").is_empty()];
            " reckon calls of the sandbox as if they had been made on live"
        }
    }
}

fn common(typed: &Fields) -> Markup {
    html! {
        label { "In the wallet, in INR" input type="number" min="0" step="0.01" name="wallet" value=(text(typed.get("wallet"))); }
        label { "From" input name="from" placeholder="2026-12-01" value=(text(typed.get("from"))); }
        label { "Days of a month" input type="number" min="1" max="366" name="days" placeholder="30" value=(text(typed.get("days"))); }
        label { "Prices, INR by endpoint, where they are not the contract's"
            textarea.few name="prices" rows="3" spellcheck="false" { (lines(typed.raw("prices"))) }
        }
    }
}
