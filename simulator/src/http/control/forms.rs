//! What it takes to call an operation or a bundle, from its row: enough to build a form of it. Names none.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use svc_fixtures::contract::{
    Bundle, BundleMode, Contract, Field, Kind, Operation, OperationIndex, Paise, Presence,
};
use svc_fixtures::json::Json;
use svc_fixtures::sample::{self, Extent};

use super::request::NoBody;
use super::response::ControlError;
use super::route::{ControlRequest, ControlResult};
use super::values::RupeesDto;
use crate::engine::call::rules::Rules;
use crate::http::field_rule::field_rule;
use crate::http::named_inputs::{ScenarioInput, named_inputs};
use crate::http::people::declared;
use crate::rehearsal::Goal;
use crate::scenario_format::{Expectation, read_expectations};

/// Every operation and bundle, in the order of the contract.
#[derive(Serialize, JsonSchema)]
pub(super) struct OperationListDto {
    operations: Vec<OperationRowDto>,
    bundles: Vec<OperationRowDto>,
}

/// An operation or a bundle.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OperationRowDto {
    /// Its dotted name.
    id: String,
    title: String,
    /// What it is listed under.
    category: String,
    path: String,
    /// What a conclusive live answer costs; of a bundle the least it typically does.
    price: RupeesDto,
    /// Of a bundle: the operations that it runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    steps: Vec<String>,
    /// Whether its answer may be pending.
    can_be_pending: bool,
}

/// What it takes to call one.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct OperationFormDto {
    #[serde(flatten)]
    row: OperationRowDto,
    /// The fields of its body, in the contract's order.
    fields: Vec<FieldDto>,
    /// A body that it takes.
    sample: Map<String, Value>,
    /// Bodies with an outcome of their own.
    inputs: Vec<NamedInputDto>,
    /// Who is declared and can be asked about.
    people: Vec<AskedPersonDto>,
}

/// A field of a body.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FieldDto {
    name: String,
    /// What it is, for people.
    about: String,
    /// What a value must be, for people.
    rule: String,
    required: bool,
    /// Whether it says who is asked about.
    identifies: bool,
    /// Whether a text may be empty.
    may_be_empty: bool,
    #[serde(flatten)]
    kind: KindDto,
    /// What it is where it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<Value>,
    /// A value that it takes.
    example: Value,
}

/// What a value must be. Which members there are depends on `type`.
#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct KindDto {
    r#type: TypeDto,
    /// Of a text: the name of its format.
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<String>,
    /// Of a text: the only values there are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    one_of: Vec<String>,
    /// Of a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<f64>,
    /// Of a list: the fewest items.
    #[serde(skip_serializing_if = "Option::is_none")]
    min_items: Option<usize>,
    /// Of a list: what an item must be.
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<Box<KindDto>>,
    /// Of an object: its fields; any where there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fields: Vec<FieldDto>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum TypeDto {
    #[default]
    Text,
    Integer,
    Number,
    Boolean,
    List,
    Object,
}

/// An input that a scenario names.
#[derive(Serialize, JsonSchema)]
struct NamedInputDto {
    /// The scenario.
    name: String,
    /// `completed`, `pending` or the error's code.
    outcome: String,
    /// What it sets in the sample.
    set: Map<String, Value>,
}

/// Somebody who is declared.
#[derive(Serialize, JsonSchema)]
struct AskedPersonDto {
    /// What the file calls them.
    name: String,
    /// Their own name; of who has none, what they are.
    display: String,
    story: String,
    /// What it sets in the sample to ask about them.
    set: Map<String, Value>,
}

pub(super) async fn list(request: ControlRequest) -> ControlResult<OperationListDto> {
    let contract = &request.api.host.rules().contract;
    let bundles = contract.bundles.iter();
    Ok(OperationListDto {
        operations: contract
            .operations
            .iter()
            .map(OperationRowDto::of)
            .collect(),
        bundles: bundles
            .map(|row| OperationRowDto::of_bundle(contract, row))
            .collect(),
    })
}

