//! Answers of the console: files, JSON, and errors with one list of codes.

use std::fmt;

use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::StatusCode;
use http::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_TYPE, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
};
use schemars::JsonSchema;
use serde::Serialize;
use svc_fixtures::reading::{Problem, Problems, nearest_sentence};

use super::json::JsonError;
use crate::engine::state::manage::ChangeRefusal;
use crate::host::clock_move::ClockMoveError;
use crate::host::journal::JournalError;
use crate::host::shares::OverShare;
use crate::host::{ChangeError, OpenError};

/// A file or a page.
pub(in crate::http) fn content(kind: &str, body: Bytes) -> Response {
    let headers = [
        (CONTENT_TYPE, kind),
        (CACHE_CONTROL, "no-cache"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, body).into_response()
}

/// An answer as JSON.
pub(super) fn printed(answer: &impl Serialize) -> Bytes {
    let body = serde_json::to_vec(answer).expect("no answer has a map whose keys are not texts");
    body.into()
}

/// A JSON answer. Nobody may store it: it is the state of this moment and may contain API keys.
pub(super) fn json(status: StatusCode, printed: Bytes) -> Response {
    let response = content("application/json", printed);
    (status, [(CACHE_CONTROL, "no-store")], response).into_response()
}

/// Declares the error codes: name, HTTP status and meaning of each.
macro_rules! error_codes {
    ($($code:ident $status:ident $meaning:literal;)*) => {
        /// The code of an error.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
        #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
        pub(in crate::http) enum ControlErrorCode {
            $($code,)*
        }

        impl ControlErrorCode {
            #[cfg(test)]
            pub(in crate::http) const ALL: &[ControlErrorCode] = &[$(ControlErrorCode::$code,)*];

            /// The HTTP status of the error.
            pub(in crate::http) fn status(self) -> StatusCode {
                match self {
                    $(ControlErrorCode::$code => StatusCode::$status,)*
                }
            }

            /// What the code means, for the document.
            pub(in crate::http) fn meaning(self) -> &'static str {
                match self {
                    $(ControlErrorCode::$code => $meaning,)*
                }
            }
        }
    };
}

/// The code on the wire.
impl fmt::Display for ControlErrorCode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(out)
    }
}

error_codes! {
    InvalidInput BAD_REQUEST "Path, query or body is not as it must be; the message says where.";
    ClockBackwards BAD_REQUEST "An account's clock never goes back.";
    TargetRefused BAD_REQUEST "Webhooks do not go to this URL.";
    NewerFormat BAD_REQUEST "A newer version wrote the file; the message names both.";
    ScenarioMistakes BAD_REQUEST "The scenarios have mistakes; nothing was added.";
    TokenRequired UNAUTHORIZED "The console's token is missing or wrong.";
    HostNotAllowed FORBIDDEN "`Host` is no name of the console.";
    OriginNotAllowed FORBIDDEN "The request comes from another site's page.";
    NotFound NOT_FOUND "There is nothing at this path.";
    AccountNotFound NOT_FOUND "There is no such account.";
    VerificationNotFound NOT_FOUND "No account knows this verification.";
    DeliveryNotFound NOT_FOUND "There is no such delivery.";
    KeyNotFound NOT_FOUND "The account has no such key.";
    ScenarioNotFound NOT_FOUND "Nothing was added to the account under this id.";
    SubjectNotFound NOT_FOUND "No field takes this identifier.";
    OperationNotFound NOT_FOUND "There is no such operation.";
    MethodNotAllowed METHOD_NOT_ALLOWED "The path does not take this method.";
    BodyTimeout REQUEST_TIMEOUT "The body did not arrive in time.";
    AccountExists CONFLICT "The id, or a key of this name, is taken.";
    TooManyAccounts CONFLICT
        "The id opens an account, but there are as many as there may be and none was idle long enough to go.";
    KeyExists CONFLICT "There already is a key of this name.";
    TooManyKeys CONFLICT "The account has as many keys as an account may have.";
    NoActiveKey CONFLICT "No key of the environment works.";
    BelowHeld CONFLICT "The wallet would hold less than is put aside.";
    NotPending CONFLICT "The verification has ended already.";
    NothingDue CONFLICT "Nothing of the account is due at any instant: its clock was not moved.";
    CallRefused CONFLICT "The call was refused; the message says with which error.";
    BodyTooLarge PAYLOAD_TOO_LARGE "The body is over 1 MiB; of an account that is imported, over 256 MiB.";
    NotJson UNSUPPORTED_MEDIA_TYPE "The body must be sent as `application/json`.";
    TooManyWaits TOO_MANY_REQUESTS
        "Requests that wait for something of the account have its share of all that may.";
    InternalError INTERNAL_SERVER_ERROR "Nothing was changed, unless the message says otherwise; the log says why.";
    ClockMoveTimeout GATEWAY_TIMEOUT
        "Receivers of webhooks did not answer in time; the clock stands where it came to.";
    NotReady SERVICE_UNAVAILABLE "The store is not open yet, or takes no entries.";
    Stopping SERVICE_UNAVAILABLE "The simulator is stopping.";
}

