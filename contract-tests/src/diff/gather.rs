//! What both sides answered, gathered by operation, ending and place: which forms were seen where, and in which calls.

use std::collections::{BTreeMap, BTreeSet};

use svc_fixtures::contract::{Leaf, Member, MemberPresence, Shape};
use svc_fixtures::json::Json;

use super::ending::Ended;
use super::finding::LOOK_UP;
use super::form::Form;
use super::pairing::Pair;
use super::said::{media_type, said_text, signature_form, special};
use crate::capture::{Exchange, Request, Response};
use crate::plan::Setting;

/// The members of the envelope whose very value counts.
const SAID: [&str; 6] = [
    "success",
    "status",
    "error.retryable",
    "billing.charged",
    "billing.currency",
    "meta.environment",
];

/// Headers that say how a message travelled, or that are another one each time.
const TRANSPORT: [&str; 17] = [
    "age",
    "alt-svc",
    "connection",
    "content-encoding",
    "content-length",
    "date",
    "etag",
    "keep-alive",
    "request-id",
    "server",
    "traceparent",
    "transfer-encoding",
    "vary",
    "via",
    "x-correlation-id",
    "x-request-id",
    "x-trace-id",
];

/// What part of an exchange a place is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SpotPart {
    /// The body of the answer.
    Answer,
    /// The result that came later.
    Later,
    /// The headers.
    Headers,
    /// What came to the receiver of webhooks.
    Webhook,
}

/// Where a value stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spot {
    pub(super) operation: String,
    pub(super) ending: String,
    pub(super) part: SpotPart,
    pub(super) path: String,
}

/// What the contract says of a place.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Lawful {
    /// Whether it names the place at all.
    pub(super) known: bool,
    pub(super) always: bool,
    pub(super) nullable: bool,
    pub(super) whole: bool,
    pub(super) choices: Vec<String>,
}

/// What one side answered at a place: forms, and in which pairs each was seen.
#[derive(Debug, Clone, Default)]
pub(super) struct SideSeen {
    pub(super) forms: BTreeMap<Form, BTreeSet<usize>>,
    /// Values outside of those it is chosen from.
    pub(super) outside: BTreeMap<String, BTreeSet<usize>>,
    /// How often anything stood there.
    pub(super) times: usize,
}

/// What both answered at a place.
#[derive(Debug, Clone, Default)]
pub(super) struct SeenThere {
    pub(super) sides: [SideSeen; 2],
    pub(super) lawful: Lawful,
    /// The path of the object that it is a member of.
    pub(super) parent: Option<String>,
}

/// Everything that both answered.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) spots: BTreeMap<Spot, SeenThere>,
    side: usize,
    pair: usize,
}

impl SideSeen {
    /// The pairs in which anything stood there.
    pub(super) fn pairs(&self) -> BTreeSet<usize> {
        self.forms.values().flatten().copied().collect()
    }
}

impl Gathered {
    /// Takes in two answers that ended alike.
    pub(super) fn take(
        &mut self,
        setting: &Setting<'_>,
        at: usize,
        pair: &Pair<'_>,
        ended: &Ended,
    ) {
        self.pair = at;
        let sides = [pair.left, pair.right];
        for (side, exchange) in sides.into_iter().enumerate() {
            self.side = side;
            let Ok(response) = &exchange.response else {
                continue;
            };
            let mut spot = Spot {
                operation: pair.operation.clone(),
                ending: format!("{ended} ({})", exchange.request.environment),
                part: SpotPart::Headers,
                path: String::new(),
            };
            if !pair.raced {
                self.headers(&spot, response);
            }
            spot.part = SpotPart::Answer;
            self.body(setting, &spot, exchange, response);
            if let Some(result) = &exchange.result {
                spot.part = SpotPart::Later;
                self.body(setting, &spot, exchange, result);
            }
        }
    }

    /// Takes in what came to the receivers of both sides.
    pub(super) fn take_webhooks(&mut self, setting: &Setting<'_>, at: usize, pair: &Pair<'_>) {
        self.pair = at;
        let sides = [pair.left, pair.right];
        for (side, exchange) in sides.into_iter().enumerate() {
            self.side = side;
            let Ok(response) = &exchange.response else {
                continue;
            };
            let Ok(json) = Json::parse(&response.body) else {
                continue;
            };
            let came = json.get("deliveries").and_then(Json::as_list);
            for delivery in came.unwrap_or_default() {
                self.delivery(setting, &exchange.request, delivery);
            }
        }
    }

    /// Takes in a recorded webhook of a side.
    pub(super) fn take_delivery(
        &mut self,
        setting: &Setting<'_>,
        (at, side): (usize, usize),
        call: &Exchange,
        delivery: &Json<'_>,
    ) {
        (self.pair, self.side) = (at, side);
        self.delivery(setting, &call.request, delivery);
    }

