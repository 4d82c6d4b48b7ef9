//! Drawing values from the subject: the same subject always draws the same.

use svc_fixtures::json::Json;
use xxhash_rust::xxh3::xxh3_64;

use super::{Tools, days};
use crate::world::mixed;

/// `pick('surnames')`: an item of a list of the story.
pub(super) fn pick<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let list = args[0].as_text().and_then(|name| tools.lists.get(name));
    match list.filter(|list| !list.is_empty()) {
        Some(list) => Json::Text(
            list[below(tools.draw, list.len() as u64) as usize]
                .as_str()
                .into(),
        ),
        None => Json::Null,
    }
}

/// `other_than('networks', 'NETWORK ONE')`: an item of a list of the story that is not this one, nor one of those behind it.
pub(super) fn other_than<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let list = args[0].as_text().and_then(|name| tools.lists.get(name));
    let others = list.into_iter().flatten().filter(|item| {
        args[1..]
            .iter()
            .all(|it| it.as_text() != Some(item.as_str()))
    });
    let others: Vec<&String> = others.collect();
    match others.is_empty() {
        true => Json::Null,
        false => Json::Text(
            others[below(tools.draw, others.len() as u64) as usize]
                .as_str()
                .into(),
        ),
    }
}

/// `number(1, 240)`: a whole number between the two, both possible.
pub(super) fn number<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let (Some(low), Some(high)) = (args[0].as_int(), args[1].as_int()) else {
        return Json::Null;
    };
    Json::Int(between(tools.draw, low, high))
}

/// `number_for(item, 1, 9)`: the same, drawn from a text alone: whoever asks for it, and wherever it stands.
pub(super) fn number_for<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let text = args[0].as_text().unwrap_or_default();
    let draw = mixed(xxh3_64(text.as_bytes()));
    number(Tools { draw, ..tools }, &args[1..])
}

/// `decimal(0.9, 0.99)`: a number of two decimals between the two, both possible.
pub(super) fn decimal<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let (Some(low), Some(high)) = (args[0].as_num(), args[1].as_num()) else {
        return Json::Null;
    };
    let hundredths = |number: f64| (number * 100.0).round() as i64;
    let drawn = between(tools.draw, hundredths(low), hundredths(high));
    Json::Num(drawn as f64 / 100.0)
}

/// `near('12.972')`: a number of two decimals no more than five hundredths away.
pub(super) fn near<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let number: Option<f64> = args[0].as_text().and_then(|text| text.parse().ok());
    number
        .filter(|number| number.is_finite())
        .map_or(Json::Null, |number| {
            let drawn = between(tools.draw, -5, 5) as f64;
            Json::Num(((number * 100.0).round() + drawn) / 100.0)
        })
}

/// `digits('98########')`: the text with a digit for each `#`.
pub(super) fn digits<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let mut state = tools.draw;
    let digit = |c| match c {
        '#' => {
            state = next(state);
            char::from(b'0' + below(state, 10) as u8)
        }
        other => other,
    };
    args[0]
        .as_text()
        .unwrap_or_default()
        .chars()
        .map(digit)
        .collect::<String>()
        .into()
}

/// `date('1958-01-01', '2003-12-31')`: a day between the two, both possible; one that had come when strangers' histories
/// were drawn up. The first of the two where not even that had.
pub(super) fn date<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let (Some(from), Some(to)) = (days::read(&args[0]), days::read(&args[1])) else {
        return Json::Null;
    };
    let until = |to| {
        let apart = from.duration_until(to).as_hours() / 24;
        days::later(from, between(tools.draw, 0, apart))
    };
    let known = days::known_until(tools);
    let drawn = until(to).filter(|day| *day <= known);
    let drawn = drawn.or_else(|| until(known));
    days::written(drawn.map(|day| day.min(tools.today)))
}

/// A number from `low` to `high`; `low` where there is none between them.
fn between(draw: u64, low: i64, high: i64) -> i64 {
    match high.checked_sub(low).map(u64::try_from) {
        Some(Ok(span)) => low + below(draw, span + 1) as i64,
        Some(Err(_)) => low,
        // So far apart that a draw of 64 bits is about as wide.
        None if low < high => low.saturating_add_unsigned(draw).min(high),
        None => low,
    }
}

/// A number below `span`, as evenly as a 64-bit draw allows.
fn below(draw: u64, span: u64) -> u64 {
    ((u128::from(draw) * u128::from(span)) >> 64) as u64
}

/// The next of a sequence of draws (the splitmix64 step).
fn next(state: u64) -> u64 {
    mixed(state.wrapping_add(0x9E37_79B9_7F4A_7C15))
}

#[cfg(test)]
mod tests {
    use svc_fixtures::json::Json;

    use super::super::call;

    #[test]
    fn draws_reach_both_ends_and_no_further() {
        assert_eq!(call("number", 0, &[1.into(), 240.into()]), 1.into());
        assert_eq!(
            call("number", u64::MAX, &[1.into(), 240.into()]),
            240.into()
        );
        assert_eq!(
            call("date", 0, &["2024-02-28".into(), "2024-03-01".into()]),
            "2024-02-28".into()
        );
        assert_eq!(
            call(
                "date",
                u64::MAX,
                &["2024-02-28".into(), "2024-03-01".into()]
            ),
            "2024-03-01".into()
        );
        assert_eq!(call("pick", u64::MAX, &["colours".into()]), "BLUE".into());
        let other = call("other_than", u64::MAX, &["colours".into(), "BLUE".into()]);
        assert_eq!(other, "RED".into());
        let neither = ["colours", "BLUE", "RED"].map(Json::from);
        assert_eq!(call("other_than", u64::MAX, &neither), Json::Null);
    }

    #[test]
    fn decimals_reach_both_ends_in_hundredths() {
        let ends = [Json::Num(0.9), Json::Num(0.99)];
        for (draw, drawn) in [(0, 0.9), (u64::MAX / 2, 0.94), (u64::MAX, 0.99)] {
            assert_eq!(call("decimal", draw, &ends), Json::Num(drawn));
        }
    }

    #[test]
    fn ends_the_wrong_way_round_or_missing_break_nothing() {
        for name in ["number", "decimal"] {
            let drawn = call(name, 9, &[5.into(), 1.into()]);
            assert_eq!(drawn.as_num(), Some(5.0), "{name}");
            assert_eq!(call(name, 9, &[Json::Null, 1.into()]), Json::Null);
            for draw in [0, 1 << 63, u64::MAX] {
                call(name, draw, &[i64::MIN.into(), i64::MAX.into()]);
                call(name, draw, &[Json::Num(-1e308), Json::Num(1e308)]);
            }
        }
        let back = call("date", 9, &["2024-03-01".into(), "2024-02-01".into()]);
        assert_eq!(back, "2024-03-01".into());
        assert_eq!(call("date", 9, &["soon".into(), Json::Null]), Json::Null);
        assert_eq!(call("pick", 9, &["none".into()]), Json::Null);
        assert_eq!(call("digits", 9, &[Json::Null]), "".into());
    }

    #[test]
    fn each_hash_mark_becomes_a_digit() {
        let drawn = call("digits", 7, &["98########".into()]);
        let text = drawn.as_text().expect("text");
        assert!(
            text.len() == 10 && text.starts_with("98") && text.bytes().all(|b| b.is_ascii_digit()),
            "{text}"
        );
        assert_ne!(drawn, call("digits", 8, &["98########".into()]));
    }
}
