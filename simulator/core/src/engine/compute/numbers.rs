//! Comparing numbers and writing them.

use std::cmp::Ordering;

use svc_fixtures::json::Json;

use super::{Tools, draw};

/// How two numbers compare; none where one is no number.
fn compare(a: &Json<'_>, b: &Json<'_>) -> Option<Ordering> {
    match (a, b) {
        (Json::Int(a), Json::Int(b)) => Some(a.cmp(b)),
        _ => a.as_num()?.partial_cmp(&b.as_num()?),
    }
}

/// `at_least(score, 0.8)`: whether the first number is the second or more.
pub(super) fn at_least<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    Json::Bool(compare(&args[0], &args[1]).is_some_and(Ordering::is_ge))
}

/// `largest(a, b, …)`: the largest number; null where none is a number.
pub(super) fn largest<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let numbers = args.iter().filter(|arg| arg.as_num().is_some());
    numbers
        .max_by(|a, b| compare(a, b).unwrap_or(Ordering::Equal))
        .cloned()
        .unwrap_or(Json::Null)
}

/// `smallest(a, b, …)`: the smallest number; null where none is a number.
pub(super) fn smallest<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let numbers = args.iter().filter(|arg| arg.as_num().is_some());
    numbers
        .min_by(|a, b| compare(a, b).unwrap_or(Ordering::Equal))
        .cloned()
        .unwrap_or(Json::Null)
}

/// `plus(a, b, …)`: the sum of whole numbers; what is none adds nothing.
pub(super) fn plus<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let numbers = args.iter().filter_map(Json::as_int);
    Json::Int(numbers.fold(0, i64::saturating_add))
}

/// `on_side(score, 0.8, given[, most])`: the score; where it is given whether it reaches the limit and it does
/// not fit, another one that does. Scores are of 0–1, or whole numbers up to `most`.
pub(super) fn on_side<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let reaches = compare(&args[0], &args[1]).is_some_and(Ordering::is_ge);
    let (Some(limit), Some(given)) = (args[1].as_num(), args[2].as_bool()) else {
        return args[0].clone();
    };
    if given == reaches {
        return args[0].clone();
    }
    let most = args.get(3).and_then(Json::as_num).unwrap_or(1.0);
    // A fifth or a little more of the side, from its far end.
    let share = 0.2 + (tools.draw % 100) as f64 / 1000.0;
    let score = match given {
        true => most - (most - limit).max(0.0) * share,
        false => limit.min(most) * share,
    };
    match args.len() {
        3 => super::two_decimals(score),
        _ => Json::Int(score.floor() as i64),
    }
}

/// The first and the last number of a band: a row `"HIGH" = "70-100"` of a table of the story.
fn ends(range: &str) -> Option<(i64, i64)> {
    let (from, to) = range.split_once('-')?;
    from.parse().ok().zip(to.parse().ok())
}

/// `band('risk_bands', score, given)`: the word for a score, of the table's the nearest; a given word that the
/// table does not have is itself.
pub(super) fn band<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let table = args[0].as_text().and_then(|name| tools.tables.get(name));
    let (Some(table), Some(score)) = (table, args[1].as_num()) else {
        return args[2].clone();
    };
    if let Some(word) = args[2].as_text().filter(|word| !table.contains_key(*word)) {
        return word.to_owned().into();
    }
    let apart = |(from, to): (i64, i64)| (from as f64 - score).max(score - to as f64).max(0.0);
    let bands = table
        .iter()
        .filter_map(|(word, range)| Some((apart(ends(range)?), word)));
    let nearest = bands.min_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    nearest.map_or(Json::Null, |(_, word)| Json::Text(word.as_str().into()))
}

/// `in_band('risk_bands', score, given)`: the score; where a word is given that does not fit, another one of its
/// band.
pub(super) fn in_band<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let table = args[0].as_text().and_then(|name| tools.tables.get(name));
    let range = args[2].as_text().and_then(|word| ends(table?.get(word)?));
    match (range, args[1].as_num()) {
        (Some((from, to)), Some(score)) if score < from as f64 || score > to as f64 => {
            draw::number(tools, &[from.into(), to.into()])
        }
        _ => args[1].clone(),
    }
}

