//! Days and months. No clock: every date comes in as an argument. A day is written in ISO, and a
//! month alone is its first day; what is neither is as good as null.

use jiff::civil::Date;
use jiff::{SignedDuration, Span};
use svc_fixtures::json::Json;

use super::Tools;

/// The day of `YYYY-MM-DD`, or the first of `YYYY-MM`.
pub(super) fn read(value: &Json<'_>) -> Option<Date> {
    let text = value.as_text()?;
    let day = match text.len() {
        7 => Some("01"),
        10 if text.as_bytes()[7] == b'-' => text.get(8..),
        _ => None,
    };
    if text.as_bytes().get(4) != Some(&b'-') {
        return None;
    }
    of(text.get(..4)?, text.get(5..7)?, day?)
}

fn of(year: &str, month: &str, day: &str) -> Option<Date> {
    // Four digits at most.
    let number = |digits: &str| {
        let mut digits = digits.bytes();
        digits.try_fold(0i16, |number, digit| {
            let digit = digit.is_ascii_digit().then(|| i16::from(digit - b'0'))?;
            number.checked_mul(10)?.checked_add(digit)
        })
    };
    let short = |digits: &str| i8::try_from(number(digits)?).ok();
    Date::new(number(year)?, short(month)?, short(day)?).ok()
}

/// In ISO. Years of more or less than four digits have no such form.
pub(super) fn written(day: Option<Date>) -> Json<'static> {
    match day {
        Some(day) if day.year() >= 0 => iso(day).into(),
        _ => Json::Null,
    }
}

/// `YYYY-MM-DD`, without the machinery of formats: nearly every answer has a day.
fn iso(day: Date) -> String {
    let (year, month, date) = (day.year().unsigned_abs(), day.month(), day.day());
    let digit = |number: u16| char::from(b'0' + (number % 10) as u8);
    let two = |number: i8| {
        let number = u16::from(number.unsigned_abs());
        ['-', digit(number / 10), digit(number)]
    };
    let year = [1000, 100, 10, 1].map(|place| digit(year / place));
    let mut text = String::with_capacity(10);
    text.extend(year.into_iter().chain(two(month)).chain(two(date)));
    text
}

/// `today()`: the first day of the account's month (ruling 38).
pub(super) fn today<'a>(tools: Tools<'a>, _: &[Json<'a>]) -> Json<'a> {
    written(Some(tools.today))
}

/// `has_come(iso)`: whether the day is not after today.
pub(super) fn has_come<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    Json::Bool(read(&args[0]).is_some_and(|day| day <= tools.today))
}

/// The last day that strangers have a history of. Were it the account's today, a day that an answer told could be
/// another one in the next month (ruling 38).
const DRAWN_UP: Date = Date::constant(2025, 12, 31);

/// What a stranger's history may reach: the day it was drawn up, and today where that is earlier.
pub(super) fn known_until(tools: Tools<'_>) -> Date {
    tools.today.min(DRAWN_UP)
}

/// `had_come(iso)`: whether the day is in what strangers have a history of.
pub(super) fn had_come<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    Json::Bool(read(&args[0]).is_some_and(|day| day <= known_until(tools)))
}

/// `later_of(iso, iso, …)`: the last of these days.
pub(super) fn later_of<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    written(args.iter().filter_map(read).max())
}

/// `earlier_of(iso, iso, …)`: the first of these days; what is none counts nothing.
pub(super) fn earlier_of<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    written(args.iter().filter_map(read).min())
}

/// `at_latest_today(iso)`: the day, or today where it has not come.
pub(super) fn at_latest_today<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    written(read(&args[0]).map(|day| day.min(tools.today)))
}

/// `latest('09-30')`: the last such day that has come.
pub(super) fn latest<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let (month, day) = args[0]
        .as_text()
        .and_then(|text| text.split_once('-'))
        .unwrap_or_default();
    let year = tools.today.year();
    let of_year = |year: i16| of(&format!("{year:04}"), month, day);
    let has_come = |day: &Date| *day <= tools.today;
    written(of_year(year).filter(has_come).or_else(|| of_year(year - 1)))
}

/// So many days later.
pub(super) fn later(day: Date, days: i64) -> Option<Date> {
    // A length of time is added faster than a span of the calendar, and days are as long as they look here.
    let seconds = days.checked_mul(24 * 60 * 60)?;
    day.checked_add(SignedDuration::from_secs(seconds)).ok()
}

/// So many years later; what would be 29 February of a common year is the 28th.
fn years_later(day: Date, years: i64) -> Option<Date> {
    day.checked_add(Span::new().try_years(years).ok()?).ok()
}

