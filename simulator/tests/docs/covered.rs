//! Nothing is left out: every command, setting and route has an example that is played, and what prose names exists.

use std::collections::BTreeSet;
use std::process::Command;

use libtest_mimic::{Failed, Trial};

use super::made::routes;
use super::page::{Block, Page};
use super::{CONTRACT_TESTS, WORKS, none};

/// What the programs and what stands beside them are called with in prose, and they do not say themselves.
const OF_OTHERS: [&str; 3] = ["--workspace", "--bench", "--release"];

pub(crate) fn trials(pages: &[Page]) -> Vec<Trial> {
    let tests = [
        (
            "every_command_is_played",
            commands as fn(&[Page]) -> Vec<String>,
        ),
        ("every_route_of_the_control_api_is_played", control),
        ("every_setting_stands_in_a_file_or_a_command", settings),
        ("every_flag_that_prose_names_exists", flags),
        ("every_block_is_played_or_says_why_not", unplayed),
    ];
    let tests = tests.into_iter().map(|(name, test)| {
        let pages = pages.to_vec();
        Trial::test(name, move || none(test(&pages)))
    });
    let faults = Trial::test("what_is_left_out_is_told", left_out);
    tests.chain([faults]).collect()
}

fn blocks<'p>(pages: &'p [Page], kind: &'p str) -> impl Iterator<Item = &'p Block> {
    let blocks = pages.iter().flat_map(|page| &page.blocks);
    blocks.filter(move |block| block.kind == kind)
}

fn played<'p>(pages: &'p [Page], kind: &'p str) -> impl Iterator<Item = &'p Block> {
    blocks(pages, kind).filter(|block| block.word("unplayed").is_none())
}

/// What `--help` of a command prints.
fn help(program: &str, path: &[String]) -> String {
    let mut command = match program {
        CONTRACT_TESTS => super::as_contract_tests(),
        _ => Command::new(env!("CARGO_BIN_EXE_svc-simulator")),
    };
    let out = command.args(path).arg("--help").env_clear().output();
    String::from_utf8(out.expect(WORKS).stdout).expect("text")
}

/// The commands of both programs, each by its words, and what `--help` says of it.
fn all_commands() -> Vec<(Vec<String>, String)> {
    let mut found = Vec::new();
    for program in ["svc-simulator", CONTRACT_TESTS] {
        let mut left = vec![Vec::new()];
        while let Some(path) = left.pop() {
            let help = help(program, &path);
            let (_, commands) = help.split_once("Commands:\n").unwrap_or_default();
            let names = commands.lines().take_while(|line| !line.is_empty());
            let names = names.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
            for name in names.filter(|name| !["", "help"].contains(name)) {
                left.push([path.clone(), vec![name.to_owned()]].concat());
            }
            let words = [vec![program.to_owned()], path].concat();
            found.push((words, help));
        }
    }
    found
}

/// Each shows its help; each that does something by itself is used, too.
fn commands(pages: &[Page]) -> Vec<String> {
    let texts: Vec<&str> = played(pages, "console")
        .map(|it| it.text.as_str())
        .collect();
    let mut wrong = Vec::new();
    for (words, help) in all_commands() {
        let command = words.join(" ");
        if !texts.contains(&format!("{command} --help").as_str()) {
            wrong.push(format!("no page shows `{command} --help`"));
        }
        let is_group = help.contains("Usage: ") && help.contains(&format!("{command} <COMMAND>"));
        let mut lines = texts.iter().flat_map(|text| text.lines());
        let is_used = lines.any(|line| line.contains(&command) && !line.contains("--help"));
        if !is_used && !is_group {
            wrong.push(format!("no page uses `{command}`"));
        }
    }
    wrong
}

/// Each is called by a curl somewhere.
fn control(pages: &[Page]) -> Vec<String> {
    let texts = played(pages, "console").map(|block| block.text.replace("\\\n", " "));
    let lines: Vec<String> = texts
        .flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let calls: BTreeSet<(String, String)> = lines.iter().filter_map(|line| called(line)).collect();
    let is_called = |method: &str, path: &str| {
        let parts: Vec<&str> = path.split('/').collect();
        calls.iter().any(|(used, path)| {
            let used_parts: Vec<&str> = path.split('/').collect();
            let mut pairs = parts.iter().zip(&used_parts);
            used == method
                && parts.len() == used_parts.len()
                && pairs.all(|(one, used)| one.starts_with('{') || one == used)
        })
    };
    let routes = routes();
    assert!(routes.len() > 40, "{}", routes.len());
    let missing = routes.iter().filter(|it| !is_called(&it.method, &it.path));
    missing
        .map(|it| format!("no page calls {} {}", it.method, it.path))
        .collect()
}

/// Method and path of a call of the console.
fn called(line: &str) -> Option<(String, String)> {
    let (_, rest) = line.split_once("curl ")?;
    let (_, url) = rest.split_once("127.0.0.1:8800")?;
    let end = url.find(|it: char| " ?'\"".contains(it));
    let path = &url[..end.unwrap_or(url.len())];
    let method = match rest.split_once("-X ") {
        Some((_, method)) => method.split(' ').next()?,
        None if rest.contains(" -d ") => "POST",
        None => "GET",
    };
    Some((method.to_owned(), path.to_owned()))
}

