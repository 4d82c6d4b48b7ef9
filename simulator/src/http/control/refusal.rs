//! Why the console does not do what it was asked: one list of codes, each with its status and meaning.

use axum::response::{IntoResponse, Response};
use http::header::{CONNECTION, WWW_AUTHENTICATE};
use http::{HeaderValue, StatusCode};
use schemars::JsonSchema;
use serde::Serialize;
use svc_fixtures::reading::Problems;

use super::answer::json;
use super::json::Wrong;
use crate::engine::state::manage::Refused;
use crate::host::accounts::{ChangeError, OpenError};
use crate::host::clock_move::ClockMoveError;
use crate::host::journal::JournalError;

/// What an answer that refuses is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::http) enum Code {
    InvalidInput,
    ClockBackwards,
    TargetRefused,
    ScenarioMistakes,
    TokenRequired,
    HostNotAllowed,
    OriginNotAllowed,
    NotFound,
    AccountNotFound,
    VerificationNotFound,
    DeliveryNotFound,
    KeyNotFound,
    ScenarioNotFound,
    OperationNotFound,
    MethodNotAllowed,
    BodyTimeout,
    AccountExists,
    TooManyAccounts,
    KeyExists,
    NoActiveKey,
    BelowHeld,
    NotPending,
    CallRefused,
    BodyTooLarge,
    NotJson,
    InternalError,
    Stopping,
}

impl Code {
    /// All of them.
    #[cfg(test)]
    pub(in crate::http) const ALL: [Code; 27] = [
        Code::InvalidInput,
        Code::ClockBackwards,
        Code::TargetRefused,
        Code::ScenarioMistakes,
        Code::TokenRequired,
        Code::HostNotAllowed,
        Code::OriginNotAllowed,
        Code::NotFound,
        Code::AccountNotFound,
        Code::VerificationNotFound,
        Code::DeliveryNotFound,
        Code::KeyNotFound,
        Code::ScenarioNotFound,
        Code::OperationNotFound,
        Code::MethodNotAllowed,
        Code::BodyTimeout,
        Code::AccountExists,
        Code::TooManyAccounts,
        Code::KeyExists,
        Code::NoActiveKey,
        Code::BelowHeld,
        Code::NotPending,
        Code::CallRefused,
        Code::BodyTooLarge,
        Code::NotJson,
        Code::InternalError,
        Code::Stopping,
    ];

