//! Canned answers, compiled: templates with their names resolved, ready to be filled in for a call.

mod actor;
mod compile;
mod declared;
mod fill;
mod search;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use foldhash::fast::FixedState;
use jiff::civil::Date;
use svc_fixtures::contract::{Contract, FieldIndex, OperationIndex, Shape, Spelling};
use svc_fixtures::json::Json;
use svc_fixtures::template::{self, Answers, Edit, Resized, Root, Template};
use svc_fixtures::world::ASKED;

use crate::engine::call::input::Input;
use crate::engine::call::request::Environment;
use crate::engine::compute::{ByName, Choose, Run};
use crate::engine::state::flow::FlowMemory;
use crate::engine::state::ids::VerificationId;
use crate::scenario::{Condition, People, Predicate, ResponsePatch};
use crate::world::{AskedIndex, IdentifierIndex, KindIndex, Known, Population, RelationIndex};

pub use actor::Whom;
pub use declared::DeclaredSubjects;

/// The people and companies of the story, and the word lists.
#[derive(Debug, Clone)]
pub struct Story {
    lists: ByName<Vec<String>>,
    tables: ByName<ByName<String>>,
    characters: Vec<Character>,
    /// Who can be spoken of.
    roles: Vec<Role>,
    /// What each field of each operation is taken for where it identifies the subject.
    asked: Vec<Vec<Option<AskedIndex>>>,
    /// What the subject of a flow is taken for, by its later operations.
    asked_first: Vec<Option<AskedIndex>>,
}

/// Somebody that can be spoken of.
#[derive(Debug, Clone)]
struct Role {
    name: String,
    /// None for whoever was asked for.
    kind: Option<KindIndex>,
    /// Whether it is called like its kind.
    is_kind: bool,
    /// How to get there from a subject, by its kind.
    relations: Vec<Option<RelationIndex>>,
}

#[derive(Debug, Clone)]
struct Character {
    kind: KindIndex,
    /// What the sample one is called.
    name: String,
    /// Only looked up, never gone through.
    identifiers: HashSet<String, FixedState>,
    /// The identifiers that its attributes say the sample has.
    own: Vec<(IdentifierIndex, String)>,
    attributes: Vec<(String, Attribute)>,
}

/// What a name says of the subjects of a kind.
#[derive(Debug, Clone)]
enum What {
    /// An attribute of the story.
    Attribute { character: usize, attribute: usize },
    /// What tells it apart.
    Fact(Known),
}

#[derive(Debug, Clone)]
struct Attribute {
    sample: Node,
    other: Node,
}

/// The `data` of an answer, ready to be filled in.
#[derive(Debug, Clone)]
pub struct ResponseTemplate {
    operation: OperationIndex,
    data: Node,
    needs_call: bool,
}

/// When an operation has no record of whoever is asked for.
#[derive(Debug, Clone)]
pub struct NoRecord {
    /// The field that does not fit.
    pub field: String,
    /// What the error says.
    pub message: Arc<str>,
    when: ResponseTemplate,
}

impl NoRecord {
    /// Compiles a row.
    #[must_use]
    pub fn new(
        contract: &Contract,
        operation: OperationIndex,
        story: &Story,
        row: &template::NoRecord,
    ) -> Self {
        NoRecord {
            field: row.field.clone(),
            message: row.message.as_str().into(),
            when: compile::no_record(contract, operation, story, row),
        }
    }

    /// Whether there is none for this call.
    #[must_use]
    pub fn holds(&self, sources: Sources<'_>) -> bool {
        self.when.member(sources, compile::HOLDS) == Json::Bool(true)
    }
}

/// A compiled [`Template`]. Literals are kept as the bytes they print as.
#[derive(Debug, Clone)]
enum Node {
    Literal {
        json: Json<'static>,
        printed: Box<[u8]>,
    },
    Value(Expr),
    Text(Vec<Part>),
    List(Vec<Node>),
    Object(Vec<Arc<Member>>),
    ForEach {
        list: Expr,
        item: Box<Node>,
        resized: Option<Box<Resized>>,
    },
    Matched {
        by: Vec<Test>,
        changed: Box<Node>,
        otherwise: Box<Node>,
    },
    Placed {
        at: BTreeMap<usize, Node>,
        otherwise: Box<Node>,
    },
    OnlyIf {
        condition: Expr,
        value: Box<Node>,
    },
    Given {
        given: Box<Node>,
        each: Option<Each>,
        value: Box<Node>,
    },
    Edited {
        list: Box<Node>,
        edits: Vec<Edit>,
        form: Option<Shape>,
    },
}

