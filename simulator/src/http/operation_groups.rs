//! Bundles and flows as a person looks them up: the calls they are made of, where each is sent, what it costs, and a
//! body that works.

use std::fmt::Write as _;

use svc_fixtures::contract::{
    Bundle, BundleMode, Contract, Field, Flow, FlowKey, FlowStep, Operation, Paise, Presence,
};
use svc_fixtures::json::Json;
use svc_fixtures::sample;

use super::examples::Examples;
use super::field_rule::field_rule;
use super::table_cell::TableCell;

/// The names of the columns of [`OperationGroups::table`].
pub const GROUP_COLUMNS: [&str; 4] = ["bundle or flow", "INR", "POST to", "steps"];

/// All bundles and all flows.
#[derive(Debug)]
pub struct OperationGroups {
    rows: Vec<OperationGroup>,
}

/// A bundle or a flow.
#[derive(Debug)]
struct OperationGroup {
    id: String,
    /// Only a bundle has one.
    path: Option<String>,
    title: String,
    about: Option<String>,
    clause: String,
    /// What it costs, in rupees, and in how much time.
    price: String,
    steps: Vec<String>,
    /// How the steps follow each other, in a word or two.
    order: &'static str,
    calls: Vec<GroupCall>,
    /// What each field of a bundle's body must be.
    fields: Vec<String>,
}

/// One call to make.
#[derive(Debug)]
struct GroupCall {
    path: String,
    price: Option<Paise>,
    body: Json<'static>,
}

/// Puts them together of the contract and of the calls that were made as examples.
pub(super) fn groups(contract: &Contract, examples: &Examples) -> OperationGroups {
    let bundles = contract.bundles.iter().zip(&examples.bundles);
    let bundles = bundles.map(|(bundle, calls)| {
        let bodies = calls.iter().enumerate().map(|(at, call)| {
            let step = bundle.steps.get(at).filter(|_| at > 0);
            with_carried(contract, step, call.body.clone())
        });
        OperationGroup::of_bundle(contract, bundle, bodies.collect())
    });
    let body = |row: &Operation| {
        let at = contract.operation_index(&row.id)?;
        let sample = examples.operations.get(at.0)?.answered.first()?;
        Some(sample.body.clone())
    };
    let flows = contract.flows.iter();
    let flows = flows.map(|flow| OperationGroup::of_flow(contract, flow, body));
    OperationGroups {
        rows: bundles.chain(flows).collect(),
    }
}

/// The names that the list of operations can be asked for: of every bundle and every flow.
#[must_use]
pub fn group_names(contract: &Contract) -> Vec<String> {
    let bundles = contract.bundles.iter().map(Bundle::endpoint);
    bundles
        .chain(contract.flows.iter().map(flow_id))
        .chain(["bundles.*", "flows.*"].map(str::to_owned))
        .collect()
}

/// Whether a bundle or a flow of the contract is named so: by its dotted name, by the last part of it, by its path, or
/// by what such names begin with.
#[must_use]
pub fn is_group(contract: &Contract, name: &str) -> bool {
    let bundles = contract.bundles.iter();
    let mut bundles = bundles.map(|it| (it.endpoint(), Some(it.path.clone())));
    let mut flows = contract.flows.iter().map(|it| (flow_id(it), None));
    bundles.any(|(id, path)| is_called(&id, path.as_deref(), name))
        || flows.any(|(id, path)| is_called(&id, path, name))
}

fn flow_id(flow: &Flow) -> String {
    format!("flows.{}", flow.name)
}

fn is_called(id: &str, path: Option<&str>, name: &str) -> bool {
    let (kind, own) = id.split_once('.').unwrap_or_default();
    let all = name.strip_suffix(".*").unwrap_or(name);
    [id, own, kind].contains(&all) || path == Some(name)
}

impl OperationGroups {
    /// Those alone that are named so.
    #[must_use]
    pub(super) fn only(mut self, name: &str) -> Self {
        self.rows
            .retain(|row| is_called(&row.id, row.path.as_deref(), name));
        self
    }

    /// A paragraph each.
    pub(super) fn paragraphs(&self) -> impl Iterator<Item = String> {
        self.rows.iter().map(OperationGroup::paragraph)
    }

    /// Everything that is known of each.
    pub(super) fn details(&self) -> impl Iterator<Item = String> {
        self.rows.iter().map(OperationGroup::details)
    }

    /// A row each; there may be none.
    #[must_use]
    pub fn table(&self) -> Vec<[TableCell; 4]> {
        let row = |row: &OperationGroup| {
            [
                TableCell::code(&row.id),
                TableCell::text(&row.price),
                TableCell::code(row.path.as_deref().unwrap_or_default()),
                TableCell::text(row.steps_in_order()),
            ]
        };
        self.rows.iter().map(row).collect()
    }
}

