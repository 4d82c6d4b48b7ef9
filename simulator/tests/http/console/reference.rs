//! The reference: errors, operations, fixed inputs, and the explanation of a typed input.

use super::super::control::Ruled;
use super::FORM;

#[test]
fn every_error_stands_in_a_row_with_an_input_that_gives_it() {
    let ruled = Ruled::new();
    let table = ruled.get("/control/errors").json();
    let errors = table["errors"].as_array().expect("a list");
    assert_eq!(errors.len(), 14, "{table:#}");
    let page = ruled.get("/errors").body;
    for row in errors {
        let code = row["code"].as_str().expect("a code");
        let shown = page
            .split("<tr>")
            .find(|it| it.contains(&format!("<code class=\"whole\">{code}</code>")));
        let shown = shown.expect("a row");
        for (name, column) in [
            ("retryable", "Try again"),
            ("billed", "Charged on live"),
            ("outcome", "By scenario"),
        ] {
            let said = if row[name] == true { "yes" } else { "no" };
            let cell = format!("<td data-label=\"{column}\">{said}</td>");
            assert!(shown.contains(&cell), "{code}: {cell}: {shown}");
        }
        assert!(
            shown.contains(&format!(">{}</td>", row["status"])),
            "{shown}"
        );
        // No single operation has an input for what is not found.
        assert_eq!(
            shown.contains("href=\"/try/"),
            code != "SVC_NOT_FOUND",
            "{shown}"
        );
    }
}

#[test]
fn an_input_on_the_page_of_errors_gives_the_error() {
    let ruled = Ruled::new();
    let page = ruled.get("/errors").body;
    for (code, status) in [
        ("SVC_SOURCE_TIMEOUT", 504),
        ("SVC_INVALID_INPUT", 400),
        ("SVC_NO_RECORD_FOUND", 422),
    ] {
        let row = page
            .split("<tr>")
            .find(|it| it.contains(&format!("<code class=\"whole\">{code}</code>")))
            .expect("a row");
        let link = row
            .split("href=\"")
            .nth(1)
            .and_then(|it| it.split('"').next())
            .expect("a link");
        let (form, query) = link.split_once('?').expect("a query");
        let query = query.replace("&amp;", "&");
        let body = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "body");
        let (_, body) = body.expect("a body");
        let rest: String = form_urlencoded::byte_serialize(body.as_bytes()).collect();
        let answer = ruled.raw(
            "POST",
            form,
            FORM,
            &format!("account=local&environment=test&rest={rest}"),
        );
        assert!(
            answer.body.contains(&format!("Answer: {status}")),
            "{code}: {}",
            answer.body
        );
    }
}

#[test]
fn every_operation_has_its_price_path_and_form() {
    let ruled = Ruled::new();
    let all = ruled.get("/control/operations").json();
    let page = ruled.get("/operations").body;
    for row in ["operations", "bundles"]
        .iter()
        .flat_map(|name| all[*name].as_array().expect("a list"))
    {
        let [id, path] = ["id", "path"].map(|name| row[name].as_str().expect("a text"));
        let shown = page
            .split("<tr>")
            .find(|it| it.contains(&format!("<code>{id}</code>")))
            .expect("a row");
        let price = format!(
            "<td class=\"number\" data-label=\"INR on live\">{:.2}</td>",
            row["price"].as_f64().expect("INR")
        );
        for part in [
            format!("<code>{path}</code>"),
            price,
            format!("href=\"/try/{id}\""),
        ] {
            assert!(shown.contains(&part), "{part}: {shown}");
        }
    }
    for link in ["/errors", "/inputs", "/docs/", "/openapi.json"] {
        assert!(page.contains(&format!("href=\"{link}\"")), "{link}");
        assert_eq!(ruled.get(link).status, 200, "{link}");
    }
}

