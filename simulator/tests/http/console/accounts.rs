//! Accounts: what they spent is what the service says, and one that was exported is read again.

use serde_json::{Value, json};

use super::super::control::{ASHA, Ruled, raw};
use super::{FORM, PAN, submit};

/// The rows of a table of a page, without what stands round their texts.
fn rows(page: &str, title: &str) -> Vec<Vec<String>> {
    let table = page
        .split(&format!("aria-label=\"{title}\""))
        .nth(1)
        .expect("a table");
    let table = table.split("</table>").next().expect("its end");
    let texts = |row: &str| {
        let cells = row.split("<td").skip(1);
        let cells = cells.filter_map(|it| Some(it.split_once('>')?.1));
        let cells = cells.map(|it| it.split("</td>").next().unwrap_or_default());
        cells
            .map(|it| it.replace("<strong>", "").replace("</strong>", ""))
            .collect()
    };
    table.split("<tr>").skip(2).map(texts).collect()
}

#[test]
fn the_usage_of_a_page_is_what_the_service_says() {
    let ruled = Ruled::new();
    for (path, body) in [
        (PAN, ASHA),
        (PAN, r#"{"pan": "AAAAA9999A"}"#),
        (PAN, r#"{"pan": "AAAAA0504A"}"#),
        (
            "/v1/verify/utility/fastag",
            r#"{"vehicleNumber": "KA01AB0001"}"#,
        ),
    ] {
        ruled.call("svc_live_local", path, body);
    }
    let headers = "Host: a\r\nAuthorization: Bearer svc_live_local\r\n";
    let said = raw(ruled.served.addresses.live, "GET", "/v1/usage", headers, "").json();
    let data = &said["data"];
    let row = |name: &Value, of: &Value| {
        let counts =
            ["calls", "completed", "noRecord", "failed", "billed"].map(|it| of[it].to_string());
        let amount = format!("{:.2}", of["amount"].as_f64().expect("INR"));
        let mut row = vec![name.as_str().expect("a name").to_owned()];
        row.extend(counts);
        row.push(amount);
        row
    };
    let endpoints = data["endpoints"].as_array().expect("a list").iter();
    let mut wanted: Vec<Vec<String>> = endpoints.map(|it| row(&it["endpoint"], it)).collect();
    wanted.push(row(&"All".into(), &data["totals"]));
    assert_eq!(wanted.len(), 3, "{said:#}");
    let page = ruled.get("/accounts/local").body;
    assert_eq!(rows(&page, "Usage of live"), wanted);
}

#[test]
fn what_can_not_be_undone_is_behind_a_sentence_that_says_so() {
    let ruled = Ruled::new();
    let page = ruled.get("/accounts/local").body;
    let (before, asked) = page
        .split_once("<summary>Reset or delete it</summary>")
        .expect("a fold");
    assert!(
        !before.contains("value=\"delete\"") && !before.contains("value=\"reset\""),
        "{before}"
    );
    let fold = asked.split("</details>").next().unwrap_or_default();
    for part in [
        "nothing brings them back",
        "value=\"delete\"",
        "value=\"reset\"",
    ] {
        assert!(fold.contains(part), "{part} is not in\n{fold}");
    }
}

#[test]
fn all_accounts_are_reset_by_the_form_of_the_page_that_asks() {
    let ruled = Ruled::new();
    for key in ["svc_live_local", "svc_test_local_b"] {
        ruled.call(key, PAN, ASHA);
    }
    let listed = || ruled.get("/control/accounts").json();
    let count = listed()["accounts"].as_array().map_or(0, Vec::len);
    let asked = ruled.get("/reset").body;
    assert!(
        asked.contains(&format!("{count} accounts with 2 calls")),
        "{asked}"
    );
    let with_calls = || {
        let calls = listed().to_string();
        calls.matches(r#""live":1"#).count() + calls.matches(r#""test":1"#).count()
    };
    assert_eq!(with_calls(), 2);
    let elsewhere = format!("{FORM}Origin: http://evil.example\r\n");
    assert_eq!(ruled.raw("POST", "/reset", &elsewhere, "").status, 403);
    assert_eq!(with_calls(), 2);
    let (to, page) = submit(&ruled, "/reset", "");
    let said = format!("All {count} accounts were set back to their beginning.");
    assert!(
        to == "/accounts" && page.body.contains(&said),
        "{to}: {}",
        page.body
    );
    assert_eq!(with_calls(), 0);
}

/// A form with a file in it, as a browser sends it.
fn upload(ruled: &Ruled, file: &str, more: &[(&str, &str)]) -> crate::client::Answer {
    let mut body = String::new();
    for (name, value) in more {
        body +=
            &format!("--x1\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
    }
    body += &format!(
        "--x1\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.json\"\r\nContent-Type: application/json\r\n\r\n{file}\r\n--x1--\r\n"
    );
    let headers = "Host: localhost\r\nContent-Type: multipart/form-data; boundary=x1\r\n";
    ruled.raw("POST", "/import", headers, &body)
}

#[test]
fn an_exported_account_is_read_from_a_file_or_its_text_and_refused_where_it_is_none() {
    let ruled = Ruled::new();
    ruled.post(
        "/control/accounts",
        &json!({ "id": "alpha", "walletInr": 7 }).to_string(),
    );
    ruled.call("svc_test_alpha", PAN, ASHA);
    let file = ruled.get("/control/accounts/alpha/export").body;
    let taken = upload(&ruled, &file, &[("id", ""), ("account", "")]);
    assert_eq!(taken.status, 409, "{}", taken.body);
    assert!(taken.body.contains("role=\"alert\""), "{}", taken.body);
    let copied = upload(&ruled, &file, &[("id", "beta"), ("account", "")]);
    assert_eq!(
        (copied.status, copied.header("location")),
        (303, Some("/accounts/beta"))
    );
    let beta = ruled.get("/control/accounts/beta").json();
    assert_eq!(
        (&beta["live"]["balance"], &beta["test"]["calls"]["kept"]),
        (&json!(7), &json!(1))
    );
    ruled.delete("/control/accounts/alpha");
    let mut form = form_urlencoded::Serializer::new(String::new());
    form.append_pair("account", &file);
    let (to, page) = submit(&ruled, "/import", &form.finish());
    assert_eq!(to, "/accounts/alpha");
    assert!(
        page.body.contains("read from its file") && page.body.contains("svc_live_alpha"),
        "{}",
        page.body
    );
    let again = upload(&ruled, &file, &[("id", ""), ("replace", "true")]);
    assert_eq!(again.status, 303, "{}", again.body);
    for none in ["", "{", "{\"format\": 1}", "[1]"] {
        let refused = upload(&ruled, none, &[("id", "gamma")]);
        assert_eq!(refused.status, 400, "{none}: {}", refused.body);
        assert!(refused.body.contains("role=\"alert\""), "{none}");
    }
    let stranger = format!("{FORM}Origin: http://evil.example\r\n");
    assert_eq!(
        ruled.raw("POST", "/import", &stranger, "account=x").status,
        403
    );
}

#[test]
fn an_account_is_copied_reset_and_exported_from_its_page() {
    let ruled = Ruled::new();
    ruled.call("svc_test_local", PAN, ASHA);
    let (to, page) = submit(&ruled, "/accounts/local", "action=fork&copy=twin");
    assert_eq!(to, "/accounts/twin");
    assert!(
        page.body
            .contains("href=\"/control/accounts/twin/export\" download"),
        "{}",
        page.body
    );
    submit(&ruled, "/accounts/local", "action=reset");
    let kept = |id: &str| {
        ruled.get(&format!("/control/accounts/{id}")).json()["test"]["calls"]["kept"].take()
    };
    assert_eq!((kept("local"), kept("twin")), (json!(0), json!(1)));
    let (to, _) = submit(&ruled, "/accounts/twin", "action=delete");
    assert_eq!(
        (to.as_str(), ruled.get("/accounts/twin").status),
        ("/accounts", 404)
    );
}

#[test]
fn of_many_accounts_one_is_found_by_a_part_of_its_id() {
    let ruled = Ruled::new();
    for worker in 0..201 {
        ruled.call(&format!("svc_test_local_worker-{worker}"), PAN, ASHA);
    }
    let names = |page: &str| {
        let rows = rows(page, "Accounts").into_iter();
        rows.map(|row| row[0].clone()).collect::<Vec<_>>()
    };
    let page = ruled.get("/accounts").body;
    let all = ruled.get("/control/accounts").json()["accounts"].take();
    let all = all.as_array().map_or(0, Vec::len);
    assert_eq!(names(&page).len(), 200);
    assert!(page.contains(&format!("200 of {all} accounts")), "{page}");
    let page = ruled.get("/accounts?id=worker-20").body;
    let found = names(&page);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|link| link.contains(">local_worker-20")));
    let said = format!("2 of 2 with this in their id, of {all} accounts");
    assert!(page.contains(&said), "{page}");
}
