//! The population, for people who look around: whose an identifier is, what answers say of the subject, and
//! whom it has to do with, each with what it can be looked up by in turn.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use svc_fixtures::contract::{Contract, Field, FieldIndex, OperationIndex};
use svc_fixtures::json::Json;
use svc_fixtures::reading::nearest;

use super::request::NoBody;
use super::response::{ControlError, ControlErrorCode};
use super::route::{ControlRequest, ControlResult};
use super::world_guess::{fit, takes};
use super::world_links::{is_theirs, text_of};
use crate::engine::call::rules::Rules;
use crate::engine::call::step_plan::first_of_month;
use crate::engine::call::whom::{LookedUp, RelatedSubject};
use crate::scenario::as_subject;
use crate::world::{AskedIndex, KindIndex};

/// Who is looked for.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WorldQuery {
    /// Such as `AAAAA0000A`.
    identifier: String,
    /// What it is: the name of a request field, such as `pan`. Where it is left out, the first that takes such a text,
    /// those who are declared before all others.
    kind: Option<String>,
    /// At what date of an account's clock, and with whom its own scenarios declare; by everybody's scenarios and
    /// the machine's clock where it is left out.
    account: Option<String>,
}

/// Somebody or something of the population.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SubjectDto {
    /// What was looked for.
    identifier: String,
    /// The request field it was taken for.
    taken_for: String,
    /// Where many such texts lead to one subject: the subject's own, which answers hand out from there on. Left out where
    /// it is what was looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    own: Option<String>,
    /// The other request fields that take such a text.
    alternatives: Vec<String>,
    /// The day of which `attributes` speak.
    today: String,
    /// `person`, `company`, `vehicle` and so on.
    kind: String,
    /// What it is called, where it has a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Whether it is the sample one of its kind.
    is_sample: bool,
    /// The scenario file that declares it, where one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    declared: Option<DeclaredDto>,
    /// All that it is known by.
    identifiers: Vec<KnownByDto>,
    /// What answers say of it.
    attributes: Map<String, Value>,
    /// Whom it has to do with.
    links: Vec<LinkDto>,
}

#[derive(Serialize, JsonSchema)]
struct DeclaredDto {
    /// What the file calls it.
    name: String,
    story: String,
    file: String,
    line: usize,
}

/// What somebody is known by.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct KnownByDto {
    name: String,
    value: String,
    /// The request field that it is looked up by, where there is one: `kind` of this route.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// Somebody else who has it, too: a person's company has the person's PAN.
    #[serde(skip_serializing_if = "Option::is_none")]
    shared_with: Option<SharedWithDto>,
}

/// Who has an identifier, too.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SharedWithDto {
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Whether they are who is found by it.
    is_found: bool,
}

/// Somebody whom somebody has to do with.
#[derive(Serialize, JsonSchema)]
struct LinkDto {
    /// What they are to them.
    relation: String,
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// What they are looked up by: `identifier` and `kind` of this route.
    #[serde(flatten)]
    by: LookUpDto,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct LookUpDto {
    identifier: String,
    field: String,
}

pub(super) async fn look_up(
    request: ControlRequest<NoBody, WorldQuery>,
) -> ControlResult<SubjectDto> {
    let host = &request.api.host;
    let (rules, now) = match &request.query.account {
        None => (host.rules(), host.now()),
        Some(id) => {
            let cell = request.account_of(id)?;
            let now = cell.read(|account| account.clock.read(host.now()));
            (host.rules_of(&cell), now)
        }
    };
    let WorldQuery {
        identifier, kind, ..
    } = request.query;
    if identifier.is_empty() {
        return Err(ControlError::invalid_input("identifier: is empty"));
    }
    // All that is said of several subjects is worked out: too long for a task that others wait behind.
    let looking = tokio::task::spawn_blocking(move || {
        Fields::of(&rules, first_of_month(now)).look_up(&identifier, kind.as_deref())
    });
    looking
        .await
        .unwrap_or_else(|_| Err(ControlError::internal()))
}

/// A request field that somebody is asked for by.
struct AskedField<'r> {
    name: &'r str,
    operation: OperationIndex,
    at: FieldIndex,
    field: &'r Field,
    asked: AskedIndex,
}

