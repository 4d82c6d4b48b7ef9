//! The signature of a webhook, `t=<timestamp>,v1=<hex>`: whether it has that form, and whether it is that of some
//! bytes. Knows no clock: whether a timestamp is of now is the judge's question.

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// The parts of a signature that has the form of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signature<'h> {
    /// The timestamp, as it was sent. The specification gives it no unit.
    pub timestamp: &'h str,
    mac: [u8; 32],
}

/// What is wrong with a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Mistake {
    /// Its form.
    #[error("it has not two parts")]
    Parts,
    /// Its form.
    #[error("its parts are not `t=` and `v1=`, in this order")]
    Names,
    /// Its form.
    #[error("its timestamp is empty")]
    NoTime,
    /// Its form.
    #[error("its time is no number of seconds")]
    NoNumber,
    /// When it was made.
    #[error("its time is not that of now")]
    NotNow,
    /// How its digits are written.
    #[error("it is not 64 lower-case hex digits")]
    Digits,
    /// What is signed.
    #[error("it is that of the body alone, without `<timestamp>.` before it")]
    BodyAlone,
    /// What is signed.
    #[error("it is that of timestamp and body without the dot between them")]
    NoDot,
    /// What is signed.
    #[error("it is that of timestamp and body with a colon for the dot")]
    Colon,
    /// What is signed.
    #[error("it is that of the body with the timestamp behind it")]
    TimeLast,
    /// What is signed.
    #[error("it is that of the same JSON written anew, not of the bytes that came")]
    WrittenAnew,
    /// What it is keyed with.
    #[error("it is keyed with the API key")]
    ApiKey,
    /// What it is keyed with.
    #[error("it is keyed with the secret without its prefix")]
    BareSecret,
    /// Nothing of it is known.
    #[error("it is not that of these bytes with this secret")]
    Foreign,
}

/// The clauses that say how a webhook is signed: the form, the bytes, the key.
pub const CLAUSES: [&str; 3] = ["webhook.signature", "webhook.hmac", "auth.webhook-secret"];

impl Mistake {
    /// What a signature of the right form may be instead of that of the bytes with the secret.
    const INSTEAD: [Mistake; 8] = [
        Mistake::BodyAlone,
        Mistake::NoDot,
        Mistake::Colon,
        Mistake::TimeLast,
        Mistake::WrittenAnew,
        Mistake::ApiKey,
        Mistake::BareSecret,
        Mistake::Foreign,
    ];

    /// The one of those that is said so.
    #[must_use]
    pub fn said(text: &str) -> Option<Self> {
        let mut all = Mistake::INSTEAD.into_iter();
        all.find(|mistake| mistake.to_string() == text)
    }

    /// The clauses that it breaks. Of a signature of which nothing is known, bytes or key are others.
    #[must_use]
    pub fn breaks(self) -> &'static [&'static str] {
        match self {
            Mistake::Parts | Mistake::Names | Mistake::NoTime => &CLAUSES[..1],
            Mistake::NoNumber | Mistake::NotNow => &CLAUSES[..1],
            Mistake::ApiKey | Mistake::BareSecret => &CLAUSES[2..],
            Mistake::Foreign => &CLAUSES[1..],
            _ => &CLAUSES[1..2],
        }
    }
}

impl<'h> Signature<'h> {
    /// Reads the header.
    ///
    /// # Errors
    /// What is wrong with its form.
    pub fn read(header: &'h str) -> Result<Self, Mistake> {
        let (time, mac) = header.split_once(',').ok_or(Mistake::Parts)?;
        let (Some(timestamp), Some(mac)) = (time.strip_prefix("t="), mac.strip_prefix("v1="))
        else {
            return Err(Mistake::Names);
        };
        if timestamp.is_empty() {
            return Err(Mistake::NoTime);
        }
        let bytes = HEXLOWER.decode(mac.as_bytes()).ok();
        let mac = bytes.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
        let mac = mac.ok_or(Mistake::Digits)?;
        Ok(Signature { timestamp, mac })
    }

    /// Whether it is that of this body with this secret. Compares in constant time.
    #[must_use]
    pub fn is_of(&self, secret: &str, body: &[u8]) -> bool {
        self.is_mac(secret, &[self.timestamp.as_bytes(), b".", body])
    }

    fn is_mac(&self, key: &str, parts: &[&[u8]]) -> bool {
        let keyed = Hmac::<Sha256>::new_from_slice(key.as_bytes());
        let keyed = keyed.expect("a key of HMAC may have any length");
        let signed = parts.iter().fold(keyed, |mac, part| mac.chain_update(part));
        signed.verify_slice(&self.mac).is_ok()
    }

