//! What all answers share, where a provider has more than the contract says: `[answers]` of scenario files. Members of
//! `meta`, and the forms of a bundle's `data` and of the usage report's, which the specification does not show.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use svc_fixtures::json::Json;

/// What all answers share.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AnswerForm {
    /// `meta.provider` of an answer to which no rule gives one.
    pub provider: Option<Arc<str>>,
    /// The other members that `meta` has besides its own, in order.
    pub meta: Vec<(String, Json<'static>)>,
    /// The form of what a bundle answers; none is the simulator's own.
    pub bundle: Option<BundleForm>,
    /// The form of the usage report; none is the simulator's own.
    pub report: Option<ReportForm>,
    /// How the usage counts bundles; none is by their steps.
    pub usage: Option<UsageForm>,
}

/// How the usage counts bundles.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UsageForm {
    /// Each step in the row of its operation, with what it was charged; a bundle has no charge of its own (ruling 29).
    #[default]
    Steps,
    /// A bundle with what it was charged, and no step.
    Bundles,
}

impl UsageForm {
    /// All, as scenario files name them.
    pub const ALL: [(&str, UsageForm); 2] =
        [("steps", UsageForm::Steps), ("bundles", UsageForm::Bundles)];
}

/// The form of a bundle's `data`: an object with words in it, for which the values of the simulator's own form are put.
#[derive(Debug, Clone, PartialEq)]
pub struct BundleForm(pub FormPart);

/// The form of a usage report's `data`, the same with other words.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportForm(pub FormPart);

/// A part of such a form.
#[derive(Debug, Clone, PartialEq)]
pub enum FormPart {
    /// As it is written.
    Value(Json<'static>),
    /// What stands for this word.
    Word(FormWord),
    /// An object, each member where there is something for it.
    Object(Vec<(String, FormPart)>),
    /// A list, the same.
    List(Vec<FormPart>),
    /// A list of one item for each step, or each endpoint of a report.
    EachList(Box<FormPart>),
    /// An object of one member for each of them, called so.
    EachTable(FormWord, Box<FormPart>),
}

/// A word of a form, written in braces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormWord {
    /// How it is written.
    pub word: &'static str,
    /// What it is said of.
    pub of: WordOf,
}

/// What a word is said of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordOf {
    /// A bundle.
    Bundle,
    /// A step of a bundle.
    Step,
    /// A usage report.
    Report,
    /// An endpoint in a usage report.
    Endpoint,
}

const fn words<const N: usize>(of: WordOf, words: [&'static str; N]) -> [FormWord; N] {
    let mut all = [FormWord { word: "", of }; N];
    let mut at = 0;
    while at < N {
        all[at].word = words[at];
        at += 1;
    }
    all
}

/// What a second call carries, which every form has.
const CARRIED: &str = "referenceId";

/// The words that tell a step or an endpoint from the others, by which a table of them can be keyed.
pub const EACH_NAMES: [&str; 4] = ["endpoint", "path", "step", "name"];

/// What is counted in a usage report.
pub const COUNTED: [&str; 7] = [
    "calls",
    "executed",
    "completed",
    "noRecord",
    "failed",
    "billed",
    "amount",
];

static OF_BUNDLE: [FormWord; 6] = words(
    WordOf::Bundle,
    [
        "bundle",
        CARRIED,
        "riskScore",
        "riskLevel",
        "completed",
        "failed",
    ],
);
static OF_STEP: [FormWord; 14] = words(
    WordOf::Step,
    [
        "endpoint",
        "path",
        "step",
        "name",
        "verificationId",
        "status",
        "data",
        "error",
        "error.code",
        "error.message",
        "error.retryable",
        "billing",
        "billing.charged",
        "billing.amount",
    ],
);
static OF_REPORT: [FormWord; 10] = words(
    WordOf::Report,
    [
        "calls",
        "executed",
        "completed",
        "noRecord",
        "failed",
        "billed",
        "amount",
        "walletBalance",
        "from",
        "to",
    ],
);
static OF_ENDPOINT: [FormWord; 11] = words(
    WordOf::Endpoint,
    [
        "endpoint",
        "path",
        "step",
        "name",
        "calls",
        "executed",
        "completed",
        "noRecord",
        "failed",
        "billed",
        "amount",
    ],
);

impl WordOf {
    /// What there are several of in it: a bundle's steps, the endpoints of a report.
    #[must_use]
    pub fn each(self) -> WordOf {
        match self {
            WordOf::Bundle | WordOf::Step => WordOf::Step,
            WordOf::Report | WordOf::Endpoint => WordOf::Endpoint,
        }
    }

    /// What that is a part of.
    #[must_use]
    pub fn whole(self) -> WordOf {
        match self {
            WordOf::Bundle | WordOf::Step => WordOf::Bundle,
            WordOf::Report | WordOf::Endpoint => WordOf::Report,
        }
    }

    /// The article before its name.
    #[must_use]
    pub fn article(self) -> &'static str {
        match self {
            WordOf::Endpoint => "an",
            WordOf::Bundle | WordOf::Step | WordOf::Report => "a",
        }
    }

    /// Whether there are several in one form.
    #[must_use]
    pub fn is_each(self) -> bool {
        self.each() == self
    }

    /// The words that are said of it.
    #[must_use]
    pub fn words(self) -> &'static [FormWord] {
        match self {
            WordOf::Bundle => &OF_BUNDLE,
            WordOf::Step => &OF_STEP,
            WordOf::Report => &OF_REPORT,
            WordOf::Endpoint => &OF_ENDPOINT,
        }
    }

    /// The word of this name.
    #[must_use]
    pub fn word(self, name: &str) -> Option<FormWord> {
        self.words().iter().find(|it| it.word == name).copied()
    }

    /// The member that all of them stand in, in the simulator's own form.
    fn list(self) -> &'static str {
        match self {
            WordOf::Bundle | WordOf::Step => "steps",
            WordOf::Report | WordOf::Endpoint => "endpoints",
        }
    }
}

