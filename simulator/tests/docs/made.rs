//! Parts of pages that are made from what the program knows: commands, settings, routes, tables.

use std::ops::Range;
use std::process::Command;

use serde_json::Value;

use super::WORKS;
use super::page::Page;

/// What makes a region, by its name.
fn make(name: &str) -> Option<String> {
    match (name, name.strip_prefix("svc-simulator ")) {
        ("settings", _) => Some(svc_simulator::cli::settings_markdown()),
        ("routes", _) => Some(routes_markdown()),
        (_, Some(arguments)) => Some(printed(&arguments.split(' ').collect::<Vec<_>>())),
        _ => None,
    }
}

/// A route of the control API: method, path and what it does.
pub(crate) struct Route {
    pub(crate) method: String,
    pub(crate) path: String,
    does: String,
}

/// The routes of the control API, as the OpenAPI document has them.
pub(crate) fn routes() -> Vec<Route> {
    let document: Value = serde_json::from_str(&printed(&["openapi"])).expect("JSON");
    let paths = document["paths"].as_object().expect("paths");
    let control = paths
        .iter()
        .filter(|(path, _)| path.starts_with("/control/"));
    let routes = control.flat_map(|(path, methods)| {
        let methods = methods.as_object().into_iter().flatten();
        let methods = methods.filter(|(_, route)| route["responses"].is_object());
        methods.map(move |(method, route)| Route {
            method: method.to_uppercase(),
            path: path.clone(),
            does: route["summary"].as_str().unwrap_or_default().to_owned(),
        })
    });
    routes.collect()
}

fn routes_markdown() -> String {
    let routes = routes();
    let rows = routes
        .iter()
        .map(|it| format!("| `{} {}` | {} |\n", it.method, it.path, it.does));
    format!("| route | does |\n|---|---|\n{}", rows.collect::<String>())
}

/// What a command prints, which is Markdown.
fn printed(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_svc-simulator"));
    let out = command.args(arguments).env_clear().output().expect(WORKS);
    assert!(out.status.success(), "{arguments:?}");
    String::from_utf8(out.stdout).expect("text")
}

/// Regions that are not as they are made: where, why, and what should stand there.
pub(crate) fn compare(page: &Page) -> Vec<(Range<usize>, String, String)> {
    let mut wrong = Vec::new();
    for region in &page.regions {
        let place = format!("{}:{}", page.path, region.line);
        let Some(made) = make(&region.name) else {
            let why = format!("{place}: nothing makes `{}`", region.name);
            wrong.push((region.lines.clone(), why, region.text.clone()));
            continue;
        };
        if made.trim() != region.text.trim() {
            let why = format!(
                "{place}: `{}` is made otherwise now: SVC_DOCS=write cargo test -p svc-simulator --test docs",
                region.name
            );
            wrong.push((region.lines.clone(), why, format!("\n{}\n", made.trim())));
        }
    }
    wrong
}
