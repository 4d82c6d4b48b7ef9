//! What tests of the whole command need: a service that answers everything alike, a folder, the command.

use std::path::PathBuf;
use std::process::Command;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A folder of its own, gone when the test is over.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("svc-contract-tests-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder of its own");
        Folder(path)
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// Every file below, with all that is in it.
    pub(crate) fn files(&self) -> Vec<(String, Vec<u8>)> {
        let (mut found, mut folders) = (Vec::new(), vec![self.0.clone()]);
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("it is there") {
                let path = entry.expect("an entry").path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => found.push((
                        path.display().to_string(),
                        std::fs::read(&path).expect("a file"),
                    )),
                }
            }
        }
        found
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What a service answers to everything, beside the status 200.
#[derive(Clone)]
pub(crate) struct Answer {
    /// Header lines, each with its line end.
    pub(crate) headers: String,
    /// The body.
    pub(crate) body: String,
}

/// A service on this machine, gone when the test is over.
pub(crate) struct Service {
    base: String,
    task: JoinHandle<()>,
}

impl Service {
    pub(crate) async fn start(answer: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let task = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                tokio::spawn(reply(socket, answer.clone()));
            }
        });
        Service { base, task }
    }

    pub(crate) fn base(&self) -> String {
        self.base.clone()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn reply(mut socket: TcpStream, answer: Answer) {
    let mut sent = Vec::new();
    let mut part = vec![0; 65536];
    while !is_whole(&sent) {
        match socket.read(&mut part).await {
            Ok(0) | Err(_) => return,
            Ok(length) => sent.extend_from_slice(&part[..length]),
        }
    }
    let Answer { headers, body } = answer;
    let length = body.len();
    let whole = format!(
        "HTTP/1.1 200 OK\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    // Whoever asked may have gone.
    let _ = socket.write_all(whole.as_bytes()).await;
}

/// Whether head and body are there.
fn is_whole(sent: &[u8]) -> bool {
    let text = String::from_utf8_lossy(sent).to_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let length = head.split("content-length: ").nth(1);
    let length = length.and_then(|rest| rest.split("\r\n").next()?.parse().ok());
    body.len() >= length.unwrap_or(0)
}

/// The command with these arguments and an empty environment.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_svc-contract-tests"));
    command.args(arguments).env_clear();
    command
}
