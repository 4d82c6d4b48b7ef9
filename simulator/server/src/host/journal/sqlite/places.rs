//! Where entries stand in the file, by their rows. The writer knows it instead of an index, which would be one page
//! more to write for nearly every entry; here an entry takes 16 bytes.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::sync::Arc;

use foldhash::fast::FixedState;
use rusqlite::{Connection, Transaction, params};

/// So many entries that nobody needs stay at least while others are written: the more of them there are, the more
/// stand side by side, and go with one page.
pub(super) const LEFT_LYING: usize = 4096;

/// Where the entries of all accounts stand.
#[derive(Default)]
pub(super) struct Places {
    accounts: HashMap<Arc<str>, Rows, FixedState>,
    /// How many entries these have.
    needed: usize,
    /// The rows that nobody needs: a snapshot has their place, or their account has ended. The first goes first.
    needless: BinaryHeap<Reverse<i64>>,
    /// The last row that was ever given away, as far as somebody could still take a newer one for an older one.
    last: i64,
    /// The last row of each account that has ended, as the file says.
    ended: BinaryHeap<Reverse<(i64, Arc<str>)>>,
}

/// Where the entries of an account stand.
#[derive(Default)]
struct Rows {
    /// The number and the row of each that is needed, in order.
    entries: VecDeque<(u64, i64)>,
    /// The newest entry's, needed or not.
    last: i64,
}

/// What became of entries in a group.
pub(super) enum Moved {
    /// One stands in this row.
    Written {
        account: Arc<str>,
        number: u64,
        row: i64,
    },
    /// A snapshot has the place of those up to this number.
    Summed { account: Arc<str>, number: u64 },
    /// The account has ended.
    Closed { account: Arc<str> },
}

impl Places {
    /// Looks through the file.
    pub(super) fn of(connection: &Connection) -> rusqlite::Result<Self> {
        let mut places = Places::default();
        let mut statement = connection.prepare("SELECT last_place, account FROM ended")?;
        let ended = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        for ended in ended {
            let ended: (i64, Arc<str>) = ended?;
            places.last = places.last.max(ended.0);
            places.ended.push(Reverse(ended));
        }
        let mut statement = connection.prepare(
            "SELECT entries.rowid, entries.account, entries.number, entries.number <= coalesce(snapshots.number, 0), \
             entries.rowid <= coalesce(ended.last_place, 0) \
             FROM entries LEFT JOIN snapshots ON snapshots.account = entries.account \
             LEFT JOIN ended ON ended.account = entries.account ORDER BY entries.rowid",
        )?;
        let mut rows = statement.query([])?;
        while let Some(found) = rows.next()? {
            let (row, number): (i64, i64) = (found.get(0)?, found.get(2)?);
            let (is_summed, has_ended): (bool, bool) = (found.get(3)?, found.get(4)?);
            places.last = places.last.max(row);
            if has_ended {
                places.needless.push(Reverse(row));
                continue;
            }
            let account = found.get_ref(1)?.as_str()?;
            if !places.accounts.contains_key(account) {
                places.accounts.insert(Arc::from(account), Rows::default());
            }
            let Some(rows) = places.accounts.get_mut(account) else {
                continue;
            };
            rows.last = row;
            if is_summed {
                places.needless.push(Reverse(row));
            } else {
                rows.entries.push_back((number.cast_unsigned(), row));
                places.needed += 1;
            }
        }
        Ok(places)
    }

    /// The rows of an account's entries after this number, in order.
    pub(super) fn after(&self, account: &str, number: u64) -> impl Iterator<Item = i64> {
        let rows = self.accounts.get(account).into_iter();
        let entries = rows.flat_map(|rows| &rows.entries);
        entries.filter(move |it| it.0 > number).map(|it| it.1)
    }

