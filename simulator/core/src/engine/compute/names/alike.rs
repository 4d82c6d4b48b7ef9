//! How alike two words of names are: typing mistakes, other spellings of one sound, initials and
//! shortened words. Nearly all words that are compared are unlike: what shows that cheaply is asked first.

use std::sync::LazyLock;

use super::script::{CONSONANTS, OPEN, WRITTEN};

/// How alike two words are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Likeness {
    /// 0 where they are not alike, else 0.5 to 1.
    pub(super) score: f64,
    /// Whether one of them is but the first letter of the other, or both are one letter.
    pub(super) by_initial: bool,
}

/// Another spelling of what sounds the same.
const SOUNDS_ALIKE: f64 = 0.92;
/// The same in another script, where letters that the script does not tell apart are taken for one.
const WRITTEN_ALIKE: f64 = 0.9;
const LOAN: f64 = 0.82;
const INITIAL: f64 = 0.55;
/// A name that is nearly another: two letters apart stand for two people, as `ASHA` and `USHA`, `KUMAR` and
/// `KUMARI` do.
const ANOTHER: f64 = 0.35;
/// A name with what respect adds: `HARDIK`, `HARDIKBHAI`.
const WITH_RESPECT: f64 = 0.92;
const RESPECT: [&str; 9] = [
    "BHAI", "BEN", "BAI", "APPA", "AMMA", "ANNA", "SAHEB", "JI", "RAO",
];

/// Of two words in capitals.
pub(super) fn likeness(a: &str, b: &str) -> Likeness {
    let by_letters = |score| Likeness {
        score,
        by_initial: false,
    };
    if a == b && a.chars().nth(1).is_some() {
        return by_letters(1.0);
    }
    if is_written(a) || is_written(b) {
        return written(a, b);
    }
    let (count_a, count_b) = (a.chars().count(), b.chars().count());
    let (fewest, most) = (count_a.min(count_b), count_a.max(count_b));
    // Two letters may shorten a word, too: `CH` is `CHANDRA`.
    let is_short = fewest == 2 && most > 4 && (a.starts_with(b) || b.starts_with(a));
    if fewest == 1 || is_short {
        let (short, long) = if count_a == fewest { (a, b) } else { (b, a) };
        let score = match (a == b, long.starts_with(short)) {
            (true, _) => 1.0,
            (_, true) => INITIAL,
            _ => 0.0,
        };
        return Likeness {
            score,
            by_initial: true,
        };
    }
    let mut score = if most < 3 {
        0.0
    } else {
        by_distance(a, b, fewest, most)
    };
    if score < SOUNDS_ALIKE && one_sound(a, b) {
        score = SOUNDS_ALIKE;
    }
    let (short, long) = if count_a <= count_b { (a, b) } else { (b, a) };
    if fewest >= 3
        && let Some(rest) = long.strip_prefix(short)
    {
        let respect = RESPECT.contains(&rest);
        score = score.max(if respect { WITH_RESPECT } else { ANOTHER });
    }
    by_letters(score)
}

fn is_written(word: &str) -> bool {
    word.ends_with([OPEN, WRITTEN, CONSONANTS])
}

/// Two words of which one at least was written in a script of India.
fn written(a: &str, b: &str) -> Likeness {
    let plain = |word: &str| {
        word.trim_end_matches([OPEN, WRITTEN, CONSONANTS])
            .to_owned()
    };
    let (plain_a, plain_b) = (plain(a), plain(b));
    if a.ends_with(CONSONANTS) || b.ends_with(CONSONANTS) {
        let same = plain_a != plain_b && !is_initial(&plain_a) && !is_initial(&plain_b);
        let heard = |word: &str| skeleton(word, &["A", "E", "I", "O", "U", "Y", "V"]);
        let score = match (
            same && heard(&plain_a) == heard(&plain_b),
            plain_a == plain_b,
        ) {
            (_, true) => 1.0,
            (true, _) => WRITTEN_ALIKE,
            _ => 0.0,
        };
        return Likeness {
            score,
            by_initial: false,
        };
    }
    let forms = |word: &str, plain: &str| {
        let mut forms = vec![plain.to_owned()];
        if word.ends_with(OPEN) {
            forms.push(format!("{plain}A"));
        }
        // Bengali writes `SOURAV` as it does `SAURABH`.
        forms.extend(plain.strip_suffix("BH").map(|stem| format!("{stem}V")));
        forms
    };
    let mut best = Likeness {
        score: 0.0,
        by_initial: false,
    };
    for one in forms(a, &plain_a) {
        for other in forms(b, &plain_b) {
            let mut found = likeness(&one, &other);
            if !found.by_initial && inner(&one) == inner(&other) {
                found.score = found.score.max(WRITTEN_ALIKE);
            }
            // Words of other languages are written as they are heard: `SYSTEMS` is `SISTAMS`.
            let vowels = |word: &str| skeleton(word, &["A", "E", "I", "O", "U"]);
            if one.len().min(other.len()) >= 6 && vowels(&one) == vowels(&other) {
                found.score = found.score.max(LOAN);
            }
            if found.score > best.score {
                best = found;
            }
        }
    }
    best
}

