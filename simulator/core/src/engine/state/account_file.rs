//! A whole account as one JSON file: to start a test from, to share, to attach to a report. What is read is held to
//! what such a file can say: every mistake names its place.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use svc_fixtures::contract::Environment;

use super::account::Account;
use super::manage::MAX_KEYS;
use super::scenarios::AddedScenarios;
use crate::scenario::{AccountConfig, is_key_name};

/// The form in which accounts are written. A version that writes another one reads this one, too.
const FORMAT: u32 = 1;

const PRODUCT: &str = "svc-simulator";

/// An account as a file has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AccountFile {
    format: u32,
    product: String,
    version: String,
    /// All of the account but its scenarios.
    pub account: Account,
    /// The scenarios that were added for it alone.
    pub scenarios: AddedScenarios,
}

/// Why a file is no account.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AccountFileError {
    /// It is something else.
    #[error(
        "this is no account of svc-simulator: `product` is missing or another; `svc-simulator account export` \
         writes one"
    )]
    OtherProduct,
    /// A newer version of the simulator wrote it.
    #[error(
        "it was written by svc-simulator {version} in format {found}; this is {own}, which reads up to format \
         {FORMAT}", own = env!("CARGO_PKG_VERSION")
    )]
    Newer {
        /// The version that wrote it.
        version: String,
        /// Its format.
        found: u64,
    },
    /// A member is missing, unknown, or not as it must be.
    #[error("{path}: {reason}")]
    Mistake {
        /// The place of the member.
        path: String,
        /// What is wrong.
        reason: String,
    },
}

impl AccountFileError {
    fn at(path: impl Into<String>, reason: impl Into<String>) -> Self {
        AccountFileError::Mistake {
            path: path.into(),
            reason: reason.into(),
        }
    }
}

impl AccountFile {
    /// A file of this account. Calls whose answer is delayed are not in it.
    #[must_use]
    pub fn of(account: &Account) -> Self {
        let mut account = account.without_delayed();
        let scenarios = account.scenarios.take();
        AccountFile {
            format: FORMAT,
            product: PRODUCT.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            account,
            scenarios: scenarios.map_or_else(AddedScenarios::default, Arc::unwrap_or_clone),
        }
    }

    /// The account, with its scenarios.
    #[must_use]
    pub fn into_account(self) -> Account {
        let scenarios = (self.scenarios.added > 0).then(|| Arc::new(self.scenarios));
        Account {
            scenarios,
            ..self.account
        }
    }

    /// The same without the secrets of webhooks, and so without receivers: nothing can be signed.
    #[must_use]
    pub fn without_secrets(mut self) -> Self {
        let account = &mut self.account;
        account.opened = Arc::new(AccountConfig {
            webhook: None,
            ..(*account.opened).clone()
        });
        for environment in Environment::ALL {
            account.environment_mut(environment).webhook = None;
        }
        self
    }

