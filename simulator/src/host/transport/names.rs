//! From names to addresses. Every address is looked at between resolving and connecting, and only
//! addresses that were looked at are connected to: a name cannot change its mind in between.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::target::TargetPolicy;

/// The addresses of a name, when they are found.
pub type AddressLookup = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// What knows the addresses of names.
pub trait NameResolver: Send + Sync {
    /// The addresses of a name.
    fn addresses(&self, name: &str) -> AddressLookup;
}

/// The names that the machine knows.
///
/// A look-up that hangs occupies a thread for as long as the system's resolver lets it, even after
/// the posting that asked was given up.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl NameResolver for SystemResolver {
    fn addresses(&self, name: &str) -> AddressLookup {
        let name = name.to_owned();
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// The name has no address.
#[derive(Debug, thiserror::Error)]
#[error("no such host")]
pub(super) struct HostNotFound;

/// NameResolver whose addresses are filtered before anything connects to them.
pub(super) struct FilteringResolver {
    pub(super) names: Arc<dyn NameResolver>,
    pub(super) targets: TargetPolicy,
}

impl Resolve for FilteringResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let found = self.names.addresses(name.as_str());
        let targets = self.targets.clone();
        Box::pin(async move {
            let found = found.await.map_err(|_| HostNotFound)?;
            let allowed = targets.filter(found)?;
            if allowed.is_empty() {
                return Err(HostNotFound.into());
            }
            // The client puts the port of the URL, or that of its scheme, in the place of 0.
            let allowed = allowed
                .into_iter()
                .map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(allowed) as Addrs)
        })
    }
}
