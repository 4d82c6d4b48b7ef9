//! How alike two names are. `words` reads them, `alike` compares two words; here the words of one
//! name are paired with those of the other and what is missing, left over or moved is weighed.

mod alike;
mod script;
mod words;

#[cfg(test)]
mod table;

use svc_fixtures::json::Json;

use self::alike::{Likeness, likeness, may_begin_alike, sounds_alike};
use self::words::Name;
pub use self::words::search_words;
use super::{Tools, logic, two_decimals};

/// What names that are not the same score at most.
const NEARLY: f64 = 0.99;
/// Words in another order cost a tenth, initials alone half of that.
const MOVED: f64 = 0.9;
const INITIAL_MOVED: f64 = 0.95;
/// A word divided or joined differently: `RAM KUMAR`, `RAMKUMAR`.
const RESPACED: f64 = 0.98;
/// One of the names says how the business is organised, the other does not.
const FORM_MISSING: f64 = 0.97;
const OTHER_FORM: f64 = 0.75;

#[derive(Debug, Clone, Copy, Default)]
struct Options {
    business: bool,
    partial: bool,
    any_order: bool,
}

/// `name_score(a, b[, type, partial, any_order])`: from 0 (nothing in common) to 1 (the same
/// name), two decimals. Case, white space and punctuation do not matter. Without a type, names that
/// end as those of businesses do are judged as such.
pub(super) fn name_score<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let (Some(a), Some(b)) = (args[0].as_text(), args[1].as_text()) else {
        return Json::Num(0.0);
    };
    // Most calls claim the very name that is known.
    if a.eq_ignore_ascii_case(b) {
        return Json::Num(1.0);
    }
    let is_on = |at: usize| args.get(at).is_some_and(logic::is_true);
    let business = match args.get(2).and_then(Json::as_text) {
        Some(kind) => kind.eq_ignore_ascii_case("business"),
        // Where nobody says, the name that is known does: the second one, or the claimed one.
        None => words::is_business(a) || words::is_business(b),
    };
    let options = Options {
        business,
        partial: is_on(3),
        any_order: is_on(4),
    };
    two_decimals(score(a, b, options))
}

/// How alike two names of businesses are, from 0 to 1.
#[must_use]
pub fn business_score(a: &str, b: &str) -> f64 {
    let options = Options {
        business: true,
        ..Options::default()
    };
    score(a, b, options)
}

fn score(a: &str, b: &str, options: Options) -> f64 {
    if a.eq_ignore_ascii_case(b) {
        return 1.0;
    }
    if options.business {
        return compare(words::of_business(a), words::of_business(b), options);
    }
    let ((whole_a, plain_a), (whole_b, plain_b)) = (words::of_person(a), words::of_person(b));
    if plain_a.is_none() && plain_b.is_none() {
        return compare(whole_a, whole_b, options);
    }
    // What looks like a title may be part of the name: `MS DHONI`. The better reading counts.
    let plain_a = plain_a.unwrap_or_else(|| whole_a.clone());
    let plain_b = plain_b.unwrap_or_else(|| whole_b.clone());
    compare(whole_a, whole_b, options).max(compare(plain_a, plain_b, options))
}

fn compare(a: Name, b: Name, options: Options) -> f64 {
    if a == b && !a.is_cut {
        return 1.0;
    }
    if a.words.is_empty() || b.words.is_empty() {
        return 0.0;
    }
    // Always the same way round, so that the score does not depend on which name comes first.
    let in_order = (a.words.len(), &a.words) <= (b.words.len(), &b.words);
    let (mut a, mut b) = if in_order { (a, b) } else { (b, a) };
    let mut score = 1.0;
    if respace(&mut a.words, &b.words) | respace(&mut b.words, &a.words) {
        score *= RESPACED;
    }
    if a.is_cut || b.is_cut {
        score *= NEARLY;
    }
    score *= match (a.forms == b.forms, a.forms.is_empty() || b.forms.is_empty()) {
        (true, _) => 1.0,
        (false, true) => FORM_MISSING,
        (false, false) if without_india(&a).eq(without_india(&b)) => FORM_MISSING,
        // Two forms are two legal persons, whatever they are called.
        (false, false) => OTHER_FORM,
    };
    let pairs = pairs(&a.words, &b.words);
    if !options.any_order {
        score *= order_kept(&pairs);
    }
    score *= weighed(&a.words, &b.words, &pairs, options);
    if score < 1.0 { score.min(NEARLY) } else { 1.0 }
}

