//! The paths of the control API, made from its routes: the types of a handler give the schemas, and the
//! answers of a simulator in memory give the examples.

use schemars::Schema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::transform::{RecursiveTransform, Transform as _};
use serde_json::{Map, Value, json};

use super::envelope::reference;
use super::illustrate::illustrate_shared;
use crate::http::control::{BodyPresence, ControlErrorCode, ErrorDto, Route, routes};
use crate::http::examples::ControlExample;

/// The tag of the control API.
pub(super) const CONTROL: &str = "Control API";

/// What the control API adds to the document.
pub(super) struct ControlDocument {
    pub(super) paths: Map<String, Value>,
    pub(super) schemas: Map<String, Value>,
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
    let mut schemas = schemas.definitions();
    let methods = paths.values().filter_map(Value::as_object).flatten();
    let bodies = methods.flat_map(|(_, operation)| {
        let answers = operation["responses"].as_object().into_iter().flatten();
        let answers = answers.map(|(_, answer)| answer);
        [&operation["requestBody"]].into_iter().chain(answers)
    });
    let shown = bodies.filter_map(|body| {
        let content = &body["content"]["application/json"];
        Some((content.get("schema")?, content.get("example")?))
    });
    illustrate_shared(&mut schemas, shown);
    ControlDocument { paths, schemas }
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
        let all = all.into_iter();
        all.map(|(name, schema)| (shown_name(&name), normalized(schema)))
            .collect()
    }
}

/// The name of a type of the control API in the document.
fn shown_name(name: &str) -> String {
    match name.strip_suffix("Dto") {
        Some(name) => format!("Control{name}"),
        None => name.to_owned(),
    }
}

/// Removes `null` from the types, because members are left out instead, and line breaks from the
/// descriptions. An object has no members but those described.
fn normalized(schema: Value) -> Value {
    fn tidy(schema: &mut Schema) {
        if let Some(Value::String(about)) = schema.get_mut("description") {
            *about = about.replace('\n', " ");
        }
        if let Some(Value::Array(kinds)) = schema.get_mut("type") {
            kinds.retain(|kind| kind != "null");
            if let [one] = kinds.as_mut_slice() {
                let one = one.take();
                schema.insert("type".to_owned(), one);
            }
        }
        if let Some(Value::Array(choices)) = schema.get_mut("enum") {
            choices.retain(|choice| !choice.is_null());
        }
        if let Some(Value::Array(forms)) = schema.get_mut("anyOf") {
            forms.retain(|form| form["type"] != "null");
            if let [Value::Object(one)] = forms.as_mut_slice() {
                let one = std::mem::take(one);
                schema.remove("anyOf");
                schema.ensure_object().extend(one);
            }
        }
        as_one_enum(schema);
        // Which members go together is said in words: no generator of clients knows `not`.
        schema.remove("not");
        if let Some(Value::String(reference)) = schema.get_mut("$ref")
            && let Some((place, name)) = reference.rsplit_once('/')
        {
            *reference = format!("{place}/{}", shown_name(name));
        }
        if schema.get("properties").is_some() {
            schema.insert("additionalProperties".to_owned(), false.into());
        }
    }
    let mut schema = Schema::try_from(schema).expect("schemars makes schemas");
    RecursiveTransform(tidy).transform(&mut schema);
    schema.to_value()
}

/// Makes one list of values of alternatives that are single texts: generators of clients know lists, and lose
/// alternatives. What each value means is said in the description. A truth value has no list at all.
fn as_one_enum(schema: &mut Schema) {
    if schema.get("type") == Some(&json!("boolean")) {
        schema.remove("enum");
        schema.remove("const");
    }
    let Some(Value::Array(forms)) = schema.get("oneOf") else {
        return;
    };
    let values: Option<Vec<Value>> = forms
        .iter()
        .map(|form| form.get("const").cloned())
        .collect();
    let Some(values) = values else { return };
    let meanings = forms.iter().filter_map(|form| {
        let about = form.get("description")?.as_str()?;
        Some(format!("`{}`: {about}", form["const"].as_str()?))
    });
    let about = schema
        .get("description")
        .and_then(Value::as_str)
        .map(str::to_owned);
    let about: Vec<String> = about.into_iter().chain(meanings).collect();
    schema.remove("oneOf");
    schema.insert("type".to_owned(), json!("string"));
    schema.insert("enum".to_owned(), json!(values));
    schema.insert("description".to_owned(), json!(about.join(" ")));
}