    /// What it is instead of that of this body with this secret: one of the mistakes that are often made, where it shows one;
    /// none where it is the right one.
    #[must_use]
    pub fn mistake<'k>(
        &self,
        secret: &str,
        api_keys: impl IntoIterator<Item = &'k str>,
        body: &[u8],
    ) -> Option<Mistake> {
        if self.is_of(secret, body) {
            return None;
        }
        let time = self.timestamp.as_bytes();
        let dotted = [time, b".", body];
        if api_keys.into_iter().any(|key| self.is_mac(key, &dotted)) {
            return Some(Mistake::ApiKey);
        }
        let json = serde_json::from_slice::<serde_json::Value>(body);
        let anew = json.unwrap_or_default().to_string();
        let bare = secret.rsplit_once('_').map_or(secret, |(_, bare)| bare);
        let instead: [(Mistake, &str, &[&[u8]]); 6] = [
            (Mistake::BodyAlone, secret, &[body]),
            (Mistake::NoDot, secret, &[time, body]),
            (Mistake::Colon, secret, &[time, b":", body]),
            (Mistake::TimeLast, secret, &[body, b".", time]),
            (Mistake::WrittenAnew, secret, &[time, b".", anew.as_bytes()]),
            (Mistake::BareSecret, bare, &dotted),
        ];
        let mut instead = instead.into_iter();
        let found = instead.find(|(_, key, parts)| self.is_mac(key, parts));
        Some(found.map_or(Mistake::Foreign, |(mistake, ..)| mistake))
    }

    /// Its timestamp, where it is a plain number, of whatever unit.
    #[must_use]
    pub fn number(&self) -> Option<i64> {
        let number: Option<i64> = self.timestamp.parse().ok();
        number.filter(|number| number.to_string() == self.timestamp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `openssl dgst -sha256 -hmac whsec_sample` says of `1800000000.{}`.
    const MAC: &str = "f52d4e0e4419c81c39140518136f0ea025fb48625c1de7c62ce1ea91a41b6c1a";

    fn is_good(header: &str) -> bool {
        let signature = Signature::read(header);
        signature.is_ok_and(|signature| signature.is_of("whsec_sample", b"{}"))
    }

    #[test]
    fn only_the_very_form_of_the_contract_is_a_signature() {
        assert!(is_good(&format!("t=1800000000,v1={MAC}")));
        for bad in [
            "",
            MAC,
            &format!("v1={MAC},t=1800000000"),
            &format!("t=1800000000, v1={MAC}"),
            &format!("t=1800000000;v1={MAC}"),
            &format!("t=,v1={MAC}"),
            &format!("t=01800000000,v1={MAC}"),
            &format!("t=1800000000,v1={}", MAC.to_uppercase()),
            &format!("t=1800000001,v1={MAC}"),
            &format!("t=1800000000,v1={}", &MAC[2..]),
        ] {
            assert!(!is_good(bad), "{bad}");
        }
    }

    #[test]
    fn a_usual_mistake_is_told_by_name() {
        let body = br#"{"b": 1}"#;
        let said = |key: &str, parts: &[&[u8]]| {
            let mut mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).unwrap();
            parts.iter().for_each(|part| mac.update(part));
            let mac = HEXLOWER.encode(&mac.finalize().into_bytes());
            let header = format!("t=17,v1={mac}");
            let signature = Signature::read(&header).unwrap();
            let mistake = signature.mistake("whsec_sample", ["svc_test_local"], body);
            let mistake = mistake.expect("it is not the right one");
            assert_eq!(Mistake::said(&mistake.to_string()), Some(mistake));
            format!("{mistake}: {}", mistake.breaks().join(", "))
        };
        let all = [
            said("whsec_sample", &[body]),
            said("whsec_sample", &[b"17", body]),
            said("whsec_sample", &[b"17:", body]),
            said("whsec_sample", &[body, b".17"]),
            said("whsec_sample", &[br#"17.{"b":1}"#]),
            said("sample", &[b"17.", body]),
            said("svc_test_local", &[b"17.", body]),
            said("whsec_other", &[b"17.", body]),
        ];
        insta::assert_snapshot!(all.join("\n"), @r"
        it is that of the body alone, without `<timestamp>.` before it: webhook.hmac
        it is that of timestamp and body without the dot between them: webhook.hmac
        it is that of timestamp and body with a colon for the dot: webhook.hmac
        it is that of the body with the timestamp behind it: webhook.hmac
        it is that of the same JSON written anew, not of the bytes that came: webhook.hmac
        it is keyed with the secret without its prefix: auth.webhook-secret
        it is keyed with the API key: auth.webhook-secret
        it is not that of these bytes with this secret: webhook.hmac, auth.webhook-secret
        ");
    }

    #[test]
    fn another_body_or_secret_has_another_signature() {
        let header = format!("t=1800000000,v1={MAC}");
        let signature = Signature::read(&header).unwrap();
        assert!(!signature.is_of("whsec_sample", b"{ }"));
        assert!(!signature.is_of("whsec_other", b"{}"));
        assert_eq!(signature.number(), Some(1_800_000_000));
    }
}