/// All of them, each name once.
struct Fields<'r> {
    rules: &'r Rules,
    /// The day of which answers speak.
    today: Date,
    all: Vec<AskedField<'r>>,
    /// Fields that identify somebody whom nobody is looked up by, such as a mail address.
    others: Vec<&'r Field>,
}

impl<'r> Fields<'r> {
    fn of(rules: &'r Rules, today: Date) -> Self {
        let contract = &*rules.contract;
        let (mut all, mut others) = (Vec::<AskedField<'r>>::new(), Vec::new());
        for (operation, row) in contract.indexed_operations() {
            let first = row.identifiers().next().map(|(at, _)| at);
            let Some(at) = row.subject.or(first) else {
                continue;
            };
            let field = &row.request[at];
            let format = format_of(contract, field);
            let by = [row.id.as_str(), format, field.name.as_str()];
            let asked = rules.population.world.asked(&by);
            let is_new = all.iter().all(|known| known.name != field.name);
            match asked {
                Some(asked) if is_new => all.push(AskedField {
                    name: &field.name,
                    operation,
                    at,
                    field,
                    asked,
                }),
                None if !format.is_empty() => others.push(field),
                _ => {}
            }
        }
        Fields {
            rules,
            today,
            all,
            others,
        }
    }

    fn look_up(&self, text: &str, kind: Option<&str>) -> ControlResult<SubjectDto> {
        let mut taking = self.taking(text);
        let wanted = match kind {
            None => 0,
            Some(kind) => {
                let at = taking.iter().position(|field| field.name == kind);
                at.ok_or_else(|| self.not_taken(kind))?
            }
        };
        if taking.is_empty() {
            let message = "identifier: no request field that identifies somebody takes such a text";
            return Err(ControlError::new(
                ControlErrorCode::SubjectNotFound,
                message,
            ));
        }
        let field = taking.remove(wanted);
        if let Some(other) = self.better(field, text).filter(|_| kind.is_none()) {
            let name = &other.name;
            let message =
                format!("identifier: nobody is looked up by `{name}`; `kind` names another field");
            return Err(ControlError::new(
                ControlErrorCode::SubjectNotFound,
                message,
            ));
        }
        let found = self.found_by(field, text);
        let found = found.ok_or_else(|| self.not_taken(field.name))?;
        let subject = found.whom.subject;
        let (world, profiles) = (
            self.rules.population.world,
            self.rules.scenarios.people.all(),
        );
        let declared = found.whom.declared.map(|at| &profiles[at]);
        // A file may say it of a field that nobody is looked up by: a mail address.
        let said = declared.and_then(|profile| profile.asked.iter().find(|(_, it)| it == text));
        let taken_for = said.map_or(field.name, |(name, _)| name.as_str());
        let identifiers = self.identifiers(&found);
        let is_of_field = |it: &&KnownByDto| it.field.as_deref() == Some(taken_for);
        let own = identifiers.iter().find(is_of_field);
        let own = own.filter(|it| {
            as_subject(field.field.spelling, &it.value) != as_subject(field.field.spelling, text)
        });
        Ok(SubjectDto {
            identifier: text.to_owned(),
            taken_for: taken_for.to_owned(),
            own: own.map(|it| it.value.clone()),
            alternatives: taking.iter().map(|field| field.name.to_owned()).collect(),
            today: self.today.to_string(),
            kind: world.name(subject.kind).to_owned(),
            name: text_of(&found.attributes, "name"),
            is_sample: found.whom.is_sample,
            declared: declared.map(|profile| DeclaredDto {
                name: profile.name.clone(),
                story: profile.story.clone(),
                file: profile.file.to_string(),
                line: profile.line,
            }),
            identifiers: self.with_others(identifiers, &found),
            links: self.links(&found),
            attributes: members(&found.attributes),
        })
    }

    /// The fields that take a text: those of who is declared to have it first, then those that it fits best.
    fn taking(&self, text: &str) -> Vec<AskedFieldRef<'_, 'r>> {
        let contract = &self.rules.contract;
        let all = self.all.iter();
        let taking = all.filter(|it| takes(contract, it.field, text));
        let mut taking: Vec<&AskedField<'r>> = taking.collect();
        taking
            .sort_by_cached_key(|it| (!self.is_declared(it, text), fit(contract, it.field, text)));
        taking
    }

    /// A field that a text fits better than this one, although nobody is looked up by it.
    fn better(&self, field: &AskedField<'_>, text: &str) -> Option<&'r Field> {
        let contract = &self.rules.contract;
        let fits = fit(contract, field.field, text);
        let is_better =
            |it: &&'r Field| takes(contract, it, text) && fit(contract, it, text) < fits;
        let others = self.others.iter().copied();
        others
            .filter(|_| !self.is_declared(field, text))
            .find(is_better)
    }

    fn is_declared(&self, field: &AskedField<'_>, text: &str) -> bool {
        let compared = as_subject(field.field.spelling, text);
        let people = &self.rules.scenarios.people;
        let world = self.rules.population.world;
        people.place(&compared).is_some_and(|at| {
            let known = (at, &people.all()[at]);
            let declared = &self.rules.declared;
            declared.is_asked_by(world, known, Some(field.asked), &compared)
        })
    }

    fn not_taken(&self, kind: &str) -> ControlError {
        let names = self.all.iter().map(|field| field.name);
        match names.clone().any(|name| name == kind) {
            true => ControlError::new(
                ControlErrorCode::SubjectNotFound,
                "identifier: this field does not take such a text; leave `kind` out to have one found",
            ),
            false => {
                let hint = nearest(kind, names);
                ControlError::invalid_input(format!("kind: no request field is called so; {hint}"))
            }
        }
    }

    /// All that a subject is known by: what a file or an answer says of it, else what the population gives it.
    fn identifiers(&self, of: &LookedUp) -> Vec<KnownByDto> {
        let population = self.rules.population;
        let (world, subject) = (population.world, of.whom.subject);
        let declared = of
            .whom
            .declared
            .map(|at| &self.rules.scenarios.people.all()[at]);
        let mut known: Vec<KnownByDto> = Vec::new();
        for (name, identifier) in world.identifiers_of(subject.kind) {
            let said = declared.and_then(|profile| profile.said.get(name)?.as_text());
            let said = said.map(str::to_owned);
            let said = said.or_else(|| text_of(&of.attributes, name));
            let field = self.field_of(subject.kind, name);
            let asked = || {
                let asked = &declared?.asked;
                let written = asked
                    .iter()
                    .find(|(known, _)| field == Some(known.as_str()));
                written.map(|(_, text)| text.clone())
            };
            let given = || {
                let given = !of.whom.is_sample;
                given.then(|| world.identifier_of(identifier, subject.number, population.seed))?
            };
            if let Some(value) = said.or_else(asked).or_else(given) {
                known.push(KnownByDto {
                    name: name.to_owned(),
                    value,
                    field: field.map(str::to_owned),
                    shared_with: None,
                });
            }
        }
        // What a file says that is no identifier of the population: a mail address.
        for (field, text) in declared.iter().flat_map(|profile| &profile.asked) {
            if known.iter().all(|it| it.value != *text) {
                let is_field = self.all.iter().any(|it| it.name == field);
                known.push(KnownByDto {
                    name: field.clone(),
                    value: text.clone(),
                    field: is_field.then(|| field.clone()),
                    shared_with: None,
                });
            }
        }
        known
    }

    /// The request field that an identifier of a kind is asked for by.
    fn field_of(&self, kind: KindIndex, name: &str) -> Option<&'r str> {
        let world = self.rules.population.world;
        let mut fields = self.all.iter();
        let found = fields.find(|it| {
            let whole = world.whole(it.asked, kind);
            whole.is_some_and(|(known, _)| known == name)
        });
        found.map(|it| it.name)
    }

    fn links(&self, of: &LookedUp) -> Vec<LinkDto> {
        let world = self.rules.population.world;
        let links = of.links.iter();
        let theirs = links.filter(|link| is_theirs(of, link, self.today));
        let related = theirs.filter_map(|link| {
            Some(LinkDto {
                relation: link.relation.clone(),
                kind: world.name(link.kind).to_owned(),
                name: text_of(&link.attributes, "name"),
                by: self.looked_up_by(link)?,
            })
        });
        related.chain(self.listed(&of.attributes)).collect()
    }

    /// Who is found by a text in a field.
    fn found_by(&self, field: &AskedField<'_>, text: &str) -> Option<LookedUp> {
        self.rules
            .look_up((field.operation, field.at), text, self.today)
    }

    fn named(&self, field: &str) -> Option<&AskedField<'r>> {
        self.all.iter().find(|it| it.name == field)
    }