/// A sentence of its summary, and what its path names.
fn description(route: &Route) -> String {
    let mut about = format!("{}.", route.summary);
    if route.path.starts_with("/control/accounts/{id}") {
        about += " `id` is the account's: what its keys have after `svc_test_` and `svc_live_`, such as `local`.";
    }
    if route.status == http::StatusCode::NO_CONTENT {
        about += " The answer has no body.";
    }
    about
}

fn operation(
    route: &Route,
    example: Option<&ControlExample>,
    schemas: &mut SchemaGenerators,
) -> Value {
    let mut operation = json!({
        "operationId": format!("control.{}", route.id),
        "summary": route.summary,
        "description": description(route),
        "tags": [CONTROL],
        "parameters": parameters(route, example, schemas),
        "responses": responses(route, example, schemas),
        "security": [{}, { "consoleToken": [] }, { "consolePassword": [] }],
        "x-simulator-extension": true,
    });
    let (presence, schema) = route.body;
    if presence != BodyPresence::Never {
        let mut content = json!({ "schema": normalized(schema(&mut schemas.requests).to_value()) });
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

fn parameters(
    route: &Route,
    example: Option<&ControlExample>,
    schemas: &mut SchemaGenerators,
) -> Vec<Value> {
    let mut parameters = Vec::new();
    let open = route.path.split_once('{');
    if let Some((name, _)) = open.and_then(|(_, rest)| rest.split_once('}')) {
        parameters.push(json!({
            "name": name, "in": "path", "required": true,
            "schema": { "type": "string" },
            "example": example.map(|it| it.path_id.as_str()).unwrap_or_default(),
        }));
    }
    let query = normalized((route.query)(&mut schemas.requests).to_value());
    let required = query["required"].as_array().cloned().unwrap_or_default();
    for (name, schema) in query["properties"].as_object().into_iter().flatten() {
        let mut parameter = json!({
            "name": name, "in": "query", "required": required.contains(&json!(name)),
            "schema": schema,
        });
        let schema = parameter["schema"].as_object_mut();
        if let Some(about) = schema.and_then(|it| it.remove("description")) {
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
        let schema = normalized((route.answer)(&mut schemas.answers).to_value());
        let content = json!({ "schema": schema, "example": answer });
        success["content"] = json!({ "application/json": content });
    }
    let mut responses = Map::new();
    responses.insert(route.status.as_u16().to_string(), success);
    let mut codes = [route.errors, &ERRORS_OF_ALL_ROUTES].concat();
    if route.body.0 != BodyPresence::Never {
        codes.extend(ERRORS_OF_BODIES);
    }
    let query = normalized((route.query)(&mut schemas.requests).to_value());
    let is_account = route.path.starts_with("/control/accounts/{id}");
    if is_account || query["properties"].get("account").is_some() {
        codes.push(ControlErrorCode::AccountNotFound);
    }
    // Asking for an account may open it.
    if codes.contains(&ControlErrorCode::AccountNotFound) {
        codes.push(ControlErrorCode::TooManyAccounts);
    }
    codes.sort_unstable_by_key(|code| (code.status().as_u16(), *code));
    let schema = normalized(
        schemas
            .answers
            .subschema_for::<ErrorDto<'static>>()
            .to_value(),
    );
    for codes in codes.chunk_by(|one, next| one.status() == next.status()) {
        let status = codes[0].status().as_u16();
        let about = codes.iter();
        let about = about.map(|code| format!("`{code}`: {}", code.meaning()));
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
