//! Functions the rows of the answers may call, by name. Small, pure, and without a constant for an
//! answer: what comes out depends on what goes in.

mod draw;
mod logic;
mod names;
mod time;

use svc_fixtures::json::Json;
use svc_fixtures::template::Signature;

use super::ids::VerificationId;

/// What a function may look at beside its arguments.
#[derive(Clone, Copy)]
pub struct Tools<'a> {
    /// The call the answer belongs to.
    pub verification: VerificationId,
    /// A number that depends on the subject, on the place of the call in the rows, and on nothing else.
    pub draw: u64,
    /// The word lists of the story.
    pub lists: &'a std::collections::BTreeMap<String, Vec<String>>,
}

/// How a function is called.
pub type Run = for<'a> fn(Tools<'a>, &[Json<'a>]) -> Json<'a>;

/// A function the rows may call.
#[derive(Clone, Copy)]
pub struct Function {
    /// Its name and how many arguments it takes.
    pub signature: Signature,
    /// Whether it depends on the call's own id, and not on the request alone.
    pub needs_call: bool,
    /// What it does.
    pub run: Run,
}

/// All of them. One line each: name, fewest and most arguments.
pub const FUNCTIONS: &[Function] = &[
    function("or", 1, 8, logic::or),
    function("if", 3, 3, logic::choose),
    function("accepted_otp", 1, 1, logic::accepted_otp),
    of_the_call(function("issued", 1, 1, logic::issued)),
    function("name_score", 2, 2, names::name_score),
    function("pick", 1, 1, draw::pick),
    function("number", 2, 2, draw::number),
    function("digits", 1, 1, draw::digits),
    function("date", 2, 2, draw::date),
    function("format_date", 2, 2, time::format_date),
    function("months_before", 2, 2, time::months_before),
];

const fn function(name: &'static str, min_args: usize, max_args: usize, run: Run) -> Function {
    Function {
        signature: Signature {
            name,
            min_args,
            max_args,
        },
        needs_call: false,
        run,
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

#[cfg(test)]
pub(super) fn call<'a>(name: &str, draw: u64, args: &[Json<'a>]) -> Json<'a> {
    static LISTS: std::sync::LazyLock<std::collections::BTreeMap<String, Vec<String>>> =
        std::sync::LazyLock::new(|| {
            [(
                "colours".to_owned(),
                vec!["RED".to_owned(), "BLUE".to_owned()],
            )]
            .into()
        });
    let verification = VerificationId::parse("svcv_00000000000000000000000000").expect("an id");
    let function = find(name).expect("a function of that name");
    (function.run)(
        Tools {
            verification,
            draw,
            lists: &LISTS,
        },
        args,
    )
}
