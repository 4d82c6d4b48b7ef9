//! How calls end: differences of status and code, put together by what they have in common.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use svc_fixtures::json::Json;

use super::finding::{Difference, Kind};
use super::pairing::Pair;
use super::{Found, general};
use crate::capture::{Credential, Exchange, KeyKind};

/// So many of a hundred calls that ended alike on the left must end otherwise on the right, and alike, for that to be
/// one difference of all of them.
const NEARLY_ALL: usize = 90;

/// The same of calls with one mistake: what has no format can't be malformed.
const MOST: usize = 50;

/// Or in so many fields.
const MANY_FIELDS: usize = 4;

/// What ends in so many ways on the left, and in one on the right, is gone.
const FEWEST_WAYS: usize = 3;

/// So many operations that are gone are gone together.
const MANY_OPERATIONS: usize = 8;

const NO_JSON: &str = "no JSON";

const CONFLICT: &str = "SVC_IDEMPOTENCY_CONFLICT";

const RATE_LIMITED: &str = "SVC_RATE_LIMITED";

const NO_RECORD: &str = "SVC_NO_RECORD_FOUND";

/// How a call ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ended {
    status: u16,
    /// The error code, or else the status of the envelope.
    word: String,
}

impl Ended {
    pub(super) fn of(exchange: &Exchange) -> Self {
        let Ok(response) = &exchange.response else {
            return Ended {
                status: 0,
                word: "no answer".to_owned(),
            };
        };
        let json = Json::parse(&response.body).ok();
        let text = |json: Option<&Json<'_>>| json.and_then(Json::as_text).map(str::to_owned);
        let word = json.as_ref().map(|json| {
            let code = json.get("error").and_then(|error| error.get("code"));
            let code = text(code).or_else(|| text(json.get("error")));
            let word = code.or_else(|| text(json.get("status")));
            word.unwrap_or_else(|| "without a status".to_owned())
        });
        Ended {
            status: response.status,
            word: word.unwrap_or_else(|| NO_JSON.to_owned()),
        }
    }
}

impl Ended {
    fn is_error(&self) -> bool {
        self.status >= 400
    }

    /// Whether the other one says the same by another status, or another code.
    fn is_renamed(&self, other: &Self) -> bool {
        self.status == other.status || self.word == other.word
    }

    /// The same, whether the result is there or comes later.
    fn outcome(&self) -> Self {
        let word = match self.word.as_str() {
            "pending" => "completed".to_owned(),
            word => word.to_owned(),
        };
        Ended { word, ..*self }
    }
}

/// Whether one side found somebody where the other has no record: who is there is no question of form.
fn is_of_record(left: &Ended, right: &Ended) -> bool {
    let found = |it: &Ended| !it.is_error() && it.outcome().word == "completed";
    let none = |it: &Ended| it.status == 422 && it.word == NO_RECORD;
    found(left) && none(right) || none(left) && found(right)
}

impl fmt::Display for Ended {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.status {
            0 => out.write_str(&self.word),
            status => write!(out, "{status} {}", self.word),
        }
    }
}

/// Calls and how they ended on both sides, each case as far as both went the same way.
#[derive(Default)]
pub(super) struct Endings<'p> {
    all: Vec<(usize, &'p Pair<'p>, Ended, Ended)>,
}

/// What is wrong with what was sent, in the words of the case: those behind its operation, without the field.
fn mistake<'p>(pair: &'p Pair<'_>) -> &'p str {
    if pair.bundle_is_down {
        return INSIDE;
    }
    let rest = behind_operation(pair);
    match rest.split_once(' ') {
        Some((INSIDE, _)) => INSIDE,
        Some((_, mistake)) => mistake,
        None => rest,
    }
}

/// What a case says that puts the sentinel into a field, wherever that is.
const INSIDE: &str = "inside";

fn behind_operation<'p>(pair: &'p Pair<'_>) -> &'p str {
    let rest = pair.case.split_once(": ").map_or("", |(_, rest)| rest);
    rest.strip_suffix(" (live)").unwrap_or(rest)
}

/// Which checks try this mistake: all that try one in a field have it in common.
fn family(pair: &Pair<'_>, mistake: &str) -> String {
    match pair.check.split_once('.') {
        _ if mistake == INSIDE => INSIDE.to_owned(),
        Some((family @ "validation", _)) if field(pair).is_some() && !mistake.is_empty() => {
            family.to_owned()
        }
        _ => pair.check.to_owned(),
    }
}

/// The field that it is about, where it is about one.
fn field<'p>(pair: &'p Pair<'_>) -> Option<&'p str> {
    let (field, _) = behind_operation(pair).split_once(' ')?;
    pair.check.starts_with("validation.").then_some(field)
}

