//! Finding subjects by what they are called: by a part of the name, by a misspelt one, or by a word that
//! no row has. Whoever is found is called so; the same words find the same ones.

use super::kind::{self, Digits, Domain, Kind, View};
use super::naming::{Named, Naming, plain};
use super::permutation::mixed;
use super::{AskedIndex, KindIndex, Subject, World};

/// How many are found at most.
pub const MOST_FOUND: usize = 8;
/// How many are tried of each sort.
const TRIES: u64 = 4;
/// What a name must have of what was searched for, and how much less than the best.
const ENOUGH: f64 = 0.2;
const LESS: f64 = 0.2;
/// What a word counts that says what a company does, and one that says what it is.
const WEIGHTS: [f64; 3] = [1.0, 0.7, 0.1];

/// What the words of a search say.
struct Query<'q> {
    /// What is none of the others: what it is called.
    called: &'q [String],
    /// The rows of what it does and what it is; empty where the words do not say.
    then: [Vec<u64>; 2],
}

/// What it counts that a company does something else.
const OTHER_TRADE: f64 = 0.3;

/// One search.
struct Search<'w> {
    kind: &'w Kind,
    naming: &'w Naming,
    within: &'w [(u64, u64)],
    /// Whom a search may find, by their own digits.
    own: &'w [(u64, u64)],
    seed: u64,
    draw: u64,
    found: Vec<u64>,
}

impl World {
    /// Whom words in capitals name, the best first, and how well the names fit. Nobody where no name has
    /// anything of them.
    #[must_use]
    pub fn search(&self, asked: AskedIndex, words: &[String], seed: u64) -> Vec<(f64, Subject)> {
        let row = &self.asked[asked.0];
        let of = row.otherwise;
        let (Some(within), Some(naming)) = (&row.search, &self.namings[of.0]) else {
            return Vec::new();
        };
        let text = words.join(" ");
        let mut search = Search {
            kind: &self.kinds[of.0],
            naming,
            within,
            own: &row.within,
            seed,
            draw: xxhash_rust::xxh3::xxh3_64_with_seed(text.as_bytes(), seed),
            found: Vec::new(),
        };
        search.whole(words);
        if search.found.is_empty() {
            search.collect(&search.query(words));
        }
        search.ranked(words, of)
    }

    /// Those of some words in capitals that tell one subject's name from another's: not what it is, such as
    /// `PRIVATE LIMITED`; all where there are no others.
    pub fn telling<'n>(&self, kind: KindIndex, words: &'n [String]) -> Vec<&'n str> {
        let last = self.namings[kind.0].as_ref();
        let [_, ends] = last.map_or([&[][..]; 2], Naming::last_words);
        let telling = words.iter().filter(|word| !ends.contains(word));
        let telling: Vec<&str> = telling.map(String::as_str).collect();
        match telling.is_empty() {
            true => words.iter().map(String::as_str).collect(),
            false => telling,
        }
    }

    /// How much a name has of words in capitals that are searched for: 1 where it is just these.
    #[must_use]
    pub fn likeness(&self, asked: AskedIndex, words: &[String], name: &str) -> f64 {
        let naming = &self.namings[self.asked[asked.0].otherwise.0];
        let last = naming.as_ref().map_or([&[][..]; 2], Naming::last_words);
        likeness(words, name, last)
    }
}

impl World {
    /// Some subject that is what a name says it is, for whom no number says more.
    #[must_use]
    pub fn fitting(&self, of: KindIndex, text: &str, seed: u64) -> Option<Subject> {
        let within = self.kinds[of.0].common_as_seen();
        self.fitting_within(of, &within, text, seed)
    }

    /// The same of those within some digits of the alias.
    pub(super) fn fitting_within(
        &self,
        of: KindIndex,
        within: &[(u64, u64)],
        text: &str,
        seed: u64,
    ) -> Option<Subject> {
        let (kind, naming) = (&self.kinds[of.0], self.namings[of.0].as_ref()?);
        let search = Search {
            kind,
            naming,
            within,
            own: &[],
            seed,
            draw: xxhash_rust::xxh3::xxh3_64_with_seed(text.as_bytes(), seed),
            found: Vec::new(),
        };
        let words = plain(text);
        let query = search.query(&words);
        let mut digits = kind::unpacked(within, search.draw);
        for (named, rows) in naming.then.iter().zip(&query.then) {
            if let Some(row) = rows.first() {
                digits[named.field] = *row;
            }
        }
        let number = kind.number(&digits, View::Alias, seed);
        Some(Subject { kind: of, number })
    }
}

