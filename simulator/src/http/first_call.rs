//! A first call to copy, and the account it is made as: the first of the contract's rows and of the
//! accounts that will do.

use svc_fixtures::contract::{Contract, Operation, Paise};
use svc_fixtures::sample::{self, Extent};

use crate::engine::call::request::Environment;
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

impl FirstCall {
    /// The first operation that is answered at once and needs no call before it, with a sandbox key.
    #[must_use]
    pub fn find(contract: &Contract, accounts: &[AccountConfig]) -> Option<Self> {
        let account = working_account(accounts)?;
        let alone = |operation: &&Operation| {
            operation.pending.is_none() && contract.step_of(&operation.id).is_none()
        };
        let operation = contract.operations.iter().find(alone)?;
        Some(FirstCall {
            title: operation.title.clone(),
            path: sample::path(operation),
            body: sample::body(contract, operation, Extent::Shown).to_string(),
            key: newest_key(account, Environment::Test),
        })
    }

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
pub fn working_account(accounts: &[AccountConfig]) -> Option<&AccountConfig> {
    accounts.iter().find(|config| {
        let open = config.allowlist.is_empty() && config.rate_limit.is_none();
        let valid = config.keys.first().is_some_and(|key| !key.revoked);
        open && valid && config.live_wallet > Paise::ZERO
    })
}

/// The newest key of an account.
#[must_use]
pub fn newest_key(account: &AccountConfig, environment: Environment) -> String {
    let name = account.keys.first().map_or(&*account.id, |key| &key.name);
    format!("{}{name}", environment.key_prefix())
}

#[cfg(test)]
mod tests {
    use super::*;

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
