//! Who is declared in scenario files, as whoever looks for somebody to ask about reads it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::request::NoBody;
use super::response::ControlError;
use super::route::{ControlRequest, ControlResult};
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
    // Everybody's identifiers are worked out: too long for a task that others wait behind.
    let listing = tokio::task::spawn_blocking(move || PeopleListDto {
        people: declared(&rules).iter().map(PersonDto::of).collect(),
    });
    listing.await.map_err(|_| ControlError::internal())
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
