//! Comparing an answer with the parts of it that are expected. Knows nothing of calls and envelopes.

use svc_fixtures::json::Json;

/// Where a value is not what is expected, each place with both values. Of objects the members that are expected count, lists must
/// have the same length, numbers are compared by their value.
#[must_use]
pub(super) fn differences(expected: &Json<'_>, found: &Json<'_>) -> Vec<String> {
    let mut differences = Vec::new();
    compare(expected, Some(found), "", &mut differences);
    differences
}

/// Of what was found, that which is expected: the two can be laid beside each other.
#[must_use]
pub(super) fn of_interest(expected: &Json<'_>, found: &Json<'_>) -> Json<'static> {
    match (expected, found) {
        (Json::Object(wanted), Json::Object(_)) => {
            let member = |(name, wanted): &(std::borrow::Cow<'_, str>, Json<'_>)| {
                let there = found.get(name)?;
                Some((name.clone().into_owned().into(), of_interest(wanted, there)))
            };
            Json::Object(wanted.iter().filter_map(member).collect())
        }
        (Json::List(wanted), Json::List(there)) => {
            let item = |(at, item): (usize, &Json<'_>)| match wanted.get(at) {
                Some(wanted) => of_interest(wanted, item),
                None => item.clone().into_owned(),
            };
            Json::List(there.iter().enumerate().map(item).collect())
        }
        _ => found.clone().into_owned(),
    }
}

/// What stands at a dotted path.
#[must_use]
pub(super) fn at_path<'j>(json: &'j Json<'j>, path: &str) -> Option<&'j Json<'j>> {
    path.split('.').try_fold(json, |json, part| match json {
        Json::List(items) => items.get(part.parse::<usize>().ok()?),
        _ => json.get(part),
    })
}

fn compare(
    expected: &Json<'_>,
    found: Option<&Json<'_>>,
    path: &str,
    differences: &mut Vec<String>,
) {
    let inside = |part: &dyn std::fmt::Display| match path.is_empty() {
        true => part.to_string(),
        false => format!("{path}.{part}"),
    };
    match (expected, found) {
        (Json::Object(wanted), Some(found @ Json::Object(_))) => {
            for (name, wanted) in wanted {
                compare(wanted, found.get(name), &inside(name), differences);
            }
        }
        (Json::List(wanted), Some(Json::List(there))) if wanted.len() == there.len() => {
            for (at, (wanted, there)) in wanted.iter().zip(there).enumerate() {
                compare(wanted, Some(there), &inside(&at), differences);
            }
        }
        (wanted, Some(found)) if same(wanted, found) => {}
        (wanted, found) => {
            let found = found.map_or_else(|| "nothing".to_owned(), ToString::to_string);
            differences.push(format!("`{path}` should be {wanted} and is {found}"));
        }
    }
}

fn same(expected: &Json<'_>, found: &Json<'_>) -> bool {
    let as_numbers = || {
        let (expected, found) = (expected.as_num()?, found.as_num()?);
        Some(expected.total_cmp(&found).is_eq())
    };
    match (expected, found) {
        // Whole numbers of 64 bits are compared as such: as doubles, neighbours would be the same.
        (Json::Int(expected), Json::Int(found)) => expected == found,
        _ => expected == found || as_numbers().unwrap_or(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json<'static> {
        Json::parse(text.as_bytes()).unwrap().into_owned()
    }

    fn rendered(expected: &str, found: &str) -> String {
        differences(&json(expected), &json(found)).join("\n")
    }

    #[test]
    fn only_what_is_expected_counts() {
        assert_eq!(
            rendered(r#"{"a":{"b":1}}"#, r#"{"a":{"b":1.0,"c":2},"d":3}"#),
            ""
        );
        assert_eq!(rendered("[]", "[]"), "");
        assert_eq!(rendered(r#"[{"a":1}]"#, r#"[{"a":1,"b":2}]"#), "");
    }

    #[test]
    fn every_difference_is_reported_with_its_place() {
        insta::assert_snapshot!(
            rendered(
                r#"{"a":{"b":"x","c":1},"l":[1,2],"m":[{"n":true}]}"#,
                r#"{"a":{"b":"y"},"l":[1],"m":[{"n":null}]}"#
            ),
            @r#"
        `a.b` should be "x" and is "y"
        `a.c` should be 1 and is nothing
        `l` should be [1,2] and is [1]
        `m.0.n` should be true and is null
        "#
        );
    }

    #[test]
    fn of_what_was_found_only_what_is_expected_is_shown() {
        let shown = of_interest(
            &json(r#"{"a":{"b":1},"l":[{"x":1}],"z":1}"#),
            &json(r#"{"a":{"b":2,"c":3},"l":[{"x":1,"y":2},4],"d":5}"#),
        );
        assert_eq!(shown, json(r#"{"a":{"b":2},"l":[{"x":1},4]}"#));
    }

    #[test]
    fn a_path_leads_through_members_and_items() {
        let answer = json(r#"{"data":{"list":[{"a":1}]}}"#);
        assert_eq!(at_path(&answer, "data.list.0.a"), Some(&Json::Int(1)));
        assert_eq!(at_path(&answer, "data.list.1.a"), None);
        assert_eq!(at_path(&answer, "data.none"), None);
    }
}
