//! What landed, judged, blacked out and written, one exchange after the other.

use std::iter;
use std::sync::mpsc::Receiver;
use std::thread;
use std::time::Duration;

use svc_fixtures::contract::{Contract, Environment};
use svc_fixtures::json::Json;
use tokio::time::Instant;

use super::file::CaptureFile;
use super::flight::{Landed, MOST_AT_ONCE};
use super::seen::{Seen, SeenBody, SeenHeaders};
use super::{RecordPlan, Recorded, RouteKind, clean, coding};
use crate::capture::{
    CUT_BODY, CapturedCase, Channel, Credential, Exchange, Request, Response, TransportError,
};
use crate::event::CheckResult;
use crate::personal::{PersonalMembers, Pseudonyms, is_judged_alike};
use crate::plan::{Setting, inputs};
use crate::recorded::{self, CALLS, WEBHOOKS};
use crate::redact::{REDACTED, Redactor, Secret};
use crate::signature::Signature;
use crate::verdict::posted::{SIGNATURE, VERIFIED};
use crate::verdict::{Finding, IssuedIds, Verdict, without_beginning};

/// Who is told a line while a recording is made.
pub type Say = Box<dyn FnMut(&str) + Send>;

/// How long exchanges are gathered, to be judged and written at once. Of 1,000 calls a second each costs a tenth more of the
/// processor in 10 ms, and as much less in 100; but then the proxy waits for what was gathered.
const GATHER: Duration = Duration::from_millis(50);

/// Why an exchange is recorded without what passed.
const LEFT_OUT: &str = "left out of the recording: it is judged otherwise without personal data";

/// How long it works without giving way. For as long as all of them take a hundredth of the calls took a millisecond longer;
/// giving way after each cost half as much as what it was for, and after 100 microseconds a twentieth.
const AT_MOST: Duration = Duration::from_micros(200);

/// What works on what landed.
struct Desk<'d> {
    plan: &'d RecordPlan,
    setting: &'d Setting<'d>,
    keys: clean::Keys,
    ids: IssuedIds,
    /// What makes stand-ins of people, where they may be real.
    pseudonyms: Option<Pseudonyms>,
    say: Say,
    done: Recorded,
}

/// Works until nothing can land any more.
pub(super) fn work(
    plan: &RecordPlan,
    mut file: CaptureFile,
    landed: &Receiver<Option<Landed>>,
    say: Say,
) -> Recorded {
    let contract = Contract::built_in();
    let mut setting = Setting::new(&contract, inputs::built_in(), plan.seed.clone());
    setting.profile = plan.profile;
    setting.environments.clone_from(&plan.environments);
    let people = || {
        let mut chance = [0; 2];
        // Without it the years are the usual ones.
        let _ = getrandom::fill(&mut chance);
        let people = Pseudonyms::of(PersonalMembers::of(&contract));
        people.with_chance(u16::from_le_bytes(chance))
    };
    let mut desk = Desk {
        plan,
        setting: &setting,
        keys: clean::Keys::besides(plan.webhook_secret.iter().cloned().collect()),
        ids: IssuedIds::across_cases(),
        pseudonyms: (!plan.local).then(people),
        say,
        done: Recorded::default(),
    };
    let mut over = false;
    while !over {
        let first = match landed.try_recv() {
            Ok(first) => first,
            Err(_) => {
                let Ok(first) = landed.recv() else { break };
                if first.is_some() {
                    thread::park_timeout(GATHER);
                }
                first
            }
        };
        let (mut saved, mut places) = (Vec::new(), Vec::new());
        let mut began = Instant::now();
        for one in iter::once(first)
            .chain(landed.try_iter())
            .take(MOST_AT_ONCE)
        {
            let Some(Landed { seen, place }) = one else {
                over = true;
                break;
            };
            let captured = desk.captured(seen);
            let written = desk.judged(captured);
            desk.done.empty += u64::from(written.exchanges.is_empty());
            saved.push(written);
            places.push(place);
            // Whoever waits for this processor is the proxy, the client or the service.
            if began.elapsed() > AT_MOST {
                thread::yield_now();
                began = Instant::now();
            }
        }
        desk.done.exchanges += saved.len() as u64;
        for error in file.add(&saved) {
            desk.unwritten(&error.to_string());
        }
        drop(places);
    }
    desk.done
}

