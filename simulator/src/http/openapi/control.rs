//! The paths of the control API, made from its routes: the types of a handler give the schemas, and the
//! answers of a simulator in memory give the examples.

use std::collections::BTreeMap;

use schemars::Schema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::transform::{RecursiveTransform, Transform as _};
use serde_json::{Map, Value, json};

use super::components::reference;
use crate::http::control::{BodyPresence, ControlErrorCode, ErrorDto, Route, routes};
use crate::http::examples::ControlExample;

/// The tag of the control API.
pub(super) const CONTROL: &str = "Control API";

/// What the control API adds to the document.
pub(super) struct ControlDocument {
    pub(super) paths: Map<String, Value>,
    pub(super) schemas: Map<String, Value>,
}

/// How the console's token is sent, where it has one.
pub(super) fn security_schemes() -> Map<String, Value> {
    let scheme = |scheme: &str, about: &str| json!({ "type": "http", "scheme": scheme, "description": about });
    let token = scheme("bearer", "The console's token, where it has one.");
    let password = scheme("basic", "The console's token as the password.");
    let schemes = [("consoleToken", token), ("consolePassword", password)];
    schemes
        .map(|(name, it)| (name.to_owned(), it))
        .into_iter()
        .collect()
}

/// All routes, served at this URL.
pub(super) fn document(console: &str, examples: &[ControlExample]) -> ControlDocument {
    let mut schemas = SchemaGenerators::new();
    let mut paths: Map<String, Value> = Map::new();
    for route in routes() {
        let example = examples.iter().find(|it| {
            // With other scenarios and accounts a request of the story may be answered otherwise.
            it.id == route.id && it.status == route.status.as_u16()
        });
        let method = route.method.as_str().to_ascii_lowercase();
        let mut described = operation(&route, example, &mut schemas);
        described["servers"] = json!([{ "url": console, "description": "The console" }]);
        let item = paths.entry(route.path).or_insert_with(|| json!({}));
        item[method] = described;
    }
    ControlDocument {
        paths,
        schemas: schemas.definitions(),
    }
}

/// Separate generators for what is read and what is answered, because their schemas differ.
struct SchemaGenerators {
    requests: SchemaGenerator,
    answers: SchemaGenerator,
}

impl SchemaGenerators {
    fn new() -> Self {
        let settings = || {
            SchemaSettings::draft2020_12().with(|settings| {
                settings.definitions_path = "/components/schemas".into();
                settings.meta_schema = None;
            })
        };
        SchemaGenerators {
            requests: settings().for_deserialize().into_generator(),
            answers: settings().for_serialize().into_generator(),
        }
    }

    fn definitions(mut self) -> Map<String, Value> {
        let mut all = self.requests.take_definitions(true);
        all.extend(self.answers.take_definitions(true));
        all.values_mut().for_each(normalize);
        all
    }
}

/// Removes `null` from the types, because members are left out instead, and line breaks from the
/// descriptions.
fn normalize(schema: &mut Value) {
    fn tidy(schema: &mut Schema) {
        if let Some(Value::String(about)) = schema.get_mut("description") {
            *about = about.replace('\n', " ");
        }
        if let Some(Value::Array(kinds)) = schema.get_mut("type") {
            kinds.retain(|kind| kind != "null");
            if let [one] = kinds.as_slice() {
                let one = one.clone();
                schema.insert("type".to_owned(), one);
            }
        }
        if let Some(Value::Array(choices)) = schema.get_mut("enum") {
            choices.retain(|choice| !choice.is_null());
        }
        let Some(Value::Array(forms)) = schema.get_mut("anyOf") else {
            return;
        };
        forms.retain(|form| form["type"] != "null");
        if let [Value::Object(one)] = forms.as_slice() {
            let one = one.clone();
            schema.remove("anyOf");
            for (name, value) in one {
                schema.insert(name, value);
            }
        }
    }
    if let Ok(mut whole) = Schema::try_from(schema.take()) {
        RecursiveTransform(tidy).transform(&mut whole);
        *schema = whole.to_value();
    }
}

