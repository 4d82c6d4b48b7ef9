//! Functions the rows of the answers may call, by name (ruling 30). Small, pure, and without a constant for an
//! answer: what comes out depends on what goes in.

mod addresses;
mod codes;
mod days;
mod draw;
mod lists;
mod logic;
mod names;
mod numbers;
mod subjects;
mod texts;

#[cfg(test)]
mod laws;

use std::collections::HashMap;

use foldhash::fast::FixedState;
use jiff::civil::Date;
use svc_fixtures::json::Json;
use svc_fixtures::template::Signature;

use crate::engine::state::ids::VerificationId;
use crate::scenario::{People, Profile};
use crate::world::{Population, Subject};

pub use names::{business_score, search_words};

/// Words and tables by name. They are only looked up, for nearly every call several times.
pub type ByName<T> = HashMap<String, T, FixedState>;

/// What a function may look at beside its arguments.
#[derive(Clone, Copy)]
pub struct Tools<'a> {
    /// The call the answer belongs to.
    pub verification: VerificationId,
    /// A number that depends on the subject, on the place of the call in the rows, and on nothing else.
    pub draw: u64,
    /// The word lists of the story. `address_part` knows a state by the list `states`.
    pub lists: &'a ByName<Vec<String>>,
    /// The tables of the story, by name: what a key stands for.
    pub tables: &'a ByName<ByName<String>>,
    /// The body of the request as it was written, without defaults.
    pub request: &'a Json<'a>,
    /// The first day of the month that the account's clock shows (ruling 38).
    pub today: Date,
    /// Everybody there is.
    pub population: Population,
    /// Whom the rows speak of here.
    pub subject: Subject,
    /// What a scenario file says of them.
    pub profile: Option<&'a Profile>,
    /// Whether it is the sample subject.
    pub is_sample: bool,
    /// Everybody whom scenario files declare.
    pub people: &'a People,
    /// Where the test assets are on the listener that was called: an absolute address that ends in
    /// `/test-assets/`.
    pub assets: &'a str,
}

/// A function of its arguments.
pub type Run = for<'a> fn(Tools<'a>, &[Json<'a>]) -> Json<'a>;

/// A choice among so many arguments, each made when it is asked for by its place: those that are not
/// asked for cost nothing.
pub type Choose = for<'a> fn(usize, &dyn Fn(usize) -> Json<'a>) -> Json<'a>;

/// How a function is called.
#[derive(Clone, Copy)]
pub enum How {
    /// With all of its arguments.
    Args(Run),
    /// With a way to make them.
    Choice(Choose),
    /// `look('cin', text, 'name')`: what is known of whoever is asked for so, or with `'owner.name'` of who
    /// plays a role for them. Whoever fills the rows in does it, and `search('companyName', text, 'cin')`, of all whom a text finds by name.
    Look,
    /// It is its only argument, drawn as if that stood alone: the name says something to whoever reads the rows.
    Argument,
}

/// A function the rows may call.
#[derive(Clone, Copy)]
pub struct Function {
    /// Its name and how many arguments it takes.
    pub signature: Signature,
    /// Whether it depends on the call's own id, and not on the request alone.
    pub needs_call: bool,
    /// What it does.
    pub how: How,
}

/// The function that whoever fills rows in does itself.
pub const LOOK: &str = "look";
/// The one that does so with all whom a text finds.
pub const SEARCH: &str = "search";
/// The one around what other services number or date anew for each call: it says nothing of the subject. Here it is the
/// same for the same input, like all else.
pub const PER_CALL: &str = "per_call";

/// As many arguments as one likes.
const ANY: usize = usize::MAX;

