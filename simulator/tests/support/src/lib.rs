//! What tests and benches need of sockets and programs: a client that writes bytes and reads answers, a
//! server that answers as it is told and records what came, the simulator as a program. Knows nothing of
//! the simulator's code: tests start that with `svc_simulator::Simulator`.

mod client;
mod connection;
mod folder;
#[cfg(unix)]
mod postgres;
mod program;
mod server;
mod tls;

pub use client::{Answer, Client, request};
pub use connection::Connection;
pub use folder::Folder;
#[cfg(unix)]
pub use postgres::PostgresServer;
pub use program::{Addresses, Program, ended};
pub use server::{Behaviour, Reply, Request, Server};
pub use tls::{Authority, IssuedCertificate, TlsFront};

use std::net::{SocketAddr, TcpListener};

/// Only a machine without free ports, files or processes makes a test fail with this.
const WORKS: &str = "a test on a machine that works";

/// An address of this machine that nobody listens on: it was free a moment ago.
#[must_use]
pub fn free_address() -> SocketAddr {
    taken_address().local_addr().expect(WORKS)
}

/// A listener that takes an address and answers nobody.
#[must_use]
pub fn taken_address() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").expect(WORKS)
}
