//! Money and how a run goes out: the binary and the library against servers on 127.0.0.1:0.

mod budget;
mod goes_out;
mod journal;
mod killed;
mod server;
#[path = "../support/mod.rs"]
mod support;
