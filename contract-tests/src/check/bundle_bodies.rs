//! What bundles are called with: that they complete, and what they fail for or refuse.

use svc_fixtures::contract::{
    Blame, Bundle, BundleMode, Environment, ErrorCode, Field, Kind, Operation, Presence,
};
use svc_fixtures::json::Json;
use svc_fixtures::sample::{self, Extent, Violation};

use crate::plan::{Ending, Payload, RequestTemplate, Setting};

/// The call of a bundle that all of its steps have a result for; none of one that takes two calls.
pub(super) fn success(setting: &Setting<'_>, bundle: &Bundle) -> Option<RequestTemplate> {
    let contract = setting.contract;
    let body = match &bundle.mode {
        _ if bundle.example.is_some() => sample::bundle_body(contract, bundle),
        BundleMode::TwoCalls => return None,
        BundleMode::Choice { field, options } => {
            let (value, step) = options.first()?;
            chosen(setting, field, value, step)?
        }
        BundleMode::Sequence | BundleMode::Parallel => sample::bundle_body(contract, bundle),
    };
    Some(RequestTemplate::post_to(bundle.path.clone(), body))
}

/// The body that chooses one of a bundle's steps.
pub(super) fn chosen(
    setting: &Setting<'_>,
    field: &str,
    value: &str,
    step: &str,
) -> Option<Json<'static>> {
    let step = setting.contract.operation(step)?;
    let mut body = sample::body(setting.contract, step, Extent::Required);
    body.set(field.to_owned(), Json::from(value.to_owned()));
    Some(body)
}

/// The same call about somebody else: with another text in the first field whose format has several, or with another last
/// digit in the first that may have one.
pub(super) fn another_body(
    setting: &Setting<'_>,
    bundle: &Bundle,
    call: &RequestTemplate,
) -> Option<Json<'static>> {
    let Payload::Json(sent) = &call.payload else {
        return None;
    };
    let fields = setting.contract.bundle_fields(bundle);
    let own = |field: &Field| Some(sent.get(&field.name)?.as_text()?.to_owned());
    let with = |field: &Field, other: String| {
        let mut body = sent.clone();
        body.set(field.name.clone(), Json::from(other));
        body
    };
    let edge = fields.iter().find_map(|field| {
        let own = own(field)?;
        let format = setting.contract.format_of(&field.kind)?;
        let mut texts = format.edges.iter();
        Some(with(field, texts.find(|text| **text != own)?.clone()))
    });
    edge.or_else(|| {
        fields.iter().find_map(|field| {
            let own = own(field)?;
            let begins = own.strip_suffix(|last: char| last.is_ascii_digit())?;
            let last = if own.ends_with('2') { '3' } else { '2' };
            let other = format!("{begins}{last}");
            let format = setting.contract.format_of(&field.kind);
            let fits = format.is_none_or(|format| format.fits(&other));
            fits.then(|| with(field, other))
        })
    })
}

/// The call that a file of inputs names for live, else that of the sandbox.
pub(super) fn call_on_live(setting: &Setting<'_>, bundle: &Bundle) -> Option<RequestTemplate> {
    let mut inputs = setting.inputs.iter();
    let given = inputs.find(|it| it.completes_bundle(&bundle.slug, Environment::Live));
    let Some(input) = given else {
        return success(setting, bundle);
    };
    let body = Json::object(input.with.clone());
    Some(RequestTemplate::post_to(bundle.path.clone(), body))
}

/// The same call with the text that takes a source down in the first identifier it has.
pub(super) fn of_source_down(
    setting: &Setting<'_>,
    bundle: &Bundle,
    call: &RequestTemplate,
) -> Option<RequestTemplate> {
    let contract = setting.contract;
    let Payload::Json(sent) = &call.payload else {
        return None;
    };
    let mut steps = contract.bundle_steps(bundle);
    let field = steps.find_map(|step| {
        let mut fields = step.identifiers().map(|(_, field)| field);
        fields.find(|field| sent.get(&field.name).is_some())
    })?;
    let mut body = sent.clone();
    let text = sample::with_text(contract, field, &contract.service.sentinel.text);
    body.set(field.name.clone(), text);
    Some(RequestTemplate::post_to(call.path.clone(), body))
}

