//! Check characters of identifiers.

use svc_fixtures::json::Json;

use super::Tools;

/// What the fourteen characters before the check character of a GSTIN may be, in their order.
const DIGITS: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// `check_character('27AAAAA0000A1Z')`: the character that follows in a GSTIN. Each is counted once
/// and twice in turn, the digits of what comes out are added, and the sum is made full.
pub(super) fn check_character<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let text = args[0].as_text().unwrap_or_default().bytes();
    let value = |byte: u8| {
        DIGITS
            .iter()
            .position(|digit| *digit == byte.to_ascii_uppercase())
    };
    let weighed = text.zip([1, 2].into_iter().cycle()).map(|(byte, weight)| {
        let product = value(byte)? * weight;
        Some(product / DIGITS.len() + product % DIGITS.len())
    });
    let sum: Option<usize> = weighed.sum();
    sum.map_or(Json::Null, |sum| {
        let check = DIGITS[(DIGITS.len() - sum % DIGITS.len()) % DIGITS.len()];
        char::from(check).to_string().into()
    })
}

#[cfg(test)]
mod tests {
    use super::super::call;
    use svc_fixtures::json::Json;

    #[test]
    fn the_character_that_makes_the_sum_full_follows() {
        for (before, check) in [("27AAPFU0939F1Z", "V"), ("27aapfu0939f1z", "V")] {
            assert_eq!(call("check_character", 0, &[before.into()]), check.into());
        }
        assert_eq!(call("check_character", 0, &["27-".into()]), Json::Null);
    }
}
