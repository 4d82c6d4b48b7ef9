//! Rules of formats as regular expressions that readers in all languages know: no look-ahead, no flags, no
//! anchors but `^` and `$`.

/// Characters that no address on the web has: white space and control characters.
/// None above `\x7f` is named, which Ruby and PHP read as half of a character.
const BLANK: &str = r"\s\x00-\x1f\x7f";

/// An absolute http or https URL with a host, as [`svc_fixtures::contract::Rule::Url`] has it.
pub(super) fn url() -> String {
    let user = format!("(?:[^/?#{BLANK}]*@)?");
    let host = format!(r"(?:\[[^\]/?#{BLANK}]+[^/?#@{BLANK}]*|[^:/?#@\[{BLANK}][^/?#@{BLANK}]*)");
    format!("^[Hh][Tt][Tt][Pp][Ss]?://{user}{host}(?:[/?#][^{BLANK}]*)?$")
}

/// An absolute URI with a scheme. That some schemes are never followed stands in words beside it.
pub(super) fn link() -> String {
    format!("^[A-Za-z][A-Za-z0-9+.-]*:[^{BLANK}]+$")
}

/// An IPv4 or IPv6 address in any of its spellings.
pub(super) fn ip() -> String {
    const FOUR: &str = r"(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\.){3}(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
    const PART: &str = "[0-9A-Fa-f]{1,4}";
    let mut forms = vec![
        FOUR.to_owned(),
        format!("(?:{PART}:){{7}}{PART}"),
        format!("(?:{PART}:){{1,7}}:"),
        format!(":(?::{PART}){{1,7}}"),
        "::".to_owned(),
        format!("(?:{PART}:){{6}}{FOUR}"),
        format!("::(?:{PART}:){{0,5}}{FOUR}"),
    ];
    // The gap stands after the first parts, with as many after it as are left.
    forms.extend(
        (1..=6).map(|first| format!("(?:{PART}:){{{first}}}(?::{PART}){{1,{}}}", 7 - first)),
    );
    forms.extend((1..=5).map(|first| {
        format!(
            "(?:{PART}:){{{first}}}(?::{PART}){{0,{}}}:{FOUR}",
            5 - first
        )
    }));
    format!("^(?:{})$", forms.join("|"))
}

/// A decimal number from the negative of a bound to the bound, which is a whole number.
pub(super) fn decimal(bound: f64) -> String {
    let bound = format!("{bound:.0}");
    format!(
        r"^[-+]?(?:0*(?:{})(?:\.[0-9]*)?|0*{bound}(?:\.0*)?|\.[0-9]+)$",
        below(&bound)
    )
}

/// The whole numbers from zero to below this one.
fn below(digits: &str) -> String {
    let mut forms = Vec::new();
    if digits.len() > 1 {
        forms.push(format!("[0-9]{{1,{}}}", digits.len() - 1));
    }
    for (at, digit) in digits.bytes().enumerate() {
        let least = if at == 0 && digits.len() > 1 {
            b'1'
        } else {
            b'0'
        };
        if digit > least {
            let (before, after) = (&digits[..at], digits.len() - at - 1);
            let (least, most) = (char::from(least), char::from(digit - 1));
            forms.push(format!("{before}[{least}-{most}][0-9]{{{after}}}"));
        }
    }
    forms.join("|")
}

/// A day of the calendar in one of these layouts of `DD`, `MM` and `YYYY`.
pub(super) fn dates(layouts: &[String]) -> String {
    let forms = layouts.iter().map(|layout| date(layout));
    format!("^(?:{})$", forms.collect::<Vec<_>>().join("|"))
}

fn date(layout: &str) -> String {
    const YEAR: &str = "(?:000[1-9]|00[1-9][0-9]|0[1-9][0-9]{2}|[1-9][0-9]{3})";
    const LEAP: &str =
        "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)";
    const MONTH: &str = "(?:0[1-9]|1[0-2])";
    let form = |day: &str, month: &str, year: &str| {
        let escaped = layout.replace('.', r"\.");
        let escaped = escaped.replace("DD", day).replace("MM", month);
        escaped.replace("YYYY", year)
    };
    if !layout.contains("DD") {
        return form("", MONTH, YEAR);
    }
    let forms = [
        form("(?:0[1-9]|1[0-9]|2[0-8])", MONTH, YEAR),
        form("(?:29|30)", "(?:0[13-9]|1[0-2])", YEAR),
        form("31", "(?:0[13578]|1[02])", YEAR),
        form("29", "02", LEAP),
    ];
    forms.join("|")
}

