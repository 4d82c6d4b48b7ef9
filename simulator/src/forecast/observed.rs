//! Traffic that was seen, put in order: calls of all its files, each with its result where that came later, and what was
//! answered again told apart.

use std::collections::BTreeMap;

use svc_capture::Capture;
use svc_fixtures::contract::Environment;

use super::archive::read_archive;
use super::captured::read_capture;
use super::left_out::{LeftOutLine, LeftOutLines};
use super::lines::read_lines;
use super::seen::{CallEnding, MeteredCall, SeenCall, SeenKind};
use super::tariff::Tariff;

/// A file of traffic: a capture, or JSON.
#[derive(Debug, Clone)]
pub struct TrafficFile {
    /// What it is called.
    pub name: String,
    /// What is in it.
    pub text: String,
}

/// The calls of some files.
#[derive(Debug, Default)]
pub(super) struct ObservedCalls {
    /// The first first.
    pub(super) calls: Vec<MeteredCall>,
    /// What was left out.
    pub(super) left_out: LeftOutLines,
    /// Of how many calls nobody says where they went.
    pub(super) assumed_live: usize,
}

/// So many calls are reckoned with: sums of more would not fit.
pub(super) const MOST_CALLS: usize = 2_000_000;

struct Placed {
    file: String,
    line: usize,
    text: String,
    call: SeenCall,
}

impl ObservedCalls {
    /// Reads all files.
    pub(super) fn read(tariff: &Tariff<'_>, files: &[TrafficFile]) -> Self {
        let mut read = ObservedCalls::default();
        let mut placed = Vec::new();
        for file in files {
            placed.extend(read.of_file(file));
        }
        in_order(&mut placed);
        // By account and id: where the call stands.
        let mut known: BTreeMap<(String, String), usize> = BTreeMap::new();
        let mut keys = UsedKeys::new(tariff.contract.service.idempotency_retention_ms);
        for one in placed {
            let id = one.call.id.clone().map(|id| (one.call.account.clone(), id));
            let earlier = id.as_ref().and_then(|id| known.get(id)).copied();
            let stands = earlier.map(|at| read.calls[at].ending);
            match (one.call.kind, stands) {
                // What it is the result of is not in the traffic, or is there already.
                (SeenKind::Result, None) => {}
                (SeenKind::Result, Some(ending)) if ending != CallEnding::Pending => {}
                (_, Some(CallEnding::Pending)) if !one.call.is_replay => {
                    let at = earlier.expect("it stands there");
                    read.end(tariff, at, one);
                }
                _ => {
                    let first = keys
                        .first(&one.call)
                        .filter(|at| read.is_first(*at, &one.call));
                    if let Some(at) = first {
                        read.tell(tariff, at, &one);
                    }
                    let is_replay = stands.is_some() || one.call.is_replay || first.is_some();
                    let at = read.calls.len();
                    if read.add(tariff, one, is_replay)
                        && let Some(id) = id
                    {
                        known.entry(id).or_insert(at);
                    }
                    if let Some(call) = read.calls.get(at) {
                        keys.note(at, call);
                    }
                }
            }
        }
        read.left_out.in_order();
        read
    }

    fn of_file(&mut self, file: &TrafficFile) -> Vec<Placed> {
        let place = |(line, call, text): (usize, SeenCall, String)| Placed {
            file: file.name.clone(),
            line,
            text,
            call,
        };
        // Some programs begin a file with a mark of its byte order.
        let text = file.text.trim_start_matches('\u{feff}');
        if let Ok(capture) = Capture::from_json(text) {
            let calls = read_capture(&file.name, &capture, &mut self.left_out);
            return calls.into_iter().map(place).collect();
        }
        if let Some(calls) = read_archive(&file.name, text, &mut self.left_out) {
            return calls.into_iter().map(place).collect();
        }
        let read = read_lines(&file.name, text);
        self.left_out.extend(read.left_out);
        let mut calls: Vec<Placed> = read.calls.into_iter().map(place).collect();
        if read.newest_first {
            calls.reverse();
        }
        calls
    }

    fn add(&mut self, tariff: &Tariff<'_>, one: Placed, is_replay: bool) -> bool {
        let Placed {
            file,
            line,
            text,
            mut call,
        } = one;
        call.is_replay = is_replay;
        let is_assumed = call.environment.is_none();
        let too_many = || {
            Err(format!(
                "more than {MOST_CALLS} calls are not reckoned with"
            ))
        };
        let metered = match self.calls.len() < MOST_CALLS {
            true => call.metered(tariff),
            false => too_many(),
        };
        match metered {
            Ok(call) => {
                self.assumed_live += usize::from(is_assumed);
                self.calls.push(call);
                true
            }
            Err(why) => {
                self.left_out.add(LeftOutLine {
                    file,
                    line,
                    why,
                    text,
                });
                false
            }
        }
    }

