//! An answer as the judge looks at it: the envelope parsed once, and what its request was.

use svc_fixtures::contract::{Contract, ErrorCode, Operation, Paise};
use svc_fixtures::json::Json;

use crate::capture::{Exchange, Request, Response};
use crate::plan::{Setting, VERIFICATIONS};

/// One answer.
pub(super) struct Answer<'a> {
    pub(super) request: &'a Request,
    pub(super) response: &'a Response,
    /// The body, where it is JSON.
    pub(super) json: Option<Json<'a>>,
}

impl<'a> Answer<'a> {
    /// The answer of an exchange, or why there is none.
    pub(super) fn of(exchange: &'a Exchange) -> Result<Self, String> {
        let response = exchange
            .response
            .as_ref()
            .map_err(|error| format!("no answer: {error}"))?;
        let json = Json::parse(&response.body).ok();
        Ok(Answer {
            request: &exchange.request,
            response,
            json,
        })
    }

    /// The value at a place of the answer: names of members.
    pub(super) fn at(&self, place: &[&str]) -> Option<&Json<'a>> {
        place
            .iter()
            .try_fold(self.json.as_ref()?, |json, name| json.get(name))
    }

    /// The text at a place of the envelope; empty where there is none.
    pub(super) fn text(&self, place: &[&str]) -> &str {
        self.at(place).and_then(Json::as_text).unwrap_or_default()
    }

    /// The error code, where it is one of the table.
    pub(super) fn code(&self) -> Option<ErrorCode> {
        ErrorCode::parse(self.text(&["error", "code"]))
    }

    /// Whether it fails.
    pub(super) fn failed(&self) -> bool {
        self.text(&["status"]) == "failed"
    }

    /// An amount of the envelope, where it has at most two decimals.
    pub(super) fn paise(&self, place: &[&str]) -> Option<Paise> {
        Paise::from_rupees(self.at(place)?.as_num()?)
    }

    /// Whether it was charged.
    pub(super) fn charged(&self) -> bool {
        self.at(&["billing", "charged"])
            .and_then(Json::as_bool)
            .unwrap_or_default()
    }

    /// Whether it is the stored envelope of another call.
    pub(super) fn looked_up(&self) -> bool {
        self.request.path.starts_with(VERIFICATIONS) && self.response.status == 200
    }

    /// The operation that was called; of an answer that was looked up, the one that gave it.
    pub(super) fn operation<'c>(&self, setting: &Setting<'c>) -> Option<&'c Operation> {
        match self.looked_up() {
            true => setting.contract.operation(self.text(&["endpoint"])),
            false => setting.operation_at(&self.request.path),
        }
    }

    /// How it ended, in a few words.
    pub(super) fn ending(&self) -> String {
        let status = self.response.status;
        match (
            &self.json,
            self.text(&["error", "code"]),
            self.text(&["status"]),
        ) {
            (None, ..) => format!("{status} and no JSON"),
            (Some(_), "", ending) => format!("{status} {ending}"),
            (Some(_), code, _) => format!("{status} {code}"),
        }
    }

    /// The value at a place, in print.
    pub(super) fn shown(&self, place: &[&str]) -> String {
        self.at(place)
            .map_or_else(|| "nothing".to_owned(), ToString::to_string)
    }
}

/// The status that comes with a code.
pub(super) fn status_of(contract: &Contract, code: ErrorCode) -> u16 {
    contract.error(code).status
}

/// Why a comparison was not made.
pub(super) const NOTHING_BEFORE: &str = "the answer it is compared with is not there";

pub(super) type Answers<'a> = [Result<Answer<'a>, String>];

/// The answer to an earlier step, where there is one.
pub(super) fn earlier<'x, 'a>(answers: &'x Answers<'a>, step: usize) -> Option<&'x Answer<'a>> {
    answers.get(step)?.as_ref().ok()
}
