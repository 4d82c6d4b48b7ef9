//! Receives webhook deliveries of the Verification Service. A sample to copy, and not a web server:
//! what it does around `Receiver::receive` is what your web framework does for you.
//!
//! Settings, from the environment:
//! - `WEBHOOK_SECRET`: the webhook signing secret (required)
//! - `PORT`: the port on 127.0.0.1; 0 takes a free one (default 8080)
//! - `TOLERANCE_S`: how many seconds old, or ahead, a signature may be (default 300)

#![expect(clippy::print_stdout, reason = "a program that talks to its terminal")]

use std::collections::BTreeSet;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::Value;
use sha2::Sha256;

const MAX_BODY_BYTES: u64 = 16 * 1024 * 1024;
const MAX_HEAD_BYTES: u64 = 64 * 1024;
const CLIENT_TIMEOUT: Duration = Duration::from_secs(10);

struct Receiver {
    secret: String,
    tolerance_s: u64,
    /// The verifications acted on so far. A service would keep them in its database, with a unique
    /// index, and add the id in the same transaction as what it does about it.
    seen: Mutex<BTreeSet<String>>,
}

impl Receiver {
    /// The status of the answer: 204 to what is taken, 400 to what is not. The body is the raw
    /// bytes, before anything parses them: what is printed anew has another signature.
    fn receive(&self, signatures: &[String], body: &[u8], now_s: u64) -> u16 {
        // Several headers: somebody added one. Neither is believed.
        let [signature] = signatures else {
            return 400;
        };
        if !self.signature_is_valid(signature, body, now_s) {
            return 400;
        }
        // Only what is signed is parsed.
        let envelope: Value = serde_json::from_slice(body).unwrap_or_default();
        let Some(id) = envelope["verificationId"].as_str() else {
            return 400;
        };
        self.act_once(id, &envelope);
        204
    }

    /// Whether the header is the signature of exactly these bytes, and of this time.
    fn signature_is_valid(&self, header: &str, body: &[u8], now_s: u64) -> bool {
        // Exactly two parts, the time first.
        let parts = header
            .strip_prefix("t=")
            .and_then(|it| it.split_once(",v1="));
        let Some((timestamp, hex)) = parts else {
            return false;
        };
        let (Ok(at_s), Ok(signature)) = (timestamp.parse::<u64>(), HEXLOWER.decode(hex.as_bytes()))
        else {
            return false;
        };
        // The text of the timestamp is signed, not the number, so it is used as it stands.
        let expected = Hmac::<Sha256>::new_from_slice(self.secret.as_bytes())
            .expect("HMAC takes keys of any length")
            .chain_update(timestamp)
            .chain_update(".")
            .chain_update(body);
        // `verify_slice` compares in constant time. How long `==` takes would tell how many bytes
        // were guessed right.
        if expected.verify_slice(&signature).is_err() {
            return false;
        }
        // An old signature is a recorded delivery that somebody sends again.
        now_s.abs_diff(at_s) <= self.tolerance_s
    }

    /// Acts on a verification, unless that was done before. Deliveries come at least once.
    fn act_once(&self, id: &str, envelope: &Value) {
        // The lock is held while acting: a duplicate that comes meanwhile waits, and is not told
        // that all is done before it is.
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if !seen.contains(id) {
            act(id, envelope);
            // Only now: had acting failed, the next attempt must try again.
            seen.insert(id.to_owned());
        }
    }

    /// Answers one request, and closes the connection.
    fn serve(&self, stream: &TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(CLIENT_TIMEOUT))?;
        stream.set_write_timeout(Some(CLIENT_TIMEOUT))?;
        let mut reader = BufReader::new(stream);
        let status = match read_head(&mut reader)? {
            Head { post: false, .. } => 405,
            Head { length: None, .. } => 411,
            Head {
                length: Some(length),
                ..
            } if length > MAX_BODY_BYTES => 413,
            Head {
                length: Some(length),
                signatures,
                ..
            } => {
                let mut body = Vec::new();
                reader.take(length).read_to_end(&mut body)?;
                self.receive(&signatures, &body, unix_seconds())
            }
        };
        let mut writer = stream;
        write!(writer, "HTTP/1.1 {status} \r\nConnection: close\r\n")?;
        // A 204 has no body, and so no length.
        writer.write_all(if status == 204 {
            b"\r\n"
        } else {
            b"Content-Length: 0\r\n\r\n"
        })
    }
}

/// Your application's work. Should be short: after 10 seconds the service tries again.
fn act(id: &str, envelope: &Value) {
    println!(
        "accepted {id} {}",
        envelope["status"].as_str().unwrap_or_default()
    );
}

/// What matters of the head of a request.
#[derive(Default)]
struct Head {
    post: bool,
    length: Option<u64>,
    signatures: Vec<String>,
}

fn read_head(reader: &mut BufReader<&TcpStream>) -> io::Result<Head> {
    let (mut head, mut line) = (Head::default(), String::new());
    let mut reader = reader.take(MAX_HEAD_BYTES);
    reader.read_line(&mut line)?;
    head.post = line.starts_with("POST ");
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if line == "\r\n" {
            return Ok(head);
        }
        let (name, value) = line.split_once(':').unwrap_or_default();
        // The names of headers fold case.
        if name.eq_ignore_ascii_case("X-Service-Signature") {
            head.signatures.push(value.trim().to_owned());
        } else if name.eq_ignore_ascii_case("Content-Length") {
            head.length = value.trim().parse().ok();
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a receiver compares with the real time"
)]
fn unix_seconds() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

fn setting<T: std::str::FromStr>(name: &str, default: T) -> Result<T, String> {
    match std::env::var(name) {
        Ok(text) => text.parse().map_err(|_| format!("{name} is not a number")),
        Err(_) => Ok(default),
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let secret = std::env::var("WEBHOOK_SECRET").unwrap_or_default();
    if secret.is_empty() {
        // With an empty secret anybody could sign.
        return Err("WEBHOOK_SECRET is not set: give the webhook signing secret".into());
    }
    let receiver = Arc::new(Receiver {
        secret,
        tolerance_s: setting("TOLERANCE_S", 300)?,
        seen: Mutex::default(),
    });
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, setting("PORT", 8080)?))?;
    println!("listening on {}", listener.local_addr()?);
    for stream in listener.incoming() {
        let receiver = Arc::clone(&receiver);
        // A client that is slow or breaks off is nobody else's concern.
        thread::spawn(move || stream.and_then(|stream| receiver.serve(&stream)));
    }
    Ok(())
}
