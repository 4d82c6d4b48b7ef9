//! From a name as somebody wrote it to the words that count. Does not compare.

use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::FixedState;

use super::script;

/// More words than any name has; the rest is not looked at, so that a huge text can't stall a call.
const MAX_WORDS: usize = 16;
const MAX_LETTERS: usize = 40;

/// Stand before or after a name and are never part of one.
const TITLES: [&str; 21] = [
    "MR", "MRS", "SMT", "DO", "SHRIMATI", "SRIMATI", "SRIMATHI", "MISS", "SHRI", "DR", "ER",
    "CAPT", "COL", "JI", "MBBS", "PHD", "IAS", "IPS", "RETD", "THIRU", "TMT",
];
/// May also be a name, or begin one: titles only at the very beginning.
const LEADING_TITLES: [&str; 10] = [
    "MS", "KUMARI", "KUM", "SRI", "SHREE", "SH", "MX", "PROF", "ADV", "LATE",
];
/// Say whose child or spouse somebody is; what follows is another person's name.
const RELATIONS: [&str; 5] = ["SON", "DAUGHTER", "WIFE", "HUSBAND", "CARE"];

/// What is written in more than one way, in names of people: the one word, and the others.
const SHORT_FORMS: [(&str, &str); 17] = [
    ("KUMAR", "KR KMR"),
    (
        "MOHAMMED",
        "MD MOHD MOHAMMAD MOHAMED MOHAMAD MUHAMMAD MUHAMMED MUHAMAD MUHAMED MOHAMMOD",
    ),
    (
        "HUSAIN",
        "HUSSAIN HUSSEIN HUSEIN HOSSAIN HUSSEN HUSEN HASSAIN",
    ),
    ("SHAIKH", "SHEIKH SHAIK SHEKH SHEIK SK SHAYKH"),
    ("AHMED", "AHMAD AHAMED AHAMAD AHMADH"),
    ("SYED", "SAYYED SAYED SAYYID SAIYED SAYEED SAIYID"),
    ("RAHMAN", "REHMAN RAHAMAN REHAMAN RAHMAAN"),
    ("ABDUL", "ABDUR ABD ABDAL ABDOOL"),
    ("YUSUF", "YOUSUF YOUSAF YUSEF YOUSEF YOOSUF"),
    ("BEGUM", "BEGAM BEGOM"),
    ("KHATOON", "KHATUN KHATUUN"),
    ("QURESHI", "KURESHI QURAISHI QUERESHI"),
    ("USMAN", "OSMAN OTHMAN"),
    ("UMAR", "OMAR OMER UMER"),
    ("IBRAHIM", "EBRAHIM IBRAHEEM"),
    ("ISMAIL", "ISMAEEL ESMAIL"),
    ("MOHAMMEDI", "MUHAMMADI"),
];
/// How scripts of India write what a business is.
const WRITTEN_FORMS: [(&str, &str); 6] = [
    ("PRIVATE", "PRAIVET PRAYVET PRAIVETU PRAIVAT"),
    ("LIMITED", "LIMITED LIMITID LIMITET"),
    ("LLP", "ELELPI"),
    ("COMPANY", "KAMPANI KAMPNI"),
    ("AND", "END AND"),
    ("INDIA", "INDIYA INDIA"),
];

/// Those of how a business is organised.
const LEGAL_SHORT_FORMS: [(&str, &str); 4] = [
    ("PRIVATE", "PVT PVTE"),
    ("LIMITED", "LTD"),
    ("COMPANY", "CO"),
    ("CORPORATION", "CORP"),
];
const BUSINESS_SHORT_FORMS: [(&str, &str); 12] = [
    ("PRIVATE", "PVT PVTE"),
    ("LIMITED", "LTD"),
    ("COMPANY", "CO"),
    ("CORPORATION", "CORP"),
    ("INCORPORATED", "INC"),
    ("BROTHERS", "BROS"),
    ("INTERNATIONAL", "INTL"),
    ("ENGINEERING", "ENGG"),
    ("MANUFACTURING", "MFG"),
    ("INDUSTRIES", "IND INDS"),
    ("SERVICES", "SVCS"),
    ("TECHNOLOGIES", "TECH"),
];
/// Say how a business is organised, not what it is called.
const FORMS: [&str; 14] = [
    "ASSOCIATION",
    "FOUNDATION",
    "TRUST",
    "HUF",
    "SAMITI",
    "SOCIETY",
    "PRIVATE",
    "LIMITED",
    "LLP",
    "COMPANY",
    "CORPORATION",
    "INCORPORATED",
    "OPC",
    "INDIA",
];

