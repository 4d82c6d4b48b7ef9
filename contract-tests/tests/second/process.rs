//! The second implementation as a process of its own, in which other defects can be planted.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use reqwest::Url;
use serde_json::{Value, json};
use svc_test_support::Folder;

/// Its program.
pub(crate) const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/second/service.py");

/// A running service; it ends with this value.
pub(crate) struct Second {
    process: Child,
    /// Its addresses.
    pub(crate) sandbox: Url,
    pub(crate) live: Url,
    pub(crate) console: Url,
    _prices: Folder,
}

impl Second {
    /// Starts it on free ports, at these prices in INR by endpoint or at its own, with more arguments.
    pub(crate) fn start(prices: Option<&Value>, more: &[&str]) -> Self {
        let folder = Folder::new("second-prices");
        let mut command = Command::new("python3");
        command
            .args(["-B", PROGRAM, "--port-console", "0", "--until-input-ends"])
            .args(more);
        if let Some(prices) = prices {
            folder.write("prices.json", &prices.to_string());
            command
                .arg("--prices")
                .arg(folder.path().join("prices.json"));
        }
        let mut process = command
            // However this process ends, the pipe ends with it, and the service with the pipe.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("python3 is installed");
        let mut line = String::new();
        let out = process.stdout.take().expect("it is piped");
        let read = BufReader::new(out).read_line(&mut line);
        read.expect("it says where it listens");
        let said: Value = serde_json::from_str(&line).expect("a line of JSON");
        let url = |name: &str| {
            let url = said[name].as_str().expect("an address");
            Url::parse(url).expect("a URL")
        };
        Second {
            sandbox: url("sandbox_url"),
            live: url("live_url"),
            console: url("console_url"),
            process,
            _prices: folder,
        }
    }

    /// A fresh service with these planted, at the same addresses.
    pub(crate) fn plant(&self, defects: &[&str], harmless: &[&str]) {
        self.tell(
            "/plant",
            &json!({ "defect": defects, "harmless": harmless }),
        );
    }

    /// Tells its console something.
    pub(crate) fn tell(&self, path: &str, what: &Value) {
        exchange(&self.console, "POST", path, "", &what.to_string());
    }
}

/// Sends a request and answers the body of what came, which must be 200.
pub(crate) fn exchange(url: &Url, method: &str, path: &str, header: &str, body: &str) -> String {
    let host = url.authority();
    let mut stream = TcpStream::connect(host).expect("it listens");
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{header}Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    assert!(
        answer.starts_with("HTTP/1.1 200"),
        "{method} {path}: {answer}"
    );
    let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
    body.to_owned()
}

impl Drop for Second {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to end.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
