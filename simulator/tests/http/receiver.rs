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
    /// Breaks the connection before it reads anything.
    ResetsAtOnce,
    /// Breaks the connection when it has read a request.
    ResetsAfterReading,
}

/// A receiver.
pub(crate) struct Receiver {
    pub(crate) address: SocketAddr,
    /// The requests, each with the number of its connection.
    heard: Arc<Mutex<Vec<(usize, String)>>>,
    closed: Arc<AtomicUsize>,
}

impl Receiver {
    pub(crate) async fn new(play: Play) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let receiver = Receiver {
            address: listener.local_addr().expect("an address"),
            heard: Arc::default(),
            closed: Arc::default(),
        };
        let (heard, closed) = (Arc::clone(&receiver.heard), Arc::clone(&receiver.closed));
        tokio::spawn(async move {
            let mut connections = 0;
            while let Ok((stream, _)) = listener.accept().await {
                let (number, heard, closed) = (connections, Arc::clone(&heard), closed.clone());
                connections += 1;
                tokio::spawn(async move {
                    connection(play, stream, |request| heard.lock().push((number, request))).await;
                    closed.fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        receiver
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/webhooks", self.address)
    }

    pub(crate) fn heard(&self) -> Vec<String> {
        let heard = self.heard.lock();
        heard.iter().map(|(_, request)| request.clone()).collect()
    }

    /// The connections that the requests came over.
    pub(crate) fn connections(&self) -> Vec<usize> {
        self.heard
            .lock()
            .iter()
            .map(|(number, _)| *number)
            .collect()
    }

    /// Lets everything else run until this many connections have ended.
    pub(crate) async fn closed(&self, connections: usize) {
        while self.closed.load(Ordering::SeqCst) < connections {
            tokio::task::yield_now().await;
        }
    }
}

async fn connection(play: Play, mut stream: TcpStream, hear: impl Fn(String)) {
    if matches!(play, Play::ResetsAtOnce) {
        stream.set_zero_linger().expect("an open socket");
        return;
    }
    while let Some(request) = request(&mut stream).await {
        hear(request);
        match play {
            Play::Answers(answer) => {
                if stream.write_all(answer).await.is_err() {
                    return;
                }
            }
            Play::AnswersOnce(answer) => {
                let _ = stream.write_all(answer).await;
                return;
            }
            Play::Stalls(start) => {
                let _ = stream.write_all(start).await;
                let _ = stream.read(&mut [0; 1]).await;
                return;
            }
            Play::Endless(start, part) => {
                let _ = stream.write_all(start).await;
                let parts = part.repeat(1024);
                while stream.write_all(&parts).await.is_ok() {}
                return;
            }
            Play::ResetsAtOnce | Play::ResetsAfterReading => {
                stream.set_zero_linger().expect("an open socket");
                return;
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