/// The members of `meta` that each answer says for itself.
pub const OWN_META: [&str; 3] = ["createdAt", "environment", "latencyMs"];

impl fmt::Display for WordOf {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            WordOf::Bundle => "bundle",
            WordOf::Step => "step",
            WordOf::Report => "report",
            WordOf::Endpoint => "endpoint",
        })
    }
}

impl FormPart {
    /// The words in it, each by its path; those of a step or an endpoint, which are after a position or a name, begin with
    /// a dot.
    #[must_use]
    pub fn words(&self) -> Vec<(String, FormWord)> {
        self.words_below("")
    }

    fn words_below(&self, path: &str) -> Vec<(String, FormWord)> {
        match self {
            FormPart::Word(word) => vec![(path.to_owned(), *word)],
            FormPart::Object(members) => {
                let below = |name: &str| match path {
                    "" | "." => format!("{path}{name}"),
                    _ => format!("{path}.{name}"),
                };
                let members = members.iter();
                members
                    .flat_map(|(name, part)| part.words_below(&below(name)))
                    .collect()
            }
            FormPart::List(items) => {
                let items = items.iter().enumerate();
                items
                    .flat_map(|(at, part)| part.words_below(&format!("{path}[{at}]")))
                    .collect()
            }
            FormPart::EachList(each) | FormPart::EachTable(_, each) => each.words_below("."),
            FormPart::Value(_) => Vec::new(),
        }
    }

    /// Whether something in it is said of a step or an endpoint.
    #[must_use]
    pub fn is_of_each(&self) -> bool {
        match self {
            FormPart::Value(_) | FormPart::EachList(_) | FormPart::EachTable(..) => false,
            FormPart::Word(word) => word.of.is_each(),
            FormPart::Object(members) => members.iter().any(|(_, part)| part.is_of_each()),
            FormPart::List(items) => items.iter().any(FormPart::is_of_each),
        }
    }
}

