//! What a call calls, and the form of its answer, so that a place that cannot be there is reported.

use svc_fixtures::contract::{Bundle, Contract, Kind, Operation, Shape};
use svc_fixtures::json::Json;
use svc_fixtures::reading::{Table, nearest};

use crate::plan::{CarriedPart, Place, RequestTemplate, known};

/// What a call calls.
#[derive(Clone)]
pub(super) enum Callee<'c> {
    /// An operation.
    Operation(&'c Operation),
    /// A bundle.
    Bundle(&'c Bundle),
    /// A POST to some path.
    Post(String),
    /// A GET of some path, with its query.
    Get(String),
}

/// A call that later calls of the case can refer to.
pub(super) struct EarlierCall<'c> {
    /// Its name, where it has one.
    pub(super) name: Option<String>,
    pub(super) target: Callee<'c>,
    /// Whether only simulators have what it asks for.
    pub(super) simulators_only: bool,
}

/// The keys that say what is called.
const KEYS: [&str; 4] = ["operation", "bundle", "post", "get"];

impl<'c> Callee<'c> {
    /// The target of a `[[case.call]]`.
    pub(super) fn read(table: &Table<'_>, contract: &'c Contract) -> Option<Self> {
        let mut given: Vec<_> = KEYS
            .into_iter()
            .filter_map(|key| Some((key, table.optional(key)?)))
            .collect();
        let (Some((key, item)), true) = (given.pop(), given.is_empty()) else {
            table.lacks(format!("a call has one of {}", KEYS.join(", ")));
            return None;
        };
        let text = item.text()?;
        match key {
            "operation" => {
                let ids = contract.operations.iter().map(|known| known.id.as_str());
                known(&item, key, ids)?;
                contract.operation(text).map(Callee::Operation)
            }
            "bundle" => {
                let mut bundles = contract.bundles.iter();
                let slug = known(&item, key, bundles.clone().map(|known| known.slug.as_str()))?;
                bundles
                    .find(|bundle| bundle.slug == slug)
                    .map(Callee::Bundle)
            }
            _ if !text.starts_with("/v1/") => {
                item.problem("a path begins with `/v1/`");
                None
            }
            "post" => Some(Callee::Post(text.to_owned())),
            _ => Some(Callee::Get(text.to_owned())),
        }
    }

    /// As what a value is carried into a field that takes not any text.
    pub(super) fn carried_part(&self, contract: &Contract, name: &str) -> Option<CarriedPart> {
        let Callee::Operation(operation) = self else {
            return None;
        };
        let field = operation.request.iter().find(|field| field.name == name)?;
        match field.kind {
            Kind::Int { .. } => Some(CarriedPart::Number),
            _ => (field.format(contract) == Some("amount")).then_some(CarriedPart::Amount),
        }
    }

    /// The call of it.
    pub(super) fn request(&self, body: Json<'static>) -> RequestTemplate {
        match self {
            Callee::Operation(operation) => RequestTemplate::post(operation, body),
            Callee::Bundle(bundle) => RequestTemplate::post_to(bundle.path.clone(), body),
            Callee::Post(path) => RequestTemplate::post_to(path, body),
            Callee::Get(address) => {
                let (path, query) = address.split_once('?').unwrap_or((address, ""));
                RequestTemplate {
                    query: query.to_owned(),
                    ..RequestTemplate::get(path)
                }
            }
        }
    }

    /// What the answer calls it, where that is known.
    pub(super) fn endpoint(&self) -> Option<String> {
        match self {
            Callee::Operation(operation) => Some(operation.id.clone()),
            Callee::Bundle(bundle) => Some(bundle.endpoint()),
            Callee::Post(_) | Callee::Get(_) => None,
        }
    }

    /// Whether only a ruling says that it is there.
    pub(super) fn is_extension(&self) -> bool {
        match self {
            Callee::Operation(operation) => operation.extension,
            Callee::Bundle(_) => true,
            Callee::Post(_) | Callee::Get(_) => false,
        }
    }

    /// The fields its body may have; none where any may be there.
    pub(super) fn fields(&self, contract: &Contract) -> Option<Vec<String>> {
        match self {
            Callee::Operation(operation) => {
                let names = operation.request.iter().map(|field| field.name.clone());
                Some(names.collect())
            }
            Callee::Bundle(bundle) => {
                let fields = contract.bundle_fields(bundle);
                let mut names: Vec<_> = fields.into_iter().map(|field| field.name).collect();
                for step in bundle.steps.iter().filter_map(|id| contract.operation(id)) {
                    let last = step.id.rsplit('.').next().unwrap_or_default();
                    let fields = step.request.iter();
                    names.extend(fields.map(|field| format!("{last}.{}", field.name)));
                }
                Some(names)
            }
            Callee::Post(_) | Callee::Get(_) => None,
        }
    }

    /// The form of what stands at a place of its answer; none where it may have any form.
    ///
    /// # Errors
    /// What cannot be there, and what can.
    pub(super) fn form<'s>(
        &self,
        contract: &'s Contract,
        place: &Place,
    ) -> Result<Option<&'s Shape>, (String, String)>
    where
        'c: 's,
    {
        let envelope = &contract.service.envelope;
        let parts: Vec<_> = place.parts().collect();
        match (parts.as_slice(), self) {
            (["data", inner @ ..], Callee::Operation(operation)) => {
                let pending = operation.pending.as_ref();
                let first = inner.first().copied().unwrap_or_default();
                let led_to = pending.is_some_and(|row| row.data.iter().any(|name| name == first));
                match led_to && operation.response.member(first).is_none() {
                    true => Ok(None),
                    false => inside(Some(&operation.response), inner),
                }
            }
            (["data", ..], _) => Ok(None),
            (parts, _) => inside(Some(envelope), parts),
        }
    }
}

/// The form further in.
pub(super) fn inside<'s>(
    form: Option<&'s Shape>,
    parts: &[&str],
) -> Result<Option<&'s Shape>, (String, String)> {
    let mut form = form;
    for part in parts {
        let Some(shape) = form else { return Ok(None) };
        match shape.inside(part) {
            Some(Shape::AnyObject) => return Ok(None),
            Some(found) => form = Some(found),
            None => {
                return Err((
                    format!("there is no `{part}` here"),
                    what_is_there(shape, part),
                ));
            }
        }
    }
    Ok(form)
}

fn what_is_there(shape: &Shape, part: &str) -> String {
    match shape {
        Shape::Object(members) => nearest(part, members.iter().map(|member| member.name.as_str())),
        Shape::List(_) => "in a list stands a position, counted from 0".to_owned(),
        Shape::Leaf { .. } | Shape::AnyObject => "this value has nothing inside it".to_owned(),
    }
}
