//! Cutting and covering texts. Counts characters, never bytes.

use svc_fixtures::json::Json;

use super::{Tools, logic, names};
use crate::scenario::folded;

/// `upper(text)`: in capitals; what is no text stays as it is.
pub(super) fn upper<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    match &args[0] {
        Json::Text(text) => text.to_uppercase().into(),
        other => other.clone(),
    }
}

/// `lower(text)`: in small letters; what is no text stays as it is.
pub(super) fn lower<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    match &args[0] {
        Json::Text(text) => text.to_lowercase().into(),
        other => other.clone(),
    }
}

/// `plain(text)`: its letters and digits alone, in capitals; what is no text stays as it is.
pub(super) fn plain<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    match &args[0] {
        Json::Text(text) => {
            let plain = text.chars().filter(|c| c.is_alphanumeric());
            plain
                .flat_map(char::to_uppercase)
                .collect::<String>()
                .into()
        }
        other => other.clone(),
    }
}

/// `join('men_', person.home.group)`: one text of all; what is null is left out.
pub(super) fn join<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let mut joined = String::new();
    for arg in args {
        match arg {
            Json::Text(text) => joined.push_str(text),
            Json::Null => {}
            other => joined.push_str(&other.to_string()),
        }
    }
    joined.into()
}

/// `slice(text, from[, to])`: the characters from one place up to, not with, another; places below
/// zero count from the end. Null where there is no text.
pub(super) fn slice<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let Some(text) = args[0].as_text() else {
        return Json::Null;
    };
    let count = text.chars().count();
    let place = |arg: Option<&Json<'_>>| {
        let at = arg.and_then(Json::as_int)?;
        let from_end = usize::try_from(at.unsigned_abs()).unwrap_or(usize::MAX);
        Some(match at < 0 {
            true => count.saturating_sub(from_end),
            false => from_end.min(count),
        })
    };
    let from = place(args.get(1)).unwrap_or(0);
    let to = place(args.get(2)).unwrap_or(count);
    let cut: String = text
        .chars()
        .skip(from)
        .take(to.saturating_sub(from))
        .collect();
    cut.into()
}

/// `word(text, n)`: the n-th word, from 0; from the end where negative. Empty where there is none.
pub(super) fn word<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let mut words = args[0].as_text().unwrap_or_default().split_whitespace();
    let at = args[1].as_int();
    let place = |at: i64| usize::try_from(at).unwrap_or(usize::MAX);
    let word = match at {
        Some(at @ 0..) => words.nth(place(at)),
        // The last is -1.
        Some(at) => words.nth_back(place(-(at + 1))),
        None => None,
    };
    word.unwrap_or_default().into()
}

/// `words('A B C', 0, -1)`: the words from one on, up to another that is not among them; the last is -1.
pub(super) fn words<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let text = args[0].as_text().unwrap_or_default();
    let words: Vec<&str> = text.split_whitespace().collect();
    let place = |at: &Json<'_>| {
        let at = at.as_int().unwrap_or_default();
        let from_end = usize::try_from(-at).unwrap_or_default();
        usize::try_from(at).unwrap_or(words.len().saturating_sub(from_end))
    };
    let some = words.get(place(&args[1])..place(&args[2]));
    some.unwrap_or_default().join(" ").into()
}

/// `without_ending(name, list)`: the text without the first of these that it ends in as a word.
pub(super) fn without_ending<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let text = args[0].as_text().unwrap_or_default().trim_end();
    let endings = args[1].as_list().unwrap_or_default().iter();
    let mut rests = endings.filter_map(|ending| {
        let rest = text.strip_suffix(ending.as_text()?)?;
        let trimmed = rest.trim_end_matches(' ');
        (trimmed.len() < rest.len() && !trimmed.is_empty()).then_some(trimmed)
    });
    Json::from(rests.next().unwrap_or(text).to_owned())
}

/// `after(email, '@')`: what stands after the last mark; the whole text where there is none.
pub(super) fn after<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let text = args[0].as_text().unwrap_or_default();
    let mark = args[1].as_text().filter(|mark| !mark.is_empty());
    let found = mark.and_then(|mark| text.rsplit_once(mark));
    found.map_or(text, |(_, after)| after).into()
}