/// What an item of the request must be like, and how texts are compared.
#[derive(Debug, Clone)]
struct Test {
    predicate: Predicate,
    spelling: Spelling,
}

/// What is not given of each item, and the member that tells the items apart.
#[derive(Debug, Clone)]
struct Each {
    by: String,
    item: Box<Node>,
}

/// A member of an object. Answers that differ in a few members share all others.
#[derive(Debug)]
struct Member {
    /// For an array that is spread, what its members are called before the `[`.
    name: String,
    /// The name as it is printed before the value: `"pan":`.
    printed: Box<[u8]>,
    /// Whether the value is an array given as members `name[0]`, `name[1]` and so on.
    spread: bool,
    needs_call: bool,
    value: Node,
}

#[derive(Debug, Clone)]
enum Part {
    Literal(String),
    Value(Expr),
}

#[derive(Clone)]
enum Expr {
    Literal(Json<'static>),
    Request {
        field: FieldIndex,
        rest: Vec<String>,
    },
    /// A field of whichever request it is: the story is part of all answers.
    AnyRequest(Vec<String>),
    Answer(Vec<String>),
    This(Vec<String>),
    /// What is given of a member of the object around.
    Given(Vec<String>),
    Flow {
        name: String,
        rest: Vec<String>,
    },
    Item(Vec<String>),
    Attribute {
        role: usize,
        named: Named,
    },
    /// The same of whoever is asked for by a text.
    Look(Box<Look>),
    /// The same of all whom a text finds by name.
    Search {
        asked: Option<AskedIndex>,
        text: Box<Expr>,
        named: Named,
    },
    Call {
        run: Run,
        args: Vec<Expr>,
        salt: u64,
    },
    Choice {
        choose: Choose,
        args: Vec<Expr>,
    },
}

/// Whom a text asks for, and what is wanted of them.
#[derive(Clone)]
struct Look {
    asked: Option<AskedIndex>,
    spelling: Spelling,
    text: Expr,
    /// Who plays this role for them, where not they themselves are meant.
    role: Option<usize>,
    named: Named,
}

/// What is known of somebody under a name, by the kind of who it is.
#[derive(Clone)]
struct Named {
    name: String,
    what: Arc<[Option<What>]>,
    rest: Vec<String>,
}

impl std::fmt::Debug for Expr {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Expr")
    }
}

/// What an answer is filled in from.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    /// The story.
    pub story: &'a Story,
    /// The request.
    pub input: &'a Input<'a>,
    /// What the first call of the flow left, in a later step.
    pub flow: Option<&'a FlowMemory>,
    /// The call's id.
    pub verification: VerificationId,
    /// Where the simulator is reached.
    pub addresses: &'a Addresses,
    /// Who is declared beside the story's own people.
    pub people: &'a People,
    /// Which of everybody they are.
    pub declared: &'a DeclaredSubjects,
    /// Everybody there is.
    pub population: Population,
    /// The first day of the account's month.
    pub today: Date,
}

impl Story {
    /// The story of these answers.
    #[must_use]
    pub fn new(contract: &Contract, answers: &Answers) -> Self {
        compile::story(contract, answers)
    }
}

impl ResponseTemplate {
    /// Compiles the `data` of an operation. The reader has checked every name in it.
    #[must_use]
    pub fn new(
        contract: &Contract,
        operation: OperationIndex,
        story: &Story,
        data: &Template,
    ) -> Self {
        compile::answer(contract, operation, story, (data, &[]), None)
    }

    /// Compiles a changed `data` of the same operation, for calls for which these conditions hold. What it has in common with the one it was
    /// made from is not compiled again: both share it, in memory and in the processor's caches.
    #[must_use]
    pub fn changed(
        &self,
        contract: &Contract,
        operation: OperationIndex,
        story: &Story,
        from: &Template,
        (data, conditions): (&Template, &[Condition]),
    ) -> Self {
        let before = Some((from, &self.data));
        compile::answer(contract, operation, story, (data, conditions), before)
    }

    /// Whether it depends on more than the request: on the call's own id, or on an earlier call.
    #[must_use]
    pub fn needs_call(&self) -> bool {
        self.needs_call
    }

    /// Prints `data` for one call, and says whom it speaks of, as [`about`](Self::about) does.
    pub fn print(&self, sources: Sources<'_>, out: &mut Vec<u8>) -> Option<Arc<str>> {
        fill::print(self, sources, out)
    }

