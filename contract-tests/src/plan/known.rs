//! Names in files written by people: each must be one of those that there are.

use svc_fixtures::contract::Contract;
use svc_fixtures::reading::Item;

/// The text of an item, where it is one of these names; else the mistake is reported at the item.
pub(crate) fn known<'t, 'k>(
    item: &Item<'t>,
    what: &str,
    names: impl Iterator<Item = &'k str> + Clone,
) -> Option<&'t str> {
    let text = item.text()?;
    if names.clone().any(|name| name == text) {
        return Some(text);
    }
    item.unknown(what, text, names);
    None
}

/// The ids of all clauses.
pub(crate) fn clause_ids(contract: &Contract) -> impl Iterator<Item = &str> + Clone {
    contract.clauses.iter().map(|clause| clause.id.as_str())
}
