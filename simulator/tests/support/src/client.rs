//! A client that writes bytes and reads answers, so that a test can send what no HTTP library would.

use std::io::{ErrorKind, Read as _, Result, Write as _};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::time::Duration;

use serde_json::Value;

use super::WORKS;

/// One connection.
pub struct Client(TcpStream);

/// An answer as it arrived.
#[derive(Debug)]
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// Its status line and headers, to the empty line.
    pub head: String,
    /// Its body.
    pub body: String,
}

/// The bytes of a request that begins with this line and has these header lines, each with its line
/// end. Its body is JSON.
#[must_use]
pub fn request(line: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "{line}\r\n{headers}Content-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    )
}

impl Answer {
    /// The value of its first header of this name, in any case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (known, value) = line.split_once(':')?;
            known.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }

    /// Its body.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The code of a failed envelope.
    #[must_use]
    pub fn code(&self) -> String {
        let json = self.json();
        assert_eq!(json["success"], false, "{self:?}");
        json["error"]["code"].as_str().expect("a code").to_owned()
    }
}

impl Client {
    /// A connection to this address.
    #[must_use]
    pub fn to(address: impl ToSocketAddrs) -> Self {
        let stream = TcpStream::connect(address).expect("somebody listens");
        stream.set_nodelay(true).expect(WORKS);
        let client = Client(stream);
        // Only a failing test waits so long.
        client.wait_up_to(Duration::from_secs(20));
        client
    }

    /// Whether somebody listens there.
    #[must_use]
    pub fn reaches(address: impl ToSocketAddrs) -> bool {
        TcpStream::connect(address).is_ok()
    }

    /// How long a read may take from now on.
    pub fn wait_up_to(&self, time: Duration) {
        self.0.set_read_timeout(Some(time)).expect(WORKS);
    }

    /// Another handle on the same connection.
    #[must_use]
    pub fn same(&self) -> Self {
        Client(self.0.try_clone().expect(WORKS))
    }

    /// Writes bytes.
    pub fn write(&mut self, bytes: impl AsRef<[u8]>) {
        self.try_write(bytes).expect("they are taken");
    }

    /// Writes bytes to one who may not take them all.
    ///
    /// # Errors
    /// Where they are not taken.
    pub fn try_write(&mut self, bytes: impl AsRef<[u8]>) -> Result<()> {
        self.0.write_all(bytes.as_ref())
    }

    /// Writes nothing any more.
    ///
    /// # Errors
    /// Where the connection has ended.
    pub fn end_writing(&mut self) -> Result<()> {
        self.0.shutdown(Shutdown::Write)
    }

    /// Writes bytes and reads the answer.
    pub fn ask(&mut self, bytes: impl AsRef<[u8]>) -> Answer {
        self.write(bytes);
        self.answer(true)
    }

    /// Reads an answer; to `HEAD` it has no body, whatever its length.
    pub fn answer(&mut self, with_body: bool) -> Answer {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            self.0.read_exact(&mut byte).expect("an answer");
            head.extend(byte);
        }
        let head = String::from_utf8(head).expect("text");
        let status = head[9..12].parse().expect("a status");
        let mut answer = Answer {
            status,
            head,
            body: String::new(),
        };
        if let Some(length) = answer.header("content-length").filter(|_| with_body) {
            let mut body = vec![0; length.parse().expect("a length")];
            self.0.read_exact(&mut body).expect("a whole body");
            answer.body = String::from_utf8(body).expect("text");
        }
        answer
    }

    /// Reads the status of an answer and no more of it.
    pub fn status(&mut self) -> u16 {
        let mut line = [0; 12];
        self.0.read_exact(&mut line).expect("an answer");
        let line = std::str::from_utf8(&line).expect("a status line");
        line[9..].parse().expect("a status")
    }

    /// Reads some bytes, or finds the end.
    ///
    /// # Errors
    /// Where none come in time, or the connection broke.
    pub fn try_read(&mut self, bytes: &mut [u8]) -> Result<usize> {
        self.0.read(bytes)
    }

    /// Reads all that comes until the end of the connection.
    ///
    /// # Errors
    /// Where it is no orderly end.
    pub fn try_rest(&mut self) -> Result<Vec<u8>> {
        let mut rest = Vec::new();
        self.0.read_to_end(&mut rest).map(|_| rest)
    }

    /// Reads all that comes until the end of the connection, which may be a reset.
    pub fn rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        if let Err(error) = self.0.read_to_end(&mut rest) {
            assert_eq!(
                error.kind(),
                ErrorKind::ConnectionReset,
                "it hangs: {error}"
            );
        }
        rest
    }

    /// Waits for the end of the connection; nothing may come before it.
    pub fn closed(mut self) {
        let rest = self.rest();
        assert!(rest.is_empty(), "{}", String::from_utf8_lossy(&rest));
    }
}
