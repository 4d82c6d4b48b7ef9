//! Receivers of webhooks as they are copied and run: the samples in every language, against
//! deliveries good and bad, and the commands `webhook` and `listen`. A language that is not installed
//! is skipped, with a word.

mod commands;
mod deliveries;
mod listen;
mod program;
mod registration;
mod sample;
mod shell;
mod simulator;
