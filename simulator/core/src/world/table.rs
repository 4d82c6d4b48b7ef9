//! Tables that fields choose rows from, and the rows by what stands in some of their columns.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use foldhash::fast::FixedState;
use parking_lot::Mutex;

/// Rows that a field chooses from.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: u32,
    columns: BTreeMap<String, Arc<Column>>,
    /// Those that were asked for, by their columns and rows: many forms show the same ones.
    indexes: Mutex<BTreeMap<Asked, Arc<RowIndex>>>,
}

/// The columns of an index and its rows, the second number not included.
type Asked = (Vec<String>, (u64, u64));

/// What stands in one column of a table.
#[derive(Debug, Default)]
pub(super) struct Column {
    /// Each text once, in order.
    texts: Vec<Box<str>>,
    /// The position of its text, a row each.
    rows: Vec<u16>,
    /// What may be written for some of the texts, in order.
    also: Vec<(Box<str>, u16)>,
    /// How long a text can be, the longest first.
    lengths: Vec<usize>,
    /// The rows with each of the texts, in order. Made when somebody asks.
    by_text: OnceLock<Vec<Vec<u32>>>,
}

impl Column {
    /// A column with these texts, a row each.
    #[must_use]
    pub(super) fn new<'t>(rows: impl IntoIterator<Item = &'t str>) -> Self {
        let rows: Vec<&str> = rows.into_iter().collect();
        let mut texts = rows.clone();
        texts.sort_unstable();
        texts.dedup();
        let place = |row: &&str| texts.binary_search(row).expect("each is one of them");
        let place = |row| u16::try_from(place(row)).expect("not so many texts");
        let rows = rows.iter().map(place).collect();
        Column::of(texts.into_iter().map(Box::from).collect(), rows, Vec::new())
    }

    /// The column where other texts are read for some of its own: the other one first. A text that is
    /// there itself stands for nothing else.
    #[must_use]
    pub(super) fn with_also<'t>(self, also: impl IntoIterator<Item = (&'t str, &'t str)>) -> Self {
        let read = |(other, text): (&str, &str)| match self.at(other) {
            Some(_) => None,
            None => Some((Box::from(other), self.at(text)?)),
        };
        let mut also: Vec<_> = also.into_iter().filter_map(read).collect();
        also.sort_unstable();
        also.dedup_by(|one, other| one.0 == other.0);
        Column::of(self.texts, self.rows, also)
    }

    /// A column of another table, taken over for rows that name one of its rows each.
    #[must_use]
    pub(super) fn through(&self, rows: impl IntoIterator<Item = usize>) -> Self {
        let rows = rows.into_iter().map(|row| self.rows[row]).collect();
        Column::of(self.texts.clone(), rows, self.also.clone())
    }

    fn of(texts: Vec<Box<str>>, rows: Vec<u16>, also: Vec<(Box<str>, u16)>) -> Self {
        let others = also.iter().map(|(text, _)| text);
        let mut lengths: Vec<_> = texts.iter().chain(others).map(|it| it.len()).collect();
        lengths.sort_unstable_by(|one, other| other.cmp(one));
        lengths.dedup();
        Column {
            texts,
            rows,
            also,
            lengths,
            by_text: OnceLock::new(),
        }
    }

    /// The rows in which the text of this place stands, in order.
    #[must_use]
    pub(super) fn rows_with(&self, place: usize) -> &[u32] {
        let by_text = self.by_text.get_or_init(|| {
            let mut by_text = vec![Vec::new(); self.texts.len()];
            for (row, place) in (0..).zip(&self.rows) {
                by_text[usize::from(*place)].push(row);
            }
            by_text
        });
        &by_text[place]
    }

    /// What stands in a row.
    #[must_use]
    pub(super) fn text(&self, row: u64) -> &str {
        &self.texts[self.place(row)]
    }

    /// The place of a row's text among all that stand in the column.
    #[must_use]
    pub(super) fn place(&self, row: u64) -> usize {
        usize::from(self.rows[row as usize])
    }

    /// Something of each text that stands in the column.
    #[must_use]
    pub(super) fn each<T>(&self, of: impl Fn(&str) -> T) -> Vec<T> {
        self.texts.iter().map(|text| of(text)).collect()
    }

    fn at(&self, text: &str) -> Option<u16> {
        let own = self.texts.binary_search_by(|known| (**known).cmp(text));
        let other = || self.also.binary_search_by(|known| (*known.0).cmp(text));
        match own {
            Ok(found) => u16::try_from(found).ok(),
            Err(_) => Some(self.also[other().ok()?].1),
        }
    }
}

