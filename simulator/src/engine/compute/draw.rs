//! Drawing values from the subject: the same subject always draws the same.

use jiff::ToSpan;
use jiff::civil::Date;
use svc_fixtures::json::Json;

use super::Tools;

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

/// `number(1, 240)`: a whole number between the two, both possible.
pub(super) fn number<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let (Some(low), Some(high)) = (args[0].as_int(), args[1].as_int()) else {
        return Json::Null;
    };
    let span = u64::try_from(high.saturating_sub(low)).unwrap_or(0) + 1;
    Json::Int(low + below(tools.draw, span) as i64)
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

/// `date('1958-01-01', '2003-12-31')`: a day between the two, both possible.
pub(super) fn date<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let day = |arg: &Json<'_>| arg.as_text().and_then(|text| text.parse::<Date>().ok());
    let (Some(from), Some(to)) = (day(&args[0]), day(&args[1])) else {
        return Json::Null;
    };
    let days = from.duration_until(to).as_hours() / 24;
    let span = u64::try_from(days).unwrap_or(0) + 1;
    let drawn = from.checked_add((below(tools.draw, span) as i64).days());
    drawn.map_or(Json::Null, |day| day.to_string().into())
}

/// A number below `span`, as evenly as a 64-bit draw allows.
fn below(draw: u64, span: u64) -> u64 {
    ((u128::from(draw) * u128::from(span)) >> 64) as u64
}

/// The next of a sequence of draws (the splitmix64 step).
fn next(state: u64) -> u64 {
    let mut mixed = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
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
