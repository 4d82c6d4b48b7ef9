//! What a call's page tells of it beside request and answer: the stages it walked, its money, its idempotency key, its steps.

use maud::{Markup, html};

use super::Pages;
use super::api::encoded;
use super::call_view::{CallView, KeyUse, Money, StageView};
use super::text::{badge, shown};

/// What was put aside for a call, and what became of it.
fn put_aside(money: &Money) -> String {
    let held = format!("{:.2} INR put aside", money.held);
    match (money.charged, money.released) {
        (Some(charged), Some(released)) if charged > 0.0 && released > 0.0 => {
            format!("{held}; {charged:.2} charged, {released:.2} given back")
        }
        (Some(charged), _) if charged > 0.0 => format!("{held}; {charged:.2} charged"),
        (Some(_), Some(released)) => format!("{held}; {released:.2} given back"),
        _ => format!("{held}, and held until the result is there"),
    }
}

/// The stages that a call walked, in their order, and where it ended.
pub(super) fn stages(call: &CallView) -> Markup {
    if call.stages.is_empty() {
        return html! {};
    }
    // One that was refused ends at the stage that did it, every other one with its answer.
    let refused = call.stages.iter().position(|it| it.state == "refused");
    let end = refused.unwrap_or(call.stages.len() - 1);
    html! {
        section {
            h2 { "What it went through" }
            ol.stages {
                @for (at, stage) in call.stages.iter().enumerate() {
                    @let class = match () {
                        () if at > end || stage.state == "skipped" => "after",
                        () if at < end => "passed",
                        () if refused.is_some() || call.status == "failed" => "ended",
                        () => "ended good",
                    };
                    li class=(class) { strong { (name(&stage.stage)) } " – " (told(call, stage)) }
                }
            }
        }
    }
}

/// What a stage is called, as the map of the code calls it.
fn name(stage: &str) -> &str {
    match stage {
        "rateLimit" => "rate limit",
        other => other,
    }
}

/// What became of a call at a stage.
fn told(call: &CallView, stage: &StageView) -> String {
    let state = stage.state.as_str();
    if state == "notReached" {
        return "not reached".to_owned();
    }
    if state == "refused" {
        let message = call.envelope.as_ref();
        let message = message.and_then(|it| it["error"]["message"].as_str());
        let code = call.code.as_deref().unwrap_or_default();
        return format!(
            "refused with {code}: {}",
            shown(message.unwrap_or_default())
        );
    }
    let fixed = match (stage.stage.as_str(), state) {
        ("authenticate", _) => "the key works here",
        ("allowlist", _) => return from_where(call),
        ("rateLimit", _) => "not too many calls",
        ("prepare", _) => "path, body and fields are right",
        ("claim", "skipped") => "it brought no idempotency key",
        ("claim", _) => "nobody had used its idempotency key",
        ("room", "skipped") => "nothing is executed",
        ("room", _) => "there was room for what is pending",
        ("flow", "skipped") => "no call has to come before it",
        ("flow", _) => "the call before it had come",
        ("hold", "skipped") => "nothing is held here",
        ("hold", _) => {
            return call.money.as_ref().map_or_else(
                || "what was put aside is not known any more".to_owned(),
                put_aside,
            );
        }
        ("resolve", "skipped") => "nothing is decided",
        ("resolve", _) => return shown(&call.because),
        ("settle", "waiting") => return waiting(call),
        ("settle", _) => return settled(call),
        _ => "passed",
    };
    fixed.to_owned()
}

fn from_where(call: &CallView) -> String {
    let caller = call.request.as_ref().map(|request| request.caller.as_str());
    format!("the key may be used from {}", caller.unwrap_or("there"))
}

fn waiting(call: &CallView) -> String {
    let pending = call.pending.as_ref();
    let due = pending.and_then(|it| it["due"].as_str());
    let waits_for = pending.and_then(|it| it["waitsFor"].as_str());
    let what = match (due, waits_for) {
        (Some(due), _) => format!("the result comes at {due}"),
        (None, Some("consent")) => "the result comes when a person decides".to_owned(),
        (None, Some("secondCall")) => "the result comes with the call that follows".to_owned(),
        (None, _) => "the result is still to come".to_owned(),
    };
    format!("answered {} as pending; {what}", call.http_status)
}

fn settled(call: &CallView) -> String {
    let outcome = call.code.as_deref().unwrap_or(&call.status);
    let mut told = match call.pending_http_status {
        Some(first) => format!(
            "answered {first} as pending; later {}, {outcome}",
            call.http_status
        ),
        None => format!("answered {}, {outcome}", call.http_status),
    };
    if let Some(fault) = &call.on_the_wire {
        told += &format!("; on the wire {fault}");
    }
    shown(&told)
}

/// The idempotency keys of a call: what each means now, and who else brought it.
pub(super) fn keys(pages: &Pages, call: &CallView) -> Markup {
    html! {
        @for of in &call.keys {
            section {
                h2 { "Idempotency key " code { (shown(&of.key)) } }
                @match (&of.claimed_at, &of.kept_until) {
                    (Some(at), Some(until)) => {
                        p {
                            "This call claimed it at " time.mono datetime=(at) { (at) }
                            "; the same call gets the same answer again until " time.mono datetime=(until) { (until) } "."
                        }
                    }
                    _ => p { "This call brought it and did not claim it." }
                }
                @if of.claimed_at.is_some() && call.pending_http_status.is_some() {
                    p {
                        "The first answer is the one that is kept: whoever retries with this key is told again that it is pending. "
                        "The result is had by a look-up or the webhook."
                    }
                } @else if of.claimed_at.is_some() && call.code.is_some() {
                    p {
                        "A failure is kept like a result, as the service says: whoever retries with this key gets it again. "
                        "A retry that is to be executed brings a new key."
                    }
                }
                @if of.claimed_at.is_some() { (replays(of)) }
                @if !of.others.is_empty() {
                    h3 { "Other calls that brought it" }
                    ul {
                        @for other in &of.others {
                            li {
                                time.mono datetime=(other.at) { (other.at) } " "
                                a href=(pages.to(&format!("/calls/{}", encoded(&other.verification_id)))) { (shown(&other.endpoint)) }
                                " " (badge(if other.code.is_some() { "failed" } else { "completed" }, other.code.as_deref()))
                                " " span.soft { (other.http_status) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn replays(of: &KeyUse) -> Markup {
    html! {
        @match of.replays.as_slice() {
            [] => p.soft { "It was not asked again with it, as far as this simulator saw since its start." },
            replays => {
                h3 { "Its answer was given again" }
                ul {
                    @for replay in replays {
                        li { time.mono datetime=(replay.at) { (replay.at) } " to " (replay.caller) }
                    }
                }
            }
        }
    }
}

/// The steps of a bundle, each with its own page.
pub(super) fn steps(pages: &Pages, call: &CallView) -> Markup {
    html! {
        @if !call.steps.is_empty() {
            section {
                h2 { "Its steps" }
                ol {
                    @for step in &call.steps {
                        li {
                            a href=(pages.to(&format!("/calls/{}", encoded(&step.verification_id)))) { (shown(&step.endpoint)) }
                            " " (badge(&step.status, step.code.as_deref()))
                        }
                    }
                }
            }
        }
    }
}