pub(super) async fn one(request: ControlRequest<NoBody>) -> ControlResult<OperationFormDto> {
    let rules = request.api.host.rules();
    let unknown = || {
        let operations = rules.contract.operations.iter().map(|row| row.id.clone());
        let bundles = rules.contract.bundles.iter().map(Bundle::endpoint);
        let known: Vec<String> = operations.chain(bundles).collect();
        let lists = "GET /control/operations lists them";
        ControlError::no_operation(&request.id, known.iter().map(String::as_str), lists)
    };
    let bundles = &rules.contract.bundles;
    let bundle = bundles.iter().position(|row| row.endpoint() == request.id);
    if bundle.is_none() && rules.contract.operation(&request.id).is_none() {
        return Err(unknown());
    }
    // Scenarios and personas are gone through: too long for a task that others wait behind.
    let making = tokio::task::spawn_blocking(move || match bundle {
        Some(at) => OperationFormDto::of_bundle(&rules, &rules.contract.bundles[at]),
        None => OperationFormDto::of(&rules, &request.id),
    });
    making.await.map_err(|_| ControlError::internal())
}

impl OperationRowDto {
    fn of(row: &Operation) -> Self {
        OperationRowDto {
            id: row.id.clone(),
            title: row.title.clone(),
            category: row.category.clone(),
            path: sample::path(row),
            price: RupeesDto(row.price),
            steps: Vec::new(),
            can_be_pending: row.pending.is_some(),
        }
    }

    fn of_bundle(contract: &Contract, row: &Bundle) -> Self {
        let mut steps = contract.bundle_steps(row);
        OperationRowDto {
            id: row.endpoint(),
            title: row.title.clone(),
            category: "bundles".to_owned(),
            path: row.path.clone(),
            price: RupeesDto(least_price(contract, row)),
            steps: row.steps.clone(),
            can_be_pending: matches!(row.mode, BundleMode::TwoCalls)
                || steps.any(|step| step.pending.is_some()),
        }
    }
}

/// What a bundle costs: all of its steps, or the cheapest where a field chooses one.
fn least_price(contract: &Contract, row: &Bundle) -> Paise {
    let prices = contract.bundle_steps(row).map(|step| step.price);
    match row.mode {
        BundleMode::Choice { .. } => prices.min().unwrap_or_default(),
        _ => prices.sum(),
    }
}

impl OperationFormDto {
    /// The form of an operation.
    fn of(rules: &Rules, id: &str) -> Self {
        let contract = &rules.contract;
        let index = contract.operation_index(id).expect("it was found before");
        let row = &contract.operations[index];
        let sample = sample::body(contract, row, Extent::Shown);
        let mut inputs = named_inputs(rules, index, &sample);
        with_what_fits(rules, index, &mut inputs);
        let inputs = inputs.into_iter().map(|input| NamedInputDto {
            name: input.scenario.to_string(),
            outcome: match input.outcome {
                Goal::Completed => "completed".to_owned(),
                Goal::Pending => "pending".to_owned(),
                Goal::Error(code) => code.to_string(),
            },
            set: input
                .set
                .into_iter()
                .map(|(name, value)| (name, as_value(&value)))
                .collect(),
        });
        OperationFormDto {
            row: OperationRowDto::of(row),
            fields: row
                .request
                .iter()
                .map(|it| FieldDto::of(contract, it))
                .collect(),
            inputs: inputs.collect(),
            people: people(rules, &[id], &row.request),
            sample: as_object(&sample),
        }
    }

    /// The form of a bundle.
    fn of_bundle(rules: &Rules, row: &Bundle) -> Self {
        let contract = &rules.contract;
        let fields = contract.bundle_fields(row);
        let steps: Vec<&str> = row.steps.iter().map(String::as_str).collect();
        OperationFormDto {
            row: OperationRowDto::of_bundle(contract, row),
            inputs: Vec::new(),
            people: people(rules, &steps, &fields),
            sample: as_object(&sample::bundle_body(contract, row)),
            fields: fields.iter().map(|it| FieldDto::of(contract, it)).collect(),
        }
    }
}