/// The words of a name that count, in order and in capitals.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    pub(super) words: Vec<String>,
    /// How a business is organised, in no order of its own; empty for a person.
    pub(super) forms: Vec<&'static str>,
    /// Whether there was more than is looked at.
    pub(super) is_cut: bool,
}

/// For each other way to write a word that word.
type Spellings = LazyLock<HashMap<&'static str, &'static str, FixedState>>;

static OF_PEOPLE: Spellings = LazyLock::new(|| spellings(&SHORT_FORMS));
static OF_SCRIPTS: Spellings = LazyLock::new(|| spellings(&WRITTEN_FORMS));
static OF_FORMS: Spellings = LazyLock::new(|| spellings(&LEGAL_SHORT_FORMS));
static OF_BUSINESSES: Spellings = LazyLock::new(|| spellings(&BUSINESS_SHORT_FORMS));

fn spellings(
    rows: &[(&'static str, &'static str)],
) -> HashMap<&'static str, &'static str, FixedState> {
    let row = |(full, others): &(&'static str, &'static str)| {
        let full = *full;
        others.split(' ').map(move |other| (other, full))
    };
    rows.iter().flat_map(row).collect()
}

/// All words of a text, in capitals, the usual short forms written out.
fn read(text: &str, short_forms: &Spellings) -> Name {
    let mut words: Vec<String> = Vec::new();
    let mut is_cut = false;
    let pieces = text.split(separates).filter(|piece| !piece.is_empty());
    for piece in pieces {
        if words.len() == MAX_WORDS {
            is_cut = true;
            break;
        }
        let word = match is_plain(piece) {
            true => piece.to_ascii_uppercase(),
            false => {
                let mut letters = piece.chars().filter(|c| !is_apostrophe(*c));
                let word: String = letters.by_ref().take(MAX_LETTERS).collect();
                is_cut |= letters.next().is_some();
                script::latin(&word)
            }
        };
        let spoken = spoken(&word);
        let full = match spoken.len() < word.len() {
            true => OF_SCRIPTS.get(spoken),
            false => short_forms.get(word.as_str()),
        };
        match full {
            Some(full) => words.push((*full).to_owned()),
            None if word.is_empty() => {}
            None => words.push(word),
        }
    }
    Name {
        words,
        forms: Vec::new(),
        is_cut,
    }
}

/// Whether a piece of text is a word as it is, but for capitals.
fn is_plain(piece: &str) -> bool {
    piece.len() <= MAX_LETTERS && piece.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// A word without the marks of what its script leaves open.
fn spoken(word: &str) -> &str {
    word.trim_end_matches([script::OPEN, script::WRITTEN])
}

/// Marks of vowels and of their absence are no letters to Rust, but part of the words of most
/// Indian scripts: everything outside ASCII that is no punctuation belongs to a word.
fn separates(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_alphanumeric() && !is_apostrophe(c);
    }
    let punctuation = matches!(c, '\u{2000}'..='\u{206F}' | '\u{3000}'..='\u{303F}' | '\u{80}'..='\u{BF}' | '\u{964}' | '\u{965}');
    !is_apostrophe(c) && (c.is_whitespace() || punctuation)
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '`' | '\u{2018}' | '\u{2019}')
}

