//! What a provider's calls cost, read from a file that a person wrote: INR by endpoint, in TOML or JSON.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use svc_fixtures::contract::{Contract, Paise};
use svc_fixtures::json::Json;
use svc_fixtures::reading::{Problem, Problems, Source, Table, nearest};

/// What the endpoints of a provider cost. The specification gives no price of a single operation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PriceList(BTreeMap<String, Paise>);

/// A price as it stands in a file.
struct Written {
    endpoint: String,
    place: Range<usize>,
    rupees: Option<f64>,
}

impl PriceList {
    /// The prices of a file: TOML, or JSON where it begins with a brace.
    ///
    /// # Errors
    /// Every mistake of the file.
    pub fn read(contract: &Contract, source: &Arc<Source>) -> Result<Self, Problems> {
        let example = contract.operations.first().map_or("", |it| it.id.as_str());
        let (written, mut problems) = match source.text.trim_start().starts_with('{') {
            true => of_json(source, example),
            false => Table::of_source(source, |root| of_table(root, "")),
        };
        let bundles = contract.bundles.iter();
        let bundles: Vec<_> = bundles.map(|bundle| endpoint(&bundle.slug)).collect();
        let operations = contract.operations.iter().map(|it| it.id.as_str());
        let known: Vec<&str> = operations
            .chain(bundles.iter().map(String::as_str))
            .collect();
        let mut prices = BTreeMap::new();
        for price in written {
            let problem = |message: String| Problem::new(source, price.place.clone(), message);
            let name = price.endpoint.as_str();
            if !known.contains(&name) {
                let unknown = problem(format!("there is no endpoint `{name}`"));
                problems.push(unknown.hint(nearest(name, known.iter().copied())));
                continue;
            }
            let amount = price.rupees.and_then(Paise::from_rupees);
            match amount.filter(|amount| (1..=100_000_000).contains(&amount.0)) {
                Some(amount) => {
                    prices.insert(price.endpoint, amount);
                }
                None => problems.push(
                    problem(format!("this is no price of `{name}`"))
                        .hint("a number of INR above 0 with at most two decimals, such as 2.5"),
                ),
            }
        }
        if prices.is_empty() && problems.is_empty() {
            let hint = format!("a line an endpoint, such as `\"{example}\" = 2.5`");
            problems.push(Problem::new(source, 0..0, "there is no price here").hint(hint));
        }
        problems.or(PriceList(prices))
    }

    /// What an operation costs, where the list says so.
    #[must_use]
    pub fn operation(&self, id: &str) -> Option<Paise> {
        self.0.get(id).copied()
    }

    /// What a bundle costs, where the list says so.
    #[must_use]
    pub fn bundle(&self, slug: &str) -> Option<Paise> {
        self.0.get(&endpoint(slug)).copied()
    }

