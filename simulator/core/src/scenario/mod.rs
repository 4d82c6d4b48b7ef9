//! Which outcome an input gets, and why. Scenarios are immutable; what they count lives in the
//! account. Knows the contract, and nothing of HTTP or time; of accounts only what they are called.

mod accounts;
mod answer_form;
pub(crate) mod embedded;
mod expression;
mod fitting;
mod headers;
pub(crate) mod index;
pub(crate) mod matching;
mod people;
mod range;
pub(crate) mod read;
mod set;

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use svc_fixtures::contract::{ErrorCode, OperationIndex, Paise, Spelling};
use svc_fixtures::json::Json;
use svc_fixtures::path::Step;
use svc_fixtures::template::Edit;

pub use accounts::{
    AccountConfig, KeyConfig, RateLimitConfig, WebhookConfig, find_account, is_key_name,
    read_accounts,
};
pub use answer_form::{
    AnswerForm, BundleForm, COUNTED, EACH_NAMES, FormPart, FormWord, OWN_META, ReportForm,
    UsageForm, WordOf, form_value,
};
pub use embedded::{LEARNED, accounts, built_in, is_built_in};
pub use expression::Expression;
pub use fitting::leave_out_unfit;
pub use headers::{HeaderLines, HeaderName, HeaderRefusal, MoreHeaders, names_a_secret};
pub use matching::{Caller, MatchInput, RequestContext};
pub use people::{People, Profile};
pub use range::NumberRange;
pub use read::people::asking;
pub use read::read_scenarios;
pub use set::{Because, Choice, ScenarioSet};

/// One rule: these inputs of these operations get this outcome.
///
/// Of a hundred thousand rules each is far from the processor when a call meets it: what every such call reads stands
/// first and in one line of its cache.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub struct Scenario {
    /// What an input must be like. All of them must hold.
    pub conditions: Box<[Condition]>,
    /// What happens, call by call.
    pub then: Box<[Outcome]>,
    /// What the call log says of a call it decided: its name, file and line.
    pub because: Arc<str>,
    /// The place in the order of all rules; the lower one wins. The cases of one rule share it.
    pub order: usize,
    /// Whether the first outcome follows the last one. Where not, the last one is repeated.
    pub start_over: bool,
    /// Whether it decides no more after the last outcome: then the rules after it do.
    pub fall_through: bool,
    /// Whether it is asked before the formats of identifiers are, and before all rules that are not (ruling 9).
    pub before_format: bool,
    /// Whether it is asked after all rules that are not, those of the files that come later too.
    pub otherwise: bool,
    /// The operations it is for.
    pub operations: Box<[OperationIndex]>,
    /// Its name, unique in its folder.
    pub name: Arc<str>,
    /// The file it stands in.
    pub file: Arc<str>,
    /// The line it begins at, from 1.
    pub line: usize,
}

impl Scenario {
    /// Whether the rules after it are asked, too: now, or once it has come to its end.
    #[must_use]
    pub fn passes_on(&self) -> bool {
        self.fall_through || self.then.iter().any(Outcome::is_as_usual)
    }

    /// Which of its outcomes is next, counting from 0 the calls it has already decided.
    #[must_use]
    pub fn next(&self, decided: u32) -> &Outcome {
        let length = self.then.len();
        let decided = usize::try_from(decided).unwrap_or(usize::MAX);
        let place = match self.start_over {
            false => decided.min(length - 1),
            true => decided % length,
        };
        &self.then[place]
    }
}

/// The place of a scenario among all of its [`ScenarioSet`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScenarioIndex(pub u32);

/// The place of a patch among [`ScenarioSet::patches`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PatchIndex(pub usize);

/// One thing that must hold of an input.
#[derive(Debug, Clone)]
pub struct Condition {
    /// What is looked at.
    pub selector: Selector,
    /// What it must be.
    pub predicate: Predicate,
}

/// What a condition looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selector {
    /// The request field of this name.
    Field(String),
    /// Each of the fields that identify the subject.
    AnyIdentifier,
    /// What stands inside a request field: the value these steps lead to, or any of them where
    /// they pass each item of a list.
    Inside {
        /// The field.
        field: String,
        /// The steps.
        steps: Vec<Step>,
    },
    /// The id of the account that calls.
    Account,
    /// `test` or `live`.
    Environment,
    /// A header of the request.
    Header(HeaderName),
}

