//! The scenarios in force: files and rules with how often each decided, and an editor for those of one
//! account.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, Method, StatusCode, Uri};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::Pages;
use super::api::{Refusal, encoded};
use super::form::Fields;
use super::layout::{Notice, items, lines, member, table, text};

const PART: &str = "/scenarios";

pub(super) async fn list(
    State(pages): State<Arc<Pages>>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let query = Fields::of(uri.query().unwrap_or_default().as_bytes());
    let account = query.get("account").to_owned();
    pages
        .files(StatusCode::OK, Notice::of(&headers), &account, &Value::Null)
        .await
}

pub(super) async fn add(State(pages): State<Arc<Pages>>, body: Bytes) -> Response {
    let typed = Fields::form(&body);
    let account = typed.get("account").to_owned();
    let text = json!({ "account": account, "toml": typed.raw("toml") });
    let path = match typed.get("action") {
        "check" => "/control/scenarios/check",
        _ => "/control/scenarios",
    };
    match pages.api.post(path, &text).await {
        Ok(checked) if path.ends_with("check") => {
            let mistakes = items(&checked, "mistakes").len();
            let notice = Notice {
                done: (mistakes == 0).then(|| "No mistakes; nothing was added.".to_owned()),
                refused: (mistakes > 0).then(|| format!("{mistakes} mistakes; nothing was added.")),
                typed,
                ..Notice::default()
            };
            pages
                .files(StatusCode::OK, notice, &account, &checked)
                .await
        }
        Ok(added) => {
            let done = format!("Added as {}.", member(&added, "id"));
            pages.back(&format!("{PART}?account={}", encoded(&account)), &done)
        }
        Err(refusal) => pages.refused_text(&refusal, typed, &account).await,
    }
}

pub(super) async fn file(
    State(pages): State<Arc<Pages>>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let query = Fields::of(uri.query().unwrap_or_default().as_bytes());
    pages
        .file(StatusCode::OK, Notice::of(&headers), &query, &Value::Null)
        .await
}

pub(super) async fn change(State(pages): State<Arc<Pages>>, body: Bytes) -> Response {
    let typed = Fields::form(&body);
    let account = typed.get("account").to_owned();
    let path = format!("/control/scenarios/{}", encoded(typed.get("added")));
    let removes = typed.get("action") == "remove";
    let answer = match removes {
        true => {
            let path = format!("{path}?account={}", encoded(&account));
            pages.api.ask(Method::DELETE, &path, None).await
        }
        false => {
            let toml = typed.raw("toml");
            let text = json!({ "account": account, "toml": toml });
            pages.api.ask(Method::PUT, &path, Some(&text)).await
        }
    };
    match answer {
        Ok(_) if removes => pages.back(
            &format!("{PART}?account={}", encoded(&account)),
            "The rules were removed.",
        ),
        Ok(_) => {
            let (account, file) = (encoded(&account), encoded(typed.get("file")));
            pages.back(
                &format!("{PART}/file?account={account}&file={file}"),
                "The rules were changed.",
            )
        }
        Err(refusal) => {
            let mistakes = refusal.answer["error"].clone();
            let notice = Notice {
                refused: Some("Nothing was changed: see the mistakes at the text.".to_owned()),
                typed: typed.clone(),
                ..Notice::default()
            };
            pages.file(refusal.status, notice, &typed, &mistakes).await
        }
    }
}

impl Pages {
    async fn refused_text(&self, refusal: &Refusal, typed: Fields, account: &str) -> Response {
        let mistakes = refusal.answer["error"].clone();
        let notice = match items(&mistakes, "mistakes") {
            [] => Notice::refused(refusal, typed),
            _ => Notice {
                refused: Some("Nothing was added: see the mistakes at the text.".to_owned()),
                typed,
                ..Notice::default()
            },
        };
        self.files(refusal.status, notice, account, &mistakes).await
    }

    async fn files(
        &self,
        status: StatusCode,
        notice: Notice,
        account: &str,
        checked: &Value,
    ) -> Response {
        let of = match account {
            "" => String::new(),
            account => format!("?account={}", encoded(account)),
        };
        let files = match self.api.get(&format!("/control/scenarios/files{of}")).await {
            Ok(files) => files,
            // An account that comes into being with its first scenario has no files yet.
            Err(refusal) if notice.refused.is_none() => return self.refusal(PART, &refusal),
            Err(_) => Value::Null,
        };
        let explain = match account {
            "" => "/scenarios/explain".to_owned(),
            account => format!("/scenarios/explain?account={}", encoded(account)),
        };
        let content = html! {
            section {
                form method="get" action=(self.to(PART)) {
                    label { "With those of account" input name="account" value=(text(account)); }
                    button { "Show" }
                }
                p.quiet {
                    "Counted in " (member(&files, "calls")) " calls that are kept. "
                    a href=(self.to(&explain)) { "Explain an input" }
                }
                (self.folders(&files, account))
            }
            (warnings(&files))
            section {
                h2 { "Add rules for one account, before all others" }
                form.tall method="post" action=(self.to(PART)) {
                    label { "Account" input name="account" required value=(text(account)); }
                    label { "Rules, as they stand in a file" textarea name="toml" required spellcheck="false" { (lines(notice.typed.raw("toml"))) } }
                    (mistakes(checked))
                    div {
                        button name="action" value="add" { "Add" } " "
                        button name="action" value="check" { "Only check" }
                    }
                }
            }
        };
        self.page(status, (PART, "Scenarios"), &notice, &content)
    }