/// `mask(text, first, last)`: letters and digits become X, but for so many characters at either
/// end. What is too short for that shows less of its end, and its last letter or digit never.
pub(super) fn mask<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let mut characters: Vec<char> = args[0].as_text().unwrap_or_default().chars().collect();
    let shown = |arg: &Json<'_>| usize::try_from(arg.as_int().unwrap_or(0)).unwrap_or(0);
    let first = shown(&args[1]).min(characters.len());
    let last = characters.len().saturating_sub(shown(&args[2])).max(first);
    let hides = |range: &[char]| range.iter().any(|c| c.is_alphanumeric());
    let hidden = if hides(&characters[first..last]) {
        first..last
    } else if hides(&characters[first..]) {
        first..characters.len()
    } else {
        let only = characters.iter().rposition(|c| c.is_alphanumeric());
        only.map_or(0..0, |at| at..at + 1)
    };
    for character in &mut characters[hidden] {
        if character.is_alphanumeric() {
            *character = 'X';
        }
    }
    characters.into_iter().collect::<String>().into()
}

/// `contains(whole, part)`: whether a text holds the text, or a list the value.
pub(super) fn contains<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    Json::Bool(match (&args[0], &args[1]) {
        (Json::Text(whole), Json::Text(part)) => whole.contains(part.as_ref()),
        (_, Json::Null) => false,
        (Json::List(items), value) => items.iter().any(|item| logic::same(item, value)),
        _ => false,
    })
}

/// `texts_found(wanted, fact, …)`: how many percent of the texts inside a value are said by one of the facts: as
/// words of it, whatever their case, or as a name much like it. Null where there is no text.
pub(super) fn texts_found<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let mut wanted = Vec::new();
    collect_texts(&args[0], &mut wanted);
    let words = |text: &str| format!(" {} ", folded(text));
    let is_said = |text: &&str| {
        args[1..].iter().filter_map(Json::as_text).any(|fact| {
            let alike = || names::name_score(tools, &[(*text).into(), fact.into()]).as_num();
            // One digit off is another number.
            let is_name = !text.bytes().any(|byte| byte.is_ascii_digit());
            words(fact).contains(&words(text)) || is_name && alike().is_some_and(|it| it >= 0.8)
        })
    };
    let said = wanted.iter().filter(|text| is_said(text)).count();
    match wanted.len() {
        0 => Json::Null,
        all => Json::Int(i64::try_from(100 * said / all).unwrap_or(0)),
    }
}

fn collect_texts<'j>(value: &'j Json<'_>, texts: &mut Vec<&'j str>) {
    match value {
        Json::Text(text) if !text.trim().is_empty() => texts.push(text),
        Json::List(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        Json::Object(members) => members
            .iter()
            .for_each(|(_, item)| collect_texts(item, texts)),
        _ => {}
    }
}

/// `asset_url('masked-eight-digits.png')`: the absolute address of a test asset.
pub(super) fn asset_url<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let file = args[0].as_text().unwrap_or_default();
    format!("{}{file}", tools.assets).into()
}

#[cfg(test)]
mod tests {
    use super::super::call;
    use super::*;

    #[test]
    fn some_words_of_a_text_are_given() {
        for (text, from, to, some) in [
            ("LAKSHMI NARAYANA MURTHY", 0, -1, "LAKSHMI NARAYANA"),
            ("LAKSHMI NARAYANA MURTHY", 1, -1, "NARAYANA"),
            ("ASHA RAO", 1, -1, ""),
            ("MADONNA", 0, -1, ""),
            ("", 0, -1, ""),
        ] {
            let args = [text.into(), from.into(), to.into()];
            assert_eq!(call("words", 0, &args), some.into(), "{text} {from}");
        }
    }

