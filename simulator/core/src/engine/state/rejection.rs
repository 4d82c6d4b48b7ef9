//! Refusals: every way a call can end before its operation runs, as one value.

use std::borrow::Cow;

use svc_fixtures::contract::{Blame, Contract, ErrorCode, Paise};

/// Why a call was refused. Nothing was executed, nothing is charged, nothing is stored for replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rejection {
    /// No usable `Authorization: Bearer …` header (clause auth.bearer).
    NoCredential,
    /// A key nobody has (clause auth.bad-key, ruling 15).
    UnknownKey,
    /// A key that was revoked (clause auth.bad-key).
    RevokedKey,
    /// A rotated key after its 24 hours (clause auth.rotation).
    ExpiredKey,
    /// A key of the other environment (clause auth.wrong-environment).
    WrongEnvironment,
    /// A caller outside the allowlist (clause auth.allowlist).
    AddressNotAllowed,
    /// The key's rate limit is used up (clause errors.rate-limited, ruling 17).
    RateLimited {
        /// Seconds until a call is let through again.
        retry_after_s: u32,
    },
    /// A path that is no operation (ruling 6).
    UnknownPath {
        /// Method and path of what may have been meant.
        meant: Option<String>,
    },
    /// A path that exists, called with another method (ruling 6).
    MethodNotAllowed {
        /// The method it takes.
        allow: &'static str,
    },
    /// A header, a body or a field that breaks its rule (rulings 6 and 7).
    Invalid {
        /// Which of the two codes it gets.
        blame: Blame,
        /// What is wrong, naming the field and the rule and never the value.
        message: String,
    },
    /// An `Idempotency-Key` that was used with another body (clause idempotency.conflict).
    Conflict,
    /// A carried identifier that leads nowhere, where that is "not found" (ruling 11).
    UnknownCarried {
        /// The field that carries it.
        field: String,
        /// The operation whose results have such an identifier.
        of: String,
    },
    /// A `verificationId` this account does not have (clause errors.not-found, ruling 27).
    UnknownVerification,
    /// A wallet that does not cover the price (clause billing.insufficient-balance).
    InsufficientBalance {
        /// What the call costs.
        price: Paise,
    },
    /// So much is pending in the account that it takes no more calls (ruling 17).
    TooMuchPending,
    /// What is pending in the account is its share of the room of all accounts (ruling 17).
    NoRoom,
    /// As many calls of the account are held back as may be at once (ruling 17).
    TooManyDelayed,
    /// The calls of the account that are held back are its share of all that may be (ruling 17).
    NoDelaysLeft,
    /// There are as many accounts as there may be, and none of them can go (ruling 17).
    TooManyAccounts,
    /// The caller's address opened as many accounts as one may, and none of them can go (ruling 17).
    TooManyAccountsOfAddress,
    /// The service itself failed (clause errors.internal-error).
    Internal,
    /// The same, and what it had decided may be written all the same: its store was not heard any more (clause
    /// errors.internal-error).
    InternalUnheard,
}

/// When to try a call again that there was no room for, in seconds.
const ROOM_AFTER_S: u32 = 1;

impl Rejection {
    /// `SVC_INVALID_INPUT` with a message.
    #[must_use]
    pub fn input(message: impl Into<String>) -> Self {
        Rejection::Invalid {
            blame: Blame::Input,
            message: message.into(),
        }
    }