/// `format_date('1990-08-15', 'DD-MM-YYYY')`: the day in another layout. What is no day stays.
pub(super) fn format_date<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let (Some(day), Some(layout)) = (read(&args[0]), args[1].as_text()) else {
        return args[0].clone();
    };
    let iso = iso(day);
    let mut text = String::with_capacity(layout.len());
    let mut rest = layout;
    while let Some(letter) = rest.chars().next() {
        let parts = [("YYYY", &iso[..4]), ("MM", &iso[5..7]), ("DD", &iso[8..])];
        let part = parts.into_iter().find(|(mark, _)| rest.starts_with(mark));
        match part {
            Some((_, digits)) => text.push_str(digits),
            None => text.push(letter),
        }
        rest = &rest[part.map_or(letter.len_utf8(), |(mark, _)| mark.len())..];
    }
    text.into()
}

/// `months_before('2026-01', 3)`: so many months before this one, newest first, as `YYYY-MM`; with a day, only from its month
/// on.
pub(super) fn months_before<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let (Some(first), Some(count)) = (read(&args[0]), args[1].as_int()) else {
        return Json::List(Vec::new());
    };
    let months = in_months(first);
    let month = |month: i64| format!("{:04}-{:02}", month / 12, month % 12 + 1).into();
    let begun = args.get(2).and_then(read).map_or(0, in_months);
    let oldest = months.saturating_sub(count).max(begun);
    Json::List((oldest..months).rev().map(month).collect())
}

/// So many months after the beginning of the calendar.
fn in_months(day: Date) -> i64 {
    i64::from(day.year()) * 12 + i64::from(day.month()) - 1
}

/// `iso_date('15/08/1990')`: a day written `DD/MM/YYYY`, `DD-MM-YYYY`, `DDMMYYYY` or ISO.
pub(super) fn iso_date<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let text = args[0].as_text().unwrap_or_default();
    let parts = match text.len() {
        8 => [0..2, 2..4, 4..8],
        10 if matches!(
            (text.get(2..3), text.get(5..6)),
            (Some("/"), Some("/")) | (Some("-"), Some("-"))
        ) =>
        {
            [0..2, 3..5, 6..10]
        }
        10 => return written(read(&args[0])),
        _ => return Json::Null,
    };
    let [day, month, year] = parts.map(|part| text.get(part).unwrap_or("none"));
    written(of(year, month, day))
}

/// `add_days(iso, n)`: so many days later, earlier where negative.
pub(super) fn add_days<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let moved = read(&args[0]).zip(args[1].as_int());
    written(moved.and_then(|(day, days)| later(day, days)))
}

/// `add_years(iso, n)`: so many years later, earlier where negative.
pub(super) fn add_years<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let moved = read(&args[0]).zip(args[1].as_int());
    written(moved.and_then(|(day, years)| years_later(day, years)))
}

/// `years_between(from, to)`: whole years. One is full on the day that `add_years` comes to.
pub(super) fn years_between<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let (Some(from), Some(to)) = (read(&args[0]), read(&args[1])) else {
        return Json::Null;
    };
    let years = i64::from(to.year()) - i64::from(from.year());
    let is_full = years_later(from, years).is_some_and(|day| day <= to);
    Json::Int(if is_full { years } else { years - 1 })
}

/// `days_between(from, to)`: whole days.
pub(super) fn days_between<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    match (read(&args[0]), read(&args[1])) {
        (Some(from), Some(to)) => Json::Int(from.duration_until(to).as_hours() / 24),
        _ => Json::Null,
    }
}

/// `year(iso)`: the year.
pub(super) fn year<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    read(&args[0]).map_or(Json::Null, |day| Json::Int(day.year().into()))
}

