//! Links between pages lead somewhere, the summary has every page once, and the book is one.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::page::Page;

/// What is wrong with the links of these pages, which lie in a folder.
pub(crate) fn broken(pages: &[Page], folder: &Path) -> Vec<String> {
    let mut wrong = Vec::new();
    for page in pages {
        for (line, target) in page.links() {
            if let Some(why) = broken_link(page, &target, pages, folder) {
                wrong.push(format!("{}:{line}: {target}: {why}", page.path));
            }
        }
    }
    wrong
}

fn broken_link(page: &Page, target: &str, pages: &[Page], folder: &Path) -> Option<&'static str> {
    if target.contains("://") {
        let is_ours = target.starts_with("http://127.0.0.1:8800");
        return (!is_ours).then_some("the book is read offline");
    }
    let (path, id) = target.split_once('#').unwrap_or((target, ""));
    let beside = Path::new(&page.path).parent().unwrap_or(Path::new(""));
    let path = match path {
        "" => PathBuf::from(&page.path),
        path => plain(&beside.join(path)),
    };
    let name = path.to_string_lossy();
    let Some(found) = pages.iter().find(|it| it.path == name) else {
        let is_inside = !name.starts_with("..");
        return match is_inside && folder.join(&path).is_file() && !name.ends_with(".md") {
            true => None,
            false => Some("there is no such page"),
        };
    };
    let has_id = id.is_empty() || found.ids().iter().any(|known| known == id);
    (!has_id).then_some("the page has no such heading")
}

/// What is wrong with the links of the project's first page, which lies above all folders.
pub(crate) fn broken_of_readme(readme: &Page, pages: &[Page], root: &Path) -> Vec<String> {
    let mut wrong = Vec::new();
    for (line, target) in readme
        .links()
        .into_iter()
        .filter(|(_, it)| !it.contains("://"))
    {
        let (path, id) = target.split_once('#').unwrap_or((&target, ""));
        let page = path.strip_prefix("docs/src/");
        let page = page.and_then(|name| pages.iter().find(|page| page.path == name));
        let has_id = id.is_empty() || page.is_some_and(|page| page.ids().iter().any(|it| it == id));
        if !root.join(path).exists() || !has_id {
            wrong.push(format!("README.md:{line}: {target} is not there"));
        }
    }
    wrong
}

/// Without `..` where something stands before it.
pub(crate) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir if plain.file_name().is_some() => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// What the summary leaves out, or has twice.
pub(crate) fn summarised(pages: &[Page]) -> Vec<String> {
    let Some(summary) = pages.iter().find(|page| page.path == "SUMMARY.md") else {
        return vec!["there is no SUMMARY.md".to_owned()];
    };
    let listed: Vec<String> = summary
        .links()
        .into_iter()
        .map(|(_, target)| target)
        .collect();
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    wrong.extend(
        listed
            .iter()
            .filter(|it| !seen.insert(*it))
            .map(|it| format!("{it} stands there twice")),
    );
    let pages = pages.iter().filter(|page| page.path != "SUMMARY.md");
    let missing = pages.filter(|page| !listed.contains(&page.path));
    wrong.extend(missing.map(|page| format!("{} is not in SUMMARY.md", page.path)));
    wrong
}
