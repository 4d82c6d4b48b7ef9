//! How alike two addresses are, by their words. A word that several spellings share is one word;
//! words that tell little of a place count little.

use super::pin;
use crate::engine::compute::ByName;

/// More words than any address has; the rest is not looked at.
const MAX_WORDS: usize = 64;
const MAX_LETTERS: usize = 32;
/// What addresses that are not the same score at most, and those with two different PINs, towns or numbers.
const NEARLY: f64 = 0.99;
const OTHER_PLACE: f64 = 0.75;

/// What towns and states are called besides, as rows.
#[derive(Clone, Copy, Default)]
pub(super) struct Towns<'t> {
    /// Towns by the names that they had, or are called by.
    pub(super) names: Option<&'t ByName<String>>,
    /// The states of towns, by all of their names.
    pub(super) states: Option<&'t ByName<String>>,
    /// States by their letters.
    pub(super) codes: Option<&'t ByName<String>>,
}

/// Spellings of one word: the word, and the others.
const SPELLINGS: [(&str, &str); 40] = [
    ("ROAD", "RD"),
    ("STREET", "ST STR"),
    ("LANE", "LN"),
    ("AVENUE", "AVE AV"),
    ("CROSS", "CRS CRSS"),
    ("MAIN", "MN"),
    (
        "APARTMENT",
        "APT APTS APARTMENTS APPT APPARTMENT APPARTMENTS",
    ),
    ("BUILDING", "BLDG BLD BUILDINGS"),
    ("TOWER", "TOWERS TWR"),
    ("BLOCK", "BLK"),
    ("FLOOR", "FLR FL FLOORS"),
    ("OPPOSITE", "OPP OPPO"),
    ("NEAR", "NR NEARBY"),
    ("BEHIND", "BHD BH"),
    ("EXTENSION", "EXTN EXT"),
    ("LAYOUT", "LYT"),
    ("NAGAR", "NGR"),
    ("COLONY", "COL CLY"),
    ("SECTOR", "SEC SECT"),
    ("PHASE", "PH PHS"),
    ("STAGE", "STG"),
    ("STATION", "STN"),
    ("HIGHWAY", "HWY"),
    ("DISTRICT", "DIST DT"),
    ("TALUK", "TALUKA TQ TEHSIL TAL"),
    ("VILLAGE", "VILL VLG"),
    ("SOCIETY", "SOC CHS"),
    ("COMPLEX", "CMPLX CPLX"),
    ("GROUND", "GRD GRND"),
    ("FEET", "FT FOOT"),
    ("PLOT", "PLT"),
    ("JUNCTION", "JN JNC"),
    ("BENGALURU", "BLORE BLR"),
    ("NEW DELHI", "NDLS"),
    ("ODISHA", "ORISSA"),
    ("UTTARAKHAND", "UTTARANCHAL"),
    ("PUDUCHERRY", "PONDICHERRY"),
    ("GUJARAT", "GUJ"),
    ("MAHARASHTRA", "MAH"),
    ("TAMILNADU", "TAMILNAD"),
];
/// Numbers in words and in Roman letters, the first one at the first place.
const NUMBERS: [(&str, &str); 12] = [
    ("FIRST", "I"),
    ("SECOND", "II"),
    ("THIRD", "III"),
    ("FOURTH", "IV"),
    ("FIFTH", "V"),
    ("SIXTH", "VI"),
    ("SEVENTH", "VII"),
    ("EIGHTH", "VIII"),
    ("NINTH", "IX"),
    ("TENTH", "X"),
    ("ELEVENTH", "XI"),
    ("TWELFTH", "XII"),
];
/// Are counted: a Roman letter beside one of these is a number.
const COUNTED: [&str; 9] = [
    "FLOOR", "CROSS", "MAIN", "PHASE", "BLOCK", "STAGE", "SECTOR", "STREET", "LANE",
];
/// Say only what the next word is.
const NOISE: [&str; 17] = [
    "NO", "NUMBER", "PIN", "PINCODE", "CODE", "INDIA", "BHARAT", "AT", "POST", "PO", "THE", "FLAT",
    "DOOR", "HOUSE", "HNO", "DNO", "SHOP",
];
/// Are in many addresses.
const COMMON: [&str; 29] = [
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
    "PLOT",
    "PHASE",
    "STAGE",
    "SOCIETY",
    "COMPLEX",
    "GROUND",
    "TALUK",
    "DISTRICT",
    "STATE",
];

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Address {
    words: Vec<String>,
    pin: Option<String>,
    towns: Vec<String>,
    is_cut: bool,
}

