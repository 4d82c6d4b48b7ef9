//! A page of a request: it says what the last form came to, once.

use axum::response::Response;
use http::{HeaderMap, StatusCode};
use maud::{Markup, html};

use super::Pages;
use super::api::Refusal;
use super::layout::Notice;
use super::text::shown;

/// A page.
pub(super) struct Page<'p> {
    pub(super) pages: &'p Pages,
    pub(super) headers: &'p HeaderMap,
    /// The part of the console that it belongs to, by its path.
    pub(super) part: &'p str,
    pub(super) title: &'p str,
}

impl Page<'_> {
    /// The page with this in it.
    pub(super) fn show(&self, content: &Markup) -> Response {
        self.answer(StatusCode::OK, content)
    }

    /// The page that says what the control API refused.
    pub(super) fn refused(&self, refusal: &Refusal) -> Response {
        let content = html! { p.message.bad role="alert" { (shown(&refusal.message)) } };
        self.answer(refusal.status, &content)
    }

    /// The page with this in it, and a status.
    pub(super) fn answer(&self, status: StatusCode, content: &Markup) -> Response {
        let notice = Notice::of(self.headers);
        self.pages
            .page(status, (self.part, self.title), &notice, content)
    }
}
