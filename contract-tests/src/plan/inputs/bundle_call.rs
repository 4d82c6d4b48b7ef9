//! Calls of bundles in a file of inputs.

use std::borrow::Cow;

use svc_fixtures::contract::{Contract, ErrorCode};
use svc_fixtures::json::Json;
use svc_fixtures::reading::{Item, Table};

use super::{COMPLETED, Input, InputTarget, clause_of, ending_is_known, environment};

/// A call of a bundle: where that is, and what it takes, only the service can say.
pub(super) fn read(contract: &Contract, table: &Table<'_>) -> Option<Input> {
    let slugs = contract.bundles.iter().map(|row| row.slug.as_str());
    let slug = table.required("bundle");
    let slug = slug.and_then(|item| super::super::known(&item, "the bundle", slugs));
    let (path, environment) = (table.optional("path"), environment(table));
    let body = table.required("body");
    let ends = table.optional("ends");
    if let Some(path) = &path
        && path.text().is_some_and(|text| !text.starts_with('/'))
    {
        path.problem("a path begins with `/`, and has no host");
    }
    let word = ends.as_ref().and_then(Item::text).unwrap_or(COMPLETED);
    if let Some(ends) = &ends {
        ending_is_known(contract, ends, word);
    }
    let body = body?;
    let Json::Object(body) = body.json_or_problem()? else {
        body.problem("the body is a table: the fields that are sent");
        return None;
    };
    let slug = slug?;
    let row = contract.bundles.iter().find(|row| row.slug == slug)?;
    let path = path.as_ref().and_then(Item::text).unwrap_or(&row.path);
    let owned = |(name, value): (Cow<'static, str>, _)| (name.into_owned(), value);
    Some(Input {
        clause: match ErrorCode::parse(word) {
            Some(_) => clause_of(contract, word),
            None => row.clause.clone(),
        },
        environment,
        target: InputTarget::Bundle {
            slug: row.slug.clone(),
            path: path.to_owned(),
        },
        value: String::new(),
        with: body.into_iter().map(owned).collect(),
        identifies: false,
        refutes: false,
        ends: word.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use svc_fixtures::contract::Environment;
    use svc_fixtures::reading::Source;

    use super::super::read as read_file;
    use super::*;
    use crate::plan::samples::with_samples;

    fn mistakes(text: &str) -> String {
        let source = Source::new("mine.toml", text);
        let read = read_file(&Contract::built_in(), &source, &[]);
        read.map_or_else(|problems| problems.to_string(), |_| String::new())
    }

    #[test]
    fn a_bundle_is_called_where_and_with_what_the_file_says() {
        let text = "[[bundle]]\nbundle = \"company-tan-identity\"\npath = \"/v1/kyc/tan\"\n\
                    body = { tan = \"MUMA12345B\" }\n";
        let (contract, source) = (Contract::built_in(), Source::new("mine.toml", text));
        let own = read_file(&contract, &source, &[]).expect("it reads");
        assert!(own[0].completes_bundle("company-tan-identity", Environment::Test));
        let contract = with_samples(contract, &own);
        let at = contract.bundle_at("/v1/kyc/tan").expect("it is there");
        let body = svc_fixtures::sample::bundle_body(&contract, &contract.bundles[at]);
        assert_eq!(body.to_string(), r#"{"tan":"MUMA12345B"}"#);
    }

    #[test]
    fn every_mistake_of_a_call_is_reported_with_its_line() {
        let text = "[[bundle]]\nbundle = \"fraud-chek\"\npath = \"v1/fraud\"\nbody = 7\n\
                    ends = \"done\"\n\n[[bundle]]\nbundle = \"fraud-check\"\n\n\
                    [[input]]\noperation = \"bundles.fraud-check\"\nfield = \"name\"\n\
                    value = \"A\"\nends = \"completed\"\n";
        insta::assert_snapshot!(mistakes(text), @r#"
        error: the bundle `fraud-chek` is not known
         --> mine.toml:2:10
          |
        2 | bundle = "fraud-chek"
          |          ^^^^^^^^^^^^
          |
          = help: did you mean `fraud-check`?

        error: a path begins with `/`, and has no host
         --> mine.toml:3:8
          |
        3 | path = "v1/fraud"
          |        ^^^^^^^^^^

        error: the body is a table: the fields that are sent
         --> mine.toml:4:8
          |
        4 | body = 7
          |        ^

        error: the ending `done` is not known
         --> mine.toml:5:8
          |
        5 | ends = "done"
          |        ^^^^^^
          |
          = help: known here: SVC_AUTH_INVALID, SVC_IDEMPOTENCY_CONFLICT, SVC_INSUFFICIENT_BALANCE, SVC_INTERNAL_ERROR, SVC_INVALID_IDENTIFIER, SVC_INVALID_INPUT, SVC_IP_NOT_ALLOWED, SVC_KEY_ENVIRONMENT_MISMATCH, SVC_NOT_FOUND, SVC_NO_RECORD_FOUND, SVC_PROVIDER_ERROR, SVC_RATE_LIMITED, SVC_SOURCE_TIMEOUT, SVC_SOURCE_UNAVAILABLE, completed, pending

        error: `body` is missing
         --> mine.toml:7:1
          |
        7 | [[bundle]]
          | ^^^^^^^^^^

        error: a bundle is no operation
          --> mine.toml:11:13
           |
        11 | operation = "bundles.fraud-check"
           |             ^^^^^^^^^^^^^^^^^^^^^
           |
           = help: its calls have a table of their own: `[[bundle]]` with `bundle`, `path`, `body`, `ends`

        6 mistakes found
        "#);
    }
}
