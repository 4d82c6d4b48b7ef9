//! What a value of a field must be, in words. Checks nothing.

use svc_fixtures::contract::{Contract, Kind};

/// What a value must be.
#[must_use]
pub(super) fn field_rule(contract: &Contract, kind: &Kind) -> String {
    match kind {
        Kind::Text { format, one_of } => match (one_of.as_slice(), format) {
            ([], None) => "any text".to_owned(),
            ([], Some(id)) => contract.format(*id).about.clone(),
            (values, _) => format!("one of {}", values.join(", ")),
        },
        Kind::Int { min, max } => format!("a whole number{}", range(*min, *max)),
        Kind::Num { min, max } => format!("a number{}", range(*min, *max)),
        Kind::Bool => "true or false".to_owned(),
        Kind::List { items, min_items } => {
            let items = field_rule(contract, items);
            match min_items {
                0 => format!("a list; each item: {items}"),
                _ => format!("a list of at least {min_items}; each item: {items}"),
            }
        }
        Kind::Object { fields } if fields.is_empty() => "any object".to_owned(),
        Kind::Object { fields } => {
            let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            format!("an object with {}", names.join(", "))
        }
    }
}

fn range<T: std::fmt::Display>(min: Option<T>, max: Option<T>) -> String {
    match (min, max) {
        (Some(min), Some(max)) => format!(" from {min} to {max}"),
        (Some(min), None) => format!(", at least {min}"),
        (None, Some(max)) => format!(", at most {max}"),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_rule_is_told() {
        let contract = Contract::built_in();
        let any = || Kind::Text {
            format: None,
            one_of: Vec::new(),
        };
        let list = |min_items| Kind::List {
            items: Box::new(any()),
            min_items,
        };
        let one_of = vec!["y".to_owned(), "n".to_owned()];
        for (kind, told) in [
            (any(), "any text"),
            (
                Kind::Text {
                    format: None,
                    one_of,
                },
                "one of y, n",
            ),
            (
                Kind::Int {
                    min: Some(1),
                    max: Some(12),
                },
                "a whole number from 1 to 12",
            ),
            (
                Kind::Num {
                    min: None,
                    max: Some(0.5),
                },
                "a number, at most 0.5",
            ),
            (Kind::Bool, "true or false"),
            (list(2), "a list of at least 2; each item: any text"),
            (list(0), "a list; each item: any text"),
            (Kind::Object { fields: Vec::new() }, "any object"),
        ] {
            assert_eq!(field_rule(&contract, &kind), told);
        }
    }
}
