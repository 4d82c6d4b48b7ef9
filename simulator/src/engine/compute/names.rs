//! How alike two names are.

use svc_fixtures::json::Json;

use super::Tools;

/// `name_score(claimed, known)`: from 0 (nothing in common) to 1 (the same name), two decimals.
/// Case, white space and punctuation do not matter.
pub(super) fn name_score<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let (Some(a), Some(b)) = (args[0].as_text(), args[1].as_text()) else {
        return Json::Null;
    };
    Json::Num((score(a, b) * 100.0).round() / 100.0)
}

/// The words of a name, upper case, without punctuation.
fn words(name: &str) -> Vec<String> {
    let is_letter = |c: char| c.is_alphanumeric();
    let words = name
        .split(|c| !is_letter(c))
        .filter(|word| !word.is_empty());
    words.map(str::to_uppercase).collect()
}

/// Each word of the longer name is paired with the nearest word left in the shorter one; a word
/// left over counts as nothing in common, an initial as half of the word it may stand for. Words in
/// another order cost a tenth.
fn score(a: &str, b: &str) -> f64 {
    let (a, b) = (words(a), words(b));
    if a.is_empty() || b.is_empty() {
        return if a.is_empty() && b.is_empty() {
            1.0
        } else {
            0.0
        };
    }
    if a == b {
        return 1.0;
    }
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let mut left: Vec<Option<&String>> = short.iter().map(Some).collect();
    let (mut sum, mut moved, mut last) = (0.0, false, None);
    for word in &long {
        let candidates = left
            .iter()
            .enumerate()
            .filter_map(|(at, other)| Some((at, word_score(word, (*other)?))));
        // Of equal scores the first counts, so that order is not lost to chance.
        let best = candidates.fold(None, |best: Option<(usize, f64)>, next| match best {
            Some(best) if best.1 >= next.1 => Some(best),
            _ => Some(next),
        });
        if let Some((at, score)) = best.filter(|&(_, score)| score >= 0.5) {
            left[at] = None;
            sum += score;
            moved |= last.is_some_and(|last| at < last);
            last = Some(at);
        }
    }
    let score = sum / long.len() as f64;
    if moved { score * 0.9 } else { score }
}

fn word_score(a: &str, b: &str) -> f64 {
    let initial = |short: &str, long: &str| short.chars().count() == 1 && long.starts_with(short);
    if a == b {
        1.0
    } else if initial(a, b) || initial(b, a) {
        0.5
    } else {
        // Two different short words often share letters by chance.
        let alike = strsim::jaro_winkler(a, b);
        if alike >= 0.8 { alike } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_name_scores_one_however_it_is_written() {
        for claimed in ["ASHA RAO", "Asha Rao", " asha   rao ", "Asha. Rao"] {
            assert!(
                (score(claimed, "ASHA RAO") - 1.0).abs() < f64::EPSILON,
                "{claimed}"
            );
        }
    }

    #[test]
    fn nearer_names_score_higher() {
        let scores: Vec<f64> = [
            "Asha Rao",
            "Rao Asha",
            "Asha Roa",
            "A Rao",
            "Asha",
            "Vikram Seth",
        ]
        .iter()
        .map(|name| score(name, "ASHA RAO"))
        .collect();
        insta::assert_debug_snapshot!(scores, @"
        [
            1.0,
            0.9,
            0.5,
            0.75,
            0.5,
            0.0,
        ]
        ");
    }

    #[test]
    fn the_order_of_the_two_names_does_not_matter() {
        for (a, b) in [("Asha Rao", "Rao Asha K"), ("A B C", "C A"), ("", "Asha")] {
            assert!((score(a, b) - score(b, a)).abs() < f64::EPSILON, "{a} {b}");
        }
    }
}
