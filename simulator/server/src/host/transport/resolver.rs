//! Resolves names to addresses. Every address is checked between resolving and connecting, and the client
//! connects only to addresses that were checked: a name cannot lead elsewhere in between.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::target::TargetPolicy;

/// The addresses of a name, when they are found.
pub type AddressLookup = BoxFuture<'static, io::Result<Vec<IpAddr>>>;

/// Finds the addresses of names.
pub trait NameResolver: Send + Sync {
    /// The addresses of a name.
    fn addresses(&self, name: &str) -> AddressLookup;
}

/// Resolves names as the machine does.
///
/// A look-up that hangs occupies a thread for as long as the system's resolver lets it, even after
/// the request that needed it was given up.
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

/// Filters the addresses that another resolver finds before the client connects to them.
pub(super) struct FilteringResolver {
    pub(super) resolver: Arc<dyn NameResolver>,
    pub(super) targets: TargetPolicy,
    /// The proxy that was configured: whoever starts the simulator trusts it.
    pub(super) proxy: Option<String>,
}

/// The allowed addresses of a name.
pub(super) async fn allowed(
    found: AddressLookup,
    targets: &TargetPolicy,
) -> Result<Vec<IpAddr>, Box<dyn std::error::Error + Send + Sync>> {
    let found = found.await.map_err(|_| HostNotFound)?;
    let allowed = targets.filter(found)?;
    match allowed.is_empty() {
        true => Err(HostNotFound.into()),
        false => Ok(allowed),
    }
}

impl Resolve for FilteringResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let found = self.resolver.addresses(name.as_str());
        let trusted = self.proxy.as_deref() == Some(name.as_str());
        let targets = (!trusted).then(|| self.targets.clone());
        Box::pin(async move {
            let addresses = match targets {
                Some(targets) => allowed(found, &targets).await?,
                None => found.await.map_err(|_| HostNotFound)?,
            };
            // The client puts the port of the URL, or that of its scheme, in the place of 0.
            let addresses = addresses
                .into_iter()
                .map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(addresses) as Addrs)
        })
    }
}
