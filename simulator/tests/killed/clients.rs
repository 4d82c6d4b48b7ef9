//! Clients that remember every acknowledged answer. Each ends when the simulator does.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use svc_test_support::{Answer, request};

/// The accounts that are called, many clients each.
pub(crate) const ACCOUNTS: [&str; 3] = ["local", "local_killed", "local_shared"];

const CLIENTS: usize = 32;

/// What was asked.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) account: &'static str,
    pub(crate) key: String,
    /// Whether its result comes later.
    pub(crate) slow: bool,
    number: usize,
}

/// And answered.
#[derive(Debug)]
pub(crate) struct Acknowledged {
    pub(crate) asked: Asked,
    pub(crate) answer: Answer,
}

/// A connection that may break at any time.
pub(crate) struct Connection(TcpStream);

impl Connection {
    pub(crate) fn to(address: &str) -> Self {
        Connection::reached(address).expect("somebody listens")
    }

    /// None where nobody listens any more.
    fn reached(address: &str) -> Option<Self> {
        let stream = TcpStream::connect(address).ok()?;
        stream.set_nodelay(true).expect("the machine works");
        let patience = stream.set_read_timeout(Some(Duration::from_secs(20)));
        patience.expect("the machine works");
        Some(Connection(stream))
    }

    /// The answer; none where the connection broke before all of it was there.
    pub(crate) fn ask(&mut self, asked: &Asked) -> Option<Answer> {
        let (path, body) = match asked.slow {
            true => ("employment/uan", r#"{"uan": "100000000202"}"#.to_owned()),
            false => {
                let pan = format!("ABCPK{:04}L", asked.number % 9000 + 1000);
                ("identity/pan", format!(r#"{{"pan": "{pan}"}}"#))
            }
        };
        let headers = format!(
            "{}Idempotency-Key: {}\r\n",
            headers(asked.account),
            asked.key
        );
        let line = format!("POST /v1/verify/{path} HTTP/1.1");
        self.send(&request(&line, &headers, &body))
    }

    pub(crate) fn look_up(&mut self, account: &str, id: &str) -> Option<Answer> {
        let line = format!("GET /v1/verifications/{id} HTTP/1.1");
        self.send(&format!("{line}\r\n{}\r\n", headers(account)))
    }

    pub(crate) fn usage(&mut self, account: &str) -> Option<Answer> {
        self.send(&format!(
            "GET /v1/usage HTTP/1.1\r\n{}\r\n",
            headers(account)
        ))
    }

    fn send(&mut self, request: &str) -> Option<Answer> {
        self.0.write_all(request.as_bytes()).ok()?;
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            self.0.read_exact(&mut byte).ok()?;
            head.extend(byte);
        }
        let head = String::from_utf8(head).expect("text");
        let mut answer = Answer {
            status: head[9..12].parse().expect("a status"),
            head,
            body: String::new(),
        };
        let length = answer.header("content-length").expect("a length");
        let mut body = vec![0; length.parse().expect("a length")];
        self.0.read_exact(&mut body).ok()?;
        answer.body = String::from_utf8(body).expect("text");
        Some(answer)
    }
}

fn headers(account: &str) -> String {
    format!("Host: live\r\nAuthorization: Bearer svc_live_{account}\r\n")
}

/// Clients at work.
pub(crate) struct Load {
    clients: Vec<JoinHandle<(Vec<Acknowledged>, Option<Asked>)>>,
    told: Receiver<()>,
}

impl Load {
    pub(crate) fn begin(live: &str, round: usize) -> Self {
        let (tell, told) = channel();
        let clients = (0..CLIENTS).map(|client| {
            let (live, tell) = (live.to_owned(), tell.clone());
            std::thread::spawn(move || ask_until_it_ends(&live, round, client, &tell))
        });
        Load {
            clients: clients.collect(),
            told,
        }
    }

    /// Waits until so many answers have come.
    pub(crate) fn wait_for(&self, answers: usize) {
        for _ in 0..answers {
            let patience = Duration::from_secs(20);
            self.told.recv_timeout(patience).expect("it answers");
        }
    }

    /// What was answered, and what was asked and not answered.
    pub(crate) fn end(self) -> (Vec<Acknowledged>, Vec<Asked>) {
        let (mut told, mut open) = (Vec::new(), Vec::new());
        for client in self.clients {
            let (acknowledged, last) = client.join().expect("a client does not panic");
            told.extend(acknowledged);
            open.extend(last);
        }
        (told, open)
    }
}

fn ask_until_it_ends(
    live: &str,
    round: usize,
    client: usize,
    tell: &Sender<()>,
) -> (Vec<Acknowledged>, Option<Asked>) {
    let mut told: Vec<Acknowledged> = Vec::new();
    // The kill may come before the first of its calls.
    let Some(mut connection) = Connection::reached(live) else {
        return (told, None);
    };
    for number in 0.. {
        let asked = Asked {
            account: ACCOUNTS[(client + number) % ACCOUNTS.len()],
            key: format!("round {round} client {client} call {number}"),
            slow: number % 11 == client % 11,
            number: round * 1009 + client * 131 + number,
        };
        let Some(answer) = connection.ask(&asked) else {
            return (told, Some(asked));
        };
        assert!(matches!(answer.status, 200 | 202), "{asked:?}: {answer:?}");
        told.push(Acknowledged { asked, answer });
        // The test may have heard enough.
        let _ = tell.send(());
    }
    unreachable!("numbers do not end")
}
