//! What is true, and choosing between values by it.

use svc_fixtures::json::Json;

use super::Tools;

/// Whether a value counts as true: it is there, and it is not `false`, zero or empty.
pub(super) fn is_true(value: &Json<'_>) -> bool {
    match value {
        Json::Null => false,
        Json::Bool(value) => *value,
        Json::Int(value) => *value != 0,
        Json::Num(value) => *value != 0.0,
        Json::Text(text) => !text.is_empty(),
        Json::List(items) => !items.is_empty(),
        Json::Object(members) => !members.is_empty(),
    }
}

/// Whether two values are the same: one number however it is written, members in any order.
pub(super) fn same(a: &Json<'_>, b: &Json<'_>) -> bool {
    match (a, b) {
        (Json::Int(whole), Json::Num(number)) | (Json::Num(number), Json::Int(whole)) => {
            is_whole(*number, *whole)
        }
        (Json::List(a), Json::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Json::Object(members), Json::Object(others)) => {
            members.len() == others.len()
                && members
                    .iter()
                    .all(|(name, value)| b.get(name).is_some_and(|other| same(value, other)))
        }
        (a, b) => a == b,
    }
}

/// Past 2^53 a double stands for several whole numbers; only the one it is exactly is the same.
fn is_whole(number: f64, whole: i64) -> bool {
    number == whole as f64 && number as i128 == i128::from(whole)
}

/// `or(a, b, …)`: the first that is true, else the last. Those after it are not made.
pub(super) fn or<'a>(count: usize, arg: &dyn Fn(usize) -> Json<'a>) -> Json<'a> {
    let before_last = (0..count - 1).map(arg);
    let mut true_ones = before_last.filter(is_true);
    true_ones.next().unwrap_or_else(|| arg(count - 1))
}

/// `if(condition, yes, no)`: `yes` where the condition is true, else `no`. The other is not made.
pub(super) fn choose<'a>(_: usize, arg: &dyn Fn(usize) -> Json<'a>) -> Json<'a> {
    arg(if is_true(&arg(0)) { 1 } else { 2 })
}

/// `not(a)`: whether it is not true.
pub(super) fn not<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    Json::Bool(!is_true(&args[0]))
}

/// `eq(a, b)`: whether both are the same value.
pub(super) fn eq<'a>(_: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    Json::Bool(same(&args[0], &args[1]))
}

/// `sent('responseType')`: whether the caller wrote that field; a default does not count.
pub(super) fn sent<'a>(tools: Tools<'a>, args: &[Json<'a>]) -> Json<'a> {
    let field = args[0].as_text().and_then(|name| tools.request.get(name));
    Json::Bool(field.is_some())
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

    fn json(text: &str) -> Json<'_> {
        Json::parse(text.as_bytes()).expect("the sample is JSON")
    }

    #[test]
    fn what_is_absent_zero_or_empty_is_not_true() {
        for text in ["null", "false", "0", "0.0", "-0.0", "\"\"", "[]", "{}"] {
            assert!(!is_true(&json(text)), "{text}");
        }
        for text in ["true", "1", "-0.5", "\"0\"", "\" \"", "[0]", "{\"a\":0}"] {
            assert!(is_true(&json(text)), "{text}");
        }
    }

    #[test]
    fn or_takes_the_first_that_is_true_else_the_last() {
        let or = |text: &'static str| {
            let args = json(text);
            call("or", 0, args.as_list().expect("arguments")).to_string()
        };
        assert_eq!(or(r#"[null, "b", "c"]"#), r#""b""#);
        assert_eq!(or(r#"["", [], 7]"#), "7");
        assert_eq!(or(r#"[null, "", 0]"#), "0");
        assert_eq!(or(r#"[false, null]"#), "null");
    }

    #[test]
    fn if_and_not_follow_truth() {
        for (condition, chosen) in [("[1]", "a"), ("\"x\"", "a"), ("[]", "b"), ("null", "b")] {
            let args = [json(condition), "a".into(), "b".into()];
            assert_eq!(call("if", 0, &args), chosen.into(), "{condition}");
            assert_eq!(call("not", 0, &args[..1]), Json::Bool(chosen == "b"));
        }
    }

    #[test]
    fn equal_means_same_type_and_value() {
        for (a, b, same) in [
            ("1", "1.0", true),
            ("1", "\"1\"", false),
            ("0", "false", false),
            ("null", "null", true),
            ("null", "\"\"", false),
            ("[1,{\"a\":2,\"b\":3}]", "[1.0,{\"b\":3,\"a\":2}]", true),
            ("[1]", "[1,2]", false),
            ("9007199254740993", "9007199254740992.0", false),
            ("9223372036854775807", "9223372036854775808", false),
        ] {
            let result = call("eq", 0, &[json(a), json(b)]);
            assert_eq!(result, Json::Bool(same), "{a} {b}");
            assert_eq!(result, call("eq", 0, &[json(b), json(a)]), "{a} {b}");
        }
    }

    #[test]
    fn a_field_is_sent_when_it_stands_in_the_body() {
        for (field, sent) in [("name", true), ("deep", true), ("x", false), ("", false)] {
            assert_eq!(call("sent", 0, &[field.into()]), sent.into(), "{field}");
        }
        assert_eq!(call("sent", 0, &[Json::Null]), false.into());
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