    /// How the code is written.
    pub(in crate::http) fn as_str(self) -> &'static str {
        match self {
            Code::InvalidInput => "INVALID_INPUT",
            Code::ClockBackwards => "CLOCK_BACKWARDS",
            Code::TargetRefused => "TARGET_REFUSED",
            Code::ScenarioMistakes => "SCENARIO_MISTAKES",
            Code::TokenRequired => "TOKEN_REQUIRED",
            Code::HostNotAllowed => "HOST_NOT_ALLOWED",
            Code::OriginNotAllowed => "ORIGIN_NOT_ALLOWED",
            Code::NotFound => "NOT_FOUND",
            Code::AccountNotFound => "ACCOUNT_NOT_FOUND",
            Code::VerificationNotFound => "VERIFICATION_NOT_FOUND",
            Code::DeliveryNotFound => "DELIVERY_NOT_FOUND",
            Code::KeyNotFound => "KEY_NOT_FOUND",
            Code::ScenarioNotFound => "SCENARIO_NOT_FOUND",
            Code::OperationNotFound => "OPERATION_NOT_FOUND",
            Code::MethodNotAllowed => "METHOD_NOT_ALLOWED",
            Code::BodyTimeout => "BODY_TIMEOUT",
            Code::AccountExists => "ACCOUNT_EXISTS",
            Code::TooManyAccounts => "TOO_MANY_ACCOUNTS",
            Code::KeyExists => "KEY_EXISTS",
            Code::NoActiveKey => "NO_ACTIVE_KEY",
            Code::BelowHeld => "BELOW_HELD",
            Code::NotPending => "NOT_PENDING",
            Code::CallRefused => "CALL_REFUSED",
            Code::BodyTooLarge => "BODY_TOO_LARGE",
            Code::NotJson => "NOT_JSON",
            Code::InternalError => "INTERNAL_ERROR",
            Code::Stopping => "STOPPING",
        }
    }

    /// The HTTP status it comes with.
    pub(in crate::http) fn status(self) -> StatusCode {
        match self {
            Code::InvalidInput
            | Code::ClockBackwards
            | Code::TargetRefused
            | Code::ScenarioMistakes => StatusCode::BAD_REQUEST,
            Code::TokenRequired => StatusCode::UNAUTHORIZED,
            Code::HostNotAllowed | Code::OriginNotAllowed => StatusCode::FORBIDDEN,
            Code::NotFound
            | Code::AccountNotFound
            | Code::VerificationNotFound
            | Code::DeliveryNotFound
            | Code::KeyNotFound
            | Code::ScenarioNotFound
            | Code::OperationNotFound => StatusCode::NOT_FOUND,
            Code::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Code::BodyTimeout => StatusCode::REQUEST_TIMEOUT,
            Code::AccountExists
            | Code::TooManyAccounts
            | Code::KeyExists
            | Code::NoActiveKey
            | Code::BelowHeld
            | Code::NotPending
            | Code::CallRefused => StatusCode::CONFLICT,
            Code::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Code::NotJson => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Code::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
            Code::Stopping => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// What it means, for the document.
    pub(in crate::http) fn meaning(self) -> &'static str {
        match self {
            Code::InvalidInput => {
                "Path, query or body is not as it must be; the message says where."
            }
            Code::ClockBackwards => "An account's clock never goes back.",
            Code::TargetRefused => "Webhooks do not go to this URL.",
            Code::ScenarioMistakes => "The scenarios have mistakes; nothing was added.",
            Code::TokenRequired => "The console's token is missing or wrong.",
            Code::HostNotAllowed => "`Host` is no name of the console.",
            Code::OriginNotAllowed => "The request comes from another site's page.",
            Code::NotFound => "There is nothing at this path.",
            Code::AccountNotFound => "There is no such account.",
            Code::VerificationNotFound => "No account knows this verification.",
            Code::DeliveryNotFound => "There is no such delivery.",
            Code::KeyNotFound => "The account has no such key.",
            Code::ScenarioNotFound => "Nothing was added to the account under this id.",
            Code::OperationNotFound => "There is no such operation.",
            Code::MethodNotAllowed => "The path does not take this method.",
            Code::BodyTimeout => "The body did not arrive in time.",
            Code::AccountExists => "The id, or a key of this name, is taken.",
            Code::TooManyAccounts => {
                "The id opens an account, but there are too many and none was idle long enough to go."
            }
            Code::KeyExists => "There already is a key of this name.",
            Code::NoActiveKey => "No key of the environment works.",
            Code::BelowHeld => "The wallet would hold less than is put aside.",
            Code::NotPending => "The verification has ended already.",
            Code::CallRefused => "The call was refused; the message says with which error.",
            Code::BodyTooLarge => "The body is over 1 MiB.",
            Code::NotJson => "The body must be sent as `application/json`.",
            Code::InternalError => "Nothing was changed; the log says why.",
            Code::Stopping => "The simulator is stopping.",
        }
    }
}

/// An answer that refuses.
#[derive(Debug)]
pub(in crate::http) struct Refusal {
    code: Code,
    message: String,
    mistakes: Vec<Mistake>,
}

/// What every answer that refuses looks like.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ControlError", deny_unknown_fields)]
pub(in crate::http) struct ErrorBody<'r> {
    /// How the simulator stands, where it takes no more calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    error: ErrorPart<'r>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
struct ErrorPart<'r> {
    /// One of the codes of the answer's status.
    code: &'static str,
    /// What is wrong, and what to do.
    message: &'r str,
    /// Of scenarios: each mistake.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    mistakes: &'r [Mistake],
}

