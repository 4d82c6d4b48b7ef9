//! The flags of `serve` that say what one account, or one address, may take of what all use.

use std::time::Duration;

use clap::Args;

use super::values::{count, duration, size};
use crate::host::shares::ShareLimits;

/// The flags of `serve` that keep one account from taking another one's time.
#[derive(Debug, Args)]
#[command(next_help_heading = "Fair shares")]
pub(super) struct ShareArgs {
    /// Serve so many connections of each listener at once; then the one idle longest is closed for a
    /// new one. As many webhooks are under way at once, at most
    #[arg(long, env = "SVC_SIMULATOR_MAX_CONNECTIONS", value_name = "COUNT", value_parser = count, default_value_t = ShareLimits::DEFAULT.connections)]
    max_connections: usize,
    /// Hold back so many calls of each account at once: delayed ones, and duplicates that wait for
    /// one. Those of all accounts never take all connections
    #[arg(long, env = "SVC_SIMULATOR_MAX_DELAYED", value_name = "COUNT", value_parser = count, default_value_t = ShareLimits::DEFAULT.delayed_calls)]
    max_delayed: usize,
    /// Let so many requests to the control API wait at once for something of each account. Those for
    /// all accounts take half of the console's connections at most
    #[arg(long, env = "SVC_SIMULATOR_MAX_WAITS", value_name = "COUNT", value_parser = count, default_value_t = ShareLimits::DEFAULT.waits)]
    max_waits: usize,
    /// Let keys that are used from one address open so many accounts; of IPv6, from one /64 network
    #[arg(long, env = "SVC_SIMULATOR_MAX_ACCOUNTS_PER_ADDRESS", value_name = "COUNT", value_parser = count, default_value_t = ShareLimits::DEFAULT.accounts_per_address)]
    max_accounts_per_address: usize,
    /// Let moving an account's clock take so long in real time, where receivers of webhooks do not
    /// answer; then it stands where it came to, and whoever moved it is told
    #[arg(long, env = "SVC_SIMULATOR_CLOCK_MOVE_TIME", value_name = "DURATION", value_parser = duration, default_value = "10m")]
    clock_move_time: Duration,
    /// Let the bodies of calls that are over 64 KiB take so much memory together; who sends one more waits until there is room
    #[arg(long, env = "SVC_SIMULATOR_BODY_MEMORY", value_name = "SIZE", value_parser = size, default_value = "128MiB")]
    body_memory: usize,
}

impl ShareArgs {
    /// The limits as the host has them.
    pub(super) fn limits(&self) -> ShareLimits {
        ShareLimits {
            delayed_calls: self.max_delayed,
            waits: self.max_waits,
            accounts_per_address: self.max_accounts_per_address,
            clock_move_time: self.clock_move_time,
            body_bytes: self.body_memory,
            connections: self.max_connections,
        }
    }

    /// How many connections a listener serves at once.
    pub(super) fn connections(&self) -> usize {
        self.max_connections
    }
}
