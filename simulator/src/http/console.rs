//! The console's listener: the first page, the operations, the reference page, the OpenAPI document and
//! the control API. The guard decides who may use it.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::get;
use bytes::Bytes;
use http::{HeaderMap, Uri};
use maud::Markup;
use schemars::JsonSchema;
use serde::Deserialize;
use svc_fixtures::reading::nearest_path;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use super::control::guard::{ConsoleAccess, ConsoleGuard, ConsoleToken, guard_request};
use super::control::{self, ControlApi, ControlError, ControlErrorCode, content, query_of};
use super::metrics::{ListenerCounts, MetricsPage};
use super::openapi::{DocumentForm, DocumentFormat, DocumentPart};
use super::page::Links;
use super::{BaseUrls, ListenerAddresses, PublicUrls, assets, openapi, operations, page, people};
use crate::host::Host;
use crate::host::transport::TargetPolicy;
use crate::scenario::AccountConfig;

/// The console of a simulator.
pub struct Console {
    /// The simulator.
    pub host: Arc<Host>,
    /// The accounts it started with.
    pub accounts: Vec<AccountConfig>,
    /// Where its listeners are.
    pub addresses: ListenerAddresses,
    /// What those behind a proxy are called.
    pub public: PublicUrls,
    /// How many connections they have.
    pub connections: ListenerCounts,
    /// Where webhooks may go.
    pub targets: TargetPolicy,
    /// Who may use it.
    pub access: ConsoleAccess,
    /// Cancelled when it stops.
    pub stop: CancellationToken,
    /// Makes the pages for people, over the router of the control API.
    pub pages: fn(Router, PageSettings) -> Router,
}

/// What pages are told beside what the control API answers.
pub struct PageSettings {
    /// What the paths of links come after: the public URL, where there is one.
    pub base: String,
    /// What is on the first page.
    pub start: Arc<dyn Fn() -> Markup + Send + Sync>,
    /// What is on the page of operations; slow.
    pub operations: Arc<dyn Fn() -> Markup + Send + Sync>,
    /// The contract's error codes, as the OpenAPI document lists them.
    pub error_codes: Vec<String>,
    /// What whoever uses it has to know, where it is asked for.
    pub token: Option<ConsoleToken>,
    /// Whether browsers reach it by https.
    pub secure: bool,
    /// What is said of a path that leads nowhere.
    pub nothing: fn(&Uri) -> NothingThere,
    /// Cancelled when the simulator stops: live pages end then.
    pub stop: CancellationToken,
}

/// A path that leads nowhere.
pub struct NothingThere {
    /// What is said of it.
    pub message: String,
    /// What programs are answered.
    pub answer: Response,
}

/// Where the OpenAPI document is, in its forms.
const DOCUMENTS: [(&str, &str, DocumentFormat); 4] = [
    ("/openapi.json", "application/json", DocumentFormat::Json),
    ("/openapi.yaml", "application/yaml", DocumentFormat::Yaml),
    (
        "/openapi-3.0.json",
        "application/json",
        DocumentFormat::Version30,
    ),
    ("/postman.json", "application/json", DocumentFormat::Postman),
];

struct ConsoleState {
    console: Console,
    urls: BaseUrls,
    metrics: MetricsPage,
    /// Rendered at the first request, so that the start does not wait for it: each whole, and each of its parts.
    documents: [[OnceCell<Bytes>; 3]; DOCUMENTS.len()],
}

impl Console {
    /// What the listener serves.
    pub fn router(self) -> Router {
        let control = Arc::new(ControlApi {
            host: Arc::clone(&self.host),
            targets: self.targets.clone(),
            stop: self.stop.clone(),
        });
        let control = control::router(&control);
        let pages = (self.pages)(control.clone(), self.page_settings());
        let guard = ConsoleGuard::new(self.access.clone(), self.addresses.console);
        let guard = guard.behind(self.public.console.as_ref());
        let state = ConsoleState {
            urls: self.public.or_at(&self.addresses),
            metrics: MetricsPage::new(&self.host, &self.connections),
            console: self,
            documents: DOCUMENTS.map(|_| Default::default()),
        };
        let documents = DOCUMENTS.into_iter().enumerate();
        let documents = documents.fold(Router::new(), |router, (at, (path, ..))| {
            router.route(path, get(move |state, uri| document(state, uri, at)))
        });
        documents
            .route("/metrics", get(metrics))
            .route("/docs", get(|| async { Redirect::permanent("docs/") }))
            .route("/docs/", get(reference_page))
            .route("/docs/{file}", get(reference))
            .with_state(Arc::new(state))
            .merge(control)
            .merge(pages)
            .method_not_allowed_fallback(method_not_allowed)
            .layer(from_fn_with_state(Arc::new(guard), guard_request))
    }

