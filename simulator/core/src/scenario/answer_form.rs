//! What all answers share, where a provider has more than the contract says: `[answers]` of scenario files. Members of
//! `meta`, and the form of a bundle's `data`, which the specification does not show.

use std::borrow::Cow;
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
    /// A list of one item for each step.
    StepList(Box<FormPart>),
    /// An object of one member for each step, called so.
    StepTable(FormWord, Box<FormPart>),
}

/// A word of a form, written in braces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormWord {
    /// How it is written.
    pub word: &'static str,
    /// Whether it is said of each step, and not of the bundle.
    pub of_step: bool,
}

const fn word(word: &'static str, of_step: bool) -> FormWord {
    FormWord { word, of_step }
}

/// What a second call carries, which every form has.
const CARRIED: FormWord = word("referenceId", false);

/// All words.
pub const FORM_WORDS: [FormWord; 20] = [
    word("bundle", false),
    CARRIED,
    word("riskScore", false),
    word("riskLevel", false),
    word("completed", false),
    word("failed", false),
    word("endpoint", true),
    word("path", true),
    word("step", true),
    word("name", true),
    word("verificationId", true),
    word("status", true),
    word("data", true),
    word("error", true),
    word("error.code", true),
    word("error.message", true),
    word("error.retryable", true),
    word("billing", true),
    word("billing.charged", true),
    word("billing.amount", true),
];

/// The words that tell a step from the others, by which a table of steps can be keyed.
pub const STEP_NAMES: [&str; 4] = ["endpoint", "path", "step", "name"];

/// The members of `meta` that each answer says for itself.
pub const OWN_META: [&str; 3] = ["createdAt", "environment", "latencyMs"];

impl FormPart {
    /// Whether something in it is said of a step.
    #[must_use]
    pub fn is_of_step(&self) -> bool {
        match self {
            FormPart::Value(_) | FormPart::StepList(_) | FormPart::StepTable(..) => false,
            FormPart::Word(word) => word.of_step,
            FormPart::Object(members) => members.iter().any(|(_, part)| part.is_of_step()),
            FormPart::List(items) => items.iter().any(FormPart::is_of_step),
        }
    }

    /// Whether it has this word somewhere.
    fn has(&self, wanted: FormWord) -> bool {
        match self {
            FormPart::Value(_) => false,
            FormPart::Word(word) => *word == wanted,
            FormPart::Object(members) => members.iter().any(|(_, part)| part.has(wanted)),
            FormPart::List(items) => items.iter().any(|part| part.has(wanted)),
            FormPart::StepList(each) | FormPart::StepTable(_, each) => each.has(wanted),
        }
    }
}

impl BundleForm {
    /// A bundle's `data` in this form, from the same in the simulator's own. What it has no value for is left out, and
    /// so is a table or a list in which nothing was to be filled in but that. What a second call carries is always there.
    #[must_use]
    pub fn filled(&self, own: &Json<'static>) -> Json<'static> {
        let mut data = fill(&self.0, own, None).unwrap_or(Json::Object(Vec::new()));
        if let Some(carried) = own.get(CARRIED.word)
            && !self.0.has(CARRIED)
        {
            data.set(CARRIED.word, carried.clone());
        }
        data
    }
}

fn fill(
    part: &FormPart,
    bundle: &Json<'static>,
    step: Option<&Json<'static>>,
) -> Option<Json<'static>> {
    let steps = || bundle.get("steps").and_then(Json::as_list);
    let steps = || steps().unwrap_or_default().iter();
    match part {
        FormPart::Value(value) => Some(value.clone()),
        FormPart::Word(word) if word.of_step => form_value(*word, step?),
        FormPart::Word(word) => form_value(*word, bundle),
        FormPart::Object(members) => {
            let filled = members.iter().filter_map(|(name, part)| {
                let value = fill(part, bundle, step)?;
                Some((Cow::Owned(name.clone()), value))
            });
            let filled: Vec<_> = filled.collect();
            (members.is_empty() || !filled.is_empty()).then_some(Json::Object(filled))
        }
        FormPart::List(items) => {
            let filled = items.iter().filter_map(|part| fill(part, bundle, step));
            let filled: Vec<_> = filled.collect();
            (items.is_empty() || !filled.is_empty()).then_some(Json::List(filled))
        }
        FormPart::StepList(each) => {
            let items = steps().filter_map(|step| fill(each, bundle, Some(step)));
            Some(Json::List(items.collect()))
        }
        FormPart::StepTable(name, each) => {
            let members = steps().filter_map(|step| {
                let name = form_value(*name, step)?.as_text()?.to_owned();
                Some((Cow::Owned(name), fill(each, bundle, Some(step))?))
            });
            Some(Json::Object(members.collect()))
        }
    }
}

/// What stands for a word: `own` is the step, or the bundle's `data`, in the simulator's own form.
#[must_use]
pub fn form_value(word: FormWord, own: &Json<'static>) -> Option<Json<'static>> {
    match word.of_step {
        true => of_step(word.word, own),
        false => of_bundle(word.word, own),
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

fn of_step(word: &str, step: &Json<'static>) -> Option<Json<'static>> {
    let endpoint = || step.get("endpoint").and_then(Json::as_text);
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
            names.try_fold(step, |value, name| value.get(name)).cloned()
        }
    }
}
