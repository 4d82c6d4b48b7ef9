//! The keys that are used instead of the secret by mistake. Says what each is, never what it says.

use data_encoding::{
    BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD, HEXLOWER, HEXLOWER_PERMISSIVE,
};

use super::{Diagnosis, Variant};

const PREFIX: &str = "whsec_";

/// The secret first, then what it is mistaken for, the likely before the odd.
pub(super) fn keys(secret: &str, others: &[(&str, &str)]) -> Vec<Variant> {
    let itself = Variant {
        bytes: secret.as_bytes().to_vec(),
        mistake: None,
    };
    let mut keys = vec![itself];
    let others = others
        .iter()
        .map(|(name, other)| (other.as_bytes().to_vec(), other_secret(name)));
    let wrapped = wrapped(secret)
        .into_iter()
        .map(|(bytes, how)| (bytes, white_space(how)));
    let encoded = encoded(secret)
        .into_iter()
        .map(|(bytes, how)| (bytes, encoding(how)));
    let unset = ["", "undefined", "null", "None"];
    let unset = unset.map(|text| (text.as_bytes().to_vec(), not_set(text)));
    for (bytes, mistake) in others.chain(wrapped).chain(encoded).chain(unset) {
        if keys.iter().all(|known| known.bytes != bytes) {
            keys.push(Variant {
                bytes,
                mistake: Some(mistake),
            });
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

/// The secret with something around it, or without what is around it.
fn wrapped(secret: &str) -> Vec<(Vec<u8>, &'static str)> {
    let mut keys = Vec::new();
    let trimmed = secret.trim();
    if trimmed != secret {
        keys.push((
            trimmed.into(),
            "without the white space around the secret given here",
        ));
    }
    for (end, how) in [
        ("\n", "with a line break after the secret"),
        ("\r\n", "with a line break (CR LF) after the secret"),
        ("\r", "with a carriage return after the secret"),
        (" ", "with a space after the secret"),
    ] {
        keys.push((format!("{trimmed}{end}").into(), how));
    }
    keys.push((
        format!(" {trimmed}").into(),
        "with a space before the secret",
    ));
    for quote in ['"', '\''] {
        keys.push((
            format!("{quote}{trimmed}{quote}").into(),
            "with quotes around the secret",
        ));
        let inner = trimmed
            .strip_prefix(quote)
            .and_then(|it| it.strip_suffix(quote));
        keys.extend(inner.map(|it| (it.into(), "without the quotes around the secret given here")));
    }
    keys
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
fn encoded(secret: &str) -> Vec<(Vec<u8>, &'static str)> {
    let mut keys = Vec::new();
    let bare = secret.strip_prefix(PREFIX);
    keys.extend(bare.map(|bare| (bare.into(), "with the secret without its prefix `whsec_`")));
    for text in std::iter::once(secret).chain(bare) {
        let hex = HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok();
        keys.extend(hex.map(|bytes| {
            (
                bytes,
                "with the bytes the secret stands for when read as hex",
            )
        }));
        let base64 = [BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD];
        let decoded = base64.iter().find_map(|it| it.decode(text.as_bytes()).ok());
        keys.extend(decoded.map(|bytes| {
            (
                bytes,
                "with the bytes the secret stands for when read as base64",
            )
        }));
    }
    keys.push((
        BASE64.encode(secret.as_bytes()).into(),
        "with the secret encoded as base64",
    ));
    keys.push((
        HEXLOWER.encode(secret.as_bytes()).into(),
        "with the secret encoded as hex",
    ));
    if bare.is_none() {
        keys.push((
            format!("{PREFIX}{secret}").into(),
            "with `whsec_` put before the secret",
        ));
    }
    keys
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
    let seen = match text {
        "" => "the signature was made with an empty secret".to_owned(),
        _ => format!("the signature was made with the word `{text}` as the secret"),
    };
    Diagnosis::proven(
        "secret-not-set",
        seen,
        "The setting that holds the secret was not set where it was signed, or has another name there.",
        "Set it, and let the program stop at its start when it is missing.",
    )
}