/// `text(number)`: as JSON writes it. A text is itself, null is empty.
pub(super) fn text<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    match &args[0] {
        Json::Text(text) => Json::Text(text.clone()),
        Json::Null => "".into(),
        other => other.to_string().into(),
    }
}

/// `whole('560001')`: the number that a text of digits is; null where it is none.
pub(super) fn whole<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let text = args[0].as_text().unwrap_or_default();
    text.parse().map_or(Json::Null, Json::Int)
}

/// `minus(a, b)`: the difference of two whole numbers.
pub(super) fn minus<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    match (&args[0], &args[1]) {
        (Json::Int(a), Json::Int(b)) => Json::Int(a.saturating_sub(*b)),
        _ => Json::Null,
    }
}

/// `times(a, b)`: the product of two whole numbers.
pub(super) fn times<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    match (&args[0], &args[1]) {
        (Json::Int(a), Json::Int(b)) => Json::Int(a.saturating_mul(*b)),
        _ => Json::Null,
    }
}

/// `odd(n)`: whether a whole number is odd.
pub(super) fn odd<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    Json::Bool(args[0].as_int().is_some_and(|number| number & 1 == 1))
}

/// `percent(0.873)`: a score of 0–1 as a whole number of 0–100, in a text.
pub(super) fn percent<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let score = args[0].as_num().unwrap_or(0.0).clamp(0.0, 1.0);
    format!("{:.0}", (score * 100.0).round()).into()
}

/// `same_amount('1.50', 1.5)`: whether both are the same amount in paise.
pub(super) fn same_amount<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let same = matches!((paise(&args[0]), paise(&args[1])), (Some(a), Some(b)) if a == b);
    Json::Bool(same)
}

/// `amount(1.9)`: with two decimals, as amounts are written; null where it is none.
pub(super) fn amount<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    paise(&args[0]).map_or(Json::Null, |paise| {
        let sign = if paise < 0 { "-" } else { "" };
        let all = paise.unsigned_abs();
        format!("{sign}{}.{:02}", all / 100, all % 100).into()
    })
}