    /// Takes in whether a webhook came for a call of a side that was answered `pending`.
    pub(super) fn take_arrival(&mut self, at: usize, side: usize, pair: &Pair<'_>, said: &str) {
        (self.pair, self.side) = (at, side);
        let spot = Spot {
            operation: pair.operation.clone(),
            ending: format!("pending ({})", pair.left.request.environment),
            part: SpotPart::Webhook,
            path: "arrival".to_owned(),
        };
        self.note(&spot, said_text(said), None, None);
    }

    fn delivery(&mut self, setting: &Setting<'_>, asked: &Request, delivery: &Json<'_>) {
        let text = |name: &str| delivery.get(name).and_then(Json::as_text);
        let body = text("body").unwrap_or_default();
        let json = Json::parse(body.as_bytes()).ok();
        let said = |name: &str| json.as_ref()?.get(name)?.as_text().map(str::to_owned);
        let spot = |path: &str| Spot {
            operation: said("endpoint").unwrap_or_else(|| "webhooks".to_owned()),
            // Sandbox and live apart: what is wrong in one of them would be hidden by the other.
            ending: format!(
                "{} ({})",
                said("status").unwrap_or_else(|| "no JSON".to_owned()),
                asked.environment
            ),
            part: SpotPart::Webhook,
            path: path.to_owned(),
        };
        self.note(
            &spot("method"),
            said_text(text("method").unwrap_or("none")),
            None,
            None,
        );
        let kind = media_type(text("contentType").unwrap_or("none"));
        self.note(&spot("content-type"), said_text(&kind), None, None);
        let signature = signature_form(text("signature"));
        self.note(&spot("signature"), said_text(&signature), None, None);
        if let Some(verified) = delivery.get("verified").and_then(Json::as_bool) {
            let says = if verified {
                "verifies"
            } else {
                "does not verify"
            };
            self.note(&spot("its signature"), said_text(says), None, None);
        }
        match &json {
            Some(json) => self.envelope(setting, &spot(""), None, json),
            None => self.note(&spot(""), said_text("no JSON"), None, None),
        }
    }

    fn headers(&mut self, spot: &Spot, response: &Response) {
        let at = |path: &str| Spot {
            path: path.to_owned(),
            ..spot.clone()
        };
        self.note(&at(""), Form::Object, None, None);
        for (name, value) in &response.headers {
            let name = name.to_ascii_lowercase();
            if TRANSPORT.contains(&name.as_str()) || name.starts_with("access-control-") {
                continue;
            }
            let form = match name.as_str() {
                "content-type" => said_text(&media_type(value)),
                "allow" => said_text(value),
                _ => Form::Text,
            };
            self.note(&at(&name), form, None, Some(""));
        }
    }

    fn body(
        &mut self,
        setting: &Setting<'_>,
        spot: &Spot,
        exchange: &Exchange,
        response: &Response,
    ) {
        match Json::parse(&response.body) {
            Ok(json) => self.envelope(setting, spot, Some(&exchange.request), &json),
            Err(_) => self.note(spot, said_text("no JSON"), None, None),
        }
    }

    fn envelope(
        &mut self,
        setting: &Setting<'_>,
        spot: &Spot,
        request: Option<&Request>,
        json: &Json<'_>,
    ) {
        let named = json.get("endpoint").and_then(Json::as_text);
        let operation = setting.contract.operation(match spot.operation.as_str() {
            LOOK_UP => named.unwrap_or_default(),
            own => own,
        });
        let status = json.get("status").and_then(Json::as_text);
        let pending = operation.and_then(|row| row.pending_shape());
        let data = match (operation, status) {
            (Some(row), Some("completed")) => Some(&row.response),
            (_, Some("pending")) => pending.as_ref(),
            _ => None,
        };
        let Json::Object(members) = json else {
            return self.value(spot, json, None, None);
        };
        self.note(spot, Form::Object, None, None);
        let envelope = &setting.contract.service.envelope;
        for (name, value) in members {
            let spot = at(spot, name);
            let shape = envelope.inside(name);
            let lawful = lawful_of(envelope.member(name), shape);
            if let Some(form) = special(&spot.operation, request, name, value) {
                self.note(&spot, form, Some(lawful), Some(""));
                continue;
            }
            match &**name {
                "data" => self.member(
                    &spot,
                    value,
                    data,
                    Lawful {
                        known: true,
                        ..lawful
                    },
                    "",
                ),
                _ => self.member(&spot, value, shape, lawful, ""),
            }
        }
    }

