//! The JSON form of what entries are made of, where it is not that of its fields.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use data_encoding::{BASE64, HEXLOWER};
use foldhash::fast::FixedState;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use svc_fixtures::json::Json;

use super::ids::{BodyDigest, CounterKey, SequenceKey, VerificationId};
use super::signature::Signature;

/// A text that reads back as what it was printed from.
fn read<'de, T, D: Deserializer<'de>>(
    deserializer: D,
    what: &str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<T, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse(&text).ok_or_else(|| D::Error::custom(format!("`{text}` is no {what}")))
}

macro_rules! as_text {
    ($type:ty, $what:literal, $print:expr, $parse:expr) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let print: fn(&$type) -> String = $print;
                serializer.serialize_str(&print(self))
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                read(deserializer, $what, $parse)
            }
        }
    };
}

as_text!(
    VerificationId,
    "verification id",
    ToString::to_string,
    VerificationId::parse
);
as_text!(Signature, "signature", ToString::to_string, |text| {
    Signature::parse(text).ok()
});
as_text!(
    SequenceKey,
    "sequence",
    |key| format!("{:032x}", key.0),
    |text| u128::from_str_radix(text, 16).ok().map(SequenceKey)
);
as_text!(
    CounterKey,
    "counter",
    |key| HEXLOWER.encode(&key.0),
    |text| {
        let bytes = HEXLOWER.decode(text.as_bytes()).ok()?;
        bytes.try_into().ok().map(CounterKey)
    }
);
as_text!(
    BodyDigest,
    "digest",
    |digest| HEXLOWER.encode(&digest.0),
    |text| {
        let bytes = HEXLOWER.decode(text.as_bytes()).ok()?;
        bytes.try_into().ok().map(BodyDigest)
    }
);

/// Bytes that are nearly always text.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Printed<'a> {
    Text(Cow<'a, str>),
    Other { base64: String },
}

impl<'a> Printed<'a> {
    fn of(bytes: &'a [u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Printed::Text(text.into()),
            Err(_) => Printed::Other {
                base64: BASE64.encode(bytes),
            },
        }
    }

    fn bytes<E: serde::de::Error>(self) -> Result<Vec<u8>, E> {
        match self {
            Printed::Text(text) => Ok(text.into_owned().into_bytes()),
            Printed::Other { base64 } => BASE64.decode(base64.as_bytes()).map_err(E::custom),
        }
    }
}

/// Bytes as the text that they are; as base 64 where they are none.
pub(super) mod bytes {
    use super::{Deserialize, Deserializer, Printed, Serialize, Serializer};

    pub(in super::super) fn serialize<S: Serializer>(
        bytes: &impl AsRef<[u8]>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        Printed::of(bytes.as_ref()).serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, T: From<Vec<u8>>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        let printed = Printed::deserialize(deserializer)?;
        printed.bytes().map(T::from)
    }
}

/// A map whose keys are pairs, as a list.
pub(super) mod rows {
    use super::{BTreeMap, Deserialize, Deserializer, Serialize, Serializer};

    pub(in super::super) fn serialize<A, B, R, S>(
        rows: &BTreeMap<(A, B), R>,
        serializer: S,
    ) -> Result<S::Ok, S::Error>
    where
        A: Serialize,
        B: Serialize,
        R: Serialize,
        S: Serializer,
    {
        serializer.collect_seq(rows.iter().map(|((a, b), row)| (a, b, row)))
    }

    pub(in super::super) fn deserialize<'de, A, B, R, D>(
        deserializer: D,
    ) -> Result<BTreeMap<(A, B), R>, D::Error>
    where
        A: Deserialize<'de> + Ord,
        B: Deserialize<'de> + Ord,
        R: Deserialize<'de>,
        D: Deserializer<'de>,
    {
        let rows = Vec::<(A, B, R)>::deserialize(deserializer)?;
        Ok(rows.into_iter().map(|(a, b, row)| ((a, b), row)).collect())
    }
}

/// A map in the order of its keys.
pub(super) fn sorted<K: Ord + Serialize, S: Serializer>(
    map: &HashMap<K, u32, FixedState>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(map.iter().collect::<BTreeMap<_, _>>())
}

/// An ordered map as a list of its pairs.
pub(super) mod pairs {
    use hashlink::LinkedHashMap;

    use super::{Deserialize, Deserializer, FixedState, SequenceKey, Serializer};

    type Pairs = LinkedHashMap<SequenceKey, u32, FixedState>;

    pub(in super::super) fn serialize<S: Serializer>(
        pairs: &Pairs,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(pairs)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Pairs, D::Error> {
        let pairs = Vec::<(SequenceKey, u32)>::deserialize(deserializer)?;
        Ok(pairs.into_iter().collect())
    }
}

/// Named JSON values, each as its text: numbers stay exactly as they were written.
pub(super) mod values {
    use serde::de::Error as _;

    use super::{Deserialize, Deserializer, Json, Serialize, Serializer};

    pub(in super::super) fn serialize<S: Serializer>(
        values: &[(String, Json<'static>)],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let texts = values.iter().map(|(name, value)| (name, value.to_string()));
        texts.collect::<Vec<_>>().serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<(String, Json<'static>)>, D::Error> {
        let texts = Vec::<(String, String)>::deserialize(deserializer)?;
        let read = |(name, text): (String, String)| match Json::parse(text.as_bytes()) {
            Ok(value) => Ok((name, value.into_owned())),
            Err(mistake) => Err(D::Error::custom(mistake)),
        };
        texts.into_iter().map(read).collect()
    }
}

/// Why an entry was not read.
#[derive(Debug, thiserror::Error)]
pub enum EntryError {
    /// It is no entry.
    #[error("not an entry: {0}")]
    Malformed(#[from] serde_json::Error),
    /// A newer version of the simulator wrote it (ruling 36).
    #[error("written in form {found}, and this version reads up to {known}")]
    Newer {
        /// Its form.
        found: u32,
        /// The newest form that this version reads.
        known: u32,
    },
}

/// Whether a default is left out of the JSON form.
pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
