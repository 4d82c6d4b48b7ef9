//! Stand-ins for days: other days, which come one after the other as the real ones do and lie as many years apart, so that
//! what is said of their order and of years is judged as before.

use std::collections::BTreeMap;

/// So many places has a year, twelve months of 28 days.
const PLACES: u16 = 12 * 28;

/// The stand-ins so far.
#[derive(Debug, Clone)]
pub(super) struct Days {
    /// How many years earlier they lie.
    years: u16,
    /// By the year: the place of each day in it that has a stand-in.
    placed: BTreeMap<u16, BTreeMap<u16, u16>>,
}

/// A day and how it is written.
pub(super) struct Written<'t> {
    parts: [&'t str; 3],
    separator: &'t str,
}

impl<'t> Written<'t> {
    /// The day that is all of a text, the year first or last.
    pub(super) fn read(text: &'t str) -> Option<Self> {
        Written::apart(text).or_else(|| Written::in_one(text))
    }

    /// `DDMMYYYY`.
    fn in_one(text: &'t str) -> Option<Self> {
        let is_number = text.len() == 8 && text.bytes().all(|b| b.is_ascii_digit());
        let parts = is_number.then(|| [&text[..2], &text[2..4], &text[4..]])?;
        let separator = "";
        let written = Written { parts, separator };
        let [year, month, day] = written.day()?;
        let is_day = (1..=31).contains(&day) && (1..=12).contains(&month);
        (is_day && (1000..3000).contains(&year)).then_some(written)
    }

    fn apart(text: &'t str) -> Option<Self> {
        let at = text.find(['-', '/', '.'])?;
        let separator = &text[at..=at];
        let mut parts = text.split(separator);
        let parts = [parts.next()?, parts.next()?, parts.next()?];
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let whole = parts.iter().map(|part| part.len()).sum::<usize>() + 2 == text.len();
        let is_day = parts.iter().all(|part| digits(part)) && whole && text.len() == 10;
        (is_day && (at == 4 || at == 2)).then_some(Written { parts, separator })
    }

    fn is_year_first(&self) -> bool {
        self.parts[0].len() == 4
    }

    /// Year, month and day.
    fn day(&self) -> Option<[u16; 3]> {
        let [a, b, c] = self.parts;
        let [year, month, day] = if self.is_year_first() {
            [a, b, c]
        } else {
            [c, b, a]
        };
        Some([year.parse().ok()?, month.parse().ok()?, day.parse().ok()?])
    }

    fn whole(&self) -> String {
        self.parts.join(self.separator)
    }

    /// In ISO, whichever way it is written.
    pub(super) fn iso(&self) -> String {
        let [a, b, c] = self.parts;
        match self.is_year_first() {
            true => format!("{a}-{b}-{c}"),
            false => format!("{c}-{b}-{a}"),
        }
    }
}

impl Days {
    /// So many years earlier.
    pub(super) fn earlier(years: u16) -> Self {
        Days {
            years,
            placed: BTreeMap::new(),
        }
    }

    /// The stand-in of a day, written as it is.
    pub(super) fn stand_in(&mut self, written: &Written<'_>) -> Option<String> {
        let [year, month, day] = written.day()?;
        let earlier = self.year(year);
        if earlier == year {
            return Some(written.whole());
        }
        let of_year = self.placed.entry(year).or_default();
        let own = month * 100 + day;
        let place = of_year.get(&own).copied().unwrap_or_else(|| {
            let before = of_year.range(..own).next_back();
            let from = before.map_or(0, |(_, place)| place + 1);
            let after = of_year.range(own..).next();
            let to = after.map_or(PLACES, |(_, place)| *place);
            // Where there is no room left two days share a place.
            u16::midpoint(from, to.max(from)).min(PLACES - 1)
        });
        of_year.insert(own, place);
        let (month, day) = (place / 28 + 1, place % 28 + 1);
        let c = written.separator;
        Some(match written.is_year_first() {
            true => format!("{earlier:04}{c}{month:02}{c}{day:02}"),
            false => format!("{day:02}{c}{month:02}{c}{earlier:04}"),
        })
    }

    /// The stand-in of a year. Before our times it is one already.
    pub(super) fn year(&self, year: u16) -> u16 {
        match year {
            0..1800 => year,
            _ => year - self.years,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stand_in(days: &mut Days, text: &str) -> Option<String> {
        days.stand_in(&Written::read(text)?)
    }

    #[test]
    fn days_stay_in_order_and_apart_however_they_are_written() {
        let mut days = Days::earlier(700);
        let all = [
            "1990-08-15",
            "15/08/1990",
            "15-08-1990",
            "15081990",
            "1990-01-02",
            "1990-12-30",
            "1990-08-16",
            "1989-12-31",
        ];
        let all = all.map(|text| stand_in(&mut days, text).unwrap_or_default());
        insta::assert_snapshot!(all.join(" "), @"1290-07-01 01/07/1290 01-07-1290 01071290 1290-04-01 1290-10-01 1290-08-15 1289-07-01");
        assert_eq!(days.year(2004), 1304);
        // What is a stand-in already stays.
        let again = stand_in(&mut days, "01/07/1290");
        assert_eq!(again.as_deref(), Some("01/07/1290"));
        for text in [
            "1990-8-15",
            "19900815",
            "00000001",
            "150819901",
            "1990-08-1x",
            "12.5",
            "",
        ] {
            assert_eq!(stand_in(&mut days, text), None, "{text}");
        }
    }

    #[test]
    fn a_year_with_more_days_than_there_is_room_between_keeps_their_order() {
        let mut days = Days::earlier(700);
        let made: Vec<_> = (1..=28)
            .map(|day| stand_in(&mut days, &format!("1990-05-{day:02}")).expect("a day"))
            .collect();
        assert!(made.is_sorted(), "{made:?}");
    }
}