fn without_india(name: &Name) -> impl Iterator<Item = &&'static str> {
    name.forms.iter().filter(|form| **form != "INDIA")
}

/// Writes words as the other name writes them, where they differ by spaces only: joins `RAM KUMAR`
/// and `A K`, and divides `AK` where the other name has words with these initials. Tells whether
/// words were joined.
fn respace(words: &mut Vec<String>, other: &[String]) -> bool {
    let mut joined = false;
    for size in [3, 2] {
        let mut at = 0;
        while at + size <= words.len() {
            // Nearly always no word of the other name begins as these do.
            if !other.iter().any(|word| may_begin_alike(word, &words[at])) {
                at += 1;
                continue;
            }
            let together = words[at..at + size].concat();
            let initials = words[at..at + size].iter().all(|word| is_initial(word));
            let no_initial = !words[at..at + size].iter().any(|word| is_initial(word));
            let same = |word: &&String| match no_initial {
                true => sounds_alike(word, &together),
                false => **word == together,
            };
            if let Some(same) = other.iter().find(same) {
                joined |= !initials;
                words.splice(at..at + size, [same.clone()]);
            }
            at += 1;
        }
    }
    let mut at = 0;
    while at < words.len() {
        let letters = words[at].chars();
        let count = letters.clone().take(4).count();
        let stands_for = |window: &[String]| {
            let starts = |(word, letter): (&String, char)| word.starts_with(letter);
            window.iter().zip(letters.clone()).all(starts)
                && window.iter().any(|word| !is_initial(word))
        };
        if (2..=3).contains(&count)
            && !other.contains(&words[at])
            && other.windows(count).any(stands_for)
        {
            let letters: Vec<String> = letters.map(String::from).collect();
            words.splice(at..=at, letters);
        }
        at += 1;
    }
    joined
}

fn is_initial(word: &str) -> bool {
    word.chars().nth(1).is_none()
}

/// Two words that stand for each other: their places and how alike they are.
struct Pair {
    a: usize,
    b: usize,
    likeness: Likeness,
}

/// Pairs the most alike words first; of equally alike ones those that stand first.
fn pairs(a: &[String], b: &[String]) -> Vec<Pair> {
    let mut candidates = Vec::new();
    for (at, word) in a.iter().enumerate() {
        for (other_at, other) in b.iter().enumerate() {
            let likeness = likeness(word, other);
            if likeness.score > 0.0 {
                candidates.push(Pair {
                    a: at,
                    b: other_at,
                    likeness,
                });
            }
        }
    }
    candidates.sort_by(|one, two| two.likeness.score.total_cmp(&one.likeness.score));
    let mut chosen: Vec<Pair> = Vec::new();
    for candidate in candidates {
        let is_free = |pair: &Pair| pair.a != candidate.a && pair.b != candidate.b;
        if chosen.iter().all(is_free) {
            chosen.push(candidate);
        }
    }
    chosen.sort_by_key(|pair| pair.a);
    chosen
}

/// What words in another order cost.
fn order_kept(pairs: &[Pair]) -> f64 {
    let moved = |counts: &dyn Fn(&Pair) -> bool| {
        let places: Vec<usize> = pairs
            .iter()
            .filter(|pair| counts(pair))
            .map(|pair| pair.b)
            .collect();
        !places.is_sorted()
    };
    if moved(&|pair| !pair.likeness.by_initial) {
        MOVED
    } else if moved(&|_| true) {
        INITIAL_MOVED
    } else {
        1.0
    }
}

