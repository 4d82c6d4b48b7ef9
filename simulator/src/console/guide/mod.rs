//! The book on the console: the pages of `docs/src` as they are built in, so that they are read offline.

mod render;
mod summary;

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderMap, StatusCode};
use include_dir::{Dir, include_dir};
use maud::{Markup, PreEscaped, html};

use super::Pages;
use super::page::Page;

static BOOK: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../docs/src");

/// The path of the book; a page's address comes behind it, without its ending.
pub(super) const GUIDE: &str = "/guide";
const FIRST: &str = "index";

/// The first page.
pub(super) async fn first(State(pages): State<Arc<Pages>>, headers: HeaderMap) -> Response {
    show(&pages, &headers, FIRST)
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
        div.guide {
            article { (PreEscaped(&rendered.html)) }
            (contents(pages, path))
        }
    };
    page(&rendered.title).show(&content)
}

/// What is in the book, by its summary.
fn contents(pages: &Pages, shown: &str) -> Markup {
    let parts = summary::parts(text("SUMMARY.md").unwrap_or_default());
    html! {
        nav aria-label="Pages of the guide" {
            @for part in parts {
                @if !part.title.is_empty() { h2 { (part.title) } }
                ul {
                    @for (title, path) in part.pages {
                        @let name = path.trim_end_matches(".md");
                        li {
                            a href=(address(pages, name)) aria-current=[(name == shown).then_some("page")] { (title) }
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
