//! The listeners of the API, and the edge that all listeners share. Carries requests in and answers out; what a call means
//! is decided by the host and the engine below.

pub mod api;
pub mod edge;
pub mod invisible;
pub mod workers;

mod body;
mod connection_limiter;
mod connection_timer;
mod consent;
mod request_gate;
mod request_head;
mod socket;

pub use consent::afterwards_url;
