//! The arguments that describe a call: operation, fields, account. Nothing is sent anywhere: the call is
//! made in process.

use std::path::PathBuf;

use clap::Args;
use svc_fixtures::contract::{Bundle, BundleIndex, Environment, Kind};
use svc_fixtures::json::Json;
use svc_fixtures::reading::{nearest, nearest_sentence};

use super::failure::Failure;
use super::values::environment;
use crate::engine::call::route::dotted;
use crate::engine::call::rules::Rules;
use crate::engine::state::ids::Seed;
use crate::http::ListenerAddresses;
use crate::rehearsal::{CallSpec, CallTarget, Rehearsal, first_step};
use crate::scenario::{
    AccountConfig, HeaderName, HeaderRefusal, MoreHeaders, find_account, read_accounts,
};
use crate::simulator::files;

/// A call.
#[derive(Debug, Args)]
pub(super) struct CallArgs {
    /// The operation, by its id or its path, or a bundle: its path, or `bundles.` and its name
    operation: String,
    /// A field of the body; required fields that are not given are filled from the sample
    #[arg(long = "field", value_name = "NAME=VALUE", value_parser = field)]
    fields: Vec<(String, String)>,
    /// The whole body, which nothing is filled into; fields are laid over it
    #[arg(long, value_name = "JSON", value_parser = object)]
    body: Option<Json<'static>>,
    /// A folder of scenario files, read before the built-in ones; may be given several times
    #[arg(long, value_name = "FOLDER")]
    scenarios: Vec<PathBuf>,
    /// Whose key is used
    #[arg(long, value_name = "ID", default_value = "local")]
    account: String,
    /// Where it is called
    #[arg(long, default_value = "test", value_parser = environment())]
    environment: Environment,
    /// The same as --environment live
    #[arg(long, conflicts_with = "environment")]
    live: bool,
    /// The Idempotency-Key of the call
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,
    /// The X-Reference-Id of the call
    #[arg(long, value_name = "ID")]
    reference_id: Option<String>,
    /// Another header of the call, which a rule asks for
    #[arg(long = "header", value_name = "NAME=VALUE", value_parser = header)]
    headers: Vec<(String, String)>,
    /// What ids depend on, as in serve
    #[arg(long, value_name = "TEXT", default_value = "")]
    seed: String,
}

/// A body given as a text: a JSON object.
pub(super) fn object(text: &str) -> Result<Json<'static>, String> {
    match Json::parse(text.as_bytes()) {
        Ok(json) if json.as_object().is_some() => Ok(json.into_owned()),
        Ok(json) => Err(format!("write a JSON object, not {}", json.kind())),
        Err(mistake) => Err(mistake.to_string()),
    }
}

fn field(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// A header that a rule can ask for, and that has no flag of its own.
fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    match HeaderName::parse(name) {
        Ok(HeaderName::Other(name)) => Ok((name.to_string(), value.to_owned())),
        Ok(known) => Err(format!("{} has a flag of its own, or none", known.as_str())),
        Err(HeaderRefusal::Secret) => {
            Err(format!("{name} holds a secret; --account says who calls"))
        }
        Err(HeaderRefusal::NoName) => Err(format!("no header is called {name:?}")),
        Err(HeaderRefusal::Misspelt) => {
            Err("did you mean --reference-id or --idempotency-key?".to_owned())
        }
    }
}

/// What a call is made with.
pub(super) struct CallSetup<'a> {
    args: &'a CallArgs,
    pub(super) rules: Rules,
    pub(super) accounts: Vec<AccountConfig>,
    /// The account that calls.
    pub(super) config: AccountConfig,
    pub(super) environment: Environment,
    /// What is called.
    pub(super) target: CallTarget,
    pub(super) given: Vec<(String, Json<'static>)>,
    headers: MoreHeaders,
}

impl CallArgs {
    /// The arguments that say which files are read, each with a space before it.
    pub(super) fn files(&self) -> String {
        let folders = self.scenarios.iter().map(|it| it.display().to_string());
        folders
            .map(|it| format!(" --scenarios {}", quoted(&it)))
            .collect()
    }

    /// Reads the files and finds what the arguments name.
    pub(super) fn setup(&self) -> Result<CallSetup<'_>, Failure> {
        let files = files::read(&self.scenarios)?;
        let mut rules = Rules::read(&files.rules, Seed::new(&self.seed))?;
        rules.addresses = ListenerAddresses::DEFAULT.urls().in_answers();
        let accounts = read_accounts(&files.accounts)?;
        let target = target(&rules, &self.operation)?;
        let config = find_account(&accounts, &self.account).ok_or_else(|| {
            let ids = accounts.iter().map(|config| &*config.id);
            let hint = nearest(&self.account, ids);
            Failure::Usage(format!("there is no account {}; {hint}", self.account))
        })?;
        let given = self.fields.iter();
        let given = given.map(|(name, text)| typed(&rules, target, name, text));
        let given = given.collect::<Result<Vec<_>, Failure>>()?;
        Ok(CallSetup {
            args: self,
            config,
            environment: match self.live {
                true => Environment::Live,
                false => self.environment,
            },
            target,
            given,
            headers: MoreHeaders(self.headers.clone()),
            rules,
            accounts,
        })
    }
}

