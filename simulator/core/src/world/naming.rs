//! What subjects of a kind are called: two words of the rows, or one that is coined, and what follows.

use std::sync::Arc;

use svc_fixtures::world::{CoinedWordsRow, NamingRow};
use xxhash_rust::xxh3::xxh3_64;

use super::kind::{Digits, Domain, Kind, View, packed, ranges, unpacked};
use super::lexicon::{Initial, Lexicon};
use super::permutation::Permutation;
use super::table::{Column, RowIndex};

/// How subjects of a kind are named. All digits here are those that the alias shows.
#[derive(Debug)]
pub(super) struct Naming {
    /// The two words.
    pub(super) words: [Named; 2],
    /// What they do, and what they are.
    pub(super) then: [Named; 2],
    /// The words that say what they do, and what they are.
    last: [Vec<String>; 2],
    coined: Vec<(u64, u64)>,
    each: u64,
    initials: Arc<RowIndex>,
    lexicon: Lexicon,
    /// By the letter; none where no row begins with it.
    beginning: Vec<Option<Initial>>,
    salt: u64,
}

/// What a digit says.
#[derive(Debug)]
pub(super) struct Named {
    /// The place of the digit.
    pub(super) field: usize,
    pub(super) column: Arc<Column>,
}

impl Naming {
    pub(super) fn new(
        kind: &Kind,
        row: &NamingRow,
        words: &CoinedWordsRow,
    ) -> Result<Self, String> {
        let fields = kind.fields(View::Alias);
        let table = |path: &str| {
            let (name, column) = path.split_once('.')?;
            let at = fields.iter().position(|field| field.name == name)?;
            match &fields[at].domain {
                Domain::Rows(table) => Some((at, table, column.to_owned())),
                Domain::Numbers { .. } => None,
            }
        };
        let named = |path: &str| {
            let found = table(path).and_then(|(field, table, column)| {
                let column = Arc::clone(table.column(&column)?);
                Some(Named { field, column })
            });
            found.ok_or_else(|| format!("{}.naming: there is no {path}", kind.name))
        };
        let initials = table(&row.initial).and_then(|(_, table, column)| table.index(&[&column]));
        let mut naming = Naming {
            words: [named(&row.words.0)?, named(&row.words.1)?],
            then: [named(&row.then.0)?, named(&row.then.1)?],
            last: [Vec::new(), Vec::new()],
            coined: ranges(kind, View::Alias, &row.coined),
            each: row.each,
            initials: initials.ok_or("naming: there is no initial")?,
            lexicon: Lexicon::new(words)?,
            beginning: Vec::new(),
            salt: xxh3_64(row.initial.as_bytes()),
        };
        let words = |named: &Named| {
            let rows = 0..fields[named.field].size();
            let words = rows.flat_map(|row| plain(named.column.text(row)));
            words.collect::<Vec<String>>()
        };
        naming.last = [words(&naming.then[0]), words(&naming.then[1])];
        naming.beginning = (b'A'..=b'Z')
            .map(|letter| {
                let room = naming.slots(letter)? / naming.each;
                naming.lexicon.beginning_with(letter, room)
            })
            .collect();
        Ok(naming)
    }

    /// The words that say what they do, and those that say what they are.
    pub(super) fn last_words(&self) -> [&[String]; 2] {
        self.last.each_ref().map(Vec::as_slice)
    }

    /// The rows of the first word that begin with a letter.
    fn first(&self, letter: u8) -> Option<u64> {
        let key = self.initials.key_of(&char::from(letter).to_string())?;
        Some(self.initials.count(key)).filter(|count| *count > 0)
    }

    /// How many subjects can have a coined word with this letter.
    fn slots(&self, letter: u8) -> Option<u64> {
        let first = self.first(letter)?;
        Some(
            self.ranges(first)
                .iter()
                .map(|(from, to)| to - from)
                .product(),
        )
    }

    /// The ranges of the digits that subjects with a coined word have, the first word as its place among
    /// those with the same letter.
    fn ranges(&self, first: u64) -> Vec<(u64, u64)> {
        let mut ranges = self.coined.clone();
        ranges[self.words[0].field] = (0, first);
        ranges
    }

    fn permutation(&self, letter: u8, group: u64, slots: u64, seed: u64) -> Permutation {
        let salt = self.salt ^ (u64::from(letter) << 8 | group);
        Permutation::new(seed ^ salt, slots / self.each)
    }

