//! Descriptions for people, made of the rows: what an operation is for, what it costs, how it goes on.

use svc_fixtures::contract::{
    Bundle, BundleMode, Contract, Flow, FlowKey, LatencyRange, Operation,
};

use crate::http::examples::EXAMPLE_TIME;

/// What a reader should know first.
pub(super) fn service(contract: &Contract) -> String {
    let sentinel = &contract.service.sentinel;
    let mut about = format!(
        "Verifies identities, employers, companies, bank accounts, documents and more. Every operation is a POST \
         with a JSON body and a bearer key, and every answer is one envelope: `data` has the result, or `error` \
         says why there is none.\n\n\
         The sandbox is free and answers from fixed inputs; live takes the price of a conclusive result from a \
         prepaid wallet. A retry with the same `Idempotency-Key` gets the first answer again and is never charged \
         twice; the same key with another body is a conflict.\n\n\
         A call with another method than the path takes is answered with 405 and `Allow`. An identifier that \
         contains `{}` ends in `{}`, whatever its format. The examples were given by a simulator whose clock \
         stood at {}.\n",
        sentinel.text, sentinel.error, EXAMPLE_TIME,
    );
    for limit in &contract.service.limits {
        about += &format!("\n- {}: {} ({})", limit.name, limit.value, limit.applies_to);
    }
    about
}

/// What an operation answers, what it costs and how it goes on.
pub(super) fn operation(contract: &Contract, operation: &Operation) -> String {
    let mut parts: Vec<String> = operation.about.iter().cloned().collect();
    parts.push(format!(
        "Live price: {} INR. Typical time: {}.",
        operation.price,
        latency(operation.latency)
    ));
    if let Some(pending) = &operation.pending {
        let (how, status) = (
            if pending.always {
                "is always"
            } else {
                "may be"
            },
            pending.status,
        );
        parts.push(format!(
            "It {how} answered as `pending` with HTTP {status}; its end comes by webhook."
        ));
    }
    let steps = contract
        .flows
        .iter()
        .filter_map(|flow| step(flow, &operation.id));
    parts.extend(steps);
    if operation.extension {
        parts.push(
            "The specification names it but does not show it: other hosts may do otherwise."
                .to_owned(),
        );
    }
    parts.join("\n\n")
}

/// Which step of a flow an operation is, and what it carries on.
fn step(flow: &Flow, id: &str) -> Option<String> {
    let at = flow.steps.iter().position(|step| step.operation == id)?;
    let step = &flow.steps[at];
    let first = &flow.steps.first()?.operation;
    let mut text = format!(
        "Step {} of {} of the flow {}",
        at + 1,
        flow.steps.len(),
        flow.title
    );
    let issued = flow.steps[0].issues.as_ref().map(|key| match key {
        FlowKey::Member(name) => format!("`{name}`"),
        FlowKey::Verification => "`verificationId`".to_owned(),
    });
    match (&step.takes, issued) {
        (Some(takes), Some(issued)) => {
            text += &format!(": `{takes}` is the {issued} that `{first}` answered.");
        }
        (None, Some(issued)) if at == 0 => text += &format!(": later steps carry its {issued}."),
        _ => text.push('.'),
    }
    if let Some(tries) = &step.tries {
        let minutes = tries.within_ms / 60_000;
        text += &format!(
            " `{}` may be tried {} times within {minutes} minutes.",
            tries.field, tries.most
        );
    }
    Some(text)
}

/// How the steps run, and which field of the body is for which step.
pub(super) fn bundle(contract: &Contract, bundle: &Bundle) -> String {
    let how = match &bundle.mode {
        BundleMode::Sequence => "Runs its steps in order",
        BundleMode::Parallel => "Runs its steps at once",
        BundleMode::Choice { .. } => "Runs the one step that the request chooses",
        BundleMode::TwoCalls => {
            "Is answered as pending with what a second call carries; that call ends it under the same \
             verificationId. Its steps"
        }
    };
    let steps = contract.bundle_steps(bundle);
    let steps = steps.map(|step| format!("- {} (`{}`)", step.title, step.id));
    let steps: Vec<String> = steps.collect();
    let (low, high) = bundle.typical_price;
    let mut parts: Vec<String> = bundle.about.iter().cloned().collect();
    parts.push(format!("{how}:\n\n{}", steps.join("\n")));
    parts.push(format!(
        "Typical price on live: {low} to {high} INR. Typical time: {}. The full price is held first; a bundle \
         that fails charges nothing.",
        latency(bundle.typical_latency)
    ));
    parts.push(
        "A field of one step alone may be written as the last part of the step's name, a dot and the field's name."
            .to_owned(),
    );
    parts.join("\n\n")
}

fn latency(range: LatencyRange) -> String {
    let seconds = |ms: u32| match ms % 1000 {
        0 => format!("{}", ms / 1000),
        _ => format!("{}", f64::from(ms) / 1000.0),
    };
    match range.min_ms == range.max_ms {
        true if range.min_ms < 1000 => format!("{} ms", range.min_ms),
        true => format!("{} s", seconds(range.min_ms)),
        false => format!("{} to {} s", seconds(range.min_ms), seconds(range.max_ms)),
    }
}
