//! A request to be: what is sent, with which key, and what of earlier answers goes into it.

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};
use svc_fixtures::contract::{Environment, Operation, Paise};
use svc_fixtures::json::Json;
use svc_fixtures::sample;

use super::law::LawBody;
use super::place::Place;
use crate::capture::{Channel, Credential, Exchange, Request};

/// The path below which a verification is looked up by its id.
pub const VERIFICATIONS: &str = "/v1/verifications/";

/// The path of an account's usage.
pub const USAGE: &str = "/v1/usage";

/// A request to be.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestTemplate {
    /// Whom it goes to.
    pub channel: Channel,
    /// Where it is sent, where that is not where its case is.
    pub environment: Option<Environment>,
    /// The method.
    pub method: String,
    /// The path; each `{}` stands for what is carried into it next.
    pub path: String,
    /// The query without its question mark.
    pub query: String,
    /// The key.
    pub credential: Credential,
    /// The headers beside `Authorization`.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub payload: Payload,
    /// The length that spaces behind the body bring it to, where it has some.
    pub padded_to: Option<usize>,
    /// What is taken from answers before.
    pub carries: Vec<Carry>,
}

/// A body to be.
#[derive(Debug, Clone, PartialEq)]
pub enum Payload {
    /// None.
    Nothing,
    /// A JSON value.
    Json(Json<'static>),
    /// These bytes.
    Raw(Vec<u8>),
    /// What a law asks.
    Law(Box<LawBody>),
}

/// A value taken from an earlier answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carry {
    /// The step it comes from.
    pub from: usize,
    /// Where it stands in that answer: a text, or a number, which is carried as it is printed.
    pub place: Place,
    /// The field of the body it fills, where that has a text with `{}` in it just there; none fills the path.
    pub field: Option<String>,
    /// What of it is taken.
    pub part: CarriedPart,
}

/// What is taken of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CarriedPart {
    /// All of it.
    Whole,
    /// All of it, where it is neither empty nor masked: what it shows then is nobody's name.
    Plain,
    /// The same without its last word, where it has several.
    Beginning,
    /// The path of a URL.
    Path,
    /// An amount that is a paisa away, and as many rupees.
    AnotherPaisa,
    /// An amount ten rupees more, with the same paise.
    TenRupeesMore,
    /// A number without what stands behind its point, which is no text where it is put.
    Number,
    /// An amount, as a text with its paise.
    Amount,
    /// An id without its end, or with something behind it where it is so short that what is left could be another one.
    Cut,
    /// What the data of the answer calls the id of its request, where it does: what that is the specification does not say.
    RequestId,
}

impl RequestTemplate {
    /// A call of an operation with this body.
    #[must_use]
    pub fn post(operation: &Operation, body: Json<'static>) -> Self {
        RequestTemplate::post_to(sample::path(operation), body)
    }

    /// A call of an operation with the body that a law makes.
    #[must_use]
    pub fn of_law(operation: &Operation, body: LawBody) -> Self {
        RequestTemplate {
            payload: Payload::Law(Box::new(body)),
            ..RequestTemplate::post(operation, Json::Null)
        }
    }

    /// A call of whatever is at a path, with this body.
    #[must_use]
    pub fn post_to(path: impl Into<String>, body: Json<'static>) -> Self {
        RequestTemplate {
            method: "POST".to_owned(),
            payload: Payload::Json(body),
            ..RequestTemplate::get(path).header("content-type", "application/json")
        }
    }

    /// A call without a body.
    #[must_use]
    pub fn get(path: impl Into<String>) -> Self {
        RequestTemplate {
            channel: Channel::Api,
            environment: None,
            method: "GET".to_owned(),
            path: path.into(),
            query: String::new(),
            credential: Credential::Own,
            headers: Vec::new(),
            payload: Payload::Nothing,
            padded_to: None,
            carries: Vec::new(),
        }
    }

    /// Looks up what a step of the case was answered.
    #[must_use]
    pub fn look_up(step: usize) -> Self {
        let id = Carry::into_path(step, Place::of(["verificationId"]));
        RequestTemplate::get(format!("{VERIFICATIONS}{{}}")).carrying(vec![id])
    }

    /// Looks up what begins as the id of a step does, and lacks its end.
    #[must_use]
    pub fn look_up_cut(step: usize) -> Self {
        let mut cut = RequestTemplate::look_up(step);
        for id in &mut cut.carries {
            id.part = CarriedPart::Cut;
        }
        cut
    }

    /// A call of the control API. Where `{account}`, `{sink}` or `{secret}` stands in its texts, the
    /// client puts the check's own account, the address of the run's receiver for it, or the secret
    /// that its webhooks are signed with.
    #[must_use]
    pub fn console(method: &str, path: &str, body: &str) -> Self {
        RequestTemplate {
            channel: Channel::Console,
            method: method.to_owned(),
            credential: Credential::Nothing,
            payload: match body {
                "" => Payload::Nothing,
                _ => Payload::Raw(body.into()),
            },
            ..RequestTemplate::get(path).header("content-type", "application/json")
        }
    }

