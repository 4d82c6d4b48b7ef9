//! Reporters: functions of events. They know no clock and no network.

pub mod human;
pub mod json;