impl Search<'_> {
    fn query<'q>(&self, words: &'q [String]) -> Query<'q> {
        let [does, is] = &self.naming.then;
        let (called, classes) = self.tail(words, is);
        let (called, trades) = match called.split_last() {
            Some((last, rest)) => match self.rows(does, last) {
                trades if trades.is_empty() => (called, trades),
                trades => (rest, trades),
            },
            None => (called, Vec::new()),
        };
        Query {
            called,
            then: [trades, classes],
        }
    }

    /// The words before what says what it is, and the rows that say so: as much as they have of it.
    fn tail<'q>(&self, words: &'q [String], named: &Named) -> (&'q [String], Vec<u64>) {
        let (mut longest, mut rows) = (0, Vec::new());
        let (from, to) = self.within[named.field];
        for row in from..to {
            let suffix = plain(named.column.text(row));
            // All of it stands at the end, or its beginning does.
            let stands = (1..=suffix.len()).rev().find(|count| {
                let tail = words.len().checked_sub(*count).map(|at| &words[at..]);
                let alike = |tail: &[String]| {
                    let mut pairs = tail.iter().zip(&suffix);
                    pairs.all(|(word, wanted)| nearness(word, wanted) >= 0.7)
                };
                tail.is_some_and(alike)
            });
            let count = stands.unwrap_or_default();
            if count > longest {
                (longest, rows) = (count, Vec::new());
            }
            if count == longest && count > 0 {
                rows.push(row);
            }
        }
        (&words[..words.len() - longest], rows)
    }

    /// The rows of a column that are nearest to a word, or begin with it.
    fn rows(&self, named: &Named, word: &str) -> Vec<u64> {
        let (from, to) = self.within[named.field];
        // Another first letter is another word: `SHARMA` is not `PHARMA`.
        let near = |row: &u64| match named.column.text(*row) {
            text if word.len() > 2 && text.starts_with(&word[..1]) => nearness(word, text),
            _ => 0.0,
        };
        let near = |row: &u64| {
            Some(near(row))
                .filter(|near| *near >= 0.8)
                .unwrap_or_default()
        };
        let best = (from..to).map(|row| near(&row)).fold(0.0, f64::max);
        match best > 0.0 {
            true => (from..to).filter(|row| near(row) >= best).collect(),
            false => Vec::new(),
        }
    }

    /// Who is called just so, whoever else is met by chance.
    fn whole(&mut self, words: &[String]) {
        let ([first, second], [does, is]) = (&self.naming.words, &self.naming.then);
        let row = |named: &Named, word: &String| {
            let mut rows = 0..self.table(named);
            rows.find(|row| named.column.text(*row) == word)
        };
        let mut meant = Vec::new();
        for class in 0..self.table(is) {
            let suffix = plain(is.column.text(class));
            let rest = words.strip_suffix(suffix.as_slice());
            let Some((last, called)) = rest.and_then(<[String]>::split_last) else {
                continue;
            };
            let Some(does_what) = row(does, last) else {
                continue;
            };
            let digits = match called {
                [word] => self.naming.having(word, self.seed),
                [one, other] => match (row(first, one), row(second, other)) {
                    (Some(one), Some(other)) => {
                        let mut digits = Digits::default();
                        (digits[first.field], digits[second.field]) = (one, other);
                        (digits[does.field], digits[is.field]) = (does_what, class);
                        vec![digits]
                    }
                    _ => Vec::new(),
                },
                _ => Vec::new(),
            };
            let is_so =
                |digits: &Digits| digits[does.field] == does_what && digits[is.field] == class;
            meant.extend(digits.into_iter().filter(is_so));
        }
        for digits in meant {
            let holder = self.kind.holder(&digits, View::Alias, self.seed);
            self.found.extend(holder);
        }
    }

    /// Those who may be meant.
    fn collect(&mut self, query: &Query<'_>) {
        let [first, second] = &self.naming.words;
        let (firsts, seconds) = (self.table(first), self.table(second));
        let known: Vec<Vec<u64>> = query
            .called
            .iter()
            .map(|word| self.words(first, word, firsts))
            .collect();
        for (at, pair) in known.windows(2).enumerate() {
            let seconds = self.words(second, &query.called[at + 1], seconds);
            for (first, second) in pair[0]
                .iter()
                .take(3)
                .flat_map(|first| seconds.iter().take(3).map(move |second| (*first, *second)))
            {
                self.some(query, Some(first), Some(second), TRIES);
            }
        }
        for (word, firsts) in query.called.iter().take(4).zip(&known) {
            for first in firsts.iter().take(4) {
                self.some(query, Some(*first), None, TRIES);
                self.some(query, None, Some(*first), 1);
            }
            self.coined(query, word, !firsts.is_empty());
        }
        if query.called.is_empty() && query.then.iter().any(|rows| !rows.is_empty()) {
            self.some(query, None, None, TRIES + 2);
        }
    }

    /// Those whose name is one coined word: this one, one that begins so, one that is misspelt so; where there
    /// is no such word, the nearest.
    fn coined(&mut self, query: &Query<'_>, word: &str, is_known: bool) {
        let mut digits = self.naming.having(word, self.seed);
        if query.called.len() == 1 {
            for nth in [self.draw, mixed(self.draw)] {
                digits.extend(self.naming.beginning(word, nth, self.seed));
            }
            for meant in misspelt(word) {
                digits.extend(self.naming.having(&meant, self.seed));
            }
        }
        if digits.is_empty() && !is_known {
            let nearest = self.naming.nearest(word).into_iter();
            digits.extend(nearest.flat_map(|word| self.naming.having(&word, self.seed)));
        }
        // A whole name that is misspelt says what else must be right.
        let [does, is] = &self.naming.then;
        let says = |rows: &[u64], digit: u64| rows.is_empty() || rows.contains(&digit);
        if query.called.len() == 1 && query.then.iter().all(|rows| !rows.is_empty()) {
            for meant in neighbours(word).iter().filter(|_| word.len() > 4) {
                let having = self.naming.having(meant, self.seed).into_iter();
                digits.extend(having.filter(|digits| {
                    says(&query.then[0], digits[does.field])
                        && says(&query.then[1], digits[is.field])
                }));
            }
        }
        for digits in digits {
            self.push(&digits);
        }
    }

    /// Words of the rows that are this one, begin with it or are nearly so, the nearest first.
    fn words(&self, named: &Named, word: &str, rows: u64) -> Vec<u64> {
        if let Some(row) = (0..rows).find(|row| named.column.text(*row) == word) {
            return vec![row];
        }
        let near = |row: u64| (nearness(word, named.column.text(row)), row);
        let mut near: Vec<(f64, u64)> = (0..rows).map(near).filter(|it| it.0 > 0.25).collect();
        let order = |row: u64| mixed(self.draw ^ row);
        near.sort_by(|a, b| {
            b.0.total_cmp(&a.0)
                .then_with(|| order(a.1).cmp(&order(b.1)))
        });
        near.into_iter().map(|(_, row)| row).collect()
    }

    fn table(&self, named: &Named) -> u64 {
        match &self.kind.fields(View::Alias)[named.field].domain {
            Domain::Rows(table) => table.rows(),
            Domain::Numbers { count, .. } => *count,
        }
    }

    /// Some with these words, and with what else is said; drawn where nothing is.
    fn some(&mut self, query: &Query<'_>, first: Option<u64>, second: Option<u64>, count: u64) {
        let [one, other] = &self.naming.words;
        let firsts = self.table(one);
        let mut draw =
            mixed(self.draw ^ first.unwrap_or(1 << 40) ^ second.unwrap_or(1 << 41) << 16);
        let (before, mut tries) = (self.found.len(), 0);
        while self.found.len() < before + count as usize && tries < 16 * TRIES {
            tries += 1;
            let mut digits = kind::unpacked(self.within, draw);
            draw = mixed(draw);
            digits[one.field] = first.unwrap_or(draw % firsts);
            let drawn = self.naming.drawn_second(draw >> 20);
            digits[other.field] = second.unwrap_or(drawn);
            for (named, rows) in self.naming.then.iter().zip(&query.then) {
                draw = mixed(draw);
                if !rows.is_empty() {
                    digits[named.field] = rows[(draw % rows.len() as u64) as usize];
                }
            }
            self.push(&digits);
        }
    }

    /// Takes whoever has these digits, where somebody has.
    fn push(&mut self, digits: &Digits) {
        if !kind::within(self.within, digits) {
            return;
        }
        let holder = self.kind.holder(digits, View::Alias, self.seed);
        let is_meant = |number: &u64| {
            let own = self.kind.digits(*number, View::Own, self.seed);
            kind::within(self.own, &own) && !self.found.contains(number)
        };
        let meant = holder.filter(is_meant);
        self.found.extend(meant);
    }

    /// Those whose names have enough of the words, the best first. A whole name is one's alone.
    fn ranked(&self, words: &[String], of: KindIndex) -> Vec<(f64, Subject)> {
        let mut ranked: Vec<(f64, Subject)> = Vec::new();
        for number in &self.found {
            let subject = Subject {
                kind: of,
                number: *number,
            };
            let name = self.naming.name(self.kind, *number, self.seed, true);
            let like = likeness(words, &name, self.naming.last_words());
            if like >= WHOLE {
                return vec![(like, subject)];
            }
            ranked.push((like, subject));
        }
        ranked.sort_by(|one, other| other.0.total_cmp(&one.0));
        let best = ranked.first().map_or(0.0, |best| best.0);
        ranked.retain(|(like, _)| *like >= ENOUGH && *like >= best - LESS);
        ranked.truncate(MOST_FOUND);
        ranked
    }
}

