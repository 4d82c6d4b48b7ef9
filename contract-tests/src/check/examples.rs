//! The examples of `examples/`: a check for each file. Which clauses they prove stands in the files.

use std::sync::LazyLock;

use svc_fixtures::contract::Contract;
use svc_fixtures::embedded;
use svc_fixtures::reading::{Problems, Source};

use super::entry::{Cases, Check, Stage};
use crate::example::{self, ExampleFile};
use crate::plan::Case;

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
            cases: Cases::Once(|_| cases($family)),
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

static BUILT_IN: LazyLock<Vec<ExampleFile>> = LazyLock::new(|| {
    read(&Contract::built_in())
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

fn cases(family: &str) -> Option<Vec<Case>> {
    let mut families = BUILT_IN.iter();
    let found = families.find(|known| known.name == family)?;
    Some(found.cases.clone())
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
    fn only_the_last_stage_calls_live() {
        for check in CHECKS {
            let cases = (check.id, check.stage == Stage::Live);
            let live = |case: &Case| case.environment == Environment::Live;
            let name = check.id.trim_start_matches("examples.");
            let found = (check.id, super::cases(name).iter().flatten().any(live));
            assert_eq!(found, cases);
        }
    }
}
