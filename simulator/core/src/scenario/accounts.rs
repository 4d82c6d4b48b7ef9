//! Reading the accounts a simulator starts with.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use svc_fixtures::contract::Paise;
use svc_fixtures::reading::{Problems, Source, Table};

use super::{folder, rupees};

/// What an account is when it is opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AccountConfig {
    /// Its id: what its first keys say after `svc_test_` and `svc_live_`.
    pub id: Arc<str>,
    /// What is in its live wallet.
    pub live_wallet: Paise,
    /// What each key's name adds to the prefix of its environment.
    pub keys: Vec<KeyConfig>,
    /// The networks its keys may be used from; from anywhere where empty.
    pub allowlist: Vec<IpNet>,
    /// The limit of each of its keys.
    pub rate_limit: Option<RateLimitConfig>,
    /// Where its webhooks go.
    pub webhook: Option<WebhookConfig>,
    /// Whether keys that begin with its own and go on with `_…` open a copy of it.
    pub copies: bool,
}

/// One pair of keys, for the sandbox and for live.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeyConfig {
    /// What follows the prefix.
    pub name: String,
    /// Whether it is revoked.
    pub revoked: bool,
    /// How long it still works after the account is opened, in milliseconds, where it was rotated.
    pub rotated_for_ms: Option<u64>,
}

impl KeyConfig {
    /// Keys of this name that work for good.
    #[must_use]
    pub fn plain(name: &str) -> Self {
        KeyConfig {
            name: name.to_owned(),
            revoked: false,
            rotated_for_ms: None,
        }
    }
}

/// A rate limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RateLimitConfig {
    /// Calls a second, in the long run.
    pub per_second: u32,
    /// Calls at once.
    pub burst: u32,
}

/// Where webhooks go and what they are signed with.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookConfig {
    /// The receiver.
    pub url: Arc<str>,
    /// The signing secret.
    pub secret: Arc<str>,
}