/// Bodies beside the one that is completed, and how they end: other choices and one that is none, and none of what must
/// be agreed to.
pub(super) fn other_bodies(
    setting: &Setting<'_>,
    bundle: &Bundle,
    call: &RequestTemplate,
) -> Vec<(Json<'static>, Ending)> {
    let Payload::Json(sent) = &call.payload else {
        return Vec::new();
    };
    let with = |name: &str, value: &str| {
        let mut body = sent.clone();
        body.set(name.to_owned(), Json::from(value.to_owned()));
        body
    };
    let mut bodies = vec![(Json::Object(Vec::new()), Ending::Rejected)];
    // What one of its steps is known to have no record of.
    let none = Some(Ending::Error(ErrorCode::NoRecordFound));
    let taken = |step: &Operation| match &bundle.mode {
        BundleMode::Choice { field, options } => {
            let chosen = sent.get(field).and_then(Json::as_text);
            let mut options = options.iter();
            options.any(|(value, of)| Some(value.as_str()) == chosen && *of == step.id)
        }
        _ => true,
    };
    for step in setting.contract.bundle_steps(bundle).filter(|it| taken(it)) {
        let mut inputs = setting.inputs.iter();
        let found = inputs.find_map(|input| {
            let here = input.environment == Environment::Test && input.ending(step) == none;
            let field = input.field(setting.contract, step).filter(|_| here)?;
            let mut body = sent.clone();
            sent.get(&field.name)?;
            let text = sample::with_text(setting.contract, field, &input.value);
            body.set(field.name.clone(), text);
            Some(body)
        });
        bodies.extend(found.map(|body| (body, Ending::Understood)));
    }
    if let BundleMode::Choice { field, options } = &bundle.mode {
        for (value, step) in options {
            if bundle.example.is_some() {
                // Whether its identifier is one of the others, too, nobody says.
                bodies.push((with(field, value), Ending::NoFault));
            }
            let own = chosen(setting, field, value, step);
            bodies.extend(own.map(|it| (it, Ending::Understood)));
        }
        bodies.push((with(field, "NONE"), Ending::Rejected));
        let mut unchosen = sent.clone();
        unchosen.remove(field);
        bodies.push((unchosen, Ending::Rejected));
    }
    let fields = setting.contract.bundle_fields(bundle).into_iter();
    let objects = fields.filter(|field| {
        field.presence == Presence::Required && matches!(field.kind, Kind::Object { .. })
    });
    for field in objects.filter(|field| sent.get(&field.name).is_some()) {
        let [mut without, mut null] = [sent.clone(), sent.clone()];
        without.remove(&field.name);
        null.set(field.name.clone(), Json::Null);
        bodies.extend([without, null].map(|body| (body, Ending::Rejected)));
    }
    bodies.extend(failing_inputs(setting, bundle, sent));
    bodies.extend(malformed(setting, bundle, sent));
    bodies
}

/// What the source of a step is known to fail for: that the bundle says, or another result.
fn failing_inputs(
    setting: &Setting<'_>,
    bundle: &Bundle,
    sent: &Json<'static>,
) -> Vec<(Json<'static>, Ending)> {
    let contract = setting.contract;
    if matches!(bundle.mode, BundleMode::Choice { .. }) {
        return Vec::new();
    }
    let down = [
        ErrorCode::SourceTimeout,
        ErrorCode::ProviderError,
        ErrorCode::SourceUnavailable,
    ];
    let of = |step: &Operation, code: ErrorCode| {
        let mut inputs = setting.inputs.iter();
        inputs.find_map(|input| {
            let fails = input.ending(step) == Some(Ending::Error(code));
            let here = fails && input.environment == Environment::Test;
            let field = input.field(contract, step).filter(|_| here)?;
            let mut body = sent.clone();
            sent.get(&field.name)?;
            let text = sample::with_text(contract, field, &input.value);
            body.set(field.name.clone(), text);
            Some((body, Ending::NoFaultBut(code)))
        })
    };
    let steps = contract.bundle_steps(bundle);
    let each = steps.flat_map(|step| down.map(|code| of(step, code)));
    each.flatten().collect()
}

/// What is malformed in an operation is so in a bundle that is known to take it.
fn malformed(
    setting: &Setting<'_>,
    bundle: &Bundle,
    sent: &Json<'static>,
) -> Vec<(Json<'static>, Ending)> {
    let contract = setting.contract;
    let identifies = |name: &str| {
        let mut steps = contract.bundle_steps(bundle);
        steps.any(|step| step.identifiers().any(|(_, field)| field.name == name))
    };
    let known = bundle.example.is_some();
    let fields = contract.bundle_fields(bundle).into_iter();
    let fields = fields.filter(|it| known && sent.get(&it.name).is_some() && identifies(&it.name));
    let required = |name: &str| {
        let mut steps = contract.bundle_steps(bundle);
        steps.any(|step| {
            let mut fields = step.request.iter().filter(|it| it.name == name);
            fields.any(|it| it.presence == Presence::Required && !bundle.gives(step, it))
        })
    };
    let missing = |field: &Field| {
        let mut body = sent.clone();
        body.remove(&field.name);
        required(&field.name).then_some((body, Ending::Rejected))
    };
    let body = |field: &Field| {
        let mut violations = sample::violations(contract, field).into_iter();
        let plain = |it: &Violation| it.blame == Blame::Identifier && !it.ruled && !it.blame_ruled;
        let violation = violations.find(plain)?;
        let mut body = sent.clone();
        violation.put_in(&mut body);
        Some((body, Ending::Rejected))
    };
    fields
        .flat_map(|field| [missing(&field), body(&field)])
        .flatten()
        .collect()
}
