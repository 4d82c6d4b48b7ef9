//! Bytes to a listener over a real socket: whatever comes back is a row of envelopes, or nothing.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use svc_simulator::engine::call::request::Environment;
use svc_simulator::engine::call::rules::{Files, Rules};
use svc_simulator::engine::state::ids::Seed;
use svc_simulator::host::clock::Clock;
use svc_simulator::host::{Host, HostConfig};
use svc_simulator::http::api::Api;
use svc_simulator::http::edge::{EdgeLimits, serve};
use svc_simulator::scenario::{self, read_accounts};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use super::targets::enveloped;

/// A sandbox of its own; it ends with the value.
pub(crate) struct Listener {
    address: SocketAddr,
    _runtime: Runtime,
}

impl Listener {
    pub(crate) fn new() -> Self {
        let rules = Rules::read(&Files::built_in(), Seed::new(""));
        let rules = rules.unwrap_or_else(|problems| panic!("{problems}"));
        let accounts = read_accounts(&scenario::accounts()).expect("built in");
        let runtime = Runtime::new().expect("a runtime");
        let _inside = runtime.enter();
        let config = HostConfig::new(Clock::manual(Timestamp::constant(1_800_000_000, 0)));
        let host = Host::new(rules, accounts, config).expect("built in");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"));
        let listener = listener.expect("a port");
        let address = listener.local_addr().expect("an address");
        // A client that stalls costs a run more time than it is worth.
        let limits = EdgeLimits {
            head: Duration::from_secs(2),
            body: Duration::from_secs(2),
            linger: Duration::from_millis(100),
            ..EdgeLimits::default()
        };
        let api = Arc::new(Api {
            host: Arc::clone(&host),
            environment: Environment::Test,
            trusted_proxies: Vec::new(),
            body_timeout: limits.body,
        });
        let stop = CancellationToken::new();
        runtime.spawn(serve(listener, api, limits, stop));
        drop(_inside);
        Listener {
            address,
            _runtime: runtime,
        }
    }

    /// Panics unless all that comes back are envelopes.
    pub(crate) fn answers(&self, bytes: &[u8]) {
        let mut client = TcpStream::connect(self.address).expect("it listens");
        let wait = Some(Duration::from_secs(20));
        client.set_read_timeout(wait).expect("a socket");
        // It may be closed before all is taken, or reset after its answer.
        let _refused_in_the_middle = client.write_all(bytes);
        let _closed_already = client.shutdown(Shutdown::Write);
        let mut told = Vec::new();
        if let Err(error) = client.read_to_end(&mut told) {
            assert_eq!(
                error.kind(),
                ErrorKind::ConnectionReset,
                "it hangs: {error}"
            );
        }
        let mut rest = &told[..];
        while !rest.is_empty() {
            rest = answer(rest);
        }
    }
}

/// Looks at the answer at the beginning. Gives what follows it.
fn answer(told: &[u8]) -> &[u8] {
    let text = || String::from_utf8_lossy(told);
    let end = told.windows(4).position(|end| end == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no head: {}", text()));
    let head = std::str::from_utf8(&told[..end]).unwrap_or_else(|_| panic!("{}", text()));
    let rest = &told[end + 4..];
    let status: u16 = head[9..12].parse().expect("a status");
    if status == 100 {
        return rest;
    }
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let length = length.and_then(|length| length.parse().ok());
    let length: usize = length.unwrap_or_else(|| panic!("no length: {}", text()));
    // To a HEAD, nothing follows though a length is told. Pages and assets are no envelopes.
    if rest.is_empty() && length > 0 || rest.starts_with(b"HTTP/1.1 ") {
        return rest;
    }
    let (body, rest) = rest.split_at_checked(length).expect("a whole body");
    if head.contains("content-type: application/json") {
        enveloped(status, body);
    } else {
        assert!(head.contains("content-type: ") && status != 500, "{head}");
    }
    rest
}
