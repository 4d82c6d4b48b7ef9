//! How alike two addresses are, by their words. A word that several spellings share is one word;
//! words that tell little of a place count little.

use super::pin;

/// More words than any address has; the rest is not looked at.
const MAX_WORDS: usize = 64;
const MAX_LETTERS: usize = 32;
/// What addresses that are not the same score at most, and those with two different PINs.
const NEARLY: f64 = 0.99;
const OTHER_PIN: f64 = 0.75;

/// Spellings of one word. Towns by the name they have now.
const SPELLINGS: [(&str, &str); 44] = [
    ("RD", "ROAD"),
    ("ST", "STREET"),
    ("STR", "STREET"),
    ("LN", "LANE"),
    ("AVE", "AVENUE"),
    ("AV", "AVENUE"),
    ("CRS", "CROSS"),
    ("MN", "MAIN"),
    ("APT", "APARTMENT"),
    ("APTS", "APARTMENT"),
    ("APARTMENTS", "APARTMENT"),
    ("APPT", "APARTMENT"),
    ("BLDG", "BUILDING"),
    ("BLD", "BUILDING"),
    ("TOWERS", "TOWER"),
    ("BLK", "BLOCK"),
    ("FLR", "FLOOR"),
    ("FL", "FLOOR"),
    ("OPP", "OPPOSITE"),
    ("NR", "NEAR"),
    ("BHD", "BEHIND"),
    ("EXTN", "EXTENSION"),
    ("EXT", "EXTENSION"),
    ("LYT", "LAYOUT"),
    ("NGR", "NAGAR"),
    ("COL", "COLONY"),
    ("SEC", "SECTOR"),
    ("STN", "STATION"),
    ("HWY", "HIGHWAY"),
    ("DIST", "DISTRICT"),
    ("VILL", "VILLAGE"),
    ("FIRST", "1ST"),
    ("SECOND", "2ND"),
    ("THIRD", "3RD"),
    ("FOURTH", "4TH"),
    ("FIFTH", "5TH"),
    ("BANGALORE", "BENGALURU"),
    ("BOMBAY", "MUMBAI"),
    ("MADRAS", "CHENNAI"),
    ("CALCUTTA", "KOLKATA"),
    ("MYSORE", "MYSURU"),
    ("GURGAON", "GURUGRAM"),
    ("ORISSA", "ODISHA"),
    ("POONA", "PUNE"),
];
/// Say only what the next word is.
const NOISE: [&str; 9] = [
    "NO", "NUMBER", "PIN", "PINCODE", "CODE", "INDIA", "AT", "POST", "THE",
];
/// Are in many addresses.
const COMMON: [&str; 26] = [
    "ROAD",
    "STREET",
    "LANE",
    "AVENUE",
    "CROSS",
    "MAIN",
    "MARG",
    "SALAI",
    "APARTMENT",
    "BUILDING",
    "TOWER",
    "BLOCK",
    "FLOOR",
    "OPPOSITE",
    "NEAR",
    "BEHIND",
    "NAGAR",
    "COLONY",
    "SECTOR",
    "LAYOUT",
    "HOUSE",
    "FLAT",
    "DOOR",
    "PLOT",
    "DISTRICT",
    "STATE",
];

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Address {
    words: Vec<String>,
    pin: Option<String>,
    is_cut: bool,
}

pub(super) fn score(a: &str, b: &str) -> f64 {
    if a == b {
        return 1.0;
    }
    let (a, b) = (read(a), read(b));
    if a == b && !a.is_cut {
        return 1.0;
    }
    // Always the same way round, so that the score does not depend on which address comes first.
    let (a, b) = if a <= b { (a, b) } else { (b, a) };
    let (shared, order) = shared(&a.words, &b.words);
    let pin = match (&a.pin, &b.pin) {
        (Some(a), Some(b)) if a == b => PIN,
        _ => 0.0,
    };
    let (of_a, of_b) = (weight_of(&a), weight_of(&b));
    if of_a.min(of_b) <= 0.0 {
        return 0.0;
    }
    let (shared, both) = (shared + pin, of_a + of_b);
    // An address that leaves something out is nearer than one that says something else.
    let score = 0.75 * (2.0 * shared / both) + 0.25 * (shared / of_a.min(of_b));
    let most = match (&a.pin, &b.pin) {
        (Some(a), Some(b)) if a != b => OTHER_PIN,
        _ => NEARLY,
    };
    (score.min(1.0) * order).min(most)
}

