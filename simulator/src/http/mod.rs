//! HTTP: the listeners and what they serve. Carries requests in and answers out; what a call means
//! is decided by the host and the engine below.

pub mod assets;
pub mod console;
pub mod control;
pub mod examples;
pub mod explanation;
pub mod first_call;
pub mod openapi;
pub mod operation_groups;
pub mod operations;
pub mod people;
pub mod table_cell;

mod base_urls;
mod curl_line;
mod field_rule;
mod in_process_call;
pub mod metrics;
mod named_inputs;
mod page;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

pub(crate) use svc_server::http::invisible;
pub use svc_server::http::{api, edge, workers};

pub use base_urls::{BaseUrls, PublicUrl, PublicUrlError, PublicUrls};

/// Where the three listeners are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListenerAddresses {
    /// The console, with the reference page and the control API.
    pub console: SocketAddr,
    /// The sandbox: keys that begin with `svc_test_`.
    pub sandbox: SocketAddr,
    /// Live: keys that begin with `svc_live_`.
    pub live: SocketAddr,
}

impl ListenerAddresses {
    /// Where they are by default (ruling 13).
    pub const DEFAULT: ListenerAddresses = ListenerAddresses {
        console: local(8800),
        sandbox: local(8801),
        live: local(8802),
    };

    /// Free ports of this machine.
    pub const FREE: ListenerAddresses = ListenerAddresses {
        console: local(0),
        sandbox: local(0),
        live: local(0),
    };

    /// The URLs by which programs on this machine reach them.
    #[must_use]
    pub fn urls(&self) -> BaseUrls {
        BaseUrls {
            console: url(self.console),
            sandbox: url(self.sandbox),
            live: url(self.live),
        }
    }
}

const fn local(port: u16) -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port)
}

/// The URL by which a program on this machine reaches a listener. One that listens on every
/// address is reached on loopback.
#[must_use]
pub fn url(address: SocketAddr) -> String {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    format!("http://{}", SocketAddr::new(ip, address.port()))
}