/// A person's name as written, without whose child or spouse it is; and the same without titles,
/// where it has any.
pub(super) fn of_person(text: &str) -> (Name, Option<Name>) {
    let mut whole = read(own_part(text), &OF_PEOPLE);
    // `DE SOUZA` is `DSOUZA`.
    while let Some(at) = whole.words.windows(2).position(|pair| pair[0] == "DE") {
        let joined = format!("D{}", whole.words[at + 1]);
        whole.words.splice(at..at + 2, [joined]);
    }
    // What a wife was called before, or somebody is called besides, is another name.
    let besides = |word: &String| ["NEE", "ALIAS", "URF"].contains(&word.as_str());
    if let Some(at) = whole.words.iter().position(besides).filter(|at| *at > 0) {
        whole.words.truncate(at);
    }
    let is_title = |word: &String| TITLES.contains(&spoken(word));
    let mut plain = whole.words.as_slice();
    while let [first, rest @ ..] = plain
        && !rest.is_empty()
        && (is_title(first) || LEADING_TITLES.contains(&spoken(first)))
    {
        plain = rest;
    }
    while let [rest @ .., last] = plain
        && !rest.is_empty()
        && is_title(last)
    {
        plain = rest;
    }
    let differs = plain.len() < whole.words.len();
    let plain = differs.then(|| Name {
        words: plain.to_vec(),
        ..whole.clone()
    });
    (whole, plain)
}

/// What stands before `S/O`, `D/O`, `W/O`, `C/O`, `SON OF` and the like; all of it where nothing
/// stands before.
fn own_part(text: &str) -> &str {
    let found = text.char_indices().find(|&(at, c)| {
        let starts = text[..at]
            .chars()
            .next_back()
            .is_none_or(|before| !before.is_alphanumeric());
        starts && c.is_ascii_alphabetic() && is_relation(&text[at..])
    });
    let own = found.map_or(text, |(at, _)| &text[..at]);
    if own.chars().all(separates) {
        text
    } else {
        own
    }
}

fn is_relation(rest: &str) -> bool {
    let word_end = |rest: &str| {
        rest.find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(rest.len())
    };
    let (word, rest) = rest.split_at(word_end(rest));
    let is_letter = ["S", "D", "W", "H", "C"]
        .iter()
        .any(|letter| word.eq_ignore_ascii_case(letter));
    let is_word = RELATIONS
        .iter()
        .any(|relation| word.eq_ignore_ascii_case(relation));
    let rest = rest.trim_start();
    let (of, rest) = match rest.strip_prefix(['/', '\\']) {
        Some(rest) if is_letter => ("O", rest.trim_start()),
        _ if is_word => ("OF", rest),
        _ => return false,
    };
    rest[..word_end(rest)].eq_ignore_ascii_case(of)
}

/// Whether a name says how a business is organised.
pub(super) fn is_business(text: &str) -> bool {
    let is_form = |word: &str| FORMS.contains(&word) && word != "INDIA";
    let pieces = text.split(separates).filter(|piece| !piece.is_empty());
    // Nearly all names are a few plain words, which need no list of their own.
    if pieces.clone().all(is_plain) {
        return pieces.take(MAX_WORDS).skip(1).any(|piece| {
            let word = piece.to_ascii_uppercase();
            is_form(OF_FORMS.get(word.as_str()).copied().unwrap_or(&word))
        });
    }
    let name = read(text, &OF_FORMS);
    name.words.iter().skip(1).any(|word| is_form(word))
}

/// A business's name: what it is called apart from how it is organised.
pub(super) fn of_business(text: &str) -> Name {
    let text = text.replace('&', " AND ");
    let mut name = read(&text, &OF_BUSINESSES);
    name.words = without_messrs(name.words, &text);
    join_forms(&mut name.words);
    let mut called = Vec::new();
    for word in &name.words {
        match FORMS.iter().find(|form| *form == word) {
            Some(form) => name.forms.push(form),
            None if matches!(word.as_str(), "AND" | "THE") => {}
            None => called.push(word.clone()),
        }
    }
    name.forms.sort_unstable();
    name.forms.dedup();
    // A name that is nothing but form is called so.
    if called.is_empty() {
        name.forms.clear();
    } else {
        name.words = called;
    }
    name
}