fn is_initial(word: &str) -> bool {
    word.chars().nth(1).is_none()
}

/// What is heard without the vowel that scripts leave out, and with one letter for sounds that Tamil writes
/// alike.
fn inner(word: &str) -> String {
    let heard = heard(word);
    let last = heard.chars().count().saturating_sub(1);
    let letter = |(at, c): (usize, char)| match c {
        'A' if at > 0 && at < last => None,
        'G' => Some('K'),
        'D' => Some('T'),
        'B' => Some('P'),
        other => Some(other),
    };
    heard.chars().enumerate().filter_map(letter).collect()
}

/// What is heard without vowels.
fn skeleton(word: &str, without: &[&str]) -> String {
    let mut letters: Vec<char> = heard(word)
        .chars()
        .filter(|c| !without.iter().any(|vowel| vowel.starts_with(*c)))
        .collect();
    letters.dedup();
    letters.into_iter().collect()
}

/// So many letters has a word in which two mistakes may be slips of the fingers.
const LONG: usize = 10;

/// One slip of the fingers in a long word is a mistake; in a short one it is another name.
fn by_distance(a: &str, b: &str, fewest: usize, most: usize) -> f64 {
    // A distance is at least the difference in length: most pairs need not be measured.
    if most - fewest > 2 {
        return 0.0;
    }
    // A mistake changes at most two of the letters that a word has, and two mistakes count in long words only.
    let mistakes = if most < LONG { 1 } else { 2 };
    if a.is_ascii() && b.is_ascii() && (letters(a) ^ letters(b)).count_ones() > 2 * mistakes {
        return 0.0;
    }
    let distance = strsim::damerau_levenshtein(a, b);
    let share = distance as f64 / most as f64;
    match distance {
        1 => {
            let nearly = 1.0 - 0.75 * share;
            match slip(a, b) {
                Slip::Changed => 1.0 - 0.6 * share,
                Slip::Gender => ANOTHER,
                Slip::Plural if fewest >= 4 => nearly,
                _ if most >= 8 => nearly,
                Slip::VowelMissing if most >= 6 => nearly,
                _ => ANOTHER,
            }
        }
        2 if most >= LONG => {
            let alike = strsim::jaro_winkler(a, b);
            if alike >= 0.8 {
                (1.0 - share + alike) / 2.0
            } else {
                0.0
            }
        }
        _ => 0.0,
    }
}

/// What one mistake was.
enum Slip {
    /// Two letters changed places.
    Changed,
    /// A vowel at the end, as between `SANGEET` and `SANGEETA`.
    Gender,
    /// An `S` at the end.
    Plural,
    /// A vowel inside the word was left out.
    VowelMissing,
    Other,
}

fn slip(a: &str, b: &str) -> Slip {
    if sorted(a) == sorted(b) {
        return Slip::Changed;
    }
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    if long.strip_suffix('S') == Some(short) {
        return Slip::Plural;
    }
    if [Some("A"), Some("I")].contains(&long.strip_prefix(short)) {
        return Slip::Gender;
    }
    let first = short.chars().zip(long.chars()).position(|(a, b)| a != b);
    match first.and_then(|at| long.chars().nth(at)) {
        Some(c) if first != Some(0) && short.len() < long.len() && "AEIOU".contains(c) => {
            Slip::VowelMissing
        }
        _ => Slip::Other,
    }
}

fn sorted(word: &str) -> Vec<char> {
    let mut letters: Vec<char> = word.chars().collect();
    letters.sort_unstable();
    letters
}

