//! Bytes to a listener over a real socket: whatever comes back is a row of envelopes, or nothing.

use std::time::Duration;

use jiff::Timestamp;
use svc_simulator::Simulator;
use svc_simulator::host::clock::Clock;
use svc_simulator::http::edge::EdgeLimits;
use svc_test_support::Client;

use super::targets::enveloped;

/// A sandbox of its own; it ends with the value.
pub(crate) struct Listener(Simulator);

impl Listener {
    pub(crate) fn new() -> Self {
        // A client that stalls costs a run more time than it is worth.
        let limits = EdgeLimits {
            head: Duration::from_secs(2),
            body: Duration::from_secs(2),
            linger: Duration::from_millis(100),
            ..EdgeLimits::default()
        };
        let clock = Clock::manual(Timestamp::constant(1_800_000_000, 0));
        let simulator = Simulator::builder().clock(clock).limits(limits);
        Listener(simulator.start_blocking().expect("it starts"))
    }

    /// Panics unless all that comes back are envelopes.
    pub(crate) fn answers(&self, bytes: &[u8]) {
        let mut client = Client::to(self.0.addresses().sandbox);
        // It may be closed before all is taken, or reset after its answer.
        let _refused_in_the_middle = client.try_write(bytes);
        let _closed_already = client.end_writing();
        let answers = client.rest();
        let mut rest = &answers[..];
        while !rest.is_empty() {
            rest = answer(rest);
        }
    }
}

/// Looks at the answer at the beginning. Gives what follows it.
fn answer(answers: &[u8]) -> &[u8] {
    let text = || String::from_utf8_lossy(answers);
    let end = answers.windows(4).position(|end| end == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no head: {}", text()));
    let head = std::str::from_utf8(&answers[..end]).unwrap_or_else(|_| panic!("{}", text()));
    let rest = &answers[end + 4..];
    let status: u16 = head[9..12].parse().expect("a status");
    if status == 100 {
        return rest;
    }
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let length = length.and_then(|length| length.parse().ok());
    let length: usize = length.unwrap_or_else(|| panic!("no length: {}", text()));
    // To a HEAD, nothing follows though a length is given. Pages and assets are no envelopes.
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