/// Where an operation has no record of somebody unless a second field fits them, that field is set as in a call that is
/// expected to be answered: what the sample says fits the sample one alone.
fn with_what_fits(rules: &Rules, operation: OperationIndex, inputs: &mut [ScenarioInput]) {
    let Some(no_record) = rules.no_record_row(operation) else {
        return;
    };
    let expectations = read_expectations(&rules.contract, rules.cast(), rules.sources());
    let expectations = expectations.unwrap_or_default();
    for input in inputs.iter_mut() {
        let is_set = |(name, _): &(String, Json<'static>)| *name == no_record.field;
        if input.outcome != Goal::Completed || input.set.iter().any(is_set) {
            continue;
        }
        let mut calls = expectations
            .iter()
            .filter(|it| it.operation == operation && completes(it));
        let asks = |it: &&Expectation| input.set.iter().all(|set| it.call.contains(set));
        let fitting = calls
            .find(asks)
            .and_then(|it| it.call.iter().find(|set| is_set(set)));
        input.set.extend(fitting.cloned());
    }
}

/// Whether a result is expected of its first call.
fn completes(expectation: &Expectation) -> bool {
    let members = expectation.answers.first().map(|first| &first.members);
    members.is_some_and(|it| {
        it.get("data").is_some() || it.get("status").and_then(Json::as_text) == Some("completed")
    })
}

/// Who of the declared can be asked about, with what is set for it.
fn people(rules: &Rules, operations: &[&str], fields: &[Field]) -> Vec<AskedPersonDto> {
    let mut found = Vec::new();
    for person in declared(rules) {
        let mut set = Map::new();
        for field in fields.iter().filter(|field| field.identifies) {
            let asked = person.identifiers.iter().find(|it| {
                let asks = |id: &&str| it.operations.contains(id);
                it.fields.contains(&field.name.as_str()) && operations.iter().any(asks)
            });
            if let Some(identifier) = asked {
                let value = sample::with_text(&rules.contract, field, &identifier.value);
                set.insert(field.name.clone(), as_value(&value));
            }
        }
        if !set.is_empty() {
            found.push(AskedPersonDto {
                name: person.profile.name.clone(),
                display: person.display().to_owned(),
                story: person.profile.story.clone(),
                set,
            });
        }
    }
    found
}

impl FieldDto {
    fn of(contract: &Contract, field: &Field) -> Self {
        FieldDto {
            name: field.name.clone(),
            about: field.about.clone(),
            rule: field_rule(contract, &field.kind),
            required: field.presence == Presence::Required,
            identifies: field.identifies,
            may_be_empty: field.may_be_empty,
            kind: KindDto::of(contract, &field.kind),
            default: match &field.presence {
                Presence::Default(value) => Some(as_value(value)),
                Presence::Required | Presence::Optional => None,
            },
            example: as_value(&sample::value(contract, field)),
        }
    }
}

impl KindDto {
    fn of(contract: &Contract, kind: &Kind) -> Self {
        let of = |r#type| KindDto {
            r#type,
            ..KindDto::default()
        };
        match kind {
            Kind::Text { format, one_of } => KindDto {
                format: format.map(|at| contract.format(at).name.clone()),
                one_of: one_of.clone(),
                ..of(TypeDto::Text)
            },
            Kind::Int { min, max } => KindDto {
                min: min.map(|it| it as f64),
                max: max.map(|it| it as f64),
                ..of(TypeDto::Integer)
            },
            Kind::Num { min, max } => KindDto {
                min: *min,
                max: *max,
                ..of(TypeDto::Number)
            },
            Kind::Bool => of(TypeDto::Boolean),
            Kind::List { items, min_items } => KindDto {
                min_items: Some(*min_items),
                items: Some(Box::new(KindDto::of(contract, items))),
                ..of(TypeDto::List)
            },
            Kind::Object { fields } => KindDto {
                fields: fields.iter().map(|it| FieldDto::of(contract, it)).collect(),
                ..of(TypeDto::Object)
            },
        }
    }
}

/// A value of the contract as the control API answers it.
fn as_value(json: &Json<'_>) -> Value {
    serde_json::from_str(&json.to_string()).unwrap_or_default()
}

fn as_object(json: &Json<'_>) -> Map<String, Value> {
    match as_value(json) {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}
