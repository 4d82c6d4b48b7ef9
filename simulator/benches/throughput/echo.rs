//! The limit: a server that answers whatever it reads with the same bytes. Faster than against this one the
//! generator can't be.

use std::io::{Result, Write as _};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// Makes the bench echo instead of measure.
pub(crate) const FLAG: &str = "--echo-server";

/// About the size of an envelope.
const BODY_BYTES: usize = 430;

/// Serves until it is killed, on a free port that it prints.
pub(crate) fn serve() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        writeln!(std::io::stdout(), "{}", listener.local_addr()?)?;
        loop {
            let (stream, _) = listener.accept().await?;
            tokio::spawn(echo(stream));
        }
    })
}

/// The generator has one request on the way for each connection, and a short one arrives in one piece.
async fn echo(mut stream: TcpStream) -> Result<()> {
    stream.set_nodelay(true)?;
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {BODY_BYTES}\r\n\r\n{}",
        " ".repeat(BODY_BYTES)
    );
    let mut request = [0; 4096];
    while stream.read(&mut request).await? > 0 {
        stream.write_all(answer.as_bytes()).await?;
    }
    Ok(())
}
