//! How webhooks leave the simulator. Knows nothing of accounts, schedules and signatures; the courier
//! decides what is sent when.

mod failure;
mod http;
mod memory;
mod resolver;
mod target;
mod url;
mod webhook;

pub use http::{HttpTransport, TransportError, TransportLimits};
pub use memory::MemoryTransport;
pub use resolver::{AddressLookup, NameResolver, SystemResolver};
pub use target::{TargetPolicy, TargetRejection};
pub use webhook::{
    EXCERPT_BYTES, NoTransport, SIGNATURE_HEADER, Transport, WebhookRequest, WebhookResponse,
};
