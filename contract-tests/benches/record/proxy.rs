//! What is measured: a proxy as a process of its own, or none.

use std::io::{BufRead as _, BufReader};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

/// A proxy, or the service itself.
pub(crate) struct Proxy {
    /// What it is called.
    pub(crate) name: &'static str,
    /// Where it listens.
    pub(crate) address: SocketAddr,
    process: Option<Child>,
}

impl Proxy {
    /// The service itself.
    pub(crate) fn none(address: SocketAddr) -> Self {
        Proxy {
            name: "no proxy",
            address,
            process: None,
        }
    }

    /// A proxy that says where it listens.
    pub(crate) fn start(name: &'static str, command: &mut Command) -> Self {
        let mut process = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a program that starts");
        let lines = BufReader::new(process.stderr.take().expect("a pipe")).lines();
        let mut lines = lines.map_while(Result::ok);
        let address = lines.find_map(|line| {
            let (_, rest) = line.split_once("http://")?;
            rest.split(' ').next()?.parse().ok()
        });
        // Nobody may wait for a reader of what else it says.
        thread::spawn(move || {
            let broken = lines.find(|line| line.starts_with("broken:"));
            assert_eq!(broken, None, "what passes is to be honest");
        });
        Proxy {
            name,
            address: address.expect("an address"),
            process: Some(process),
        }
    }

    /// nginx as it is usually told to pass on: connections to the service are kept, no log. None where it is not
    /// installed.
    pub(crate) fn nginx(folder: &Path, to: SocketAddr) -> Option<Self> {
        let free = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = free.local_addr().expect("an address");
        drop(free);
        let shown = folder.display();
        let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|name| format!("{name}_temp_path {shown}/{name};\n"))
            .concat();
        let text = format!(
            "daemon off; master_process off; pid {shown}/nginx.pid; error_log {shown}/error.log;\n\
             events {{ worker_connections 1024; }}\n\
             http {{ access_log off;\n{temporary}keepalive_requests 10000000;\n\
             upstream service {{ server {to}; keepalive 64; keepalive_requests 10000000; }}\n\
             server {{ listen {address}; location / {{ proxy_pass http://service; proxy_http_version 1.1;\n\
             proxy_set_header Connection \"\"; }} }} }}\n"
        );
        let file = folder.join("nginx.conf");
        std::fs::write(&file, text).expect("a file");
        let mut command = Command::new("nginx");
        command
            .arg("-c")
            .arg(&file)
            .arg("-e")
            .arg(folder.join("error.log"));
        command.env("PATH", "/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin");
        let mut process = command.stdin(Stdio::null()).spawn().ok()?;
        while TcpStream::connect(address).is_err() {
            let ended = process.try_wait().expect("a process");
            assert_eq!(ended, None, "nginx ended");
            thread::park_timeout(Duration::from_millis(20));
        }
        Some(Proxy {
            name: "nginx",
            address,
            process: Some(process),
        })
    }

    /// The processor time that it took so far, as Linux counts it.
    pub(crate) fn cpu(&self) -> Duration {
        let Some(process) = &self.process else {
            return Duration::ZERO;
        };
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.id()));
        let stat = stat.expect("Linux");
        let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
        let ticks = fields.skip(11).take(2);
        let ticks: u64 = ticks.map(|it| it.parse().unwrap_or(0)).sum();
        Duration::from_millis(ticks * 10)
    }

    /// The same when nothing more is to be written: that is a part of the cost.
    pub(crate) fn cpu_when_quiet(&self) -> Duration {
        let mut last = self.cpu();
        loop {
            thread::park_timeout(Duration::from_millis(100));
            let now = self.cpu();
            if now == last {
                return now;
            }
            last = now;
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            // It may have ended by itself.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}
