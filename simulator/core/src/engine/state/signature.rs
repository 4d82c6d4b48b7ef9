//! The signature of a webhook delivery: `X-Service-Signature: t=<unix seconds>,v1=<lowercase hex>`.
//! Says what is signed and whether it fits; knows no clock and no HTTP.

use std::fmt;

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// The header that carries the signature.
pub const HEADER: &str = "X-Service-Signature";

/// What the header of one delivery says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signature {
    /// When it was signed, in Unix seconds.
    pub at_s: i64,
    /// The HMAC-SHA256 of the [`base_string`].
    pub mac: [u8; 32],
}

/// Why a header is no signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// It is not made of two parts.
    #[error("the header must have two parts, `t=<unix seconds>,v1=<hex>`")]
    Parts,
    /// The first part is no time.
    #[error("the first part must be `t=` and a whole number of seconds")]
    Time,
    /// The second part is no signature.
    #[error("the second part must be `v1=` and 64 lowercase hex digits")]
    Mac,
}

/// What is signed: the time in decimal, a dot, and the body as it is on the wire.
#[must_use]
pub fn base_string(at_s: i64, body: &[u8]) -> Vec<u8> {
    let mut base = format!("{at_s}.").into_bytes();
    base.extend_from_slice(body);
    base
}

impl Signature {
    /// Signs a body with a webhook signing secret, at an instant in Unix seconds.
    #[must_use]
    pub fn sign(secret: &str, at_s: i64, body: &[u8]) -> Signature {
        let mac = keyed(secret, at_s, body).finalize().into_bytes().into();
        Signature { at_s, mac }
    }

    /// Reads the value of the header, exactly as [`Display`](fmt::Display) prints it: another
    /// spelling of the same number would be another signed string.
    ///
    /// # Errors
    /// The first part that is not as it must be.
    pub fn parse(header: &str) -> Result<Signature, Malformed> {
        let (time, mac) = header.split_once(',').ok_or(Malformed::Parts)?;
        if mac.contains(',') {
            return Err(Malformed::Parts);
        }
        let digits = time.strip_prefix("t=").ok_or(Malformed::Time)?;
        let at_s: i64 = digits.parse().map_err(|_| Malformed::Time)?;
        if at_s.to_string() != digits {
            return Err(Malformed::Time);
        }
        let hex = mac.strip_prefix("v1=").ok_or(Malformed::Mac)?;
        let mac = HEXLOWER.decode(hex.as_bytes());
        let mac = mac.ok().and_then(|mac| mac.try_into().ok());
        Ok(Signature {
            at_s,
            mac: mac.ok_or(Malformed::Mac)?,
        })
    }

    /// Whether this is the signature of the body, compared in constant time. How old it is is not
    /// looked at: see [`Signature::at_s`].
    #[must_use]
    pub fn verify(&self, secret: &str, body: &[u8]) -> bool {
        let mac = keyed(secret, self.at_s, body);
        mac.verify_slice(&self.mac).is_ok()
    }
}

impl fmt::Display for Signature {
    /// The value of the header.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "t={},v1={}", self.at_s, HEXLOWER.encode(&self.mac))
    }
}

fn keyed(secret: &str, at_s: i64, body: &[u8]) -> Hmac<Sha256> {
    let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes());
    // Fed in two pieces, so that a large body is not copied.
    mac.expect("HMAC takes keys of any length")
        .chain_update(format!("{at_s}."))
        .chain_update(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "whsec_sample";
    const BODY: &[u8] = br#"{"success":true,"verificationId":"svcv_1"}"#;

    #[test]
    fn the_header_is_what_openssl_computes() {
        // printf '1800000000.%s' "$BODY" | openssl dgst -sha256 -hmac whsec_sample
        insta::assert_snapshot!(Signature::sign(SECRET, 1_800_000_000, BODY), @"t=1800000000,v1=af5231b839586b0581c781d6c1e1e6f2439af7271dae4f4aac7b0c435ecf08bc");
    }

    #[test]
    fn the_signed_string_is_time_dot_body() {
        assert_eq!(base_string(7, b"{\"a\": 1}\n"), b"7.{\"a\": 1}\n");
    }

    #[test]
    fn a_printed_header_is_read_back_and_fits() {
        for at_s in [0, 1, 1_800_000_000, i64::MAX, -1] {
            let signed = Signature::sign(SECRET, at_s, BODY);
            let read = Signature::parse(&signed.to_string()).unwrap();
            assert_eq!(read, signed);
            assert!(read.verify(SECRET, BODY));
        }
    }

    #[test]
    fn another_secret_time_body_or_bit_does_not_fit() {
        let signed = Signature::sign(SECRET, 1_800_000_000, BODY);
        assert!(!signed.verify("whsec_other", BODY));
        assert!(!signed.verify(SECRET, &BODY[1..]));
        let later = Signature {
            at_s: 1_800_000_001,
            ..signed
        };
        assert!(!later.verify(SECRET, BODY));
        for at in 0..signed.mac.len() * 8 {
            let mut turned = signed;
            turned.mac[at / 8] ^= 1 << (at % 8);
            assert!(!turned.verify(SECRET, BODY), "bit {at}");
        }
    }

    #[test]
    fn every_other_spelling_is_refused() {
        let hex = "0".repeat(64);
        let cases = [
            (String::new(), Malformed::Parts),
            ("t=1".to_owned(), Malformed::Parts),
            (format!("t=1,v1={hex},v0=1"), Malformed::Parts),
            (format!("v1={hex},t=1"), Malformed::Time),
            (format!("t=,v1={hex}"), Malformed::Time),
            (format!("t=01,v1={hex}"), Malformed::Time),
            (format!("t=+1,v1={hex}"), Malformed::Time),
            (format!("t=1.5,v1={hex}"), Malformed::Time),
            (format!("t=9223372036854775808,v1={hex}"), Malformed::Time),
            (format!("t=1, v1={hex}"), Malformed::Mac),
            (format!("t=1,v0={hex}"), Malformed::Mac),
            (format!("t=1,v1={}", "A".repeat(64)), Malformed::Mac),
            (format!("t=1,v1={}", &hex[1..]), Malformed::Mac),
            (format!("t=1,v1={hex}00"), Malformed::Mac),
        ];
        for (header, mistake) in cases {
            assert_eq!(Signature::parse(&header), Err(mistake), "{header}");
        }
    }
}
