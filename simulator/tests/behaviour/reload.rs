//! Scenarios that are edited while calls run: no call is lost, each answer is of one version, and an
//! edit with mistakes changes nothing.

use std::fs;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use svc_fixtures::json::Json;
use svc_fixtures::reading::Source;
use svc_simulator::engine::call::request::{Body, Call, Environment, Header, Headers};
use svc_simulator::engine::call::rules::{Files, Rules};
use svc_simulator::engine::state::ids::Seed;
use svc_simulator::host::clock::Clock;
use svc_simulator::host::reload::{FileWatcher, ReadFiles, UnreadableFiles, reload_on_change};
use svc_simulator::host::{Host, HostConfig};
use svc_simulator::scenario::{accounts, read_accounts};
use svc_test_support::Folder;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::scene::PAN;

const EDITS: u64 = 300;
const CALLERS: u64 = 4;

/// Its number is said by what `prepare` prints and by what `decide` adds.
fn edit(number: u64) -> Vec<Arc<Source>> {
    let text = format!(
        "[[scenario]]\nname = \"edited\"\noperation = \"verify.identity.pan\"\n\
         then = {{ success = {{ nameOnPan = \"{number}\" }}, provider = \"{number}\" }}\n"
    );
    vec![Source::new("folder/edited.toml", text)]
}

/// The name and the provider of an answer.
async fn called(host: &Arc<Host>, key: &str) -> (String, String) {
    let key = format!("Bearer {key}");
    let reply = host
        .answer(&Call {
            environment: Environment::Test,
            peer: IpAddr::from([127, 0, 0, 1]),
            method: "POST",
            path: PAN,
            query: "",
            headers: Headers {
                authorization: Header::One(key.as_bytes()),
                content_type: Header::One(b"application/json"),
                ..Headers::default()
            },
            body: Body::Whole(br#"{"pan": "AAAAA0000A"}"#),
        })
        .await;
    assert_eq!(reply.status, 200);
    let envelope = Json::parse(&reply.body).expect("an envelope");
    let text = |part: &str, name: &str| {
        let value = envelope.get(part).and_then(|part| part.get(name));
        value.and_then(Json::as_text).unwrap_or_default().to_owned()
    };
    (text("data", "nameOnPan"), text("meta", "provider"))
}

fn host(files: &[Arc<Source>]) -> Arc<Host> {
    let rules = Rules::read(&Files::built_in(), Seed::new("")).expect("the built-in files");
    let rules = rules.with_scenarios_replaced(files).expect("a good edit");
    let accounts = read_accounts(&accounts()).expect("the built-in accounts");
    Host::new(rules, accounts, HostConfig::new(Clock::machine())).expect("no journal")
}

/// Calls until the end; every answer is of one version, and never of one before the last.
async fn call_until(host: Arc<Host>, key: String, end: Arc<AtomicBool>, calls: Arc<AtomicU64>) {
    let mut latest = 0;
    while !end.load(Ordering::SeqCst) {
        let (name, provider) = called(&host, &key).await;
        assert_eq!(name, provider, "one answer of two versions");
        let version: u64 = name.parse().expect("a version");
        assert!(version >= latest, "{version} after {latest}");
        latest = version;
        calls.fetch_add(1, Ordering::SeqCst);
        tokio::task::yield_now().await;
    }
}

#[test]
fn hundreds_of_edits_under_load_lose_no_call_and_mix_no_answer() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .build()
        .unwrap();
    runtime.block_on(async {
        let host = host(&edit(0));
        let (end, calls) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicU64::new(0)),
        );
        let caller = |number: u64| {
            let key = format!("svc_test_local_{number}");
            let (end, calls) = (Arc::clone(&end), Arc::clone(&calls));
            tokio::spawn(call_until(Arc::clone(&host), key, end, calls))
        };
        let callers: Vec<_> = (0..CALLERS).map(caller).collect();
        for number in 1..=EDITS {
            let before = calls.load(Ordering::SeqCst);
            let version = host.reload_status().version;
            if number % 3 == 0 {
                let bad = [Source::new(
                    "folder/edited.toml",
                    "[[scenario]]\nname = 1\n",
                )];
                assert!(host.replace_scenarios(&bad).is_err());
                assert_eq!(host.reload_status().version, version);
            } else {
                assert_eq!(host.replace_scenarios(&edit(number)).unwrap(), version + 1);
            }
            // Each edit meets calls.
            while calls.load(Ordering::SeqCst) < before + 2 {
                tokio::task::yield_now().await;
            }
        }
        end.store(true, Ordering::SeqCst);
        for caller in callers {
            caller
                .await
                .expect("every call is answered, and by one version");
        }
        assert_eq!(host.reload_status().version, 1 + EDITS - EDITS / 3);
    });
}