/// An error of the control API.
#[derive(Debug)]
pub(in crate::http) struct ControlError {
    code: ControlErrorCode,
    message: String,
    mistakes: Vec<MistakeDto>,
}

/// What every answer that refuses looks like.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct ErrorDto<'r> {
    /// How the simulator stands, where it takes no more calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    error: ErrorDetailsDto<'r>,
}

#[derive(Serialize, JsonSchema)]
struct ErrorDetailsDto<'r> {
    /// One of the codes of the answer's status.
    #[schemars(with = "String")]
    code: ControlErrorCode,
    /// What is wrong, and what to do.
    message: &'r str,
    /// Of scenarios: each mistake.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    mistakes: &'r [MistakeDto],
}

/// A mistake in scenarios.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct MistakeDto {
    /// The file it stands in.
    file: String,
    /// The line of the text, from 1.
    line: usize,
    /// The column of the line, from 1, in characters.
    column: usize,
    message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// The line, the place underlined, and the hint, as `check` prints it.
    snippet: String,
}

impl MistakeDto {
    /// What is wrong, and where.
    pub(super) fn of(problem: &Problem) -> Self {
        MistakeDto {
            file: problem.path().to_owned(),
            line: problem.line(),
            column: problem.column(),
            message: problem.message().to_owned(),
            hint: problem.hinted().map(str::to_owned),
            snippet: problem.to_string(),
        }
    }
}

impl ControlError {
    /// Which one it is.
    pub(in crate::http) fn code(&self) -> ControlErrorCode {
        self.code
    }

    /// An error with this code.
    pub(in crate::http) fn new(code: ControlErrorCode, message: impl Into<String>) -> Self {
        ControlError {
            code,
            message: message.into(),
            mistakes: Vec::new(),
        }
    }

    /// The mistakes of scenarios, with the text that `check` prints.
    pub(super) fn mistakes(problems: &Problems) -> Self {
        ControlError {
            mistakes: problems.iter().map(MistakeDto::of).collect(),
            ..ControlError::new(ControlErrorCode::ScenarioMistakes, problems.to_string())
        }
    }

    /// No account has this id; `known` are those that there are.
    pub(super) fn no_account<'k>(id: &str, known: impl Iterator<Item = &'k str>) -> Self {
        let id: String = id.chars().take(100).collect();
        let hint = nearest_sentence(&id, known);
        let message = format!(
            "there is no account {id:?}; {hint} GET /control/accounts lists them, POST opens one"
        );
        ControlError::new(ControlErrorCode::AccountNotFound, message)
    }

    /// No operation has this id; `lists` says where they are listed.
    pub(super) fn no_operation<'k>(
        id: &str,
        known: impl Iterator<Item = &'k str>,
        lists: &str,
    ) -> Self {
        let id: String = id.chars().take(100).collect();
        let hint = nearest_sentence(&id, known);
        let message = format!("there is no operation {id:?}; {hint} {lists}");
        ControlError::new(ControlErrorCode::OperationNotFound, message)
    }

    /// The input is not as it must be.
    pub(super) fn invalid_input(message: impl Into<String>) -> Self {
        ControlError::new(ControlErrorCode::InvalidInput, message)
    }

    /// An error whose message is the meaning of its code.
    pub(super) fn of(code: ControlErrorCode) -> Self {
        ControlError::new(code, code.meaning())
    }

    /// The simulator failed.
    pub(in crate::http) fn internal() -> Self {
        ControlError::new(
            ControlErrorCode::InternalError,
            "Nothing was changed; the log says why.",
        )
    }
}

impl From<JsonError> for ControlError {
    fn from(error: JsonError) -> Self {
        ControlError::invalid_input(error.to_string())
    }
}

