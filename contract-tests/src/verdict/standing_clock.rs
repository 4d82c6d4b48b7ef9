//! The clock of a service over a whole run: it goes on.

use jiff::Timestamp;
use svc_fixtures::json::Json;

use super::answer::is_look_up;
use super::finding::{Finding, Verdict};
use crate::capture::{CapturedCase, Channel, Exchange};
use crate::plan::Setting;

/// Says that an answer tells when it was created.
const CLAUSE: &str = "envelope.meta";

/// So long after the first one another call was created at another time, whatever part of a second is told of it.
const GOES_ON_S: i64 = 3;

/// The same where the first time has no seconds: perhaps none has.
const GOES_ON_BY_MINUTES_S: i64 = 61;

/// Whether the clock of each call's `meta.createdAt` was seen to go on.
#[derive(Debug, Default)]
pub(super) struct StandingClock {
    first: Option<First>,
    /// Nothing is looked at any more: it goes on, or was told to stand.
    is_over: bool,
}

/// The first answer of a run.
#[derive(Debug)]
struct First {
    id: String,
    created: Timestamp,
    at_s: i64,
}

impl StandingClock {
    /// Takes in what was captured of a case; answers what it shows: a call long after the first one that was created when that
    /// one was. The accounts of a simulator have clocks of their own, which may stand.
    pub(super) fn take(
        &mut self,
        setting: &Setting<'_>,
        captured: &CapturedCase,
    ) -> Option<Finding> {
        if setting.by_rulings() || !setting.covers(CLAUSE) {
            return None;
        }
        let exchanges = captured.exchanges.iter().enumerate();
        let mut api = exchanges.filter(|(_, it)| it.request.channel == Channel::Api);
        let (step, verdict) = api.find_map(|(step, it)| Some((step, self.stands(it)?)))?;
        Some(Finding {
            case: captured.case.clone(),
            step,
            verdict,
        })
    }

    fn stands(&mut self, exchange: &Exchange) -> Option<Verdict> {
        if self.is_over {
            return None;
        }
        let (at_s, response) = (exchange.at_s?, exchange.response.as_ref().ok()?);
        let answer = Json::parse(&response.body).ok()?;
        let created = answer.get("meta")?.get("createdAt")?.as_text()?;
        let (id, created) = (
            answer.get("verificationId")?.as_text()?,
            created.parse::<Timestamp>().ok()?,
        );
        if is_look_up(&exchange.request, response) {
            return None;
        }
        let first = self.first.get_or_insert_with(|| First {
            id: id.to_owned(),
            created,
            at_s,
        });
        let goes_on_s = match first.created.as_second() % 60 {
            0 => GOES_ON_BY_MINUTES_S,
            _ => GOES_ON_S,
        };
        let took_s = exchange.took_ms.div_ceil(1000).cast_signed();
        let passed_s = at_s - took_s - first.at_s;
        // Under the same id it is the same call again.
        let stands = created == first.created && id != first.id && passed_s >= goes_on_s;
        self.is_over = stands || created != first.created;
        stands.then(|| Verdict::Broken {
            clause: CLAUSE.to_owned(),
            what: "`meta.createdAt`".to_owned(),
            expected: format!(
                "a later time than that of {}, {passed_s} s before",
                first.id
            ),
            found: created.to_string(),
            known: None,
            seen: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use svc_fixtures::contract::Contract;

    use super::*;
    use crate::plan::inputs;
    use crate::profile::Profile;
    use crate::report::tests::sample;

    /// What is found where calls come so many seconds after the first one, each with an id and a time.
    fn found(calls: &[(i64, &str, &str)]) -> Vec<String> {
        let contract = Contract::built_in();
        let mut setting = Setting::new(&contract, inputs::built_in(), "seed");
        setting.profile = Profile::Provider;
        let mut clock = StandingClock::default();
        let told = calls.iter().filter_map(|(at_s, id, time)| {
            let answer = format!(
                r#"{{"verificationId":"{id}","meta":{{"createdAt":"2027-01-15T08:{time}Z"}}}}"#
            );
            let mut exchange = sample::exchange("{}", &answer);
            (exchange.at_s, exchange.took_ms) = (Some(1_800_000_000 + at_s), 0);
            let captured = sample::captured("a case", vec![exchange]);
            match clock.take(&setting, &captured)?.verdict {
                Verdict::Broken {
                    expected, found, ..
                } => Some(format!("{expected}: {found}")),
                other => panic!("{other:?}"),
            }
        });
        told.collect()
    }

    #[test]
    fn a_clock_that_stands_is_told_once_and_one_that_goes_on_never() {
        let stands = [
            (0, "svcv_a", "00:01"),
            (2, "svcv_b", "00:01"),
            (3, "svcv_c", "00:01"),
            (9, "svcv_d", "00:01"),
        ];
        let told = "a later time than that of svcv_a, 3 s before: 2027-01-15T08:00:01Z";
        assert_eq!(found(&stands), [told]);
        let goes_on = [
            (0, "svcv_a", "00:01"),
            (3, "svcv_b", "00:04"),
            (9, "svcv_c", "00:01"),
        ];
        assert_eq!(found(&goes_on), Vec::<String>::new());
    }

    #[test]
    fn a_replay_is_of_its_time_and_a_clock_of_minutes_goes_on_with_the_next() {
        let replay = [(0, "svcv_a", "00:01"), (9, "svcv_a", "00:01")];
        assert_eq!(found(&replay), Vec::<String>::new());
        let minutes = |later_s| [(0, "svcv_a", "00:00"), (later_s, "svcv_b", "00:00")];
        assert_eq!(found(&minutes(60)), Vec::<String>::new());
        assert_eq!(found(&minutes(61)).len(), 1);
    }
}
