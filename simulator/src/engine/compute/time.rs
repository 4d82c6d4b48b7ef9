//! Days and months. No clock: every date comes in as an argument.

use jiff::ToSpan;
use jiff::civil::Date;
use svc_fixtures::json::Json;

use super::Tools;

/// `format_date('1990-08-15', 'DD-MM-YYYY')`: the day in another layout.
pub(super) fn format_date<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let day = args[0].as_text().and_then(|text| text.parse::<Date>().ok());
    let (Some(day), Some(layout)) = (day, args[1].as_text()) else {
        return args[0].clone();
    };
    let text = layout
        .replace("YYYY", &format!("{:04}", day.year()))
        .replace("MM", &format!("{:02}", day.month()))
        .replace("DD", &format!("{:02}", day.day()));
    text.into()
}

/// `months_before('2026-01', 3)`: so many months before this one, newest first, as `YYYY-MM`.
pub(super) fn months_before<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let first = args[0]
        .as_text()
        .and_then(|text| format!("{text}-01").parse::<Date>().ok());
    let (Some(first), Some(count)) = (first, args[1].as_int()) else {
        return Json::List(Vec::new());
    };
    let month = |back: i64| {
        let day = first.checked_sub(back.months()).ok()?;
        Some(format!("{:04}-{:02}", day.year(), day.month()).into())
    };
    Json::List((1..=count).map_while(month).collect())
}

#[cfg(test)]
mod tests {
    use super::super::call;
    use super::*;

    #[test]
    fn a_date_takes_any_layout() {
        for (layout, text) in [
            ("DD-MM-YYYY", "15-08-1990"),
            ("MMYYYY", "081990"),
            ("YYYY-MM", "1990-08"),
        ] {
            assert_eq!(
                call("format_date", 0, &["1990-08-15".into(), layout.into()]),
                text.into()
            );
        }
    }

    #[test]
    fn months_go_back_over_new_year() {
        let months = call("months_before", 0, &["2026-02".into(), 3.into()]);
        assert_eq!(
            months,
            Json::List(vec!["2026-01".into(), "2025-12".into(), "2025-11".into()])
        );
        assert_eq!(
            call("months_before", 0, &["2026-02".into(), 0.into()]),
            Json::List(vec![])
        );
    }
}