/// What is the matter with its key, where that decides.
fn other_key(pair: &Pair<'_>) -> Option<KeyKind> {
    match &pair.left.credential {
        Credential::Given(kind) if !has_several_mistakes(pair) => Some(*kind),
        _ => None,
    }
}

/// Whether a call has several mistakes, or a mistake and the sentinel: which is said first is a question of order.
fn has_several_mistakes(pair: &Pair<'_>) -> bool {
    let beside = pair.check.starts_with("order.") || pair.check == "validation.input-first";
    beside || mistake(pair) == INSIDE
}

impl<'p> Endings<'p> {
    /// Takes in how a call ended; answers whether both ended alike.
    pub(super) fn take(&mut self, at: usize, pair: &'p Pair<'p>) -> Option<Ended> {
        let (left, right) = (Ended::of(pair.left), Ended::of(pair.right));
        let alike = (left == right).then(|| left.clone());
        // How much of its limit calls before had used up is no matter of the service.
        let used_up = |ended: &Ended| ended.status == 429 || ended.word == RATE_LIMITED;
        if other_key(pair) == Some(KeyKind::Limited) && used_up(&left) != used_up(&right) {
            return alike;
        }
        self.all.push((at, pair, left, right));
        alike
    }

    /// What the left side says of how calls end.
    pub(super) fn words(&self) -> BTreeSet<String> {
        self.all
            .iter()
            .map(|(.., left, _)| left.word.clone())
            .collect()
    }

    /// The differences, from the most general to the most special: all that ended so, all with the same mistake,
    /// one of each case of a check, all of a field, all of an operation.
    pub(super) fn differences(self) -> Vec<Found> {
        let mut groups: BTreeMap<Group, Vec<usize>> = BTreeMap::new();
        let all = self.all.iter().enumerate();
        let open = all.filter(|(_, (.., left, right))| left != right);
        let mut open: Vec<usize> = open.map(|(index, _)| index).collect();
        let mut found = self.gone(&mut open);
        found.extend(self.known_to_one(&mut open));
        let keys: [fn(&Pair<'_>) -> Option<Group>; 6] = [
            |_| Some(Group::All),
            |pair| other_key(pair).map(Group::Key),
            |pair| {
                let mistake = mistake(pair).to_owned();
                Some(Group::Mistake(family(pair, &mistake), mistake))
            },
            |pair| Some(Group::Check(pair.check.to_owned())),
            |pair| field(pair).map(|field| Group::Field(field.to_owned())),
            |pair| Some(Group::Operation(pair.operation.clone())),
        ];
        for key in keys {
            let (mut all, mut changed) = (BTreeMap::new(), BTreeMap::new());
            for (index, (_, pair, left, right)) in self.all.iter().enumerate() {
                let Some(group) = key(pair) else { continue };
                let of = |ended: &Ended| match group {
                    // What is taken although it is a mistake is taken, now or later.
                    Group::Mistake(..) => ended.outcome(),
                    _ => ended.clone(),
                };
                let (left_of, right_of) = match group {
                    // Whatever they ended in.
                    Group::Check(_) => (Ended::default(), of(right)),
                    _ => (of(left), of(right)),
                };
                let of_left = (group.clone(), left_of.clone());
                *all.entry(of_left).or_insert(0_usize) += 1;
                if left != right && open.contains(&index) {
                    let of = (group, left_of, right_of);
                    changed.entry(of).or_insert_with(Vec::new).push(index);
                }
            }
            let is_one = |of: &(Group, Ended, Ended), indices: &[usize]| {
                self.is_one(&of.0, indices, all[&(of.0.clone(), of.1.clone())])
            };
            let mut changed: Vec<_> = changed.into_iter().collect();
            let is_renamed = |(_, left, right): &(Group, Ended, Ended)| left.is_renamed(right);
            changed.sort_by_cached_key(|(of, it)| (!is_one(of, it), is_renamed(of)));
            for (of, indices) in changed {
                let one = is_one(&of, &indices);
                let another = one && !is_renamed(&of);
                let (group, left, right) = of;
                let general = matches!(group, Group::All | Group::Mistake(..)) && left.is_error();
                // Where most are no such error any more it is no matter what the others are.
                let whatever = Group::Ended(Box::new(group.clone()), left.clone(), None);
                let of = match general && (another || groups.contains_key(&whatever)) {
                    true => whatever,
                    false => Group::Ended(Box::new(group), left, Some(right)),
                };
                if one || groups.contains_key(&of) {
                    open.retain(|index| !indices.contains(index));
                    groups.entry(of).or_default().extend(indices);
                }
            }
        }
        let made = groups
            .iter()
            .map(|(group, indices)| self.difference(group, indices));
        found.extend(made);
        general::joined(found)
    }

    /// The operations that end one way on the right whatever is asked, and in several ways on the left, but for what is
    /// refused alike. Where these are many, those are among them that end in few ways on the left, too, and all are one
    /// difference.
    fn gone(&self, open: &mut Vec<usize>) -> Vec<Found> {
        let mut by_operation: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, (_, pair, ..)) in self.all.iter().enumerate() {
            by_operation.entry(&pair.operation).or_default().push(index);
        }
        let mut by_right: BTreeMap<&Ended, Vec<(&str, Vec<usize>)>> = BTreeMap::new();
        for (operation, indices) in by_operation {
            let (changed, alike): (Vec<_>, Vec<_>) = indices
                .into_iter()
                .partition(|at| self.differs_in_what(*at));
            let rights: BTreeSet<_> = changed.iter().map(|at| &self.all[*at].3).collect();
            let [right] = rights.into_iter().collect::<Vec<_>>()[..] else {
                continue;
            };
            if right.is_error() && alike.iter().all(|at| self.all[*at].2.is_error()) {
                by_right
                    .entry(right)
                    .or_default()
                    .push((operation, changed));
            }
        }
        let mut found = Vec::new();
        for (right, mut gone) in by_right {
            let ways = |(_, indices): &(&str, Vec<usize>)| self.lefts(indices).len() >= FEWEST_WAYS;
            let many = gone.iter().filter(|it| ways(it)).count() >= MANY_OPERATIONS;
            if !many {
                gone.retain(ways);
            }
            let all = match (many, gone.len()) {
                (true, count) => vec![(format!("all calls of {count} operations"), gone)],
                _ => {
                    let each = gone.into_iter();
                    each.map(|one| (format!("all calls of {}", one.0), vec![one]))
                        .collect()
                }
            };
            for (what, gone) in all {
                let of_all: Vec<usize> = gone.iter().flat_map(|(_, it)| it).copied().collect();
                let lefts = self.lefts(&of_all);
                let words: Vec<_> = lefts.iter().take(4).map(ToString::to_string).collect();
                let (left, right) = (words.join(" or "), right.to_string());
                let mut difference = Difference::new(Kind::Status, what, left, right);
                let operations = gone.iter().map(|(operation, _)| (*operation).to_owned());
                difference.operations.extend(operations);
                let pairs = of_all.iter().map(|at| self.all[*at].0).collect();
                open.retain(|at| !of_all.contains(at));
                found.push((difference, pairs));
            }
        }
        found
    }