const PIN: f64 = 1.5;

fn weight_of(address: &Address) -> f64 {
    let words: f64 = address.words.iter().map(|word| weight(word)).sum();
    words + if address.pin.is_some() { PIN } else { 0.0 }
}

/// Another number is another house.
fn weight(word: &str) -> f64 {
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        2.0
    } else if COMMON.contains(&word) {
        0.4
    } else {
        1.0
    }
}

/// The weight of the words both have, and what their order costs.
fn shared(a: &[String], b: &[String]) -> (f64, f64) {
    let mut candidates = Vec::new();
    for (at, word) in a.iter().enumerate() {
        for (other_at, other) in b.iter().enumerate() {
            let alike = alike(word, other);
            if alike > 0.0 {
                candidates.push((alike, at, other_at));
            }
        }
    }
    candidates.sort_by(|one, two| two.0.total_cmp(&one.0));
    let (mut taken_a, mut taken_b) = (vec![None; a.len()], vec![false; b.len()]);
    let mut sum = 0.0;
    for (alike, at, other_at) in candidates {
        if taken_a[at].is_none() && !taken_b[other_at] {
            taken_a[at] = Some(other_at);
            taken_b[other_at] = true;
            sum += alike * (weight(&a[at]) + weight(&b[other_at])) / 2.0;
        }
    }
    let places: Vec<usize> = taken_a.into_iter().flatten().collect();
    let steps = places.len().saturating_sub(1).max(1) as f64;
    let back = places.windows(2).filter(|pair| pair[1] < pair[0]).count();
    (sum, 1.0 - 0.05 * back as f64 / steps)
}

/// Numbers are the same or not; words may be mistyped.
fn alike(a: &str, b: &str) -> f64 {
    if a == b {
        return 1.0;
    }
    let digits = |word: &str| word.contains(|c: char| c.is_ascii_digit());
    let (fewest, most) = (a.len().min(b.len()), a.len().max(b.len()));
    if digits(a) || digits(b) || fewest < 4 || most - fewest > 3 {
        return 0.0;
    }
    let alike = strsim::normalized_damerau_levenshtein(a, b);
    if alike >= 0.74 { alike } else { 0.0 }
}

fn read(text: &str) -> Address {
    let (text, pin) = match pin::find(text) {
        Some((range, pin)) => {
            let rest = [&text[..range.start], " ", &text[range.end..]].concat();
            (rest, Some(pin))
        }
        None => (text.to_owned(), None),
    };
    let mut pieces = text
        .split(|c: char| c.is_whitespace() || (c.is_ascii() && !c.is_ascii_alphanumeric()))
        .filter(|piece| !piece.is_empty());
    let mut is_cut = false;
    let mut words: Vec<String> = Vec::new();
    for piece in pieces.by_ref().take(MAX_WORDS) {
        is_cut |= piece.chars().nth(MAX_LETTERS).is_some();
        words.push(
            piece
                .chars()
                .flat_map(char::to_uppercase)
                .take(MAX_LETTERS)
                .collect(),
        );
    }
    is_cut |= pieces.next().is_some();
    let mut words = joined(words);
    for word in &mut words {
        if let Some((_, full)) = SPELLINGS.iter().find(|(short, _)| short == word) {
            *word = (*full).to_owned();
        }
    }
    words.retain(|word| !NOISE.contains(&word.as_str()));
    Address { words, pin, is_cut }
}