impl CallSetup<'_> {
    /// The dotted name of what is called.
    pub(super) fn endpoint(&self) -> String {
        endpoint(&self.rules, self.target)
    }

    /// The body of the call, to be made in this rehearsal.
    pub(super) fn body(&self, rehearsal: &mut Rehearsal<'_>) -> Json<'static> {
        match &self.args.body {
            None => match self.target {
                CallTarget::Operation(at) => rehearsal.body(self.environment, at, &self.given),
                CallTarget::Bundle(at) => rehearsal.bundle_body(at, &self.given),
            },
            Some(body) => {
                let mut body = body.clone();
                for (name, value) in &self.given {
                    body.set(name.clone(), value.clone());
                }
                body
            }
        }
    }

    /// The call with this key and body.
    pub(super) fn spec<'q>(&'q self, key: &'q str, body: &'q Json<'q>) -> CallSpec<'q> {
        CallSpec {
            environment: self.environment,
            key,
            target: self.target,
            body,
            idempotency_key: self.args.idempotency_key.as_deref(),
            reference_id: self.args.reference_id.as_deref(),
            headers: &self.headers,
        }
    }
}

/// The dotted name of what is called.
fn endpoint(rules: &Rules, target: CallTarget) -> String {
    match target {
        CallTarget::Operation(at) => rules.contract.operations[at].id.clone(),
        CallTarget::Bundle(at) => rules.contract.bundles[at].endpoint(),
    }
}

/// The operation of this id or path, or the bundle.
fn target(rules: &Rules, name: &str) -> Result<CallTarget, Failure> {
    let contract = &rules.contract;
    // A path may be written without `/v1/`, as in the headings of documentation.
    let id = dotted(name);
    let mut rows = contract.indexed_operations();
    if let Some((at, _)) = rows.find(|(_, row)| row.id == id || row.path == name) {
        return Ok(CallTarget::Operation(at));
    }
    let mut bundles = contract.bundles.iter();
    let bundle = bundles.position(|row| row.endpoint() == id || row.path == name);
    let bundle = bundle.map(|at| CallTarget::Bundle(BundleIndex(at)));
    bundle.ok_or_else(|| {
        let ids = contract.operations.iter().map(|row| row.id.clone());
        let ids: Vec<String> = ids
            .chain(contract.bundles.iter().map(Bundle::endpoint))
            .collect();
        let known = ids.iter().map(String::as_str);
        Failure::Usage(format!(
            "there is no operation {name}; {} `svc-simulator operations` lists them",
            nearest_sentence(name, known)
        ))
    })
}

/// A field's value from its text: what the field's kind makes of it, and the text itself where it
/// makes nothing of it, so that wrong values can be tried, too.
fn typed(
    rules: &Rules,
    target: CallTarget,
    name: &str,
    text: &str,
) -> Result<(String, Json<'static>), Failure> {
    let contract = &rules.contract;
    let (fields, own) = match target {
        CallTarget::Operation(at) => {
            let mut fields = contract.operations[at].request.clone();
            // The first call of its flow is made first, and says these.
            let first = first_step(rules, at).into_iter();
            fields.extend(first.flat_map(|row| row.request.iter().cloned()));
            (fields, name)
        }
        CallTarget::Bundle(at) => {
            // A step of a bundle can be given a value of its own: `uan.uan`.
            let own = name.rsplit_once('.').map_or(name, |(_, own)| own);
            (contract.bundle_fields(&contract.bundles[at]), own)
        }
    };
    let unknown = || {
        let known = fields.iter().map(|field| field.name.as_str());
        let (id, hint) = (endpoint(rules, target), nearest(name, known));
        Failure::Usage(format!("{id} has no field {name}; {hint}"))
    };
    let field = fields.iter().find(|field| field.name == own);
    let field = field.ok_or_else(unknown)?;
    Ok((name.to_owned(), of_kind(&field.kind, text)))
}

fn of_kind(kind: &Kind, text: &str) -> Json<'static> {
    let json = || Json::parse(text.as_bytes()).ok().map(Json::into_owned);
    let value = match kind {
        Kind::Text { .. } => None,
        Kind::Int { .. } | Kind::Num { .. } | Kind::Bool | Kind::Object { .. } => json(),
        Kind::List { items, .. } => {
            let list = json().filter(|json| json.as_list().is_some());
            list.or_else(|| Some(Json::List(vec![of_kind(items, text)])))
        }
    };
    value.unwrap_or_else(|| Json::from(text))
}

/// The command that makes a call in process. `files` is what says which files there are.
pub(super) fn try_command(operation: &str, files: &str, set: &[(String, Json<'static>)]) -> String {
    let mut out = format!("svc-simulator try {operation}{files}");
    for (name, value) in set {
        let text = value.as_text();
        let text = text.map_or_else(|| value.to_string(), str::to_owned);
        out += &format!(" --field {}", quoted(&format!("{name}={text}")));
    }
    out
}

/// As a shell takes it for one word.
pub(super) fn quoted(text: &str) -> String {
    let plain = |it: u8| it.is_ascii_alphanumeric() || b"=-_.:/@,+".contains(&it);
    match text.bytes().all(plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_takes_what_is_quoted_for_one_word() {
        assert_eq!(quoted("pan=AAAAA0000A"), "pan=AAAAA0000A");
        assert_eq!(quoted("name=D'SOUZA X"), r"'name=D'\''SOUZA X'");
        assert_eq!(quoted("url=https://a/b?c=d"), "'url=https://a/b?c=d'");
    }
}
