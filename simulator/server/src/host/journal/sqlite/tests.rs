//! An account that has ended is gone at once, and its entries a few at a time, whenever the writing stops in between.

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;

use super::super::{Commit, Journal as _, Version};
use super::SqliteJournal;
use super::care::check;
use super::file::StoreFile;
use super::writer::{StoreChange, Versions, Writer};
use crate::engine::call::request::Environment;
use crate::engine::state::account::Settings;
use crate::engine::state::entry::Entry;

/// What a thread would write with, after a start on this file.
fn started(path: &Path) -> Writer {
    let file = StoreFile::open(path).expect("a store");
    let places = file.places().expect("it is read");
    Writer {
        file,
        versions: Versions::default(),
        metrics: Arc::default(),
        readiness: Arc::default(),
        has_failed: false,
        places,
    }
}

fn account() -> Arc<str> {
    Arc::from("local")
}

/// So many entries of an account that is new, and where they lead.
fn entries(count: i64) -> (Vec<(Version, String)>, Version) {
    let mut version = Version::NONE;
    let texts = (0..count).map(|number| {
        let entry = Entry {
            at: Timestamp::from_millisecond(number).expect("a time"),
            environment: Environment::Test,
            changes: Vec::new(),
        };
        let text = entry.to_json();
        version = version.after(&text);
        (version, text)
    });
    (texts.collect(), version)
}

fn appended(entries: Vec<(Version, String)>) -> (StoreChange, Commit) {
    let (unwritten, commit) = Commit::taken();
    let change = StoreChange::Append {
        account: account(),
        after: Version::NONE,
        entries,
        unwritten,
    };
    (change, commit)
}

/// A store with an account of so many entries that has just ended.
fn ended(path: &Path, count: i64) -> Writer {
    let mut writer = started(path);
    let (entries, after) = entries(count);
    writer.write(vec![appended(entries).0]);
    let (unwritten, commit) = Commit::taken();
    writer.write(vec![StoreChange::Close {
        account: account(),
        after,
        unwritten,
    }]);
    assert!(commit.is_written());
    writer
}

/// How many rows there are: all entries, those that people see, and accounts that have ended.
fn rows(writer: &Writer) -> [i64; 3] {
    ["entries", "entries_since", "ended"].map(|table| {
        let count = format!("SELECT count(*) FROM {table}");
        let counted = writer
            .file
            .connection
            .query_row(&count, [], |row| row.get(0));
        counted.expect("it is counted")
    })
}

fn is_gone(writer: &Writer, path: &Path) -> bool {
    let report = check(path, &Settings::default()).expect("it is read");
    assert_eq!(report.damage, Vec::<String>::new());
    let read = writer
        .file
        .read(&account(), &writer.places)
        .expect("it is read");
    read.is_none() && report.accounts == 0 && writer.file.accounts().expect("a list").is_empty()
}

#[test]
fn an_account_that_ended_is_gone_after_every_stop_while_its_entries_go_a_few_at_a_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("kept.db");
    let mut writer = ended(&path, 600);
    for left in [600, 344, 88] {
        assert_eq!(rows(&writer), [left, 0, 1]);
        assert!(is_gone(&writer, &path));
        // As after a stop just then: what is left is known from the file.
        drop(writer);
        writer = started(&path);
        assert!(is_gone(&writer, &path));
        writer.forget_in_peace();
    }
    assert_eq!(rows(&writer), [0, 0, 0]);
    assert!(!writer.places.has_needless());
}

#[test]
fn an_account_opened_again_at_once_has_its_own_entries_alone_while_those_before_go_a_few_at_a_time()
{
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("kept.db");
    let mut writer = ended(&path, 600);
    let (again, commit) = appended(entries(2).0);
    writer.write(vec![again]);
    assert!(commit.is_written());
    for left in [602, 346, 90, 2] {
        assert_eq!(rows(&writer), [left, 2, i64::from(left > 2)]);
        // As after a stop just then.
        drop(writer);
        writer = started(&path);
        let read = writer.file.read(&account(), &writer.places);
        assert_eq!(
            read.expect("it is read").map(|it| it.version),
            Some(entries(2).1)
        );
        writer.forget_in_peace();
    }
    assert_eq!(rows(&writer), [2, 2, 0]);
}