/// `dates_from(list, 'filingDate', iso)`: the objects whose day is that day or later; all where there is none.
pub(super) fn dates_from<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let items = args[0].as_list().unwrap_or_default();
    let name = args[1].as_text().unwrap_or_default();
    let Some(first) = read(&args[2]) else {
        return Json::List(items.to_vec());
    };
    let day = |item: &Json<'a>| item.get(name).and_then(read);
    let kept = items
        .iter()
        .filter(|item| day(item).is_some_and(|day| day >= first));
    Json::List(kept.cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::super::call;
    use super::*;

    fn list(days: &[&str]) -> Json<'static> {
        Json::List(days.iter().map(|&day| day.into()).collect())
    }

    fn or_null(text: &str) -> Json<'static> {
        match text {
            "" => Json::Null,
            text => text.into(),
        }
    }

    #[test]
    fn a_date_takes_any_layout() {
        for (iso, layout, text) in [
            ("1990-08-15", "DD-MM-YYYY", "15-08-1990"),
            ("1990-08-15", "MMYYYY", "081990"),
            ("1990-08-15", "YYYY-MM", "1990-08"),
            ("1990-08", "DD/MM/YYYY", "01/08/1990"),
            ("", "DD/MM/YYYY", ""),
        ] {
            let written = call("format_date", 0, &[or_null(iso), layout.into()]);
            assert_eq!(written, or_null(text));
        }
    }

    #[test]
    fn months_go_back_over_new_year() {
        let months = |month: &'static str, count: i64| {
            call("months_before", 0, &[month.into(), count.into()])
        };
        let three = list(&["2026-01", "2025-12", "2025-11"]);
        assert_eq!(months("2026-02", 3), three);
        for count in [0, -1, i64::MIN] {
            assert_eq!(months("2026-02", count), list(&[]));
        }
        assert_eq!(months("0000-03", i64::MAX), list(&["0000-02", "0000-01"]));
        assert_eq!(months("soon", 3), list(&[]));
    }

    #[test]
    fn days_are_read_in_four_layouts() {
        for (text, iso) in [
            ("15/08/1990", "1990-08-15"),
            ("15-08-1990", "1990-08-15"),
            ("15081990", "1990-08-15"),
            ("1990-08-15", "1990-08-15"),
            ("29/02/2024", "2024-02-29"),
            ("29/02/2023", ""),
            ("15/08-1990", ""),
            ("31/04/1990", ""),
            ("15/08/90", ""),
            ("+5/+8/1990", ""),
            ("1990-8-15", ""),
            ("éé/é/1990", ""),
            ("", ""),
        ] {
            assert_eq!(call("iso_date", 0, &[text.into()]), or_null(iso), "{text}");
        }
    }

    #[test]
    fn days_and_years_are_added() {
        for (function, iso, more, sum) in [
            ("add_days", "2024-02-28", 2, "2024-03-01"),
            ("add_days", "2026-01-01", -1, "2025-12-31"),
            ("add_days", "2025-12", 48, "2026-01-18"),
            ("add_days", "9999-12-31", 1, ""),
            ("add_days", "0000-01-01", -1, ""),
            ("add_days", "2026-01-01", i64::MAX, ""),
            ("add_days", "", 1, ""),
            ("add_years", "2024-02-29", 1, "2025-02-28"),
            ("add_years", "2024-02-29", 4, "2028-02-29"),
            ("add_years", "1990-08-15", 14, "2004-08-15"),
            ("add_years", "1990-08-15", i64::MIN, ""),
            ("add_years", "", 14, ""),
        ] {
            let result = call(function, 0, &[or_null(iso), more.into()]);
            assert_eq!(result, or_null(sum), "{function} {iso} {more}");
        }
    }

    #[test]
    fn an_age_grows_on_the_birthday() {
        for (from, to, years) in [
            ("1990-08-15", "2026-08-14", 35),
            ("1990-08-15", "2026-08-15", 36),
            ("2004-02-29", "2026-02-27", 21),
            ("2004-02-29", "2026-02-28", 22),
            ("2026-01-02", "2026-01-01", -1),
            ("2026-01-01", "2026-01-01", 0),
        ] {
            let result = call("years_between", 0, &[from.into(), to.into()]);
            assert_eq!(result, years.into(), "{from} {to}");
        }
        let unknown = [Json::Null, "2026-01-01".into()];
        assert_eq!(call("years_between", 0, &unknown), Json::Null);
        assert_eq!(call("year", 0, &["2026-01-01".into()]), 2026.into());
        assert_eq!(call("year", 0, &[Json::Null]), Json::Null);
    }

    #[test]
    fn what_was_before_a_day_is_left_out() {
        let items = |days: &[&str]| {
            let item = |day: &&str| Json::Object(vec![("on".into(), (*day).into())]);
            Json::List(days.iter().map(item).collect::<Vec<Json<'static>>>())
        };
        let all = || items(&["2003-06-17", "2012-03-05", "2018-11-23"]);
        let from = |list, day| call("dates_from", 0, &[list, "on".into(), or_null(day)]);
        let later = items(&["2012-03-05", "2018-11-23"]);
        assert_eq!(from(all(), "2012-03-05"), later);
        assert_eq!(from(all(), ""), all());
        assert_eq!(from(Json::Null, "2012-03-05"), items(&[]));
    }
}