/// Read from the decimal digits, so that no rounding makes two amounts one.
fn paise(amount: &Json<'_>) -> Option<i128> {
    let written = match amount {
        Json::Text(text) => text.trim().to_owned(),
        Json::Int(value) => value.to_string(),
        Json::Num(value) => value.to_string(),
        _ => return None,
    };
    let digits = written.strip_prefix('-').unwrap_or(&written);
    let (rupees, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let plain = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let fraction = fraction.trim_end_matches('0');
    if !plain(rupees) || fraction.len() > 2 || !plain(&format!("{fraction}0")) {
        return None;
    }
    let paise: i128 = format!("{rupees}{fraction:0<2}").parse().ok()?;
    Some(if digits.len() < written.len() {
        -paise
    } else {
        paise
    })
}

#[cfg(test)]
mod tests {
    use super::super::call;
    use super::*;

    #[test]
    fn at_least_compares_numbers_only() {
        for (a, b, is) in [
            (Json::Num(0.8), Json::Num(0.8), true),
            (Json::Num(0.79), Json::Num(0.8), false),
            (20.into(), Json::Num(20.0), true),
            (i64::MAX.into(), (i64::MAX - 1).into(), true),
            ((i64::MAX - 1).into(), i64::MAX.into(), false),
            (Json::Null, 0.into(), false),
            (1.into(), Json::Null, false),
            ("2".into(), 1.into(), false),
        ] {
            assert_eq!(
                call("at_least", 0, &[a.clone(), b.clone()]),
                is.into(),
                "{a} {b}"
            );
        }
    }

    #[test]
    fn the_largest_number_keeps_its_type() {
        let args = [3.into(), Json::Null, Json::Num(3.5), "9".into(), 2.into()];
        assert_eq!(call("largest", 0, &args), Json::Num(3.5));
        assert_eq!(call("largest", 0, &args[..2]), 3.into());
        assert_eq!(call("largest", 0, &args[1..2]), Json::Null);
    }

    #[test]
    fn the_smallest_number_and_the_sum_pass_over_what_is_none() {
        let args = [3.into(), Json::Null, Json::Num(2.5), "1".into(), 4.into()];
        assert_eq!(call("smallest", 0, &args), Json::Num(2.5));
        assert_eq!(call("smallest", 0, &args[1..2]), Json::Null);
        assert_eq!(call("plus", 0, &args), 7.into());
        assert_eq!(
            call("plus", 0, &[i64::MAX.into(), 1.into()]),
            i64::MAX.into()
        );
    }

    #[test]
    fn a_score_is_on_the_side_of_the_limit_that_is_given() {
        for limit in [0.5, 0.8, 0.99] {
            for draw in [0, 57, u64::MAX] {
                for score in [0.0, 0.3, 0.9, 1.0] {
                    let on = |given: Json<'static>| {
                        call(
                            "on_side",
                            draw,
                            &[Json::Num(score), Json::Num(limit), given],
                        )
                    };
                    let reaches = on(true.into()).as_num().expect("a number");
                    let misses = on(false.into()).as_num().expect("a number");
                    assert!(
                        (limit..=1.0).contains(&reaches),
                        "{score} {limit} {reaches}"
                    );
                    assert!((0.0..limit).contains(&misses), "{score} {limit} {misses}");
                    assert_eq!(on(Json::Null), Json::Num(score));
                }
            }
        }
    }

    #[test]
    fn a_whole_score_is_on_the_side_of_the_limit_that_is_given() {
        for (limit, given, fits) in [
            (21, true, 21..=100),
            (21, false, 0..=20),
            (101, true, 100..=100),
        ] {
            let args = [5.into(), limit.into(), given.into(), 100.into()];
            let other = [99.into(), limit.into(), given.into(), 100.into()];
            for args in [args, other] {
                let score = call("on_side", 7, &args).as_int().expect("a whole number");
                assert!(fits.contains(&score), "{limit} {given} {score}");
            }
        }
    }

    #[test]
    fn a_score_has_a_word_and_a_word_scores() {
        for (score, word) in [
            (0, "LOW"),
            (10, "LOW"),
            (11, "HIGH"),
            (90, "HIGH"),
            (-3, "LOW"),
        ] {
            assert_eq!(
                call("band", 0, &["bands".into(), score.into(), Json::Null]),
                word.into()
            );
        }
        let other = call("band", 0, &["bands".into(), 3.into(), "ODD".into()]);
        assert_eq!(other, "ODD".into());
        let score = |score: i64, word: Json<'static>| {
            call("in_band", 5, &["bands".into(), score.into(), word])
        };
        assert_eq!(score(3, Json::Null), 3.into());
        assert_eq!(score(3, "LOW".into()), 3.into());
        assert_eq!(score(3, "ODD".into()), 3.into());
        assert_eq!(score(3, "HIGH".into()), 11.into());
    }

    #[test]
    fn numbers_are_written_as_in_json() {
        for (value, written) in [
            (560_000_001.into(), "560000001"),
            (Json::Num(1.5), "1.5"),
            ("7".into(), "7"),
            (Json::Null, ""),
        ] {
            assert_eq!(
                call("text", 0, std::slice::from_ref(&value)),
                written.into()
            );
        }
    }

    #[test]
    fn a_percentage_is_whole_and_within_its_bounds() {
        for (score, percent) in [
            (Json::Num(0.87), "87"),
            (Json::Num(0.995), "100"),
            (Json::Num(0.004), "0"),
            (1.into(), "100"),
            (Json::Num(-3.0), "0"),
            (Json::Num(1e300), "100"),
            (Json::Null, "0"),
        ] {
            assert_eq!(
                call("percent", 0, std::slice::from_ref(&score)),
                percent.into(),
                "{score}"
            );
        }
    }

    #[test]
    fn amounts_are_compared_in_paise() {
        for (text, number, same) in [
            ("1.5", 1.5, true),
            ("1.50", 1.5, true),
            ("01.500", 1.5, true),
            ("1.505", 1.5, false),
            ("1.29", 1.29, true),
            ("2", 2.0, true),
            ("2.", 2.0, true),
            ("1.51", 1.5, false),
            ("-1.5", 1.5, false),
            ("1,5", 1.5, false),
            ("", 0.0, false),
            (".5", 0.5, false),
            ("1e0", 1.0, false),
            ("99999999999999999999999999999999999999999", 1.0, false),
        ] {
            let result = call("same_amount", 0, &[text.into(), Json::Num(number)]);
            assert_eq!(result, same.into(), "{text} {number}");
        }
        assert_eq!(
            call("same_amount", 0, &[Json::Null, Json::Null]),
            false.into()
        );
    }
}
