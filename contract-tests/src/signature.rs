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

/// Why bytes are not those that were signed.
pub const FOREIGN: &str = "it is not that of these bytes with this secret";

impl<'h> Signature<'h> {
    /// Reads the header.
    ///
    /// # Errors
    /// What is wrong with its form.
    pub fn read(header: &'h str) -> Result<Self, &'static str> {
        let (time, mac) = header.split_once(',').ok_or("it has not two parts")?;
        let (Some(timestamp), Some(mac)) = (time.strip_prefix("t="), mac.strip_prefix("v1="))
        else {
            return Err("its parts are not `t=` and `v1=`, in this order");
        };
        if timestamp.is_empty() {
            return Err("its timestamp is empty");
        }
        let bytes = HEXLOWER.decode(mac.as_bytes()).ok();
        let mac = bytes.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
        let mac = mac.ok_or("it is not 64 lower-case hex digits")?;
        Ok(Signature { timestamp, mac })
    }

    /// Whether it is that of this body with this secret. Compares in constant time.
    #[must_use]
    pub fn is_of(&self, secret: &str, body: &[u8]) -> bool {
        let keyed = Hmac::<Sha256>::new_from_slice(secret.as_bytes());
        let keyed = keyed.expect("a key of HMAC may have any length");
        let signed = keyed.chain_update(format!("{}.", self.timestamp));
        signed.chain_update(body).verify_slice(&self.mac).is_ok()
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
    fn another_body_or_secret_has_another_signature() {
        let header = format!("t=1800000000,v1={MAC}");
        let signature = Signature::read(&header).unwrap();
        assert!(!signature.is_of("whsec_sample", b"{ }"));
        assert!(!signature.is_of("whsec_other", b"{}"));
        assert_eq!(signature.number(), Some(1_800_000_000));
    }
}
