//! The control API over real sockets: what it answers, and whom.

mod account_files;
mod accounts;
mod bodies;
mod calls;
mod clock;
mod consents;
mod deliveries;
mod events;
mod forecasts;
mod forms;
mod kept;
mod made_calls;
mod memory;
mod safety;
mod scenarios;
mod settings;
mod timeline;
mod usage;
mod wallets;

use std::net::SocketAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use svc_simulator::SimulatorBuilder;
use svc_simulator::host::transport::{MemoryTransport, WebhookRequest};
use svc_simulator::http::control::guard::ConsoleAccess;

use crate::client::{Answer, Client, Served};

pub(super) const PAN: &str = "/v1/verify/identity/pan";
pub(super) const UAN: &str = "/v1/verify/employment/uan";
/// Its result comes 25 seconds later.
pub(super) const SLOW: &str = r#"{"uan": "100000000202"}"#;
pub(super) const ASHA: &str = r#"{"pan": "AAAAA0000A", "name": "Asha Rao"}"#;

/// A simulator whose clock stands still, and whoever rules it.
pub(super) struct Ruled {
    pub(super) served: Served,
    /// What the receiver answers from now on.
    pub(super) receiver: Arc<Mutex<u16>>,
}

impl Ruled {
    pub(super) fn new() -> Self {
        Ruled::by(ConsoleAccess::default())
    }

    pub(super) fn by(access: ConsoleAccess) -> Self {
        Ruled::with(|builder| builder.access(access))
    }

    pub(super) fn with(set: impl FnOnce(SimulatorBuilder) -> SimulatorBuilder) -> Self {
        let receiver = Arc::new(Mutex::new(200));
        let answers = Arc::clone(&receiver);
        let transport = MemoryTransport::new(move |_: &WebhookRequest, _| *answers.lock());
        Ruled {
            served: Served::with(|builder| set(builder).transport(Arc::new(transport))),
            receiver,
        }
    }

    fn console(&self) -> SocketAddr {
        self.served.addresses.console
    }

    /// A request with these header lines.
    pub(super) fn raw(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        raw(self.console(), method, path, headers, body)
    }

    pub(super) fn get(&self, path: &str) -> Answer {
        self.raw("GET", path, LOCAL, "")
    }

    pub(super) fn delete(&self, path: &str) -> Answer {
        self.raw("DELETE", path, LOCAL, "")
    }

    pub(super) fn post(&self, path: &str, body: &str) -> Answer {
        self.raw("POST", path, LOCAL_JSON, body)
    }

    pub(super) fn put(&self, path: &str, body: &str) -> Answer {
        self.raw("PUT", path, LOCAL_JSON, body)
    }

    /// A call of the sandbox or of live, by the key.
    pub(super) fn call(&self, key: &str, path: &str, body: &str) -> Answer {
        let headers = format!("Host: a\r\nAuthorization: Bearer {key}\r\n{JSON}");
        let address = match key.starts_with("svc_live_") {
            true => self.served.addresses.live,
            false => self.served.addresses.sandbox,
        };
        raw(address, "POST", path, &headers, body)
    }

    /// Waits until the account has an event of this kind. Gives the newest.
    pub(super) fn wait_for(&self, account: &str, kind: &str) -> Value {
        let path = format!("/control/events?account={account}&kind={kind}&wait=10s");
        let heard = self.get(&path).json();
        let newest = heard["events"].as_array().and_then(|events| events.last());
        newest.expect("it happened within the time").clone()
    }
}

const JSON: &str = "Content-Type: application/json\r\n";
pub(super) const LOCAL: &str = "Host: localhost\r\n";
pub(super) const LOCAL_JSON: &str = "Host: localhost\r\nContent-Type: application/json\r\n";

/// A request on a connection of its own.
pub(super) fn raw(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &str,
    body: &str,
) -> Answer {
    let length = match body {
        "" => String::new(),
        body => format!("Content-Length: {}\r\n", body.len()),
    };
    let head = format!("{method} {path} HTTP/1.1\r\n{headers}{length}\r\n{body}");
    Client::to(address).ask(head)
}

/// Status and whole body, for a snapshot.
pub(super) fn whole(answer: &Answer) -> String {
    match answer.body.as_str() {
        "" => answer.status.to_string(),
        _ => format!("{}\n{:#}", answer.status, answer.json()),
    }
}

/// Status and code of a refusal.
pub(super) fn refused(answer: &Answer) -> String {
    let json = answer.json();
    let code = json["error"]["code"].as_str().unwrap_or("no code");
    format!("{} {code}", answer.status)
}
