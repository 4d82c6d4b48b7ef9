//! The book on the console: every page of its summary is there, and every link on them leads to a page or a picture.

use std::collections::BTreeSet;

use crate::client::Client;
use crate::control::{Ruled, raw};

/// The addresses that links and pictures of a page name, without what stands behind `#`.
fn targets(page: &str) -> BTreeSet<String> {
    let names = ["href=\"", "src=\""];
    let found = names.iter().flat_map(|name| page.split(name).skip(1));
    let found = found.filter_map(|rest| rest.split('"').next());
    let found = found.filter(|it| it.starts_with("/guide"));
    found
        .filter_map(|it| Some(it.split('#').next()?.to_owned()))
        .collect()
}

#[test]
fn all_of_the_book_is_reached_from_its_first_page() {
    let ruled = Ruled::new();
    let (mut seen, mut left) = (BTreeSet::new(), vec!["/guide".to_owned()]);
    while let Some(path) = left.pop() {
        if path.ends_with(".png") {
            let mut client = Client::to(ruled.served.addresses.console);
            client.write(format!(
                "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            ));
            let answer = client.try_rest().expect("an answer");
            assert!(answer.starts_with(b"HTTP/1.1 200 "), "{path}");
            continue;
        }
        let page = ruled.get(&path);
        assert_eq!(page.status, 200, "{path}");
        let targets = targets(&page.body);
        left.extend(targets.into_iter().filter(|it| seen.insert(it.clone())));
    }
    let summary = include_str!("../../../../docs/src/SUMMARY.md");
    let listed = summary.split("](").skip(1);
    let listed = listed.filter_map(|it| it.split(".md)").next());
    for page in listed.filter(|page| *page != "index") {
        assert!(seen.contains(&format!("/guide/{page}")), "{page}");
    }
}

#[test]
fn a_page_that_is_asked_for_as_a_folder_leads_to_itself_and_to_no_other_host() {
    let ruled = Ruled::new();
    let asked = |path: &str| {
        let headers = "Host: localhost\r\nAccept: text/html\r\n";
        let answer = raw(ruled.served.addresses.console, "GET", path, headers, "");
        let to = answer.header("location").unwrap_or_default().to_owned();
        format!("{} {to}", answer.status)
    };
    for (path, answer) in [
        ("/guide/", "308 /guide"),
        ("/calls/?account=local", "308 /calls?account=local"),
        ("/try/", "308 /try"),
        ("/operations/", "308 /operations"),
        ("//evil.example/", "404 "),
        ("/\\evil.example/", "404 "),
        ("/nothing", "404 "),
    ] {
        assert_eq!(asked(path), answer, "{path}");
    }
    // Programs are told that there is nothing.
    assert_eq!(ruled.get("/calls/").status, 404);
}

#[test]
fn a_page_has_its_text_its_place_and_no_html_of_its_own() {
    let ruled = Ruled::new();
    let page = ruled.get("/guide/reference/scenario-keys");
    let body = &page.body;
    assert!(body.contains("<h1>Keys of scenario files</h1>"), "{body}");
    let here = "<a href=\"/guide/reference/scenario-keys\" aria-current=\"page\">";
    assert!(body.contains(here), "{body}");
    assert!(
        body.contains("<td data-label=\"key\"><code>operation</code></td>"),
        "{body}"
    );
    // What is between these is made; the marks of it are comments of the page.
    assert!(!body.contains("made: "), "{body}");
}

#[test]
fn what_is_no_page_is_said_to_be_none() {
    let ruled = Ruled::new();
    for path in [
        "/guide/nothing",
        "/guide/SUMMARY.md",
        "/guide/images/nothing.png",
        "/guide/../book",
    ] {
        assert_eq!(ruled.get(path).status, 404, "{path}");
    }
}

#[test]
fn a_search_finds_sections_without_a_script() {
    let ruled = Ruled::new();
    let found = ruled.get("/guide?q=signature+webhook");
    assert_eq!(found.status, 200);
    assert!(
        found.body.contains(" sections have all of these words."),
        "{}",
        found.body
    );
    assert!(
        found.body.contains("<mark>signature</mark>"),
        "{}",
        found.body
    );
    // Each leads to a page, and to a heading that is there.
    let links = found.body.split("<h2><a href=\"").skip(1);
    let links: Vec<&str> = links.filter_map(|rest| rest.split('"').next()).collect();
    assert!(links.len() > 1, "{links:?}");
    for link in links {
        let (path, id) = link.split_once('#').unwrap_or((link, ""));
        let page = ruled.get(path);
        assert_eq!(page.status, 200, "{link}");
        assert!(
            page.body.contains(&format!("id=\"{id}\"")) || id.is_empty(),
            "{link}"
        );
    }
    let hostile = ruled.get("/guide?q=%3Cscript%3Ealert(1)%3C/script%3E");
    assert!(
        hostile
            .body
            .contains("Nothing in the guide has all of these words.")
    );
    assert!(!hostile.body.contains("<script>alert"), "{}", hostile.body);
    // An empty question is none.
    assert!(ruled.get("/guide?q=+").body.contains("<h1>What it is</h1>"));
}
