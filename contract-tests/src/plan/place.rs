//! Where a value stands in an answer: member names and positions in lists, one after the other. A
//! name may have dots in it, so a place is written with slashes.

use std::fmt;

use svc_fixtures::json::Json;

/// A place in a JSON document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place(Vec<String>);

impl Place {
    /// The place these parts lead to.
    #[must_use]
    pub fn of<const N: usize>(parts: [&str; N]) -> Self {
        Place(parts.map(str::to_owned).to_vec())
    }

    /// A place as it is written: `data/companies/0/cin`. None where a part is empty.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let parts: Vec<_> = text.split('/').map(str::to_owned).collect();
        parts
            .iter()
            .all(|part| !part.is_empty())
            .then_some(Place(parts))
    }

    /// Its parts.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// What stands there. A number is a position in a list, and a name in an object.
    #[must_use]
    pub fn find<'j, 'a>(&self, json: &'j Json<'a>) -> Option<&'j Json<'a>> {
        self.parts().try_fold(json, |json, part| match json {
            Json::List(items) => items.get(part.parse::<usize>().ok()?),
            _ => json.get(part),
        })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0.join("/"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(place: &str) -> Option<String> {
        let json = Json::parse(br#"{"a": [{"b.c": 1}], "0": {"x": null}}"#).expect("JSON");
        let place = Place::parse(place).expect("a place");
        place.find(&json).map(ToString::to_string)
    }

    #[test]
    fn names_with_dots_and_positions_lead_to_a_value() {
        assert_eq!(find("a/0/b.c").as_deref(), Some("1"));
        assert_eq!(find("0/x").as_deref(), Some("null"));
        for nowhere in ["a/1", "a/b.c", "a/-1", "a/0/b/c", "a/0/b.c/d", "0/0"] {
            assert_eq!(find(nowhere), None, "{nowhere}");
        }
    }

    #[test]
    fn a_place_has_no_empty_part() {
        for bad in ["", "/data", "data/", "data//x"] {
            assert_eq!(Place::parse(bad), None, "{bad}");
        }
    }
}
