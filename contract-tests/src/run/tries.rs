//! A case that something was in the way of is tried again from its beginning.

use std::time::Duration;

use super::stop::StopReason;
use crate::capture::CapturedCase;
use crate::check::Check;
use crate::client::Client;
use crate::plan::{Case, Setting};
use crate::spend;
use crate::target::Target;
use crate::verdict::{Trouble, TroubleKind};
use svc_fixtures::contract::ErrorCode;

/// The wait before the second try, where the service asks for none; before the next one it is twice as long.
const USUAL_WAIT: Duration = Duration::from_millis(250);

/// How often a case is tried at most that met a 429: the pace that the service allows must be found.
const LIMITED_TRIES: usize = 6;

/// Captures a case, and again where something was in its way, as often as that is of use. A case that
/// can cost something is tried again only where the budget covers it. The tries that are `disturbed` come before it.
pub(super) async fn capture<T: Target>(
    setting: &Setting<'_>,
    check: &Check,
    case: &Case,
    client: &Client<'_, T>,
    halt: &StopReason,
    disturbed: Vec<CapturedCase>,
) -> Vec<CapturedCase> {
    let (most, before) = (halt.silence.borrow().tries(), disturbed.len());
    let again = |try_: usize| {
        let cases = check.cases(&setting.of_try(try_));
        cases.into_iter().find(|again| again.name == case.name)
    };
    let mut tries = disturbed;
    // To plan a whole check for each of its cases took more than all that they send and judge.
    let first = match before {
        0 => None,
        _ => again(before),
    };
    let first = first.unwrap_or_else(|| case.clone());
    tries.push(client.capture_try(check.id, &first, before).await);
    let price = spend::most_of_case(setting, case);
    loop {
        let last = tries.len() - 1;
        let Some(trouble) = Trouble::of(setting, case, &tries[last]) else {
            halt.lasting.borrow_mut().passed();
            break;
        };
        if !client.guard().covers(price) || halt.why().is_some() {
            break;
        }
        let limited = trouble.kind == TroubleKind::Refused(ErrorCode::RateLimited);
        let most = if limited { LIMITED_TRIES } else { most };
        if tries.len() - before >= most {
            halt.lasting.borrow_mut().stayed(check, case, &trouble);
            break;
        }
        if halt.lasting.borrow().expects(check, case, &trouble) {
            tries[last].given_up = true;
            break;
        }
        let doubled = u32::try_from(tries.len() - before).unwrap_or(1);
        let wait = trouble.wait.unwrap_or(USUAL_WAIT * doubled);
        match limited {
            // Whoever else calls meanwhile would hear the same.
            true => client.pause(wait),
            false => tokio::time::sleep(wait).await,
        }
        let Some(again) = again(tries.len()) else {
            break;
        };
        tries.push(client.capture_try(check.id, &again, tries.len()).await);
    }
    tries
}