impl Desk<'_> {
    /// What passed, without keys.
    fn captured(&mut self, seen: Seen) -> CapturedCase {
        let (check, environment) = match seen.kind {
            RouteKind::Calls(environment) => (CALLS, environment),
            RouteKind::Webhooks => (WEBHOOKS, environment_of(&seen.sent.bytes)),
        };
        let (credential, redactor) = match seen.kind {
            RouteKind::Calls(_) => self.keys.of(environment, &seen.headers),
            RouteKind::Webhooks => (Credential::Nothing, self.keys.any()),
        };
        let verified = self.verified(&seen);
        let number = seen.number;
        let (mut exchange, unread) = exchange(self.plan, seen, environment, credential, &redactor);
        if let Some(verified) = verified {
            let said = (VERIFIED.to_owned(), verified.to_string());
            exchange.request.headers.push(said);
        }
        let name = clean::name(self.setting, number, &exchange.request, self.plan.local);
        let mut captured = CapturedCase {
            took_ms: exchange.took_ms,
            ..CapturedCase::new(check, redactor.text(&name))
        };
        match unread {
            Some(why) => captured.stopped = Some(format!("not recorded: {why}")),
            None => captured.exchanges.push(exchange),
        }
        captured
    }

    /// Whether a webhook is signed with the secret, where that is known and all that was signed is here. The capture says
    /// it, so that judging again says the same without the secret.
    fn verified(&self, seen: &Seen) -> Option<bool> {
        let secret = self.plan.webhook_secret.as_ref()?;
        let header = str::from_utf8(seen.headers.get(SIGNATURE)?).ok()?;
        let judged = seen.kind == RouteKind::Webhooks && !seen.sent.is_cut();
        let signature = Signature::read(header).ok().filter(|_| judged)?;
        Some(signature.is_of(secret.expose(), &seen.sent.bytes))
    }

    /// Judges it and says what is broken; answers it as it may be saved.
    fn judged(&mut self, captured: CapturedCase) -> CapturedCase {
        let mut findings = match self.pseudonyms {
            None => recorded::complaints(self.setting, &captured),
            // What is written is judged again, and to be judged alike.
            Some(_) => recorded::judge_one(self.setting, &captured),
        };
        findings.extend(self.ids.take(self.setting.contract, &captured));
        let broken = |finding: &Finding| matches!(finding.verdict, Verdict::Broken { .. });
        let any = findings.iter().any(broken);
        self.done.broken += u64::from(any);
        let saved = match &mut self.pseudonyms {
            None if !any => return captured,
            None => captured.clone(),
            Some(pseudonyms) => {
                let mut clean = pseudonyms.case(&captured, &clean::kept());
                clean::unsearchable(self.setting, &mut clean);
                let again = recorded::judge_one(self.setting, &clean);
                let mine = findings.iter().take(again.len());
                match is_judged_alike(mine, &again) {
                    true => clean,
                    false => CapturedCase {
                        exchanges: Vec::new(),
                        stopped: Some(LEFT_OUT.to_owned()),
                        ..clean
                    },
                }
            }
        };
        if any {
            self.report(captured, findings);
        }
        saved
    }

    /// A line for each verdict that is broken.
    fn report(&mut self, captured: CapturedCase, findings: Vec<Finding>) {
        let mut result = CheckResult {
            findings,
            evidence: vec![captured],
            ..CheckResult::default()
        };
        if let Some(pseudonyms) = &mut self.pseudonyms {
            pseudonyms.replace_in(&mut result);
            for finding in &mut result.findings {
                if let Verdict::Broken { found, .. } = &mut finding.verdict {
                    *found = without_beginning(found).to_owned();
                }
            }
        }
        for finding in &result.findings {
            if let Verdict::Broken {
                clause,
                what,
                expected,
                found,
                ..
            } = &finding.verdict
            {
                let case = &finding.case;
                let [expected, found] = [expected, found].map(|text| short(text));
                (self.say)(&format!(
                    "broken: {case}: {clause}: {what} is {found}, expected: {expected}"
                ));
            }
        }
    }

    fn unwritten(&mut self, why: &str) {
        self.done.unwritten += 1;
        if self.done.why.is_none() {
            (self.say)(&format!(
                "not written: {why}; what passes goes on passing, and is not recorded while that is so"
            ));
            self.done.why = Some(why.to_owned());
        }
    }
}

