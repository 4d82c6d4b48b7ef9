//! The examples of `examples/`: a check for each file. Which clauses they prove stands in the files.

use std::sync::LazyLock;

use svc_fixtures::contract::{Contract, Field, Operation};
use svc_fixtures::embedded;
use svc_fixtures::json::Json;
use svc_fixtures::reading::{Problems, Source};
use svc_fixtures::sample;

use super::entry::{Cases, Check, Stage};
use crate::example::{self, ExampleFile};
use crate::plan::{Case, Payload, Setting, Step};

macro_rules! examples {
    ($($family:literal, $stage:ident, $title:literal;)*) => {
        const FILES: &[(&str, &str)] = &[$((
            concat!("contract-tests/examples/", $family, ".toml"),
            include_str!(concat!("../../examples/", $family, ".toml")),
        )),*];

        pub(super) const CHECKS: &[Check] = &[$(Check {
            id: concat!("examples.", $family),
            title: $title,
            clauses: &[],
            stage: Stage::$stage,
            cases: Cases::Once(|setting| cases(setting, $family)),
        }),*];
    };
}

examples! {
    "wire", Sandbox, "Dates, empty texts, literal keys and the order of what is looked at are as described";
    "sandbox", Sandbox, "Each input the specification names has its outcome on the sandbox";
    "identity", Sandbox, "Scores, formats and options of identity operations do what they say";
    "employment", Sandbox, "Histories and months of contribution are those asked for";
    "company", Sandbox, "Parts of names, masked fields and returns of companies are as described";
    "financial", Sandbox, "Accounts, amounts, names and consent are judged as described";
    "screening", Sandbox, "Screening heeds names, categories, dates and places";
    "document", Sandbox, "Thresholds, texts, types and quality checks of documents are heeded";
    "address-and-names", Sandbox, "Addresses and names are compared and split as described";
    "bundles", Sandbox, "A bundle runs its steps, carries between them and ends as they end";
    "accounts", Sandbox, "An account of its own is there for every key, and addresses are the peer's";
    "live", Live, "On live the same inputs have the same outcomes, and the wallet adds up";
}

static CONTRACT: LazyLock<Contract> = LazyLock::new(Contract::built_in);

static BUILT_IN: LazyLock<Vec<ExampleFile>> = LazyLock::new(|| {
    read(&CONTRACT)
        .unwrap_or_else(|problems| panic!("the built-in examples do not read:\n{problems}"))
});

/// Reads the examples by these rows. A file of somebody's own folder of rows is in the place of the built-in one.
pub(super) fn read(contract: &Contract) -> Result<Vec<ExampleFile>, Problems> {
    let source = |(path, text): &(&str, &str)| {
        let below = path.trim_start_matches("contract-tests/");
        embedded::overlaid(below).unwrap_or_else(|| Source::new(*path, *text))
    };
    let sources: Vec<_> = FILES.iter().map(source).collect();
    example::read(contract, &sources)
}

fn cases(setting: &Setting<'_>, family: &str) -> Option<Vec<Case>> {
    let mut families = BUILT_IN.iter();
    let found = families.find(|known| known.name == family)?;
    let mut cases = found.cases.clone();
    cases
        .iter_mut()
        .for_each(|case| with_own_samples(setting, case));
    Some(cases)
}

/// What is shorter stands in rules by chance.
const SHORTEST_WORD: usize = 4;

/// Puts the samples of this service in the place of the built-in ones, where nothing is said of just these.
fn with_own_samples(setting: &Setting<'_>, case: &mut Case) {
    // Few services have any, and to print the rules of all examples takes a while.
    if !case.steps.iter().any(|step| rows(setting, step).is_some()) {
        return;
    }
    let rules = case.steps.iter().flat_map(|step| &step.expect);
    let said: String = rules.map(|it| format!("{:?}", it.rule)).collect();
    for step in &mut case.steps {
        let rows = rows(setting, step);
        let (Some((row, built_in)), Payload::Json(body)) = (rows, &mut step.request.payload) else {
            continue;
        };
        let is_sample = |body: &Json<'_>, field: &Field| {
            body.get(&field.name) == Some(&sample::value(&CONTRACT, field))
        };
        // Of texts that are compared with each other one alone would say something else.
        let texts = built_in.request.iter();
        let mut texts = texts.filter(|field| field.folds && field.identifies);
        if texts.any(|field| body.get(&field.name).is_some() && !is_sample(body, field)) {
            continue;
        }
        let fields = row.request.iter().zip(&built_in.request);
        for (own, known) in fields.filter(|(own, known)| own.example != known.example) {
            let sample = sample::value(&CONTRACT, known);
            let text = sample::first_text(&sample);
            // What the specification fixes is everybody's.
            let fixed = setting.inputs.iter().any(|input| {
                let of = input.field(setting.contract, row);
                input.value == text && of.is_some_and(|field| field.name == own.name)
            });
            if is_sample(body, known) && !fixed && !is_named(&said, text) {
                body.set(own.name.clone(), sample::value(setting.contract, own));
            }
        }
    }
}