/// Shows the URL, never the secret.
impl std::fmt::Debug for WebhookConfig {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("WebhookConfig")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

/// What may follow the name of an account that is copied, and its underscore.
const COPY_NAME_LENGTH: std::ops::RangeInclusive<usize> = 1..=64;

impl AccountConfig {
    /// A fresh copy of this account under another name, where a key of that name opens one:
    /// `local_worker7` of `local`.
    #[must_use]
    pub fn copied_as(&self, name: &str) -> Option<AccountConfig> {
        (self.copies && is_copy(name, &self.id)).then(|| AccountConfig {
            id: name.into(),
            keys: vec![KeyConfig::plain(name)],
            copies: false,
            ..self.clone()
        })
    }
}

/// Whether a key of this name opens a copy of that account.
fn is_copy(name: &str, of: &str) -> bool {
    let rest = name
        .strip_prefix(of)
        .and_then(|rest| rest.strip_prefix('_'));
    let plain = |rest: &str| {
        rest.bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    };
    rest.is_some_and(|rest| COPY_NAME_LENGTH.contains(&rest.len()) && plain(rest))
}

/// The account of this id: one of these, or the fresh copy of one that such an id opens.
#[must_use]
pub fn find_account(accounts: &[AccountConfig], id: &str) -> Option<AccountConfig> {
    let known = accounts.iter().find(|config| *config.id == *id).cloned();
    known.or_else(|| accounts.iter().find_map(|config| config.copied_as(id)))
}

/// Reads account files. Earlier files come first: an account of the same id in a later folder is
/// passed over.
///
/// # Errors
/// Every mistake of every file.
pub fn read_accounts(sources: &[Arc<Source>]) -> Result<Vec<AccountConfig>, Problems> {
    let mut accounts = Vec::new();
    let mut seen = Seen::default();
    let mut problems = Problems::default();
    for source in sources {
        let folder = folder(&source.path);
        let ((), found) = Table::of_source(source, |root| {
            for table in root.tables("account") {
                let account = account(&table);
                table.done();
                accounts.extend(account.filter(|account| seen.is_new(&table, account, folder)));
            }
        });
        problems.extend(found);
    }
    problems.or(accounts)
}

/// What was read before: an account may be written again in a later folder, and then the first
/// one counts; within a folder that is a mistake.
#[derive(Default)]
struct Seen {
    /// By id, where.
    ids: BTreeMap<Arc<str>, String>,
    /// The names of all keys.
    names: BTreeSet<String>,
}

impl Seen {
    fn is_new(&mut self, table: &Table<'_>, account: &AccountConfig, folder: &str) -> bool {
        match self.ids.get(&account.id) {
            Some(first) if first != folder => return false,
            Some(_) => table.problem(format!("there already is an account \"{}\"", account.id)),
            None => {
                let taken = |key: &&KeyConfig| self.names.contains(&key.name);
                if let Some(key) = account.keys.iter().find(taken) {
                    table.problem(format!("the key name \"{}\" is used twice", key.name));
                }
            }
        }
        self.ids.insert(Arc::clone(&account.id), folder.to_owned());
        let names = account.keys.iter().map(|key| key.name.clone());
        self.names.extend(names);
        true
    }
}

fn account(table: &Table<'_>) -> Option<AccountConfig> {
    let id = table.text("id")?;
    let mut keys = vec![KeyConfig {
        revoked: table.flag("revoked"),
        ..KeyConfig::plain(id)
    }];
    for old in table.tables("old_key") {
        keys.extend(old_key(&old));
        old.done();
    }
    for key in &keys {
        if !is_key_name(&key.name) {
            table.problem(format!(
                "\"{}\": a key's name is letters, digits, `-`, `_` and `.`",
                key.name
            ));
        }
    }
    let live_wallet = table
        .required("live_wallet_inr")
        .and_then(|item| rupees(&item))
        .unwrap_or_default();
    let allowlist = table
        .optional("allowlist")
        .and_then(|item| item.list())
        .unwrap_or_default();
    let network = |item: &svc_fixtures::reading::Item<'_>| {
        let parsed = item.text()?.parse::<IpNet>().ok();
        if parsed.is_none() {
            item.problem_with_hint(
                "this is no network",
                "write an address and a length: 203.0.113.0/24",
            );
        }
        parsed
    };
    Some(AccountConfig {
        id: id.into(),
        live_wallet,
        keys,
        allowlist: allowlist.iter().filter_map(network).collect(),
        rate_limit: table
            .optional("rate_limit")
            .and_then(|item| rate(&item.table()?)),
        webhook: table
            .optional("webhook")
            .and_then(|item| webhook(&item.table()?)),
        copies: table.flag("copies"),
    })
}

fn old_key(table: &Table<'_>) -> Option<KeyConfig> {
    let key = KeyConfig::plain(table.text("name")?);
    let rotated_for_ms = super::duration_ms(&table.required("works_for")?)?;
    Some(KeyConfig {
        rotated_for_ms: Some(rotated_for_ms),
        ..key
    })
}

fn rate(table: &Table<'_>) -> Option<RateLimitConfig> {
    let count = |name| {
        let item = table.required(name)?;
        let count = item
            .int()
            .and_then(|value| u32::try_from(value).ok())
            .filter(|&value| value > 0);
        if count.is_none() {
            item.problem("must be a whole number above 0");
        }
        count
    };
    let (per_second, burst) = (count("per_second"), count("burst"));
    table.done();
    Some(RateLimitConfig {
        per_second: per_second?,
        burst: burst?,
    })
}

fn webhook(table: &Table<'_>) -> Option<WebhookConfig> {
    let (url, secret) = (table.text("url"), table.text("secret"));
    table.done();
    Some(WebhookConfig {
        url: url?.into(),
        secret: secret?.into(),
    })
}

/// Whether an account or a key may have this name.
#[must_use]
pub fn is_key_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_1_to_64_plain_characters_open_a_copy() {
        let long = |length| format!("local_{}", "w".repeat(length));
        for (name, opens) in [
            (long(0), false),
            (long(1), true),
            (long(64), true),
            (long(65), false),
            ("local_a-B_9".to_owned(), true),
            ("local_a.2".to_owned(), false),
            ("local".to_owned(), false),
            ("localw".to_owned(), false),
            ("broke_w".to_owned(), false),
        ] {
            assert_eq!(is_copy(&name, "local"), opens, "{name}");
        }
    }
}