/// The likeness of the pairs over all words that count. Words left over on both sides contradict
/// each other; left over on one side they are merely missing.
fn weighed(a: &[String], b: &[String], pairs: &[Pair], options: Options) -> f64 {
    let found = pairs
        .iter()
        .fold(0.0, |sum, pair| sum + pair.likeness.score);
    let contradictions = a.len().min(b.len()) - pairs.len();
    let (longer, is_paired): (&[String], Vec<usize>) = if a.len() > b.len() {
        (a, pairs.iter().map(|pair| pair.a).collect())
    } else {
        (b, pairs.iter().map(|pair| pair.b).collect())
    };
    let mut missing: Vec<f64> = (0..longer.len())
        .filter(|at| !is_paired.contains(at))
        .map(|at| missing_weight(longer, at, options.business))
        .collect();
    // The weightiest of the words left over are those that contradict.
    missing.sort_by(f64::total_cmp);
    missing.truncate(missing.len().saturating_sub(contradictions));
    let missing: f64 = if options.partial {
        0.0
    } else {
        missing.iter().sum()
    };
    let numbers = differing_numbers(a, b, pairs);
    found / ((pairs.len() + contradictions + numbers) as f64 + missing)
}

/// Another number is another unit: it counts twice.
fn differing_numbers(a: &[String], b: &[String], pairs: &[Pair]) -> usize {
    let is_number = |word: &&String| word.bytes().all(|byte| byte.is_ascii_digit());
    let left = |words: &[String], paired: &dyn Fn(&Pair) -> usize| {
        let free = |at: &usize| pairs.iter().all(|pair| paired(pair) != *at);
        let words = (0..words.len()).filter(free).map(|at| &words[at]);
        words.filter(is_number).count()
    };
    left(a, &|pair| pair.a).min(left(b, &|pair| pair.b))
}

/// People leave out initials and middle names; without a first or last name somebody may be meant
/// whom the other name does not mean.
fn missing_weight(words: &[String], at: usize, business: bool) -> f64 {
    let is_middle = at > 0 && at + 1 < words.len();
    match (is_initial(&words[at]), business, is_middle) {
        (true, _, _) => 0.1,
        (_, true, _) => 0.6,
        (_, _, true) => 0.25,
        (_, _, false) => 0.42,
    }
}

#[cfg(test)]
mod tests {
    use super::super::call;
    use super::*;

    const PERSON: Options = Options {
        business: false,
        partial: false,
        any_order: false,
    };

