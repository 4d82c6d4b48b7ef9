//! Stores that earlier versions wrote are read, and go on. `tests/stores/` has one of each form with what its
//! simulator had answered. `SVC_WRITE_STORE=1` writes that of today's form there.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use svc_test_support::{Folder, free_address};

use super::WORKS;
use super::store::{Kept, PAN, told};

const UAN: &str = "/v1/verify/employment/uan";
const REPORT: &str = "/v1/verify/financial/credit-report";
const REPORT_BODY: &str = r#"{"pan": "AAAAA0000A", "mobile": "9000000001", "name": "Asha Rao",
"dateOfBirth": "15/08/1990", "consentArtifact": {"timestamp": "2027-01-15T07:59:00Z", "ip": "203.0.113.7", "messageId": "m-1"}}"#;
const SLOW: &str = r#"{"uan": "100000000202"}"#;

fn stores() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stores")
}

/// Lives, and leaves a store and what was answered in a folder.
fn live(folder: &Folder) -> Value {
    // Little is kept, so that the file is small; all that is written makes a snapshot.
    let kept = Kept::start(folder, &["--keep-calls", "20"]);
    let mut answers = Vec::new();
    let mut ask = |account: &str, idempotency: &str, path: &str, body: &str| {
        let key = format!("svc_live_{account}");
        let answer = kept.call(&key, idempotency, path, body);
        assert!(matches!(answer.status, 200 | 202 | 422), "{answer:?}");
        answers.push(json!({
            "key": key, "idempotency": idempotency, "path": path, "request": body, "answer": answer.body,
        }));
        answer.json()
    };
    ask(
        "local",
        "first",
        PAN,
        r#"{"pan": "AAAAA0000A", "name": "Asha Rao"}"#,
    );
    ask("local", "report", REPORT, &REPORT_BODY.replace('\n', ""));
    ask("local", "none", PAN, r#"{"pan": "AAAAA0422A"}"#);
    let nobody =
        json!({"url": format!("http://{}/hook", free_address()), "secret": "whsec_sample"});
    kept.control(
        "PUT /control/accounts/local_due/webhook",
        &nobody.to_string(),
    );
    kept.control(
        "POST /control/accounts/local_due/clock",
        r#"{"freeze": true}"#,
    );
    let due = ask("local_due", "due", UAN, SLOW)["verificationId"].clone();
    kept.control(
        "POST /control/accounts/local_due/clock",
        r#"{"advance": "26s"}"#,
    );
    kept.control(
        "POST /control/accounts/local_open/clock",
        r#"{"freeze": true}"#,
    );
    let open = ask("local_open", "open", UAN, SLOW)["verificationId"].clone();
    let rotate = r#"{"environment": "live"}"#;
    let rotated = kept.control("POST /control/accounts/local_key/keys/rotate", rotate);
    for number in 0..800 {
        let body = format!(r#"{{"pan": "ABCPK{:04}L"}}"#, 1000 + number);
        let answer = kept.call("svc_live_local_much", &format!("much {number}"), PAN, &body);
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    let last = format!(r#"{{"pan": "ABCPK{:04}L"}}"#, 1000 + 799);
    ask("local_much", "much 799", PAN, &last);
    kept.stop();
    json!({"answers": answers, "due": due, "open": open, "rotated": rotated["key"]})
}

/// Lets a store's clock show ten minutes after it began, however long ago that was: what an answer is replayed
/// for ends after a day.
fn wake(store: &Path) {
    let began = "UPDATE settings SET value = json_set(value, '$.began', \
        strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-600 seconds')) WHERE name = 'clock'";
    let store = rusqlite::Connection::open(store).expect(WORKS);
    assert_eq!(store.execute(began, []).expect(WORKS), 1);
}

/// A simulator of today goes on with a store.
fn goes_on(store: &Path, said: &Value) {
    let folder = Folder::new("form");
    let kept = folder.path().join("kept.db");
    fs::copy(store, &kept).expect(WORKS);
    wake(&kept);
    let kept = Kept::start(&folder, &["--keep-calls", "20"]);
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    for told in said["answers"].as_array().expect("a list") {
        let [key, idempotency, path, request] =
            ["key", "idempotency", "path", "request"].map(|name| text(&told[name]));
        let again = kept.call(&key, &idempotency, &path, &request);
        assert_eq!(again.body, text(&told["answer"]), "{told}");
        assert_eq!(again.header("idempotent-replay"), Some("true"), "{told}");
    }
    let deliveries = kept.control("GET /control/deliveries?account=local_due", "");
    let delivery = &deliveries["deliveries"][0];
    assert_eq!(delivery["verificationId"], said["due"], "{deliveries}");
    assert_eq!(delivery["state"], "due", "{deliveries}");
    assert_eq!(
        delivery["attempts"].as_array().map(Vec::len),
        Some(1),
        "{deliveries}"
    );
    kept.control(
        "POST /control/accounts/local_open/clock",
        r#"{"advance": "26s"}"#,
    );
    let ended = kept.look_up("svc_live_local_open", &text(&said["open"]));
    assert_eq!(ended.json()["status"], "completed", "{ended:?}");
    let body = r#"{"pan": "AAAAA0000A"}"#;
    assert_eq!(
        kept.call(&text(&said["rotated"]), "new", PAN, body).status,
        200
    );
    let audit = kept.control("GET /control/audit?account=local", "");
    // The report, and its replay just now.
    assert_eq!(
        audit["accesses"].as_array().map(Vec::len),
        Some(2),
        "{audit}"
    );
    // 800 calls, the one above among them.
    let much = kept.control("GET /control/accounts/local_much", "");
    assert_eq!(much["live"]["charged"], json!(2000), "{much}");
    kept.stop();
    let (code, stdout, stderr) = told(&folder, &["store", "check", "sqlite:kept.db"]);
    assert_eq!(code, Some(0), "{stdout}{stderr}");
}

#[test]
fn a_store_that_this_version_writes_goes_on() {
    let folder = Folder::new("today");
    let said = live(&folder);
    let copy = folder.path().join("copy.db");
    let (code, _, stderr) = told(&folder, &["store", "backup", "sqlite:kept.db", "copy.db"]);
    assert_eq!(code, Some(0), "{stderr}");
    let snapshots = rusqlite::Connection::open(&copy).expect(WORKS);
    let count = "SELECT count(*) FROM snapshots";
    let count: i64 = snapshots
        .query_row(count, [], |row| row.get(0))
        .expect(WORKS);
    assert_eq!(count, 1, "the account of many calls has one");
    drop(snapshots);
    goes_on(&copy, &said);
    if std::env::var_os("SVC_WRITE_STORE").is_some() {
        let (code, stdout, _) = told(&folder, &["store", "migrate", "sqlite:copy.db"]);
        let form = stdout
            .split(' ')
            .nth(4)
            .map(|form| form.trim_end_matches(','));
        let (form, stores) = (form.expect("a form"), stores());
        assert_eq!(code, Some(0), "{stdout}");
        fs::create_dir_all(&stores).expect(WORKS);
        fs::copy(&copy, stores.join(format!("form-{form}.db"))).expect(WORKS);
        let said = format!("{said:#}\n");
        fs::write(stores.join(format!("form-{form}.json")), said).expect(WORKS);
    }
}

#[test]
fn the_stores_of_all_forms_go_on() {
    for form in 1..=4 {
        let said = fs::read_to_string(stores().join(format!("form-{form}.json")));
        let said = serde_json::from_str(&said.expect("it is committed")).expect("JSON");
        goes_on(&stores().join(format!("form-{form}.db")), &said);
    }
}