impl Table {
    /// How many rows.
    #[must_use]
    pub(super) fn rows(&self) -> u64 {
        u64::from(self.rows)
    }

    /// A table with these columns, which are equally long.
    #[must_use]
    pub(super) fn new(columns: impl IntoIterator<Item = (String, Column)>) -> Self {
        let columns: BTreeMap<_, _> = columns
            .into_iter()
            .map(|(name, column)| (name, Arc::new(column)))
            .collect();
        let rows = columns
            .values()
            .next()
            .map_or(0, |column| column.rows.len());
        assert!(columns.values().all(|column| column.rows.len() == rows));
        Table {
            rows: u32::try_from(rows).expect("not so many rows"),
            columns,
            indexes: Mutex::default(),
        }
    }

    /// A column by its name.
    #[must_use]
    pub(super) fn column(&self, name: &str) -> Option<&Arc<Column>> {
        self.columns.get(name)
    }

    /// The rows by what stands in some of the columns; none where one of them is not there.
    #[must_use]
    pub(super) fn index(&self, columns: &[&str]) -> Option<Arc<RowIndex>> {
        self.index_of(columns, (0, self.rows()))
    }

    /// The same of some of the rows.
    #[must_use]
    pub(super) fn index_of(&self, columns: &[&str], rows: (u64, u64)) -> Option<Arc<RowIndex>> {
        let named = columns.iter().map(|&name| name.to_owned()).collect();
        let named: Asked = (named, rows);
        let mut indexes = self.indexes.lock();
        if let Some(known) = indexes.get(&named) {
            return Some(Arc::clone(known));
        }
        let columns = columns.iter().map(|name| self.columns.get(*name).cloned());
        let columns = columns.collect::<Option<_>>()?;
        let index = Arc::new(RowIndex::new(columns, rows));
        indexes.insert(named, Arc::clone(&index));
        Some(index)
    }
}

/// The rows of a table, or some that follow each other, by what stands in some of its columns, four at most.
#[derive(Debug, Clone)]
pub(super) struct RowIndex {
    columns: Vec<Arc<Column>>,
    /// The first of the rows.
    from: u64,
    /// All rows, those that are alike next to each other and in order.
    rows: Vec<u32>,
    /// The place of a row among those that are alike.
    places: Vec<u32>,
    /// Where rows that are alike begin in `rows`, and how many they are. Only looked up.
    alike: HashMap<RowKey, (u32, u32), FixedState>,
    most: u64,
}

/// What stands in the columns of an index: a text each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub(super) struct RowKey([u16; 4]);

impl RowKey {
    /// A key that stands for a digit.
    #[must_use]
    pub(super) fn of(digit: u64) -> Self {
        RowKey(std::array::from_fn(|at| (digit >> (16 * at)) as u16))
    }

    /// It as a number.
    #[must_use]
    pub(super) fn number(self) -> u64 {
        self.0
            .iter()
            .rev()
            .fold(0, |number, text| number << 16 | u64::from(*text))
    }
}

impl RowIndex {
    /// Whether two rows of the table have the same texts in the columns.
    #[must_use]
    pub(super) fn are_alike(&self, one: u64, other: u64) -> bool {
        let mut columns = self.columns.iter();
        columns.all(|column| column.place(one) == column.place(other))
    }