    /// Whether it says nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The endpoint of a bundle.
fn endpoint(slug: &str) -> String {
    format!("bundles.{slug}")
}

/// The prices of a table, and of those in it: a dotted name without quotes is a table in TOML.
fn of_table(table: &Table<'_>, before: &str) -> Vec<Written> {
    let mut written = Vec::new();
    for (name, item) in table.entries() {
        let endpoint = format!("{before}{name}");
        match item.if_table() {
            Some(inner) => written.extend(of_table(&inner, &format!("{endpoint}."))),
            None => written.push(Written {
                endpoint,
                place: item.location().span,
                rupees: item.json_if_any().and_then(|value| value.as_num()),
            }),
        }
    }
    written
}

/// The members of a JSON object. A member stands where its name, in quotes, is found first.
fn of_json(source: &Arc<Source>, example: &str) -> (Vec<Written>, Problems) {
    let mut problems = Problems::default();
    let members = match Json::parse(source.text.as_bytes()) {
        Ok(Json::Object(members)) => members,
        Ok(_) => Vec::new(),
        Err(mistake) => {
            let read: Result<serde::de::IgnoredAny, _> = serde_json::from_str(&source.text);
            let line = read.err().map_or(1, |error| error.line());
            let problem = Problem::new(source, source.line_span(line), mistake.to_string());
            problems.push(problem.hint(format!("INR by endpoint, such as {{\"{example}\": 2.5}}")));
            Vec::new()
        }
    };
    let written = members.iter().map(|(name, value)| {
        let quoted = format!("\"{name}\"");
        let at = source.text.find(&quoted).unwrap_or_default();
        Written {
            endpoint: name.to_string(),
            place: at..at + quoted.len(),
            rupees: value.as_num(),
        }
    });
    (written.collect(), problems)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<PriceList, String> {
        let source = Source::new("prices", text);
        let list = PriceList::read(&Contract::built_in(), &source);
        list.map_err(|problems| problems.to_string())
    }

    #[test]
    fn toml_and_json_say_the_same() {
        let texts = [
            "\"verify.identity.pan\" = 3.5\n\"bundles.fraud-check\" = 22\n",
            "bundles.fraud-check = 22\n[verify.identity]\npan = 3.5\n",
            "{\"verify.identity.pan\": 3.5, \"bundles.fraud-check\": 22}",
        ];
        for text in texts {
            let list = read(text).expect("it reads");
            assert_eq!(list.operation("verify.identity.pan"), Some(Paise(350)));
            assert_eq!(list.bundle("fraud-check"), Some(Paise(2200)));
            assert_eq!(list.operation("verify.identity.dl"), None);
        }
    }

    #[test]
    fn every_mistake_is_reported_with_its_line_and_a_hint() {
        let text = "\"verify.identity.pann\" = 3.5\n\"verify.identity.dl\" = 1.005\n\"bundles.fraud-check\" = -2\n";
        insta::assert_snapshot!(read(text).expect_err("three mistakes"), @r#"
        error: there is no endpoint `verify.identity.pann`
         --> prices:1:26
          |
        1 | "verify.identity.pann" = 3.5
          |                          ^^^
          |
          = help: did you mean `verify.identity.pan`?

        error: this is no price of `verify.identity.dl`
         --> prices:2:24
          |
        2 | "verify.identity.dl" = 1.005
          |                        ^^^^^
          |
          = help: a number of INR above 0 with at most two decimals, such as 2.5

        error: this is no price of `bundles.fraud-check`
         --> prices:3:25
          |
        3 | "bundles.fraud-check" = -2
          |                         ^^
          |
          = help: a number of INR above 0 with at most two decimals, such as 2.5

        3 mistakes found
        "#);
        let text = "{\n  \"verify.identity.pan\": \"3.5\",\n  \"verify.pan\": 2\n}\n";
        insta::assert_snapshot!(read(text).expect_err("two mistakes"), @r#"
        error: this is no price of `verify.identity.pan`
         --> prices:2:3
          |
        2 |   "verify.identity.pan": "3.5",
          |   ^^^^^^^^^^^^^^^^^^^^^
          |
          = help: a number of INR above 0 with at most two decimals, such as 2.5

        error: there is no endpoint `verify.pan`
         --> prices:3:3
          |
        3 |   "verify.pan": 2
          |   ^^^^^^^^^^^^
          |
          = help: did you mean `verify.company.tin`?

        2 mistakes found
        "#);
        insta::assert_snapshot!(read("{\n  \"verify.identity.pan\": 3,\n}").expect_err("no JSON"), @r#"
        error: trailing comma at line 3 column 1
         --> prices:3:1
          |
        3 | }
          | ^
          |
          = help: INR by endpoint, such as {"verify.identity.pan": 2.5}

        1 mistake found
        "#);
        insta::assert_snapshot!(read("# nothing\n").expect_err("no price"), @r#"
        error: there is no price here
         --> prices:1:1
          |
        1 | # nothing
          | ^
          |
          = help: a line an endpoint, such as `"verify.identity.pan" = 2.5`

        1 mistake found
        "#);
    }
}
