//! What the codes of errors say of a call.

use svc_fixtures::contract::ErrorCode as Code;

/// Whether a call that ends in this error was executed: what is refused before has no outcome.
#[must_use]
pub(super) fn is_executed(code: &str) -> bool {
    let refused = [
        Code::InvalidInput,
        Code::InvalidIdentifier,
        Code::AuthInvalid,
        Code::KeyEnvironmentMismatch,
        Code::InsufficientBalance,
        Code::IpNotAllowed,
        Code::NotFound,
        Code::IdempotencyConflict,
        Code::RateLimited,
    ];
    !refused.iter().any(|it| it.as_str() == code)
}

/// Whether this error is about the key that a call was made with, and not about what it asks.
#[must_use]
pub(super) fn is_about_keys(code: &str) -> bool {
    let about = [
        Code::AuthInvalid,
        Code::KeyEnvironmentMismatch,
        Code::InsufficientBalance,
        Code::IpNotAllowed,
        Code::RateLimited,
    ];
    about.iter().any(|it| it.as_str() == code)
}

/// Why no rule says that a call ends as it did: in an error with this code, or with none.
#[must_use]
pub(super) fn why_unsaid(code: Option<&str>) -> String {
    let is_known = |code: &str| Code::by_name().any(|(name, _)| name == code);
    match code {
        Some(code) if !is_known(code) => format!("`{code}` is no code that a rule can say"),
        Some(code) if code == Code::NotFound.as_str() => {
            "what is not found no rule says: neither an operation that is not there, nor an id"
                .to_owned()
        }
        _ => "keys, limits, wallets and ids decide it, and no rule does".to_owned(),
    }
}