pub(super) fn score(a: &str, b: &str, towns: Towns<'_>) -> f64 {
    if a == b {
        return 1.0;
    }
    let (a, b) = (read(a, towns), read(b, towns));
    if a == b && !a.is_cut {
        return 1.0;
    }
    // Always the same way round, so that the score does not depend on which address comes first.
    let (mut a, mut b) = if a <= b { (a, b) } else { (b, a) };
    respace(&mut a.words, &b.words);
    respace(&mut b.words, &a.words);
    let shared = shared(&a.words, &b.words);
    let pins = a.pin.is_some() && b.pin.is_some();
    let same_pin = pins && a.pin == b.pin;
    let (of_a, of_b) = (weight_of(&a, pins), weight_of(&b, pins));
    if of_a.min(of_b) <= 0.0 {
        return 0.0;
    }
    let (sum, both) = (shared.sum + if same_pin { PIN } else { 0.0 }, of_a + of_b);
    // An address that leaves something out is nearer than one that says something else.
    let score = 0.75 * (2.0 * sum / both) + 0.25 * (sum / of_a.min(of_b));
    let known = !a.towns.is_empty() && !b.towns.is_empty();
    let other_town = known && a.towns.iter().all(|town| !b.towns.contains(town));
    let most = match (pins && !same_pin) || other_town || shared.other_number {
        true => OTHER_PLACE,
        false => NEARLY,
    };
    // In one PIN two words that differ are a landmark and a state more often than two places.
    let told = match same_pin {
        true => 1.0,
        false => OTHER_WORD.powi(shared.other_words.min(MAX_WORDS) as i32),
    };
    (score.min(1.0) * shared.order * told).min(most)
}

const PIN: f64 = 1.5;
/// What it costs that each has a word that the other does not.
const OTHER_WORD: f64 = 0.93;

fn weight_of(address: &Address, pins: bool) -> f64 {
    let words: f64 = address.words.iter().map(|word| weight(word)).sum();
    // A PIN that only one of them has tells little.
    match (&address.pin, pins) {
        (None, _) => words,
        (Some(_), true) => words + PIN,
        (Some(_), false) => words + 0.2,
    }
}