/// Whether two words are spellings of one sound.
pub(super) fn sounds_alike(a: &str, b: &str) -> bool {
    a == b || one_sound(a, b)
}

fn one_sound(a: &str, b: &str) -> bool {
    may_begin_alike(a, b)
        && (letters(a) ^ letters(b)) & *ALWAYS_HEARD == 0
        && sound(a).is_some_and(|heard| Some(heard) == sound(b))
}

/// Letters that no row of sounds adds to a word or takes from it: words of one sound have the same of them.
static ALWAYS_HEARD: LazyLock<u32> = LazyLock::new(|| {
    let rows = SOUNDS.iter().chain(&ENDINGS);
    rows.fold(u32::MAX, |all, (spelt, sound)| {
        all & !(letters(spelt) ^ letters(sound))
    })
});

/// Whether words that begin with these letters may be the same or sound alike.
pub(super) fn may_begin_alike(a: &str, b: &str) -> bool {
    /// For each capital the first of those that may begin one sound: whatever a row has in the place of another.
    static FIRST: LazyLock<[u8; 26]> = LazyLock::new(|| {
        let mut first: [u8; 26] = std::array::from_fn(|at| b'A' + at as u8);
        for (spelt, sound) in SOUNDS.iter().chain(&ENDINGS) {
            let of = |text: &str| first[usize::from(text.as_bytes()[0] - b'A')];
            let (one, other) = (of(spelt).min(of(sound)), of(spelt).max(of(sound)));
            for letter in &mut first {
                if *letter == other {
                    *letter = one;
                }
            }
        }
        first
    });
    let begins = |word: &str| {
        let letter = word.as_bytes().first().copied();
        letter.map(|letter| match letter {
            b'A'..=b'Z' => FIRST[usize::from(letter - b'A')],
            other => other,
        })
    };
    begins(a) == begins(b)
}

/// A word of Latin letters by its sound, as names of Indian languages are spelt: `LAXMI` and
/// `LAKSHMI`, `DIPAK` and `DEEPAK`. None for other scripts and for what is hardly a sound.
fn sound(word: &str) -> Option<String> {
    if !word.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return None;
    }
    let heard = heard(word);
    (heard.len() > 1 && word.len() > 2).then_some(heard)
}

/// What a name may end in beside the other, where it is long enough for that.
const ENDINGS: [(&str, &str); 10] = [
    ("AVU", "O"),
    ("AV", "O"),
    ("OSE", "OS"),
    ("INIVASA", "INIVAS"),
    ("NARAIANA", "NARAIAN"),
    ("NARENA", "NAREN"),
    ("RAMANA", "RAMAN"),
    ("ESVARA", "ESVAR"),
    ("NATA", "NAT"),
    ("KRISNAN", "KRISNA"),
];

/// Which letters a word has, a bit each.
fn letters(word: &str) -> u32 {
    word.bytes().fold(0, |all, byte| all | 1 << (byte & 31))
}

/// Replaced in this order. Nothing that is a letter alone here stands for two names.
const SOUNDS: [(&str, &str); 34] = [
    ("TSUM", "KSM"),
    ("AYU", "AI"),
    ("AIYE", "IYE"),
    ("AIYA", "AYA"),
    ("X", "KS"),
    ("PH", "F"),
    ("CK", "K"),
    ("Q", "K"),
    ("GY", "GN"),
    ("JN", "GN"),
    ("ZH", "L"),
    ("EE", "I"),
    ("EA", "E"),
    ("OO", "U"),
    ("OU", "O"),
    ("AU", "O"),
    ("OW", "O"),
    ("AO", "O"),
    ("AI", "E"),
    ("AY", "E"),
    ("EY", "E"),
    ("IY", "I"),
    ("SH", "S"),
    ("TH", "T"),
    ("DH", "D"),
    ("GH", "G"),
    ("KH", "K"),
    ("JH", "J"),
    ("BH", "B"),
    ("CHH", "CH"),
    ("Z", "J"),
    ("W", "V"),
    ("Y", "I"),
    ("JOTI", "JIOTI"),
];

