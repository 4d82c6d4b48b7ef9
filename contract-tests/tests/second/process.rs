//! The second implementation as a process of its own, in which other defects can be planted.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use reqwest::Url;
use serde_json::{Value, json};
use svc_fixtures::contract::{Contract, Paise};
use svc_test_support::Folder;

/// A running service; it ends with this value.
pub(crate) struct Second {
    process: Child,
    /// Its addresses.
    pub(crate) sandbox: Url,
    pub(crate) live: Url,
    console: Url,
    _prices: Folder,
}

impl Second {
    /// Starts it on free ports, at the prices that the rows say: what else it can cost is not known here.
    pub(crate) fn start(contract: &Contract) -> Self {
        Second::start_with(contract, &[])
    }

    /// The same, with more arguments.
    pub(crate) fn start_with(contract: &Contract, more: &[&str]) -> Self {
        let folder = Folder::new("second-prices");
        folder.write("prices.json", &prices(contract).to_string());
        let mut process = Command::new("python3")
            .args([
                "-B",
                concat!(env!("CARGO_MANIFEST_DIR"), "/second/service.py"),
            ])
            .args(["--port-console", "0", "--prices"])
            .arg(folder.path().join("prices.json"))
            .args(more)
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
        let body = json!({ "defect": defects, "harmless": harmless }).to_string();
        let host = self.console.authority();
        let mut stream = TcpStream::connect(host).expect("its console listens");
        let request = format!(
            "POST /plant HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        assert!(answer.starts_with("HTTP/1.1 200"), "{defects:?}: {answer}");
    }
}

impl Drop for Second {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to end.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[expect(clippy::cast_precision_loss, reason = "prices are small")]
fn prices(contract: &Contract) -> Value {
    let operations = contract.operations.iter();
    let operations = operations.map(|it| (it.id.clone(), it.price));
    let bundles = contract.bundles.iter();
    let bundles = bundles.map(|it| {
        let steps = it.steps.iter().filter_map(|id| contract.operation(id));
        let sum: Paise = steps.map(|step| step.price).sum();
        (format!("bundles.{}", it.slug), sum)
    });
    let inr = operations
        .chain(bundles)
        .map(|(endpoint, price)| (endpoint, json!(price.0 as f64 / 100.0)));
    Value::Object(inr.collect())
}