/// Letters alone belong together: `M G ROAD` is `MG ROAD`, `12 A` is `12A`.
fn joined(words: Vec<String>) -> Vec<String> {
    let is_letter =
        |word: &str| word.len() == 1 && word.starts_with(|c: char| c.is_ascii_alphabetic());
    let mut joined: Vec<String> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let letters = words[at..]
            .iter()
            .take_while(|word| is_letter(word))
            .count();
        let number = joined
            .last_mut()
            .filter(|last| last.bytes().all(|byte| byte.is_ascii_digit()));
        match (letters, number) {
            (1, Some(number)) => number.push_str(&words[at]),
            (0, _) => joined.push(words[at].clone()),
            _ => joined.push(words[at..at + letters].concat()),
        }
        at += letters.max(1);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = "12, 4TH CROSS, INDIRANAGAR, BENGALURU, KARNATAKA 560038";

    #[test]
    fn one_address_has_many_spellings() {
        for (a, b) in [
            (
                SAMPLE,
                "12 4th cross Indiranagar Bengaluru Karnataka - 560 038",
            ),
            (
                SAMPLE,
                "No. 12, Fourth Cross, Indiranagar, Bangalore, Karnataka, India, PIN 560038",
            ),
            (
                "5 M.G. Rd, Apt 4-B, Opp. Park",
                "No 5, MG ROAD, APARTMENT 4 B, OPPOSITE PARK",
            ),
        ] {
            assert_eq!(score(a, b), 1.0, "{b}");
        }
    }

    #[test]
    fn nearer_addresses_score_higher() {
        let others = [
            "INDIRANAGAR, 4TH CROSS, 12, BENGALURU, KARNATAKA 560038",
            "12, 4TH CROSS, INDRANAGAR, BENGALURU, KARNATAKA 560038",
            "12, 4TH CROSS, INDIRANAGAR, BENGALURU",
            "12, 4TH CROSS, INDIRANAGAR, NEAR METRO STATION, BENGALURU, KARNATAKA 560038",
            "14, 4TH CROSS, INDIRANAGAR, BENGALURU, KARNATAKA 560038",
            "12, 4TH CROSS, INDIRANAGAR, BENGALURU, KARNATAKA 560037",
            "INDIRANAGAR, BENGALURU",
            "45, RESIDENCY ROAD, ASHOK NAGAR, BENGALURU, KARNATAKA 560025",
            "7, STATION ROAD, KOTHRUD, PUNE, MAHARASHTRA 411038",
            "",
        ];
        let lines = others.map(|other| format!("{:.2} {other}", score(SAMPLE, other)));
        insta::assert_snapshot!(lines.join("\n"), @"
        0.98 INDIRANAGAR, 4TH CROSS, 12, BENGALURU, KARNATAKA 560038
        0.99 12, 4TH CROSS, INDRANAGAR, BENGALURU, KARNATAKA 560038
        0.88 12, 4TH CROSS, INDIRANAGAR, BENGALURU
        0.91 12, 4TH CROSS, INDIRANAGAR, NEAR METRO STATION, BENGALURU, KARNATAKA 560038
        0.78 14, 4TH CROSS, INDIRANAGAR, BENGALURU, KARNATAKA 560038
        0.75 12, 4TH CROSS, INDIRANAGAR, BENGALURU, KARNATAKA 560037
        0.53 INDIRANAGAR, BENGALURU
        0.23 45, RESIDENCY ROAD, ASHOK NAGAR, BENGALURU, KARNATAKA 560025
        0.00 7, STATION ROAD, KOTHRUD, PUNE, MAHARASHTRA 411038
        0.00
        ");
    }

    #[test]
    fn two_pins_never_match() {
        let long = "12, 4TH CROSS, 2ND STAGE, NEAR GANDHI PARK, INDIRANAGAR, BENGALURU, KARNATAKA";
        assert!(score(&format!("{long} 560038"), &format!("{long} 560037")) < 0.8);
        assert!(score(&format!("{long} 560038"), long) >= 0.8);
    }

    #[test]
    fn a_huge_address_is_compared_in_no_time() {
        let many = "park ".repeat(200_000);
        let long = "a".repeat(1_000_000);
        for (a, b) in [
            (&many, &long),
            (&long, &format!("{long}b")),
            (&many, &format!("{many}y")),
        ] {
            assert!(score(a, b) < 1.0);
        }
    }
}