/// Writes together what the other one does: `INDIRA NAGAR`, `INDIRANAGAR`.
fn respace(words: &mut Vec<String>, other: &[String]) {
    let mut at = 0;
    while at + 1 < words.len() {
        let together = words[at..at + 2].concat();
        if other.contains(&together) {
            words.splice(at..at + 2, [together]);
        }
        at += 1;
    }
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

/// What two addresses have in common.
struct Shared {
    /// The weight of the words both have.
    sum: f64,
    /// What their order costs.
    order: f64,
    /// Whether each has a number that the other does not.
    other_number: bool,
    /// How many words of each say something else.
    other_words: usize,
}

fn shared(a: &[String], b: &[String]) -> Shared {
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
    let is_number = |word: &String| word.starts_with(|c: char| c.is_ascii_digit());
    let left_a = (0..a.len()).any(|at| taken_a[at].is_none() && is_number(&a[at]));
    let left_b = (0..b.len()).any(|at| !taken_b[at] && is_number(&b[at]));
    let tells = |word: &String| !is_number(word) && !COMMON.contains(&word.as_str());
    let told_a = (0..a.len()).filter(|at| taken_a[*at].is_none() && tells(&a[*at]));
    let told_b = (0..b.len()).filter(|at| !taken_b[*at] && tells(&b[*at]));
    let other_words = told_a.count().min(told_b.count());
    let places: Vec<usize> = taken_a.into_iter().flatten().collect();
    let steps = places.len().saturating_sub(1).max(1) as f64;
    let back = places.windows(2).filter(|pair| pair[1] < pair[0]).count();
    Shared {
        sum,
        order: 1.0 - 0.05 * back as f64 / steps,
        other_number: left_a && left_b,
        other_words,
    }
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

fn read(text: &str, towns: Towns<'_>) -> Address {
    let text = without_care(text);
    let (text, pin) = match pin::find(text) {
        Some((range, pin)) => {
            let rest = [&text[..range.start], " ", &text[range.end..]].concat();
            (rest, Some(pin))
        }
        None => (text.to_owned(), None),
    };
    let text = close(&text);
    let mut pieces = text
        .split_inclusive(|c: char| {
            c.is_whitespace() || (c.is_ascii() && !c.is_ascii_alphanumeric())
        })
        .flat_map(|piece| {
            let word = piece.trim_end_matches(|c: char| {
                c.is_whitespace() || (c.is_ascii() && !c.is_ascii_alphanumeric())
            });
            [word, if piece.ends_with(',') { "," } else { "" }]
        })
        .filter(|piece| !piece.is_empty());
    let mut is_cut = false;
    let mut words: Vec<String> = Vec::new();
    for piece in pieces.by_ref().take(2 * MAX_WORDS) {
        is_cut |= piece.chars().nth(MAX_LETTERS).is_some();
        let upper = piece.chars().flat_map(char::to_uppercase);
        words.push(upper.take(MAX_LETTERS).collect());
    }
    is_cut |= pieces.next().is_some();
    let mut words = joined(words);
    words.truncate(MAX_WORDS);
    for word in &mut words {
        let full = SPELLINGS
            .iter()
            .find(|(_, others)| others.split(' ').any(|other| other == word));
        if let Some((full, _)) = full {
            *word = (*full).to_owned();
        }
    }
    let mut words = counted(words);
    let towns = named(&mut words, towns);
    words.retain(|word| !NOISE.contains(&word.as_str()));
    Address {
        words,
        pin,
        towns,
        is_cut,
    }
}

/// Without whom it is in care of: a person is no place.
fn without_care(text: &str) -> &str {
    let mark = text.trim_start().get(..3).map(str::to_ascii_uppercase);
    let is_care = mark.is_some_and(|mark| ["C/O", "S/O", "D/O", "W/O"].contains(&mark.as_str()));
    match text.split_once(',') {
        Some((_, rest)) if is_care => rest,
        _ => text,
    }
}

/// Without the mark between a number and one letter: `12/A`, `H-12`.
fn close(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let is_digit = |at: usize| letters.get(at).is_some_and(char::is_ascii_digit);
    let is_alone = |at: usize| {
        let is_letter = |at: usize| letters.get(at).is_some_and(|c| c.is_alphabetic());
        is_letter(at) && !is_letter(at + 1) && !(at > 0 && is_letter(at - 1))
    };
    let is_between = |at: usize| {
        at > 0
            && matches!(letters[at], '-' | '/')
            && ((is_digit(at - 1) && is_alone(at + 1)) || (is_alone(at - 1) && is_digit(at + 1)))
    };
    let kept = (0..letters.len()).filter(|at| !is_between(*at));
    kept.map(|at| letters[at]).collect()
}

/// Numbers as digits: `4TH`, `FOURTH`, `IV`, and `4X`, which is a cross.
fn counted(words: Vec<String>) -> Vec<String> {
    let is_counted = |word: Option<&String>| {
        word.is_some_and(|word| COUNTED.contains(&word.as_str()) || word == "X")
    };
    let mut counted = Vec::with_capacity(words.len());
    for (at, word) in words.iter().enumerate() {
        let beside = is_counted(words.get(at + 1)) || (at > 0 && is_counted(words.get(at - 1)));
        let bare = ["ST", "ND", "RD", "TH"]
            .iter()
            .find_map(|end| word.strip_suffix(end))
            .filter(|bare| !bare.is_empty());
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let number = NUMBERS.iter().position(|(spelt, roman)| {
            let alone = word == roman && (roman.len() > 1 || beside);
            word == spelt || alone || bare == Some(roman)
        });
        match (number, bare, word.strip_suffix('X')) {
            _ if word == "X" && counted.last().is_some_and(|last: &String| digits(last)) => {
                counted.push("CROSS".to_owned());
            }
            (Some(number), _, _) => counted.push((number + 1).to_string()),
            (_, Some(bare), _) if digits(bare) => counted.push(bare.to_owned()),
            (_, _, Some(number)) if !number.is_empty() && digits(number) => {
                counted.extend([number.to_owned(), "CROSS".to_owned()]);
            }
            _ if word == "GF" => counted.extend(["GROUND".to_owned(), "FLOOR".to_owned()]),
            // `H NO`, `D NO`.
            _ if ["H", "D"].contains(&word.as_str())
                && words.get(at + 1).is_some_and(|next| next == "NO") => {}
            _ => counted.push(word.clone()),
        }
    }
    counted
}

/// Calls towns and states by the names they have now, and tells the towns.
fn named(words: &mut Vec<String>, known: Towns<'_>) -> Vec<String> {
    let mut towns = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let town = (1..=3.min(words.len() - at)).rev().find_map(|count| {
            let name = words[at..at + count].join(" ");
            let now = known.names.and_then(|names| names.get(&name));
            let is_town = known
                .states
                .is_some_and(|states| states.contains_key(&name));
            let town = now.cloned().or_else(|| is_town.then_some(name))?;
            Some((count, town))
        });
        match town {
            Some((count, town)) => {
                // What is beside the road is a place, what is before it only its name.
                let is_name = words
                    .get(at + count)
                    .is_some_and(|next| COMMON.contains(&next.as_str()));
                if !is_name {
                    towns.push(town.clone());
                }
                words.splice(at..at + count, [town]);
            }
            None => {
                let state = known.codes.and_then(|codes| codes.get(&words[at]));
                if let Some(state) = state.filter(|_| at > 1) {
                    let state = state.split(' ').map(str::to_owned);
                    words.splice(at..=at, state);
                }
            }
        }
        at += 1;
    }
    towns
}

/// Letters alone belong together: `M G ROAD` is `MG ROAD`, `12 A` is `12A`; not over a comma.
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
    joined.retain(|word| word != ",");
    joined
}
