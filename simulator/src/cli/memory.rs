//! The memory limits of `serve`, from flags, else from the settings file, else defaults.

use std::time::Duration;

use clap::Args;
use svc_fixtures::reading::Table;

use super::failure::Failure;
use super::values::{count, idle, int_item, render_size, size, text_item};
use crate::engine::state::environment::RetentionLimits;
use crate::host::memory::MemoryLimits;

/// The flags of `serve` that bound memory.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Memory")]
pub(super) struct MemoryArgs {
    /// Keep so many calls of each account and environment; then the oldest is forgotten first
    /// [default: 10000]
    #[arg(long, env = "SVC_SIMULATOR_KEEP_CALLS", value_name = "COUNT", value_parser = count)]
    pub(super) keep_calls: Option<usize>,
    /// Keep so many deliveries that have ended of each account and environment [default: 10000]
    #[arg(long, env = "SVC_SIMULATOR_KEEP_DELIVERIES", value_name = "COUNT", value_parser = count)]
    pub(super) keep_deliveries: Option<usize>,
    /// Keep so many bytes of what has ended, and let as many be pending, in each account and
    /// environment [default: 16MiB]
    #[arg(long, env = "SVC_SIMULATOR_KEEP_BYTES", value_name = "SIZE", value_parser = size)]
    pub(super) keep_bytes: Option<usize>,
    /// Keep so many bytes of all accounts together; the heaviest give way first [default: 48MiB]
    #[arg(long, env = "SVC_SIMULATOR_KEEP_TOTAL", value_name = "SIZE", value_parser = size)]
    pub(super) keep_total: Option<usize>,
    /// Let so many accounts be opened by keys such as svc_test_local_worker7; then the one idle
    /// longest goes first [default: 4096]
    #[arg(long, env = "SVC_SIMULATOR_MAX_ACCOUNTS", value_name = "COUNT", value_parser = count)]
    pub(super) max_accounts: Option<usize>,
    /// Let such an account go when nobody used it for so long [default: 24h]
    #[arg(long, env = "SVC_SIMULATOR_ACCOUNT_IDLE", value_name = "DURATION", value_parser = idle)]
    pub(super) account_idle: Option<Duration>,
}

impl MemoryArgs {
    /// Reads the same settings from the file.
    pub(super) fn read(root: &Table<'_>) -> Self {
        MemoryArgs {
            keep_calls: int_item(root, "keep_calls", count),
            keep_deliveries: int_item(root, "keep_deliveries", count),
            keep_bytes: text_item(root, "keep_bytes", size),
            keep_total: text_item(root, "keep_total", size),
            max_accounts: int_item(root, "max_accounts", count),
            account_idle: text_item(root, "account_idle", idle),
        }
    }

    /// What holds in the end.
    pub(super) fn limits(&self, file: &MemoryArgs) -> MemoryLimits {
        let default = MemoryLimits::DEFAULT;
        let or =
            |flag: Option<usize>, file: Option<usize>, default| flag.or(file).unwrap_or(default);
        MemoryLimits {
            retention: RetentionLimits {
                calls: or(self.keep_calls, file.keep_calls, default.retention.calls),
                deliveries: or(
                    self.keep_deliveries,
                    file.keep_deliveries,
                    default.retention.deliveries,
                ),
                bytes: or(self.keep_bytes, file.keep_bytes, default.retention.bytes),
            },
            total_bytes: or(self.keep_total, file.keep_total, default.total_bytes),
            max_accounts: or(self.max_accounts, file.max_accounts, default.max_accounts),
            account_idle: self
                .account_idle
                .or(file.account_idle)
                .unwrap_or(default.account_idle),
        }
    }
}

/// The limit of one account must not be over the limit of all.
pub(super) fn check(limits: &MemoryLimits) -> Result<(), Failure> {
    let (one, all) = (limits.retention.bytes, limits.total_bytes);
    match one <= all {
        true => Ok(()),
        false => Err(Failure::Usage(format!(
            "each account may keep {} and all together only {}: give a --keep-total of at least \
             --keep-bytes, or a smaller --keep-bytes",
            render_size(one),
            render_size(all)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_comes_before_the_file_and_the_file_before_the_default() {
        let flags = MemoryArgs {
            keep_calls: Some(5),
            ..MemoryArgs::default()
        };
        let file = MemoryArgs {
            keep_calls: Some(6),
            keep_total: Some(1 << 30),
            ..MemoryArgs::default()
        };
        let limits = flags.limits(&file);
        assert_eq!((limits.retention.calls, limits.total_bytes), (5, 1 << 30));
        assert_eq!(limits.max_accounts, MemoryLimits::DEFAULT.max_accounts);
    }

    #[test]
    fn all_accounts_together_keep_no_less_than_one() {
        let limits = |one, all| MemoryLimits {
            retention: RetentionLimits {
                bytes: one,
                ..RetentionLimits::DEFAULT
            },
            total_bytes: all,
            ..MemoryLimits::DEFAULT
        };
        assert!(check(&limits(1 << 20, 1 << 20)).is_ok());
        let refused = check(&limits((1 << 20) + 1024, 1 << 20)).unwrap_err();
        insta::assert_snapshot!(refused.to_string(), @"error: each account may keep 1025KiB and all together only 1MiB: give a --keep-total of at least --keep-bytes, or a smaller --keep-bytes");
    }
}
