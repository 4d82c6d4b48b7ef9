//! Whom those who are declared have to do with: by a role, or in a list of identifiers where a name stands for one.
//! Followed when all names of the folder are known.

use std::collections::BTreeSet;

use svc_fixtures::json::Json;
use svc_fixtures::reading::{Item, Location, Problems, nearest};

use crate::scenario::people::Profile;

/// A link to somebody.
pub(super) struct DeclaredLink {
    from: usize,
    role: String,
    name: String,
    place: Location,
}

/// A name in a list of identifiers.
pub(super) struct ListedName {
    pub(super) from: usize,
    /// The list, and the place in it.
    pub(super) attribute: String,
    pub(super) at: usize,
    /// The field that the identifier stands in.
    pub(super) field: String,
    pub(super) name: String,
    pub(super) place: Location,
}

/// Somebody else, by name. What stands for no value was reported already.
pub(super) fn link(from: usize, role: &str, item: &Item<'_>) -> Option<DeclaredLink> {
    let name = item.text().filter(|name| !name.starts_with('$'))?;
    Some(DeclaredLink {
        from,
        role: role.to_owned(),
        name: name.to_owned(),
        place: item.location(),
    })
}

/// A place of a profile, and where it is declared.
pub(super) type DeclaredRow = (usize, Location);

pub(super) fn follow(
    rows: &[DeclaredRow],
    links: &[DeclaredLink],
    profiles: &mut [Profile],
) -> Problems {
    let mut problems = Problems::default();
    for DeclaredLink {
        from,
        role,
        name,
        place,
    } in links
    {
        let numbers = rows.iter().map(|(number, _)| *number);
        let of_role = numbers.filter(|&number| profiles[number].role == *role);
        let of_role: Vec<usize> = of_role.collect();
        let named = of_role
            .iter()
            .find(|&&number| profiles[number].name == *name);
        if let Some(&number) = named {
            profiles[*from].others.insert(role.clone(), number);
            continue;
        }
        let known: Vec<&str> = of_role
            .iter()
            .map(|&number| profiles[number].name.as_str())
            .collect();
        let problem = match known.is_empty() {
            true => place
                .problem(format!("no {role} is declared in this folder"))
                .hint(format!("write `[{role}.{name}]` and what is known of it")),
            false => place
                .problem(format!("in this folder the {role} `{name}` is not known"))
                .hint(nearest(name, known.into_iter())),
        };
        problems.push(problem);
    }
    problems
}

/// Puts the identifier of whoever is named in a list into the place of the name.
pub(super) fn follow_lists<'d>(
    listed: &[ListedName],
    asked_by: impl Fn(&str) -> Option<&'d [(String, Json<'static>)]>,
    profiles: &mut [Profile],
) -> Problems {
    let mut problems = Problems::default();
    for listed in listed {
        let ListedName { field, name, .. } = listed;
        let asked = asked_by(name);
        let identifier = asked.and_then(|asked| asked.iter().find(|(key, _)| key == field));
        if let Some((_, identifier)) = identifier {
            let list = profiles[listed.from].said.get_mut(&listed.attribute);
            if let Some(Json::List(items)) = list {
                items[listed.at] = identifier.clone();
            }
            continue;
        }
        let message = match asked {
            Some(_) => format!("nothing says the `{field}` of `{name}`"),
            None => format!("\"{name}\" is no `{field}`, and nobody is called so in this folder"),
        };
        let hint = format!(
            "`{}` has the `{field}` of each, or the name of somebody in this folder who is declared with one",
            listed.attribute
        );
        problems.push(listed.place.problem(message).hint(hint));
    }
    problems
}

/// Reports those whom no answer can be about.
pub(super) fn report_strangers(rows: &[DeclaredRow], profiles: &[Profile]) -> Problems {
    let mut problems = Problems::default();
    let numbers = rows.iter().map(|(number, _)| *number);
    let others = numbers.flat_map(|number| profiles[number].others.values().copied());
    let named: BTreeSet<usize> = others.collect();
    for (number, place) in rows {
        let profile = &profiles[*number];
        if profile.identifiers.is_empty() && !named.contains(number) {
            let name = &profile.name;
            problems.push(place.problem(
                format!("no answer can be about `{name}`: nothing says what {name} is asked for by"),
            ).hint(
                "add what identifies in a request, such as `mobile = …`, or let somebody else name it",
            ));
        }
    }
    problems
}
