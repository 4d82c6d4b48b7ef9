//! What is different at one place, once all that both sides answered there is gathered.

use std::collections::BTreeSet;

use super::finding::Kind;
use super::form::{Form, ValueType, may_be_one, settled};
use super::gather::{Gathered, SeenThere, SideSeen, Spot, SpotPart};

/// A difference at one place of the answers of one operation.
#[derive(Debug, Clone)]
pub(super) struct Observed {
    pub(super) kind: Kind,
    pub(super) what: String,
    pub(super) left: String,
    pub(super) right: String,
    pub(super) operation: String,
    /// The pairs that show it.
    pub(super) pairs: BTreeSet<usize>,
    /// The path of the object it is a member of, where it is one.
    pub(super) parent: Option<String>,
    /// As what a difference of a later result, or of a bundle's step, is told where first answers show it, too.
    pub(super) at_once: Option<(Kind, String)>,
}

/// In so many answers a header is there or not by more than chance.
const ENOUGH_ANSWERS: usize = 4;

/// What stands behind a member of a result that came later.
pub(super) const LATER: &str = " of the later result";

/// Before a member of what a step of a bundle found.
const STEP_DATA: &str = "data.steps[].data.";

pub(super) const THERE: &str = "is there";
pub(super) const MISSING: &str = "is not there";
pub(super) const SOMETIMES: &str = "is there in some answers only";

/// Every difference of places.
pub(super) fn observed(gathered: &Gathered) -> Vec<Observed> {
    let mut all = Vec::new();
    for (spot, seen) in &gathered.spots {
        let here = Here {
            gathered,
            spot,
            seen,
        };
        if let Some(observed) = here.presence() {
            all.push(observed);
            continue;
        }
        // Where a whole object is missing so are its members: that is said once.
        let both = seen.sides.iter().all(|side| side.times > 0);
        if both {
            all.extend(here.value());
        }
    }
    // One that has another form can't verify.
    let has_form = all.iter().any(|one| one.what == "signature of the webhook");
    all.retain(|one| !has_form || one.what != "its signature of the webhook");
    let told = |one: &Observed| (one.kind, one.what.clone());
    let known: BTreeSet<_> = all.iter().map(told).collect();
    for one in &mut all {
        if let Some(at_once) = one.at_once.take_if(|it| known.contains(it)) {
            (one.kind, one.what) = at_once;
        }
    }
    all
}

struct Here<'g> {
    gathered: &'g Gathered,
    spot: &'g Spot,
    seen: &'g SeenThere,
}

