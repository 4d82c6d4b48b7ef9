//! One call: what was asked, what it got, and why.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use http::HeaderMap;
use maud::{Markup, html};
use serde::Deserialize;

use super::Pages;
use super::api::{Refusal, encoded};
use super::call_story;
use super::call_view::{CallView, Received};
use super::page::Page;
use super::text::{badge, json, json_text, shown};
use super::why;

/// The page of a call.
pub(super) async fn show(
    State(pages): State<Arc<Pages>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    let page = Page {
        pages: &pages,
        headers: &headers,
        part: "/calls",
        title: "A call",
    };
    let id = encoded(&id);
    match pages
        .api
        .read::<CallView>(&format!("/control/calls/{id}"))
        .await
    {
        Ok(call) => {
            let deliveries = deliveries(&pages, &call).await.unwrap_or_default();
            let why = why::of_call(&pages, &call).await;
            let title = format!("{} on {}", call.endpoint, call.environment);
            Page {
                title: &title,
                ..page
            }
            .show(&content(&pages, &call, &deliveries, &why))
        }
        Err(refusal) => page.refused(&refusal),
    }
}

#[derive(Deserialize)]
struct DeliveryList {
    deliveries: Vec<ResultDelivery>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResultDelivery {
    id: String,
    state: String,
    next_due: Option<String>,
}

/// The deliveries of its result.
async fn deliveries(pages: &Pages, call: &CallView) -> Result<Vec<ResultDelivery>, Refusal> {
    let account = encoded(call.account.as_deref().unwrap_or_default());
    let id = &call.verification_id;
    let path = format!("/control/deliveries?account={account}&verificationId={id}");
    let list: DeliveryList = pages.api.read(&path).await?;
    Ok(list.deliveries)
}

fn content(pages: &Pages, call: &CallView, deliveries: &[ResultDelivery], why: &Markup) -> Markup {
    let account = call.account.as_deref().unwrap_or_default();
    let key = call
        .request
        .as_ref()
        .and_then(|request| request.header("idempotency-key"));
    html! {
        dl.facts {
            dt { "Verification" } dd { code { (call.verification_id) } }
            dt { "Account" }
            dd { a href=(pages.to(&format!("/calls?account={}", encoded(account)))) { (account) } }
            dt { "When" } dd { time.mono datetime=(call.at) { (call.at) } " by the account's clock" }
            dt { "Outcome" }
            dd {
                (badge(&call.status, call.code.as_deref())) " HTTP " (call.http_status)
                @if let Some(first) = call.pending_http_status { ", the result that came later: the call itself was answered " (first) ", pending" }
            }
            @if let Some(fault) = &call.on_the_wire { dt { "On the wire" } dd { mark { (shown(fault)) } } }
            dt { "Why" } dd { (shown(&call.because)) }
            dt { "Charged" } dd { (call.charged) " INR" }
            @if let Some(bundle) = &call.bundle {
                dt { "Step of" } dd { a href=(pages.to(&format!("/calls/{bundle}"))) { "a bundle" } }
            }
            @for delivery in deliveries {
                dt { "Webhook" }
                dd {
                    a href=(pages.to(&format!("/webhooks/{}", encoded(&delivery.id)))) { code { (delivery.id) } }
                    " " (badge(&delivery.state, None))
                    @if let Some(due) = &delivery.next_due { " next attempt due " time.mono datetime=(due) { (due) } }
                }
            }
        }
        (actions(pages, call, key))
        (call_story::stages(call))
        div.columns {
            section { h2 { "Request" } (received(call.request.as_ref())) }
            section {
                h2 { "Answer" }
                @match &call.envelope { Some(envelope) => (json(envelope, &[])), None => p { "None yet." } }
            }
        }
        @if let Some(second) = &call.second_request { section { h2 { "Second request" } (received(Some(second))) } }
        (call_story::steps(pages, call))
        (call_story::keys(pages, call))
        (why)
        @if let Some(line) = &call.curl { (as_curl(line)) }
    }
}

/// The same call for a shell. The call log has no key, so that the shell must.
fn as_curl(line: &str) -> Markup {
    html! {
        section {
            h2 { "The same from a shell" }
            p.soft { "With the account's key in " code { "SVC_API_KEY" } ": " code { "export SVC_API_KEY=svc_test_…" } }
            pre id="curl" tabindex="0" { (shown(line)) }
            button.quiet.needs-script type="button" data-copy="curl" { "Copy as curl" }
        }
    }
}

/// What can be done with it. Without a script the line for a shell is selected by hand.
fn actions(pages: &Pages, call: &CallView, key: Option<&str>) -> Markup {
    let here = format!("/calls/{}", encoded(&call.verification_id));
    let again = pages.to(&format!("{here}/again"));
    html! {
        div.actions {
            form method="post" action=(again) { button { "Send it again, as a new call" } }
            @if key.is_some() {
                form method="post" action=(again) {
                    input type="hidden" name="key" value="same";
                    button.quiet { "Send it again with its idempotency key" }
                }
            }
        }
        form.row method="post" action=(pages.to(&format!("{here}/next"))) {
            label {
                "Calls like this"
                select name="times" {
                    option value="once" { "the next one only" }
                    option value="always" { "from now on" }
                }
            }
            label {
                "get"
                select name="outcome" {
                    @for code in &pages.settings.error_codes { option value=(code) { "the error " (code) } }
                    option value="pending" { "a pending result, completed after 25 s" }
                    option value="wait" { "an answer that takes its time" }
                }
            }
            label { "after (for an answer that takes its time)" input name="delay" value="5s" size="6"; }
            button { "Write the scenario" }
        }
    }
}

fn received(request: Option<&Received>) -> Markup {
    let Some(request) = request else {
        return html! { p { "It is a step of a bundle: the bundle's call has the request." } };
    };
    html! {
        pre tabindex="0" {
            (shown(&request.method)) " " (shown(&request.path))
            @if let Some(query) = &request.query { "?" (shown(query)) }
            "\n"
            @for header in &request.headers { (shown(&header.name)) ": " (shown(&header.value)) "\n" }
        }
        @if !request.unknown_members.is_empty() {
            p { "No field has the name of what is " mark { "marked" } ": it was ignored." }
        }
        @match &request.body {
            Some(body) => (json_text(body, &request.unknown_members)),
            None => p.soft { "Its body was not read." },
        }
        p.soft {
            "From " (request.caller)
            @if let Some(bytes) = request.body_bytes { ", " (bytes) " bytes" }
            @if request.body_cut { ", of which the beginning is shown" }
        }
    }
}