/// A mistake in scenarios.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
struct Mistake {
    /// The line of the text, from 1.
    line: usize,
    message: String,
}

impl Refusal {
    /// A refusal with this code.
    pub(in crate::http) fn new(code: Code, message: impl Into<String>) -> Self {
        Refusal {
            code,
            message: message.into(),
            mistakes: Vec::new(),
        }
    }

    /// All mistakes of scenarios, printed as the compiler of scenarios prints them.
    pub(super) fn mistakes(problems: &Problems) -> Self {
        let mistake = |problem: &svc_fixtures::reading::Problem| Mistake {
            line: problem.line(),
            message: problem.message().to_owned(),
        };
        Refusal {
            mistakes: problems.iter().map(mistake).collect(),
            ..Refusal::new(Code::ScenarioMistakes, problems.to_string())
        }
    }

    pub(super) fn no_account(id: &str) -> Self {
        let id: String = id.chars().take(100).collect();
        let message =
            format!("there is no account {id:?}; GET /control/accounts lists them, POST opens one");
        Refusal::new(Code::AccountNotFound, message)
    }

    pub(super) fn stopping() -> Self {
        Refusal::new(Code::Stopping, Code::Stopping.meaning())
    }
}

impl From<Wrong> for Refusal {
    fn from(wrong: Wrong) -> Self {
        Refusal::new(Code::InvalidInput, wrong.to_string())
    }
}

impl From<JournalError> for Refusal {
    fn from(error: JournalError) -> Self {
        tracing::error!(%error, "an entry was not written; nothing was changed");
        Refusal::new(Code::InternalError, Code::InternalError.meaning())
    }
}

impl From<OpenError> for Refusal {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Exists(_) => Refusal::new(
                Code::AccountExists,
                format!("{error}; choose another id, or delete that one"),
            ),
            OpenError::TooMany => Refusal::new(
                Code::TooManyAccounts,
                format!("{error}; wait, or start the simulator with a larger --max-accounts"),
            ),
            OpenError::Journal(error) => error.into(),
        }
    }
}

impl From<ChangeError> for Refusal {
    fn from(error: ChangeError) -> Self {
        let refused = match error {
            ChangeError::Refused(refused) => refused,
            ChangeError::Journal(error) => return error.into(),
        };
        let code = match refused {
            Refused::BelowHeld { .. } => Code::BelowHeld,
            Refused::TooMuch => Code::InvalidInput,
            Refused::UnknownKey => Code::KeyNotFound,
            Refused::NoActiveKey => Code::NoActiveKey,
            Refused::KeyExists => Code::KeyExists,
            Refused::UnknownDelivery => Code::DeliveryNotFound,
        };
        Refusal::new(code, refused.to_string())
    }
}

impl From<ClockMoveError> for Refusal {
    fn from(error: ClockMoveError) -> Self {
        match error {
            ClockMoveError::Backwards { .. } => Refusal::new(
                Code::ClockBackwards,
                format!("{error}; a fresh account begins at the machine's time"),
            ),
            ClockMoveError::TooLate => Refusal::new(Code::InvalidInput, error.to_string()),
            ClockMoveError::Journal(error) => error.into(),
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let body = ErrorBody {
            status: (self.code == Code::Stopping).then_some("stopping"),
            error: ErrorPart {
                code: self.code.as_str(),
                message: &self.message,
                mistakes: &self.mistakes,
            },
        };
        let mut response = json(self.code.status(), &body);
        let headers = response.headers_mut();
        match self.code {
            Code::TokenRequired => {
                // So that a browser asks a person for it.
                let basic = HeaderValue::from_static("Basic realm=\"svc-simulator\"");
                headers.insert(WWW_AUTHENTICATE, basic);
            }
            Code::BodyTooLarge | Code::BodyTimeout => {
                // What is left of the body would be taken for the next request.
                headers.insert(CONNECTION, HeaderValue::from_static("close"));
            }
            _ => {}
        }
        response
    }
}