/// The rows of the operation that a step calls, this service's and the built-in one, where their samples differ.
fn rows<'c>(setting: &Setting<'c>, step: &Step) -> Option<(&'c Operation, &'static Operation)> {
    let row = setting.operation_at(&step.request.path)?;
    let built_in = CONTRACT.operation(&row.id)?;
    let mut fields = row.request.iter().zip(&built_in.request);
    let differs = fields.any(|(own, known)| own.example != known.example);
    differs.then_some((row, built_in))
}

/// Whether rules say something of a text: all of it, or a word or number of it.
fn is_named(rules: &str, text: &str) -> bool {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    let mut words = words.filter(|word| word.len() >= SHORTEST_WORD);
    rules.contains(text) || words.any(|word| rules.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use svc_fixtures::contract::Environment;

    #[test]
    fn every_file_of_examples_is_a_check_with_cases() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
        let files = std::fs::read_dir(folder).expect("the folder is there");
        let mut files: Vec<_> = files
            .map(|file| {
                file.expect("a file")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .filter_map(|name| name.strip_suffix(".toml").map(str::to_owned))
            .collect();
        files.sort();
        let mut known: Vec<_> = BUILT_IN.iter().map(|family| family.name.clone()).collect();
        known.sort();
        assert_eq!(files, known);
        assert!(BUILT_IN.iter().all(|family| !family.cases.is_empty()));
    }

    #[test]
    fn texts_that_are_compared_or_named_are_not_those_of_a_service() {
        let source = Source::new(
            "mine.toml",
            r#"
[[input]]
operation = "verify.address.match"
field = "address1"
value = "12, Hill Road, Mumbai 400053"
ends = "completed"

[[input]]
operation = "verify.address.split"
field = "address"
value = "12, Hill Road, Mumbai 400053"
ends = "completed"

[[input]]
operation = "verify.identity.dl"
field = "dlNumber"
value = "MH1220110062821"
ends = "completed"
"#,
        );
        let known = crate::plan::inputs::built_in();
        let own = crate::plan::inputs::read(&CONTRACT, &source, &known).expect("it reads");
        let contract = crate::plan::samples::with_samples(CONTRACT.clone(), &own);
        let setting = Setting::new(&contract, own, "s");
        let asks = |family| {
            let cases = super::cases(&setting, family).expect("a file of examples");
            let steps = cases.iter().flat_map(|case| &case.steps);
            let shown = |step: &crate::plan::Step| format!("{:?}", (&step.request, &step.expect));
            steps.map(shown).collect::<Vec<_>>()
        };
        let own = |step: &&String| step.contains("Hill Road");
        let texts = asks("address-and-names");
        let mut of_own = texts.iter().filter(own);
        assert!(of_own.all(|step| !step.contains("address2") && !step.contains("560038")));
        assert!(texts.iter().any(|step| step.contains("560038")));
        let licences = asks("identity");
        let mut licences = licences.iter();
        assert!(licences.any(|step| step.contains("MH1220110062821")));
    }

    #[test]
    fn only_the_last_stage_calls_live() {
        for check in CHECKS {
            let cases = (check.id, check.stage == Stage::Live);
            let live = |case: &Case| case.environment == Environment::Live;
            let name = check.id.trim_start_matches("examples.");
            let setting = Setting::new(&CONTRACT, Vec::new(), "s");
            let found = super::cases(&setting, name);
            let found = (check.id, found.iter().flatten().any(live));
            assert_eq!(found, cases);
        }
    }
}