    /// Whether a call with the key of the one at this place was answered what that one came to: a charge where that one failed
    /// for nothing shows that it was executed itself.
    fn is_first(&self, at: usize, call: &SeenCall) -> bool {
        let is_charged = call.said.is_some_and(|said| said.charged);
        !(is_charged && self.calls[at].ending == CallEnding::Failed)
    }

    /// What came of the call at this place, where nobody heard its answer before it was given again.
    fn tell(&mut self, tariff: &Tariff<'_>, at: usize, again: &Placed) {
        if self.calls[at].ending == CallEnding::Unanswered {
            let (at_ms, took_ms) = (self.calls[at].seen.at, self.calls[at].seen.took_ms);
            let call = SeenCall {
                is_replay: false,
                is_unanswered: false,
                at: at_ms,
                took_ms,
                ..again.call.clone()
            };
            let (file, text) = (again.file.clone(), again.text.clone());
            let told = Placed {
                file,
                text,
                call,
                line: again.line,
            };
            self.end(tariff, at, told);
        }
    }

    /// The call at this place has ended so.
    fn end(&mut self, tariff: &Tariff<'_>, at: usize, result: Placed) {
        let call = &mut self.calls[at];
        let mut ended = result.call;
        let came = ended.at;
        // The result names what it is of as the call does.
        ended.name.clone_from(&call.seen.name);
        ended.environment = ended.environment.or(Some(call.environment));
        let Ok(ended) = ended.metered(tariff) else {
            return;
        };
        if ended.ending == CallEnding::Pending {
            return;
        }
        call.ending = ended.ending;
        call.seen.said = ended.seen.said;
        let since = call.seen.at.zip(came);
        let after = since
            .and_then(|(from, to)| u64::try_from(to.as_millisecond() - from.as_millisecond()).ok());
        call.seen.after_ms = call.seen.after_ms.or(after);
    }
}

/// The idempotency keys of calls that were executed (rulings 18 and 19).
struct UsedKeys {
    retention_ms: u64,
    /// By account, environment, what is called, and key: the call that has it.
    used: BTreeMap<UsedKey, UsedBy>,
}

struct UsedBy {
    at_ms: Option<i64>,
    id: Option<String>,
    /// The place of the call.
    place: usize,
}

type UsedKey = (String, Option<&'static str>, String, String);

impl UsedKeys {
    fn new(retention_ms: u64) -> Self {
        UsedKeys {
            retention_ms,
            used: BTreeMap::new(),
        }
    }

    fn of(call: &SeenCall) -> Option<UsedKey> {
        let environment = call.environment.map(Environment::as_str);
        let key = call.key.clone()?;
        Some((call.account.clone(), environment, call.name.clone(), key))
    }

    /// The place of the executed call whose key this one brings: another id shows that it was executed itself.
    fn first(&self, call: &SeenCall) -> Option<usize> {
        let UsedBy { at_ms, id, place } = UsedKeys::of(call).and_then(|key| self.used.get(&key))?;
        let since = at_ms.zip(call.at.map(|at| at.as_millisecond()));
        let is_kept = since.is_none_or(|(then, now)| {
            u64::try_from(now - then).is_ok_and(|passed| passed < self.retention_ms)
        });
        let is_one = id.is_none() || call.id.is_none() || *id == call.id;
        (is_kept && is_one).then_some(*place)
    }

    fn note(&mut self, place: usize, call: &MeteredCall) {
        if call.ending.is_executed()
            && let Some(key) = UsedKeys::of(&call.seen)
        {
            let used = UsedBy {
                at_ms: call.seen.at.map(|at| at.as_millisecond()),
                id: call.seen.id.clone(),
                place,
            };
            self.used.insert(key, used);
        }
    }
}

/// The first first, where they say when they were made; what says nothing stays behind what it stood behind.
fn in_order(placed: &mut [Placed]) {
    let mut last = None;
    let keys: Vec<_> = placed
        .iter()
        .map(|one| {
            last = one.call.at.or(last);
            last
        })
        .collect();
    let mut order: Vec<usize> = (0..placed.len()).collect();
    order.sort_by_key(|at| keys[*at]);
    // Put in this order by moving each to its place.
    let mut place_of = vec![0; order.len()];
    for (to, from) in order.into_iter().enumerate() {
        place_of[from] = to;
    }
    for at in 0..placed.len() {
        while place_of[at] != at {
            let to = place_of[at];
            placed.swap(at, to);
            place_of.swap(at, to);
        }
    }
}

impl MeteredCall {
    /// Whether it was made on live, or is reckoned as if.
    pub(super) fn is_paid(&self, as_live: bool) -> bool {
        as_live || self.environment == Environment::Live
    }
}
