//! The page on the sample stream of events.

use super::*;
use crate::report::tests::sample;

#[test]
fn a_run_is_a_page() {
    let events = sample::events();
    let page = print(&RunSummary::of(&events)).replace(STYLE, "");
    // A tag a line, so that a difference can be read.
    insta::assert_snapshot!(page.replace("><", ">\n<"));
}

#[test]
fn nothing_that_was_answered_is_markup() {
    let events = sample::events();
    let page = print(&RunSummary::of(&events));
    for tag in [
        "<script",
        "<img",
        "<b>equal",
        "<iframe",
        " onerror=\"",
        "http-equiv=\"refresh",
    ] {
        assert!(!page.contains(tag), "{tag}");
    }
    assert!(page.contains("&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;"));
    assert!(!page.contains(" src=\"") && !page.contains("url(") && !page.contains("@import"));
}

#[test]
fn nothing_judged_is_reported() {
    assert!(print(&RunSummary::of(&[])).contains("Nothing was judged."));
}
