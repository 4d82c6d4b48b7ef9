//! Listeners behind a proxy that puts a path before theirs: what they name is what clients reach.

use std::net::SocketAddr;

use serde_json::Value;
use svc_fixtures::embedded::test_asset;
use svc_simulator::http::{PublicUrl, PublicUrls};

use super::client::{Answer, Client, Served};

const SANDBOX: &str = "https://host.example/sim/sandbox";
const LIVE: &str = "https://host.example:8443/sim/live";
const CONSOLE: &str = "https://host.example/sim/console";

fn served() -> Served {
    let url = |text| Some(PublicUrl::parse(text).expect("a URL"));
    Served::with(|builder| {
        builder.public_urls(PublicUrls {
            console: url(CONSOLE),
            sandbox: url(SANDBOX),
            live: url(LIVE),
        })
    })
}

/// The request that a proxy makes of one to this URL: it takes its own path off.
fn by_proxy(address: SocketAddr, public: &str, url: &str) -> Answer {
    let path = url
        .strip_prefix(public)
        .expect("a URL below the public one");
    Client::to(address).ask(format!("GET {path} HTTP/1.1\r\nHost: host.example\r\n\r\n"))
}

fn post(address: SocketAddr, key: &str, path: &str, body: &str) -> Value {
    let answer = Client::to(address).ask(format!(
        "POST {path} HTTP/1.1\r\nHost: host.example\r\nAuthorization: Bearer {key}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    ));
    answer.json()
}

fn listeners(served: &Served) -> [(SocketAddr, &'static str, &'static str); 2] {
    [
        (served.addresses.sandbox, SANDBOX, "svc_test_local"),
        (served.addresses.live, LIVE, "svc_live_local"),
    ]
}

#[test]
fn a_consent_link_leads_through_the_proxy_to_its_page() {
    let served = served();
    for (address, public, key) in listeners(&served) {
        let body = r#"{"redirectUrl": "https://app.example/back", "requestedDocs": ["PAN"]}"#;
        let pending = post(address, key, "/v1/verify/document/digilocker/start", body);
        let link = pending["data"]["consentUrl"].as_str().expect("a link");
        assert!(
            link.starts_with(&format!("{public}/consent/svcv_")),
            "{link}"
        );
        let page = by_proxy(address, public, link);
        assert_eq!(page.status, 200);
        // The form goes back to the page's own address, and so to the proxy.
        assert!(
            page.body.contains(r#"<form method="post">"#),
            "{}",
            page.body
        );
    }
}

#[test]
fn an_image_that_an_answer_names_is_found_through_the_proxy_and_is_the_same_subject() {
    let served = served();
    for (address, public, key) in listeners(&served) {
        let read = |card: String| {
            let body = format!(r#"{{"url": "{card}"}}"#);
            post(address, key, "/v1/verify/document/kyc-ocr", &body)
        };
        let answer = read(format!("{public}/test-assets/aadhaar-card.png"));
        let image = answer["data"]["maskedImage"].as_str().expect("a URL");
        assert!(
            image.starts_with(&format!("{public}/test-assets/")),
            "{image}"
        );
        let path = &image[public.len()..];
        let request = format!("HEAD {path} HTTP/1.1\r\nHost: host.example\r\n\r\n");
        let mut client = Client::to(address);
        client.write(request);
        let found = client.answer(false);
        let length = test_asset("masked-eight-digits.png")
            .expect("it")
            .bytes
            .len();
        assert_eq!(found.header("content-length"), Some(&*length.to_string()));
        let direct = read("http://127.0.0.1:8801/test-assets/aadhaar-card.png".to_owned());
        assert_eq!(answer["data"], direct["data"]);
    }
}

#[test]
fn the_document_and_health_name_the_public_urls() {
    let served = served();
    let get = |path: &str| {
        by_proxy(
            served.addresses.console,
            CONSOLE,
            &format!("{CONSOLE}{path}"),
        )
    };
    let document = get("/openapi.json").json();
    assert_eq!(document["servers"][0]["url"], SANDBOX);
    assert_eq!(document["servers"][1]["url"], LIVE);
    let control = &document["paths"]["/control/accounts"]["get"]["servers"];
    assert_eq!(control[0]["url"], CONSOLE);
    let alone = get("/openapi.json?only=control").json();
    assert_eq!(alone["servers"][0]["url"], CONSOLE);
    for path in ["/control/health", "/control/ready"] {
        let health = get(path).json();
        assert_eq!(
            (&health["sandbox"], &health["live"]),
            (&SANDBOX.into(), &LIVE.into())
        );
    }
    // Examples of answers are of a simulator that is called by its default addresses.
    let local = format!("http://{}", served.addresses.sandbox);
    assert!(!document.to_string().contains(&local));
}

#[test]
fn the_consoles_pages_link_through_the_proxy_and_what_they_link_to_is_there() {
    let served = served();
    let get = |url: &str| by_proxy(served.addresses.console, CONSOLE, url);
    let mut pages = vec![
        format!("{CONSOLE}/"),
        format!("{CONSOLE}/operations"),
        format!("{CONSOLE}/inputs"),
    ];
    let mut seen = Vec::new();
    while let Some(url) = pages.pop() {
        let page = get(&url);
        assert_eq!(page.status, 200, "{url}");
        let links = page.body.split("<a href=\"").skip(1);
        let links = links.map(|rest| rest.split(['"', '#']).next().expect("a link").to_owned());
        if !url.contains("/docs/") {
            // Of the whole population and of every form there is no end.
            let ends =
                |link: &String| !link.is_empty() && !link.contains('?') && !link.contains("/try/");
            pages.extend(links.filter(|link| ends(link) && !seen.contains(link)));
        }
        seen.push(url);
        pages.retain(|url| !seen.contains(url));
    }
    for path in [
        "/docs/",
        "/openapi.json",
        "/control/health",
        "/operations",
        "/errors",
        "/inputs",
        "/",
    ] {
        assert!(
            seen.contains(&format!("{CONSOLE}{path}")),
            "{path} of {seen:?}"
        );
    }
    let home = get(&format!("{CONSOLE}/")).body;
    for shown in [SANDBOX, LIVE, &format!("curl -sS {SANDBOX}/v1/")] {
        assert!(home.contains(shown), "{shown} is not on {home}");
    }
    // Relative to where they stand, so that they hold behind every proxy.
    let docs = get(&format!("{CONSOLE}/docs"));
    assert_eq!((docs.status, docs.header("location")), (308, Some("docs/")));
    let script = get(&format!("{CONSOLE}/docs/initializer.js")).body;
    assert!(script.contains(r#""../openapi.json""#), "{script}");
}

#[test]
fn the_console_lets_its_own_pages_in_whatever_host_the_proxy_sends() {
    let served = served();
    let port = served.addresses.console.port();
    for (host, origin, status) in [
        ("host.example", "https://host.example", 200),
        ("host.example:443", "https://host.example", 200),
        (&*format!("127.0.0.1:{port}"), "https://host.example", 200),
        ("host.example", "https://other.example", 403),
        ("host.example", "https://host.example:8443", 403),
        ("other.example", "https://host.example", 403),
    ] {
        let answer = Client::to(served.addresses.console).ask(format!(
            "POST /control/accounts/local_proxy/reset HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\n\
             Content-Length: 0\r\n\r\n"
        ));
        assert_eq!(answer.status, status, "{host} {origin}: {}", answer.body);
    }
}