    fn member(
        &mut self,
        spot: &Spot,
        value: &Json<'_>,
        shape: Option<&Shape>,
        lawful: Lawful,
        parent: &str,
    ) {
        if SAID.contains(&spot.path.as_str()) && !matches!(value, Json::Object(_) | Json::List(_)) {
            // That "true" is a text is a difference of type.
            let form = match (&*spot.path, value) {
                ("success" | "error.retryable" | "billing.charged", Json::Text(_)) => Form::Text,
                _ => Form::said(value),
            };
            return self.note(spot, form, Some(lawful), Some(parent));
        }
        if spot.path == "billing.amount"
            && let Some(amount) = value.as_num()
        {
            return self.note(
                spot,
                said_text(&amount.to_string()),
                Some(lawful),
                Some(parent),
            );
        }
        self.value_of(spot, value, shape, Some(lawful), Some(parent));
    }

    fn value(
        &mut self,
        spot: &Spot,
        value: &Json<'_>,
        shape: Option<&Shape>,
        parent: Option<&str>,
    ) {
        self.value_of(spot, value, shape, None, parent);
    }

    fn value_of(
        &mut self,
        spot: &Spot,
        value: &Json<'_>,
        shape: Option<&Shape>,
        lawful: Option<Lawful>,
        parent: Option<&str>,
    ) {
        let form = match shape {
            Some(Shape::Leaf { leaf, .. }) if is_out_of_range(leaf, value) => Form::Outside,
            _ => Form::of(value),
        };
        self.note(spot, form, lawful, parent);
        match value {
            Json::Text(text) => {
                if let Some(Shape::Leaf {
                    leaf: Leaf::OneOf(choices),
                    ..
                }) = shape
                    && !choices.iter().any(|choice| choice == text)
                {
                    self.outside(spot, text);
                }
            }
            Json::List(items) => {
                let inside = shape.and_then(|shape| shape.inside("0"));
                let spot = Spot {
                    path: format!("{}[]", spot.path),
                    ..spot.clone()
                };
                let lawful = Lawful {
                    known: inside.is_some(),
                    ..lawful_of(None, inside)
                };
                for item in items {
                    self.value_of(&spot, item, inside, Some(lawful.clone()), None);
                }
            }
            Json::Object(members) => {
                for (name, value) in members {
                    let member = shape.and_then(|shape| shape.member(name));
                    let inside = shape.and_then(|shape| shape.inside(name));
                    let lawful = lawful_of(member, inside);
                    self.member(&at(spot, name), value, inside, lawful, &spot.path);
                }
            }
            _ => {}
        }
    }

    fn note(&mut self, spot: &Spot, form: Form, lawful: Option<Lawful>, parent: Option<&str>) {
        let (side, pair) = (self.side, self.pair);
        let seen = self.seen(spot);
        if let Some(lawful) = lawful {
            seen.lawful = lawful;
        }
        seen.parent = parent.map(str::to_owned);
        let seen = &mut seen.sides[side];
        seen.times += 1;
        seen.forms.entry(form).or_default().insert(pair);
    }

    fn outside(&mut self, spot: &Spot, text: &str) {
        let (side, pair) = (self.side, self.pair);
        let outside = &mut self.seen(spot).sides[side].outside;
        outside.entry(text.to_owned()).or_default().insert(pair);
    }

    fn seen(&mut self, spot: &Spot) -> &mut SeenThere {
        if !self.spots.contains_key(spot) {
            self.spots.insert(spot.clone(), SeenThere::default());
        }
        self.spots.get_mut(spot).expect("it was put there")
    }
}

fn at(spot: &Spot, name: &str) -> Spot {
    // Members `name[0]`, `name[1]` are a list in other words.
    let name = match name.rfind('[') {
        Some(open) if name.ends_with(']') => format!("{}[#]", &name[..open]),
        _ => name.to_owned(),
    };
    let path = match spot.path.as_str() {
        "" => name,
        path => format!("{path}.{name}"),
    };
    Spot {
        path,
        ..spot.clone()
    }
}

fn is_out_of_range(leaf: &Leaf, value: &Json<'_>) -> bool {
    let ranged = matches!(
        leaf,
        Leaf::Int { range: Some(_) } | Leaf::Num { range: Some(_) }
    );
    ranged && value.as_num().is_some() && !leaf.fits_as_specified(value, false)
}

fn lawful_of(member: Option<&Member>, shape: Option<&Shape>) -> Lawful {
    let leaf = match shape {
        Some(Shape::Leaf { leaf, nullable, .. }) => Some((leaf, *nullable)),
        _ => None,
    };
    Lawful {
        known: member.is_some(),
        always: member.is_some_and(|member| member.presence == MemberPresence::Always),
        nullable: leaf.is_some_and(|(_, nullable)| nullable),
        whole: matches!(leaf, Some((Leaf::Int { .. }, _))),
        choices: match leaf {
            Some((Leaf::OneOf(choices), _)) => choices.clone(),
            _ => Vec::new(),
        },
    }
}
