//! A range of numbers.

use svc_fixtures::json::Json;

/// Every number within these bounds; one that is not given does not bound.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct NumberRange {
    /// This or more.
    pub at_least: Option<f64>,
    /// This or less.
    pub at_most: Option<f64>,
    /// More than this.
    pub above: Option<f64>,
    /// Less than this.
    pub below: Option<f64>,
}

impl NumberRange {
    /// Whether a value is such a number, also one that is written as a text; of a list, one of its
    /// items.
    #[must_use]
    pub fn holds(&self, value: &Json<'_>) -> bool {
        match value {
            Json::List(items) => items.iter().any(|item| self.holds(item)),
            _ => number(value).is_some_and(|number| self.contains(number)),
        }
    }

    /// Whether a number lies within the bounds.
    #[must_use]
    pub fn contains(&self, number: f64) -> bool {
        self.at_least.is_none_or(|bound| number >= bound)
            && self.at_most.is_none_or(|bound| number <= bound)
            && self.above.is_none_or(|bound| number > bound)
            && self.below.is_none_or(|bound| number < bound)
    }

    /// The numbers that lie within both.
    #[must_use]
    pub(super) fn within(&self, other: &NumberRange) -> NumberRange {
        let of_both = |one: Option<f64>, other: Option<f64>, which: fn(f64, f64) -> f64| {
            one.into_iter().chain(other).reduce(which)
        };
        NumberRange {
            at_least: of_both(self.at_least, other.at_least, f64::max),
            at_most: of_both(self.at_most, other.at_most, f64::min),
            above: of_both(self.above, other.above, f64::max),
            below: of_both(self.below, other.below, f64::min),
        }
    }

    /// Whether no number at all lies within them.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let least = [self.at_least, self.above];
        let most = [self.at_most, self.below];
        let low = least.into_iter().flatten().reduce(f64::max);
        let high = most.into_iter().flatten().reduce(f64::min);
        let (Some(low), Some(high)) = (low, high) else {
            return false;
        };
        low > high || (low == high && !self.contains(low))
    }
}

/// The number a value is or says. What an expression would read as a number and a person would
/// not, such as `inf`, is none.
pub(super) fn number(value: &Json<'_>) -> Option<f64> {
    let Some(text) = value.as_text() else {
        return value.as_num();
    };
    let digits = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b"+-.".contains(&byte));
    text.parse().ok().filter(|_| digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(at_least: Option<f64>, at_most: Option<f64>, below: Option<f64>) -> NumberRange {
        NumberRange {
            at_least,
            at_most,
            above: None,
            below,
        }
    }

    #[test]
    fn both_bounds_belong_to_the_range_or_do_not() {
        let closed = range(Some(1.0), Some(5.0), None);
        for (number, holds) in [(0, false), (1, true), (5, true), (6, false)] {
            assert_eq!(closed.holds(&Json::Int(number)), holds, "{number}");
        }
        let open = NumberRange {
            above: Some(1.0),
            below: Some(5.0),
            ..NumberRange::default()
        };
        for (number, holds) in [(1.0, false), (1.01, true), (4.99, true), (5.0, false)] {
            assert_eq!(open.holds(&Json::Num(number)), holds, "{number}");
        }
    }

    #[test]
    fn numbers_that_are_sent_as_texts_count() {
        let range = range(Some(12.0), None, Some(13.0));
        for (text, holds) in [
            ("12.5", true),
            ("11.9", false),
            ("12 km", false),
            ("", false),
        ] {
            assert_eq!(range.holds(&Json::from(text)), holds, "{text}");
        }
        assert!(!NumberRange::default().holds(&Json::from("inf")));
    }

    #[test]
    fn a_range_without_numbers_is_empty() {
        assert!(range(Some(5.0), Some(4.0), None).is_empty());
        assert!(range(Some(5.0), None, Some(5.0)).is_empty());
        assert!(!range(Some(5.0), Some(5.0), None).is_empty());
        assert!(!range(Some(5.0), None, None).is_empty());
    }
}
