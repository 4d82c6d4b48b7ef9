//! An answer as the judge looks at it: the envelope parsed once, and what its request was.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use svc_fixtures::contract::{ErrorCode, Operation, Paise};
use svc_fixtures::json::Json;

use crate::capture::{Exchange, Request, Response};
use crate::plan::{Setting, VERIFICATIONS};

/// The header that a caller names a call with.
pub(super) const REFERENCE: &str = "x-reference-id";

/// One answer.
pub(super) struct Answer<'a> {
    pub(super) request: &'a Request,
    pub(super) response: &'a Response,
    /// When it came by this machine's clock.
    pub(super) at_s: Option<i64>,
    /// The body, where it is JSON.
    pub(super) json: Option<Json<'a>>,
    /// Whether it is the result of the call that came later, and so has no HTTP status of its own.
    pub(super) later: bool,
    /// The references of the calls before it under its idempotency key: it may be a replay of one of them.
    pub(super) earlier_references: Vec<Option<&'a str>>,
}

/// Finer parts of a rupee than this are nobody's price.
const NOISE: f64 = 1e6;

impl<'a> Answer<'a> {
    /// The answer of an exchange, or why there is none.
    pub(super) fn of(exchange: &'a Exchange) -> Result<Self, String> {
        let response = exchange.response.as_ref();
        let response = response.map_err(|error| format!("no answer: {error}"))?;
        Ok(Answer {
            request: &exchange.request,
            response,
            at_s: exchange.at_s,
            json: Json::parse(&response.body).ok(),
            later: false,
            earlier_references: Vec::new(),
        })
    }

    /// What the case goes on with: the result, where it came later.
    pub(super) fn last_of(exchange: &'a Exchange) -> Result<Self, String> {
        match &exchange.result {
            Some(result) => Ok(Answer::delivered(&exchange.request, result)),
            None => Answer::of(exchange),
        }
    }

    /// The result of a call that came later than its answer.
    pub(super) fn delivered(request: &'a Request, response: &'a Response) -> Self {
        Answer {
            request,
            response,
            at_s: None,
            json: Json::parse(&response.body).ok(),
            later: true,
            earlier_references: Vec::new(),
        }
    }

    /// The answer to a step, which may be a replay of one before it.
    pub(super) fn of_step(exchanges: &'a [Exchange], at: usize) -> Result<Self, String> {
        let mut answer = Answer::last_of(&exchanges[at])?;
        let key = |request: &'a Request| request.header("idempotency-key");
        if let Some(own) = key(answer.request) {
            let before = exchanges[..at].iter().map(|it| &it.request);
            let before = before.filter(|it| key(it) == Some(own));
            answer.earlier_references = before.map(|it| it.header(REFERENCE)).collect();
        }
        Ok(answer)
    }

    /// The value at a place of the answer: names of members.
    pub(super) fn at(&self, place: &[&str]) -> Option<&Json<'a>> {
        let mut names = place.iter();
        names.try_fold(self.json.as_ref()?, |json, name| json.get(name))
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
        let number = self.at(place)?.as_num()?;
        // What adding up in binary leaves behind a number is no part of it.
        Paise::from_rupees((number * NOISE).round() / NOISE)
    }

    /// Whether it was charged.
    pub(super) fn charged(&self) -> bool {
        let charged = self.at(&["billing", "charged"]).and_then(Json::as_bool);
        charged.unwrap_or_default()
    }

    /// What the last of these answers were charged, those from a place on: what one verification is charged counts
    /// once, however often it is shown, and not where it was shown before.
    pub(super) fn sum<'x>(answers: impl Iterator<Item = &'x Answer<'a>>, from: usize) -> Paise
    where
        'a: 'x,
    {
        let charged = answers.enumerate().filter(|(_, answer)| answer.charged());
        let mut by_id = BTreeMap::new();
        for (at, answer) in charged {
            let amount = answer.paise(&["billing", "amount"]).unwrap_or_default();
            let counted = if at < from { Paise::ZERO } else { amount };
            by_id
                .entry(answer.text(&["verificationId"]))
                .or_insert(counted);
        }
        by_id.into_values().sum()
    }

    /// Whether it says that it replays a call, and none before it had its idempotency key: of recorded traffic each call is
    /// looked at alone.
    pub(super) fn is_replay_of_unknown(&self) -> bool {
        let replays = self.response.header("idempotent-replay") == Some("true");
        let has_key = self.request.header("idempotency-key").is_some();
        replays && has_key && self.earlier_references.is_empty()
    }

    /// Whether it is the stored envelope of another call.
    pub(super) fn looked_up(&self) -> bool {
        is_look_up(self.request, self.response)
    }

    /// The operation that was called; of an answer that was looked up, the one that gave it.
    pub(super) fn operation<'c>(&self, setting: &Setting<'c>) -> Option<&'c Operation> {
        match self.looked_up() {
            true => {
                // One with paths of its own below it may be told with them.
                let endpoint = self.text(&["endpoint"]);
                let whole = endpoint.rsplit_once('.').map(|(whole, _)| whole);
                let row = |id| setting.contract.operation(id);
                row(endpoint).or_else(|| row(whole?))
            }
            false => setting.operation_at(&self.request.path),
        }
    }

    /// How it ended, in a few words.
    pub(super) fn ending(&self) -> String {
        let status = self.response.status;
        match (&self.json, self.text(&["error", "code"])) {
            (None, _) => format!("{status} and no JSON"),
            (Some(_), "") => format!("{status} {}", self.text(&["status"])),
            (Some(_), code) => format!("{status} {code}"),
        }
    }

    /// The value at a place, in print.
    pub(super) fn shown(&self, place: &[&str]) -> Shown<'_, 'a> {
        Shown(self.at(place))
    }
}

/// Whether what was asked for is the stored envelope of another call, and came: with a status of its own, or with that of
/// the call.
pub(super) fn is_look_up(request: &Request, response: &Response) -> bool {
    let Some(asked) = request.path.strip_prefix(VERIFICATIONS) else {
        return false;
    };
    let tells_of_it = || {
        let json = Json::parse(&response.body).ok()?;
        let code = json.get("error").and_then(|error| error.get("code"));
        let code = code.map(|code| code.as_text().and_then(ErrorCode::parse));
        let found = code.is_none_or(|code| code.is_some_and(|code| code != ErrorCode::NotFound));
        Some(found && json.get("verificationId")?.as_text()? == asked)
    };
    response.status == 200 || tells_of_it().unwrap_or_default()
}

/// A value in print, written only where somebody reads it: of most answers nothing is wrong.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Shown<'x, 'a>(Option<&'x Json<'a>>);

impl Display for Shown<'_, '_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(value) => value.fmt(out),
            None => out.write_str("nothing"),
        }
    }
}

/// A value in print.
pub(super) fn shown(value: Option<&Json<'_>>) -> String {
    Shown(value).to_string()
}

/// Why a comparison was not made.
pub(super) const NOTHING_BEFORE: &str = "the answer it is compared with is not there";

pub(super) type Answers<'a> = [Result<Answer<'a>, String>];

/// The answer to an earlier step, where there is one.
pub(super) fn earlier<'x, 'a>(answers: &'x Answers<'a>, step: usize) -> Option<&'x Answer<'a>> {
    answers.get(step)?.as_ref().ok()
}
