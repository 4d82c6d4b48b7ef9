//! Who has to do with whom.

use svc_fixtures::json::Json;

use super::Tools;
use crate::scenario::Profile;
use crate::world::{Population, Subject};

/// `leading('director', 'cin')`: the identifiers of all whom this relation leads from to the subject.
pub(super) fn leading<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let (Some(relation), Some(identifier)) = (args[0].as_text(), args[1].as_text()) else {
        return Json::Null;
    };
    let (world, seed) = (tools.population.world, tools.population.seed);
    let found = world.kinds().find_map(|(kind, _)| {
        world
            .relation(kind, relation)
            .zip(world.identifier(kind, identifier))
    });
    let Some((relation, identifier)) = found else {
        return Json::Null;
    };
    let subjects = world
        .relating(relation, tools.subject.number, seed)
        .into_iter();
    let text = |subject: Subject| world.identifier_of(identifier, subject.number, seed);
    Json::List(subjects.filter_map(text).map(Json::from).collect())
}

/// `identifier('uan')`: the subject's own; null where it has none of this kind.
pub(super) fn identifier<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let Subject { kind, number } = tools.subject;
    let world = tools.population.world;
    let name = args[0].as_text().unwrap_or_default();
    let written = world
        .identifier(kind, name)
        .and_then(|identifier| world.identifier_of(identifier, number, tools.population.seed));
    written.map_or(Json::Null, Json::from)
}

/// `linked('company')`: whether a scenario file says who plays this role for the subject.
pub(super) fn linked<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let role = args[0].as_text().unwrap_or_default();
    let says = |profile: &Profile| profile.others.contains_key(role);
    Json::Bool(tools.profile.is_some_and(says))
}

/// `is_known('date_of_birth')`: whether a scenario file says this of the subject, or it is the sample. What is
/// known of anybody else nobody has told.
pub(super) fn is_known<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let name = args[0].as_text().unwrap_or_default();
    let said = tools
        .profile
        .is_some_and(|profile| profile.said.contains_key(name));
    Json::Bool(tools.is_sample || said)
}

/// `said('joined')`: what a scenario file says of the subject; null where it says nothing.
pub(super) fn said<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let name = args[0].as_text().unwrap_or_default();
    let said = tools.profile.and_then(|profile| profile.said.get(name));
    said.cloned().unwrap_or(Json::Null)
}

/// `called('whole')`: what the subject is called; `called('short')` without what it is.
pub(super) fn called<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let Population { world, seed } = tools.population;
    let is_whole = args[0].as_text() == Some("whole");
    let name = world.name_of(tools.subject, is_whole, seed);
    name.map_or(Json::Null, Json::from)
}

/// `linking('person', 'din')`: what is said as this of the declared ones in this role who name the subject.
pub(super) fn linking<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let (Some(role), Some(wanted)) = (args[0].as_text(), args[1].as_text()) else {
        return Json::Null;
    };
    let Some(profile) = tools.profile else {
        return Json::List(Vec::new());
    };
    let linking = tools.people.linking(profile, role);
    let said = linking.filter_map(|other| other.said.get(wanted));
    Json::List(said.map(Json::borrowed).collect())
}

/// `declared_with('company', 'directors', din, 'cin')`: what is said as the last of all who are declared in
/// this role and have the value in a list.
pub(super) fn declared_with<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let names = [&args[0], &args[1], &args[3]].map(|name| name.as_text().unwrap_or_default());
    let [role, list, wanted] = names;
    let item = args[2].as_text().unwrap_or_default();
    let found = tools.people.listing(role, list, item);
    let said = found.filter_map(|other| other.said.get(wanted));
    Json::List(said.map(Json::borrowed).collect())
}
