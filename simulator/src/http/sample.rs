//! Sample calls: bodies, keys and a first `curl`, made from the contract's rows and the accounts.
//! Names no operation and no account: it takes the first that will do.

use std::borrow::Cow;

use svc_fixtures::contract::{Contract, Field, Kind, Operation, Paise, Presence};
use svc_fixtures::json::Json;

use crate::engine::call::request::Environment;
pub use crate::rehearsal::{bundle_path, path};
use crate::scenario::AccountConfig;

/// A call that anybody can make at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstCall {
    /// The operation's title.
    pub title: String,
    /// The path.
    pub path: String,
    /// The JSON body.
    pub body: String,
    /// The key.
    pub key: String,
}

/// The first operation that is answered at once and needs no call before it, with a sandbox key.
#[must_use]
pub fn first_call(contract: &Contract, accounts: &[AccountConfig]) -> Option<FirstCall> {
    let account = working(accounts)?;
    let alone = |operation: &&Operation| {
        let steps = contract.flows.iter().flat_map(|flow| &flow.steps);
        let mut steps = steps.map(|step| &step.operation);
        operation.pending.is_none() && !steps.any(|step| *step == operation.id)
    };
    let operation = contract.operations.iter().find(alone)?;
    Some(FirstCall {
        title: operation.title.clone(),
        path: path(operation),
        body: body(contract, operation).to_string(),
        key: key(account, Environment::Test),
    })
}

impl FirstCall {
    /// One line for a shell.
    #[must_use]
    pub fn curl(&self, base_url: &str) -> String {
        format!(
            "curl -sS {base_url}{} -H 'Authorization: Bearer {}' \
             -H 'Content-Type: application/json' -d '{}'",
            self.path,
            self.key,
            self.body.replace('\'', r"'\''")
        )
    }
}

/// The first account that works from everywhere, without a limit, and has money.
#[must_use]
pub fn working(accounts: &[AccountConfig]) -> Option<&AccountConfig> {
    accounts.iter().find(|config| {
        let open = config.allowlist.is_empty() && config.rate_limit.is_none();
        let valid = config.keys.first().is_some_and(|key| !key.revoked);
        open && valid && config.live_wallet > Paise::ZERO
    })
}

/// The newest key of an account.
#[must_use]
pub fn key(account: &AccountConfig, environment: Environment) -> String {
    let name = account.keys.first().map_or(&*account.id, |key| &key.name);
    format!("{}{name}", environment.key_prefix())
}

/// A body with the required fields of an operation, and the optional ones that have an example.
#[must_use]
pub fn body(contract: &Contract, operation: &Operation) -> Json<'static> {
    object(contract, &operation.request)
}

fn object(contract: &Contract, fields: &[Field]) -> Json<'static> {
    let shown = |field: &&Field| field.presence == Presence::Required || field.example.is_some();
    let member = |field: &Field| (Cow::Owned(field.name.clone()), value(contract, field));
    Json::Object(fields.iter().filter(shown).map(member).collect())
}

/// A value that the rules of a field allow.
#[must_use]
pub fn value(contract: &Contract, field: &Field) -> Json<'static> {
    let own = || of_kind(contract, &field.kind);
    field.example.clone().unwrap_or_else(own)
}

fn of_kind(contract: &Contract, kind: &Kind) -> Json<'static> {
    match kind {
        Kind::Text { format, one_of } => {
            let format = format.map(|id| contract.format(id).example.as_str());
            let text = one_of.first().map(String::as_str).or(format);
            Json::from(text.unwrap_or("example"))
        }
        Kind::Int { min, max } => Json::Int(1.clamp(min.unwrap_or(1), max.unwrap_or(i64::MAX))),
        Kind::Num { min, max } => {
            Json::Num(1.0_f64.min(max.unwrap_or(1.0)).max(min.unwrap_or(0.0)))
        }
        Kind::Bool => Json::Bool(true),
        Kind::List { items, min_items } => {
            let items = std::iter::repeat_with(|| of_kind(contract, items));
            Json::List(items.take((*min_items).max(1)).collect())
        }
        Kind::Object { fields } => object(contract, fields),
    }
}

#[cfg(test)]
mod tests {
    use svc_fixtures::contract::check_request;

    use super::*;

    #[test]
    fn every_sample_body_obeys_its_fields() {
        let contract = Contract::built_in();
        for operation in &contract.operations {
            let body = body(&contract, operation);
            let members = body.as_object().unwrap();
            let checked = check_request(&operation.request, &contract.formats, members, &[]);
            assert_eq!(checked, Ok(()), "{}: {body}", operation.id);
        }
    }

    #[test]
    fn the_first_curl_survives_a_shell() {
        let call = FirstCall {
            title: String::new(),
            path: "/v1/an/operation".to_owned(),
            body: r#"{"name":"D'Souza"}"#.to_owned(),
            key: "svc_test_key".to_owned(),
        };
        assert_eq!(
            call.curl("http://127.0.0.1:1"),
            r#"curl -sS http://127.0.0.1:1/v1/an/operation -H 'Authorization: Bearer svc_test_key' -H 'Content-Type: application/json' -d '{"name":"D'\''Souza"}'"#
        );
    }
}