    fn new(columns: Vec<Arc<Column>>, (from, to): (u64, u64)) -> Self {
        assert!(columns.len() <= 4, "four columns at most");
        let keys = from as u32..to as u32;
        let keys: Vec<RowKey> = keys.map(|row| key(&columns, row)).collect();
        let mut alike: HashMap<RowKey, (u32, u32), FixedState> = HashMap::default();
        let mut places = Vec::with_capacity(keys.len());
        for key in &keys {
            let (_, count) = alike.entry(*key).or_default();
            places.push(*count);
            *count += 1;
        }
        let mut known: Vec<RowKey> = alike.keys().copied().collect();
        known.sort_unstable();
        let (mut start, mut most) = (0, 0);
        for key in known {
            if let Some((first, count)) = alike.get_mut(&key) {
                *first = start;
                start += *count;
                most = most.max(u64::from(*count));
            }
        }
        let mut sorted = vec![0; keys.len()];
        for (row, (key, place)) in (from as u32..).zip(keys.iter().zip(&places)) {
            let (first, _) = alike[key];
            sorted[(first + place) as usize] = row;
        }
        RowIndex {
            from,
            rows: sorted,
            columns,
            places,
            alike,
            most,
        }
    }

    /// What stands in a row.
    #[must_use]
    pub(super) fn key(&self, row: u64) -> RowKey {
        key(&self.columns, row as u32)
    }

    /// The text of one of its columns.
    #[must_use]
    pub(super) fn text(&self, key: RowKey, column: usize) -> &str {
        &self.columns[column].texts[usize::from(key.0[column])]
    }

    /// How many rows are like this.
    #[must_use]
    pub(super) fn count(&self, key: RowKey) -> u64 {
        self.alike
            .get(&key)
            .map_or(0, |(_, count)| u64::from(*count))
    }

    /// The rows like this, in order.
    #[must_use]
    pub(super) fn alike(&self, key: RowKey) -> &[u32] {
        let (start, count) = self.alike.get(&key).copied().unwrap_or_default();
        &self.rows[start as usize..][..count as usize]
    }

    /// One of the rows like this.
    #[must_use]
    pub(super) fn row(&self, key: RowKey, place: u64) -> u64 {
        u64::from(self.alike(key)[place as usize])
    }

    /// What stands in the first column of some rows.
    #[must_use]
    pub(super) fn key_of(&self, text: &str) -> Option<RowKey> {
        let mut key = RowKey::default();
        key.0[0] = self.columns.first()?.at(text)?;
        Some(key)
    }

    /// One of the rows in whose first column a text stands.
    #[must_use]
    pub(super) fn drawn(&self, text: &str, draw: u64) -> Option<u64> {
        let mut key = RowKey::default();
        let rest = self.take(&mut key, 0, text)?;
        let count = Some(self.count(key)).filter(|count| rest.is_empty() && *count > 0)?;
        Some(self.row(key, draw % count))
    }

    /// The place of a row among those that are alike.
    #[must_use]
    pub(super) fn place(&self, row: u64) -> u64 {
        u64::from(self.places[(row - self.from) as usize])
    }

    /// How many rows are alike at most.
    #[must_use]
    pub(super) fn most(&self) -> u64 {
        self.most
    }

    /// Takes the longest text of a column from the beginning of a text, into a key.
    #[must_use]
    pub(super) fn take<'t>(
        &self,
        key: &mut RowKey,
        column: usize,
        text: &'t str,
    ) -> Option<&'t str> {
        let known = &self.columns[column];
        known.lengths.iter().find_map(|length| {
            let (first, rest) = text.split_at_checked(*length)?;
            key.0[column] = known.at(first)?;
            Some(rest)
        })
    }
}

fn key(columns: &[Arc<Column>], row: u32) -> RowKey {
    let mut key = RowKey::default();
    for (text, column) in key.0.iter_mut().zip(columns) {
        *text = column.rows[row as usize];
    }
    key
}
