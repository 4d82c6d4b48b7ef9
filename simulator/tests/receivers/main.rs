//! Receivers of webhooks: the commands `webhook` and `listen`. The samples are in `samples.rs`.

mod commands;
mod courier;
mod listen;
#[expect(dead_code, reason = "the samples use the rest")]
mod program;
mod registration;