impl From<JournalError> for ControlError {
    fn from(error: JournalError) -> Self {
        if error.maybe_written() {
            tracing::error!(%error, "nobody knows whether an entry was written");
            let message = "Whether it was changed is not known, since the store was lost meanwhile: look before \
                           you do it again.";
            return ControlError::new(ControlErrorCode::InternalError, message);
        }
        tracing::error!(%error, "an entry was not written; nothing was changed");
        ControlError::internal()
    }
}

impl From<OpenError> for ControlError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Exists(_) => ControlError::new(
                ControlErrorCode::AccountExists,
                format!("{error}; choose another id, or delete that one"),
            ),
            OpenError::TooMany => ControlError::new(
                ControlErrorCode::TooManyAccounts,
                format!("{error}; wait, or start the simulator with a larger --max-accounts"),
            ),
            OpenError::TooManyOfAddress => ControlError::new(
                ControlErrorCode::TooManyAccounts,
                format!(
                    "{error}; wait, or start the simulator with a larger --max-accounts-per-address"
                ),
            ),
            OpenError::TooManyByHand(_) => ControlError::new(
                ControlErrorCode::TooManyAccounts,
                format!(
                    "{error}; delete some, or start the simulator with a larger --max-accounts"
                ),
            ),
            OpenError::Journal(error) => error.into(),
        }
    }
}

impl From<OverShare> for ControlError {
    fn from(over: OverShare) -> Self {
        let message = match over {
            OverShare::Own => {
                "as many requests wait for something of this account as may at once; wait for one \
                 of them, or start the simulator with a larger --max-waits"
            }
            OverShare::OfAll => {
                "requests that wait take most connections of the console, and this account has its \
                 share of them; wait for one of them, or start the simulator with a larger \
                 --max-connections"
            }
        };
        ControlError::new(ControlErrorCode::TooManyWaits, message)
    }
}

impl From<ChangeError> for ControlError {
    fn from(error: ChangeError) -> Self {
        let refused = match error {
            ChangeError::Refused(refused) => refused,
            ChangeError::Journal(error) => return error.into(),
        };
        let code = match refused {
            ChangeRefusal::BelowHeld { .. } => ControlErrorCode::BelowHeld,
            ChangeRefusal::TooMuch => ControlErrorCode::InvalidInput,
            ChangeRefusal::UnknownKey => ControlErrorCode::KeyNotFound,
            ChangeRefusal::NoActiveKey => ControlErrorCode::NoActiveKey,
            ChangeRefusal::KeyExists => ControlErrorCode::KeyExists,
            ChangeRefusal::TooManyKeys => ControlErrorCode::TooManyKeys,
            ChangeRefusal::UnknownDelivery => ControlErrorCode::DeliveryNotFound,
        };
        ControlError::new(code, refused.to_string())
    }
}

impl From<ClockMoveError> for ControlError {
    fn from(error: ClockMoveError) -> Self {
        match error {
            ClockMoveError::PastInstant { .. } => ControlError::new(
                ControlErrorCode::ClockBackwards,
                format!("{error}; a fresh account begins at the machine's time"),
            ),
            ClockMoveError::NothingDue => ControlError::new(
                ControlErrorCode::NothingDue,
                format!(
                    "{error}; GET /control/accounts/{{id}}/timeline lists what is, and for what it waits"
                ),
            ),
            ClockMoveError::TooLate => ControlError::invalid_input(error.to_string()),
            ClockMoveError::TookTooLong { .. } => ControlError::new(
                ControlErrorCode::ClockMoveTimeout,
                format!(
                    "{error}; move it again to go on from there, or start the simulator with a \
                     longer --clock-move-time"
                ),
            ),
            ClockMoveError::Journal(error) => error.into(),
        }
    }
}

impl IntoResponse for ControlError {
    fn into_response(self) -> Response {
        let body = ErrorDto {
            status: match self.code {
                ControlErrorCode::Stopping => Some("stopping"),
                ControlErrorCode::NotReady => Some("not-ready"),
                _ => None,
            },
            error: ErrorDetailsDto {
                code: self.code,
                message: &self.message,
                mistakes: &self.mistakes,
            },
        };
        let header = match self.code {
            // A browser asks a person for the token, then.
            ControlErrorCode::TokenRequired => {
                Some([(WWW_AUTHENTICATE, "Basic realm=\"svc-simulator\"")])
            }
            // The rest of the body would be read as the next request.
            ControlErrorCode::BodyTooLarge | ControlErrorCode::BodyTimeout => {
                Some([(CONNECTION, "close")])
            }
            _ => None,
        };
        let response = json(self.code.status(), printed(&body));
        match header {
            Some(header) => (header, response).into_response(),
            None => response,
        }
    }
}