    /// Whether a call ends differently for what it calls: one that both refuse for its key says nothing of that.
    fn differs_in_what(&self, at: usize) -> bool {
        let (_, _, left, right) = &self.all[at];
        left != right && [left, right].iter().any(|it| it.status != 401)
    }

    /// How these end on the left.
    fn lefts(&self, indices: &[usize]) -> BTreeSet<&Ended> {
        indices.iter().map(|at| &self.all[*at].2).collect()
    }

    /// The calls that find somebody on one side, and no record on the other: one difference each way.
    fn known_to_one(&self, open: &mut Vec<usize>) -> Vec<Found> {
        let mut found: BTreeMap<(Ended, Ended), Vec<usize>> = BTreeMap::new();
        for at in open.iter() {
            let (.., left, right) = &self.all[*at];
            // Where all that end so end otherwise it is no question of who is there.
            if is_of_record(left, right) && !self.is_rule(left, right) {
                let of = (left.outcome(), right.outcome());
                found.entry(of).or_default().push(*at);
            }
        }
        open.retain(|at| !found.values().flatten().any(|taken| taken == at));
        let made = found.into_iter().map(|((left, right), indices)| {
            let what = "whether there is a record of the same input";
            let (left, right) = (left.to_string(), right.to_string());
            let mut difference = Difference::new(Kind::Behaviour, what, left, right);
            let pairs: Vec<_> = indices.iter().map(|at| &self.all[*at]).collect();
            difference
                .operations
                .extend(pairs.iter().map(|(_, pair, ..)| pair.operation.clone()));
            (difference, pairs.iter().map(|(at, ..)| *at).collect())
        });
        made.collect()
    }

    /// Whether nearly all calls that end so on the left end so on the right.
    fn is_rule(&self, left: &Ended, right: &Ended) -> bool {
        let all = self.all.iter().filter(|(.., it, _)| it == left);
        let changed = self
            .all
            .iter()
            .filter(|(.., it, other)| (it, other) == (left, right));
        changed.count() * 100 >= all.count() * NEARLY_ALL
    }