impl Selector {
    /// The request field it looks at or into, where it names one.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        match self {
            Selector::Field(name) | Selector::Inside { field: name, .. } => Some(name),
            _ => None,
        }
    }

    /// Whether it looks at the body, and not at who calls and how.
    #[must_use]
    pub fn is_of_body(&self) -> bool {
        *self == Selector::AnyIdentifier || self.field().is_some()
    }
}

/// What a value must be.
#[derive(Debug, Clone)]
pub enum Predicate {
    /// One of these. Texts are compared as the field is: names fold case and spaces.
    OneOf(Vec<Json<'static>>),
    /// A text with this in it.
    Contains(String),
    /// A text that begins so.
    StartsWith(String),
    /// A text that ends so.
    EndsWith(String),
    /// A URL whose path ends so, whatever its host and query.
    PathEnds(String),
    /// A URL whose query has this among its pairs.
    Query(String),
    /// A text in which this expression is found.
    Matches(Expression),
    /// A number in this range, also one that is sent as a text.
    Number(NumberRange),
    /// It was sent, or it was not.
    Present(bool),
}

/// One outcome of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// What the call ends in.
    pub kind: OutcomeKind,
    /// How long the answer is held back, in real time.
    pub delay: Delay,
    /// `meta.provider`, where the scenario gives one.
    pub provider: Option<Arc<str>>,
    /// What goes wrong on the way of the answer to the client.
    pub wire: Option<WireFault>,
    /// What goes wrong with the webhook that brings the result of a pending call.
    pub webhook: WebhookFault,
}

impl Outcome {
    /// Whether it leaves the ending to the rules after it.
    #[must_use]
    pub fn is_as_usual(&self) -> bool {
        self.kind == OutcomeKind::AsUsual
    }
}

/// How long an answer is held back, in real time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Delay {
    /// Not at all.
    #[default]
    None,
    /// So many milliseconds.
    Fixed {
        /// How many.
        ms: u64,
    },
    /// As long as the operation typically takes: what `meta.latencyMs` says.
    Typical,
    /// Between two times; which one, the input decides.
    Between {
        /// The shortest, in milliseconds.
        from_ms: u64,
        /// The longest, in milliseconds.
        to_ms: u64,
    },
}

/// What goes wrong on the way of an answer to the client. The call itself is executed, recorded and
/// billed as ever; the connection is over afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum WireFault {
    /// The connection is reset before any byte of the answer.
    Reset,
    /// No answer comes; the connection stays open until the client or the simulator ends it.
    Never,
    /// Bytes come that are no HTTP answer.
    Garbage,
    /// The head comes as it should, then at most so many bytes of the body: the last one never.
    CutAfter(u64),
    /// The head comes at once, the body in pieces over some time.
    Slow {
        /// Real milliseconds until the last piece.
        over_ms: u64,
    },
}

/// What a client sees in the place of the answer.
impl fmt::Display for WireFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WireFault::Reset => {
                f.write_str("the connection is reset before any byte of the answer")
            }
            WireFault::Never => f.write_str("no answer comes, and the connection stays open"),
            WireFault::Garbage => f.write_str("bytes come that are no HTTP answer"),
            WireFault::CutAfter(bytes) => {
                write!(f, "the body breaks off after {bytes} bytes at most")
            }
            WireFault::Slow { over_ms } => {
                write!(f, "the body comes in pieces over {over_ms} ms")
            }
        }
    }
}

/// What goes wrong with a webhook. By default nothing does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookFault {
    /// How many times it is sent where it should be sent once.
    pub copies: u32,
    /// How much later than it should it is sent first, in milliseconds of the account's clock.
    pub delay_ms: u64,
    /// Its signature.
    pub signature: SignatureFault,
    /// Whether it leaves its place among the account's webhooks.
    pub out_of_order: OutOfOrder,
}

impl Default for WebhookFault {
    fn default() -> Self {
        WebhookFault {
            copies: 1,
            delay_ms: 0,
            signature: SignatureFault::Genuine,
            out_of_order: OutOfOrder::No,
        }
    }
}

