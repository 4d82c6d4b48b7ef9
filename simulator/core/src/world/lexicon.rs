//! Words that can be coined: every word whose letters together cost little, and its number among those
//! that begin with the same letter. None of them is stored.

use svc_fixtures::world::CoinedWordsRow;

const LETTERS: usize = 26;
/// Consonants in a row are told apart up to two.
const RUNS: usize = 3;
/// What the letters of a word cost at most.
const MOST: usize = 64;

/// Which words there are.
#[derive(Debug)]
pub(super) struct Lexicon {
    /// What a letter costs after another, the end of the word at last: for second and for later ones.
    second: Vec<Vec<usize>>,
    later: Vec<Vec<usize>>,
    crowded: usize,
    vowels: [bool; LETTERS],
    /// How many ways to go on cost no more: by what may still be spent, the last letter, and how
    /// many consonants it ends in.
    ways: Vec<[[u64; RUNS]; LETTERS]>,
    /// By their first letter, then by what they cost.
    also: Vec<Vec<(usize, String)>>,
}

/// The words that begin with a letter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Initial {
    letter: usize,
    budget: usize,
    /// Where those begin that may cost anything and cost too much.
    also: usize,
    /// How many they are, without those that may cost anything.
    cheap: u64,
    /// How many they are.
    pub(super) words: u64,
}

/// Where a word stands while it is read or written.
#[derive(Clone, Copy)]
struct State {
    letter: usize,
    run: usize,
    is_first: bool,
    left: usize,
}

impl Lexicon {
    /// Reads the costs.
    ///
    /// # Errors
    /// What is wrong with them, in words.
    pub(super) fn new(row: &CoinedWordsRow) -> Result<Self, String> {
        let costs = |rows: &[String]| {
            let digit = |c: char| c.to_digit(36).map(|digit| digit as usize);
            let row = |row: &String| row.chars().map(digit).collect::<Option<Vec<usize>>>();
            let rows = rows.iter().map(row).collect::<Option<Vec<_>>>();
            let is_whole = |rows: &Vec<Vec<usize>>| {
                let fits = |row: &Vec<usize>| row.len() == LETTERS + 1 && !row.contains(&0);
                rows.len() == LETTERS && rows.iter().all(fits)
            };
            rows.filter(is_whole)
                .ok_or("words.coined: 26 rows of 27 digits of base 36, none of them 0")
        };
        let mut also = vec![Vec::new(); LETTERS];
        for word in &row.also {
            let first = word.bytes().next().and_then(letter);
            let first = first.ok_or("words.coined: a word begins with a letter")?;
            also[first].push((0, word.clone()));
        }
        let mut lexicon = Lexicon {
            second: costs(&row.second)?,
            later: costs(&row.later)?,
            crowded: row.crowded,
            vowels: std::array::from_fn(|at| row.vowels.bytes().any(|c| letter(c) == Some(at))),
            ways: Vec::with_capacity(MOST + 1),
            also,
        };
        for left in 0..=MOST {
            let mut ways = [[0; RUNS]; LETTERS];
            for (letter, of_letter) in ways.iter_mut().enumerate() {
                for (run, ways) in of_letter.iter_mut().enumerate() {
                    let state = State {
                        letter,
                        run,
                        is_first: false,
                        left,
                    };
                    *ways = u64::from(lexicon.ends(state)) + lexicon.goes_on(state);
                }
            }
            lexicon.ways.push(ways);
        }
        let mut also = std::mem::take(&mut lexicon.also);
        for words in &mut also {
            for (cost, word) in words.iter_mut() {
                *cost = lexicon
                    .cost(word)
                    .ok_or("words.coined: words are capitals")?;
            }
            words.sort_unstable();
        }
        lexicon.also = also;
        Ok(lexicon)
    }

    /// As many words as there is room for.
    pub(super) fn beginning_with(&self, letter: u8, room: u64) -> Option<Initial> {
        let letter = self::letter(letter)?;
        let cheap = |budget: usize| self.goes_on(self.start(letter, budget));
        let also = &self.also[letter];
        let budget = (0..=MOST).rfind(|budget| cheap(*budget) + also.len() as u64 <= room)?;
        // What is cheap enough anyway must not count twice.
        let known = also.partition_point(|(cost, _)| *cost <= budget);
        Some(Initial {
            letter,
            budget,
            also: known,
            cheap: cheap(budget),
            words: cheap(budget) + (also.len() - known) as u64,
        })
    }

    /// The word of a number below how many there are.
    pub(super) fn word(&self, initial: Initial, number: u64) -> String {
        if let Some(at) = number.checked_sub(initial.cheap) {
            let also = self.also[initial.letter].get(initial.also + at as usize);
            return also.map(|(_, word)| word.clone()).unwrap_or_default();
        }
        let (mut word, mut number) = (String::with_capacity(16), number);
        let mut state = self.start(initial.letter, initial.budget);
        word.push(character(state.letter));
        while let Some((next, rest)) = self.chosen(state, number) {
            word.push(character(next.letter));
            (state, number) = (next, rest);
        }
        word
    }

