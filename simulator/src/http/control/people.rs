//! Who is declared in scenario files, as whoever looks for somebody to ask about reads it.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use svc_fixtures::sample;

use super::request::NoBody;
use super::response::ControlError;
use super::route::{ControlRequest, ControlResult};
use crate::engine::call::rules::Rules;
use crate::http::people::{PersonDetails, declared};

/// Who is declared for whom.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PeopleQuery {
    /// With those whom this account's own scenarios declare.
    account: Option<String>,
}

/// Who is declared, those first whose files win.
#[derive(Serialize, JsonSchema)]
pub(super) struct PeopleListDto {
    people: Vec<PersonDto>,
    /// The sample subjects: who is asked about where examples ask, of each kind that has one.
    samples: Vec<SampleSubjectDto>,
}

/// Whom examples ask about.
#[derive(Serialize, JsonSchema)]
struct SampleSubjectDto {
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// What they are asked for by.
    identifier: String,
    /// The request field that it stands in.
    field: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PersonDto {
    /// What the file calls them.
    name: String,
    /// Their own name; of who has none, what they are.
    display: String,
    /// What they are: `person`, `company` and so on.
    kind: String,
    /// What they are there for.
    story: String,
    file: String,
    line: usize,
    identifiers: Vec<IdentifierDto>,
    /// Whom they have to do with.
    others: Vec<OtherDto>,
    /// The rules that name them.
    rules: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct IdentifierDto {
    value: String,
    /// The request fields that it stands in.
    fields: Vec<String>,
    /// Whether a file says it; else the population gives it.
    declared: bool,
    /// The operations that ask by it.
    operations: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct OtherDto {
    role: String,
    /// What the file calls them.
    name: String,
}

pub(super) async fn list(
    request: ControlRequest<NoBody, PeopleQuery>,
) -> ControlResult<PeopleListDto> {
    let host = &request.api.host;
    let rules = match &request.query.account {
        None => host.rules(),
        Some(id) => host.rules_of(&*request.account_of(id)?),
    };
    let today = host.now().to_zoned(TimeZone::UTC).date();
    // Everybody's identifiers are worked out: too long for a task that others wait behind.
    let listing = tokio::task::spawn_blocking(move || PeopleListDto {
        people: declared(&rules).iter().map(PersonDto::of).collect(),
        samples: samples(&rules, today),
    });
    listing.await.map_err(|_| ControlError::internal())
}

/// One sample subject of each kind, by the first field of the contract that leads to it.
fn samples(rules: &Rules, today: Date) -> Vec<SampleSubjectDto> {
    let contract = &rules.contract;
    let mut found: Vec<SampleSubjectDto> = Vec::new();
    for (operation, row) in contract.indexed_operations() {
        let first = row.identifiers().next().map(|(at, _)| at);
        let Some(at) = row.subject.or(first) else {
            continue;
        };
        let field = &row.request[at];
        let value = sample::value(contract, field);
        let text = sample::first_text(&value);
        let Some(subject) = rules.look_up((operation, at), text, today) else {
            continue;
        };
        let kind = rules.population.world.name(subject.whom.subject.kind);
        if subject.whom.is_sample && found.iter().all(|known| known.kind != kind) {
            let name = subject.attributes.get("name").and_then(|it| it.as_text());
            found.push(SampleSubjectDto {
                kind: kind.to_owned(),
                name: name.map(str::to_owned),
                identifier: text.to_owned(),
                field: field.name.clone(),
            });
        }
    }
    found
}

impl PersonDto {
    fn of(person: &PersonDetails<'_>) -> Self {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let identifiers = person.identifiers.iter().map(|it| IdentifierDto {
            value: it.value.clone(),
            fields: owned(&it.fields),
            declared: it.declared,
            operations: owned(&it.operations),
        });
        let others = person.others.iter().map(|&(role, name)| OtherDto {
            role: role.to_owned(),
            name: name.to_owned(),
        });
        let profile = person.profile;
        PersonDto {
            name: profile.name.clone(),
            display: person.display().to_owned(),
            kind: profile.role.clone(),
            story: profile.story.clone(),
            file: profile.file.to_string(),
            line: profile.line,
            identifiers: identifiers.collect(),
            others: others.collect(),
            rules: person.rules.iter().map(|it| it.name.to_string()).collect(),
        }
    }
}