/// What a name scores that is just what was searched for.
const WHOLE: f64 = 1.0;
/// What one scores at most that only has all words of the search.
const PART: f64 = 0.98;

/// How much a name has of words that are searched for. `ends` are words that names end in, and `does` words
/// that say what a company does.
fn likeness(words: &[String], name: &str, [does, ends]: [&[String]; 2]) -> f64 {
    let name = plain(name);
    if name == words {
        return WHOLE;
    }
    // The last words say what it is, the one before them what it does.
    let suffix = name.iter().skip(1);
    let suffix = suffix.filter(|word| ends.contains(word)).count();
    let weight = |at: usize| match name.len() - suffix {
        called if at >= called => WEIGHTS[2],
        called if at + 1 == called && called > 1 => WEIGHTS[1],
        _ => WEIGHTS[0],
    };
    let mut taken = vec![false; name.len()];
    let (mut sum, mut of) = (0.0, 0.0);
    for word in words {
        let free = (0..name.len()).filter(|at| !taken[*at]);
        let near = free.map(|at| (nearness(word, &name[at]), at));
        let best = near.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        match best {
            Some((near, at)) if near > 0.0 => {
                taken[at] = true;
                sum += near * weight(at);
                of += weight(at);
            }
            _ if ends.contains(word) => of += WEIGHTS[2],
            _ if does.contains(word) => of += OTHER_TRADE,
            _ => of += WEIGHTS[0],
        }
    }
    match of > 0.0 {
        true => (sum / of).min(PART),
        false => 0.0,
    }
}