/// All of them. One line each: name, fewest and most arguments.
pub const FUNCTIONS: &[Function] = &[
    choice("or", 2, ANY, logic::or),
    choice("if", 3, 3, logic::choose),
    function("not", 1, 1, logic::not),
    function("eq", 2, 2, logic::eq),
    function("sent", 1, 1, logic::sent),
    function("accepted_otp", 1, 1, logic::accepted_otp),
    of_the_call(function("issued", 1, 1, logic::issued)),
    named(PER_CALL, 1, 1, How::Argument),
    function("at_least", 2, 2, numbers::at_least),
    function("largest", 1, ANY, numbers::largest),
    function("smallest", 1, ANY, numbers::smallest),
    function("plus", 2, ANY, numbers::plus),
    function("on_side", 3, 4, numbers::on_side),
    function("band", 3, 3, numbers::band),
    function("in_band", 3, 3, numbers::in_band),
    function("text", 1, 1, numbers::text),
    function("whole", 1, 1, numbers::whole),
    function("minus", 2, 2, numbers::minus),
    function("times", 2, 2, numbers::times),
    function("odd", 1, 1, numbers::odd),
    function("percent", 1, 1, numbers::percent),
    function("same_amount", 2, 2, numbers::same_amount),
    function("amount", 1, 1, numbers::amount),
    function("pick", 1, 1, draw::pick),
    function("other_than", 2, ANY, draw::other_than),
    function("number", 2, 2, draw::number),
    function("number_for", 3, 3, draw::number_for),
    function("decimal", 2, 2, draw::decimal),
    function("near", 1, 1, draw::near),
    function("digits", 1, 1, draw::digits),
    function("date", 2, 2, draw::date),
    function("upper", 1, 1, texts::upper),
    function("lower", 1, 1, texts::lower),
    function("plain", 1, 1, texts::plain),
    function("join", 2, ANY, texts::join),
    function("slice", 2, 3, texts::slice),
    function("word", 2, 2, texts::word),
    function("words", 3, 3, texts::words),
    function("without_ending", 2, 2, texts::without_ending),
    function("after", 2, 2, texts::after),
    function("mask", 3, 3, texts::mask),
    function("contains", 2, 2, texts::contains),
    function("texts_found", 2, ANY, texts::texts_found),
    function("asset_url", 1, 1, texts::asset_url),
    function("check_character", 1, 1, codes::check_character),
    function("identifier", 1, 1, subjects::identifier),
    function("linked", 1, 1, subjects::linked),
    function("is_known", 1, 1, subjects::is_known),
    function("said", 1, 1, subjects::said),
    function("linking", 2, 2, subjects::linking),
    function("declared_with", 4, 4, subjects::declared_with),
    function("leading", 2, 2, subjects::leading),
    named(LOOK, 3, 3, How::Look),
    named(SEARCH, 3, 3, How::Look),
    function("called", 1, 1, subjects::called),
    function("name_score", 2, 5, names::name_score),
    function("list", 1, 1, lists::list),
    function("filled", 1, ANY, lists::filled),
    function("at", 2, 2, lists::at),
    function("len", 1, 1, lists::len),
    function("only", 2, 3, lists::only),
    function("values", 2, 2, lists::values),
    function("first", 2, 2, lists::first),
    function("count", 3, 3, lists::count),
    function("sum", 2, 2, lists::sum),
    function("lookup", 2, 3, lists::lookup),
    function("lookup_prefix", 2, 3, lists::lookup_prefix),
    function("today", 0, 0, days::today),
    function("has_come", 1, 1, days::has_come),
    function("had_come", 1, 1, days::had_come),
    function("later_of", 2, ANY, days::later_of),
    function("earlier_of", 2, ANY, days::earlier_of),
    function("at_latest_today", 1, 1, days::at_latest_today),
    function("latest", 1, 1, days::latest),
    function("format_date", 2, 2, days::format_date),
    function("months_before", 2, 3, days::months_before),
    function("iso_date", 1, 1, days::iso_date),
    function("add_days", 2, 2, days::add_days),
    function("add_years", 2, 2, days::add_years),
    function("years_between", 2, 2, days::years_between),
    function("days_between", 2, 2, days::days_between),
    function("year", 1, 1, days::year),
    function("dates_from", 3, 3, days::dates_from),
    function("address_score", 2, 2, addresses::address_score),
    function("address_part", 2, 2, addresses::address_part),
];

