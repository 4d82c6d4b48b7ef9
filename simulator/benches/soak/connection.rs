//! A client's keep-alive connection.

use std::io::{Error, ErrorKind, Result};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// One connection, opened anew when the simulator has closed it: it does where nothing is asked for a while,
/// or where the machine stands still for so long.
pub(crate) struct Connection {
    address: String,
    stream: TcpStream,
    buffer: Vec<u8>,
    body: Vec<u8>,
    /// How often it was closed.
    pub(crate) lost: u64,
}

impl Connection {
    pub(crate) async fn open(address: &str) -> Result<Self> {
        Ok(Connection {
            address: address.to_owned(),
            stream: connect(address).await?,
            buffer: Vec::with_capacity(16 << 10),
            body: Vec::new(),
            lost: 0,
        })
    }

    /// Sends a request and reads its answer whole, once more on a new connection where the old one was
    /// closed. Gives the status.
    pub(crate) async fn exchange(&mut self, request: &str) -> Result<u16> {
        use ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
        match self.attempt(request).await {
            Err(error) if matches!(error.kind(), BrokenPipe | ConnectionReset | UnexpectedEof) => {
                self.lost += 1;
                self.stream = connect(&self.address).await?;
                self.attempt(request).await
            }
            other => other,
        }
    }

    async fn attempt(&mut self, request: &str) -> Result<u16> {
        self.stream.write_all(request.as_bytes()).await?;
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
            let whole = end + 4 + length;
            if self.buffer.len() >= whole {
                self.body = self.buffer[end + 4..whole].to_vec();
                return Ok(status);
            }
        }
    }

    /// The body of the last answer.
    pub(crate) fn body(&self) -> &[u8] {
        &self.body
    }
}

async fn connect(address: &str) -> Result<TcpStream> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}