    /// Where an entry stands, once this has moved, too.
    pub(super) fn find(&self, moved: &[Moved], account: &str, number: u64) -> Option<i64> {
        for moved in moved.iter().rev() {
            match moved {
                Moved::Written {
                    account: of,
                    number: written,
                    row,
                } if **of == *account && *written == number => return Some(*row),
                Moved::Closed { account: of } if **of == *account => return None,
                Moved::Summed {
                    account: of,
                    number: summed,
                } if **of == *account && *summed >= number => return None,
                _ => {}
            }
        }
        let entries = &self.accounts.get(account)?.entries;
        let at = entries.binary_search_by_key(&number, |it| it.0).ok()?;
        entries.get(at).map(|it| it.1)
    }

    /// Where the next entry stands: behind all that an account had which has ended, so that one of the same id can be
    /// opened at once.
    pub(super) fn next(&self) -> i64 {
        self.last + 1
    }

    /// The row of an account's newest entry, once this has moved, too; it may be gone.
    pub(super) fn last(&self, moved: &[Moved], account: &str) -> Option<i64> {
        for moved in moved.iter().rev() {
            match moved {
                Moved::Written {
                    account: of, row, ..
                } if **of == *account => return Some(*row),
                Moved::Closed { account: of } if **of == *account => return None,
                _ => {}
            }
        }
        self.accounts.get(account).map(|rows| rows.last)
    }

    /// Notes what is written.
    pub(super) fn note(&mut self, moved: Moved) {
        match moved {
            Moved::Written {
                account,
                number,
                row,
            } => {
                let rows = self.accounts.entry(account).or_default();
                rows.entries.push_back((number, row));
                rows.last = row;
                self.last = row;
                self.needed += 1;
            }
            Moved::Summed { account, number } => {
                let Some(rows) = self.accounts.get_mut(&account) else {
                    return;
                };
                let summed = rows.entries.partition_point(|it| it.0 <= number);
                let summed = rows.entries.drain(..summed);
                self.needed -= summed.len();
                self.needless.extend(summed.map(|it| Reverse(it.1)));
            }
            Moved::Closed { account } => {
                let Some(rows) = self.accounts.remove(&account) else {
                    return;
                };
                self.needed -= rows.entries.len();
                let left = rows.entries.into_iter();
                self.needless.extend(left.map(|it| Reverse(it.1)));
                self.ended.push(Reverse((rows.last, account)));
            }
        }
    }

    /// Whether something is there that nobody needs.
    pub(super) fn has_needless(&self) -> bool {
        !self.needless.is_empty()
    }

    /// How many entries are more than may be left lying while others are written.
    pub(super) fn surplus(&self) -> usize {
        let most = self.needed.max(LEFT_LYING);
        self.needless.len().saturating_sub(most)
    }

    /// Takes out the first of the rows that nobody needs, in order.
    pub(super) fn take(&mut self, most: usize) -> Vec<i64> {
        let count = most.min(self.needless.len());
        (0..count)
            .filter_map(|_| self.needless.pop().map(|it| it.0))
            .collect()
    }

    /// Puts them back.
    pub(super) fn put_back(&mut self, rows: Vec<i64>) {
        self.needless.extend(rows.into_iter().map(Reverse));
    }

    /// Deletes rows that were taken out, and accounts that have ended and have none left then.
    pub(super) fn delete(
        &self,
        transaction: &Transaction<'_>,
        rows: &[i64],
    ) -> rusqlite::Result<()> {
        let mut delete =
            transaction.prepare_cached("DELETE FROM entries WHERE place BETWEEN ?1 AND ?2")?;
        for together in rows.chunk_by(|one, next| one + 1 == *next) {
            if let [first, .., last] | [first @ last] = together {
                delete.execute([first, last])?;
            }
        }
        // The first go first: where its last one is gone, an account has none.
        let Some(last) = rows.last() else {
            return Ok(());
        };
        let mut delete = transaction
            .prepare_cached("DELETE FROM ended WHERE account = ?1 AND last_place = ?2")?;
        for Reverse((row, account)) in self.ended.iter().filter(|it| it.0.0 <= *last) {
            delete.execute(params![account, row])?;
        }
        Ok(())
    }

    /// Notes that rows up to this one are deleted.
    pub(super) fn deleted(&mut self, last: i64) {
        while self.ended.peek().is_some_and(|it| it.0.0 <= last) {
            self.ended.pop();
        }
    }
}
