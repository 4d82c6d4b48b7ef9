//! Whether a condition holds for an input: of each predicate what it means, of each selector what it looks
//! at. Chooses nothing.

use std::borrow::Cow;

use svc_fixtures::contract::{
    Environment, Field, FieldIndex, Kind, Operation, OperationIndex, Spelling,
};
use svc_fixtures::json::Json;
use svc_fixtures::path::{Step, find};

use super::headers::{HeaderLines, HeaderName, MoreHeaders, find as find_header};
use super::{Condition, Predicate, Scenario, Selector, as_subject, folded};

/// An input, as far as choosing looks at it.
pub struct MatchInput<'q> {
    /// Which operation is called.
    pub operation: OperationIndex,
    /// The value of a field, sent or by default.
    pub field: &'q dyn Fn(FieldIndex) -> Option<&'q Json<'q>>,
    /// Who calls, and how.
    pub context: RequestContext<'q>,
}

/// Who calls, and how, as a condition sees it.
#[derive(Debug, Clone, Copy)]
pub struct RequestContext<'q> {
    /// The account's id: its first key's name after `svc_test_` or `svc_live_`.
    pub account: &'q str,
    /// Where the call came in.
    pub environment: Environment,
    /// `X-Reference-Id`, where it was sent.
    pub reference_id: Option<&'q str>,
    /// `Idempotency-Key`, where it was sent.
    pub idempotency_key: Option<&'q str>,
    /// `Content-Type`.
    pub content_type: Option<&'q str>,
    /// All headers, where there are others.
    pub headers: Option<&'q dyn HeaderLines>,
}

/// Who calls, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The account's id.
    pub account: String,
    /// Where the call comes in.
    pub environment: Environment,
    /// Its `X-Reference-Id`, where it sends one.
    pub reference_id: Option<String>,
    /// Its `Idempotency-Key`, where it sends one.
    pub idempotency_key: Option<String>,
    /// What it sends beside these.
    pub headers: MoreHeaders,
}

impl Caller {
    /// An account that sends no headers of its own.
    #[must_use]
    pub fn plain(account: &str, environment: Environment) -> Self {
        Caller {
            account: account.to_owned(),
            environment,
            reference_id: None,
            idempotency_key: None,
            headers: MoreHeaders::default(),
        }
    }

    /// What conditions see of a call.
    #[must_use]
    pub fn context(&self) -> RequestContext<'_> {
        RequestContext {
            reference_id: self.reference_id.as_deref(),
            idempotency_key: self.idempotency_key.as_deref(),
            headers: Some(&self.headers),
            ..RequestContext::plain(&self.account, self.environment)
        }
    }
}

impl<'q> RequestContext<'q> {
    /// A call without headers of its own.
    #[must_use]
    pub fn plain(account: &'q str, environment: Environment) -> Self {
        RequestContext {
            account,
            environment,
            reference_id: None,
            idempotency_key: None,
            content_type: Some("application/json"),
            headers: None,
        }
    }

    /// What a selector finds that does not look at the body.
    pub(crate) fn found(&self, selector: &Selector) -> Option<Json<'q>> {
        let text = match selector {
            Selector::Account => Cow::Borrowed(self.account),
            Selector::Environment => Cow::Borrowed(self.environment.as_str()),
            Selector::Header(name) => self.header(name)?,
            Selector::Field(_) | Selector::AnyIdentifier | Selector::Inside { .. } => return None,
        };
        Some(Json::Text(text))
    }

    /// What a header says, where it was sent.
    #[must_use]
    pub fn header(&self, name: &HeaderName) -> Option<Cow<'q, str>> {
        let known = match name {
            HeaderName::ReferenceId => self.reference_id,
            HeaderName::IdempotencyKey => self.idempotency_key,
            HeaderName::ContentType => self.content_type,
            HeaderName::Other(name) => return find_header(self.headers?, name),
        };
        known.map(Cow::Borrowed)
    }
}

/// Where a condition holds first.
pub(crate) fn first_place(
    condition: &Condition,
    operation: &Operation,
    input: &MatchInput<'_>,
) -> Option<(FieldIndex, usize)> {
    let in_field = |field: FieldIndex| {
        let value = (input.field)(field)?;
        let items = value.as_list().unwrap_or(std::slice::from_ref(value));
        let holds = |item: &Json<'_>| condition.holds_of(operation, field, Some(item));
        items.iter().position(holds).map(|item| (field, item))
    };
    fields(&condition.selector, operation)
        .into_iter()
        .find_map(in_field)
}

impl Scenario {
    /// Whether it holds for an input, whatever comes before it.
    #[must_use]
    pub fn holds(&self, operation: &Operation, input: &MatchInput<'_>) -> bool {
        let mut conditions = self.conditions.iter();
        conditions.all(|condition| holds(condition, operation, input))
    }