    /// A line a pair, so that the whole scale is seen at once.
    fn scale(pairs: &[(&str, &str)], options: Options) -> String {
        let line = |(a, b): &(&str, &str)| format!("{:.2} {a} / {b}", score(a, b, options));
        pairs.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_same_name_scores_one_however_it_is_written() {
        for claimed in [
            "ASHA RAO",
            "Asha Rao",
            " asha   rao ",
            "Asha. Rao",
            "SMT ASHA RAO",
            "Dr. (Mrs.) Asha Rao",
            "ASHA RAO D/O MOHAN RAO",
        ] {
            assert_eq!(score(claimed, "ASHA RAO", PERSON), 1.0, "{claimed}");
        }
    }

    #[test]
    fn nearer_names_score_higher() {
        let claimed = |name| (name, "ASHA RAO");
        let names = [
            "Asha K Rao",
            "Asha Kumari Rao",
            "Aasha Rao",
            "Rao Asha",
            "Asha Roa",
            "Asha Rau",
            "A Rao",
            "Usha Rao",
            "Rao A",
            "Asha",
            "Asha Sharma",
            "Vikram Seth",
            "",
        ];
        insta::assert_snapshot!(scale(&names.map(claimed), PERSON), @"
        0.95 Asha K Rao / ASHA RAO
        0.89 Asha Kumari Rao / ASHA RAO
        0.96 Aasha Rao / ASHA RAO
        0.90 Rao Asha / ASHA RAO
        0.90 Asha Roa / ASHA RAO
        0.96 Asha Rau / ASHA RAO
        0.78 A Rao / ASHA RAO
        0.68 Usha Rao / ASHA RAO
        0.74 Rao A / ASHA RAO
        0.70 Asha / ASHA RAO
        0.50 Asha Sharma / ASHA RAO
        0.00 Vikram Seth / ASHA RAO
        0.00  / ASHA RAO
        ");
    }

    #[test]
    fn names_of_the_country_are_known_again() {
        insta::assert_snapshot!(scale(&[
            ("R K Narayan", "Narayan R K"),
            ("RK Narayan", "R. K. Narayan"),
            ("MS Dhoni", "M S Dhoni"),
            ("MS Dhoni", "Mahendra Singh Dhoni"),
            ("A P J Abdul Kalam", "Abdul Kalam"),
            ("Venkata Ramana", "Venkataramana"),
            ("Laxmi Choudhary", "Lakshmi Chaudhari"),
            ("Md Irfan", "Mohammad Irfan"),
            ("Deepak Kr Singh", "Dipak Kumar Singh"),
            ("Mary D'Souza", "Mary Dsouza"),
            ("Mary D Souza", "Mary Dsouza"),
            ("Krishna Iyer", "Krishnamurthy Iyer"),
            ("Ramesh K", "Ramesh"),
            ("Asha K Rao", "Asha M Rao"),
            ("Asha Kumari Rao", "Asha Devi Rao"),
            ("Asha Rao", "Asha Raj"),
            ("Amit Shah", "Sumit Shah"),
            ("Sunil Verma", "Anil Sharma"),
            ("लक्ष्मी राव", "लक्ष्मी राव "),
            ("लक्ष्मी राव", "आशा राव"),
        ], PERSON), @"
        0.95 R K Narayan / Narayan R K
        1.00 RK Narayan / R. K. Narayan
        1.00 MS Dhoni / M S Dhoni
        0.70 MS Dhoni / Mahendra Singh Dhoni
        0.87 A P J Abdul Kalam / Abdul Kalam
        0.98 Venkata Ramana / Venkataramana
        0.92 Laxmi Choudhary / Lakshmi Chaudhari
        1.00 Md Irfan / Mohammad Irfan
        0.97 Deepak Kr Singh / Dipak Kumar Singh
        1.00 Mary D'Souza / Mary Dsouza
        0.98 Mary D Souza / Mary Dsouza
        0.68 Krishna Iyer / Krishnamurthy Iyer
        0.91 Ramesh K / Ramesh
        0.67 Asha K Rao / Asha M Rao
        0.67 Asha Kumari Rao / Asha Devi Rao
        0.68 Asha Rao / Asha Raj
        0.50 Amit Shah / Sumit Shah
        0.00 Sunil Verma / Anil Sharma
        1.00 लक्ष्मी राव / लक्ष्मी राव 
        0.50 लक्ष्मी राव / आशा राव
        ");
    }

    #[test]
    fn businesses_fold_their_legal_forms() {
        let business = Options {
            business: true,
            ..PERSON
        };
        insta::assert_snapshot!(scale(&[
            ("Neelgiri Systems Pvt Ltd", "NEELGIRI SYSTEMS PRIVATE LIMITED"),
            ("Neelgiri Systems (P) Ltd.", "NEELGIRI SYSTEMS PRIVATE LIMITED"),
            ("M/s Neelgiri Systems", "NEELGIRI SYSTEMS PRIVATE LIMITED"),
            ("Neelgiri Systems (India) Pvt Ltd", "NEELGIRI SYSTEMS PRIVATE LIMITED"),
            ("Neelgiri Systems LLP", "NEELGIRI SYSTEMS PRIVATE LIMITED"),
            ("Nilgiri Systems Ltd", "NEELGIRI SYSTEMS LIMITED"),
            ("T C S Limited", "TCS Ltd"),
            ("Shah & Sons", "Shah and Sons"),
            ("Shah & Co", "Shah and Company"),
            ("Tata Steel Ltd", "Tata Motors Ltd"),
            ("Sunrise Foods Pvt Ltd", "NEELGIRI SYSTEMS PRIVATE LIMITED"),
        ], business), @"
        1.00 Neelgiri Systems Pvt Ltd / NEELGIRI SYSTEMS PRIVATE LIMITED
        1.00 Neelgiri Systems (P) Ltd. / NEELGIRI SYSTEMS PRIVATE LIMITED
        0.97 M/s Neelgiri Systems / NEELGIRI SYSTEMS PRIVATE LIMITED
        0.97 Neelgiri Systems (India) Pvt Ltd / NEELGIRI SYSTEMS PRIVATE LIMITED
        0.75 Neelgiri Systems LLP / NEELGIRI SYSTEMS PRIVATE LIMITED
        0.96 Nilgiri Systems Ltd / NEELGIRI SYSTEMS LIMITED
        1.00 T C S Limited / TCS Ltd
        1.00 Shah & Sons / Shah and Sons
        1.00 Shah & Co / Shah and Company
        0.50 Tata Steel Ltd / Tata Motors Ltd
        0.00 Sunrise Foods Pvt Ltd / NEELGIRI SYSTEMS PRIVATE LIMITED
        ");
        let person = score(
            "Neelgiri Systems Pvt Ltd",
            "NEELGIRI SYSTEMS PRIVATE LIMITED",
            PERSON,
        );
        assert!(person < 1.0, "{person}");
    }

    #[test]
    fn options_forgive_missing_words_and_another_order() {
        let score =
            |a: &'static str, b: &'static str, partial: Json<'static>, any_order: Json<'static>| {
                let score = call(
                    "name_score",
                    0,
                    &[a.into(), b.into(), Json::Null, partial, any_order],
                );
                score.as_num().expect("a number")
            };
        let (yes, no) = (|| Json::Bool(true), || Json::Null);
        assert_eq!(score("Rao", "Asha Rao", yes(), no()), 1.0);
        assert_eq!(score("Asha Rao", "Asha Kumari Rao", yes(), no()), 1.0);
        assert_eq!(score("Asha Rao", "Rao Asha Kumari", yes(), no()), 0.9);
        assert_eq!(score("Asha Rao", "Rao Asha Kumari", yes(), yes()), 1.0);
        assert_eq!(score("Rao Asha", "Asha Rao", no(), yes()), 1.0);
        assert_eq!(score("Rao Asha", "Asha Rao", no(), no()), 0.9);
        assert_eq!(score("Seth", "Asha Rao", yes(), yes()), 0.0);
    }

    #[test]
    fn what_is_no_name_scores_nothing() {
        let score = |args: &[Json<'static>]| call("name_score", 0, args);
        assert_eq!(score(&[Json::Null, "ASHA RAO".into()]), Json::Num(0.0));
        assert_eq!(score(&[1.into(), 1.into()]), Json::Num(0.0));
        assert_eq!(score(&["".into(), "".into()]), Json::Num(1.0));
        assert_eq!(score(&["".into(), "ASHA".into()]), Json::Num(0.0));
    }

    #[test]
    fn a_huge_name_is_compared_in_no_time() {
        let many = "asha ".repeat(200_000) + "x";
        let long = "a".repeat(1_000_000);
        for (a, b) in [
            (&many, &long),
            (&long, &format!("{long}b")),
            (&many, &format!("{many}y")),
        ] {
            assert!(score(a, b, PERSON) < 1.0);
        }
    }
}
