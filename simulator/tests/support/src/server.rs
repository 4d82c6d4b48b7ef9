//! A server that answers as it is told and records what came: webhook receivers and services, good and
//! hostile ones. On a thread of its own; it ends with the value.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use super::{WORKS, taken_address};

/// A request as it came.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The number of its connection, from 0.
    pub connection: usize,
    /// Its method.
    pub method: String,
    /// Its target.
    pub path: String,
    /// Its headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Vec<u8>,
    /// All of it, as text.
    pub text: String,
}

/// What comes back for one request.
#[derive(Debug, Clone)]
pub enum Reply {
    /// This status with these headers and this body; then the connection ends.
    Says(u16, Vec<(String, String)>, Vec<u8>),
    /// The connection ends without an answer.
    HangsUp,
    /// Nothing, until the client goes.
    IsSilent,
}

/// What a server does with each connection.
#[derive(Clone, Copy)]
pub enum Behaviour {
    /// Answers each request with these bytes and keeps the connection.
    Answers(&'static [u8]),
    /// Answers each request with these bytes and keeps the connection, but remembers nothing: for benches.
    Forgets(&'static [u8]),
    /// Answers each request with what this makes and keeps the connection, but remembers nothing: for benches.
    Makes(fn() -> Vec<u8>),
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

/// A server.
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
    /// Its base URL, without a slash at its end.
    pub url: String,
    seen: Arc<Seen>,
    /// Dropped with the value, which ends the thread.
    _stop: oneshot::Sender<()>,
}

/// What a server has seen.
#[derive(Default)]
struct Seen {
    requests: Mutex<Vec<Request>>,
    /// Told whenever one more came.
    came: Condvar,
    /// How many connections have ended.
    closed: AtomicUsize,
    /// How many bytes of endless answers were taken.
    taken: AtomicUsize,
}

type Function = Arc<dyn Fn(&Request) -> Reply + Send + Sync>;

/// What decides an answer.
#[derive(Clone)]
enum Handler {
    Behaviour(Behaviour),
    Function(Function),
}

impl Server {
    /// One that does the same with each connection.
    #[must_use]
    pub fn behaving(behaviour: Behaviour) -> Self {
        Server::with(Handler::Behaviour(behaviour))
    }

    /// One that asks this function for each answer.
    #[must_use]
    pub fn start(reply: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        Server::with(Handler::Function(Arc::new(reply)))
    }

    fn with(handler: Handler) -> Self {
        let listener = taken_address();
        let address = listener.local_addr().expect(WORKS);
        listener.set_nonblocking(true).expect(WORKS);
        let (seen, (_stop, stopped)) = (Arc::new(Seen::default()), oneshot::channel());
        let shared = Arc::clone(&seen);
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect(WORKS);
            runtime.block_on(async {
                let listener = TcpListener::from_std(listener).expect(WORKS);
                tokio::select! {
                    () = accept(listener, handler, shared) => {}
                    _ = stopped => {}
                }
            });
            // A function may wait for what does not come any more.
            runtime.shutdown_background();
        });
        let url = format!("http://{address}");
        Server {
            address,
            url,
            seen,
            _stop,
        }
    }

    /// The requests that came so far, in the order in which they were whole.
    #[must_use]
    pub fn sent(&self) -> Vec<Request> {
        self.seen.requests.lock().clone()
    }

    /// The requests, as soon as so many have come.
    #[must_use]
    pub fn sent_when(&self, count: usize) -> Vec<Request> {
        let mut requests = self.seen.requests.lock();
        let few = |requests: &mut Vec<Request>| requests.len() < count;
        // Only a failing test waits so long.
        let long = Duration::from_secs(20);
        let waited = self.seen.came.wait_while_for(&mut requests, few, long);
        assert!(!waited.timed_out(), "not {count} requests: {requests:?}");
        requests.clone()
    }

    /// Lets everything else run until this many connections have ended, and tells how many bytes of
    /// endless answers were taken.
    pub async fn closed(&self, connections: usize) -> usize {
        while self.seen.closed.load(Ordering::SeqCst) < connections {
            tokio::task::yield_now().await;
        }
        self.seen.taken.load(Ordering::SeqCst)
    }
}

impl Seen {
    fn push(&self, request: Request) {
        self.requests.lock().push(request);
        self.came.notify_all();
    }
}

