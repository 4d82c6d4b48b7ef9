//! The book is so: every example of every page is played, what a page shows is what is printed, and links lead
//! somewhere. `docs/README.md` says how a page is written.

mod compare;
mod covered;
mod faults;
mod links;
mod made;
mod page;
mod player;
mod terminal;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use page::Page;
use player::Mode;

const WORKS: &str = "a test on a machine that works";
/// The name by which this program is the other one, which cargo builds for the tests of its own crate only.
const CONTRACT_TESTS: &str = "svc-contract-tests";
/// What a page's commands are run with.
const PROGRAMS: [&str; 2] = ["sh", "curl"];

fn main() -> ExitCode {
    let called = std::env::args_os()
        .next()
        .map(PathBuf::from)
        .unwrap_or_default();
    if called
        .file_name()
        .is_some_and(|name| name == CONTRACT_TESTS)
    {
        return svc_contract_tests::cli::main();
    }
    let arguments = Arguments::from_args();
    let mode = match std::env::var_os("SVC_DOCS").is_some_and(|it| it == "write") {
        true => Mode::Write,
        false => Mode::Compare,
    };
    let pages = pages();
    let mut trials = Vec::new();
    let all = pages
        .iter()
        .filter(|page| page.path != "SUMMARY.md")
        .cloned();
    for page in all.chain([readme()]) {
        let name = format!("the_examples_of_{}_are_played", page.path);
        trials.push(Trial::ignorable_test(name, move || played(page, mode)));
    }
    let linked = pages.clone();
    trials.push(Trial::test("links_lead_somewhere", move || {
        let pages = linked;
        let mut wrong = links::broken(&pages, &folder());
        wrong.extend(links::summarised(&pages));
        wrong.extend(links::broken_of_readme(&readme(), &pages, &root()));
        let lines = readme().text.lines().count();
        wrong.extend(
            (lines > 60).then(|| format!("README.md has {lines} lines, and is to fit a screen")),
        );
        none(wrong)
    }));
    trials.extend(covered::trials(&pages));
    trials.extend(faults::trials());
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// This program by its other name.
fn as_contract_tests() -> Command {
    let mut command = Command::new(std::env::current_exe().expect(WORKS));
    std::os::unix::process::CommandExt::arg0(&mut command, CONTRACT_TESTS);
    command
}

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("the workspace").to_owned()
}

fn folder() -> PathBuf {
    root().join("docs/src")
}

/// All pages of the book, with its summary.
fn pages() -> Vec<Page> {
    let mut found = Vec::new();
    let mut folders = vec![folder()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).expect(WORKS) {
            let path = entry.expect(WORKS).path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "md") {
                let name = path.strip_prefix(folder()).expect(WORKS);
                found.push(read(&path, &name.display().to_string()));
            }
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

fn readme() -> Page {
    read(&root().join("README.md"), "README.md")
}

fn read(path: &Path, name: &str) -> Page {
    let text = std::fs::read_to_string(path).expect(WORKS);
    Page::read(name, &text).unwrap_or_else(|wrong| panic!("{wrong}"))
}

fn none(wrong: Vec<String>) -> Result<(), Failed> {
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("\n").into()),
    }
}

fn played(page: Page, mode: Mode) -> Result<Completion, Failed> {
    if let Some(missing) = PROGRAMS.iter().find(|program| !is_installed(program)) {
        let why = format!("{missing} is not installed");
        return match std::env::var_os("SVC_REQUIRE_TOOLS").is_some_and(|it| it == "1") {
            true => Err(why.into()),
            false => Ok(Completion::ignored_with(why)),
        };
    }
    let made = made::compare(&page);
    if mode == Mode::Compare {
        none(made.iter().map(|(_, why, _)| why.clone()).collect())?;
    }
    let played = player::play(&page, mode)?;
    let blocks = played.written.into_iter();
    let blocks = blocks.map(|(at, text)| (page.blocks[at].lines.clone(), text));
    let regions = made.into_iter().map(|(lines, _, text)| (lines, text));
    let mut new: Vec<_> = blocks.chain(regions).collect();
    if new.is_empty() {
        return Ok(Completion::Completed);
    }
    new.sort_by_key(|(lines, _)| std::cmp::Reverse(lines.start));
    let mut lines: Vec<&str> = page.text.lines().collect();
    for (range, text) in &new {
        lines.splice(range.clone(), text.lines());
    }
    let path = match page.path.as_str() {
        "README.md" => root().join("README.md"),
        path => folder().join(path),
    };
    std::fs::write(path, format!("{}\n", lines.join("\n")))?;
    Ok(Completion::Completed)
}

fn is_installed(program: &str) -> bool {
    let mut command = Command::new(program);
    command
        .args(["-c", ":"])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok()
}
