//! The player can fail: pages with one mistake each, and what is said of it.

use libtest_mimic::{Failed, Trial};

use super::links;
use super::made;
use super::page::Page;
use super::player::{Mode, play};

/// A name, a page, and a part of what is said.
const PAGES: &[(&str, &str, &str)] = &[
    (
        "a_block_of_an_unknown_kind",
        "```python\nprint(1)\n```",
        "`python` can't be played",
    ),
    (
        "a_word_that_means_nothing",
        "```console,loudly\necho a\n```",
        "`loudly` means behind `console`",
    ),
    (
        "an_output_that_differs",
        "```console\necho a\n```\n\n```text\nb\n```",
        "printed is:\na\n",
    ),
    (
        "an_output_that_is_longer",
        "```console\necho a; echo b\n```\n\n```text\na\n```",
        "printed is:\na\nb\n",
    ),
    (
        "an_output_of_nothing",
        "```text\nb\n```",
        "nothing before it prints this",
    ),
    (
        "a_command_that_fails",
        "```console\nfalse\n```",
        "ended with Some(1) and not with 0",
    ),
    (
        "a_command_in_the_middle_that_fails",
        "```console\nfalse\ntrue\n```",
        "ended with Some(1)",
    ),
    (
        "a_command_that_does_not_fail",
        "```console,exit=2\ntrue\n```",
        "ended with Some(0) and not with 2",
    ),
    (
        "a_reason_that_is_none",
        "```console,unplayed=no\ntrue\n```",
        "unplayed without a reason",
    ),
    (
        "another_value_of_json",
        "```console\necho '{\"a\":1}'\n```\n\n```json\n{\"a\":2}\n```",
        "it.a is 1, and 2 is shown",
    ),
    (
        "a_member_that_is_not_shown",
        "```console\necho '{\"a\":1}'\n```\n\n```json\n{}\n```",
        "it.a is not shown",
    ),
    (
        "a_member_that_is_not_there",
        "```console\necho '{}'\n```\n\n```json\n{\"a\":\"…\"}\n```",
        "it.a is not there",
    ),
    (
        "what_is_no_json",
        "```console\necho a\n```\n\n```json\n{}\n```",
        "no JSON is printed",
    ),
    (
        "a_scenario_with_a_mistake",
        "`s/a.toml`\n```toml,file=s/a.toml\n[[scenario]]\nname = \"a\"\n```",
        "`operation` is missing",
    ),
    (
        "an_expectation_that_is_not_met",
        "`s/a.toml`\n```toml,file=s/a.toml\n[[expect]]\nname = \"a\"\noperation = \"verify.identity.pan\"\nanswer = { http = 202 }\n```",
        "1 expectation",
    ),
    (
        "a_file_that_nobody_reads",
        "`a.yml`\n```yaml,file=a.yml\na: 1\n```",
        "nothing asks for a.yml",
    ),
    (
        "rust_that_nobody_compiles",
        "```rust\nfn main() {}\n```",
        "src/lib.rs does not include a.md",
    ),
    (
        "a_query_without_rows",
        "```sql,store=none.db\nSELECT 1\n```",
        "unable to open",
    ),
    (
        "a_program_that_does_not_start",
        "```console,starts\nsvc-simulator serve --no-such-flag\n```",
        "did not start",
    ),
    (
        "what_no_program_printed",
        "```text,from=listen\na\n```",
        "no listen was started",
    ),
];

/// What may stand open.
const GOOD: &str = "```console\necho one at 12:01; echo two; echo three\n```\n\n```text\none at …\n…\nthree\n```\n\n\
```console\necho '{\"a\":{\"b\":1,\"c\":2},\"d\":[1,2,3]}'\n```\n\n```json\n{\"a\":{\"b\":1,\"…\":\"…\"},\"d\":[1,\"…\"]}\n```";

pub(crate) fn trials() -> Vec<Trial> {
    let pages = PAGES
        .iter()
        .map(|(name, text, part)| Trial::test(format!("{name}_is_told"), || told(text, part)));
    let others = [
        Trial::test("what_is_marked_may_differ", || {
            let played = play(&page(GOOD)?, Mode::Compare)?;
            assert_eq!(played.blocks, 4);
            Ok(())
        }),
        Trial::test("a_link_to_nothing_is_told", links_to_nothing),
        Trial::test("a_region_that_drifted_is_told", || {
            let page = page("<!-- made: svc-simulator schema --markdown -->\nold\n<!-- end -->")?;
            assert!(
                made::compare(&page)[0]
                    .1
                    .contains("a.md:1: `svc-simulator schema --markdown` is made otherwise")
            );
            Ok(())
        }),
    ];
    pages.chain(others).collect()
}

fn page(text: &str) -> Result<Page, Failed> {
    Ok(Page::read("a.md", text)?)
}

fn told(text: &str, part: &str) -> Result<(), Failed> {
    let said = play(&page(text)?, Mode::Compare).err();
    match said {
        Some(said) if said.starts_with("a.md:") && said.contains(part) => Ok(()),
        said => Err(format!("said is {said:?}, and not {part}").into()),
    }
}

fn links_to_nothing() -> Result<(), Failed> {
    let one = "# A\n[b](b.md) [c](c.md#two) [d](c.md#one) [e](../c.md) [`f`](f.md) `[g](g.md)` [h](https://example.com)";
    let pages = [
        Page::read("a.md", one)?,
        Page::read("c.md", "# One")?,
        Page::read("SUMMARY.md", "- [A](a.md)\n- [A](a.md)")?,
    ];
    let said = links::broken(&pages, &super::folder());
    assert_eq!(
        said,
        [
            "a.md:2: ../c.md: there is no such page",
            "a.md:2: b.md: there is no such page",
            "a.md:2: c.md#two: the page has no such heading",
            "a.md:2: f.md: there is no such page",
            "a.md:2: https://example.com: the book is read offline",
        ]
    );
    let said = links::summarised(&pages);
    assert_eq!(
        said,
        ["a.md stands there twice", "c.md is not in SUMMARY.md"]
    );
    Ok(())
}