/// How near a word is to one of a name: the same, its beginning, a part of it, or misspelt.
fn nearness(word: &str, of: &str) -> f64 {
    if word == of {
        return 1.0;
    }
    let (fewest, most) = (word.len().min(of.len()), word.len().max(of.len()));
    let share = fewest as f64 / most as f64;
    let mut near: f64 = 0.0;
    if of.starts_with(word) {
        near = 0.75 + 0.2 * share;
    } else if word.len() >= 3 && of.contains(word) {
        near = 0.2 + 0.2 * share;
    }
    // Whoever writes a word wrong has one of its first two letters right.
    let begins = |word: &str, other: &str| {
        word.bytes()
            .take(2)
            .any(|c| other.as_bytes()[..2].contains(&c))
    };
    if fewest >= 3 && most - fewest <= 2 && begins(word, of) {
        let wrong = strsim::osa_distance(word, of);
        // Of four letters another one is another word, unless two changed places.
        let same = |word: &str| {
            let mut letters = word.as_bytes().to_vec();
            letters.sort_unstable();
            letters
        };
        let is_one =
            wrong == 1 && (fewest >= 5 || (fewest == 4 && most == 5) || same(word) == same(of));
        if is_one || (wrong == 2 && fewest >= 5) {
            near = near.max(1.0 - 1.2 * wrong as f64 / most as f64);
        }
    }
    near
}

/// What a word is most often misspelt from: a letter doubled or not, two that changed places.
fn misspelt(word: &str) -> Vec<String> {
    let mut meant = Vec::new();
    for at in 1..word.len() {
        let (before, after) = word.split_at(at);
        let (last, next) = (&before[at - 1..], &after[..1]);
        if last == next {
            meant.push([before, &after[1..]].concat());
        }
    }
    meant
}

/// All words that are one mistake away.
fn neighbours(word: &str) -> Vec<String> {
    let letters = || ('A'..='Z').map(String::from);
    let mut all = Vec::new();
    for at in 1..=word.len() {
        let (before, after) = word.split_at(at);
        all.extend(letters().map(|letter| [before, &letter, after].concat()));
        if let Some(rest) = after.get(1..) {
            all.push([before, rest].concat());
            all.extend(letters().map(|letter| [before, &letter, rest].concat()));
            if let (Some(next), Some(rest)) = (rest.get(..1), rest.get(1..)) {
                all.push([before, next, &after[..1], rest].concat());
            }
        }
    }
    all.retain(|meant| meant != word);
    all
}
