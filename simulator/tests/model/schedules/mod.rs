//! Clients that call at once, on real threads: the wallet's history is explained by one order of the
//! calls, a key is executed once, and answers do not depend on who came first.
//!
//! `SVC_SCHEDULES=1000 cargo test --release -p svc-simulator --test model schedules` goes further.

mod duplicates;
mod histories;
mod interleavings;
mod storm;

use std::sync::Arc;

use svc_fixtures::contract::Paise;
use svc_simulator::engine::call::reply::Reply;
use svc_simulator::engine::call::request::{Body, Call, Environment, Header, Headers};
use svc_simulator::engine::state::manage;
use svc_simulator::host::Host;
use tokio::runtime::{Builder, Runtime};

use crate::world::{ACCOUNT, Stage, World};

const PAN: &str = "/v1/verify/identity/pan";
const UAN: &str = "/v1/verify/employment/uan";
const GOOD: &str = r#"{"pan": "AAAAA0000A"}"#;
const OTHER: &str = r#"{"pan": "AAAAA9999A"}"#;
const DOWN: &str = r#"{"pan": "AAAAA0503A"}"#;
const SLOW_HISTORY: &str = r#"{"uan": "100000000202"}"#;
const PAN_PRICE: i64 = 250;
const UAN_PRICE: i64 = 4000;

/// How many clients call at once where each does something of its own.
const CLIENTS: usize = 4;

/// One call, on live until it says otherwise.
#[derive(Clone, Copy)]
struct Ask<'a> {
    environment: Environment,
    method: &'a str,
    path: &'a str,
    body: &'a str,
    key: Option<&'a str>,
    reference: Option<&'a str>,
}

impl<'a> Ask<'a> {
    fn post(path: &'a str, body: &'a str) -> Self {
        Ask {
            environment: Environment::Live,
            method: "POST",
            path,
            body,
            key: None,
            reference: None,
        }
    }

    fn get(path: &'a str) -> Self {
        Ask {
            method: "GET",
            ..Ask::post(path, "")
        }
    }

    async fn of(self, host: &Arc<Host>) -> Reply {
        let header = |text: Option<&'a str>| match text {
            Some(text) => Header::One(text.as_bytes()),
            None => Header::Absent,
        };
        let bearer = format!("Bearer {}{ACCOUNT}", self.environment.key_prefix());
        let call = Call {
            environment: self.environment,
            peer: [127, 0, 0, 1].into(),
            method: self.method,
            path: self.path,
            query: "",
            headers: Headers {
                authorization: Header::One(bearer.as_bytes()),
                content_type: Header::One(b"application/json"),
                idempotency_key: header(self.key),
                reference_id: header(self.reference),
                ..Headers::default()
            },
            body: Body::Whole(self.body.as_bytes()),
        };
        host.answer(&call).await
    }
}

/// Threads of which more run than there are cores.
fn runtime() -> Runtime {
    let mut builder = Builder::new_multi_thread();
    let runtime = builder.worker_threads(4).enable_time().build();
    runtime.expect("a runtime")
}

fn world(stage: &Stage, runtime: &Runtime) -> World {
    let _in_runtime = runtime.enter();
    World::new(stage)
}

/// Balance, held and charged on live.
fn wallet(world: &World) -> (i64, i64, i64) {
    world.cell.read(|account| {
        let wallet = &account.environment(Environment::Live).wallet;
        (wallet.balance().0, wallet.held().0, wallet.charged().0)
    })
}

fn top_up(host: &Arc<Host>, world: &World, amount: i64) {
    let live = Environment::Live;
    let changed = host.change(&world.cell, live, |account, _| {
        manage::top_up(account, live, Paise(amount))
    });
    changed.expect("a wallet takes this");
}
