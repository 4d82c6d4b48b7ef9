//! The memory limits of `serve`.

use std::time::Duration;

use clap::Args;

use super::failure::Failure;
use super::values::{count, idle, render_size, size};
use crate::engine::state::environment::RetentionLimits;
use crate::host::memory::MemoryLimits;

/// The flags of `serve` that bound memory.
#[derive(Debug, Args)]
#[command(next_help_heading = "Memory")]
pub(super) struct MemoryArgs {
    /// Keep so many calls of each account and environment; then the oldest is forgotten first
    #[arg(long, env = "SVC_SIMULATOR_KEEP_CALLS", value_name = "COUNT", value_parser = count, default_value_t = MemoryLimits::DEFAULT.retention.calls)]
    keep_calls: usize,
    /// Keep so many deliveries that have ended of each account and environment
    #[arg(long, env = "SVC_SIMULATOR_KEEP_DELIVERIES", value_name = "COUNT", value_parser = count, default_value_t = MemoryLimits::DEFAULT.retention.deliveries)]
    keep_deliveries: usize,
    /// Keep so many bytes of what has ended, and let as many be pending, in each account and
    /// environment
    #[arg(long, env = "SVC_SIMULATOR_KEEP_BYTES", value_name = "SIZE", value_parser = size, default_value = "16MiB")]
    keep_bytes: usize,
    /// Keep so many bytes of all accounts together; the heaviest give way first
    #[arg(long, env = "SVC_SIMULATOR_KEEP_TOTAL", value_name = "SIZE", value_parser = size, default_value = "48MiB")]
    keep_total: usize,
    /// Let so many accounts be opened by keys such as svc_test_local_worker7; then the one idle
    /// longest goes first
    #[arg(long, env = "SVC_SIMULATOR_MAX_ACCOUNTS", value_name = "COUNT", value_parser = count, default_value_t = MemoryLimits::DEFAULT.max_accounts)]
    max_accounts: usize,
    /// Let such an account go when nobody used it for so long
    #[arg(long, env = "SVC_SIMULATOR_ACCOUNT_IDLE", value_name = "DURATION", value_parser = idle, default_value = "24h")]
    account_idle: Duration,
}

impl MemoryArgs {
    /// The limits as the host has them.
    pub(super) fn limits(&self) -> MemoryLimits {
        MemoryLimits {
            retention: RetentionLimits {
                calls: self.keep_calls,
                deliveries: self.keep_deliveries,
                bytes: self.keep_bytes,
            },
            total_bytes: self.keep_total,
            max_accounts: self.max_accounts,
            account_idle: self.account_idle,
        }
    }

    /// The limit of one account must not be over the limit of all.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let (one, all) = (self.keep_bytes, self.keep_total);
        match one <= all {
            true => Ok(()),
            false => Err(Failure::Usage(format!(
                "each account may keep {} and all together only {}: give a --keep-total of at \
                 least --keep-bytes, or a smaller --keep-bytes",
                render_size(one),
                render_size(all)
            ))),
        }
    }
}