/// The words of a company's name that somebody searches for: letters and digits of ASCII in capitals, its
/// form written out.
#[must_use]
pub fn search_words(text: &str) -> Vec<String> {
    let name = read(&text.replace('&', " AND "), &OF_FORMS);
    let mut words = without_messrs(name.words, text);
    join_forms(&mut words);
    for word in &mut words {
        // As it is mostly spelt: no `A` at the end that is not written.
        word.retain(|c| c.is_ascii_alphanumeric() || c == ' ');
    }
    let words = words.iter().flat_map(|word| word.split(' '));
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Without `M/s` before it.
fn without_messrs(mut words: Vec<String>, text: &str) -> Vec<String> {
    let is = |word: Option<&String>, wanted: &str| word.is_some_and(|word| word == wanted);
    if is(words.first(), "M") && is(words.get(1), "S") && text.contains('/') {
        words.drain(..2);
    } else if is(words.first(), "MESSRS") {
        words.remove(0);
    }
    words
}

/// Forms that are written in several words.
fn join_forms(words: &mut Vec<String>) {
    const SPELT: [(&[&str], &str); 4] = [
        (&["L", "L", "P"], "LLP"),
        (&["LIMITED", "LIABILITY", "PARTNERSHIP"], "LLP"),
        (&["ONE", "PERSON", "COMPANY"], "OPC"),
        (&["P", "LIMITED"], "PRIVATE LIMITED"),
    ];
    for (spelt, form) in SPELT {
        let found = words.windows(spelt.len()).position(|window| {
            window
                .iter()
                .zip(spelt)
                .all(|(word, wanted)| word == wanted)
        });
        if let Some(at) = found {
            words.splice(at..at + spelt.len(), form.split(' ').map(str::to_owned));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(text: &str) -> String {
        let (whole, plain) = of_person(text);
        plain.unwrap_or(whole).words.join(" ")
    }

    fn business(text: &str) -> String {
        let name = of_business(text);
        format!("{} | {}", name.words.join(" "), name.forms.join(" "))
    }

    #[test]
    fn titles_and_relations_do_not_count() {
        for (text, words) in [
            ("Mr. Asha Rao", "ASHA RAO"),
            ("SHRI DR ASHA RAO", "ASHA RAO"),
            ("Rao, Asha (Mrs.)", "RAO ASHA"),
            ("Kumari Asha", "ASHA"),
            ("Asha Kumari", "ASHA KUMARI"),
            ("Dr", "DR"),
            ("Asha Rao D/O Mohan Rao", "ASHA RAO"),
            ("asha rao s / o mohan", "ASHA RAO"),
            ("Asha Rao wife of Mohan", "ASHA RAO"),
            ("S/O Mohan Rao", "S O MOHAN RAO"),
            ("Vijay Sood", "VIJAY SOOD"),
            ("D'Souza Mary-Ann", "DSOUZA MARY ANN"),
            ("Md. Irfan", "MOHAMMED IRFAN"),
            ("लक्ष्मी राव।", "LAKSHMIˑ RAVə"),
            ("...", ""),
        ] {
            assert_eq!(person(text), words, "{text}");
        }
    }

    #[test]
    fn legal_forms_stand_apart() {
        for (text, parts) in [
            (
                "Neelgiri Systems Pvt. Ltd.",
                "NEELGIRI SYSTEMS | LIMITED PRIVATE",
            ),
            (
                "Neelgiri Systems (P) Ltd",
                "NEELGIRI SYSTEMS | LIMITED PRIVATE",
            ),
            ("M/s Neelgiri (India) L.L.P.", "NEELGIRI | INDIA LLP"),
            ("Shah & Sons Co", "SHAH SONS | COMPANY"),
            ("Limited Company", "LIMITED COMPANY | "),
            ("M S Foods", "M S FOODS | "),
        ] {
            assert_eq!(business(text), parts, "{text}");
        }
    }
}
