//! The page that foretells what calls will cost: of those that are kept at an address, of a file or a mix from a form.

use super::super::control::Ruled;
use super::{FORM, PAN};

/// The head of the result: what it comes to, and how long the wallet lasts.
fn told(page: &str) -> String {
    let section = page.split("<section class=\"notice\">").nth(1);
    let section = section.and_then(|it| it.split("</section>").next());
    let mut out = String::new();
    let mut is_tag = false;
    for character in section.unwrap_or("nothing").chars() {
        match character {
            '<' => is_tag = true,
            '>' => {
                is_tag = false;
                out.push(' ');
            }
            other if !is_tag => out.push(other),
            _ => {}
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn kept_calls_are_foretold_at_an_address_and_calls_lead_there() {
    let ruled = Ruled::new();
    ruled.call("svc_live_local", PAN, r#"{"pan":"AAAAA0000A"}"#);
    ruled.call("svc_live_local", PAN, r#"{"pan":"ZZZZZ0000Z"}"#);
    let calls = ruled.get("/calls?account=local").body;
    assert!(
        calls.contains("href=\"/forecast?account=local\""),
        "{calls}"
    );
    let page = ruled.get("/forecast?account=local&span=1d&wallet=100&from=2027-02-01");
    assert_eq!(page.status, 200, "{}", page.body);
    insta::assert_snapshot!(told(&page.body), @"75.00 INR in 30 days 60 calls: 30 are billed, 0 of them since there is no record; 30 cost nothing. 100 INR run dry on 2027-03-12 at 00:00 UTC (day 40): call 80 is refused, verify.identity.pan for 2.5 INR where 0 INR are left");
    assert!(
        page.body.contains("<rect x=\"0\" y=\"0\" width=\"100.0\""),
        "{}",
        page.body
    );
    let all = ruled.get("/forecast?account=&span=1d").body;
    insta::assert_snapshot!(told(&all), @"75.00 INR in 30 days 60 calls: 30 are billed, 0 of them since there is no record; 30 cost nothing.");
    let linked = ruled.get("/forecast?account=local");
    assert_eq!(
        (linked.status, told(&linked.body).as_str()),
        (200, "nothing")
    );
    assert!(
        linked.body.contains("name=\"account\" value=\"local\""),
        "{}",
        linked.body
    );
    assert!(!linked.body.contains("role=\"alert\""), "{}", linked.body);
    assert_eq!(ruled.get("/forecast?account=local&span=").status, 400);
    let empty = ruled.get("/forecast");
    assert_eq!((empty.status, told(&empty.body).as_str()), (200, "nothing"));
}

#[test]
fn a_mix_or_a_file_is_foretold_and_what_was_typed_stays() {
    let ruled = Ruled::new();
    let send = |fields: &[(&str, &str)]| {
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.extend_pairs(fields);
        ruled.raw("POST", "/forecast", FORM, &form.finish())
    };
    let mix = "[[calls]]\r\nendpoint = \"verify.identity.pan\"\r\nper_day = 100\r\n";
    let page = send(&[
        ("kind", "mix"),
        ("text", mix),
        ("days", "31"),
        ("prices", ""),
    ]);
    assert_eq!(page.status, 200, "{}", page.body);
    insta::assert_snapshot!(told(&page.body), @"7750.00 INR in 31 days 3100 calls: 3100 are billed, 0 of them since there is no record; 0 cost nothing.");
    assert!(page.body.contains("per_day = 100"), "{}", page.body);
    let line = r#"{"path":"/v1/verify/identity/pan","status":"completed"}"#;
    let page = send(&[
        ("kind", "traffic"),
        ("text", line),
        ("callsPerMonth", "1000"),
    ]);
    insta::assert_snapshot!(told(&page.body), @"2500.00 INR in 30 days 1000 calls: 1000 are billed, 0 of them since there is no record; 0 cost nothing.");
    // A file that is chosen counts before the text.
    let part = |name: &str, value: &str| {
        format!("--x1\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let file = "--x1\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n";
    let body = part("kind", "traffic")
        + &part("text", mix)
        + &part("span", "30d")
        + file
        + line
        + "\r\n--x1--\r\n";
    let headers = "Host: localhost\r\nContent-Type: multipart/form-data; boundary=x1\r\n";
    let page = ruled.raw("POST", "/forecast", headers, &body);
    insta::assert_snapshot!(told(&page.body), @"2.50 INR in 30 days 1 calls: 1 are billed, 0 of them since there is no record; 0 cost nothing.");
    for (refused, typed) in [
        (send(&[("kind", "mix"), ("text", "[[call]]")]), "[[call]]"),
        (
            send(&[("kind", "traffic"), ("text", line)]),
            "/v1/verify/identity/pan",
        ),
        (
            send(&[("kind", "mix"), ("text", mix), ("days", "x")]),
            "value=\"x\"",
        ),
    ] {
        assert_eq!(refused.status, 400, "{}", refused.body);
        assert!(refused.body.contains("role=\"alert\""), "{}", refused.body);
        assert!(refused.body.contains(typed), "{}", refused.body);
    }
    let stranger = format!("{FORM}Origin: http://evil.example\r\n");
    assert_eq!(
        ruled.raw("POST", "/forecast", &stranger, "kind=mix").status,
        403
    );
}
