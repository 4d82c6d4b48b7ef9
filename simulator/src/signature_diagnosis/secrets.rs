//! The keys that are used instead of the secret by mistake. Says what each is, never what it says.

use data_encoding::{
    BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD, HEXLOWER, HEXLOWER_PERMISSIVE,
};

use super::{Diagnosis, Variant};

const PREFIX: &str = "whsec_";

/// What may stand before and after the secret.
const AROUND: [(&str, &str, &str); 7] = [
    ("", "\n", "a line break after"),
    ("", "\r\n", "a line break (CR LF) after"),
    ("", "\r", "a carriage return after"),
    ("", " ", "a space after"),
    (" ", "", "a space before"),
    ("\"", "\"", "quotes around"),
    ("'", "'", "quotes around"),
];

/// The secret first, then what it is mistaken for, the likely before the odd.
pub(super) fn keys(secret: &str, others: &[(&str, &str)]) -> Vec<Variant<Vec<u8>>> {
    let others = others.iter();
    let others = others.map(|(name, other)| (other.as_bytes().to_vec(), format!("with {name}")));
    let mut unset = vec![(Vec::new(), "with an empty secret".to_owned())];
    unset.extend(["undefined", "null", "None"].map(|text| {
        let bytes = text.as_bytes().to_vec();
        (bytes, format!("with the word `{text}` as the secret"))
    }));
    let mut keys = vec![Variant::right(secret.as_bytes().to_vec())];
    for (code, mistaken) in [
        ("secret-other", others.collect()),
        ("secret-white-space", wrapped(secret)),
        ("secret-encoding", encoded(secret)),
        ("secret-not-set", unset),
    ] {
        for (bytes, what) in mistaken {
            if keys.iter().all(|known| known.made != bytes) {
                let seen = format!("the signature was made {what}");
                keys.push(Variant::of(bytes, Diagnosis::proven(code, seen)));
            }
        }
    }
    keys
}

/// The secret without what is around it, or with something around it.
fn wrapped(secret: &str) -> Vec<(Vec<u8>, String)> {
    let bare = secret.trim();
    let quoted = |quote| bare.strip_prefix(quote)?.strip_suffix(quote);
    let unquoted = quoted('"').or_else(|| quoted('\'')).unwrap_or(bare);
    let without = [("white space", bare), ("quotes", unquoted)].map(|(around, text)| {
        let how = format!("without the {around} around the secret given here");
        (text.as_bytes().to_vec(), how)
    });
    let with = AROUND.map(|(before, after, around)| {
        let text = format!("{before}{bare}{after}");
        (text.into_bytes(), format!("with {around} the secret"))
    });
    without.into_iter().chain(with).collect()
}

/// The secret decoded first, or encoded, or without its prefix.
fn encoded(secret: &str) -> Vec<(Vec<u8>, String)> {
    let bare = secret.strip_prefix(PREFIX);
    let (bytes, prefixed) = (secret.as_bytes(), format!("{PREFIX}{secret}"));
    let from_hex = "the bytes the secret stands for when read as hex";
    let from_base64 = "the bytes the secret stands for when read as base64";
    let bare_bytes = bare.map(|bare| bare.as_bytes().to_vec());
    let mut found = vec![
        (bare_bytes, "the secret without its prefix `whsec_`"),
        (hex(secret), from_hex),
        (base64(secret), from_base64),
        (bare.and_then(hex), from_hex),
        (bare.and_then(base64), from_base64),
    ];
    found.push((
        Some(BASE64.encode(bytes).into()),
        "the secret encoded as base64",
    ));
    found.push((
        Some(HEXLOWER.encode(bytes).into()),
        "the secret encoded as hex",
    ));
    let prefixed = bare.is_none().then(|| prefixed.into());
    found.push((prefixed, "`whsec_` put before the secret"));
    let found = found.into_iter();
    found
        .filter_map(|(bytes, what)| Some((bytes?, format!("with {what}"))))
        .collect()
}

fn hex(text: &str) -> Option<Vec<u8>> {
    HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok()
}

/// What a text stands for in base64 of any kind.
pub(super) fn base64(text: &str) -> Option<Vec<u8>> {
    let kinds = [BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD];
    kinds.iter().find_map(|it| it.decode(text.as_bytes()).ok())
}