#[test]
fn a_typed_input_is_explained_at_an_address_and_nothing_is_called() {
    let ruled = Ruled::new();
    let body = "%7B%22pan%22%3A%22AAAAA0504A%22%7D";
    let page = ruled.get(&format!(
        "/scenarios/explain?account=local&operation=verify.identity.pan&body={body}"
    ));
    for part in [
        "it is answered 504 SVC_SOURCE_TIMEOUT",
        "The rule that decides",
        "the last digits are the status: 504",
        "&quot;AAAAA0504A&quot;",
    ] {
        assert!(page.body.contains(part), "{part}: {}", page.body);
    }
    let form = "account=local&environment=test&field.pan=AAAAA9999A&action=explain";
    let page = ruled
        .raw("POST", "/try/verify.identity.pan", FORM, form)
        .body;
    assert!(
        page.contains("PAN that does not exist") && page.contains("value=\"AAAAA9999A\""),
        "{page}"
    );
    assert!(super::calls(&ruled, "local").is_empty());
    for (query, status) in [
        ("operation=nothing", 404),
        ("operation=verify.identity.pan&body=%7B", 400),
        ("account=nobody&operation=verify.identity.pan", 404),
    ] {
        let refused = ruled.get(&format!("/scenarios/explain?{query}"));
        assert_eq!(refused.status, status, "{query}");
        assert!(refused.body.contains("role=\"alert\""), "{}", refused.body);
    }
}

#[test]
fn rules_that_decided_nothing_are_marked_and_files_stand_in_their_folders() {
    let ruled = Ruled::new();
    ruled.call("svc_test_local", super::PAN, r#"{"pan":"AAAAA9999A"}"#);
    let list = ruled.get("/scenarios").body;
    assert!(
        list.contains("Folder <code>(built in) scenarios</code>"),
        "{list}"
    );
    let files = ruled.get("/control/scenarios/files").json();
    let files = files["files"].as_array().expect("a list").iter();
    let order: Vec<Option<usize>> = files
        .map(|it| {
            list.find(&format!(
                ">{}</a>",
                it["file"]
                    .as_str()
                    .expect("a file")
                    .rsplit('/')
                    .next()
                    .expect("a name")
            ))
        })
        .collect();
    assert!(
        order.iter().all(Option::is_some) && order.is_sorted(),
        "{order:?}"
    );
    let file = ruled
        .get("/scenarios/file?file=(built%20in)%20scenarios/universal.toml")
        .body;
    let section = |name: &str| {
        file.split("<section")
            .find(|it| it.contains(name))
            .expect("a rule")
            .to_owned()
    };
    assert!(!section("PAN that does not exist").contains("decided no call yet"));
    assert!(section("PAN that does not exist").contains("id=\"line-"));
    assert!(section("the last digits are the status").contains("decided no call yet"));
}

#[test]
fn the_lines_of_the_first_page_lead_to_a_signed_webhook() {
    let ruled = Ruled::new();
    let page = ruled.get("/").body;
    let line = |id: &str| {
        let text = page
            .split(&format!("<pre id=\"{id}\" tabindex=\"0\">"))
            .nth(1);
        let text = text
            .and_then(|it| it.split("</pre>").next())
            .expect("a line");
        text.replace("&quot;", "\"").replace("&#39;", "'")
    };
    let hook = r#"{"url": "http://127.0.0.1:9/", "secret": "whsec_sample"}"#;
    ruled.put("/control/accounts/local/webhook", hook);
    for (id, base, status) in [
        ("first-call", ruled.served.addresses.sandbox, 200),
        ("later-call", ruled.served.addresses.sandbox, 202),
        ("first-clock", ruled.served.addresses.console, 200),
    ] {
        let line = line(id);
        let path = line
            .split(&format!("http://{base}"))
            .nth(1)
            .expect("the real address");
        let path = path.split(' ').next().expect("a path");
        let body = line
            .split("-d '")
            .nth(1)
            .and_then(|it| it.strip_suffix('\''))
            .expect("a body");
        let answer = match id {
            "first-clock" => ruled.post(path, body),
            _ => {
                assert!(line.contains("Bearer svc_test_local'"), "{line}");
                ruled.call("svc_test_local", path, body)
            }
        };
        assert_eq!(answer.status, status, "{line}: {}", answer.body);
    }
    let all = ruled.get("/control/deliveries?account=local").json();
    let delivered = &all["deliveries"][0];
    assert_eq!(delivered["state"], "delivered", "{all:#}");
    assert!(delivered["attempts"][0]["signature"].is_string(), "{all:#}");
}
