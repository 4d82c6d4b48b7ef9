//! How alike two words of names are: typing mistakes, other spellings of one sound, initials and
//! shortened words.

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
const INITIAL: f64 = 0.5;

/// Of two words in capitals.
pub(super) fn likeness(a: &str, b: &str) -> Likeness {
    let by_letters = |score| Likeness {
        score,
        by_initial: false,
    };
    let (count_a, count_b) = (a.chars().count(), b.chars().count());
    let (fewest, most) = (count_a.min(count_b), count_a.max(count_b));
    if fewest == 1 {
        let (short, long) = if count_a == 1 { (a, b) } else { (b, a) };
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
    if a == b {
        return by_letters(1.0);
    }
    if most < 3 {
        return by_letters(0.0);
    }
    let mut score = by_distance(a, b, fewest, most);
    if sound(a).is_some_and(|heard| Some(heard) == sound(b)) {
        score = score.max(SOUNDS_ALIKE);
    }
    if fewest >= 3 && (a.starts_with(b) || b.starts_with(a)) {
        score = score.max(0.5 + 0.3 * fewest as f64 / most as f64);
    }
    by_letters(score)
}

/// One slip of the fingers in a long word is a mistake; in a short one it may be another name.
fn by_distance(a: &str, b: &str, fewest: usize, most: usize) -> f64 {
    // A distance is at least the difference in length: most pairs need not be measured.
    if most - fewest > 3 {
        return 0.0;
    }
    let distance = strsim::damerau_levenshtein(a, b);
    let share = distance as f64 / most as f64;
    let same_start = a.chars().next() == b.chars().next();
    match distance {
        1 if sorted(a) == sorted(b) => 1.0 - 0.6 * share,
        1 if most == 3 => 0.5,
        1 if most == 4 && fewest == 4 => 0.55,
        1 if most == 4 => 0.7,
        1 if same_start => 1.0 - 0.75 * share,
        1 => 1.0 - 1.3 * share,
        2 | 3 if share <= 0.34 => {
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

fn sorted(word: &str) -> Vec<char> {
    let mut letters: Vec<char> = word.chars().collect();
    letters.sort_unstable();
    letters
}

/// A word of Latin letters by its sound, as names of Indian languages are spelt: `LAXMI` and
/// `LAKSHMI`, `DIPAK` and `DEEPAK`. None for other scripts and for what is hardly a sound.
fn sound(word: &str) -> Option<String> {
    /// Replaced in this order. Nothing that is a letter alone here stands for two names.
    const SOUNDS: [(&str, &str); 24] = [
        ("X", "KS"),
        ("PH", "F"),
        ("CK", "K"),
        ("Q", "K"),
        ("EE", "I"),
        ("OO", "U"),
        ("OU", "O"),
        ("AU", "O"),
        ("OW", "O"),
        ("AI", "E"),
        ("AY", "E"),
        ("EY", "I"),
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
    ];
    if !word.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return None;
    }
    let mut heard = word.to_owned();
    for (spelt, sound) in SOUNDS {
        if heard.contains(spelt) {
            heard = heard.replace(spelt, sound);
        }
    }
    let mut letters: Vec<char> = heard.chars().collect();
    letters.dedup();
    (letters.len() > 2).then(|| letters.into_iter().collect())
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
        0.50 RAO RAJ
        0.85 ASHA AHSA
        0.55 ASHA USHA
        0.72 RAMA RAM
        0.88 SHARMA SHARME
        0.00 SHARMA VERMA
        0.00 SUNIL ANIL
        0.00 CHATTERJEE CHATARJI
        0.87 SUBRAMANIAM SUBRAMANYAN
        0.65 RAJ RAJESH
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