/// Each is set by some block: in the file, by its variable or by its flag.
fn settings(pages: &[Page]) -> Vec<String> {
    let table = svc_simulator::cli::settings_markdown();
    let all = pages.iter().flat_map(|page| &page.blocks);
    let shown: Vec<&str> = all
        .filter(|it| it.kind != "text")
        .map(|it| it.text.as_str())
        .collect();
    let mut wrong = Vec::new();
    for row in table.lines().skip(2) {
        let mut names = row.split('`').skip(1).step_by(2);
        let (Some(flag), Some(variable), Some(key)) = (names.next(), names.next(), names.next())
        else {
            wrong.push(format!("no setting: {row}"));
            continue;
        };
        let flag = flag.split(' ').next().unwrap_or_default();
        let words = [
            format!("{flag} "),
            format!("{variable}="),
            format!("{key} = "),
        ];
        if !shown
            .iter()
            .any(|text| words.iter().any(|word| format!("{text} ").contains(word)))
        {
            wrong.push(format!("no page sets {key}"));
        }
    }
    wrong
}

fn flags(pages: &[Page]) -> Vec<String> {
    let known: String = all_commands().into_iter().map(|(_, help)| help).collect();
    let is_end = |it: char| !(it.is_ascii_alphanumeric() || it == '-');
    let known: BTreeSet<&str> = known
        .split(is_end)
        .filter(|it| it.starts_with("--"))
        .collect();
    let mut wrong = Vec::new();
    for page in pages {
        for (line, code) in page.code() {
            let words = code
                .split(is_end)
                .filter(|it| it.len() > 2 && it.starts_with("--"));
            let is_known = |word: &&str| {
                known.contains(word) || OF_OTHERS.contains(word) || code.contains("stripe ")
            };
            let unknown = words.filter(|word| !is_known(word));
            wrong.extend(unknown.map(|it| format!("{}:{line}: nothing takes {it}", page.path)));
        }
    }
    wrong
}

/// All that is not played, so that what joins them is seen.
fn unplayed(pages: &[Page]) -> Vec<String> {
    let pages = [pages, &[super::readme()]].concat();
    let all = pages
        .iter()
        .flat_map(|page| page.blocks.iter().map(move |block| (page, block)));
    let reasons = all.filter_map(|(page, block)| Some((page, block, block.word("unplayed")?)));
    let found =
        reasons.map(|(page, block, reason)| format!("{}: {}: {reason}", page.path, block.kind));
    let found = found.collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(found, @"
    contract/money.md: console: needs-a-live-service
    contract/running.md: console: needs-a-sandbox-of-the-service
    from/prism.md: console: is-a-command-of-the-other-program
    from/wiremock.md: json: is-a-file-of-the-other-program
    install.md: console: compiles-for-minutes-and-installs-for-the-user
    install.md: console: compiles-for-minutes-and-ci-does-it
    install.md: console: ci-does-it
    install.md: console: needs-a-container-engine
    install.md: console: needs-a-container-engine
    install.md: console: needs-a-container-engine
    install.md: console: compiles-for-minutes-and-ci-does-it
    install.md: console: compiles-for-minutes-and-ci-does-it
    operate/watching.md: yaml: needs-a-prometheus
    reference/files.md: console: the-page-on-continuous-integration-does-it
    reference/settings.md: console: needs-certificates-of-the-team
    start/ci.md: console: builds-what-the-tests-have-built
    start/ci.md: console: the-next-script-does-it
    start/integrator.md: console: builds-what-the-tests-have-built
    start/operator.md: console: builds-what-the-tests-have-built
    start/operator.md: console: opens-ports-to-other-machines
    start/operator.md: console: needs-a-postgresql-server
    start/qa.md: console: builds-what-the-tests-have-built
    use/kits.md: python: the-suites-of-the-kits-play-it
    README.md: console: this-is-one-of-those-tests
    ");
    Vec::new()
}

fn left_out() -> Result<(), Failed> {
    let text = "`--no-such-flag` and `--seed`\n\n```console\nsvc-simulator check\n\
                curl http://127.0.0.1:8800/control/accounts/a/reset -X POST\n```\n";
    let pages = [Page::read("a.md", text)?];
    assert_eq!(flags(&pages), ["a.md:1: nothing takes --no-such-flag"]);
    let said = commands(&pages);
    for part in [
        "no page shows `svc-simulator check --help`",
        "no page uses `svc-simulator clock next`",
    ] {
        assert!(said.contains(&part.to_owned()), "{said:?}");
    }
    assert!(!said.contains(&"no page uses `svc-simulator check`".to_owned()));
    let said = control(&pages);
    assert!(
        said.contains(&"no page calls POST /control/trigger".to_owned()),
        "{said:?}"
    );
    assert!(!said.contains(&"no page calls POST /control/accounts/{id}/reset".to_owned()));
    assert!(settings(&pages).contains(&"no page sets keep_total".to_owned()));
    Ok(())
}
