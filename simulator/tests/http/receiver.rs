//! Receivers of webhooks on ports of their own, good and hostile ones. Each ends with its runtime.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// What a receiver does with each connection.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Play {
    /// Answers each request with these bytes and keeps the connection.
    Answers(&'static [u8]),
    /// Answers the first request with these bytes and closes.
    AnswersOnce(&'static [u8]),
    /// Writes these bytes after a request and then only waits for the client to go.
    Stalls(&'static [u8]),
    /// Writes the first bytes after a request and then the others for ever.
    Endless(&'static [u8], &'static [u8]),
    /// Answers the first request with these bytes and breaks the connection at the second.
    AnswersThenResets(&'static [u8]),
    /// Writes these bytes before it is asked and then only waits for the client to go.
    Speaks(&'static [u8]),
    /// Breaks the connection before it reads anything.
    ResetsAtOnce,
    /// Breaks the connection when it has read a request.
    ResetsAfterReading,
}

/// A receiver.
pub(crate) struct Receiver {
    pub(crate) address: SocketAddr,
    seen: Arc<Seen>,
}

/// What a receiver has seen.
#[derive(Default)]
struct Seen {
    /// The requests, each with the number of its connection.
    requests: Mutex<Vec<(usize, String)>>,
    /// How many connections have ended.
    closed: AtomicUsize,
    /// How many bytes of endless answers were taken.
    taken: AtomicUsize,
}

impl Receiver {
    pub(crate) async fn new(play: Play) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let seen = Arc::new(Seen::default());
        let shared = Arc::clone(&seen);
        tokio::spawn(async move {
            for number in 0.. {
                let Ok((stream, _)) = listener.accept().await else {
                    return;
                };
                let seen = Arc::clone(&shared);
                tokio::spawn(async move {
                    connection(play, stream, number, &seen).await;
                    seen.closed.fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        Receiver { address, seen }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/webhooks", self.address)
    }

    pub(crate) fn heard(&self) -> Vec<String> {
        let requests = self.seen.requests.lock();
        requests.iter().map(|(_, text)| text.clone()).collect()
    }

    /// The connections that the requests came over.
    pub(crate) fn connections(&self) -> Vec<usize> {
        let requests = self.seen.requests.lock();
        requests.iter().map(|(number, _)| *number).collect()
    }

    /// Lets everything else run until this many connections have ended, and tells how many bytes of
    /// endless answers were taken.
    pub(crate) async fn closed(&self, connections: usize) -> usize {
        while self.seen.closed.load(Ordering::SeqCst) < connections {
            tokio::task::yield_now().await;
        }
        self.seen.taken.load(Ordering::SeqCst)
    }
}

async fn connection(play: Play, mut stream: TcpStream, number: usize, seen: &Seen) {
    match play {
        Play::ResetsAtOnce => return stream.set_zero_linger().expect("an open socket"),
        Play::Speaks(first) => {
            drop(stream.write_all(first).await);
            while stream.read(&mut [0; 1024]).await.is_ok_and(|read| read > 0) {}
            return;
        }
        _ => {}
    }
    for nth in 0.. {
        let Some(text) = request(&mut stream).await else {
            return;
        };
        seen.requests.lock().push((number, text));
        match play {
            Play::Answers(answer) => drop(stream.write_all(answer).await),
            Play::AnswersThenResets(answer) if nth == 0 => drop(stream.write_all(answer).await),
            Play::AnswersOnce(answer) => return drop(stream.write_all(answer).await),
            Play::Stalls(start) => {
                drop(stream.write_all(start).await);
                return drop(stream.read(&mut [0; 1]).await);
            }
            Play::Endless(start, part) => {
                drop(stream.write_all(start).await);
                let parts = part.repeat(1024);
                while let Ok(taken) = stream.write(&parts).await {
                    seen.taken.fetch_add(taken, Ordering::SeqCst);
                }
                return;
            }
            _ => {
                return stream.set_zero_linger().expect("an open socket");
            }
        }
    }
}

/// A whole request; none where the client has gone.
async fn request(stream: &mut TcpStream) -> Option<String> {
    let mut read = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&read);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("Content-Length: "))
                .map_or(0, |length| length.parse().expect("a length"));
            if body.len() >= length {
                return Some(text.into_owned());
            }
        }
        if stream.read_buf(&mut read).await.ok()? == 0 {
            return None;
        }
    }
}