    /// The letter that leads to a number, and the number behind it; none where the word ends.
    fn chosen(&self, state: State, number: u64) -> Option<(State, u64)> {
        let mut number = match self.ends(state) {
            true => number.checked_sub(1)?,
            false => number,
        };
        for next in (0..LETTERS).filter_map(|letter| self.step(state, letter)) {
            let ways = self.ways[next.left][next.letter][next.run];
            match number.checked_sub(ways) {
                Some(rest) => number = rest,
                None => return Some((next, number)),
            }
        }
        None
    }

    /// The numbers of the words that begin with this: the first, and how many.
    pub(super) fn beginning(&self, initial: Initial, text: &str) -> Option<(u64, u64)> {
        let (state, number) = self.walk(initial, text)?;
        let ends = u64::from(self.ends(state));
        Some((number, ends + self.goes_on(state)))
    }

    /// The number of a word; none where there is no such word.
    pub(super) fn number(&self, initial: Initial, word: &str) -> Option<u64> {
        let also = &self.also[initial.letter][initial.also..];
        if let Some(at) = also.iter().position(|(_, known)| known == word) {
            return Some(initial.cheap + at as u64);
        }
        // Most of what is looked for is no word, and that is seen without counting those before it.
        let mut letters = word.bytes().map(letter);
        let mut state = self.start(letters.next()??, initial.budget);
        for letter in letters {
            state = self.step(state, letter?)?;
        }
        if !self.ends(state) {
            return None;
        }
        self.walk(initial, word).map(|(_, number)| number)
    }

    fn walk(&self, initial: Initial, text: &str) -> Option<(State, u64)> {
        let mut state = self.start(initial.letter, initial.budget);
        let mut letters = text.bytes().map(letter);
        if letters.next()?? != state.letter {
            return None;
        }
        let mut number = 0;
        for wanted in letters {
            let wanted = wanted?;
            number += u64::from(self.ends(state));
            let before = (0..wanted).filter_map(|letter| self.step(state, letter));
            let ways = before.map(|next| self.ways[next.left][next.letter][next.run]);
            number += ways.sum::<u64>();
            state = self.step(state, wanted)?;
        }
        Some((state, number))
    }

    /// What all letters of a word cost together.
    fn cost(&self, word: &str) -> Option<usize> {
        let mut letters = word.bytes().map(letter);
        let mut state = self.start(letters.next()??, usize::MAX);
        for letter in letters {
            state = self.step(state, letter?)?;
        }
        state
            .left
            .checked_sub(self.later[state.letter][LETTERS])
            .map(|left| usize::MAX - left)
    }

    fn start(&self, letter: usize, left: usize) -> State {
        State {
            letter,
            run: usize::from(!self.vowels[letter]),
            is_first: true,
            left,
        }
    }

    fn step(&self, state: State, letter: usize) -> Option<State> {
        let costs = if state.is_first {
            &self.second
        } else {
            &self.later
        };
        let run = if self.vowels[letter] {
            0
        } else {
            state.run + 1
        };
        let crowd = if run >= RUNS { self.crowded } else { 0 };
        let left = state
            .left
            .checked_sub(costs[state.letter][letter] + crowd)?;
        Some(State {
            letter,
            run: run.min(RUNS - 1),
            is_first: false,
            left,
        })
    }

    /// Whether a word may end here. One letter is none.
    fn ends(&self, state: State) -> bool {
        !state.is_first && self.later[state.letter][LETTERS] <= state.left
    }

    /// How many words go on from here.
    fn goes_on(&self, state: State) -> u64 {
        let next = (0..LETTERS).filter_map(|letter| self.step(state, letter));
        next.map(|next| self.ways[next.left][next.letter][next.run])
            .sum()
    }
}

fn letter(byte: u8) -> Option<usize> {
    byte.is_ascii_uppercase().then(|| usize::from(byte - b'A'))
}

fn character(letter: usize) -> char {
    char::from(b'A' + u8::try_from(letter).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use svc_fixtures::world::WorldRows;

    #[test]
    fn each_word_has_a_number_and_each_number_a_word() {
        let lexicon = Lexicon::new(&WorldRows::built_in().words.coined).expect("good rows");
        for first in b'A'..=b'Z' {
            let initial = lexicon.beginning_with(first, 2_000_000).expect("words");
            assert!((1_000_000..=2_000_000).contains(&initial.words));
            for at in (0..initial.words).step_by(9973).chain([initial.words - 1]) {
                let word = lexicon.word(initial, at);
                assert_eq!(word.as_bytes()[0], first, "{word}");
                assert_eq!(lexicon.number(initial, &word), Some(at), "{word}");
            }
        }
    }

    #[test]
    fn words_of_people_are_words_and_noise_is_none() {
        let lexicon = Lexicon::new(&WorldRows::built_in().words.coined).expect("good rows");
        let number = |word: &str| {
            let initial = lexicon.beginning_with(word.as_bytes()[0], 2_000_000)?;
            lexicon.number(initial, word)
        };
        for word in ["TATA", "ACME", "ABC", "WIPRO", "SHARMA", "TECHNOLOGIES"] {
            assert!(number(word).is_some(), "{word}");
        }
        for word in ["QXQZWJK", "T", "TATA2", "TÄTÄ"] {
            assert!(number(word).is_none(), "{word}");
        }
    }
}
