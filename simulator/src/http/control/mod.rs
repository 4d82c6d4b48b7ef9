//! The control API: accounts, clocks, wallets, webhooks, deliveries and scenarios, while the simulator
//! runs. JSON in and out; what is done is done by the host.

mod accounts;
mod answer;
mod audit;
mod body;
mod calls;
mod clock;
mod deliveries;
mod detail;
mod events;
mod explain;
pub mod guard;
mod happened;
mod health;
mod json;
mod keys;
mod memory;
mod query;
mod refusal;
mod route;
mod scenarios;
mod settings;
mod trigger;
mod values;

use std::sync::Arc;

use axum::Router;
use tokio_util::sync::CancellationToken;

pub(super) use answer::content;
pub(super) use body::Presence;
pub(super) use refusal::{Code, Refusal};
pub(super) use route::Route;

use crate::host::transport::TargetPolicy;
use crate::host::{AccountCell, Host};

/// What the control API works with.
pub(super) struct Control {
    pub(super) host: Arc<Host>,
    pub(super) targets: TargetPolicy,
    /// Cancelled when the simulator stops.
    pub(super) stop: CancellationToken,
}

impl Control {
    /// The account of this id. One whose id allows it comes into being here.
    fn account(&self, id: &str) -> Result<Arc<AccountCell>, Refusal> {
        let found = self.host.account(id)?;
        found.ok_or_else(|| Refusal::no_account(id))
    }
}

/// Every route, in the order of the document.
pub(super) fn routes() -> Vec<Route> {
    let families = [
        health::routes,
        accounts::routes,
        settings::routes,
        keys::routes,
        clock::routes,
        calls::routes,
        deliveries::routes,
        trigger::routes,
        events::routes,
        scenarios::routes,
        explain::routes,
        audit::routes,
        memory::routes,
    ];
    families.into_iter().flat_map(|routes| routes()).collect()
}

/// What is served.
pub(super) fn router(control: &Arc<Control>) -> Router {
    routes().into_iter().fold(Router::new(), |router, route| {
        router.route(route.path, route.served(control))
    })
}