    /// The name, without what they are where it is the short one.
    pub(super) fn name(&self, kind: &Kind, number: u64, seed: u64, whole: bool) -> String {
        let digits = kind.digits(number, View::Alias, seed);
        let text = |named: &Named| named.column.text(digits[named.field]).to_owned();
        let mut name = self.coined_word(&digits, seed).unwrap_or_else(|| {
            let [first, second] = &self.words;
            format!("{} {}", text(first), text(second))
        });
        for part in &self.then[..1 + usize::from(whole)] {
            name.push(' ');
            name.push_str(part.column.text(digits[part.field]));
        }
        name
    }

    /// The word of a subject that has a coined one.
    fn coined_word(&self, digits: &Digits, seed: u64) -> Option<String> {
        let mut inside = self.coined.iter().zip(digits);
        if !inside.all(|((from, to), digit)| (from..to).contains(&digit)) {
            return None;
        }
        let first = self.words[0].field;
        let key = self.initials.key(digits[first]);
        let letter = *self.initials.text(key, 0).as_bytes().first()?;
        let initial = (*self.beginning.get(usize::from(letter.checked_sub(b'A')?))?)?;
        let slots = self.slots(letter)?;
        let mut places = *digits;
        places[first] = self.initials.place(digits[first]);
        let slot = packed(&self.ranges(self.initials.count(key)), &places);
        let (slot, group) = (slot / self.each, slot % self.each);
        let number = self.permutation(letter, group, slots, seed).apply(slot);
        (number < initial.words).then(|| self.lexicon.word(initial, number))
    }

    /// The digits of those who have a coined word.
    pub(super) fn having(&self, word: &str, seed: u64) -> Vec<Digits> {
        let Some((letter, initial)) = self.initial(word) else {
            return Vec::new();
        };
        let number = self.lexicon.number(initial, word);
        number
            .into_iter()
            .flat_map(|number| self.numbered(letter, number, seed))
            .collect()
    }

    /// The digits of those whose coined word begins with this, one of so many.
    pub(super) fn beginning(&self, text: &str, nth: u64, seed: u64) -> Vec<Digits> {
        let found = self.initial(text).and_then(|(letter, initial)| {
            let (from, count) = self.lexicon.beginning(initial, text)?;
            (count > 0).then(|| self.numbered(letter, from + nth % count, seed))
        });
        found.unwrap_or_default()
    }

    /// The coined word that is nearest to one that is none: a letter less at a time.
    pub(super) fn nearest(&self, word: &str) -> Option<String> {
        let (_, initial) = self.initial(word)?;
        let mut words = vec![word.to_owned()];
        while words.first()?.len() > 2 {
            let known = |word: &&String| self.lexicon.number(initial, word).is_some();
            if let Some(found) = words.iter().find(known) {
                return Some(found.clone());
            }
            // The end of a word says least of it.
            let mut shorter: Vec<String> = Vec::new();
            for word in words.iter().take(8) {
                for at in (1..word.len()).rev() {
                    shorter.push([&word[..at], &word[at + 1..]].concat());
                }
            }
            words = shorter;
        }
        None
    }

    fn initial(&self, word: &str) -> Option<(u8, Initial)> {
        let letter = word.bytes().next()?;
        let initial = *self.beginning.get(usize::from(letter.checked_sub(b'A')?))?;
        Some((letter, initial?))
    }

    fn numbered(&self, letter: u8, number: u64, seed: u64) -> Vec<Digits> {
        let first = self.words[0].field;
        let key = self.initials.key_of(&char::from(letter).to_string());
        let found = key.zip(self.slots(letter)).map(|(key, slots)| {
            let ranges = self.ranges(self.initials.count(key));
            let digits = |group: u64| {
                let slot = self.permutation(letter, group, slots, seed).undo(number);
                let mut digits = unpacked(&ranges, slot * self.each + group);
                digits[first] = self.initials.row(key, digits[first]);
                digits
            };
            (0..self.each).map(digits).collect()
        });
        found.unwrap_or_default()
    }

    /// Two rows' words for both, drawn: not those that are reserved for coined ones.
    pub(super) fn drawn_second(&self, draw: u64) -> u64 {
        let (from, _) = self.coined[self.words[1].field];
        draw % from.max(1)
    }
}

/// The words of a name.
pub(super) fn plain(name: &str) -> Vec<String> {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_ascii_uppercase).collect()
}
