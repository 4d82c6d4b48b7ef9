//! Lists and tables of the story, and counting in lists of the request or the answer. What is no
//! list counts as an empty one.

use svc_fixtures::json::Json;

use super::{Tools, logic, texts};

fn items<'j, 'a>(list: &'j Json<'a>) -> &'j [Json<'a>] {
    list.as_list().unwrap_or_default()
}

fn length(items: &[Json<'_>]) -> Json<'static> {
    Json::Int(i64::try_from(items.len()).unwrap_or(i64::MAX))
}

/// `list('states')`: a list of the story.
pub(super) fn list<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let found = args[0].as_text().and_then(|name| tools.lists.get(name));
    texts(found.into_iter().flatten())
}

/// `filled(a, b, …)`: those that are there and not empty, each once, a list of lists as one list.
pub(super) fn filled<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let mut found: Vec<Json<'a>> = Vec::new();
    for arg in args {
        let items = arg.as_list().unwrap_or(std::slice::from_ref(arg));
        for item in items.iter().filter(|item| logic::is_true(item)) {
            if !found.contains(item) {
                found.push(item.clone());
            }
        }
    }
    Json::List(found)
}

/// `at(list, n)`: the item at a place, from 0; null where there is none.
pub(super) fn at<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let place = args[1].as_int().and_then(|at| usize::try_from(at).ok());
    let item = place.and_then(|at| items(&args[0]).get(at));
    item.cloned().unwrap_or(Json::Null)
}

/// `len(list)`: how many items.
pub(super) fn len<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    length(items(&args[0]))
}

/// `only(list, allowed)`: the items that are allowed; all where nothing is said of that. With a name, the
/// objects whose member of that name is.
pub(super) fn only<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let (allowed, name) = (items(&args[1]), args.get(2).and_then(Json::as_text));
    let is_allowed = |item: &&Json<'a>| {
        let value = name.map_or(Some(*item), |name| item.get(name));
        value.is_some_and(|value| allowed.iter().any(|it| logic::same(it, value)))
    };
    let kept = items(&args[0]).iter();
    Json::List(match allowed.is_empty() {
        true => kept.cloned().collect(),
        false => kept.filter(is_allowed).cloned().collect(),
    })
}

/// `values(list, 'category')`: what the objects have as that member, each once.
pub(super) fn values<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let name = args[1].as_text().unwrap_or_default();
    let mut found: Vec<Json<'a>> = Vec::new();
    for value in items(&args[0]).iter().filter_map(|item| item.get(name)) {
        if !found.iter().any(|known| logic::same(known, value)) {
            found.push(value.clone());
        }
    }
    Json::List(found)
}

/// `first(list, n)`: the first items, so many at most.
pub(super) fn first<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let wanted = args[1]
        .as_int()
        .and_then(|count| usize::try_from(count).ok());
    let all = items(&args[0]);
    Json::List(all[..wanted.unwrap_or_default().min(all.len())].to_vec())
}

/// `count(list, 'status', 'ACTIVE')`: how many objects have that value as that member.
pub(super) fn count<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let name = args[1].as_text().unwrap_or_default();
    let has = |item: &&Json<'_>| {
        item.get(name)
            .is_some_and(|value| logic::same(value, &args[2]))
    };
    let found = items(&args[0]).iter().filter(has).count();
    Json::Int(i64::try_from(found).unwrap_or(i64::MAX))
}

/// `sum(list, 'balance')`: the sum of that member; whole where all of them are.
pub(super) fn sum<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let name = args[1].as_text().unwrap_or_default();
    let numbers = || items(&args[0]).iter().filter_map(|item| item.get(name));
    let mut whole = numbers().filter(|number| number.as_num().is_some());
    let exact = whole.try_fold(0_i64, |sum, number| sum.checked_add(number.as_int()?));
    let double = || numbers().filter_map(Json::as_num).sum::<f64>();
    // Doubles past their range have no JSON form.
    exact.map_or_else(|| Json::Num(double().clamp(f64::MIN, f64::MAX)), Json::Int)
}

/// `lookup('state_codes', 'KARNATAKA'[, otherwise])`: what the story's table has for the key.
pub(super) fn lookup<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let table = args[0].as_text().and_then(|name| tools.tables.get(name));
    let found = match &args[1] {
        Json::Text(key) => table.and_then(|table| table.get(key.as_ref())),
        Json::Int(key) => table.and_then(|table| table.get(&key.to_string())),
        _ => None,
    };
    match found {
        Some(value) => Json::Text(value.as_str().into()),
        None => args.get(2).cloned().unwrap_or(Json::Null),
    }
}

