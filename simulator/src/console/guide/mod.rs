//! The book on the console: the pages of `docs/src` as they are built in, so that they are read offline.

mod render;
mod search;
mod summary;

use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderMap, StatusCode};
use include_dir::{Dir, include_dir};
use maud::{Markup, PreEscaped, html};

use super::Pages;
use super::filter::Filter;
use super::page::Page;
use super::text::shown;

static BOOK: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../docs/src");

/// The path of the book; a page's address comes behind it, without its ending.
pub(super) const GUIDE: &str = "/guide";
const FIRST: &str = "index";

/// The first page, or what a question finds: `/guide?q=…`.
pub(super) async fn first(
    State(pages): State<Arc<Pages>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    match Filter::read(query.as_deref()).get("q") {
        Some(question) => found(&pages, &headers, question),
        None => show(&pages, &headers, FIRST),
    }
}

/// Any other one, or a picture.
pub(super) async fn one(
    State(pages): State<Arc<Pages>>,
    Path(path): Path<String>,
    headers: HeaderMap,
) -> Response {
    match path.strip_suffix(".png") {
        Some(_) => picture(&path),
        None => show(&pages, &headers, path.trim_end_matches('/')),
    }
}

fn show(pages: &Pages, headers: &HeaderMap, name: &str) -> Response {
    let path = if name.is_empty() { FIRST } else { name };
    let page = |title| Page {
        pages,
        headers,
        part: GUIDE,
        title,
    };
    let Some(text) = text(&format!("{path}.md")) else {
        let content = html! { p { "The book has no such page." } (contents(pages, path)) };
        return page("No such page").answer(StatusCode::NOT_FOUND, &content);
    };
    let rendered = render::page(path, text, &pages.base);
    let content = html! {
        (form(pages, ""))
        div.guide {
            article { (PreEscaped(&rendered.html)) }
            (contents(pages, path))
        }
    };
    page(&rendered.title).show(&content)
}

/// The sections of the book that have all words of a question.
fn found(pages: &Pages, headers: &HeaderMap, question: &str) -> Response {
    let parts = summary::parts(text("SUMMARY.md").unwrap_or_default());
    let all = parts.iter().flat_map(|part| &part.pages);
    let all = all.filter_map(|(_, path)| Some((path.trim_end_matches(".md"), text(path)?)));
    let hits = search::search(all, &search::words(question));
    let said = match hits.len() {
        0 => "Nothing in the guide has all of these words.".to_owned(),
        1 => "One section has all of these words.".to_owned(),
        hits if hits > search::SHOWN => {
            format!(
                "{hits} sections have all of these words; the first {} are shown.",
                search::SHOWN
            )
        }
        hits => format!("{hits} sections have all of these words."),
    };
    let page = Page {
        pages,
        headers,
        part: GUIDE,
        title: "Search the guide",
    };
    page.show(&html! {
        (form(pages, question))
        div.guide {
            article {
                p role="status" { (said) }
                @for hit in hits.iter().take(search::SHOWN) {
                    @let mark = if hit.id.is_empty() { "" } else { "#" };
                    h2 {
                        a href=(format!("{}{mark}{}", address(pages, &hit.path), hit.id)) {
                            (hit.page) @if !hit.heading.is_empty() { ": " (hit.heading) }
                        }
                    }
                    p {
                        @for (text, is_word) in &hit.excerpt {
                            @if *is_word { mark { (shown(text)) } } @else { (shown(text)) }
                        }
                    }
                }
            }
            (contents(pages, ""))
        }
    })
}

/// Where something is looked for in the book.
fn form(pages: &Pages, question: &str) -> Markup {
    html! {
        form.row method="get" action=(pages.to(GUIDE)) role="search" {
            label {
                "Search the guide"
                input type="search" name="q" maxlength="200" required value=(shown(question));
            }
            button.quiet { "Search" }
        }
    }
}

/// What is in the book, by its summary.
fn contents(pages: &Pages, here: &str) -> Markup {
    let parts = summary::parts(text("SUMMARY.md").unwrap_or_default());
    html! {
        nav aria-label="Pages of the guide" {
            @for part in parts {
                @if !part.title.is_empty() { h2 { (part.title) } }
                ul {
                    @for (title, path) in part.pages {
                        @let name = path.trim_end_matches(".md");
                        li {
                            a href=(address(pages, name)) aria-current=[(name == here).then_some("page")] { (title) }
                        }
                    }
                }
            }
        }
    }
}

fn address(pages: &Pages, name: &str) -> String {
    match name {
        FIRST => pages.to(GUIDE),
        name => pages.to(&format!("{GUIDE}/{name}")),
    }
}

fn text(path: &str) -> Option<&'static str> {
    BOOK.get_file(path)?.contents_utf8()
}

fn picture(path: &str) -> Response {
    let Some(file) = BOOK.get_file(path) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let headers = [
        (CONTENT_TYPE, "image/png"),
        (CACHE_CONTROL, "no-cache"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, Bytes::from_static(file.contents())).into_response()
}