#[test]
fn what_was_added_for_an_account_stays_before_what_is_edited() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let host = host(&edit(0));
        let cell = host.account("local_own").unwrap().unwrap();
        let own = edit(1_000_000)[0].text.replace("\"edited\"", "\"own\"");
        let id = host.add_scenarios(&cell, &own).unwrap();
        host.replace_scenarios(&edit(1)).unwrap();
        assert_eq!(called(&host, "svc_test_local_own").await.0, "1000000");
        assert_eq!(called(&host, "svc_test_local_other").await.0, "1");
        assert!(host.remove_scenarios(&cell, Some(&id)).unwrap());
        assert_eq!(called(&host, "svc_test_local_own").await.0, "1");
        host.replace_scenarios(&edit(2)).unwrap();
        assert_eq!(called(&host, "svc_test_local_own").await.0, "2");
    });
}

#[test]
fn a_bad_edit_is_reported_until_a_good_one_takes_its_place() {
    let host = host(&edit(0));
    let bad = [Source::new(
        "folder/edited.toml",
        "[[scenario]]\nname = 1\n",
    )];
    let message = host.replace_scenarios(&bad).unwrap_err().to_string();
    let refused = host.reload_status().failure.unwrap();
    assert_eq!(
        (refused.message, host.reload_status().version),
        (message, 1)
    );
    host.replace_scenarios(&edit(1)).unwrap();
    assert_eq!(
        (host.reload_status().failure, host.reload_status().version),
        (None, 2)
    );
}

#[tokio::test]
async fn an_edit_of_the_people_changes_what_other_files_say_of_them() {
    let rules = "[[scenario]]\nname = \"hers\"\noperation = \"verify.identity.pan\"\n\
                 when = { who = \"asha\" }\nthen = { success = {}, provider = \"$asha.name\" }\n";
    let files = |pan: &str, name: &str| {
        let people = format!("[person.asha]\npan = \"{pan}\"\nname = \"{name}\"\n");
        [
            Source::new("folder/a.toml", rules),
            Source::new("folder/people.toml", people),
        ]
    };
    let host = host(&files("AAAAA0000A", "ASHA RAO"));
    let said = |name: &str| (name.to_owned(), name.to_owned());
    assert_eq!(called(&host, "svc_test_local").await, said("ASHA RAO"));
    let edited = host.replace_scenarios(&files("AAAAA0000A", "ASHA IYER"));
    edited.expect("a good edit");
    assert_eq!(called(&host, "svc_test_local").await, said("ASHA IYER"));
    let nobody = [Source::new("folder/a.toml", rules)];
    assert!(host.replace_scenarios(&nobody).is_err());
    assert_eq!(called(&host, "svc_test_local").await, said("ASHA IYER"));
}

/// A host that follows files in this way, and a message for each time that they were read. It ends with the guard.
fn following(
    watcher: FileWatcher,
    read: impl Fn(&mut dyn FnMut(&Path)) -> ReadFiles + Clone + Send + 'static,
) -> (UnboundedReceiver<()>, DropGuard) {
    let (tell, told) = unbounded_channel();
    let read = move |note: &mut dyn FnMut(&Path)| {
        // Whoever counts may have seen enough.
        let _told = tell.send(());
        read(note)
    };
    let (stop, first) = (CancellationToken::new(), edit(0));
    let reload = reload_on_change(host(&first), watcher, first, read, stop.clone());
    tokio::spawn(reload);
    (told, stop.drop_guard())
}

#[tokio::test(start_paused = true)]
async fn who_looks_in_intervals_looks_first_after_the_first_of_them() {
    let hour = Duration::from_hours(1);
    let began = tokio::time::Instant::now();
    let (mut looks, _guard) = following(FileWatcher::polling(hour), |_| Ok(edit(1)));
    for look in 1..=2 {
        looks.recv().await.unwrap();
        assert_eq!(began.elapsed(), look * hour);
    }
}

#[tokio::test(start_paused = true)]
async fn a_folder_that_was_gone_when_it_was_to_be_followed_is_looked_for_although_it_is_the_same() {
    let folder = Folder::new("reload-gone");
    let paths = ["scenarios", "away"].map(|name| folder.path().join(name));
    fs::create_dir(&paths[0]).unwrap();
    let watcher = FileWatcher::notified(&paths[..1]).unwrap();
    let (mut looks, _guard) = following(watcher, move |note| {
        fs::rename(&paths[0], &paths[1]).unwrap();
        note(&paths[0]);
        fs::rename(&paths[1], &paths[0]).unwrap();
        Err(UnreadableFiles("it is gone".to_owned()))
    });
    // What is told of the folder above is not waited for: nobody follows that.
    for _ in 0..3 {
        let hour = Duration::from_hours(1);
        let look = tokio::time::timeout(hour, looks.recv()).await;
        assert!(look.is_ok(), "nobody looks for it any more");
    }
}
