//! Reads the types of bodies and queries from JSON. Every error names the member and says what it must
//! be. None repeats a value, which may be a secret.

use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Expected, IntoDeserializer as _, MapAccess,
    SeqAccess, Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;
use svc_fixtures::json::Json;
use svc_fixtures::reading::nearest;

/// A mistake in a value, with the path of its member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JsonError {
    path: String,
    message: String,
}

/// Reads a value.
///
/// # Errors
/// The first mistake in it.
pub(super) fn read<T: DeserializeOwned>(json: &Json<'_>) -> Result<T, JsonError> {
    T::deserialize(JsonDeserializer(json))
}

impl JsonError {
    /// A mistake in the member of this path.
    pub(super) fn at(path: &str, message: impl Into<String>) -> Self {
        JsonError {
            path: path.to_owned(),
            message: message.into(),
        }
    }

    fn inside(mut self, parent: &str) -> Self {
        self.path = match self.path.is_empty() {
            true => parent.to_owned(),
            false => format!("{parent}.{}", self.path),
        };
        self
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.is_empty() {
            true => out.write_str(&self.message),
            false => write!(out, "{}: {}", self.path, self.message),
        }
    }
}

impl std::error::Error for JsonError {}

/// The mistakes that serde finds, without the values.
impl serde::de::Error for JsonError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        JsonError::at("", message.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        let found = match found {
            Unexpected::Bool(_) => "a boolean",
            Unexpected::Unsigned(_) | Unexpected::Signed(_) => "a whole number",
            Unexpected::Float(_) => "a number with a fraction",
            Unexpected::Str(_) => "a string",
            Unexpected::Unit | Unexpected::Option => "null",
            Unexpected::Seq => "an array",
            _ => "an object",
        };
        JsonError::at("", format!("must be {}, not {found}", expectation(wanted)))
    }

    fn invalid_value(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        let what = match found {
            Unexpected::Signed(number) if number < 0 => "must not be negative".to_owned(),
            Unexpected::Signed(_) | Unexpected::Unsigned(_) => "is too large".to_owned(),
            _ => format!("must be {}", expectation(wanted)),
        };
        JsonError::at("", what)
    }

    fn invalid_length(_: usize, wanted: &dyn Expected) -> Self {
        JsonError::at("", format!("must be {}", expectation(wanted)))
    }

    fn unknown_variant(_: &str, known: &'static [&'static str]) -> Self {
        JsonError::at("", format!("must be one of {}", known.join(", ")))
    }

    fn unknown_field(name: &str, known: &'static [&'static str]) -> Self {
        let hint = nearest(name, known.iter().copied());
        let name: String = name.chars().take(64).collect();
        JsonError::at("", format!("there is no member {name:?} here; {hint}"))
    }

    fn missing_field(name: &'static str) -> Self {
        JsonError::at(name, "is missing")
    }
}

/// What serde expected, in the words of a JSON reader.
fn expectation(wanted: &dyn Expected) -> String {
    let wanted = wanted.to_string();
    match wanted.as_str() {
        "f64" => "a number".to_owned(),
        "u16" | "u32" | "u64" | "i64" => "a whole number".to_owned(),
        "a sequence" => "an array".to_owned(),
        other if other.starts_with("struct ") => "an object".to_owned(),
        _ => wanted,
    }
}

/// Deserializes a parsed value.
struct JsonDeserializer<'j>(&'j Json<'j>);

impl<'de> Deserializer<'de> for JsonDeserializer<'_> {
    type Error = JsonError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        match self.0 {
            Json::Null => visitor.visit_unit(),
            Json::Bool(value) => visitor.visit_bool(*value),
            Json::Int(value) => visitor.visit_i64(*value),
            Json::Num(value) => visitor.visit_f64(*value),
            Json::Text(text) => visitor.visit_str(text),
            Json::List(items) => visitor.visit_seq(JsonItems(items.iter().enumerate())),
            Json::Object(members) => visitor.visit_map(JsonMembers {
                rest: members.iter().map(|(name, value)| (&**name, value)),
                value: None,
            }),
        }
    }

    /// A member may be left out, but no member may be `null`.
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        visitor.visit_newtype_struct(self)
    }

    /// The enums of bodies and queries are texts.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        let Json::Text(word) = self.0 else {
            return Err(serde::de::Error::unknown_variant("", known));
        };
        let word: StrDeserializer<'_, JsonError> = (&**word).into_deserializer();
        visitor.visit_enum(word)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