    /// The code of the envelope.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Rejection::NoCredential
            | Rejection::UnknownKey
            | Rejection::RevokedKey
            | Rejection::ExpiredKey => ErrorCode::AuthInvalid,
            Rejection::WrongEnvironment => ErrorCode::KeyEnvironmentMismatch,
            Rejection::AddressNotAllowed => ErrorCode::IpNotAllowed,
            Rejection::RateLimited { .. }
            | Rejection::TooMuchPending
            | Rejection::NoRoom
            | Rejection::TooManyDelayed
            | Rejection::NoDelaysLeft
            | Rejection::TooManyAccounts
            | Rejection::TooManyAccountsOfAddress => ErrorCode::RateLimited,
            Rejection::UnknownPath { .. }
            | Rejection::UnknownCarried { .. }
            | Rejection::UnknownVerification => ErrorCode::NotFound,
            Rejection::MethodNotAllowed { .. }
            | Rejection::Invalid {
                blame: Blame::Input,
                ..
            } => ErrorCode::InvalidInput,
            Rejection::Invalid {
                blame: Blame::Identifier,
                ..
            } => ErrorCode::InvalidIdentifier,
            Rejection::Conflict => ErrorCode::IdempotencyConflict,
            Rejection::InsufficientBalance { .. } => ErrorCode::InsufficientBalance,
            Rejection::Internal | Rejection::InternalUnheard => ErrorCode::InternalError,
        }
    }

    /// The HTTP status: the code's own, but 405 for a wrong method.
    #[must_use]
    pub fn status(&self, contract: &Contract) -> u16 {
        match self {
            Rejection::MethodNotAllowed { .. } => 405,
            _ => contract.error(self.code()).status,
        }
    }

    /// The flags that bound what one may have of that which all use.
    pub const FLAGS: [&'static str; 6] = [
        "--keep-bytes",
        "--keep-total",
        "--max-delayed",
        "--max-connections",
        "--max-accounts",
        "--max-accounts-per-address",
    ];

    /// Which of [`Rejection::FLAGS`] bounds what somebody has too much of, where that is why.
    #[must_use]
    pub fn flag(&self) -> Option<&'static str> {
        let at = match self {
            Rejection::TooMuchPending => 0,
            Rejection::NoRoom => 1,
            Rejection::TooManyDelayed => 2,
            Rejection::NoDelaysLeft => 3,
            Rejection::TooManyAccounts => 4,
            Rejection::TooManyAccountsOfAddress => 5,
            _ => return None,
        };
        Some(Rejection::FLAGS[at])
    }

    /// When the same call may pass, where that is known.
    #[must_use]
    pub fn retry_after_s(&self) -> Option<u32> {
        match self {
            Rejection::RateLimited { retry_after_s } => Some(*retry_after_s),
            Rejection::TooMuchPending
            | Rejection::NoRoom
            | Rejection::TooManyDelayed
            | Rejection::NoDelaysLeft
            | Rejection::TooManyAccounts
            | Rejection::TooManyAccountsOfAddress => Some(ROOM_AFTER_S),
            _ => None,
        }
    }

    /// The message for people.
    #[must_use]
    pub fn message(&self) -> Cow<'_, str> {
        Cow::Borrowed(match self {
            Rejection::NoCredential => "send the header `Authorization: Bearer <API key>` once",
            Rejection::UnknownKey => "this API key is not known",
            Rejection::RevokedKey => "this API key was revoked",
            Rejection::ExpiredKey => "this API key was rotated more than 24 hours ago",
            Rejection::WrongEnvironment => {
                "this API key belongs to the other environment: svc_test_ keys work on the sandbox, \
                 svc_live_ keys on production"
            }
            Rejection::AddressNotAllowed => "the caller's address is not in the key's allowlist",
            Rejection::RateLimited { .. } => {
                "the key's rate limit is used up; wait as long as Retry-After says"
            }
            Rejection::UnknownPath { meant: None } => "no operation has this path",
            Rejection::UnknownPath { meant: Some(meant) } => {
                return Cow::Owned(format!("no operation has this path; did you mean {meant}?"));
            }
            Rejection::MethodNotAllowed { allow } => {
                return Cow::Owned(format!("this path takes {allow} only"));
            }
            Rejection::Invalid { message, .. } => message,
            Rejection::Conflict => {
                "this Idempotency-Key was already used with a different body, or for another operation"
            }
            Rejection::UnknownCarried { field, of } => {
                return Cow::Owned(format!(
                    "{field}: no call of {of} by this account that had a result has this id"
                ));
            }
            Rejection::UnknownVerification => "this account has no verification of that id",
            Rejection::InsufficientBalance { price } => {
                return Cow::Owned(format!(
                    "the wallet does not cover the {price} INR of this call; \
                     no source was contacted and nothing was charged"
                ));
            }
            Rejection::TooMuchPending => {
                "so much is pending in this account that it takes no more calls: end some of it, \
                 reset the account, or start the simulator with a larger --keep-bytes"
            }
            Rejection::NoRoom => {
                "what is pending in this account is its share of the memory of all accounts: end \
                 some of it, reset accounts, or start the simulator with a larger --keep-total"
            }
            Rejection::TooManyDelayed => {
                "as many calls of this account are held back as may be at once: wait until one is \
                 answered, or start the simulator with a larger --max-delayed"
            }
            Rejection::NoDelaysLeft => {
                "calls that are held back take most connections, and this account has its share of \
                 them: wait until one is answered, or start the simulator with a larger \
                 --max-connections"
            }
            Rejection::TooManyAccounts => {
                "keys opened as many accounts as there may be, or yours as leave some for others, and \
                 none was idle long enough to go: wait, use fewer keys, or start the simulator with a larger --max-accounts"
            }
            Rejection::TooManyAccountsOfAddress => {
                "keys used from your address opened as many accounts as those of one address may, \
                 and none was idle long enough to go: wait, use fewer keys, or start the simulator \
                 with a larger --max-accounts-per-address"
            }
            Rejection::Internal => "the service failed; the call was not executed",
            Rejection::InternalUnheard => {
                "the service failed, and whether the call was executed is not known: repeat it with \
                 the same Idempotency-Key, which executes it once; without one look at /v1/usage"
            }
        })
    }
}