fn heard(word: &str) -> String {
    let mut heard = word.to_owned();
    let mut present = letters(&heard);
    for (spelt, sound) in SOUNDS {
        // Most words lack a letter of most sounds, and need not be searched.
        let needed = letters(spelt);
        if present & needed == needed && heard.contains(spelt) {
            heard = heard.replace(spelt, sound);
            present = letters(&heard);
        }
    }
    let mut before = None;
    heard.retain(|letter| before.replace(letter) != Some(letter));
    let last = heard.as_bytes().last().copied();
    for (spelt, sound) in ENDINGS {
        if spelt.as_bytes().last().copied() == last && heard.ends_with(spelt) {
            heard.truncate(heard.len() - spelt.len());
            heard.push_str(sound);
            break;
        }
    }
    heard
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_weigh_more_in_shorter_words() {
        let scores = [
            ("RAO", "ROA"),
            ("RAO", "RAJ"),
            ("ASHA", "AHSA"),
            ("ASHA", "USHA"),
            ("RAMA", "RAM"),
            ("SHARMA", "SHARME"),
            ("SHARMA", "VERMA"),
            ("SUNIL", "ANIL"),
            ("CHATTERJEE", "CHATARJI"),
            ("SUBRAMANIAM", "SUBRAMANYAN"),
            ("RAJ", "RAJESH"),
            ("DAS", "DEV"),
            ("AB", "BA"),
        ];
        let line = |(a, b): (&str, &str)| format!("{:.2} {a} {b}", likeness(a, b).score);
        insta::assert_snapshot!(scores.map(line).join("\n"), @"
            0.80 RAO ROA
            0.35 RAO RAJ
            0.85 ASHA AHSA
            0.35 ASHA USHA
            0.35 RAMA RAM
            0.35 SHARMA SHARME
            0.00 SHARMA VERMA
            0.00 SUNIL ANIL
            0.00 CHATTERJEE CHATARJI
            0.87 SUBRAMANIAM SUBRAMANYAN
            0.35 RAJ RAJESH
            0.00 DAS DEV
            0.00 AB BA
            ");
    }

    #[test]
    fn one_sound_has_many_spellings() {
        for (a, b) in [
            ("LAXMI", "LAKSHMI"),
            ("DEEPAK", "DIPAK"),
            ("POOJA", "PUJA"),
            ("CHOUDHARY", "CHAUDHARI"),
            ("AGGARWAL", "AGARVAL"),
            ("VIJAY", "VIJEY"),
            ("ASHA", "AASHA"),
            ("JOSEPH", "JOSEF"),
        ] {
            assert!(
                likeness(a, b).score >= 0.85,
                "{a} {b}: {:?} {:?}",
                sound(a),
                sound(b)
            );
        }
        for (a, b) in [
            ("ASHA", "USHA"),
            ("RAO", "RAI"),
            ("AMIT", "SUMIT"),
            ("SITA", "GITA"),
        ] {
            assert!(likeness(a, b).score < 0.8, "{a} {b}");
        }
    }

    #[test]
    fn no_words_of_one_sound_are_told_apart_before_they_are_heard() {
        let rows = SOUNDS.iter().chain(&ENDINGS);
        let mut words: Vec<String> = rows
            .flat_map(|(spelt, sound)| [*spelt, *sound])
            .flat_map(|part| ["", "K", "RA", "E"].map(|before| format!("{before}{part}")))
            .flat_map(|begun| ["", "A", "N", "IVA"].map(|after| format!("{begun}{after}")))
            .collect();
        words.sort_unstable();
        words.dedup();
        let heard: Vec<_> = words.iter().map(|word| (word, sound(word))).collect();
        let mut alike = 0;
        for (a, sound_a) in heard.iter().filter(|(_, sound)| sound.is_some()) {
            for (b, _) in heard.iter().filter(|(_, sound)| sound == sound_a) {
                assert!(one_sound(a, b), "{a} {b}");
                alike += usize::from(a != b);
            }
        }
        assert!(alike > 500, "{alike}");
    }

    #[test]
    fn an_initial_is_half_a_word() {
        assert_eq!(likeness("A", "ASHA").score, INITIAL);
        assert_eq!(likeness("ASHA", "A").score, INITIAL);
        assert_eq!(likeness("A", "RAO").score, 0.0);
        assert_eq!(likeness("आ", "आशा").score, INITIAL);
        assert_eq!(
            likeness("A", "A"),
            Likeness {
                score: 1.0,
                by_initial: true
            }
        );
    }
}