    /// Its JSON form, as text.
    ///
    /// # Panics
    /// Never: texts, numbers and lists print into memory.
    #[must_use]
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).expect("texts, numbers and lists print into memory")
    }

    /// Its JSON form.
    ///
    /// # Panics
    /// Never: what was printed is JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        serde_json::from_str(&self.to_text()).expect("what was printed is JSON")
    }

    /// Reads its JSON form.
    ///
    /// # Errors
    /// [`AccountFileError`]
    pub fn from_json(json: &Value) -> Result<Self, AccountFileError> {
        if json["product"] != PRODUCT {
            return Err(AccountFileError::OtherProduct);
        }
        let format = json["format"].as_u64();
        let found =
            format.ok_or_else(|| AccountFileError::at("format", "must be a whole number"))?;
        if found > u64::from(FORMAT) {
            let version = json["version"].as_str().unwrap_or("of an unknown version");
            return Err(AccountFileError::Newer {
                version: version.chars().take(64).collect(),
                found,
            });
        }
        // As text, which entries are read from, too: another reader of every type took a seventh longer to compile.
        let read: Result<AccountFile, _> = serde_json::from_str(&json.to_string());
        let file = read.map_err(|error| {
            let (path, reason) = (place_at(json, error.column()), error.to_string());
            let path = match path.is_empty() {
                true => "the file".to_owned(),
                false => path,
            };
            // The place in a text that nobody has seen.
            let reason = reason.rsplit_once(" at line ").map_or(&*reason, |it| it.0);
            AccountFileError::at(path, reason)
        })?;
        // What reading did not keep nobody wrote there.
        if let Some(error) = lost(json, &file.to_json(), String::new()) {
            return Err(error);
        }
        file.check()?;
        Ok(file)
    }

    /// Checks what no member alone shows.
    fn check(&self) -> Result<(), AccountFileError> {
        let refuse = |path: &str, reason: &str| Err(AccountFileError::at(path, reason));
        let account = &self.account;
        if !is_key_name(&account.id) || account.id.len() > 100 {
            return refuse(
                "account.id",
                "must be 1 to 100 letters, digits, `-`, `_` and `.`",
            );
        }
        if account.opened.id != account.id {
            return refuse("account.opened.id", "must be the account's id");
        }
        if account.scenarios.is_some() {
            return refuse("account.scenarios", "stand beside the account");
        }
        if account.keys.len() > MAX_KEYS {
            return refuse("account.keys", "are more than an account may have");
        }
        if account.windows.len() != account.keys.len() {
            return refuse("account.windows", "must be as many as there are keys");
        }
        for (at, key) in account.keys.iter().enumerate() {
            let name = key.text.strip_prefix(key.environment.key_prefix());
            if !name.is_some_and(is_key_name) {
                let path = format!("account.keys[{at}].text");
                return refuse(
                    &path,
                    "must begin as keys of its environment do, and go on as a name",
                );
            }
            if account.keys[..at]
                .iter()
                .any(|other| other.text == key.text)
            {
                return refuse(&format!("account.keys[{at}].text"), "is there twice");
            }
        }
        for environment in Environment::ALL {
            if !account.environment(environment).money_adds_up() {
                return refuse(
                    &format!("account.{environment}.wallet"),
                    "does not add up: balance + charged must be what was topped up, and held what verifications hold",
                );
            }
        }
        Ok(())
    }
}

/// The path of the innermost value that a reader was at after so many bytes of the print.
fn place_at(mut value: &Value, mut read: usize) -> String {
    let mut path = String::new();
    loop {
        // What stands before a value, and the step to it.
        let parts: Vec<(usize, String, &Value)> = match value {
            Value::Object(members) => {
                let dot = if path.is_empty() { "" } else { "." };
                let names = members.keys().map(|name| {
                    let printed = Value::from(&**name).to_string().len() + 1;
                    (printed, format!("{dot}{name}"))
                });
                let parts = names.zip(members.values());
                parts
                    .map(|((before, step), it)| (before, step, it))
                    .collect()
            }
            Value::Array(items) => {
                let items = items.iter().enumerate();
                items.map(|(at, it)| (0, format!("[{at}]"), it)).collect()
            }
            _ => Vec::new(),
        };
        let mut end = 0;
        let inner = parts.into_iter().find_map(|(before, step, inner)| {
            let from = end + 1 + before;
            end = from + inner.to_string().len();
            (from..=end).contains(&read).then_some((from, step, inner))
        });
        let Some((from, step, inner)) = inner else {
            return path;
        };
        path.push_str(&step);
        (value, read) = (inner, read - from);
    }
}