    /// The files, folder by folder, as they are tried.
    fn folders(&self, files: &Value, account: &str) -> Markup {
        let mut folders: Vec<(String, Vec<Vec<Markup>>)> = Vec::new();
        for it in items(files, "files") {
            let path = member(it, "file");
            let (folder, name) = path.rsplit_once('/').unwrap_or((".", &path));
            let mut to = format!("{PART}/file?file={}", encoded(&path));
            if !account.is_empty() {
                to += &format!("&account={}", encoded(account));
            }
            let count = |name: &str| html! { (member(it, name)) };
            let row = vec![
                html! { a href=(self.to(&to)) { (name) } },
                count("rules"),
                count("fired"),
                count("never"),
            ];
            match folders.last_mut() {
                Some((last, rows)) if last == folder => rows.push(row),
                _ => folders.push((folder.to_owned(), vec![row])),
            }
        }
        let columns = [
            "File, the first wins",
            "Rules",
            "Calls decided",
            "Rules that decided none",
        ];
        html! {
            @for (folder, rows) in &folders {
                h2 { "Folder " code { (text(folder)) } }
                (table(&format!("Files of {folder}"), &columns, rows))
            }
        }
    }

    async fn file(
        &self,
        status: StatusCode,
        notice: Notice,
        query: &Fields,
        checked: &Value,
    ) -> Response {
        let (account, path) = (query.get("account"), query.get("file"));
        let mut of = format!("/control/scenarios/file?file={}", encoded(path));
        if !account.is_empty() {
            of += &format!("&account={}", encoded(account));
        }
        let file = match self.api.get(&of).await {
            Ok(file) => file,
            Err(refusal) => return self.refusal(PART, &refusal),
        };
        let toml = file["toml"].as_str().unwrap_or_default();
        let typed = notice.typed.raw("toml");
        let content = html! {
            @if file["added"].is_string() {
                section {
                    h2 { "Change these rules" }
                    form.tall method="post" action=(self.to("/scenarios/file")) {
                        input type="hidden" name="account" value=(text(account));
                        input type="hidden" name="added" value=(member(&file, "added"));
                        input type="hidden" name="file" value=(text(path));
                        label { "Text" textarea name="toml" required spellcheck="false" { (lines(if typed.is_empty() { toml } else { typed })) } }
                        (mistakes(checked))
                        div {
                            button name="action" value="save" { "Save" } " "
                            button.danger name="action" value="remove" { "Remove" }
                        }
                    }
                }
            }
            @for rule in items(&file, "rules") {
                section id=(format!("line-{}", member(rule, "line"))) {
                    h2 { (member(rule, "name")) }
                    p.quiet {
                        @if rule["fired"] == 0 { mark { "decided no call yet" } ", " }
                        "line " (member(rule, "line")) ", decided " (member(rule, "fired")) " of "
                        (member(&file, "calls")) " calls; for " (items(rule, "operations").len()) " operations"
                    }
                    pre tabindex="0" { (lines(rule["toml"].as_str().unwrap_or_default())) }
                }
            }
        };
        self.page(status, (PART, path), &notice, &content)
    }
}

/// What `check` would say of files that are used nevertheless.
fn warnings(files: &Value) -> Markup {
    let all = items(files, "warnings");
    html! {
        @if !all.is_empty() {
            section {
                h2 { "Used, and mistaken" }
                p.quiet { "Rules that never win, or answers that contradict themselves. " code { "svc-simulator check" } " says the same." }
                @for warning in all {
                    p { strong { code { (member(warning, "file")) } " line " (member(warning, "line")) ": " } (member(warning, "message")) }
                    pre tabindex="0" { (lines(warning["snippet"].as_str().unwrap_or_default())) }
                }
            }
        }
    }
}

/// What is wrong with a text, each mistake with its line.
fn mistakes(checked: &Value) -> Markup {
    html! {
        @for mistake in items(checked, "mistakes") {
            div.error role="alert" {
                p { strong { "Line " (member(mistake, "line")) ", column " (member(mistake, "column")) ": " (member(mistake, "message")) } }
                pre tabindex="0" { (lines(mistake["snippet"].as_str().unwrap_or_default())) }
            }
        }
    }
}