    /// Whether a condition would hold of a field of this name with this value, or without one.
    #[must_use]
    pub fn allows(
        condition: &Condition,
        operation: &Operation,
        field: &str,
        value: Option<&Json<'_>>,
    ) -> bool {
        operation
            .field(field)
            .is_some_and(|index| match &condition.selector {
                Selector::Inside { steps, .. } => {
                    inside_holds(&condition.predicate, operation, index, steps, value)
                }
                _ => condition.holds_of(operation, index, value),
            })
    }

    /// Whether one of the conditions that hold names the value of this field itself.
    #[must_use]
    pub fn names<'q>(
        &self,
        operation: &Operation,
        field: &str,
        value: &dyn Fn(FieldIndex) -> Option<&'q Json<'q>>,
    ) -> bool {
        let Some(index) = operation.field(field) else {
            return false;
        };
        let about_it = |selector: &Selector| match selector {
            Selector::AnyIdentifier => operation.request[index].identifies,
            selector => selector.field() == Some(field),
        };
        self.conditions.iter().any(|condition| {
            about_it(&condition.selector)
                && Scenario::allows(condition, operation, field, value(index))
        })
    }
}

impl Condition {
    /// How it compares the texts of a field: whoever is asked for by any identifier is asked for as
    /// subjects are compared, all else by what stands in the field.
    #[must_use]
    pub fn spelling(&self, field: &Field) -> Spelling {
        match (&self.selector, &self.predicate, field.folds) {
            (Selector::AnyIdentifier, Predicate::OneOf(_), _) => field.spelling,
            (_, _, true) => Spelling::Folded,
            (_, _, false) => Spelling::Sent,
        }
    }

    /// Whether it holds of a field's whole value.
    pub(crate) fn holds_of(
        &self,
        operation: &Operation,
        field: FieldIndex,
        value: Option<&Json<'_>>,
    ) -> bool {
        let spelling = self.spelling(&operation.request[field]);
        let compare = |text: &str| as_subject(spelling, text).into_owned();
        compared_holds(&self.predicate, &compare, value)
    }

    /// Whether it says something of each item of this field of a call, which is a list.
    #[must_use]
    pub fn is_about_items(&self, operation: &Operation, field: &str) -> bool {
        let row = operation.field(field).map(|at| &operation.request[at]);
        row.is_some_and(|row| {
            matches!(row.kind, Kind::List { .. })
                && match &self.selector {
                    Selector::Field(name) => name == field,
                    Selector::AnyIdentifier => row.identifies,
                    Selector::Inside { field: name, steps } => {
                        name == field && *steps == [Step::Every]
                    }
                    _ => false,
                }
        })
    }

    /// Whether it holds of who calls and how; none where it looks at the body.
    #[must_use]
    pub fn holds_in_context(&self, context: &RequestContext<'_>) -> Option<bool> {
        if self.selector.is_of_body() {
            return None;
        }
        let json = context.found(&self.selector);
        Some(compared_holds(&self.predicate, &as_sent, json.as_ref()))
    }
}

/// A URL, as far as conditions look into one.
pub(crate) struct Url<'u> {
    pub(crate) path: &'u str,
    pub(crate) query: &'u str,
}

impl<'u> Url<'u> {
    pub(crate) fn of(text: &'u str) -> Option<Self> {
        // Most texts have no colon, which is found faster than all three.
        let (_, rest) = text[text.find(':')?..].split_once("://")?;
        let rest = rest.split('#').next().unwrap_or_default();
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        Some(Url { path, query })
    }

    /// The last part of the path, with its slash.
    pub(crate) fn last_part(&self) -> &'u str {
        &self.path[self.path.rfind('/').unwrap_or(0)..]
    }

    pub(crate) fn pairs(&self) -> impl Iterator<Item = &'u str> {
        self.query.split('&')
    }
}

/// Where the test assets are. What stands before it in a path is a proxy's.
const TEST_ASSETS: &str = "/test-assets/";

/// The path of a URL, from its first slash, or from where the test assets are; the whole text where there is none.
pub(crate) fn path(text: &str) -> &str {
    let path = Url::of(text).and_then(|url| Some(&url.path[url.path.find('/')?..]));
    let path = path.map(|path| &path[path.rfind(TEST_ASSETS).unwrap_or(0)..]);
    path.filter(|path| *path != "/").unwrap_or(text)
}

/// The places of the fields that a condition looks at.
pub(crate) fn fields(selector: &Selector, operation: &Operation) -> Vec<FieldIndex> {
    match selector {
        Selector::Field(name) => operation.field(name).into_iter().collect(),
        Selector::AnyIdentifier => operation.identifiers().map(|(index, _)| index).collect(),
        _ => Vec::new(),
    }
}

/// The texts of a value: itself, or those of its items.
pub(crate) fn texts<'j>(value: Option<&'j Json<'j>>) -> impl Iterator<Item = &'j str> {
    let items = value.map_or(&[][..], |value| {
        value.as_list().unwrap_or(std::slice::from_ref(value))
    });
    items.iter().filter_map(Json::as_text)
}