/// How much of a value is in a line.
const SHORT: usize = 120;

/// A value in one line.
fn short(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut line: String = plain.take(SHORT).collect();
    if text.chars().nth(SHORT).is_some() {
        line.push('…');
    }
    line
}

/// Which environment a webhook says that it is of.
pub(super) fn environment_of(body: &[u8]) -> Environment {
    let json = Json::parse(body).ok();
    let named = json
        .as_ref()
        .and_then(|json| json.get("meta")?.get("environment")?.as_text());
    match named {
        Some("live") => Environment::Live,
        _ => Environment::Test,
    }
}

/// A body as it was before it was compressed; or why it can't be read.
fn readable(headers: &SeenHeaders, body: SeenBody, most_bytes: usize) -> Result<Vec<u8>, String> {
    // Of a compressed body that is cut nothing can be read for sure.
    let cut = body
        .is_cut()
        .then(|| format!("a body of {} bytes", body.length));
    let plain = coding::plain(headers, body.bytes, most_bytes);
    plain.map_err(|why| cut.unwrap_or_else(|| format!("of a body nothing can be read, for {why}")))
}

/// An exchange without keys; and why it can't be read, where it can't.
fn exchange(
    plan: &RecordPlan,
    seen: Seen,
    environment: Environment,
    credential: Credential,
    redactor: &Redactor,
) -> (Exchange, Option<String>) {
    let (local, preflight) = (plan.local, seen.is_preflight());
    let mut unread = seen.unread;
    let mut body = |headers: &_, body| {
        readable(headers, body, plan.most_bytes).unwrap_or_else(|why| {
            unread = Some(why);
            Vec::new()
        })
    };
    let sent_length = seen.sent.is_cut().then_some(seen.sent.length);
    let sent = body(&seen.headers, seen.sent);
    let too_long = seen.came.is_cut();
    let came = match (seen.answer, seen.error) {
        (_, Some(error)) => Err(redactor.error(error)),
        (Some(_), None) if too_long => Err(TransportError::TooLong {
            limit: plan.most_bytes,
        }),
        (Some((status, headers)), None) => Ok((status, body(&headers, seen.came), headers)),
        (None, None) => Err(TransportError::Unreachable("nothing came".to_owned())),
    };
    let (path, query) = (seen.path.as_str(), seen.query.as_str());
    let mut texts = vec![path.as_bytes(), query.as_bytes(), &sent];
    texts.extend(clean::searched(&seen.headers));
    texts.extend(came.iter().map(|(_, body, _)| body.as_slice()));
    texts.extend(came.iter().flat_map(|(_, _, head)| clean::searched(head)));
    let redactor = redactor.searched(&texts);
    let response = came.map(|(status, body, headers)| Response {
        status: status.as_u16(),
        headers: clean::headers(&headers, redactor, local),
        body: redactor.bytes(body),
    });
    let sent = redactor.bytes(sent);
    let path = redactor.text(path);
    let channel = match seen.kind {
        RouteKind::Calls(_) => clean::channel(&path, preflight),
        RouteKind::Webhooks => Channel::Webhook,
    };
    let authorized = seen.headers.get("authorization").is_some();
    let mut headers = clean::headers(&seen.headers, redactor, local);
    if let Some(length) = sent_length {
        let cut = format!("{} of {length} bytes", sent.len());
        headers.push((CUT_BODY.to_owned(), cut));
    }
    let request = Request {
        channel,
        environment,
        method: seen.method.as_str().to_owned(),
        query: clean::query(query, redactor),
        path,
        authorization: authorized.then(|| Secret::new(REDACTED)),
        headers,
        body: sent,
        padded_to: None,
    };
    let exchange = Exchange {
        request,
        credential,
        at_s: Some(seen.at_s),
        response,
        took_ms: u64::try_from(seen.took.as_millis()).unwrap_or(u64::MAX),
        result: None,
    };
    (exchange, unread)
}
