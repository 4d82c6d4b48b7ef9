//! The scenario files built into the binary.

use std::sync::{Arc, OnceLock};

use svc_fixtures::reading::Source;

/// The files that are built in, by name. What else is in their folder is for people and editors.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../../scenarios/", $name)))),*]
    };
}

static FILES: [(&str, &str); 9] = files![
    "accounts.toml",
    "fields.toml",
    "financial.toml",
    "identity.toml",
    "images.toml",
    "people.toml",
    "risk.toml",
    "samples.toml",
    "universal.toml",
];

/// The scenario files without what goes with no row any more.
static FITTING: OnceLock<Vec<Arc<Source>>> = OnceLock::new();

const ACCOUNTS: &str = "accounts.toml";

/// Comes before the others, so that what holds everywhere is never hidden by one category.
const UNIVERSAL: &str = "(built in) scenarios/universal.toml";

/// What the first line of a file begins with that was made of recorded traffic.
pub const LEARNED: &str = "# Learned from ";

/// Whether a file is one of them.
#[must_use]
pub fn is_built_in(path: &str) -> bool {
    path.starts_with("(built in) ")
}

/// The built-in scenario files: the universal one first, then by name.
#[must_use]
pub fn built_in() -> Vec<Arc<Source>> {
    let fitting = FITTING.get();
    fitting.map_or_else(|| files(|name| name != ACCOUNTS), Clone::clone)
}

/// From now on these are the built-in scenario files, in this order. As of rows there is one set in a process: what comes
/// later changes nothing.
pub(super) fn read_instead(files: Vec<Arc<Source>>) {
    let _: Result<(), _> = FITTING.set(files);
}

/// The built-in accounts.
#[must_use]
pub fn accounts() -> Vec<Arc<Source>> {
    files(|name| name == ACCOUNTS)
}

fn files(wanted: impl Fn(&str) -> bool) -> Vec<Arc<Source>> {
    let files = FILES.iter().filter(|(name, _)| wanted(name));
    let source =
        |(name, text): &(&str, &str)| Source::new(format!("(built in) scenarios/{name}"), *text);
    let mut files: Vec<_> = files.map(source).collect();
    files.sort_by(|a, b| (a.path != UNIVERSAL, &a.path).cmp(&(b.path != UNIVERSAL, &b.path)));
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_everywhere_comes_first() {
        let files = built_in();
        assert_eq!(files[0].path, UNIVERSAL);
        assert!(files[1..].is_sorted_by_key(|file| &file.path));
        assert!(files.len() > 2);
    }

    #[test]
    fn every_scenario_file_of_the_folder_is_built_in() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios");
        let there = std::fs::read_dir(folder).expect("the folder of the built-in scenarios");
        let there = there.map(|entry| entry.expect("an entry").file_name());
        let there = there.map(|name| name.into_string().expect("a plain name"));
        let mut there: Vec<String> = there.filter(|name| name.ends_with(".toml")).collect();
        there.sort_unstable();
        assert_eq!(there, FILES.map(|(name, _)| name));
    }
}
