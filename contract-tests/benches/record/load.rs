//! Loads: so many connections, each one request after another, as fast as they can or so many a second in all.

use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::runtime::Builder;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// A load.
#[derive(Clone, Copy)]
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
        requests: 5000,
        a_second: None,
    },
    Load {
        name: "1,000 a second over 8 connections",
        connections: 8,
        requests: 500,
        a_second: Some(1000),
    },
    Load {
        name: "32 connections at full speed",
        connections: 32,
        requests: 2000,
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
    pub(crate) fn send(self, to: SocketAddr, request: &'static [u8], answer: usize) -> Sent {
        let begin = Instant::now();
        // As fast as they can all are one thread's: as many threads would have the processor's caches for themselves. At
        // their own time each has a thread, which wakes when the next request is due.
        let all: Vec<u32> = (0..self.connections).collect();
        let together = if self.a_second.is_some() {
            1
        } else {
            all.len()
        };
        let mut waited: Vec<Duration> = thread::scope(|scope| {
            let threads = all.chunks(together);
            let threads =
                threads.map(|some| scope.spawn(|| self.connections(some, to, request, answer)));
            let threads: Vec<_> = threads.collect();
            let ended = threads.into_iter().map(|one| one.join().expect("it ended"));
            ended.flatten().collect()
        });
        let took = begin.elapsed();
        waited.sort();
        Sent { waited, took }
    }

    /// Some connections, on this thread.
    fn connections(
        self,
        some: &[u32],
        to: SocketAddr,
        request: &'static [u8],
        answer: usize,
    ) -> Vec<Duration> {
        let runtime = Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let one = |&number| self.connection(number, to, request, answer);
            let all: JoinSet<_> = some.iter().map(one).collect();
            all.join_all().await.concat()
        })
    }

    async fn connection(
        self,
        number: u32,
        to: SocketAddr,
        request: &'static [u8],
        answer: usize,
    ) -> Vec<Duration> {
        let mut stream = TcpStream::connect(to).await.expect("it listens");
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
            stream.write_all(request).await.expect("it reads");
            let mut read = 0;
            // A proxy may add a header of its own: an answer is whole when its last bytes came.
            while read < answer || !buffer[..read].ends_with(b"}}") {
                let more = stream.read(&mut buffer[read..]).await.expect("it answers");
                assert!(more > 0, "it broke off");
                read += more;
            }
            waited.push(from.elapsed());
        }
        waited
    }
}
