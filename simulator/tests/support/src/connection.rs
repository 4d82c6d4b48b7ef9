//! A client's keep-alive connection for benches: it costs as little as a client can, and no test needs it.

use std::io::{Error, ErrorKind, Result};
use std::ops::Range;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// One connection, with room for one answer.
pub struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
    body: Range<usize>,
}

impl Connection {
    /// A connection to this address.
    ///
    /// # Errors
    /// Where nobody listens there.
    pub async fn open(address: &str) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Connection {
            stream,
            buffer: Vec::with_capacity(16 << 10),
            body: 0..0,
        })
    }

    /// Sends a request and reads its answer whole. Gives the status.
    ///
    /// # Errors
    /// Where the connection ends, or what comes is no answer.
    pub async fn exchange(&mut self, request: &[u8]) -> Result<u16> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        loop {
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            let end = self.buffer.windows(4).position(|it| it == b"\r\n\r\n");
            let Some(end) = end else { continue };
            let head = String::from_utf8_lossy(&self.buffer[..end]);
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                let is_it = name.eq_ignore_ascii_case("content-length");
                is_it.then(|| value.trim().parse::<usize>().ok())?
            });
            let length = length.ok_or_else(|| Error::other("an answer without a length"))?;
            let status = head.get(9..12).and_then(|it| it.parse().ok());
            let status = status.ok_or_else(|| Error::other("an answer without a status"))?;
            self.body = end + 4..end + 4 + length;
            if self.buffer.len() >= self.body.end {
                return Ok(status);
            }
        }
    }

    /// The body of the last answer.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.buffer[self.body.clone()]
    }

    /// The last answer, as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.buffer).into_owned()
    }
}