const fn function(name: &'static str, min_args: usize, max_args: usize, run: Run) -> Function {
    named(name, min_args, max_args, How::Args(run))
}

const fn choice(name: &'static str, min_args: usize, max_args: usize, how: Choose) -> Function {
    named(name, min_args, max_args, How::Choice(how))
}

const fn named(name: &'static str, min_args: usize, max_args: usize, how: How) -> Function {
    Function {
        signature: Signature {
            name,
            min_args,
            max_args,
        },
        needs_call: false,
        how,
    }
}

const fn of_the_call(function: Function) -> Function {
    Function {
        needs_call: true,
        ..function
    }
}

/// The function of that name.
#[must_use]
pub fn find(name: &str) -> Option<Function> {
    FUNCTIONS
        .iter()
        .copied()
        .find(|function| function.signature.name == name)
}

/// What the reader of the answers needs to know of the functions.
#[must_use]
pub fn signatures() -> Vec<Signature> {
    FUNCTIONS
        .iter()
        .map(|function| function.signature)
        .collect()
}

/// A score as it is given out. There is no zero below zero.
fn two_decimals(score: f64) -> Json<'static> {
    Json::Num((score * 100.0).round() / 100.0 + 0.0)
}

/// A list of texts.
fn texts<'a>(items: impl IntoIterator<Item = &'a String>) -> Json<'a> {
    let text = |item: &'a String| Json::Text(item.as_str().into());
    Json::List(items.into_iter().map(text).collect())
}

/// Calls a function as the rows do, with a small story around it.
#[cfg(test)]
pub(super) fn call<'a>(name: &str, draw: u64, args: &[Json<'a>]) -> Json<'a> {
    use std::sync::LazyLock;
    static LISTS: LazyLock<ByName<Vec<String>>> = LazyLock::new(|| {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        let states = ["KARNATAKA", "TAMIL NADU", "DELHI", "UTTAR PRADESH"];
        [
            ("colours".to_owned(), words(&["RED", "BLUE"])),
            ("states".to_owned(), words(&states)),
        ]
        .into_iter()
        .collect()
    });
    static TABLES: LazyLock<ByName<ByName<String>>> = LazyLock::new(|| {
        let codes = [("KARNATAKA".to_owned(), "KA".to_owned())];
        let codes = codes.into_iter().collect();
        let bands = [("LOW", "0-10"), ("HIGH", "11-20")];
        let bands = bands.map(|(word, range)| (word.to_owned(), range.to_owned()));
        let bands = bands.into_iter().collect();
        [("codes".to_owned(), codes), ("bands".to_owned(), bands)]
            .into_iter()
            .collect()
    });
    static REQUEST: LazyLock<Json<'static>> =
        LazyLock::new(|| Json::parse(br#"{"name":"","deep":{"x":1}}"#).expect("a body"));
    static PEOPLE: LazyLock<People> = LazyLock::new(People::default);
    let verification = VerificationId::parse("svcv_00000000000000000000000000").expect("an id");
    let function = find(name).expect("a function of that name");
    let Signature {
        min_args, max_args, ..
    } = function.signature;
    assert!((min_args..=max_args).contains(&args.len()), "{name}");
    let population = Population {
        world: crate::world::World::built_in(),
        seed: 0,
    };
    let tools = Tools {
        verification,
        draw,
        lists: &LISTS,
        tables: &TABLES,
        request: &REQUEST,
        today: Date::constant(2027, 3, 1),
        population,
        subject: population.world.subject_of(None, "", 0),
        profile: None,
        is_sample: false,
        people: &PEOPLE,
        assets: "http://127.0.0.1:8801/test-assets/",
    };
    match function.how {
        How::Args(run) => run(tools, args),
        How::Choice(choose) => choose(args.len(), &|at| args[at].clone()),
        How::Look | How::Argument => Json::Null,
    }
}