    fn page_settings(&self) -> PageSettings {
        let public = self.public.console.as_ref();
        let urls = self.public.or_at(&self.addresses);
        let (host, accounts) = (Arc::clone(&self.host), self.accounts.clone());
        let links = Links::of(public);
        let start = move || page::home(&host.rules(), &accounts, &urls, &links);
        let (host, accounts) = (Arc::clone(&self.host), self.accounts.clone());
        let links = Links::of(public);
        let operations = move || {
            let rules = host.rules();
            let list = operations::list(&rules, &accounts);
            page::operations(&list, &people::list(&rules), &links)
        };
        let rules = self.host.rules();
        let codes = rules.contract.errors.iter();
        PageSettings {
            nothing,
            base: public.map_or_else(String::new, |public| public.base().to_owned()),
            start: Arc::new(start),
            operations: Arc::new(operations),
            error_codes: codes.map(|row| row.code.to_string()).collect(),
            token: self.access.token.clone(),
            secure: public.is_some_and(|url| url.origin().starts_with("https:")),
            stop: self.stop.clone(),
        }
    }
}

async fn metrics(State(state): State<Arc<ConsoleState>>, headers: HeaderMap) -> Response {
    state.metrics.respond(&headers)
}

/// What of a document is asked for.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DocumentQuery {
    only: Option<DocumentPart>,
}

/// One of the documents. It is rendered at the first request for it, on a thread that may block.
async fn document(State(state): State<Arc<ConsoleState>>, uri: Uri, at: usize) -> Response {
    let (_, media_type, format) = DOCUMENTS[at];
    let part = match query_of(&uri) {
        Ok(DocumentQuery { only }) => only,
        Err(mistake) => return mistake.into_response(),
    };
    let place = match part {
        None => 0,
        Some(DocumentPart::Api) => 1,
        // No collection has a request of it.
        Some(DocumentPart::Control) if format == DocumentFormat::Postman => {
            let message = "a Postman collection has the API alone: leave out only=control";
            return ControlError::new(ControlErrorCode::InvalidInput, message).into_response();
        }
        Some(DocumentPart::Control) => 2,
    };
    let form = DocumentForm {
        part,
        ..format.into()
    };
    let from = Arc::clone(&state);
    let make = move || {
        let rules = from.console.host.rules();
        openapi::print(&rules, &from.console.accounts, &from.urls, form).into()
    };
    let made = state.documents[at][place].get_or_try_init(|| tokio::task::spawn_blocking(make));
    match made.await {
        Ok(document) => content(media_type, Bytes::clone(document)),
        Err(_) => {
            let message = "the document could not be made";
            ControlError::new(ControlErrorCode::InternalError, message).into_response()
        }
    }
}

async fn reference_page(headers: HeaderMap, uri: Uri) -> Response {
    reference(Path(assets::REFERENCE_PAGE.to_owned()), headers, uri).await
}

async fn reference(Path(name): Path<String>, headers: HeaderMap, uri: Uri) -> Response {
    match assets::reference(&name, &headers) {
        Some(file) => file,
        None => nothing(&uri).answer,
    }
}

fn nothing(uri: &Uri) -> NothingThere {
    let routes = control::routes();
    let documents = DOCUMENTS.iter().map(|(path, ..)| *path);
    let known = routes.iter().map(|route| route.path).chain(documents);
    let hint = match nearest_path(uri.path(), known.chain(["/docs/", "/metrics"])) {
        Some(meant) => format!("did you mean {meant}? "),
        None => String::new(),
    };
    let message =
        format!("the console has nothing at this path; {hint}/openapi.json lists what it has");
    let answer = ControlError::new(ControlErrorCode::NotFound, message.clone());
    NothingThere {
        answer: answer.into_response(),
        message,
    }
}

async fn method_not_allowed() -> Response {
    let message = "this path does not take this method";
    ControlError::new(ControlErrorCode::MethodNotAllowed, message).into_response()
}
