//! Why an input gets what it gets: which rule decides, which nearly did and what is missing, and an input for every other
//! outcome. By the rules in force now, for an account that begins, as the control API explains it.

use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::Pages;
use super::api::{Refusal, encoded};
use super::call_view::CallView;
use super::layout::{items, lines, member};
use super::text::{badge, shown};

/// The explanation of a call; nothing where its operation is not known, or its body can't be read.
pub(super) async fn of_call(pages: &Pages, call: &CallView) -> Markup {
    let request = call.request.as_ref();
    let body = request
        .filter(|it| it.is_whole())
        .and_then(|it| it.body.as_deref());
    let body = body.and_then(|body| serde_json::from_str::<Map<String, Value>>(body).ok());
    let (Some(request), Some(body), Some(account)) = (request, body, &call.account) else {
        return html! {};
    };
    let mut ask = json!({
        "account": account,
        "environment": call.environment,
        "operation": call.endpoint,
        "body": body,
    });
    for (name, header) in [
        ("referenceId", "x-reference-id"),
        ("idempotencyKey", "idempotency-key"),
    ] {
        if let Some(value) = request.header(header) {
            ask[name] = json!(value);
        }
    }
    match explained(pages, &ask).await {
        Ok(explanation) => explanation,
        Err(_) => html! {},
    }
}

/// The explanation of an input.
///
/// # Errors
/// What the control API refuses.
pub(super) async fn explained(pages: &Pages, ask: &Value) -> Result<Markup, Refusal> {
    let explanation = pages.api.post("/control/explain", ask).await?;
    Ok(pages.explanation(&explanation))
}

impl Pages {
    fn explanation(&self, it: &Value) -> Markup {
        let account = member(it, "account");
        let refused = it["refused"].as_str();
        html! {
            section {
                h2 { "Why, and what else it could get" }
                p.soft {
                    "By the rules in force now, for an account that begins: it is answered "
                    (member(&it["answer"], "status")) " " (member(&it["answer"], "outcome")) "."
                }
                @if let Some(message) = refused { p { "It is refused before any rule counts: " (shown(message)) } }
                @match it["decides"].is_object() {
                    true => {
                        h3 { "The rule that decides" @if refused.is_some() { ", were it not refused" } }
                        ul { (self.rule(&it["decides"], &account)) }
                    }
                    false => p { "No rule names this input: it gets the operation's own answer." },
                }
                (self.rules("Rules that hold, too, and come later", items(it, "later"), &account))
                (self.rules("Rules that nearly decide, and what is missing", items(it, "near"), &account))
                (self.rules("Rules that would hold, and are for other operations", items(it, "elsewhere"), &account))
                (self.outcomes(it))
            }
        }
    }

    fn rules(&self, title: &str, rules: &[Value], account: &str) -> Markup {
        html! {
            @if !rules.is_empty() {
                h3 { (title) }
                ul { @for rule in rules { (self.rule(rule, account)) } }
            }
        }
    }

    fn rule(&self, rule: &Value, account: &str) -> Markup {
        let (file, line) = (rule["file"].as_str().unwrap_or_default(), &rule["line"]);
        let (account, of) = (encoded(account), encoded(file));
        let to = format!("/scenarios/file?account={account}&file={of}#line-{line}");
        let because = items(rule, "because").iter().filter_map(Value::as_str);
        let operations: Vec<&str> = items(rule, "operations")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        html! {
            li {
                a href=(self.to(&to)) { (member(rule, "name")) } " " span.soft { (shown(file)) ":" (line.to_string()) }
                @if !operations.is_empty() { " for " (operations.join(", ")) }
                @for part in because { br; (lines(part)) }
            }
        }
    }

    /// Every outcome with the input that leads to it.
    fn outcomes(&self, it: &Value) -> Markup {
        let operation = it["operation"].as_str().unwrap_or_default();
        let now = &it["answer"]["outcome"];
        html! {
            details {
                summary { "An input for every other outcome" }
                div.region id="outcomes" tabindex="0" role="region" aria-label="An input for every other outcome" {
                    table {
                        thead { tr { th scope="col" { "Outcome" } th scope="col" { "Input" } th scope="col" { "Why" } } }
                        tbody {
                            @for outcome in items(it, "outcomes").iter().filter(|it| it["outcome"] != *now) {
                                @let code = outcome["outcome"].as_str().unwrap_or_default();
                                tr {
                                    td data-label="Outcome" { (badge(code, None)) " " span.soft { (member(outcome, "status")) } }
                                    td.wide data-label="Input" {
                                        (self.inputs(operation, items(outcome, "calls")))
                                    }
                                    td.wide data-label="Why" { (member(outcome, "because")) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// The inputs of an explanation that lead to an outcome.
    pub(super) fn inputs_of(&self, explanation: &Value, outcome: &str) -> Markup {
        let operation = explanation["operation"].as_str().unwrap_or_default();
        let mut outcomes = items(explanation, "outcomes").iter();
        let found = outcomes.find(|it| it["outcome"] == outcome);
        self.inputs(operation, found.map_or(&[], |it| items(it, "calls")))
    }

    fn inputs(&self, operation: &str, calls: &[Value]) -> Markup {
        html! {
            @if calls.is_empty() { "no input of this operation is answered so" }
            @for call in calls { (self.input(operation, call)) }
        }
    }

    /// A call that leads to an outcome, with the form that makes it.
    fn input(&self, operation: &str, call: &Value) -> Markup {
        let mut form = format!(
            "/try/{}?account={}&environment={}",
            encoded(operation),
            encoded(call["account"].as_str().unwrap_or_default()),
            encoded(call["environment"].as_str().unwrap_or_default()),
        );
        if let Some(key) = call["idempotencyKey"].as_str() {
            form += &format!("&idempotencyKey={}", encoded(key));
        }
        form += &format!("&body={}", encoded(&call["body"].to_string()));
        let times = call["times"].as_u64().unwrap_or(1);
        let other_key = call["key"] != call["environment"];
        html! {
            div {
                a href=(self.to(&form)) { code { (lines(&call["body"].to_string())) } }
                " as " (member(call, "account"))
                @if call["environment"] == "live" { " on live" }
                @if other_key { " with a key of the other environment" }
                @if let Some(key) = call["idempotencyKey"].as_str() { ", idempotency key " code { (shown(key)) } }
                @if let Some(reference) = call["referenceId"].as_str() { ", reference " code { (shown(reference)) } }
                @if times > 1 { ", " (times) " times" }
            }
        }
    }
}