impl Request {
    /// The value of its first header of this name, which is in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Its body.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    fn parse(read: &[u8], connection: usize) -> Option<Self> {
        let end = read.windows(4).position(|it| it == b"\r\n\r\n")?;
        let head = String::from_utf8_lossy(&read[..end]);
        let (line, fields) = head.split_once("\r\n").unwrap_or((&head, ""));
        let mut line = line.split(' ').map(str::to_owned);
        let pairs = fields.lines().filter_map(|line| line.split_once(':'));
        let mut request = Request {
            connection,
            method: line.next().unwrap_or_default(),
            path: line.next().unwrap_or_default(),
            headers: pairs
                .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
                .collect(),
            ..Request::default()
        };
        let length = request.header("content-length");
        let length: usize = length.map_or(0, |length| length.parse().expect("a length"));
        let body = &read[end + 4..];
        (body.len() >= length).then(|| {
            request.body = body.to_vec();
            request.text = String::from_utf8_lossy(read).into_owned();
            request
        })
    }
}

async fn accept(listener: TcpListener, handler: Handler, seen: Arc<Seen>) {
    for number in 0.. {
        let Ok((stream, _)) = listener.accept().await else {
            return;
        };
        let (handler, seen) = (handler.clone(), Arc::clone(&seen));
        tokio::spawn(async move {
            match handler {
                Handler::Behaviour(behaviour) => behave(behaviour, stream, number, &seen).await,
                Handler::Function(function) => reply(function, stream, number, &seen).await,
            }
            seen.closed.fetch_add(1, Ordering::SeqCst);
        });
    }
}

async fn behave(behaviour: Behaviour, mut stream: TcpStream, number: usize, seen: &Seen) {
    match behaviour {
        Behaviour::ResetsAtOnce => return reset(&stream),
        Behaviour::Speaks(first) => {
            drop(stream.write_all(first).await);
            return until_gone(&mut stream).await;
        }
        _ => {}
    }
    for nth in 0.. {
        let Some(request) = read(&mut stream, number).await else {
            return;
        };
        if !matches!(behaviour, Behaviour::Forgets(_) | Behaviour::Makes(_)) {
            seen.push(request);
        }
        match behaviour {
            Behaviour::Answers(answer) | Behaviour::Forgets(answer) => {
                drop(stream.write_all(answer).await);
            }
            Behaviour::Makes(answer) => drop(stream.write_all(&answer()).await),
            Behaviour::AnswersThenResets(answer) if nth == 0 => {
                drop(stream.write_all(answer).await);
            }
            Behaviour::AnswersOnce(answer) => return drop(stream.write_all(answer).await),
            Behaviour::Stalls(start) => {
                drop(stream.write_all(start).await);
                return until_gone(&mut stream).await;
            }
            Behaviour::Endless(start, part) => {
                drop(stream.write_all(start).await);
                let parts = part.repeat(1024);
                while stream.write_all(&parts).await.is_ok() {
                    seen.taken.fetch_add(parts.len(), Ordering::SeqCst);
                }
                return;
            }
            _ => return reset(&stream),
        }
    }
}

async fn reply(function: Function, mut stream: TcpStream, number: usize, seen: &Seen) {
    let Some(request) = read(&mut stream, number).await else {
        return;
    };
    seen.push(request.clone());
    // It may take its time, or start a runtime of its own.
    let reply = tokio::task::spawn_blocking(move || function(&request)).await;
    match reply.expect("the function does not panic") {
        Reply::Says(status, headers, body) => {
            let length = body.len();
            let mut answer =
                format!("HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {length}\r\n");
            for (name, value) in headers {
                answer += &format!("{name}: {value}\r\n");
            }
            let answer = [format!("{answer}\r\n").as_bytes(), &body].concat();
            // Whoever asked may have gone.
            drop(stream.write_all(&answer).await);
        }
        Reply::HangsUp => {}
        Reply::IsSilent => until_gone(&mut stream).await,
    }
}

fn reset(stream: &TcpStream) {
    stream.set_zero_linger().expect("an open socket");
}

async fn until_gone(stream: &mut TcpStream) {
    while stream.read(&mut [0; 1024]).await.is_ok_and(|read| read > 0) {}
}

/// A whole request; none where the client has gone.
async fn read(stream: &mut TcpStream, number: usize) -> Option<Request> {
    let mut read = Vec::new();
    loop {
        if let Some(request) = Request::parse(&read, number) {
            return Some(request);
        }
        if stream.read_buf(&mut read).await.ok()? == 0 {
            return None;
        }
    }
}
