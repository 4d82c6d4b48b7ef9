//! Choosing between values.

use svc_fixtures::json::Json;

use super::Tools;

/// `or(a, b, …)`: the first that is not null.
pub(super) fn or<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    args.iter()
        .find(|arg| **arg != Json::Null)
        .cloned()
        .unwrap_or(Json::Null)
}

/// `if(condition, yes, no)`: `yes` where the condition is true, else `no`.
pub(super) fn choose<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    if args[0] == Json::Bool(true) {
        args[1].clone()
    } else {
        args[2].clone()
    }
}

/// `accepted_otp(otp)`: whether the OTP is one of the two that every OTP step accepts.
pub(super) fn accepted_otp<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    Json::Bool(matches!(args[0].as_text(), Some("000000" | "123456")))
}

/// `issued('req')`: an identifier that belongs to this call, beginning with the word given.
pub(super) fn issued<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    tools
        .verification
        .issued(args[0].as_text().unwrap_or("id"))
        .into()
}

#[cfg(test)]
mod tests {
    use super::super::call;
    use super::*;

    #[test]
    fn or_takes_the_first_that_is_there() {
        assert_eq!(
            call("or", 0, &[Json::Null, "b".into(), "c".into()]),
            "b".into()
        );
        assert_eq!(call("or", 0, &[Json::Null]), Json::Null);
    }

    #[test]
    fn only_the_two_known_otps_are_accepted() {
        for (otp, accepted) in [
            ("000000", true),
            ("123456", true),
            ("0000", false),
            ("123457", false),
        ] {
            assert_eq!(
                call("accepted_otp", 0, &[otp.into()]),
                Json::Bool(accepted),
                "{otp}"
            );
        }
    }

    #[test]
    fn ids_of_different_roles_differ() {
        let (a, b) = (
            call("issued", 0, &["req".into()]),
            call("issued", 0, &["ref".into()]),
        );
        let (a, b) = (a.as_text().expect("text"), b.as_text().expect("text"));
        assert!(a.starts_with("req_") && b.starts_with("ref_"));
        assert_ne!(a[4..], b[4..]);
    }
}