fn operation(
    route: &Route,
    example: Option<&ControlExample>,
    schemas: &mut SchemaGenerators,
) -> Value {
    let mut operation = json!({
        "operationId": format!("control.{}", route.id),
        "summary": route.summary,
        "tags": [CONTROL],
        "parameters": parameters(route, example, schemas),
        "responses": responses(route, example, schemas),
        "security": [{}, { "consoleToken": [] }, { "consolePassword": [] }],
        "x-simulator-extension": true,
    });
    let (presence, schema) = route.body;
    if presence != BodyPresence::Never {
        let mut content = json!({ "schema": normalized(schema(&mut schemas.requests)) });
        if let Some(body) = example.and_then(|it| it.body.as_ref()) {
            content["example"] = body.clone();
        }
        operation["requestBody"] = json!({
            "required": presence == BodyPresence::Required,
            "content": { "application/json": content },
        });
    }
    operation
}

fn normalized(schema: Schema) -> Value {
    let mut schema = schema.to_value();
    normalize(&mut schema);
    schema
}

fn parameters(
    route: &Route,
    example: Option<&ControlExample>,
    schemas: &mut SchemaGenerators,
) -> Vec<Value> {
    let mut parameters = Vec::new();
    let open = route
        .path
        .split_once('{')
        .and_then(|(_, rest)| rest.split_once('}'));
    if let Some((name, _)) = open {
        parameters.push(json!({
            "name": name, "in": "path", "required": true,
            "schema": { "type": "string" },
            "example": example.map(|it| it.path_id.as_str()).unwrap_or_default(),
        }));
    }
    let query = normalized((route.query)(&mut schemas.requests));
    let required = query["required"].as_array().cloned().unwrap_or_default();
    for (name, schema) in query["properties"].as_object().into_iter().flatten() {
        let mut schema = schema.clone();
        let about = schema
            .as_object_mut()
            .and_then(|it| it.remove("description"));
        let mut parameter = json!({
            "name": name, "in": "query", "required": required.contains(&json!(name)),
            "schema": schema,
        });
        if let Some(about) = about {
            parameter["description"] = about;
        }
        let mut pairs = example.iter().flat_map(|it| &it.query);
        if let Some((_, value)) = pairs.find(|(known, _)| known == name) {
            parameter["example"] = json!(value);
        }
        parameters.push(parameter);
    }
    parameters
}

/// The errors of every route, and those of routes that read a body.
const ERRORS_OF_ALL_ROUTES: [ControlErrorCode; 5] = [
    ControlErrorCode::InvalidInput,
    ControlErrorCode::TokenRequired,
    ControlErrorCode::HostNotAllowed,
    ControlErrorCode::OriginNotAllowed,
    ControlErrorCode::InternalError,
];
const ERRORS_OF_BODIES: [ControlErrorCode; 3] = [
    ControlErrorCode::BodyTimeout,
    ControlErrorCode::BodyTooLarge,
    ControlErrorCode::NotJson,
];

fn responses(
    route: &Route,
    example: Option<&ControlExample>,
    schemas: &mut SchemaGenerators,
) -> Map<String, Value> {
    let mut success = json!({ "description": route.summary });
    if let Some(answer) = example.and_then(|it| it.answer.as_ref()) {
        let schema = normalized((route.answer)(&mut schemas.answers));
        let content = json!({ "schema": schema, "example": answer });
        success["content"] = json!({ "application/json": content });
    }
    let mut responses = Map::new();
    responses.insert(route.status.as_u16().to_string(), success);
    let mut codes: Vec<ControlErrorCode> = route
        .errors
        .iter()
        .copied()
        .chain(ERRORS_OF_ALL_ROUTES)
        .collect();
    if route.body.0 != BodyPresence::Never {
        codes.extend(ERRORS_OF_BODIES);
    }
    // Asking for an account may open it.
    if codes.contains(&ControlErrorCode::AccountNotFound) {
        codes.push(ControlErrorCode::TooManyAccounts);
    }
    let mut by_status: BTreeMap<u16, Vec<ControlErrorCode>> = BTreeMap::new();
    for code in codes {
        by_status
            .entry(code.status().as_u16())
            .or_default()
            .push(code);
    }
    let schema = normalized(schemas.answers.subschema_for::<ErrorDto<'static>>());
    for (status, mut codes) in by_status {
        codes.sort_unstable();
        let about = codes
            .iter()
            .map(|code| format!("`{}`: {}", code.as_str(), code.meaning()));
        let about: Vec<String> = about.collect();
        let mut error = json!({
            "description": about.join(" "),
            "content": { "application/json": { "schema": schema } },
        });
        if status == ControlErrorCode::TokenRequired.status().as_u16() {
            let header = reference("headers", "ConsoleAuthenticate");
            error["headers"] = json!({ "WWW-Authenticate": header });
        }
        responses.insert(status.to_string(), error);
    }
    responses
}
