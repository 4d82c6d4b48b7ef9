//! A simulator whose clock stands still, and the calls these tests make of it.

use std::ops::Deref;
use std::sync::Arc;

use jiff::Timestamp;
use svc_simulator::host::clock::Clock;
use svc_simulator::host::transport::NoTransport;
use svc_simulator::http::ListenerAddresses;
use svc_simulator::http::edge::EdgeLimits;
use svc_simulator::http::first_call::FirstCall;
use svc_simulator::{Simulator, SimulatorBuilder};
pub(crate) use svc_test_support::{Answer, Client};

/// A simulator; it ends with the value.
pub(crate) struct Served {
    simulator: Simulator,
    pub(crate) addresses: ListenerAddresses,
}

impl Served {
    pub(crate) fn new() -> Self {
        Served::with(|builder| builder)
    }

    pub(crate) fn with_limits(limits: EdgeLimits) -> Self {
        Served::with(|builder| builder.limits(limits))
    }

    pub(crate) fn with(set: impl FnOnce(SimulatorBuilder) -> SimulatorBuilder) -> Self {
        let builder = Simulator::builder()
            .clock(Clock::manual(Timestamp::constant(1_800_000_000, 0)))
            .transport(Arc::new(NoTransport));
        let simulator = set(builder).start_blocking().expect("it starts");
        let addresses = simulator.addresses();
        Served {
            simulator,
            addresses,
        }
    }

    pub(crate) fn connect(&self) -> Client {
        Client::to(self.addresses.sandbox)
    }

    /// The bytes of a call that succeeds.
    pub(crate) fn call(&self, key: &str, more_headers: &str) -> String {
        let call = self.first_call();
        let (path, body) = (call.path, call.body);
        format!(
            "POST {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n{more_headers}\r\n{body}",
            body.len()
        )
    }

    /// The head of a call whose body is still to come.
    pub(crate) fn head(&self, length: &str) -> String {
        let call = self.first_call();
        format!(
            "POST {} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\n{length}\r\n\r\n",
            call.path, call.key
        )
    }

    fn first_call(&self) -> FirstCall {
        let contract = &self.host().rules().contract;
        FirstCall::find(contract, self.accounts()).expect("a call that succeeds")
    }

    /// Waits until every listener has ended.
    pub(crate) fn ended(self) {
        self.simulator.stop_blocking();
    }
}

impl Deref for Served {
    type Target = Simulator;

    fn deref(&self) -> &Simulator {
        &self.simulator
    }
}