pub(crate) fn as_compared<'t>(
    operation: &Operation,
    field: FieldIndex,
    text: &'t str,
) -> Cow<'t, str> {
    match operation.request[field].folds {
        true => Cow::Owned(folded(text)),
        false => Cow::Borrowed(text),
    }
}

/// Whether a condition holds for an input.
pub(crate) fn holds(condition: &Condition, operation: &Operation, input: &MatchInput<'_>) -> bool {
    let (predicate, value) = (&condition.predicate, input.field);
    let one = |index: FieldIndex| condition.holds_of(operation, index, value(index));
    match &condition.selector {
        Selector::Field(name) => operation.field(name).is_some_and(one),
        Selector::AnyIdentifier => operation.identifiers().any(|(index, _)| one(index)),
        Selector::Inside { field, steps } => operation
            .field(field)
            .is_some_and(|index| inside_holds(predicate, operation, index, steps, value(index))),
        Selector::Account | Selector::Environment | Selector::Header(_) => {
            condition.holds_in_context(&input.context) == Some(true)
        }
    }
}

/// Whether a predicate holds of one of the values inside a field.
fn inside_holds(
    predicate: &Predicate,
    operation: &Operation,
    field: FieldIndex,
    steps: &[Step],
    value: Option<&Json<'_>>,
) -> bool {
    let folds = folds_inside(&operation.request[field], steps);
    let compare: &dyn Fn(&str) -> String = if folds { &folded } else { &as_sent };
    let found = value.map(|value| find(value, steps)).unwrap_or_default();
    match predicate {
        Predicate::Present(wanted) => found.is_empty() != *wanted,
        _ => found
            .into_iter()
            .any(|value| compared_holds(predicate, compare, Some(value))),
    }
}

/// Whether what these steps lead to in a field is compared without regard to case and spaces.
pub(crate) fn folds_at(operation: &Operation, field: &str, steps: &[Step]) -> bool {
    let field = operation.field(field);
    field.is_some_and(|index| folds_inside(&operation.request[index], steps))
}

/// Whether what stands there is a name or an address: a field of an object says so itself.
fn folds_inside(field: &Field, steps: &[Step]) -> bool {
    inside(field, steps).is_some_and(|(field, _)| field.folds)
}

/// The field and kind that steps lead to inside a field, where the rows name them.
pub(crate) fn inside<'c>(field: &'c Field, steps: &[Step]) -> Option<(&'c Field, &'c Kind)> {
    let (mut here, mut kind) = (field, &field.kind);
    for step in steps {
        match (kind, step) {
            (Kind::Object { fields }, Step::Member(name)) => {
                here = fields.iter().find(|field| field.name == *name)?;
                kind = &here.kind;
            }
            (Kind::List { items, .. }, Step::Item(_) | Step::Every) => kind = items,
            _ => return None,
        }
    }
    Some((here, kind))
}

fn as_sent(text: &str) -> String {
    text.to_owned()
}

/// Whether a predicate holds of a value, where texts are compared like this.
pub(crate) fn compared_holds(
    predicate: &Predicate,
    compare: &dyn Fn(&str) -> String,
    value: Option<&Json<'_>>,
) -> bool {
    match predicate {
        Predicate::Present(wanted) => value.is_some() == *wanted,
        Predicate::OneOf(wanted) => wanted.iter().any(|wanted| match wanted.as_text() {
            Some(wanted) => texts(value).any(|text| compare(text) == compare(wanted)),
            None => value.is_some_and(|value| same(value, wanted)),
        }),
        Predicate::Contains(part) => {
            texts(value).any(|text| compare(text).contains(&compare(part)))
        }
        Predicate::StartsWith(start) => {
            texts(value).any(|text| compare(text).starts_with(&compare(start)))
        }
        Predicate::EndsWith(end) => texts(value).any(|text| compare(text).ends_with(&compare(end))),
        Predicate::PathEnds(end) => {
            let mut urls = texts(value).filter_map(Url::of);
            urls.any(|url| url.path.ends_with(end.as_str()))
        }
        Predicate::Query(pair) => {
            let mut urls = texts(value).filter_map(Url::of);
            urls.any(|url| url.pairs().any(|found| found == pair))
        }
        Predicate::Matches(pattern) => texts(value).any(|text| pattern.is_match(text)),
        Predicate::Number(range) => value.is_some_and(|value| range.holds(value)),
    }
}

/// Whether two values are the same to a person: `1` and `1.0` are one number.
fn same(value: &Json<'_>, wanted: &Json<'_>) -> bool {
    match (value, wanted) {
        (Json::Int(_) | Json::Num(_), Json::Int(_) | Json::Num(_)) => {
            value.as_num() == wanted.as_num()
        }
        (Json::List(items), wanted) if wanted.as_list().is_none() => {
            items.iter().any(|item| same(item, wanted))
        }
        _ => value == wanted,
    }
}