    #[test]
    fn an_ending_is_taken_away_where_it_is_a_word() {
        let endings = Json::List(vec!["PRIVATE LIMITED".into(), "LIMITED".into()]);
        for (text, rest) in [
            ("ORBIT FOODS PRIVATE LIMITED", "ORBIT FOODS"),
            ("ORBIT LIMITED", "ORBIT"),
            ("UNLIMITED", "UNLIMITED"),
            ("LIMITED", "LIMITED"),
        ] {
            let args = [text.into(), endings.clone()];
            assert_eq!(call("without_ending", 0, &args), rest.into(), "{text}");
        }
    }

    #[test]
    fn capitals_keep_null() {
        assert_eq!(call("upper", 0, &["Asha é".into()]), "ASHA É".into());
        assert_eq!(call("upper", 0, &[Json::Null]), Json::Null);
    }

    #[test]
    fn a_slice_counts_from_either_end_and_leaves_out_what_is_not_there() {
        for (from, to, cut) in [
            (0, Some(2), "27"),
            (2, Some(4), "AÉ"),
            (-2, None, "Z5"),
            (-9, Some(-4), "27"),
            (4, Some(2), ""),
            (6, None, ""),
            (i64::MIN, Some(i64::MAX), "27AÉZ5"),
        ] {
            let mut args: Vec<Json<'_>> = vec!["27AÉZ5".into(), from.into()];
            args.extend(to.map(Json::from));
            assert_eq!(call("slice", 0, &args), cut.into(), "{from} {to:?}");
        }
        assert_eq!(call("slice", 0, &[Json::Null, 0.into()]), Json::Null);
    }

    #[test]
    fn words_are_counted_from_either_end() {
        for (at, word) in [
            (0, "ASHA"),
            (1, "RAO"),
            (2, ""),
            (-1, "RAO"),
            (-2, "ASHA"),
            (-3, ""),
            (i64::MIN, ""),
            (i64::MAX, ""),
        ] {
            assert_eq!(
                call("word", 0, &["  ASHA\tRAO ".into(), at.into()]),
                word.into(),
                "{at}"
            );
        }
        assert_eq!(call("word", 0, &[Json::Null, 0.into()]), "".into());
    }

    #[test]
    fn after_takes_what_follows_the_last_mark() {
        for (text, mark, rest) in [
            ("a@b@c", "@", "c"),
            ("abc", "@", "abc"),
            ("abc@", "@", ""),
            ("abc", "", "abc"),
        ] {
            assert_eq!(call("after", 0, &[text.into(), mark.into()]), rest.into());
        }
    }

    #[test]
    fn a_mask_always_hides_something() {
        for (text, first, last, masked) in [
            ("MOHAN RAO", 2, 1, "MOXXX XXO"),
            ("AAAAA0000A", 2, 2, "AAXXXXXX0A"),
            ("RAO", 2, 1, "RAX"),
            ("RAO", 1, 9, "RXX"),
            ("RA", 9, 9, "RX"),
            ("A - B", 1, 1, "A - X"),
            ("A", 0, 0, "X"),
            ("", 2, 1, ""),
            ("मोहन", 1, 1, "मXXन"),
            ("RAO", -5, i64::MIN, "XXX"),
        ] {
            assert_eq!(
                call("mask", 0, &[text.into(), first.into(), last.into()]),
                masked.into(),
                "{text}"
            );
        }
    }

    #[test]
    fn texts_hold_texts_and_lists_hold_values() {
        let list = || Json::List(vec!["ALL".into(), 1.into()]);
        for (whole, part, holds) in [
            ("NEELGIRI".into(), "GIRI".into(), true),
            ("NEELGIRI".into(), "giri".into(), false),
            (list(), "ALL".into(), true),
            (list(), "AL".into(), false),
            (list(), Json::Num(1.0), true),
            (Json::Null, "A".into(), false),
            (list(), Json::Null, false),
            ("A".into(), Json::Null, false),
        ] {
            let result = call("contains", 0, &[whole, part]);
            assert_eq!(result, Json::Bool(holds));
        }
    }

    #[test]
    fn an_asset_has_an_absolute_address() {
        assert_eq!(
            call("asset_url", 0, &["selfie.png".into()]),
            "http://127.0.0.1:8801/test-assets/selfie.png".into()
        );
    }
}