    /// Whether this call ends in an error of the same status on both sides.
    fn is_of_code(&self, at: usize) -> bool {
        let (.., left, right) = &self.all[at];
        left.status == right.status && left.is_error()
    }

    /// Whether these differences are one.
    fn is_one(&self, group: &Group, indices: &[usize], of_all: usize) -> bool {
        let operations: BTreeSet<_> = indices
            .iter()
            .map(|at| &self.all[*at].1.operation)
            .collect();
        let share = |least: usize| indices.len() * 100 >= of_all * least;
        let fields: BTreeSet<_> = indices
            .iter()
            .filter_map(|at| field(self.all[*at].1))
            .collect();
        match group {
            Group::Key(_) | Group::Operation(_) | Group::Field(_) => true,
            Group::All => share(NEARLY_ALL) && operations.len() > 1,
            // A case goes on no further than where it ends otherwise.
            Group::Check(check) => {
                let of_check = self.all.iter().filter(|(_, pair, ..)| pair.check == check);
                let cases: BTreeSet<_> = of_check.map(|(_, pair, ..)| pair.case).collect();
                indices.len() * 100 >= cases.len() * NEARLY_ALL && operations.len() > 1
            }
            Group::Mistake(..) => {
                operations.len() > 1 && (share(MOST) || fields.len() >= MANY_FIELDS)
            }
            Group::Ended(..) => false,
        }
    }

    fn difference(&self, group: &Group, indices: &[usize]) -> Found {
        let Group::Ended(group, left, _) = group else {
            return (Difference::new(Kind::Status, "", "", ""), BTreeSet::new());
        };
        let pairs: Vec<_> = indices.iter().map(|at| self.all[*at].1).collect();
        let all = |is: &dyn Fn(&Pair<'_>) -> bool| pairs.iter().all(|pair| is(pair));
        let in_conflict = indices
            .iter()
            .all(|at| self.all[*at].3.word == CONFLICT && self.all[*at].2.word != CONFLICT);
        let kind = if in_conflict {
            Kind::Idempotency
        } else if all(&has_several_mistakes) {
            Kind::Order
        } else if all(&|pair| pair.repeats || pair.check.starts_with("idempotency.")) {
            Kind::Idempotency
        } else if indices.iter().all(|at| self.is_of_code(*at)) {
            Kind::Code
        } else {
            Kind::Status
        };
        let what = match &**group {
            Group::All => format!("calls that end {left}"),
            Group::Key(kind) => format!("calls with a key that is {}", kind.name()),
            Group::Mistake(_, mistake) if mistake == INSIDE => {
                "a call with the sentinel inside an identifier".to_owned()
            }
            Group::Mistake(check, mistake) if mistake.is_empty() => format!("calls of {check}"),
            Group::Mistake(..) => mistaken(&pairs),
            Group::Check(check) => format!("calls of {check}"),
            Group::Field(field) => format!("calls with another {field}"),
            Group::Operation(operation) => format!("calls of {operation}"),
            Group::Ended(..) => String::new(),
        };
        let (left, right) = indices
            .iter()
            .map(|at| (self.all[*at].2.to_string(), self.all[*at].3.to_string()))
            .unzip();
        let mut found = Difference::new(kind, what, general::each(left), general::each(right));
        for pair in &pairs {
            found.operations.insert(pair.operation.clone());
        }
        (found, indices.iter().map(|at| self.all[*at].0).collect())
    }
}

/// Calls with the same mistake, with the field where it is one.
fn mistaken(pairs: &[&Pair<'_>]) -> String {
    let checks: BTreeSet<_> = pairs.iter().map(|pair| pair.check).collect();
    let checks = checks.into_iter().collect::<Vec<_>>().join(", ");
    let fields: BTreeSet<_> = pairs.iter().filter_map(|pair| field(pair)).collect();
    let mistake = pairs.first().map_or("", |pair| mistake(pair));
    match fields.first() {
        Some(field) if fields.len() == 1 => format!("calls with {field} {mistake} ({checks})"),
        _ => format!("a call with something {mistake} ({checks})"),
    }
}

/// What calls have in common that end otherwise.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    /// Just how they end.
    All,
    /// What is the matter with the key.
    Key(KeyKind),
    /// A mistake in what was sent: check, and the mistake.
    Mistake(String, String),
    /// Its check, whatever it was to end in: what went before decides.
    Check(String),
    /// The field that was tried.
    Field(String),
    /// The operation.
    Operation(String),
    /// The same, with how they ended on the left, and on the right where that tells them apart.
    Ended(Box<Group>, Ended, Option<Ended>),
}
