//! What people read of a SQLite store: each query of the book tells what its simulator would, before and after a
//! snapshot has the place of entries, and while those have not gone yet.

use std::path::Path;

use rusqlite::Connection;
use rusqlite::types::Value;
use svc_test_support::Folder;

use super::WORKS;
use super::store::{Kept, told};

/// A copy of the store that `tests/stores` keeps of today's form: calls of several accounts, of one so many that a
/// snapshot stands for most of them, one that waits, and a webhook that nobody took.
fn store(folder: &Folder) -> Connection {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stores/form-4.db");
    let copy = folder.path().join("kept.db");
    std::fs::copy(kept, &copy).expect(WORKS);
    Connection::open(copy).expect(WORKS)
}

/// The book's queries, in its order.
fn queries() -> Vec<&'static str> {
    let page = include_str!("../../../docs/src/operate/store.md");
    let blocks = page.split("```sql,store=accounts.db\n").skip(1);
    let blocks = blocks.filter_map(|block| block.split("```").next());
    blocks.collect()
}

fn rows(database: &Connection, query: &str) -> Vec<Vec<String>> {
    let read = || {
        let mut read = database.prepare(query)?;
        let columns = read.column_count();
        let rows = read.query_map([], |row| {
            let texts = (0..columns).map(|at| {
                Ok(match row.get::<_, Value>(at)? {
                    Value::Null => "-".to_owned(),
                    Value::Integer(number) => number.to_string(),
                    Value::Real(number) => number.to_string(),
                    Value::Text(text) => text,
                    Value::Blob(_) => "blob".to_owned(),
                })
            });
            texts.collect()
        })?;
        rows.collect::<rusqlite::Result<_>>()
    };
    read().unwrap_or_else(|error| panic!("{query}: {error}"))
}

/// What all of them tell, without what differs from one store to the next.
fn all(database: &Connection) -> String {
    let [newest, waiting, spent, wallets, untaken] = queries()[..] else {
        panic!("five queries");
    };
    let of = |rows: Vec<Vec<String>>, columns: &[usize]| {
        let row = |row: &Vec<String>| {
            let picked = columns.iter().map(|at| row[*at].as_str());
            picked.collect::<Vec<_>>().join(" ")
        };
        rows.iter().map(row).collect::<Vec<_>>().join("\n")
    };
    let newest = rows(database, newest);
    assert_eq!(newest.len(), 20);
    // Each call of that account came after the one before it.
    let numbers = newest.iter().filter_map(|row| row[6].strip_prefix("much "));
    let numbers: Vec<u32> = numbers
        .map(|number| number.parse().expect("a number"))
        .collect();
    assert!(numbers.is_sorted_by(|a, b| a > b), "{numbers:?}");
    let used = wallets.replace("FROM wallets", "FROM wallets WHERE charged + held > 0");
    [
        of(newest[..1].to_vec(), &[1, 2, 3, 4, 5, 6]),
        of(rows(database, waiting), &[0, 2]),
        of(rows(database, spent), &[0, 1, 2, 3]),
        of(rows(database, &used), &[0, 1, 2, 3, 4, 5]),
        of(rows(database, untaken), &[0, 3, 4]),
    ]
    .join("\n\n")
}

const ALL: &str = "local_much live verify.identity.pan completed - much 799

local_open verify.employment.uan

local_much verify.identity.pan 800 2000
local verify.financial.credit-report 1 100
local_due verify.employment.uan 1 40
local verify.identity.pan 2 5

local live 99895 0 105 100000
local_due live 99960 0 40 100000
local_much live 98000 0 2000 100000
local_open live 100000 40 0 100000

local_due 1 connection refused";

#[test]
fn each_query_of_the_book_tells_what_was_done() {
    let folder = Folder::new("views");
    assert_eq!(all(&store(&folder)), ALL);
}

#[test]
fn entries_that_a_snapshot_has_the_place_of_are_seen_by_nobody_and_go() {
    let folder = Folder::new("views");
    let database = store(&folder);
    let left = "INSERT INTO entries (account, number, digest, entry) SELECT account, number - 80, digest, entry FROM entries
        WHERE account = 'local_much' AND number < 795";
    assert_eq!(database.execute(left, []), Ok(80));
    assert_eq!(all(&database), ALL);
    let check = || told(&folder, &["store", "check", "sqlite:kept.db"]);
    let (code, stdout, stderr) = check();
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    let over = "SELECT count(*) FROM entries JOIN snapshots USING (account)
        WHERE entries.number <= snapshots.number";
    assert_eq!(rows(&database, over), [["80"]]);
    drop(database);
    let kept = Kept::start(&folder, &[]);
    let much = kept.control("GET /control/accounts/local_much", "");
    assert_eq!(much["live"]["charged"], 2000, "{much}");
    kept.stop();
    let database = Connection::open(folder.path().join("kept.db")).expect(WORKS);
    assert_eq!(rows(&database, over), [["0"]]);
    assert_eq!(check().0, Some(0));
}
