//! The life of a call: what each stage needs, in the order in which a call walks them.
//!
//! [`pipeline`] reads as the story; every other file is one of its words.

pub mod pipeline;

pub mod bundle;
pub mod call_settings;
pub mod consent;
pub mod decision;
pub mod idempotency;
pub mod input;
pub mod prepare;
pub mod received;
pub mod render;
pub mod reply;
pub mod request;
pub mod resolve;
pub mod response;
mod rollup;
pub mod route;
pub mod rules;
pub mod settle;
pub mod step_plan;
pub mod whom;