impl BundleForm {
    /// A bundle's `data` in this form, from the same in the simulator's own. What it has no value for is left out, and
    /// so is a table or a list in which nothing was to be filled in but that. What a second call carries is always there.
    #[must_use]
    pub fn filled(&self, own: &Json<'static>) -> Json<'static> {
        let mut data =
            fill(&self.0, WordOf::Bundle, (own, None)).unwrap_or(Json::Object(Vec::new()));
        let mut words = self.0.words().into_iter();
        if let Some(carried) = own.get(CARRIED)
            && !words.any(|(_, word)| word.word == CARRIED)
        {
            data.set(CARRIED, carried.clone());
        }
        data
    }
}

impl ReportForm {
    /// A report's `data` in this form, from the same in the simulator's own. An endpoint of which nothing was counted that
    /// this form tells is left out.
    #[must_use]
    pub fn filled(&self, own: &Json<'static>) -> Json<'static> {
        let words = self.0.words().into_iter();
        let counted: Vec<FormWord> = words
            .map(|(_, word)| word)
            .filter(|word| word.of == WordOf::Endpoint && COUNTED.contains(&word.word))
            .collect();
        let is_counted = |row: &Json<'static>| {
            let mut values = counted.iter().filter_map(|word| form_value(*word, row));
            counted.is_empty() || values.any(|value| value.as_num() != Some(0.0))
        };
        let mut own = own.clone();
        let rows = own.get(WordOf::Report.list()).and_then(Json::as_list);
        let rows = rows.unwrap_or_default().iter();
        let rows = rows.filter(|row| is_counted(row)).cloned().collect();
        own.set(WordOf::Report.list(), Json::List(rows));
        fill(&self.0, WordOf::Report, (&own, None)).unwrap_or(Json::Object(Vec::new()))
    }
}

/// `own` is the whole in the simulator's own form, and one of its steps or endpoints where this is said of one.
fn fill(
    part: &FormPart,
    of: WordOf,
    own @ (whole, each): (&Json<'static>, Option<&Json<'static>>),
) -> Option<Json<'static>> {
    let all = || whole.get(of.list()).and_then(Json::as_list);
    let all = || all().unwrap_or_default().iter();
    match part {
        FormPart::Value(value) => Some(value.clone()),
        FormPart::Word(word) if word.of.is_each() => form_value(*word, each?),
        FormPart::Word(word) => form_value(*word, whole),
        FormPart::Object(members) => {
            let filled = members.iter().filter_map(|(name, part)| {
                let value = fill(part, of, own)?;
                Some((Cow::Owned(name.clone()), value))
            });
            let filled: Vec<_> = filled.collect();
            (members.is_empty() || !filled.is_empty()).then_some(Json::Object(filled))
        }
        FormPart::List(items) => {
            let filled = items.iter().filter_map(|part| fill(part, of, own));
            let filled: Vec<_> = filled.collect();
            (items.is_empty() || !filled.is_empty()).then_some(Json::List(filled))
        }
        FormPart::EachList(part) => {
            let items = all().filter_map(|each| fill(part, of, (whole, Some(each))));
            Some(Json::List(items.collect()))
        }
        FormPart::EachTable(name, part) => {
            let members = all().filter_map(|each| {
                let name = form_value(*name, each)?.as_text()?.to_owned();
                Some((Cow::Owned(name), fill(part, of, (whole, Some(each)))?))
            });
            Some(Json::Object(members.collect()))
        }
    }
}

/// What stands for a word: `own` is the step, the endpoint, or the `data` of the bundle or the report, in the simulator's
/// own form.
#[must_use]
pub fn form_value(word: FormWord, own: &Json<'static>) -> Option<Json<'static>> {
    match (word.of, word.word) {
        (WordOf::Bundle, word) => of_bundle(word, own),
        (WordOf::Report, word @ ("walletBalance" | "from" | "to")) => own.get(word).cloned(),
        (WordOf::Report, word) => counted(word, own.get("totals")?),
        (WordOf::Endpoint, word) if COUNTED.contains(&word) => counted(word, own),
        (WordOf::Step | WordOf::Endpoint, word) => of_each(word, own),
    }
}

fn of_bundle(word: &str, bundle: &Json<'static>) -> Option<Json<'static>> {
    let is = |step: &&Json<'static>| step.get("status").and_then(Json::as_text) == Some(word);
    if let "completed" | "failed" = word {
        let steps = bundle.get("steps").and_then(Json::as_list);
        let count = steps.unwrap_or_default().iter().filter(is).count();
        return i64::try_from(count).ok().map(Json::Int);
    }
    bundle.get(word).cloned()
}

/// What was counted of an endpoint, or of all: those that were executed did not fail.
fn counted(word: &str, row: &Json<'static>) -> Option<Json<'static>> {
    match word {
        "executed" => {
            let count = |name: &str| row.get(name).and_then(Json::as_int);
            Some(Json::Int(count("calls")? - count("failed")?))
        }
        word => row.get(word).cloned(),
    }
}

fn of_each(word: &str, each: &Json<'static>) -> Option<Json<'static>> {
    let endpoint = || each.get("endpoint").and_then(Json::as_text);
    match word {
        "path" => Some(endpoint()?.replace('.', "/").into()),
        "step" => endpoint()?
            .split_once('.')
            .map(|(_, it)| it.to_owned().into()),
        "name" => endpoint()?
            .rsplit('.')
            .next()
            .map(|it| it.to_owned().into()),
        path => {
            let mut names = path.split('.');
            names.try_fold(each, |value, name| value.get(name)).cloned()
        }
    }
}
