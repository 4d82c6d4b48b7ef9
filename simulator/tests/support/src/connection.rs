//! A client's keep-alive connection for benches: it costs as little as a client can, and no test needs it.

use std::io::{Error, ErrorKind, Result};
use std::net::Ipv4Addr;
use std::ops::Range;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

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
        Connection::of(TcpStream::connect(address).await?)
    }

    /// The same from an address of this machine.
    ///
    /// # Errors
    /// Where nobody listens there, or the machine does not have the address.
    pub async fn open_from(from: Ipv4Addr, address: &str) -> Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.bind((from, 0).into())?;
        let address = address.parse().map_err(Error::other)?;
        Connection::of(socket.connect(address).await?)
    }

    fn of(stream: TcpStream) -> Result<Self> {
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
            let Some((status, head, length)) = read_head(&self.buffer)? else {
                continue;
            };
            self.body = head..head + length;
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

/// Status, length of the head and length of the body of the answer that begins here; none while its head is
/// incomplete.
fn read_head(answer: &[u8]) -> Result<Option<(u16, usize, usize)>> {
    let mut headers = [httparse::EMPTY_HEADER; 32];
    let mut response = httparse::Response::new(&mut headers);
    let parsed = response.parse(answer).map_err(Error::other)?;
    let (httparse::Status::Complete(head), Some(status)) = (parsed, response.code) else {
        return Ok(None);
    };
    let mut headers = response.headers.iter();
    let length = headers.find(|header| header.name.eq_ignore_ascii_case("content-length"));
    let length = length.and_then(|header| str::from_utf8(header.value).ok()?.parse().ok());
    let length = length.ok_or_else(|| Error::other("an answer without a length"))?;
    Ok(Some((status, head, length)))
}