impl OperationGroup {
    fn of_bundle(contract: &Contract, bundle: &Bundle, bodies: Vec<Json<'static>>) -> Self {
        let prices = contract.bundle_steps(bundle).map(|step| step.price);
        let price = match &bundle.mode {
            BundleMode::Choice { .. } => between(prices.collect()),
            _ => prices.sum::<Paise>().to_string(),
        };
        let calls = bodies.into_iter().map(|body| GroupCall {
            path: bundle.path.clone(),
            price: None,
            body,
        });
        let fields = contract.bundle_fields(bundle);
        OperationGroup {
            id: bundle.endpoint(),
            path: Some(bundle.path.clone()),
            title: bundle.title.clone(),
            about: bundle.about.clone(),
            clause: bundle.clause.clone(),
            price,
            steps: bundle.steps.clone(),
            order: match &bundle.mode {
                BundleMode::Sequence => "one after the other",
                BundleMode::Parallel => "all at once",
                BundleMode::Choice { .. } => "one of them, which the body chooses",
                BundleMode::TwoCalls => "in two calls",
            },
            calls: calls.collect(),
            fields: fields.iter().map(|it| field_line(contract, it)).collect(),
        }
    }

    fn of_flow(
        contract: &Contract,
        flow: &Flow,
        body: impl Fn(&Operation) -> Option<Json<'static>>,
    ) -> Self {
        let rows = |step: &FlowStep| contract.operation(&step.operation);
        let operations: Vec<&Operation> = flow.steps.iter().filter_map(rows).collect();
        let price: Paise = operations.iter().map(|row| row.price).sum();
        let calls = flow.steps.iter().filter_map(|step| {
            let row = rows(step)?;
            Some(GroupCall {
                path: sample::path(row),
                price: Some(row.price),
                body: with_carried(contract, Some(&step.operation), body(row)?),
            })
        });
        OperationGroup {
            id: flow_id(flow),
            path: None,
            title: flow.title.clone(),
            about: None,
            clause: flow.clause.clone(),
            price: price.to_string(),
            steps: operations.iter().map(|row| row.id.clone()).collect(),
            order: match flow.steps.len() {
                1 => "and the rest by webhook",
                _ if flow.advisory => "in this order, as a rule",
                _ => "in this order",
            },
            calls: calls.collect(),
            fields: Vec::new(),
        }
    }

    fn steps_in_order(&self) -> String {
        match self.steps.len() {
            1 if self.path.is_some() => self.steps.join(", "),
            _ => format!("{} ({})", self.steps.join(", "), self.order),
        }
    }

    fn head(&self) -> String {
        let OperationGroup {
            id, title, price, ..
        } = self;
        format!("{id}\n  {title}: {price} INR\n")
    }

    fn paragraph(&self) -> String {
        let mut out = self.head();
        if let Some(path) = &self.path {
            let _ = writeln!(out, "  path     POST {path}");
        }
        let _ = writeln!(out, "  steps    {}", self.steps_in_order());
        for (at, call) in self.calls.iter().enumerate() {
            match (&self.path, at) {
                (Some(_), 0) => {
                    let _ = writeln!(out, "  body     {}", call.body);
                }
                (Some(_), _) => {
                    let _ = writeln!(out, "  then     {}", call.body);
                }
                (None, _) => {
                    let price = call.price.unwrap_or_default();
                    let _ = writeln!(out, "  {}. POST {}  {price} INR", at + 1, call.path);
                    let _ = writeln!(out, "     {}", call.body);
                }
            }
        }
        out
    }

    fn details(&self) -> String {
        let mut out = self.paragraph();
        let _ = writeln!(out, "  clause   {}", self.clause);
        if let Some(about) = &self.about {
            let _ = writeln!(out, "\n{about}");
        }
        if !self.fields.is_empty() {
            out += "\nFields\n";
        }
        for field in &self.fields {
            out += field;
        }
        out
    }
}

/// The body of a later step with words in the place of what was issued to it, which is another one each time.
fn with_carried(
    contract: &Contract,
    step: Option<&String>,
    mut body: Json<'static>,
) -> Json<'static> {
    let operation = step.and_then(|step| contract.operation(step));
    if let Some(operation) = operation
        && let Some(takes) = contract.carried_field(operation)
        && let Some((flow, _)) = contract.step_of(&operation.id)
    {
        body.set(takes.to_owned(), carried(flow).into());
    }
    body
}

/// What a later call of a flow says instead of what was issued to it.
fn carried(flow: &Flow) -> String {
    match flow.steps.first().and_then(|first| first.issues.as_ref()) {
        Some(FlowKey::Member(name)) => format!("… {name} that call 1 answered …"),
        Some(FlowKey::Verification) | None => "… verificationId that call 1 answered …".to_owned(),
    }
}

fn between(mut prices: Vec<Paise>) -> String {
    prices.sort_unstable();
    match (prices.first(), prices.last()) {
        (Some(least), Some(most)) if least != most => format!("{least}-{most}"),
        (Some(one), _) => one.to_string(),
        _ => String::new(),
    }
}

/// A field, whether it must be sent, and what its value must be.
pub(super) fn field_line(contract: &Contract, field: &Field) -> String {
    let presence = match &field.presence {
        Presence::Required => "required".to_owned(),
        Presence::Optional => "optional".to_owned(),
        Presence::Default(value) => format!("default {value}"),
    };
    let identifies = if field.identifies { ", identifies" } else { "" };
    let (name, about) = (&field.name, &field.about);
    let rule = field_rule(contract, &field.kind);
    format!("  {name} ({presence}{identifies}): {about}\n    {rule}\n")
}