/// `lookup_prefix('pin_states', '560038'[, otherwise])`: what the table has for the longest beginning of
/// the text that is a key.
pub(super) fn lookup_prefix<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let table = args[0].as_text().and_then(|name| tools.tables.get(name));
    let text = args[1].as_text().unwrap_or_default();
    let mut beginnings = (1..=text.len()).rev().filter_map(|to| text.get(..to));
    match beginnings.find_map(|key| table?.get(key)) {
        Some(value) => Json::Text(value.as_str().into()),
        None => args.get(2).cloned().unwrap_or(Json::Null),
    }
}

#[cfg(test)]
mod tests {
    use super::super::call;
    use super::*;

    fn json(text: &str) -> Json<'_> {
        Json::parse(text.as_bytes()).expect("the sample is JSON")
    }

    #[test]
    fn a_list_of_the_story_is_one_of_texts() {
        let colours = call("list", 0, &["colours".into()]);
        assert_eq!(colours, json(r#"["RED","BLUE"]"#));
        assert_eq!(call("list", 0, &["none".into()]), json("[]"));
    }

    #[test]
    fn items_are_found_from_zero() {
        for (at, item) in [(0, "\"a\""), (1, "2"), (2, "null"), (-1, "null")] {
            let found = call("at", 0, &[json("[\"a\",2]"), at.into()]);
            assert_eq!(found, json(item), "{at}");
        }
        assert_eq!(call("at", 0, &[Json::Null, 0.into()]), Json::Null);
        assert_eq!(call("len", 0, &[json("[1,[]]")]), 2.into());
        assert_eq!(call("len", 0, &[Json::Null]), 0.into());
    }

    #[test]
    fn only_what_is_allowed_is_left_and_all_where_nothing_is_said() {
        for (allowed, left) in [
            ("[\"PEP\",\"X\"]", "[\"PEP\"]"),
            ("[\"X\"]", "[]"),
            ("[]", "[\"PEP\",1]"),
            ("null", "[\"PEP\",1]"),
            ("[1.0]", "[1]"),
        ] {
            let args = [json("[\"PEP\",1]"), json(allowed)];
            assert_eq!(call("only", 0, &args), json(left), "{allowed}");
        }
        assert_eq!(call("only", 0, &[Json::Null, Json::Null]), json("[]"));
    }

    #[test]
    fn objects_are_chosen_by_a_member_and_its_values_are_told_once() {
        let list = || json(r#"[{"c":"A"},{"c":"B"},{"d":1},{"c":"A"}]"#);
        let only = |allowed: &'static str| call("only", 0, &[list(), json(allowed), "c".into()]);
        assert_eq!(only(r#"["A"]"#), json(r#"[{"c":"A"},{"c":"A"}]"#));
        assert_eq!(only("[]"), list());
        let values = call("values", 0, &[list(), "c".into()]);
        assert_eq!(values, json(r#"["A","B"]"#));
        for (count, left) in [(0, "[]"), (1, "[1]"), (3, "[1,2]"), (-1, "[]")] {
            let first = call("first", 0, &[json("[1,2]"), count.into()]);
            assert_eq!(first, json(left));
        }
    }

    #[test]
    fn members_are_counted_and_summed() {
        let list = || json(r#"[{"s":"A","n":2},{"s":"B","n":3},{"s":"A"},7,{"n":null}]"#);
        let count = |value: Json<'static>| call("count", 0, &[list(), "s".into(), value]);
        assert_eq!(count("A".into()), 2.into());
        assert_eq!(count("C".into()), 0.into());
        assert_eq!(call("sum", 0, &[list(), "n".into()]), 5.into());
        assert_eq!(call("sum", 0, &[Json::Null, "n".into()]), 0.into());
        let mixed = json(r#"[{"n":1},{"n":0.5}]"#);
        assert_eq!(call("sum", 0, &[mixed, "n".into()]), Json::Num(1.5));
    }

    #[test]
    fn sums_past_the_whole_numbers_are_doubles() {
        let most = json(r#"[{"n":9223372036854775807},{"n":1}]"#);
        let sum = call("sum", 0, &[most, "n".into()]);
        assert_eq!(sum, Json::Num(9_223_372_036_854_775_808.0));
        let huge = json(r#"[{"n":1e308},{"n":1e308}]"#);
        assert_eq!(call("sum", 0, &[huge, "n".into()]), Json::Num(f64::MAX));
    }

    #[test]
    fn a_table_knows_its_keys_only() {
        let lookup = |args: &[Json<'static>]| call("lookup", 0, args);
        assert_eq!(lookup(&["codes".into(), "KARNATAKA".into()]), "KA".into());
        assert_eq!(lookup(&["codes".into(), "GOA".into()]), Json::Null);
        assert_eq!(
            lookup(&["codes".into(), "GOA".into(), "".into()]),
            "".into()
        );
        assert_eq!(
            lookup(&["codes".into(), Json::Null, "x".into()]),
            "x".into()
        );
        assert_eq!(lookup(&["none".into(), "GOA".into()]), Json::Null);
    }
}
