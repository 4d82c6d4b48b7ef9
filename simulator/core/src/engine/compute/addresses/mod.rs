//! Addresses as people write them in one line: how alike two are, and the parts of one.

mod parts;
mod pin;
mod score;

#[cfg(test)]
mod table;
#[cfg(test)]
mod tests;

use svc_fixtures::json::Json;

use super::{Tools, two_decimals};

/// `address_score(a, b)`: from 0 (nothing in common) to 1 (the same address), two decimals.
pub(super) fn address_score<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let (Some(a), Some(b)) = (args[0].as_text(), args[1].as_text()) else {
        return Json::Num(0.0);
    };
    let towns = score::Towns {
        names: tools.tables.get("city_names"),
        states: tools.tables.get("city_states"),
        codes: tools.tables.get("state_names"),
    };
    two_decimals(score::score(a, b, towns))
}

/// `address_part(address, 'city')`: one part of an address; empty where it has none, and 0 for
/// `'pin'`.
pub(super) fn address_part<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let address = args[0].as_text().unwrap_or_default();
    let states = tools.lists.get("states").map_or(&[][..], Vec::as_slice);
    let parts = parts::split(address, states);
    match args[1].as_text().unwrap_or_default() {
        "pin" => parts.pin.parse().map_or(Json::Int(0), Json::Int),
        "pincode" => parts.pin.into(),
        "state" => parts.state.into(),
        "floor" => parts.floor.into(),
        "landmark" => parts.landmark.into(),
        "building" => parts.building.into(),
        "street" => parts.street.into(),
        "house" => parts.house.into(),
        "city" => parts.city.into(),
        "locality" => parts.locality.into(),
        "line" => parts.line.into(),
        _ => "".into(),
    }
}
