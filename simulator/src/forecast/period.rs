//! What time traffic stands for, and by what it is multiplied to make a month.

use jiff::{SignedDuration, Timestamp};

use super::ratio::Ratio;
use super::report::DAY_MS;
use super::seen::MeteredCall;

/// What somebody says of the time that traffic stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatedSpan {
    /// It was made in so many milliseconds.
    Lasts(u64),
    /// A month brings so many calls.
    CallsPerMonth(u64),
}

/// The time that traffic stands for.
#[derive(Debug)]
pub(super) struct TrafficPeriod {
    /// How long that is.
    pub(super) cycle_ms: Ratio,
    /// How often that is in a month.
    pub(super) factor: Ratio,
    /// The first call.
    pub(super) from: Option<Timestamp>,
    /// The last one.
    pub(super) to: Option<Timestamp>,
    /// How it was come by.
    pub(super) words: String,
    /// Whether offsets from the first call can be told.
    pub(super) is_timed: bool,
}

/// Calls that lie closer together say nothing of a month.
const LEAST_MS: i64 = 60 * 60 * 1000;

impl TrafficPeriod {
    /// The time that these calls stand for.
    ///
    /// # Errors
    /// Why nothing can be said of a month, and what to do.
    pub(super) fn of(
        calls: &[MeteredCall],
        days: u32,
        stated: Option<StatedSpan>,
    ) -> Result<Self, String> {
        let times = || calls.iter().filter_map(|call| call.seen.at);
        let (from, to, timed) = (times().min(), times().max(), times().count());
        let between = from.zip(to);
        let between_ms =
            between.map_or(0, |(from, to)| to.as_millisecond() - from.as_millisecond());
        let month_ms = Ratio::whole(i64::from(days) * DAY_MS);
        let all = Ratio::count(calls.len());
        let mut is_timed = timed == calls.len();
        let (cycle_ms, words) = match stated {
            Some(StatedSpan::Lasts(ms)) => {
                let stated = i64::try_from(ms).unwrap_or(i64::MAX);
                if between_ms > stated {
                    let message = "the calls lie {} apart, which is longer than the span that is given for them: {}";
                    let message = message.replacen("{}", &length(between_ms), 1);
                    return Err(message.replacen("{}", &length(stated), 1));
                }
                (
                    Ratio::whole(stated),
                    format!("{} as stated", length(stated)),
                )
            }
            Some(StatedSpan::CallsPerMonth(count)) => {
                is_timed = false;
                let cycle = all * month_ms.per(Ratio::whole(count));
                (cycle, format!("as stated, {count} calls a month"))
            }
            None => {
                if timed == 0 {
                    return Err(format!("no call says when it was made: {WAYS_OUT}"));
                }
                if timed == 1 {
                    return Err(format!(
                        "one call alone says nothing of a month: {WAYS_OUT}"
                    ));
                }
                if between_ms < LEAST_MS {
                    return Err(format!(
                        "the first and the last of {timed} calls with a time lie {} apart, and an hour is the least that says \
                         anything of a month: {WAYS_OUT}",
                        length(between_ms)
                    ));
                }
                let timed = Ratio::count(timed);
                let cycle = Ratio::whole(between_ms) * timed.per(timed - Ratio::ONE);
                let words = format!(
                    "{} from the first call to the last, and one gap more",
                    length(between_ms)
                );
                (cycle, words)
            }
        };
        Ok(TrafficPeriod {
            factor: month_ms.per(cycle_ms),
            cycle_ms,
            from,
            to,
            words,
            is_timed,
        })
    }

    /// How long after the beginning a call is made: as it was where all say so, else evenly spread.
    pub(super) fn offset(&self, calls: &[MeteredCall], at: usize) -> Ratio {
        let seen = calls[at].seen.at.zip(self.from).filter(|_| self.is_timed);
        match seen {
            Some((made, from)) => Ratio::whole(made.as_millisecond() - from.as_millisecond()),
            None => self.cycle_ms * Ratio::count(at).per(Ratio::count(calls.len())),
        }
    }

    /// Whether it holds no night and no weekend.
    pub(super) fn is_under_a_day(&self) -> bool {
        self.cycle_ms < Ratio::whole(DAY_MS)
    }

    /// The factor with four decimals.
    pub(super) fn factor_in_words(&self) -> String {
        let parts = (self.factor * Ratio::whole(10_000_i64)).rounded();
        let digits = format!("{}.{:04}", parts / 10_000, parts % 10_000);
        digits
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned()
    }
}

const WAYS_OUT: &str =
    "say how long the calls stand for (a span such as 1d), or how many calls a month brings";

/// A span of time for people.
pub(super) fn length(ms: i64) -> String {
    let (days, rest) = (ms / DAY_MS, ms % DAY_MS);
    let rest = SignedDuration::from_millis(rest);
    let parts = [
        (days, "d"),
        (rest.as_hours(), "h"),
        (rest.as_mins() % 60, "min"),
        (rest.as_secs() % 60, "s"),
    ];
    let parts = parts.iter().filter(|(count, _)| *count > 0).take(2);
    let parts: Vec<String> = parts
        .map(|(count, unit)| format!("{count} {unit}"))
        .collect();
    match parts.is_empty() {
        true => "0 s".to_owned(),
        false => parts.join(" "),
    }
}
