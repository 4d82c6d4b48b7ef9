//! A webhook receiver that takes everything.

use std::io::Result;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// Listens on a free port and tells which.
pub(crate) async fn listen() -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?.to_string();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(take(stream));
        }
    });
    Ok(address)
}

/// Answers when a request has come whole: its body ends an envelope.
async fn take(mut stream: TcpStream) {
    let mut buffer = Vec::with_capacity(8 << 10);
    while let Ok(1..) = stream.read_buf(&mut buffer).await {
        if !buffer.ends_with(b"}}") {
            continue;
        }
        buffer.clear();
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
        if stream.write_all(answer).await.is_err() {
            return;
        }
    }
}