#[test]
fn an_account_that_ends_twice_in_one_group_leaves_nothing_and_whoever_takes_it_for_the_first_is_told()
 {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("kept.db");
    let mut writer = ended(&path, 3);
    let (again, after) = entries(2);
    let (unwritten, commit) = Commit::taken();
    let close = StoreChange::Close {
        account: account(),
        after,
        unwritten,
    };
    writer.write(vec![appended(again).0, close, appended(entries(1).0).0]);
    assert!(commit.is_written());
    assert_eq!(rows(&writer), [6, 1, 1]);
    writer.forget_in_peace();
    assert_eq!(rows(&writer), [1, 1, 0]);
    let (late, commit) = appended(entries(1).0);
    writer.write(vec![late]);
    assert!(commit.has_failed());
}

#[test]
fn an_account_that_had_ended_in_form_3_is_nobodys_before_and_after_the_store_is_renewed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("kept.db");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/stores/form-3.db");
    std::fs::copy(sample, &path).expect("a copy");
    let accounts = || {
        let report = check(&path, &Settings::default()).expect("it is read");
        assert_eq!(report.damage, Vec::<String>::new());
        report.accounts
    };
    let before = accounts();
    let connection = rusqlite::Connection::open(&path).expect("a store");
    let ends = "DELETE FROM snapshots WHERE account = 'local_much'; INSERT INTO ended VALUES ('local_much'), ('nobody')";
    connection.execute_batch(ends).expect("it ends");
    drop(connection);
    assert_eq!(accounts(), before - 1);
    let mut writer = started(&path);
    assert_eq!(accounts(), before - 1);
    let [all, seen, ended] = rows(&writer);
    assert_eq!([all - seen, ended], [87, 1]);
    writer.forget_in_peace();
    assert_eq!(rows(&writer), [seen, seen, 0]);
    assert_eq!(accounts(), before - 1);
}

#[test]
fn a_group_that_the_disk_refuses_leaves_all_entries_where_they_stood() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("kept.db");
    let mut writer = ended(&path, 3);
    let refuse = |writer: &Writer, is_on: bool| {
        let only = writer
            .file
            .connection
            .pragma_update(None, "query_only", is_on);
        only.expect("it is told");
    };
    refuse(&writer, true);
    let (again, commit) = appended(entries(2).0);
    writer.write(vec![again]);
    writer.forget_in_peace();
    assert!(commit.has_failed());
    assert!(is_gone(&writer, &path));
    refuse(&writer, false);
    let (again, commit) = appended(entries(2).0);
    writer.write(vec![again]);
    assert!(commit.is_written());
    writer.forget_in_peace();
    assert_eq!(rows(&writer), [2, 2, 0]);
    let read = writer.file.read(&account(), &writer.places);
    let version = read.expect("it is read").map(|it| it.version);
    assert_eq!(version, Some(entries(2).1));
}

#[tokio::test]
async fn a_store_that_is_given_up_is_one_file_though_somebody_still_holds_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("kept.db");
    let store = SqliteJournal::open(&path).expect("a store");
    let entry = Entry {
        at: Timestamp::UNIX_EPOCH,
        environment: Environment::Test,
        changes: Vec::new(),
    };
    let append = |after| store.append(&account(), after, std::slice::from_ref(&entry));
    let appended = append(Version::NONE).expect("it is taken");
    store.end().await.expect("it ends");
    assert!(appended.commit.is_written());
    let files = std::fs::read_dir(folder.path()).expect("a folder");
    let names = files.map(|file| file.expect("a file").file_name());
    let names: Vec<_> = names
        .filter(|name| name.to_string_lossy().starts_with("kept.db-"))
        .collect();
    assert!(names.is_empty(), "{names:?}");
    assert!(append(appended.version).is_err());
    store.end().await.expect_err("it has ended");
}
