//! The scenario files built into the binary.

use std::sync::Arc;

use include_dir::{Dir, include_dir};
use svc_fixtures::reading::Source;

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../scenarios");

const ACCOUNTS: &str = "accounts.toml";

/// Comes before the others, so that what holds everywhere is never hidden by one category.
const UNIVERSAL: &str = "(built in) scenarios/universal.toml";

/// Whether a file is one of them.
pub(crate) fn is_built_in(path: &str) -> bool {
    path.starts_with("(built in) ")
}

/// The built-in scenario files: the universal one first, then by name.
#[must_use]
pub fn built_in() -> Vec<Arc<Source>> {
    files(|name| name.ends_with(".toml") && name != ACCOUNTS)
}

/// The built-in accounts.
#[must_use]
pub fn accounts() -> Vec<Arc<Source>> {
    files(|name| name == ACCOUNTS)
}

fn files(wanted: impl Fn(&str) -> bool) -> Vec<Arc<Source>> {
    let mut files: Vec<_> = FILES
        .files()
        .filter_map(|file| {
            let name = file.path().to_str().filter(|name| wanted(name))?;
            Some(Source::new(
                format!("(built in) scenarios/{name}"),
                file.contents_utf8()?,
            ))
        })
        .collect();
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
}
