//! The control API and its description: neither has what the other has not, and every example is what
//! a simulator answers.

use std::collections::BTreeSet;

use jsonschema::Registry;
use serde_json::{Value, json};

use super::document;
use crate::engine::call::rules::{Files, Rules};
use crate::engine::state::ids::Seed;
use crate::http::ListenerAddresses;
use crate::http::control::{BodyPresence, ControlErrorCode, Route, routes};
use crate::http::examples::{self, ControlExample, fill_path, in_memory, request_control};
use crate::scenario::{self, AccountConfig, read_accounts};

fn made() -> (Rules, Vec<AccountConfig>, Value) {
    let rules = Rules::read(&Files::built_in(), Seed::new("")).unwrap();
    let accounts = read_accounts(&scenario::accounts()).unwrap();
    let document = document(&rules, &accounts, &ListenerAddresses::DEFAULT.urls());
    (rules, accounts, document)
}

fn described<'d>(document: &'d Value, route: &Route) -> &'d Value {
    let method = route.method.as_str().to_lowercase();
    &document["paths"][route.path][&method]
}

/// A place in the document as a schema may refer to it.
fn pointer(route: &Route, rest: &str) -> String {
    let path = route.path.replace('/', "~1");
    let path = path.replace('{', "%7B").replace('}', "%7D");
    let method = route.method.as_str().to_lowercase();
    format!("urn:document#/paths/{path}/{method}/{rest}")
}

struct SchemaValidator(Registry<'static>);

impl SchemaValidator {
    fn of(document: &Value) -> Self {
        let registry = Registry::new().add("urn:document", document.clone());
        SchemaValidator(
            registry
                .and_then(jsonschema::RegistryBuilder::prepare)
                .unwrap(),
        )
    }

    fn validate(&self, pointer: &str, value: &Value) {
        let schema = json!({ "$ref": pointer });
        let options = jsonschema::options()
            .with_registry(&self.0)
            .should_validate_formats(true);
        let validator = options.build(&schema).unwrap();
        if let Err(error) = validator.validate(value) {
            panic!("{pointer}: {error} at {}: {value:#}", error.instance_path());
        }
    }
}

#[test]
fn every_route_is_described_and_every_described_one_is_routed() {
    let (_, _, document) = made();
    let routed: BTreeSet<(String, &str)> = routes()
        .iter()
        .map(|route| (route.method.as_str().to_lowercase(), route.path))
        .collect();
    let paths = document["paths"].as_object().unwrap().iter();
    let control = paths.filter(|(path, _)| path.starts_with("/control/"));
    let example: BTreeSet<(String, &str)> = control
        .flat_map(|(path, item)| {
            let methods = item.as_object().unwrap().keys();
            methods.map(move |method| (method.clone(), path.as_str()))
        })
        .collect();
    assert_eq!(routed, example);
    assert_eq!(routed.len(), routes().len(), "no route comes twice");
    for route in routes() {
        let described = described(&document, &route);
        assert_eq!(described["x-simulator-extension"], true, "{}", route.id);
        assert_eq!(described["servers"][0]["url"], "http://127.0.0.1:8800");
        assert_eq!(described["tags"], json!(["Control API"]), "{}", route.id);
        assert_eq!(described["operationId"], format!("control.{}", route.id));
        let open = described["parameters"].as_array().unwrap().iter();
        let open = open.filter(|it| it["in"] == "path").count();
        assert_eq!(route.path.matches('{').count(), open, "{}", route.id);
    }
}

#[test]
fn every_code_is_described_at_a_route_or_comes_of_the_router() {
    let (_, _, document) = made();
    let text = document["paths"].to_string();
    for &code in ControlErrorCode::ALL {
        let by_router = matches!(
            code,
            ControlErrorCode::NotFound | ControlErrorCode::MethodNotAllowed
        );
        assert_ne!(text.contains(&format!("`{code}`")), by_router, "{code:?}");
    }
}

/// Asks what the document shows, in the order of the story, of a simulator of its own.
#[tokio::test]
async fn every_example_request_gets_its_example_answer_and_both_fit_their_schemas() {
    let (rules, accounts, document) = tokio::task::spawn_blocking(made).await.unwrap();
    let validator = SchemaValidator::of(&document);
    let story: Vec<ControlExample> = examples::control_story(&rules, &accounts).await;
    let missing: Vec<&str> = routes()
        .iter()
        .map(|route| route.id)
        .filter(|id| !story.iter().any(|example| example.id == *id))
        .collect();
    assert!(missing.is_empty(), "no example: {missing:?}");
    for example in &story {
        let routes = routes();
        let route = routes.iter().find(|route| route.id == example.id).unwrap();
        let described = described(&document, route);
        for parameter in described["parameters"].as_array().unwrap() {
            let (name, shown) = (&parameter["name"], &parameter["example"]);
            match parameter["in"] == "path" {
                true => assert_eq!(*shown, json!(example.path_id), "{}", route.id),
                false => {
                    let mut query = example.query.iter();
                    let asked = query.find(|(known, _)| name == known);
                    assert_eq!(
                        asked.map(|(_, it)| json!(it)),
                        parameter.get("example").cloned()
                    );
                    let given = asked.is_some();
                    assert!(
                        given || parameter["required"] == false,
                        "{} {name}",
                        route.id
                    );
                }
            }
        }
        let body = &described["requestBody"]["content"]["application/json"]["example"];
        assert_eq!(
            example.body.as_ref(),
            Some(body).filter(|body| !body.is_null())
        );
        if let Some(body) = &example.body {
            let place = "requestBody/content/application~1json/schema";
            validator.validate(&pointer(route, place), body);
        }
        let status = route.status.as_u16();
        assert_eq!(example.status, status, "{}: {:?}", route.id, example.answer);
        let shown = &described["responses"][status.to_string()]["content"]["application/json"];
        assert_eq!(
            example.answer.as_ref(),
            shown.get("example"),
            "{}",
            route.id
        );
        if let Some(answer) = &example.answer {
            let place = format!("responses/{status}/content/application~1json/schema");
            validator.validate(&pointer(route, &place), answer);
        }
    }
}

#[tokio::test]
async fn what_no_route_takes_is_refused_as_the_document_says() {
    let (rules, accounts, document) = tokio::task::spawn_blocking(made).await.unwrap();
    let validator = SchemaValidator::of(&document);
    let mut router = in_memory(&rules, &accounts).unwrap();
    for route in routes() {
        let path = fill_path(route.path, "nobody", &[]);
        let body = (route.body.0 != BodyPresence::Never).then(|| json!({ "stranger": 1 }));
        let (status, answer) =
            request_control(&mut router, &route.method, &path, body.as_ref()).await;
        if status == route.status.as_u16() {
            continue;
        }
        let answer = answer.unwrap();
        let example = &described(&document, &route)["responses"][status.to_string()];
        let code = answer["error"]["code"].as_str().unwrap();
        assert!(
            example["description"].as_str().unwrap().contains(code),
            "{}: {answer}",
            route.id
        );
        let place = format!("responses/{status}/content/application~1json/schema");
        validator.validate(&pointer(&route, &place), &answer);
    }
}