impl Here<'_> {
    fn path(&self) -> &str {
        match self.spot.path.as_str() {
            "" => "the body",
            path => path,
        }
    }

    /// What is different, as people call it.
    fn what(&self) -> String {
        let path = self.path();
        match self.spot.part {
            SpotPart::Answer => path.to_owned(),
            SpotPart::Later => format!("{path}{LATER}"),
            SpotPart::Headers => format!("header {path}"),
            SpotPart::Webhook => format!("{path} of the webhook"),
        }
    }

    fn difference(
        &self,
        kind: Kind,
        left: String,
        right: String,
        pairs: BTreeSet<usize>,
    ) -> Observed {
        let at_once = match self.spot.part {
            SpotPart::Later => Some(self.path().to_owned()),
            // A step of a bundle has the members of its operation.
            SpotPart::Answer => {
                let of_step = self.path().strip_prefix(STEP_DATA);
                of_step.map(|member| format!("data.{member}"))
            }
            SpotPart::Headers | SpotPart::Webhook => None,
        };
        let at_once = at_once.map(|what| (kind, what));
        let kind = match self.spot.part {
            SpotPart::Webhook | SpotPart::Later => Kind::Webhook,
            SpotPart::Headers => Kind::Header,
            SpotPart::Answer => kind,
        };
        Observed {
            kind,
            what: self.what(),
            left,
            right,
            operation: self.spot.operation.clone(),
            pairs,
            parent: self.seen.parent.clone(),
            at_once,
        }
    }

    /// The objects that this could have been a member of, by side: in which pairs, and how many.
    fn parents(&self) -> Option<[(BTreeSet<usize>, usize); 2]> {
        let path = self.seen.parent.clone()?;
        let spot = Spot {
            path,
            ..self.spot.clone()
        };
        let parent = self.gathered.spots.get(&spot)?;
        let of = |side: &SideSeen| {
            let objects = side.forms.get(&Form::Object);
            (objects.cloned().unwrap_or_default(), side.times)
        };
        let [left, right] = &parent.sides;
        Some([of(left), of(right)])
    }

    fn presence(&self) -> Option<Observed> {
        let [(left_in, left_parents), (right_in, right_parents)] = self.parents()?;
        if left_in.is_empty() || right_in.is_empty() {
            return None;
        }
        let [left, right] = &self.seen.sides;
        let word = |seen: usize, parents: usize| match seen {
            0 => MISSING,
            all if all >= parents => THERE,
            _ => SOMETIMES,
        };
        let (mine, other) = (
            word(left.times, left_parents),
            word(right.times, right_parents),
        );
        let partly = mine == SOMETIMES || other == SOMETIMES;
        let never = mine == MISSING || other == MISSING;
        // Of what the contract leaves open some answers have it and some have not, by whom they speak of. Headers speak
        // of nobody: what each of many answers has is no chance.
        let of_headers = self.spot.part == SpotPart::Headers
            && left_parents.min(right_parents) >= ENOUGH_ANSWERS;
        if mine == other || partly && !never && !self.seen.lawful.always && !of_headers {
            return None;
        }
        let shows = |seen: &SideSeen, within: &BTreeSet<usize>, lacks: bool| {
            let there = seen.pairs();
            match lacks {
                true => within.difference(&there).copied().collect(),
                false => there,
            }
        };
        let (lacks_left, lacks_right) = (mine != THERE, other != THERE);
        let pairs: BTreeSet<usize> = match (lacks_left, lacks_right) {
            (false, _) => shows(right, &right_in, true),
            (true, false) => shows(left, &left_in, true),
            (true, true) if mine == MISSING => right.pairs(),
            (true, true) => left.pairs(),
        };
        let pairs = match pairs.is_empty() {
            true => left_in.intersection(&right_in).copied().collect(),
            false => pairs,
        };
        Some(self.difference(Kind::Member, mine.to_owned(), other.to_owned(), pairs))
    }

    fn value(&self) -> Vec<Observed> {
        let [left, right] = &self.seen.sides;
        let mut all = Vec::new();
        let (mine, other) = (forms(left), forms(right));
        let said = |forms: &BTreeSet<Form>| forms.iter().any(|it| matches!(it, Form::Said(_)));
        if said(&mine) && said(&other) {
            all.extend(self.said(&mine, &other));
            return all;
        }
        match self.types(&mine, &other) {
            Some(difference) => all.push(difference),
            None => all.extend(self.layout(&mine, &other)),
        }
        all.extend(self.nulls(&mine, &other));
        all.extend(self.choices());
        all
    }

    /// Values that count themselves: one that the other side never says.
    fn said(&self, mine: &BTreeSet<Form>, other: &BTreeSet<Form>) -> Option<Observed> {
        if mine == other {
            return None;
        }
        let kind = match self.spot.path.as_str() {
            "billing.charged" | "billing.amount" => Kind::Price,
            "success" | "status" => Kind::Status,
            "error.retryable" => Kind::Code,
            "verificationId" => Kind::Format,
            "referenceId" | "endpoint" | "body" | "" => Kind::Behaviour,
            _ => Kind::Enumeration,
        };
        let (left, right) = match self.spot.path.as_str() {
            "billing.amount" => amounts(mine, other)?,
            // What both say of some calls is no part of it.
            "referenceId" | "endpoint" => {
                let own = |one: &BTreeSet<Form>, other: &BTreeSet<Form>| {
                    let own: BTreeSet<_> = one.difference(other).cloned().collect();
                    joined(if own.is_empty() { one } else { &own })
                };
                (own(mine, other), own(other, mine))
            }
            _ => (joined(mine), joined(other)),
        };
        let [left_seen, right_seen] = &self.seen.sides;
        let news = other.difference(mine).next();
        let pairs = match news {
            Some(form) => right_seen.forms.get(form),
            None => mine
                .difference(other)
                .next()
                .and_then(|form| left_seen.forms.get(form)),
        };
        Some(self.difference(kind, left, right, pairs.cloned().unwrap_or_default()))
    }

    fn types(&self, mine: &BTreeSet<Form>, other: &BTreeSet<Form>) -> Option<Observed> {
        let types = |forms: &BTreeSet<Form>| {
            let said = match self.spot.path.as_str() {
                "verificationId" | "referenceId" | "endpoint" => ValueType::Text,
                _ => ValueType::Bool,
            };
            let types = forms.iter().filter_map(|form| match form {
                // Of a value that counts the type is known by the member.
                Form::Said(_) => Some(said),
                form => form.json_type(),
            });
            let types = types.filter(|kind| *kind != ValueType::Null);
            types.collect::<BTreeSet<_>>()
        };
        let (left, right) = (types(mine), types(other));
        if left.is_empty() || right.is_empty() || left == right {
            return None;
        }
        // What one answers now and then and the other never may be by whom it speaks of, unless the contract knows.
        if !left.is_disjoint(&right) && !self.seen.lawful.known {
            return None;
        }
        let words = |types: &BTreeSet<ValueType>| {
            let words = types.iter().map(ToString::to_string);
            words.collect::<Vec<_>>().join(" or ")
        };
        let pairs = self.pairs_of(|form| {
            form.json_type()
                .is_some_and(|kind| !left.contains(&kind) && kind != ValueType::Null)
        });
        Some(self.difference(Kind::Type, words(&left), words(&right), pairs))
    }

    fn layout(&self, mine: &BTreeSet<Form>, other: &BTreeSet<Form>) -> Option<Observed> {
        let laid_out = |forms: &BTreeSet<Form>| {
            let all = forms.iter();
            let all = all.filter(|it| matches!(it, Form::Layout(_) | Form::Text | Form::Outside));
            all.cloned().collect::<BTreeSet<_>>()
        };
        let (left, right) = (laid_out(mine), laid_out(other));
        let numbers = |forms: &BTreeSet<Form>| {
            let all = forms.iter();
            let all = all.filter(|it| matches!(it, Form::Whole | Form::Fraction));
            all.cloned().collect::<BTreeSet<_>>()
        };
        let out = Form::Outside;
        if mine.contains(&out) != other.contains(&out) {
            let words = |forms: &BTreeSet<Form>| match forms.contains(&out) {
                true => out.to_string(),
                false => "a number in its range".to_owned(),
            };
            let pairs = self.pairs_of(|form| *form == out);
            return Some(self.difference(Kind::Format, words(mine), words(other), pairs));
        }
        if self.seen.lawful.whole && numbers(mine) != numbers(other) {
            let pairs = self.pairs_of(|form| *form == Form::Fraction);
            let (left, right) = (joined(&numbers(mine)), joined(&numbers(other)));
            return Some(self.difference(Kind::Format, left, right, pairs));
        }
        let any = left.iter().chain(&right).any(|it| *it != Form::Text);
        let one = !left.is_disjoint(&right) || may_be_one(&left, &right);
        if left.is_empty() || right.is_empty() || one || !any {
            return None;
        }
        let pairs = self.pairs_of(|form| !mine.contains(form));
        Some(self.difference(Kind::Format, joined(&left), joined(&right), pairs))
    }

    fn nulls(&self, mine: &BTreeSet<Form>, other: &BTreeSet<Form>) -> Option<Observed> {
        let (left, right) = (mine.contains(&Form::Null), other.contains(&Form::Null));
        if left == right || self.seen.lawful.nullable {
            return None;
        }
        // Nothing is known of a member that no row names: then only what is always null says anything.
        let always = mine.len() == 1 && other.len() == 1;
        if !self.seen.lawful.known && !always {
            return None;
        }
        let words = |null: bool, forms: &BTreeSet<Form>| match null {
            true => "null".to_owned(),
            false => {
                let types = forms.iter().filter_map(Form::json_type);
                let types: BTreeSet<_> = types.map(|kind| kind.to_string()).collect();
                let types: Vec<_> = types.into_iter().collect();
                types.join(" or ")
            }
        };
        let pairs = self.pairs_of(|form| *form == Form::Null);
        Some(self.difference(
            Kind::Nullability,
            words(left, mine),
            words(right, other),
            pairs,
        ))
    }

    fn choices(&self) -> Option<Observed> {
        let [left, right] = &self.seen.sides;
        let names = |side: &SideSeen| side.outside.keys().cloned().collect::<BTreeSet<_>>();
        let (mine, other) = (names(left), names(right));
        if mine == other {
            return None;
        }
        let words = |own: &BTreeSet<String>, others: &BTreeSet<String>| {
            let news: Vec<_> = own.difference(others).take(3).cloned().collect();
            match news.is_empty() {
                true => format!("one of {}", self.seen.lawful.choices.join(" | ")),
                false => format!("also {}", news.join(", ")),
            }
        };
        let news = left.outside.iter().chain(&right.outside);
        let news = news.filter(|(name, _)| mine.contains(*name) != other.contains(*name));
        let pairs = news.flat_map(|(_, pairs)| pairs).copied().collect();
        let (l, r) = (words(&mine, &other), words(&other, &mine));
        Some(self.difference(Kind::Enumeration, l, r, pairs))
    }

    /// The pairs in which either side answered such a form.
    fn pairs_of(&self, is: impl Fn(&Form) -> bool) -> BTreeSet<usize> {
        let sides = self.seen.sides.iter().flat_map(|side| &side.forms);
        let shown = sides.filter(|(form, _)| is(form));
        let pairs: BTreeSet<_> = shown.flat_map(|(_, pairs)| pairs).copied().collect();
        match pairs.is_empty() {
            true => self.seen.sides[0].pairs(),
            false => pairs,
        }
    }
}

/// The forms of a side, settled.
fn forms(side: &SideSeen) -> BTreeSet<Form> {
    settled(&side.forms.keys().cloned().collect())
}

/// Whether an amount is nothing or something where that differs, else the amounts themselves.
fn amounts(mine: &BTreeSet<Form>, other: &BTreeSet<Form>) -> Option<(String, String)> {
    let zero = Form::Said("0".to_owned());
    let nothing = |forms: &BTreeSet<Form>| forms.len() == 1 && forms.contains(&zero);
    Some(match (nothing(mine), nothing(other)) {
        (true, true) => return None,
        (true, false) => ("0".to_owned(), "a price".to_owned()),
        (false, true) => ("a price".to_owned(), "0".to_owned()),
        (false, false) => (joined(mine), joined(other)),
    })
}

/// In words, without an end to them.
fn joined(forms: &BTreeSet<Form>) -> String {
    let words: Vec<_> = forms.iter().take(4).map(ToString::to_string).collect();
    let more = if forms.len() > 4 { " …" } else { "" };
    format!("{}{more}", words.join(" or "))
}