    /// Whom it speaks of for one call, where that is somebody who is declared: as the call log calls them.
    #[must_use]
    pub fn about(&self, sources: Sources<'_>) -> Option<Arc<str>> {
        fill::about(self, sources)
    }

    /// One member of `data` for one call; null where there is no such member.
    #[must_use]
    pub fn member(&self, sources: Sources<'_>, name: &str) -> Json<'static> {
        fill::member(self, sources, name)
    }
}

/// An answer of these attributes of whoever is asked for, and nothing else.
#[must_use]
pub fn of_attributes<'n>(names: impl Iterator<Item = &'n String>) -> Template {
    let attribute = |name: &String| {
        let expr = template::Expr::Path {
            root: Root::Cast(ASKED.to_owned()),
            parts: vec![name.clone()],
        };
        (name.clone(), Template::Value(expr))
    };
    Template::Object(names.map(attribute).collect())
}

/// A canned answer with a scenario's changes made. Of one that names several operations each change
/// is made where the answer has such a place; one that breaks the contract makes the place.
#[must_use]
pub fn changed(template: &Template, patch: &ResponsePatch, form: &Shape) -> Template {
    patch.edits.iter().fold(template.clone(), |template, edit| {
        match (patch.breaks_contract, edit.has_place_in(form)) {
            (true, _) => edit.exactly_applied_to(template, form),
            (false, true) => edit.applied_to(template, form),
            (false, false) => template,
        }
    })
}

/// The addresses that answers of one environment speak of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addresses {
    /// What the file of an asset is appended to.
    pub assets_url: String,
    /// What a verification's id is appended to, for the page where a person consents to it.
    pub consent_url: String,
}

impl Addresses {
    /// Those below the base of a listener, such as `http://127.0.0.1:8801`.
    #[must_use]
    pub fn below(base: &str) -> Self {
        let base = base.trim_end_matches('/');
        Addresses {
            assets_url: format!("{base}/test-assets/"),
            consent_url: format!("{base}/consent/"),
        }
    }

    /// The base of the listener.
    #[must_use]
    pub fn base(&self) -> &str {
        let base = self.consent_url.strip_suffix("/consent/");
        base.unwrap_or(&self.consent_url)
    }

    /// The page where a person consents to a verification.
    #[must_use]
    pub fn consent(&self, verification: VerificationId) -> String {
        format!("{}{verification}", self.consent_url)
    }
}

/// The addresses of both environments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllAddresses {
    /// Of the sandbox.
    pub test: Addresses,
    /// Of live.
    pub live: Addresses,
}

impl AllAddresses {
    /// Those of an environment.
    #[must_use]
    pub fn of(&self, environment: Environment) -> &Addresses {
        match environment {
            Environment::Test => &self.test,
            Environment::Live => &self.live,
        }
    }
}

/// Where a simulator listens by default.
impl Default for AllAddresses {
    fn default() -> Self {
        AllAddresses {
            test: Addresses::below("http://127.0.0.1:8801"),
            live: Addresses::below("http://127.0.0.1:8802"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use svc_fixtures::world::WorldRows;

    use crate::engine::compute;

    #[test]
    fn a_changed_answer_shares_every_member_that_did_not_change() {
        let contract = Contract::built_in();
        let files = svc_fixtures::embedded::answers();
        let answers = Answers::read(
            &files,
            &contract,
            &compute::signatures(),
            WorldRows::built_in(),
        )
        .unwrap();
        let story = Story::new(&contract, &answers);
        for (operation, row) in contract.indexed_operations() {
            let from = &answers.by_operation[&row.id];
            let canned = ResponseTemplate::new(&contract, operation, &story, from);
            let mut data = from.clone();
            let Template::Object(members) = &mut data else {
                panic!("{}: `data` is an object", row.id);
            };
            members[0].1 = Template::Literal(Json::Null);
            let changed = canned.changed(&contract, operation, &story, from, (&data, &[]));
            let anew = ResponseTemplate::new(&contract, operation, &story, &data);
            assert_eq!(changed.needs_call, anew.needs_call, "{}", row.id);
            let (Node::Object(before), Node::Object(after)) = (&canned.data, &changed.data) else {
                panic!("{}: `data` is an object", row.id);
            };
            let shared = before.iter().zip(after).map(|(a, b)| Arc::ptr_eq(a, b));
            let expected = (0..before.len()).map(|at| at > 0);
            assert!(shared.eq(expected), "{}", row.id);
        }
    }
}
