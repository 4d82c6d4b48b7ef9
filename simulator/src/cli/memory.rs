//! How much memory `serve` may use: the flags, the same in the file, and what holds in the end.

use std::time::Duration;

use clap::Args;
use svc_fixtures::reading::{Item, Table};

use super::Failure;
use super::settings::{duration, parsed};
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
    /// The file says the same as the flags.
    pub(super) fn read(root: &Table<'_>) -> Self {
        MemoryArgs {
            keep_calls: whole(root, "keep_calls"),
            keep_deliveries: whole(root, "keep_deliveries"),
            keep_bytes: text(root, "keep_bytes", size),
            keep_total: text(root, "keep_total", size),
            max_accounts: whole(root, "max_accounts"),
            account_idle: text(root, "account_idle", idle),
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

/// One account must fit into all.
pub(super) fn checked(limits: &MemoryLimits) -> Result<(), Failure> {
    let (one, all) = (limits.retention.bytes, limits.total_bytes);
    match one <= all {
        true => Ok(()),
        false => Err(Failure::Usage(format!(
            "each account may keep {} and all together only {}: give a --keep-total of at least \
             --keep-bytes, or a smaller --keep-bytes",
            shown(one),
            shown(all)
        ))),
    }
}

fn whole(root: &Table<'_>, name: &str) -> Option<usize> {
    let item = root.optional(name)?;
    let number = item.int().map(|number| count(&number.to_string()))?;
    number.map_err(|mistake| item.problem(mistake)).ok()
}

fn text<T>(root: &Table<'_>, name: &str, parse: impl Fn(&str) -> Result<T, String>) -> Option<T> {
    root.optional(name)
        .and_then(|item: Item<'_>| parsed(&item, parse))
}

fn count(text: &str) -> Result<usize, String> {
    let count = text.parse().ok();
    let count = count.filter(|count| (1..=10_000_000).contains(count));
    count.ok_or_else(|| "write a whole number from 1 to 10000000".to_owned())
}

fn idle(text: &str) -> Result<Duration, String> {
    let idle = duration(text)?;
    match idle >= Duration::from_secs(1) {
        true => Ok(idle),
        false => Err("write at least `1s`: whoever uses an account pauses now and then".to_owned()),
    }
}

const UNITS: [(&str, usize); 3] = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)];
/// With less, an account would forget a call before anybody can look it up.
const LEAST: usize = 64 << 10;
const MOST: usize = 1 << 40;

/// A size such as `16MiB`.
fn size(text: &str) -> Result<usize, String> {
    let unit = UNITS.iter().find_map(|(unit, bytes)| {
        let number = text.strip_suffix(unit)?.trim_end();
        number.parse::<usize>().ok()?.checked_mul(*bytes)
    });
    let size = unit.filter(|size| (LEAST..=MOST).contains(size));
    size.ok_or_else(|| {
        "write a size from 64KiB to 1024GiB, such as 512KiB, 16MiB or 2GiB".to_owned()
    })
}

fn shown(bytes: usize) -> String {
    let mut units = UNITS.iter().rev();
    match units.find(|(_, unit)| bytes.is_multiple_of(*unit)) {
        Some((name, unit)) => format!("{}{name}", bytes / unit),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_from_64_kib_on_are_read_with_their_unit() {
        for (text, expected) in [
            ("63KiB", None),
            ("64KiB", Some(65_536)),
            ("16MiB", Some(16_777_216)),
            ("2 GiB", Some(2_147_483_648)),
            ("1024GiB", Some(MOST)),
            ("1025GiB", None),
            ("99999999999999999999GiB", None),
            ("16", None),
            ("16MB", None),
            ("-1MiB", None),
            ("", None),
        ] {
            assert_eq!(size(text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn counts_are_from_one_to_ten_million() {
        for (text, taken) in [
            ("0", false),
            ("1", true),
            ("10000000", true),
            ("10000001", false),
        ] {
            assert_eq!(count(text).is_ok(), taken, "{text}");
        }
        assert!(idle("999ms").is_err());
        assert!(idle("1s").is_ok());
    }

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
        assert!(checked(&limits(1 << 20, 1 << 20)).is_ok());
        let refused = checked(&limits((1 << 20) + 1024, 1 << 20)).unwrap_err();
        insta::assert_snapshot!(refused.to_string(), @"error: each account may keep 1025KiB and all together only 1MiB: give a --keep-total of at least --keep-bytes, or a smaller --keep-bytes");
    }
}
