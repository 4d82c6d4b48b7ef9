//! Reads the types of bodies and queries from JSON. Every error names the member and says what it must
//! be. None repeats a value, which may be a secret.

use std::fmt;

use serde::de::value::{MapDeserializer, SeqDeserializer, StrDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Expected, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use serde_path_to_error::Segment;
use svc_fixtures::json::Json;
use svc_fixtures::reading::nearest;

/// A mistake in a value, with the path of its member.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}{}{message}", if .path.is_empty() { "" } else { ": " })]
pub(super) struct JsonError {
    path: String,
    message: String,
    /// Whether it is the name of the last member of the path that is wrong.
    is_name: bool,
}

/// Reads a value.
///
/// # Errors
/// The first mistake in it.
pub(super) fn read<T: DeserializeOwned>(json: &Json<'_>) -> Result<T, JsonError> {
    serde_path_to_error::deserialize(JsonDeserializer(json)).map_err(|error| {
        let segments = error.path().iter().filter_map(|segment| match segment {
            Segment::Seq { index } => Some(index.to_string()),
            Segment::Map { key } => Some(key.clone()),
            Segment::Enum { .. } | Segment::Unknown => None,
        });
        let mut path: Vec<String> = segments.collect();
        let error = error.into_inner();
        if error.is_name {
            path.pop();
        }
        path.extend(Some(error.path).filter(|it| !it.is_empty()));
        JsonError::at(&path.join("."), error.message)
    })
}

impl JsonError {
    /// A mistake in the member of this path.
    pub(super) fn at(path: &str, message: impl Into<String>) -> Self {
        JsonError {
            path: path.to_owned(),
            message: message.into(),
            is_name: false,
        }
    }
}

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
            Unexpected::Signed(0) => "must be a whole number above 0".to_owned(),
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
        JsonError {
            is_name: true,
            ..JsonError::at("", format!("there is no member {name:?} here; {hint}"))
        }
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
        "u64" | "a nonzero u32" => "a whole number".to_owned(),
        "a sequence" => "an array".to_owned(),
        other if other.starts_with("struct ") => "an object".to_owned(),
        _ => wanted,
    }
}

/// Deserializes a parsed value.
struct JsonDeserializer<'j>(&'j Json<'j>);

impl IntoDeserializer<'_, JsonError> for JsonDeserializer<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for JsonDeserializer<'_> {
    type Error = JsonError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        match self.0 {
            Json::Null => visitor.visit_unit(),
            Json::Bool(value) => visitor.visit_bool(*value),
            Json::Int(value) => visitor.visit_i64(*value),
            Json::Num(value) => visitor.visit_f64(*value),
            Json::Text(text) => visitor.visit_str(text),
            Json::List(items) => {
                visitor.visit_seq(SeqDeserializer::new(items.iter().map(JsonDeserializer)))
            }
            Json::Object(members) => {
                let members = members.iter();
                let members = members.map(|(name, value)| (&**name, JsonDeserializer(value)));
                visitor.visit_map(MapDeserializer::new(members))
            }
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
        visitor.visit_enum(StrDeserializer::<JsonError>::new(word))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