/// The first member that is in the one and not in the other.
fn lost(json: &Value, kept: &Value, path: String) -> Option<AccountFileError> {
    match (json, kept) {
        (Value::Object(members), Value::Object(known)) => {
            members.iter().find_map(|(name, value)| {
                let short: String = name.chars().take(64).collect();
                let path = match path.is_empty() {
                    true => short,
                    false => format!("{path}.{short}"),
                };
                match known.get(name) {
                    Some(kept) => lost(value, kept, path),
                    // What may be left out may be null.
                    None if value.is_null() => None,
                    None => Some(AccountFileError::at(path, "there is no such member here")),
                }
            })
        }
        (Value::Array(items), Value::Array(known)) => {
            if items.len() != known.len() {
                return Some(AccountFileError::at(path, "has items that are there twice"));
            }
            let mut items = items.iter().zip(known).enumerate();
            items.find_map(|(at, (item, kept))| lost(item, kept, format!("{path}[{at}]")))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::json;

    use super::super::account::Settings;
    use super::super::clock::AccountClock;
    use super::*;
    use crate::scenario::{self, read_accounts};

    fn file() -> AccountFile {
        let accounts = read_accounts(&scenario::accounts()).unwrap();
        let local = accounts.into_iter().find(|it| it.copies).unwrap();
        let opening = Account::opening(local, AccountClock::default(), Timestamp::UNIX_EPOCH);
        let account = Account::rebuild(Settings::default(), [opening]).unwrap();
        AccountFile::of(&account)
    }

    fn refusal(change: impl FnOnce(&mut Value)) -> String {
        let mut json = file().to_json();
        change(&mut json);
        AccountFile::from_json(&json).unwrap_err().to_string()
    }

    #[test]
    fn what_is_written_is_read_as_it_was() {
        let file = file();
        assert_eq!(AccountFile::from_json(&file.to_json()).unwrap(), file);
    }

    #[test]
    fn what_a_newer_version_wrote_is_refused_with_both() {
        let own = env!("CARGO_PKG_VERSION");
        let said = refusal(|json| (json["format"], json["version"]) = (json!(2), json!("9.9.9")));
        let wanted = format!(
            "it was written by svc-simulator 9.9.9 in format 2; this is {own}, which reads up to format 1"
        );
        assert_eq!(said, wanted);
        let other = refusal(|json| json["product"] = json!("other"));
        assert!(
            other.starts_with("this is no account of svc-simulator"),
            "{other}"
        );
        assert!(AccountFile::from_json(&json!([])).is_err());
    }

    #[test]
    fn every_mistake_names_its_place() {
        type Change = fn(&mut Value);
        let changes: [(Change, &str); 12] = [
            (
                |it| it["extra"] = json!(1),
                "extra: there is no such member here",
            ),
            (
                |it| it["account"]["wallte"] = json!(1),
                "account.wallte: there is no such member here",
            ),
            (
                |it| it["account"]["live"]["usage"]["x"] = json!({}),
                "account.live.usage.x: there is no such member here",
            ),
            (
                |it| it["account"]["keys"][0]["color"] = json!(""),
                "account.keys[0].color: there is no such",
            ),
            (
                |it| it["account"]["test"]["wallet"]["held"] = json!("1"),
                "account.test.wallet.held: invalid type",
            ),
            (
                |it| it["account"]["keys"] = json!({}),
                "account.keys: invalid type",
            ),
            (
                |it| _ = it["account"].as_object_mut().unwrap().remove("live"),
                "account: missing field `live`",
            ),
            (
                |it| it["account"]["id"] = json!("no name"),
                "account.id: must be 1 to 100",
            ),
            (
                |it| it["account"]["id"] = json!("other"),
                "account.opened.id: must be the account's id",
            ),
            (
                |it| it["account"]["windows"] = json!([]),
                "account.windows: must be as many",
            ),
            (
                |it| it["account"]["keys"][0]["text"] = json!("svc_live_x"),
                "account.keys[0].text: must begin",
            ),
            (
                |it| it["account"]["live"]["wallet"]["balance"] = json!(7),
                "account.live.wallet: does not add up",
            ),
        ];
        for (change, said) in changes {
            let refused = refusal(change);
            assert!(refused.starts_with(said), "{said}\n{refused}");
        }
    }

    #[test]
    fn without_secrets_no_receiver_is_left() {
        let mut json = file().to_json();
        let webhook = json!({"url": "http://127.0.0.1:9/hook", "secret": "whsec_sample"});
        for place in [
            "/account/test/webhook",
            "/account/live/webhook",
            "/account/opened/webhook",
        ] {
            *json.pointer_mut(place).unwrap() = webhook.clone();
        }
        let file = AccountFile::from_json(&json).unwrap();
        assert!(file.to_json().to_string().contains("whsec_sample"));
        let without = file.without_secrets().to_json().to_string();
        assert!(!without.contains("whsec_sample"), "{without}");
    }
}