#[cfg(test)]
mod tests {
    use regex_automata::meta::Regex;
    use svc_fixtures::contract::{Contract, Format, Rule, parse_date};

    use super::{dates, decimal, ip, link, url};

    /// Whether the expression says what the rule of the format says, of each of these texts.
    fn agree(pattern: &str, fits: impl Fn(&str) -> bool, texts: &[&str]) {
        let pattern = Regex::new(pattern).unwrap();
        for text in texts {
            assert_eq!(
                pattern.is_match(text),
                fits(text),
                "{text:?} by {pattern:?}"
            );
        }
    }

    fn format(is: impl Fn(&Rule) -> bool) -> Format {
        let mut formats = Contract::built_in().formats.into_iter();
        formats.find(|format| is(&format.rule)).unwrap()
    }

    #[test]
    fn dates_are_days_of_the_calendar() {
        let layout = "DD/MM/YYYY";
        let pattern = Regex::new(&dates(&[layout.to_owned()])).unwrap();
        for year in [0, 1, 99, 100, 400, 1900, 1999, 2000, 2023, 2024, 2100, 9999] {
            for (month, day) in (0..=13).flat_map(|month| (0..=32).map(move |day| (month, day))) {
                let text = format!("{day:02}/{month:02}/{year:04}");
                let is_day = parse_date(layout, &text).is_some();
                assert_eq!(pattern.is_match(&text), is_day, "{text}");
            }
        }
        let month = dates(&["YYYY-MM".to_owned()]);
        agree(
            &month,
            |it| parse_date("YYYY-MM", it).is_some(),
            &["2024-12", "2024-13", "2024-00", "0000-01"],
        );
    }

    #[test]
    fn decimals_are_inside_their_bounds() {
        let texts = [
            "0", "-0", "9", "89", "90", "91", "-90.000", "90.0001", "089.5", "179.99", "180",
            "180.5", "1000", ".5", "-.5", "5.", ".", "", "+7", "1e3", "--1", " 1",
        ];
        for bound in [90.0, 180.0, 1.0, 10.0] {
            let fits = |text: &str| {
                let plain = text
                    .bytes()
                    .all(|b| b.is_ascii_digit() || b".-+".contains(&b));
                let value = text.parse::<f64>().ok().filter(|_| plain);
                value.is_some_and(|value| value.abs() <= bound)
            };
            agree(&decimal(bound), fits, &texts);
        }
    }

    #[test]
    fn addresses_are_those_that_the_service_takes() {
        let texts = [
            "203.0.113.1",
            "256.0.0.1",
            "01.2.3.4",
            "1.2.3",
            "::",
            "::1",
            "1::",
            "2001:db8::1",
            "2001:db8:0:0:0:0:0:1",
            "1:2:3:4:5:6:7:8:9",
            "1:2:3:4:5:6:7",
            "1:2:3:4:5:6:7::",
            "::2:3:4:5:6:7:8",
            "1::8",
            "1:2::3::4",
            "12345::",
            "::ffff:1.2.3.4",
            "1:2:3:4:5:6:1.2.3.4",
            "1::1.2.3.4",
            "1:2:3:4:5::1.2.3.4",
            "1:2:3:4:5:6:7:1.2.3.4",
            ":",
            "",
            "fe80::1%eth0",
            "g::1",
        ];
        let format = format(|rule| matches!(rule, Rule::Ip));
        agree(&ip(), |it| format.fits(it), &texts);
    }

    #[test]
    fn urls_and_links_are_those_that_the_service_takes() {
        let texts = [
            "https://assets.example/selfie.png",
            "http://a",
            "https://",
            "https:///a",
            "http://a b",
            "ftp://a/b",
            "http://me:pass@host/x",
            "http://@",
            "http://[::1]:80/x",
            "http://[]",
            "http://:80/",
            "http://a:80?b#c",
            "http://a/\u{7}",
            "",
            "a.png",
            "http://é/",
        ];
        let format_of_urls = format(|rule| matches!(rule, Rule::Url));
        agree(&url(), |it| format_of_urls.fits(it), &texts);
        let links = [
            "https://app.example/return",
            "myapp://callback",
            "com.example.app:/done",
            "/return",
            "my app:x",
            "myapp:",
        ];
        let format_of_links = format(|rule| matches!(rule, Rule::Link));
        agree(&link(), |it| format_of_links.fits(it), &links);
    }
}
