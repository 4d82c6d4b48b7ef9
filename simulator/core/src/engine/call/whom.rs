//! Who an identifier leads to, with all that answers say of them and of those they have to do with: for
//! people who look around. No call needs it.

use jiff::civil::Date;
use svc_fixtures::contract::{FieldIndex, OperationIndex};
use svc_fixtures::json::Json;
use svc_fixtures::sample::{self, Extent};
use svc_fixtures::template::{Expr, Root, Template};
use svc_fixtures::world::WorldRows;

use super::input::Input;
use super::request::Environment;
use super::response::{ResponseTemplate, Sources, Whom, of_attributes};
use super::rules::Rules;
use crate::engine::state::ids::VerificationId;
use crate::world::KindIndex;

/// Somebody whom an identifier leads to.
#[derive(Debug, Clone, PartialEq)]
pub struct LookedUp {
    /// Who it is.
    pub whom: Whom,
    /// What answers say of them, by attribute.
    pub attributes: Json<'static>,
    /// Whom they have to do with.
    pub links: Vec<RelatedSubject>,
}

/// Somebody whom somebody has to do with.
#[derive(Debug, Clone, PartialEq)]
pub struct RelatedSubject {
    /// What they are to them: the relation, or the kind of what leads back to them.
    pub relation: String,
    /// Of which kind they are.
    pub kind: KindIndex,
    /// What answers say of them, by attribute.
    pub attributes: Json<'static>,
}

/// A role that others play for somebody.
struct PlayedRole {
    name: String,
    /// The kind of who plays it.
    kind: KindIndex,
    /// Whether it is only known from their side.
    back: bool,
}

impl Rules {
    /// Who an operation speaks of when it is asked with this text in this field, in an answer of this day. None
    /// where it does not take the text.
    #[must_use]
    pub fn look_up(
        &self,
        (operation, field): (OperationIndex, FieldIndex),
        text: &str,
        today: Date,
    ) -> Option<LookedUp> {
        let row = &self.contract.operations[operation];
        let asked = &row.request[field];
        let mut body = sample::body(&self.contract, row, Extent::Required);
        let value = sample::with_text(&self.contract, asked, text);
        body.set(asked.name.clone(), value);
        let input = Input::check(&self.contract, row, &[], body).ok()?;
        let sources = Sources {
            story: &self.story,
            input: &input,
            flow: None,
            verification: VerificationId::NONE,
            addresses: self.addresses.of(Environment::Test),
            people: &self.scenarios.people,
            declared: &self.declared,
            population: self.population,
            today,
        };
        // A row may say that another field of the request names the subject.
        let named = input.subject_index().unwrap_or(field);
        let whom = sources.whom(operation, named, input.subject());
        let mut roles = self.roles_for(whom.subject.kind);
        roles.retain(|role| {
            !role.back || sources.leads_back(operation, named, input.subject(), &role.name)
        });
        let own = self.attributes_of(whom.subject.kind, None);
        let linked = roles.iter().map(|role| {
            let attributes = self.attributes_of(role.kind, Some(&role.name));
            (role.name.clone(), attributes)
        });
        let template = Template::Object(vec![
            ("attributes".to_owned(), own),
            ("links".to_owned(), Template::Object(linked.collect())),
        ]);
        let answer = ResponseTemplate::new(&self.contract, operation, &self.story, &template);
        let mut data = Vec::new();
        answer.print(sources, &mut data);
        let said = Json::parse(&data).ok()?.into_owned();
        let kind = self.population.world.name(whom.subject.kind);
        roles.retain(|role| role.back || is_told(kind, &role.name, said.get("attributes")));
        let links = roles.into_iter().filter_map(|role| {
            let attributes = said.get("links")?.get(&role.name)?.clone();
            Some(RelatedSubject {
                relation: role.name,
                kind: role.kind,
                attributes,
            })
        });
        Some(LookedUp {
            whom,
            links: links.collect(),
            attributes: said.get("attributes").cloned().unwrap_or(Json::Null),
        })
    }

    /// The roles that others play for subjects of a kind.
    fn roles_for(&self, of: KindIndex) -> Vec<PlayedRole> {
        let world = self.population.world;
        let related = world.relations_between();
        let role = related.filter_map(|(name, relation, from, to)| {
            let (name, kind, back) = match () {
                () if from == of => (name, to, false),
                () if to == of && world.leads_back(relation) => (world.name(from), from, true),
                () => return None,
            };
            Some(PlayedRole {
                name: name.to_owned(),
                kind,
                back,
            })
        });
        role.collect()
    }

    /// What answers say of somebody of a kind: of whoever is asked for, or of who plays a role for them.
    fn attributes_of(&self, kind: KindIndex, role: Option<&str>) -> Template {
        let name = self.population.world.name(kind);
        let Some(character) = self.cast().get(name) else {
            return Template::Object(Vec::new());
        };
        let Some(role) = role else {
            return of_attributes(character.attributes.keys());
        };
        let attribute = |name: &String| {
            let expr = Expr::Path {
                root: Root::Cast(role.to_owned()),
                parts: vec![name.clone()],
            };
            (name.clone(), Template::Value(expr))
        };
        Template::Object(character.attributes.keys().map(attribute).collect())
    }
}

/// Whether a subject of this kind has somebody to do with whoever plays this role: an earlier employer needs an earlier job.
fn is_told(kind: &str, role: &str, attributes: Option<&Json<'_>>) -> bool {
    let rows = WorldRows::built_in().relation.iter();
    let mut needed = rows
        .filter(|row| row.of == kind && row.name == role)
        .flat_map(|row| &row.told_in);
    needed.all(|(list, item)| {
        let list = attributes.and_then(|it| it.get(list)?.as_list());
        list.is_some_and(|list| list.iter().any(|it| it.as_text() == Some(item)))
    })
}
