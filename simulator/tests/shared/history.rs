//! Whether what clients saw of one account could have come from one simulator that does one thing after the other.
//!
//! Which calls an account executed, and in which order, its call log says. So the place of everything that was seen
//! is known: an execution's is its own, usage of n calls lies after the n-th, a look-up that finds nothing before the
//! execution, all else after it. What is left is to find an instant for each in this order, between the moment when
//! it was asked and the moment when it was answered: the earliest that is possible will do, if any does.

use std::collections::BTreeMap;
use std::time::Duration;

/// Something that a client saw.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    /// When it was asked for the first time, and for the time that was answered: earlier ones may have been
    /// executed, too.
    pub(crate) first: Duration,
    pub(crate) last: Duration,
    /// When the answer was there.
    pub(crate) to: Duration,
    pub(crate) what: What,
}

#[derive(Debug, Clone)]
pub(crate) enum What {
    /// A call under an idempotency key.
    Called {
        key: String,
        id: String,
        replay: bool,
        /// Whether its result was still to come.
        pending: bool,
    },
    /// A look-up, and whether it found something whose result is still to come; none where it found nothing.
    LookedUp { id: String, pending: Option<bool> },
    /// The account's usage.
    Usage { calls: usize, paise: i64 },
}

/// An execution, as the call log has it.
#[derive(Debug, Clone)]
pub(crate) struct Execution {
    pub(crate) id: String,
    pub(crate) paise: i64,
}

/// What is known of an execution's instant.
#[derive(Debug, Default, Clone)]
struct Bounds {
    from: Duration,
    to: Option<Duration>,
}

/// Says why the history can't be, where it can't. Executions are in the order in which they were made.
pub(crate) fn judge(seen: &[Seen], executions: &[Execution]) -> Result<(), String> {
    let place: BTreeMap<_, _> = executions
        .iter()
        .enumerate()
        .map(|(at, execution)| (execution.id.as_str(), at))
        .collect();
    if place.len() < executions.len() {
        return Err("an id was given out twice".to_owned());
    }
    one_execution_a_key(seen, executions)?;
    results_stay(seen)?;
    let bounds = bounds(seen, &place)?;
    let usages = usages(seen, executions)?;
    let mut now = Duration::ZERO;
    for at in 0..=executions.len() {
        if at > 0 {
            let (bounds, id) = (&bounds[at - 1], &executions[at - 1].id);
            now = now.max(bounds.from);
            if bounds.to.is_some_and(|to| to < now) {
                return Err(format!("{id} was seen before it can have been executed"));
            }
        }
        for usage in usages.get(&at).into_iter().flatten() {
            now = now.max(usage.last);
            if usage.to < now {
                return Err(format!("usage was not that at any time: {usage:?}"));
            }
        }
    }
    Ok(())
}

/// Each key has one verification, executed once; and nothing was executed that nobody was told of.
fn one_execution_a_key(seen: &[Seen], executions: &[Execution]) -> Result<(), String> {
    let (mut ids, mut keys) = (BTreeMap::new(), BTreeMap::new());
    let mut executed = BTreeMap::<_, usize>::new();
    for seen in seen {
        let What::Called {
            key, id, replay, ..
        } = &seen.what
        else {
            continue;
        };
        if *ids.entry(key).or_insert(id) != id || *keys.entry(id).or_insert(key) != key {
            return Err(format!("{key} has several verifications: {id}"));
        }
        *executed.entry(key).or_default() += usize::from(!replay);
    }
    if let Some((key, times)) = executed.into_iter().find(|(_, times)| *times > 1) {
        return Err(format!("{key} was executed {times} times"));
    }
    let untold = executions.iter().find(|it| !keys.contains_key(&it.id));
    match untold {
        Some(execution) => Err(format!("{} was executed for nobody", execution.id)),
        None => Ok(()),
    }
}

/// A result that came does not go.
fn results_stay(seen: &[Seen]) -> Result<(), String> {
    let mut ended = BTreeMap::<&str, Duration>::new();
    let mut open = BTreeMap::<&str, Duration>::new();
    for seen in seen {
        let (id, pending) = match &seen.what {
            What::Called { .. } | What::Usage { .. } => continue,
            What::LookedUp { pending: None, .. } => continue,
            What::LookedUp {
                id,
                pending: Some(pending),
            } => (id.as_str(), pending),
        };
        match pending {
            true => {
                let latest = open.entry(id).or_default();
                *latest = seen.last.max(*latest);
            }
            false => {
                let earliest = ended.entry(id).or_insert(seen.to);
                *earliest = seen.to.min(*earliest);
            }
        }
    }
    let gone = |(id, to): &(&&str, &Duration)| open.get(**id).is_some_and(|from| from > *to);
    match ended.iter().find(gone) {
        Some((id, _)) => Err(format!("{id} had ended, and was pending again")),
        None => Ok(()),
    }
}