    /// What came to the run's receiver at this plan of the check's own account; waits until so many
    /// came.
    #[must_use]
    pub fn received(plan: &str, at_least: usize) -> Self {
        RequestTemplate {
            channel: Channel::Sink,
            credential: Credential::Nothing,
            query: at_least.to_string(),
            ..RequestTemplate::get(format!("/{{account}}/{plan}"))
        }
    }

    /// What came for the verification of a step to the receiver that the provider has registered: all that names its
    /// id or this reference. Its result is waited for where that step was answered `pending`.
    #[must_use]
    pub fn delivered(step: usize, reference: &str) -> Self {
        let carry = |name| Carry::into_path(step, Place::of([name]));
        RequestTemplate {
            channel: Channel::Registered,
            credential: Credential::Nothing,
            query: reference.to_owned(),
            ..RequestTemplate::get("/{}/{}")
        }
        .carrying(vec![carry("verificationId"), carry("status")])
    }

    /// The same, once more, a moment later.
    #[must_use]
    pub fn delivered_since(step: usize, reference: &str) -> Self {
        let id = Carry::into_path(step, Place::of(["verificationId"]));
        RequestTemplate {
            path: "/{}/ended".to_owned(),
            ..RequestTemplate::delivered(step, reference)
        }
        .carrying(vec![id])
    }

    /// The same with values from answers before.
    #[must_use]
    pub fn carrying(self, carries: Vec<Carry>) -> Self {
        RequestTemplate { carries, ..self }
    }

    /// The same with another key.
    #[must_use]
    pub fn by(self, credential: Credential) -> Self {
        RequestTemplate { credential, ..self }
    }

    /// The same, sent there, wherever its case is.
    #[must_use]
    pub fn to(self, environment: Environment) -> Self {
        RequestTemplate {
            environment: Some(environment),
            ..self
        }
    }

    /// The same with a header in place of those of that name.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// The same with an `Idempotency-Key` of its own for each name. It is a UUID: the specification gives keys no form, and none
    /// is taken by more services.
    #[must_use]
    pub fn idempotency(self, name: &str) -> Self {
        self.key(uuid(name))
    }

    /// The same with this very `Idempotency-Key`.
    #[must_use]
    pub fn key(self, key: impl Into<String>) -> Self {
        self.header("idempotency-key", key)
    }

    /// The same with these bytes for a body.
    #[must_use]
    pub fn raw(self, body: impl Into<Vec<u8>>) -> Self {
        RequestTemplate {
            payload: Payload::Raw(body.into()),
            ..self
        }
    }

    /// The request, once the answers before it are known; the key is put in by the client.
    ///
    /// # Errors
    /// Where an answer before does not have what is carried from it.
    pub fn resolve(
        &self,
        environment: Environment,
        earlier: &[Exchange],
    ) -> Result<Request, String> {
        let mut payload = self.payload.clone();
        let mut path = self.path.clone();
        for carry in &self.carries {
            let value = carry.value(earlier)?;
            match (&carry.field, &mut payload) {
                (Some(field), Payload::Json(body)) => {
                    let text = body.get(field).and_then(Json::as_text);
                    let text = text.filter(|text| text.contains("{}"));
                    let filled = text.map_or(value.clone(), |text| text.replace("{}", &value));
                    let number = filled.parse().ok().map(Json::Int);
                    let number = number.filter(|_| carry.part == CarriedPart::Number);
                    body.set(field.clone(), number.unwrap_or_else(|| Json::from(filled)));
                }
                _ => path = path.replacen("{}", &value, 1),
            }
        }
        let body = match payload {
            Payload::Nothing => Vec::new(),
            Payload::Raw(bytes) => bytes,
            Payload::Json(body) => body.to_string().into_bytes(),
            Payload::Law(law) => law.resolve(earlier)?.to_string().into_bytes(),
        };
        Ok(Request {
            channel: self.channel,
            environment,
            method: self.method.clone(),
            path,
            query: self.query.clone(),
            authorization: None,
            headers: self.headers.clone(),
            body,
            padded_to: self.padded_to,
        })
    }
}

impl Carry {
    /// What stands there in the answer to a step goes into the path.
    #[must_use]
    pub fn into_path(from: usize, place: Place) -> Self {
        Carry {
            from,
            place,
            field: None,
            part: CarriedPart::Whole,
        }
    }

    /// What stands there in the answer to a step goes into a field of the body.
    #[must_use]
    pub fn into_field(from: usize, place: Place, field: &str) -> Self {
        Carry {
            field: Some(field.to_owned()),
            ..Carry::into_path(from, place)
        }
    }