    /// Identifiers with whoever else has each: who is found by it, and those whom this subject has to do with.
    fn with_others(&self, mut known: Vec<KnownByDto>, of: &LookedUp) -> Vec<KnownByDto> {
        let world = self.rules.population.world;
        let (kind, name) = (of.whom.subject.kind, text_of(&of.attributes, "name"));
        for it in &mut known {
            let field = it.field.as_deref().and_then(|field| self.named(field));
            let found = field.and_then(|field| self.found_by(field, &it.value));
            let found =
                found.map(|found| (found.whom.subject.kind, text_of(&found.attributes, "name")));
            let other = found.filter(|other| *other != (kind, name.clone()));
            let is_found = other.is_some();
            let linked = || {
                let mut links = of.links.iter();
                let has = |link: &&RelatedSubject| {
                    text_of(&link.attributes, &it.name).as_ref() == Some(&it.value)
                };
                let link = links.find(has)?;
                Some((link.kind, text_of(&link.attributes, "name")))
            };
            it.shared_with = other.or_else(linked).map(|(kind, name)| SharedWithDto {
                kind: world.name(kind).to_owned(),
                name,
                is_found,
            });
        }
        known
    }

    /// What somebody is looked up by: the first identifier that answers say of them and that leads to them and not to
    /// another who has it, too; first those that nearly always are of their kind.
    fn looked_up_by(&self, link: &RelatedSubject) -> Option<LookUpDto> {
        let world = self.rules.population.world;
        let name = text_of(&link.attributes, "name");
        let mut known: Vec<(&AskedField<'r>, String)> = Vec::new();
        for (identifier, _) in world.identifiers_of(link.kind) {
            let field = self.field_of(link.kind, identifier);
            let field = field.and_then(|field| self.named(field));
            known.extend(field.zip(text_of(&link.attributes, identifier)));
        }
        known.sort_by_key(|(field, _)| world.usual_kind(Some(field.asked)) != link.kind);
        let (field, identifier) = known.into_iter().find(|(field, text)| {
            self.found_by(field, text).is_some_and(|found| {
                found.whom.subject.kind == link.kind && text_of(&found.attributes, "name") == name
            })
        })?;
        Some(LookUpDto {
            identifier,
            field: field.name.to_owned(),
        })
    }

    /// Whom the lists among the attributes name: the companies of a director.
    fn listed(&self, attributes: &Json<'_>) -> Vec<LinkDto> {
        let contract = &self.rules.contract;
        let world = self.rules.population.world;
        let mut links = Vec::new();
        for (name, value) in attributes.as_object().unwrap_or_default() {
            let items = value.as_list().unwrap_or_default().iter();
            for text in items.filter_map(Json::as_text).filter(|it| !it.is_empty()) {
                let mut taking = self.taking(text).into_iter();
                let field = taking.find(|it| !format_of(contract, it.field).is_empty());
                let found = field.and_then(|field| Some((field, self.found_by(field, text)?)));
                // A list may say anything. What it names is somebody where the text is their own identifier.
                let own = found.filter(|(_, found)| {
                    let mut known = self.identifiers(found).into_iter();
                    known.any(|it| it.value == *text)
                });
                let Some((field, found)) = own else {
                    continue;
                };
                links.push(LinkDto {
                    relation: name.to_string(),
                    kind: world.name(found.whom.subject.kind).to_owned(),
                    name: text_of(&found.attributes, "name"),
                    by: LookUpDto {
                        identifier: text.to_owned(),
                        field: field.name.to_owned(),
                    },
                });
            }
        }
        links
    }
}

type AskedFieldRef<'f, 'r> = &'f AskedField<'r>;

/// The name of a field's format; empty where it takes any text.
fn format_of<'c>(contract: &'c Contract, field: &Field) -> &'c str {
    field.format(contract).unwrap_or_default()
}

fn members(json: &Json<'_>) -> Map<String, Value> {
    match serde_json::from_str(&json.to_string()) {
        Ok(Value::Object(members)) => members,
        _ => Map::new(),
    }
}