/// Between which instants each execution lies.
fn bounds(seen: &[Seen], place: &BTreeMap<&str, usize>) -> Result<Vec<Bounds>, String> {
    let mut bounds = vec![Bounds::default(); place.len()];
    // By whom it was executed that nobody says to have executed: by one of all who asked, in the end.
    let mut asked: Vec<Option<Duration>> = vec![None; place.len()];
    for seen in seen {
        let (id, found) = match &seen.what {
            What::Called { id, .. } => (id, true),
            What::LookedUp { id, pending } => (id, pending.is_some()),
            What::Usage { .. } => continue,
        };
        let Some(&at) = place.get(id.as_str()) else {
            return Err(format!("{id} was told, and is lost"));
        };
        let bounds = &mut bounds[at];
        match &seen.what {
            What::Called { replay, .. } => {
                if !replay {
                    bounds.from = bounds.from.max(seen.last);
                }
                asked[at] = asked[at].into_iter().chain([seen.first]).min();
            }
            _ if !found => bounds.from = bounds.from.max(seen.last),
            _ => {}
        }
        if found {
            bounds.to = bounds.to.into_iter().chain([seen.to]).min();
        }
    }
    for (bounds, asked) in bounds.iter_mut().zip(asked) {
        bounds.from = bounds.from.max(asked.unwrap_or_default());
    }
    Ok(bounds)
}

/// The usages that were told after so many executions, in the order in which they were asked for.
fn usages<'s>(
    seen: &'s [Seen],
    executions: &[Execution],
) -> Result<BTreeMap<usize, Vec<&'s Seen>>, String> {
    let mut sums = vec![0];
    for execution in executions {
        sums.push(sums[sums.len() - 1] + execution.paise);
    }
    let mut usages = BTreeMap::<usize, Vec<&Seen>>::new();
    for seen in seen {
        let What::Usage { calls, paise } = seen.what else {
            continue;
        };
        if sums.get(calls) != Some(&paise) {
            return Err(format!("{calls} calls never cost {paise} paise"));
        }
        usages.entry(calls).or_default().push(seen);
    }
    for of_one in usages.values_mut() {
        of_one.sort_by_key(|seen| seen.last);
    }
    Ok(usages)
}

/// Histories that can't be are found.
pub(crate) fn can_fail() {
    let executions = ["a", "b"].map(|id| Execution {
        id: id.to_owned(),
        paise: 250,
    });
    let can_be = || {
        vec![
            called(0, 4, "a", false),
            called(1, 2, "b", false),
            called(5, 6, "a", true),
            usage(1, 3, 1),
            usage(3, 5, 2),
            looked_up(3, 5, "b", Some(true)),
            looked_up(4, 6, "b", Some(false)),
            looked_up(0, 1, "b", None),
        ]
    };
    assert_eq!(judge(&can_be(), &executions), Ok(()));
    for (more, why) in [
        (called(7, 8, "a", false), "executed 2 times"),
        (usage(6, 6, 1), "before it can have been"),
        (usage(0, 0, 2), "usage was not that"),
        (looked_up(7, 8, "a", None), "before it can have been"),
        (looked_up(7, 8, "b", Some(true)), "pending again"),
        (looked_up(7, 8, "c", Some(true)), "is lost"),
        (called(7, 8, "c", true), "is lost"),
    ] {
        let mut history = can_be();
        history.push(more);
        let judged = judge(&history, &executions).expect_err(why);
        assert!(judged.contains(why), "{why}: {judged}");
    }
    let twice = [&executions[..], &executions[..1]].concat();
    assert!(judge(&can_be(), &twice).is_err());
    let untold = Execution {
        id: "c".to_owned(),
        paise: 250,
    };
    let untold = [&executions[..], &[untold]].concat();
    let judged = judge(&can_be(), &untold).expect_err("it is for nobody");
    assert!(judged.contains("for nobody"), "{judged}");
    // The other order: the second was answered before the first can have been executed.
    let history = [called(0, 1, "b", false), called(2, 3, "a", false)];
    assert!(judge(&history, &executions).is_err());
}

fn seen(from: u64, to: u64, what: What) -> Seen {
    let from = Duration::from_secs(from);
    Seen {
        first: from,
        last: from,
        to: Duration::from_secs(to),
        what,
    }
}

fn called(from: u64, to: u64, id: &str, replay: bool) -> Seen {
    let what = What::Called {
        key: format!("key of {id}"),
        id: id.to_owned(),
        replay,
        pending: false,
    };
    seen(from, to, what)
}

fn looked_up(from: u64, to: u64, id: &str, pending: Option<bool>) -> Seen {
    let id = id.to_owned();
    seen(from, to, What::LookedUp { id, pending })
}

fn usage(from: u64, to: u64, calls: usize) -> Seen {
    let paise = 250 * calls as i64;
    seen(from, to, What::Usage { calls, paise })
}
