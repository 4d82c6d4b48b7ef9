//! Loads: so many connections, each one request after another, as fast as they can or so many a second in all.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;

use tokio::time::Instant;

/// A load.
pub(crate) struct Load {
    /// What it is called.
    pub(crate) name: &'static str,
    connections: u32,
    /// How many requests each connection sends.
    requests: u32,
    /// How many all of them send a second; none: as many as they can.
    a_second: Option<u32>,
}

/// What is measured.
pub(crate) const LOADS: &[Load] = &[
    Load {
        name: "one request after another",
        connections: 1,
        requests: 2000,
        a_second: None,
    },
    Load {
        name: "1,000 a second over 8 connections",
        connections: 8,
        requests: 375,
        a_second: Some(1000),
    },
    Load {
        name: "32 connections at full speed",
        connections: 32,
        requests: 500,
        a_second: None,
    },
];

/// What came of it.
pub(crate) struct Sent {
    /// How long each answer was waited for, the shortest first.
    pub(crate) waited: Vec<Duration>,
    /// How long all of it took.
    pub(crate) took: Duration,
}

impl Load {
    /// Sends the request; each answer has this length.
    pub(crate) fn send(&self, to: SocketAddr, request: &[u8], answer: usize) -> Sent {
        let begin = Instant::now();
        let mut waited: Vec<Duration> = thread::scope(|scope| {
            let one = |number| scope.spawn(move || self.connection(number, to, request, answer));
            let all: Vec<_> = (0..self.connections).map(one).collect();
            let ended = all.into_iter().map(|one| one.join().expect("it ended"));
            ended.flatten().collect()
        });
        let took = begin.elapsed();
        waited.sort();
        Sent { waited, took }
    }

    fn connection(
        &self,
        number: u32,
        to: SocketAddr,
        request: &[u8],
        answer: usize,
    ) -> Vec<Duration> {
        let mut stream = TcpStream::connect(to).expect("it listens");
        stream.set_nodelay(true).expect("a socket");
        let mut buffer = vec![0; 4096];
        let begin = Instant::now();
        let mut waited = Vec::new();
        for nth in 0..self.requests {
            // What is late counts from when it was due: a slow answer does not hide the ones behind it.
            let due = self.a_second.map(|rate| {
                let turn = nth * self.connections + number;
                begin + Duration::from_secs_f64(f64::from(turn) / f64::from(rate))
            });
            while let Some(left) = due.and_then(|due| due.checked_duration_since(Instant::now())) {
                if left.is_zero() {
                    break;
                }
                thread::park_timeout(left);
            }
            let from = due.unwrap_or_else(Instant::now);
            stream.write_all(request).expect("it reads");
            let mut read = 0;
            // A proxy may add a header of its own: an answer is whole when its last bytes came.
            while read < answer || !buffer[..read].ends_with(b"}}") {
                let more = stream.read(&mut buffer[read..]).expect("it answers");
                assert!(more > 0, "it broke off");
                read += more;
            }
            waited.push(from.elapsed());
        }
        waited
    }
}
