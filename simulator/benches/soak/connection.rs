//! A client's connection, opened anew when the simulator has closed it: it does where nothing is asked for a
//! while, or where the machine stands still for so long.

use std::io::{ErrorKind, Result};

use svc_test_support::Connection;

/// A connection that is always there.
pub(crate) struct Reconnecting {
    address: String,
    connection: Connection,
    /// How often it was closed.
    pub(crate) lost: u64,
}

impl Reconnecting {
    pub(crate) async fn open(address: &str) -> Result<Self> {
        Ok(Reconnecting {
            address: address.to_owned(),
            connection: Connection::open(address).await?,
            lost: 0,
        })
    }

    /// Sends a request and reads its answer whole, once more on a new connection where the old one was
    /// closed. Gives the status.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> Result<u16> {
        use ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
        match self.connection.exchange(request).await {
            Err(error) if matches!(error.kind(), BrokenPipe | ConnectionReset | UnexpectedEof) => {
                self.lost += 1;
                self.connection = Connection::open(&self.address).await?;
                self.connection.exchange(request).await
            }
            other => other,
        }
    }
}
