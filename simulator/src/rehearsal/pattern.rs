//! A text in which a regular expression is found: the shortest that is easily made. Decides nothing;
//! who uses it tries it.

use regex_syntax::hir::{Class, Hir, HirKind};

/// Examples longer than this are none that a person would send.
const MAX_CHARACTERS: usize = 256;

/// A text that the expression should be found in. None where there is none or only a long one.
#[must_use]
pub(super) fn example(pattern: &str) -> Option<String> {
    let hir = regex_syntax::parse(pattern).ok()?;
    let mut out = String::new();
    write(&hir, &mut out)?;
    Some(out)
}

fn write(hir: &Hir, out: &mut String) -> Option<()> {
    if out.len() > MAX_CHARACTERS {
        return None;
    }
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(()),
        HirKind::Literal(literal) => {
            out.push_str(std::str::from_utf8(&literal.0).ok()?);
            Some(())
        }
        HirKind::Class(class) => {
            out.push(of_class(class)?);
            Some(())
        }
        HirKind::Repetition(repetition) => {
            (0..repetition.min).try_for_each(|_| write(&repetition.sub, out))
        }
        HirKind::Capture(capture) => write(&capture.sub, out),
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| write(part, out)),
        HirKind::Alternation(parts) => write(parts.first()?, out),
    }
}

/// A capital, a digit or a small letter where the class has one, else its first visible character.
fn of_class(class: &Class) -> Option<char> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => {
            let ranges = class.ranges().iter();
            ranges.map(|it| (it.start(), it.end())).collect()
        }
        Class::Bytes(class) => {
            let ranges = class.ranges().iter();
            ranges
                .map(|it| (it.start().into(), it.end().into()))
                .collect()
        }
    };
    let has = |search: char| {
        ranges
            .iter()
            .any(|&(from, to)| (from..=to).contains(&search))
    };
    let plain = ('A'..='Z').chain('0'..='9').chain('a'..='z');
    let visible = |it: &char| !it.is_control() && !it.is_whitespace();
    let other = || {
        let mut characters = ranges.iter().flat_map(|&(from, to)| from..=to).take(4096);
        characters.find(visible)
    };
    plain.into_iter().find(|&it| has(it)).or_else(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_is_found_in_its_example() {
        for pattern in [
            "^ABC",
            "[0-9]{4}$",
            "^(a|b)+c?$",
            r"^\d{2}-\w+$",
            "(?i)rao",
            r"\bKA\b",
            "^[^A-Za-z0-9]x",
            "",
            "^$",
            "न+",
        ] {
            let example = example(pattern).unwrap();
            let found = regex_automata::meta::Regex::new(pattern)
                .unwrap()
                .is_match(&example);
            assert!(found, "{pattern}: {example:?}");
        }
    }

    #[test]
    fn what_nothing_matches_has_no_example() {
        assert_eq!(example("[^\\s\\S]"), None);
        assert_eq!(example("(a{100}){100}"), None);
        assert_eq!(example("("), None);
    }
}