struct JsonItems<'j>(std::iter::Enumerate<std::slice::Iter<'j, Json<'j>>>);

impl<'de> SeqAccess<'de> for JsonItems<'_> {
    type Error = JsonError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, JsonError> {
        let Some((at, item)) = self.0.next() else {
            return Ok(None);
        };
        let read = seed.deserialize(JsonDeserializer(item));
        read.map(Some)
            .map_err(|error| error.inside(&at.to_string()))
    }
}

struct JsonMembers<'j, I> {
    rest: I,
    value: Option<(&'j str, &'j Json<'j>)>,
}

impl<'de, 'j, I: Iterator<Item = (&'j str, &'j Json<'j>)>> MapAccess<'de> for JsonMembers<'j, I> {
    type Error = JsonError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, JsonError> {
        self.value = self.rest.next();
        let Some((name, _)) = self.value else {
            return Ok(None);
        };
        let name: StrDeserializer<'_, JsonError> = name.into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, JsonError> {
        let (name, value) = self
            .value
            .take()
            .expect("serde asks for a value after its key");
        let read = seed.deserialize(JsonDeserializer(value));
        read.map_err(|error| error.inside(name))
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    #[expect(dead_code, reason = "only read")]
    struct Sample {
        name: String,
        how_many: Option<u32>,
        flag: Option<bool>,
        amount: Option<f64>,
        words: Option<Vec<Word>>,
        inner: Option<Box<Sample>>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "camelCase")]
    enum Word {
        Yes,
        No,
    }

    fn error_of(text: &str) -> String {
        let json = Json::parse(text.as_bytes()).unwrap();
        read::<Sample>(&json).unwrap_err().to_string()
    }

    #[test]
    fn every_error_names_its_member_and_repeats_no_value() {
        let messages: Vec<String> = [
            "[]",
            "{}",
            r#"{"name": 5}"#,
            r#"{"name": null}"#,
            r#"{"name": "a", "howMany": "whsec_sample"}"#,
            r#"{"name": "a", "howMany": -1}"#,
            r#"{"name": "a", "howMany": 1.5}"#,
            r#"{"name": "a", "howMany": 4294967296}"#,
            r#"{"name": "a", "flag": "true"}"#,
            r#"{"name": "a", "amount": true}"#,
            r#"{"name": "a", "words": "yes"}"#,
            r#"{"name": "a", "words": ["yes", "maybe"]}"#,
            r#"{"name": "a", "words": [7]}"#,
            r#"{"name": "a", "inner": {"name": {}}}"#,
            r#"{"name": "a", "inner": {"nam": "a"}}"#,
            r#"{"name": "a", "howmany": 1}"#,
        ]
        .map(error_of)
        .into();
        insta::assert_snapshot!(messages.join("\n"), @r#"
        must be an object
        name: is missing
        name: must be a string, not a whole number
        name: must be a string, not null
        howMany: must be a whole number, not a string
        howMany: must not be negative
        howMany: must be a whole number, not a number with a fraction
        howMany: is too large
        flag: must be a boolean, not a string
        amount: must be a number, not a boolean
        words: must be an array, not a string
        words.1: must be one of yes, no
        words.0: must be one of yes, no
        inner.name: must be a string, not an object
        inner: there is no member "nam" here; did you mean `name`?
        there is no member "howmany" here; did you mean `howMany`?
        "#);
    }

    #[test]
    fn a_valid_value_is_read() {
        let json =
            br#"{"name":"a","howMany":3,"amount":2,"words":["yes","no"],"inner":{"name":"b"}}"#;
        assert!(read::<Sample>(&Json::parse(json).unwrap()).is_ok());
    }
}