impl WebhookFault {
    /// This one, or the other where nothing goes wrong with this one.
    #[must_use]
    pub fn or(self, other: WebhookFault) -> WebhookFault {
        if self == WebhookFault::default() {
            other
        } else {
            self
        }
    }
}

/// What is wrong with the signature of a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum SignatureFault {
    /// Nothing.
    #[default]
    Genuine,
    /// It is not the one its secret gives.
    Wrong,
    /// There is none.
    None,
}

/// Whether a webhook leaves its place among those of its account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum OutOfOrder {
    /// It comes in its turn.
    #[default]
    No,
    /// It comes out of its turn.
    Yes,
}

/// What a call ends in.
#[derive(Debug, Clone, PartialEq)]
pub enum OutcomeKind {
    /// The canned answer, with this patch laid over it.
    Success(Option<PatchIndex>),
    /// An error.
    Error {
        /// Its code.
        code: ErrorCode,
        /// Its message, where the scenario gives one.
        message: Option<Arc<str>>,
    },
    /// What the rules after it give, or the operation itself: this one only adds what stands beside it.
    AsUsual,
    /// Nothing yet.
    Pending {
        /// When the result comes, in milliseconds of the account's clock; the operation's own
        /// figure where the scenario gives none.
        after_ms: Option<u64>,
        /// The result.
        finally: Box<Outcome>,
    },
}

/// What a scenario changes of a canned answer.
#[derive(Debug, Clone, Default)]
pub struct ResponsePatch {
    /// The changes, in order.
    pub edits: Vec<Edit>,
    /// Where each of them stands in the file.
    pub spans: Vec<Range<usize>>,
    /// Whether the answer may lose its form: then all of them are made. Else each is made where
    /// the answer has such a place.
    pub breaks_contract: bool,
    /// Where it says so, although the answer keeps its form.
    pub promise: Option<Range<usize>>,
}

/// Two that change the same are the same, wherever they stand.
impl PartialEq for ResponsePatch {
    fn eq(&self, other: &Self) -> bool {
        self.edits == other.edits && self.breaks_contract == other.breaks_contract
    }
}

/// The folder of a file: names are unique within one.
pub(crate) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A span of time as it stands in a file; a problem where it is none.
pub(crate) fn duration_ms(item: &svc_fixtures::reading::Item<'_>) -> Option<u64> {
    let Some(text) = item.if_text() else {
        item.problem_with_hint(
            "a span of time is a text: a number and its unit",
            "write \"90s\", \"5m\" or \"250ms\"",
        );
        return None;
    };
    svc_fixtures::duration::parse_duration_ms(text)
        .inspect_err(|mistake| item.problem(mistake.to_string()))
        .ok()
}

/// A price as it stands in an accounts file.
fn rupees(item: &svc_fixtures::reading::Item<'_>) -> Option<Paise> {
    let amount = item
        .num()
        .and_then(Paise::from_rupees)
        .filter(|amount| amount.0 >= 0);
    if amount.is_none() {
        item.problem("an amount is in INR, not negative, with at most two decimals");
    }
    amount
}

/// What a field says as subjects are compared (ruling 7, ruling 37): names fold case and spaces, only the path of
/// a URL counts, and an address of the net has one spelling.
#[must_use]
pub fn as_subject(spelling: Spelling, text: &str) -> Cow<'_, str> {
    match spelling {
        Spelling::Sent => Cow::Borrowed(text),
        Spelling::Folded => Cow::Owned(folded(text)),
        Spelling::AnyCase if text.bytes().any(|it| it.is_ascii_uppercase()) => {
            Cow::Owned(text.to_ascii_lowercase())
        }
        Spelling::AnyCase => Cow::Borrowed(text),
        Spelling::Path => Cow::Borrowed(matching::path(text)),
        Spelling::Address => match text.parse::<IpAddr>() {
            Ok(address) => Cow::Owned(address.to_canonical().to_string()),
            Err(_) => Cow::Borrowed(text),
        },
    }
}

/// A text as names are compared: in capitals, single spaces.
#[must_use]
pub fn folded(text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(str::to_uppercase).collect();
    words.join(" ")
}