    fn value(&self, earlier: &[Exchange]) -> Result<String, String> {
        let place = &self.place;
        let missing = || format!("step {} gave no `{place}` to go on with", self.from + 1);
        let exchange = earlier.get(self.from).ok_or_else(missing)?;
        let response = exchange.response.as_ref().map_err(ToString::to_string)?;
        let response = exchange.result.as_ref().unwrap_or(response);
        let json = Json::parse(&response.body).map_err(|_| missing())?;
        let named = |name| json.get("data")?.get(name);
        let own = (self.part == CarriedPart::RequestId).then_some(["requestId", "request_id"]);
        let own = own.into_iter().flatten().find_map(named);
        let value = match own.or_else(|| place.find(&json)) {
            Some(Json::Text(text)) => text.clone().into_owned(),
            Some(number @ (Json::Int(_) | Json::Num(_))) => number.to_string(),
            _ => return Err(missing()),
        };
        let is_masked = || value.contains("**") || value.to_uppercase().contains("XXX");
        match self.part {
            CarriedPart::Whole | CarriedPart::RequestId => Ok(value),
            CarriedPart::Plain | CarriedPart::Beginning
                if value.trim().is_empty() || is_masked() =>
            {
                Err(format!("{}: it is masked, or empty", missing()))
            }
            CarriedPart::Plain => Ok(value),
            CarriedPart::Beginning => {
                let beginning = value.trim().rsplit_once(' ').map(|(before, _)| before);
                Ok(beginning.unwrap_or(&value).trim().to_owned())
            }
            CarriedPart::Cut => Ok(cut(&value)),
            CarriedPart::Path => path_of(&value).map(str::to_owned).ok_or_else(missing),
            CarriedPart::Number => {
                let number: Option<f64> = value.parse().ok();
                let none = || format!("{}: {value} is no number", missing());
                let whole = number.map(f64::floor).ok_or_else(none)?;
                Ok(format!("{whole:.0}"))
            }
            CarriedPart::Amount => amount(&value).ok_or_else(missing),
            CarriedPart::AnotherPaisa => another_paisa(&value).ok_or_else(missing),
            CarriedPart::TenRupeesMore => ten_rupees_more(&value).ok_or_else(missing),
        }
    }
}

/// What is no id, and begins as this one does.
fn cut(id: &str) -> String {
    const SHORT: usize = 20;
    let shorter = id.char_indices().rev().nth(3).map(|(end, _)| &id[..end]);
    match shorter.filter(|_| id.len() > SHORT) {
        Some(shorter) => shorter.to_owned(),
        None => format!("{id}-0"),
    }
}

fn paise(amount: &str) -> Option<i64> {
    let number = Json::parse(amount.as_bytes()).ok()?.as_num()?;
    // What is less than nothing is no amount, and was complained of where it was given.
    Some(Paise::from_rupees(number)?.0).filter(|paise| *paise >= 0)
}

/// An amount with two decimals.
fn amount(amount: &str) -> Option<String> {
    let paise = paise(amount)?;
    Some(format!("{}.{:02}", paise / 100, paise % 100))
}

/// An amount one paisa away that rounds to as many rupees, with two decimals.
fn another_paisa(amount: &str) -> Option<String> {
    let paise = paise(amount)?;
    let other = match paise % 100 {
        49 | 99 => paise - 1,
        _ => paise + 1,
    };
    Some(format!("{}.{:02}", other / 100, other % 100))
}

fn ten_rupees_more(amount: &str) -> Option<String> {
    let paise = paise(amount)? + 1000;
    Some(format!("{}.{:02}", paise / 100, paise % 100))
}

/// The path of a URL, with all that comes after it.
fn path_of(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    rest.find('/').map(|at| &rest[at..])
}

/// A random UUID (version 4) by its form, the same for the same name.
fn uuid(name: &str) -> String {
    let digest = Sha256::digest(name);
    let (head, _) = digest.split_at(16);
    let mut bytes = <[u8; 16]>::try_from(head).expect("sixteen bytes");
    bytes[6] = 0x40 | bytes[6] & 0x0f;
    bytes[8] = 0x80 | bytes[8] & 0x3f;
    let digits = HEXLOWER.encode(&bytes);
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &digits[part]);
    parts.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_paisa_is_of_the_same_rupee_however_that_is_rounded() {
        for (amount, other) in [
            ("1.37", "1.38"),
            ("1", "1.01"),
            ("1.49", "1.48"),
            ("0.99", "0.98"),
        ] {
            assert_eq!(another_paisa(amount).as_deref(), Some(other));
        }
        for none in ["some", "-1.25"] {
            assert_eq!(another_paisa(none), None);
            assert_eq!(amount(none), None);
        }
    }
}
