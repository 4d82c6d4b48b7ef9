//! Comparing numbers and writing them.

use std::cmp::Ordering;

use svc_fixtures::json::Json;

use super::Tools;

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
