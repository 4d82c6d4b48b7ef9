//! The paths of the control API, made from its routes: what a route reads and answers is described by
//! the types it is served with, and shown by what a simulator answered.

use std::collections::BTreeMap;

use schemars::Schema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::transform::{RecursiveTransform, Transform as _};
use serde_json::{Map, Value, json};

use super::components::reference;
use crate::http::control::{Code, Presence, Route, routes};
use crate::http::examples::Told;

/// The tag of the control API.
pub(super) const CONTROL: &str = "Control API";

/// What the control API adds to the document.
pub(super) struct Described {
    pub(super) paths: Map<String, Value>,
    pub(super) schemas: Map<String, Value>,
}

/// How the console's token is shown, where it has one.
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
pub(super) fn described(console: &str, told: &[Told]) -> Described {
    let mut schemas = Schemas::new();
    let mut paths: Map<String, Value> = Map::new();
    for route in routes() {
        let example = told.iter().find(|it| {
            // With other scenarios and accounts the story may take another turn.
            it.id == route.id && it.status == route.status.as_u16()
        });
        let method = route.method.as_str().to_ascii_lowercase();
        let mut described = operation(&route, example, &mut schemas);
        described["servers"] = json!([{ "url": console, "description": "The console" }]);
        let item = paths.entry(route.path).or_insert_with(|| json!({}));
        item[method] = described;
    }
    Described {
        paths,
        schemas: schemas.definitions(),
    }
}

/// What is read is described as it must be sent, what is answered as it is given.
struct Schemas {
    read: SchemaGenerator,
    given: SchemaGenerator,
}

impl Schemas {
    fn new() -> Self {
        let settings = || {
            SchemaSettings::draft2020_12().with(|settings| {
                settings.definitions_path = "/components/schemas".into();
                settings.meta_schema = None;
            })
        };
        Schemas {
            read: settings().for_deserialize().into_generator(),
            given: settings().for_serialize().into_generator(),
        }
    }

    fn definitions(mut self) -> Map<String, Value> {
        let mut all = self.read.take_definitions(true);
        all.extend(self.given.take_definitions(true));
        all.values_mut().for_each(tidied);
        all
    }
}

/// A member is there or it is not: it is never null. And what is said of it is one line.
fn tidied(schema: &mut Value) {
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
    if let Ok(mut tidied) = Schema::try_from(schema.take()) {
        RecursiveTransform(tidy).transform(&mut tidied);
        *schema = tidied.to_value();
    }
}

fn operation(route: &Route, example: Option<&Told>, schemas: &mut Schemas) -> Value {
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
    if presence != Presence::Never {
        let mut content = json!({ "schema": plain(schema(&mut schemas.read)) });
        if let Some(body) = example.and_then(|it| it.body.as_ref()) {
            content["example"] = body.clone();
        }
        operation["requestBody"] = json!({
            "required": presence == Presence::Required,
            "content": { "application/json": content },
        });
    }
    operation
}

fn plain(schema: Schema) -> Value {
    let mut schema = schema.to_value();
    tidied(&mut schema);
    schema
}

fn parameters(route: &Route, example: Option<&Told>, schemas: &mut Schemas) -> Vec<Value> {
    let mut parameters = Vec::new();
    let open = route
        .path
        .split_once('{')
        .and_then(|(_, rest)| rest.split_once('}'));
    if let Some((name, _)) = open {
        parameters.push(json!({
            "name": name, "in": "path", "required": true,
            "schema": { "type": "string" },
            "example": example.map(|it| it.part.as_str()).unwrap_or_default(),
        }));
    }
    let query = plain((route.query)(&mut schemas.read));
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

/// What every route may be refused with, and those that read a body.
const ALWAYS: [Code; 5] = [
    Code::InvalidInput,
    Code::TokenRequired,
    Code::HostNotAllowed,
    Code::OriginNotAllowed,
    Code::InternalError,
];
const WITH_BODY: [Code; 3] = [Code::BodyTimeout, Code::BodyTooLarge, Code::NotJson];

fn responses(route: &Route, example: Option<&Told>, schemas: &mut Schemas) -> Map<String, Value> {
    let mut success = json!({ "description": route.summary });
    if let Some(answer) = example.and_then(|it| it.answer.as_ref()) {
        let schema = plain((route.answer)(&mut schemas.given));
        let content = json!({ "schema": schema, "example": answer });
        success["content"] = json!({ "application/json": content });
    }
    let mut responses = Map::new();
    responses.insert(route.status.as_u16().to_string(), success);
    let mut codes: Vec<Code> = route.refuses.iter().copied().chain(ALWAYS).collect();
    if route.body.0 != Presence::Never {
        codes.extend(WITH_BODY);
    }
    // Whatever asks for an account may open one.
    if codes.contains(&Code::AccountNotFound) {
        codes.push(Code::TooManyAccounts);
    }
    let mut by_status: BTreeMap<u16, Vec<Code>> = BTreeMap::new();
    for code in codes {
        by_status
            .entry(code.status().as_u16())
            .or_default()
            .push(code);
    }
    let schema = plain(Route::refusal_schema(&mut schemas.given));
    for (status, mut codes) in by_status {
        codes.sort_unstable();
        let about = codes
            .iter()
            .map(|code| format!("`{}`: {}", code.as_str(), code.meaning()));
        let about: Vec<String> = about.collect();
        let mut refusal = json!({
            "description": about.join(" "),
            "content": { "application/json": { "schema": schema } },
        });
        if status == Code::TokenRequired.status().as_u16() {
            let header = reference("headers", "ConsoleAuthenticate");
            refusal["headers"] = json!({ "WWW-Authenticate": header });
        }
        responses.insert(status.to_string(), refusal);
    }
    responses
}
