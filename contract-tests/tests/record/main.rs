//! The recording proxy as a program, between clients and services that behave, and that do not.

mod archive;
mod canary;
mod hostile;
mod learned;
#[path = "../second/process.rs"]
#[expect(dead_code, reason = "no defect is planted here")]
mod process;
mod recording;
mod services;
mod streams;
mod unchanged;
mod webhooks;
