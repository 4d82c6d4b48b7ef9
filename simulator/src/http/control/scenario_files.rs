//! The files of scenarios that are in force, rule by rule, and how often each rule decided. That is counted
//! from the calls that are kept: calls themselves count nothing for it, and replicas say the same.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use svc_fixtures::contract::OperationIndex;
use svc_fixtures::reading::Source;

use super::request::NoBody;
use super::response::{ControlError, ControlErrorCode, MistakeDto};
use super::route::{ControlRequest, ControlResult};
use crate::engine::call::request::Environment;
use crate::engine::call::rules::Rules;
use crate::engine::state::account::Account;
use crate::engine::state::scenarios::{AddedFile, added_name};
use crate::scenario::{Because, Scenario};

/// Whose scenarios, and of whose calls.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FilesQuery {
    /// With those of this account alone, counted in its calls. Without it everybody's, counted in the calls of
    /// all accounts.
    account: Option<String>,
}

/// The files in the order in which they are tried.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct FileListDto {
    /// In how many kept calls and steps of bundles was counted.
    calls: u64,
    /// What `check` calls a mistake of everybody's files, which are used, as in the list of scenarios.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<MistakeDto>,
    files: Vec<FileDto>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FileDto {
    file: String,
    /// Of one that was added: the id it was added under.
    #[serde(skip_serializing_if = "Option::is_none")]
    added: Option<String>,
    /// How many rules it has.
    rules: usize,
    /// How many of them decided none of the calls.
    never: usize,
    /// How many of the calls its rules decided.
    fired: u64,
}

/// Which file.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FileQuery {
    /// As the list names it.
    file: String,
    /// Whose, as in the list.
    account: Option<String>,
}

/// A file of scenarios.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ScenarioFileDto {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    added: Option<String>,
    /// In how many kept calls and steps of bundles was counted.
    calls: u64,
    /// All of it.
    toml: String,
    /// Its rules, the first wins.
    rules: Vec<RuleDto>,
}

#[derive(Serialize, JsonSchema)]
struct RuleDto {
    name: String,
    /// Where it begins, from 1.
    line: usize,
    operations: Vec<String>,
    /// Its own text.
    toml: String,
    /// How many of the calls it decided.
    fired: u64,
}

/// What the rules of all accounts, or of one, decided.
struct Fired {
    rules: Arc<Rules>,
    /// The files, the first wins.
    files: Vec<Arc<Source>>,
    added: usize,
    counts: BTreeMap<String, u64>,
    calls: u64,
}

pub(super) async fn list(
    request: ControlRequest<NoBody, FilesQuery>,
) -> ControlResult<FileListDto> {
    let fired = Fired::of(&request, request.query.account.as_deref())?;
    let warnings = request.api.host.reload_status().warnings;
    let files = fired.files.iter().enumerate().map(|(at, file)| {
        let rules = fired.rules_in(file);
        let counts: Vec<u64> = rules.iter().map(|rule| fired.count(rule)).collect();
        FileDto {
            file: file.path.clone(),
            added: fired.added(at),
            rules: rules.len(),
            never: counts.iter().filter(|count| **count == 0).count(),
            fired: counts.iter().sum(),
        }
    });
    Ok(FileListDto {
        calls: fired.calls,
        warnings: warnings.iter().map(MistakeDto::of).collect(),
        files: files.collect(),
    })
}

pub(super) async fn one(
    request: ControlRequest<NoBody, FileQuery>,
) -> ControlResult<ScenarioFileDto> {
    let FileQuery { file, account } = &request.query;
    let fired = Fired::of(&request, account.as_deref())?;
    let found = fired.files.iter().position(|it| it.path == *file);
    let at = found.ok_or_else(|| {
        let message = "there is no such file in force; GET /control/scenarios/files lists them";
        ControlError::new(ControlErrorCode::ScenarioNotFound, message)
    })?;
    let source = &fired.files[at];
    let contract = &fired.rules.contract;
    let id = |&operation: &OperationIndex| contract.operations[operation].id.clone();
    let rules = fired.rules_in(source).into_iter().map(|rule| RuleDto {
        name: rule.name.to_string(),
        line: rule.line,
        operations: rule.operations.iter().map(id).collect(),
        toml: own_text(&source.text, rule.line),
        fired: fired.count(rule),
    });
    Ok(ScenarioFileDto {
        file: source.path.clone(),
        added: fired.added(at),
        calls: fired.calls,
        rules: rules.collect(),
        toml: source.text.clone(),
    })
}

impl Fired {
    fn of<Q>(request: &ControlRequest<NoBody, Q>, account: Option<&str>) -> ControlResult<Self> {
        let host = &request.api.host;
        let (cells, rules, mut files) = match account {
            None => (host.directory().all(), host.rules(), Vec::new()),
            Some(id) => {
                let cell = request.account_of(id)?;
                let own = cell.read(|account| account.scenarios.clone());
                let files = own.iter().flat_map(|own| &own.files);
                let files = files.map(AddedFile::source).collect();
                let rules = host.rules_of(&cell);
                (vec![cell], rules, files)
            }
        };
        let added = files.len();
        files.extend(rules.sources().iter().cloned());
        let mut fired = Fired {
            rules,
            files,
            added,
            counts: BTreeMap::new(),
            calls: 0,
        };
        for cell in cells {
            cell.read(|account| fired.count_in(account));
        }
        Ok(fired)
    }

    fn count_in(&mut self, account: &Account) {
        for environment in Environment::ALL {
            let verifications = &account.environment(environment).verifications;
            for (call, _) in verifications.log() {
                self.calls += 1;
                if let Because::Scenario(text) = &call.because {
                    let place = without_line(text);
                    match self.counts.get_mut(place) {
                        Some(count) => *count += 1,
                        None => drop(self.counts.insert(place.to_owned(), 1)),
                    }
                }
            }
        }
    }

    /// How often a rule decided.
    fn count(&self, rule: &Scenario) -> u64 {
        let count = self.counts.get(without_line(&rule.because));
        count.copied().unwrap_or_default()
    }

    /// The rules of a file, each once: the cases of one are one.
    fn rules_in(&self, file: &Source) -> Vec<&Scenario> {
        let all = self.rules.scenarios.all().iter();
        let mut rules: Vec<&Scenario> = all.filter(|it| *it.file == *file.path).collect();
        rules.dedup_by_key(|rule| rule.line);
        rules
    }

    fn added(&self, at: usize) -> Option<String> {
        (at < self.added).then(|| added_name(&self.files[at].path).to_owned())
    }
}

/// What the call log says of a rule, without the line: an edit of the file moves it.
fn without_line(because: &str) -> &str {
    because.rsplit_once(':').map_or(because, |(place, _)| place)
}

/// The lines of a rule: up to the next table, without the remarks before that.
fn own_text(text: &str, line: usize) -> String {
    let mut lines = text.lines().skip(line.saturating_sub(1));
    let first = lines.next().into_iter();
    let own: Vec<&str> = first
        .chain(lines.take_while(|line| !line.starts_with("[[")))
        .collect();
    let is_remark = |line: &&&str| line.trim().is_empty() || line.starts_with('#');
    let remarks = own.iter().rev().take_while(is_remark).count();
    own[..own.len() - remarks].join("\n")
}
