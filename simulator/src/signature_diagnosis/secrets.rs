//! The keys that are used instead of the secret by mistake. Says what each is, never what it says.

use data_encoding::{
    BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD, HEXLOWER, HEXLOWER_PERMISSIVE,
};

use super::{Diagnosis, Variant};

const PREFIX: &str = "whsec_";

/// The secret first, then what it is mistaken for, the likely before the odd.
pub(super) fn keys(secret: &str, others: &[(&str, &str)]) -> Vec<Variant<Vec<u8>>> {
    let mut keys = vec![Variant::right(secret.as_bytes().to_vec())];
    let others = others
        .iter()
        .map(|(name, other)| (other.as_bytes().to_vec(), other_secret(name)));
    let wrapped = wrapped(secret)
        .into_iter()
        .map(|(text, how)| (text.into_bytes(), white_space(how)));
    let encoded = encoded(secret)
        .into_iter()
        .filter_map(|(bytes, how)| Some((bytes?, encoding(how))));
    let unset = ["", "undefined", "null", "None"];
    let unset = unset.map(|text| (text.as_bytes().to_vec(), not_set(text)));
    for (bytes, mistake) in others.chain(wrapped).chain(encoded).chain(unset) {
        if keys.iter().all(|known| known.made != bytes) {
            keys.push(Variant::of(bytes, mistake));
        }
    }
    keys
}

fn other_secret(name: &str) -> Diagnosis {
    Diagnosis::proven(
        "secret-other",
        format!("the signature was made with {name}"),
        "Another secret was used as the key. The webhook signing secret is one of its own, separate from the API keys.",
        "Use the webhook signing secret that is registered with this URL, on both sides.",
    )
}

/// The secret without what is around it, or with something around it.
fn wrapped(secret: &str) -> [(String, &'static str); 9] {
    let bare = secret.trim();
    let quoted = |quote| bare.strip_prefix(quote)?.strip_suffix(quote);
    let unquoted = quoted('"').or_else(|| quoted('\'')).unwrap_or(bare);
    [
        (
            bare.to_owned(),
            "without the white space around the secret given here",
        ),
        (format!("{bare}\n"), "with a line break after the secret"),
        (
            format!("{bare}\r\n"),
            "with a line break (CR LF) after the secret",
        ),
        (
            format!("{bare}\r"),
            "with a carriage return after the secret",
        ),
        (format!("{bare} "), "with a space after the secret"),
        (format!(" {bare}"), "with a space before the secret"),
        (format!("\"{bare}\""), "with quotes around the secret"),
        (format!("'{bare}'"), "with quotes around the secret"),
        (
            unquoted.to_owned(),
            "without the quotes around the secret given here",
        ),
    ]
}

fn white_space(how: &str) -> Diagnosis {
    Diagnosis::proven(
        "secret-white-space",
        format!("the signature was made {how}"),
        "A secret read from a file keeps the file's last line break, and one read from a settings file may keep its \
         quotes. Both are then part of the key.",
        "Trim the secret when it is read, on both sides; store it with `printf %s`, not with `echo`.",
    )
}

/// The secret decoded first, or encoded, or without its prefix.
fn encoded(secret: &str) -> [(Option<Vec<u8>>, &'static str); 8] {
    let bare = secret.strip_prefix(PREFIX);
    let from_hex = "with the bytes the secret stands for when read as hex";
    let from_base64 = "with the bytes the secret stands for when read as base64";
    let prefixed = format!("{PREFIX}{secret}");
    [
        (
            bare.map(Into::into),
            "with the secret without its prefix `whsec_`",
        ),
        (hex(secret), from_hex),
        (base64(secret), from_base64),
        (bare.and_then(hex), from_hex),
        (bare.and_then(base64), from_base64),
        (
            Some(BASE64.encode(secret.as_bytes()).into()),
            "with the secret encoded as base64",
        ),
        (
            Some(HEXLOWER.encode(secret.as_bytes()).into()),
            "with the secret encoded as hex",
        ),
        (
            bare.is_none().then(|| prefixed.into()),
            "with `whsec_` put before the secret",
        ),
    ]
}

fn hex(text: &str) -> Option<Vec<u8>> {
    HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok()
}

/// What a text stands for in base64 of any kind.
pub(super) fn base64(text: &str) -> Option<Vec<u8>> {
    let kinds = [BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD];
    kinds.iter().find_map(|it| it.decode(text.as_bytes()).ok())
}

fn encoding(how: &str) -> Diagnosis {
    Diagnosis::proven(
        "secret-encoding",
        format!("the signature was made {how}"),
        "Some services hand out encoded secrets. Here the key is the text of the secret as it is, prefix included.",
        "Use the bytes of the text as the key; decode, encode and cut nothing.",
    )
}

fn not_set(text: &str) -> Diagnosis {
    let key = match text {
        "" => "an empty secret".to_owned(),
        _ => format!("the word `{text}` as the secret"),
    };
    Diagnosis::proven(
        "secret-not-set",
        format!("the signature was made with {key}"),
        "The setting that holds the secret was not set where it was signed, or has another name there.",
        "Set it, and let the program stop at its start when it is missing.",
    )
}
