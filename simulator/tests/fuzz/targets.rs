//! What is fuzzed: each target takes any bytes and panics where a promise does not hold. The stable
//! driver beside this file and the crate `fuzz/` run the same functions.

use std::borrow::Cow;
use std::cell::RefCell;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, LazyLock};

use jiff::Timestamp;
use svc_fixtures::contract::{ErrorCode, Paise};
use svc_fixtures::json::Json;
use svc_fixtures::reading::Source;
use svc_simulator::engine::call::request::{Body, Call, Environment, Header, Headers};
use svc_simulator::engine::call::rules::{Files, Rules};
use svc_simulator::engine::state::ids::Seed;
use svc_simulator::engine::state::signature::Signature;
use svc_simulator::host::clock::Clock;
use svc_simulator::host::{Host, HostConfig};
use svc_simulator::scenario::{self, read_accounts};
use svc_simulator::signature_diagnosis::{SignatureCase, Verdict, diagnose};
use tokio::runtime::Runtime;

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    Rules::read(&Files::built_in(), Seed::new("")).unwrap_or_else(|problems| panic!("{problems}"))
});

/// A simulator, and how many calls it has answered.
struct Simulator {
    host: Arc<Host>,
    calls: u32,
    runtime: Runtime,
}

impl Simulator {
    fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_all().build().expect("a runtime");
        let accounts = read_accounts(&scenario::accounts()).expect("built in");
        let config = HostConfig::new(Clock::manual(Timestamp::constant(1_800_000_000, 0)));
        let host = {
            let _inside = runtime.enter();
            Host::new(RULES.clone(), accounts, config).expect("built in")
        };
        Simulator {
            host,
            calls: 0,
            runtime,
        }
    }
}

thread_local! {
    static SIMULATOR: RefCell<Simulator> = RefCell::new(Simulator::new());
}

/// Bytes to the engine: five lines (method, path and query, `Authorization`, `Idempotency-Key`,
/// `X-Reference-Id`), then the body. Whatever comes, the answer is an envelope of the contract.
pub(crate) fn engine(data: &[u8]) {
    let mut lines = data.splitn(6, |&byte| byte == b'\n');
    let mut line = || lines.next().unwrap_or_default();
    let (method, target) = (
        String::from_utf8_lossy(line()),
        String::from_utf8_lossy(line()),
    );
    let (authorization, key, reference) = (line(), line(), line());
    let body = line();
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let call = Call {
        environment: match authorization.starts_with(b"Bearer svc_live") {
            true => Environment::Live,
            false => Environment::Test,
        },
        peer: IpAddr::V4(Ipv4Addr::LOCALHOST),
        method: &method,
        path,
        query,
        headers: Headers {
            authorization: header(authorization),
            content_type: Header::One(b"application/json"),
            content_encoding: Header::Absent,
            idempotency_key: header(key),
            reference_id: header(reference),
            all: None,
        },
        body: Body::Whole(body),
    };
    let reply = SIMULATOR.with_borrow_mut(|simulator| {
        if simulator.calls == 5000 {
            // So that a long run does not fill the memory.
            *simulator = Simulator::new();
        }
        simulator.calls += 1;
        simulator.runtime.block_on(simulator.host.answer(&call))
    });
    enveloped(reply.status, &reply.body);
}

fn header(value: &[u8]) -> Header<'_> {
    match value {
        b"" => Header::Absent,
        value => Header::One(value),
    }
}

/// Panics unless this is an envelope of the contract, with the status its code has.
pub(crate) fn enveloped(status: u16, body: &[u8]) {
    let contract = &RULES.contract;
    let text = String::from_utf8_lossy(body);
    let json = Json::parse(body).unwrap_or_else(|mistake| panic!("{mistake}: {text}"));
    let mistakes = contract.service.envelope.mistakes(&json);
    assert!(mistakes.is_empty(), "{mistakes:?} in {text}");
    assert!(json.get("referenceId").is_some(), "{text}");
    let code = json
        .get("error")
        .and_then(|error| error.get("code")?.as_text());
    match code.map(|code| ErrorCode::parse(code).expect("a code of the contract")) {
        // The two statuses that are not in the table: a wrong method, and a look-up of any envelope.
        Some(_) if status == 405 || status == 200 => {}
        Some(code) => assert_eq!(contract.error(code).status, status, "{text}"),
        None => assert!(matches!(status, 200 | 202), "{status} {text}"),
    }
}

/// Bytes to the loader of scenarios: they are rules, or every mistake is reported with its place and
/// nothing that a terminal obeys.
pub(crate) fn scenarios(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let source = Source::new("fuzzed.toml", text);
    let Err(problems) = RULES.with_scenarios_replaced(std::slice::from_ref(&source)) else {
        let read = RULES.with_scenarios(&[source]);
        // Names may be those of built-in scenarios; anything else was just found sound.
        drop(read);
        return;
    };
    let message = problems.to_string();
    assert!(message.contains("fuzzed.toml"), "{message}");
    let obeyed = |character: char| character.is_control() && character != '\n';
    assert!(!message.contains(obeyed), "{message:?}");
}

/// The header of a webhook, an empty line, the body: it is the signature it prints as, or the diagnosis
/// says what is wrong; only what verifies is called valid.
pub(crate) fn signature(data: &[u8]) {
    const SECRET: &str = "whsec_sample";
    let at = data.windows(2).position(|pair| pair == b"\n\n");
    let (header, body) = at.map_or((data, &[][..]), |at| (&data[..at], &data[at + 2..]));
    let header: Cow<'_, str> = String::from_utf8_lossy(header);
    let parsed = Signature::parse(&header);
    let mut fits = false;
    if let Ok(signature) = &parsed {
        assert_eq!(signature.to_string(), header);
        fits = signature.verify(SECRET, body);
    }
    let verdict = diagnose(&SignatureCase {
        secret: SECRET,
        others: &[("another account's", "whsec_other")],
        headers: &[&header],
        body,
        now_s: 1_800_000_000,
        tolerance_s: 300,
    });
    match verdict {
        Verdict::Valid { .. } => assert!(fits, "{header:?}"),
        Verdict::NotValid(diagnoses) => {
            assert!(!diagnoses.is_empty(), "{header:?}");
            for diagnosis in diagnoses {
                let text = format!("{} {} {}", diagnosis.seen, diagnosis.why, diagnosis.advice);
                assert!(
                    !text.contains(SECRET) && !text.contains("whsec_other"),
                    "{text}"
                );
            }
        }
    }
}

/// A number to an amount of money: it is whole paise that print as the same number, or none.
pub(crate) fn amount(data: &[u8]) {
    let Some(rupees) = Json::parse(data).ok().and_then(|json| json.as_num()) else {
        return;
    };
    let Some(paise) = Paise::from_rupees(rupees) else {
        return;
    };
    let printed = paise.to_string();
    let read: f64 = printed.parse().expect("a number");
    assert!(
        (read - rupees).abs() <= f64::EPSILON * rupees.abs(),
        "{rupees} {printed}"
    );
    assert_eq!(Paise::from_rupees(read), Some(paise), "{printed}");
    let sent = serde_json::to_string(&paise).expect("a number");
    let received = Json::parse(sent.as_bytes())
        .ok()
        .and_then(|json| json.as_num());
    assert_eq!(received.and_then(Paise::from_rupees), Some(paise), "{sent}");
    let decimals = printed
        .split_once('.')
        .map_or(0, |(_, decimals)| decimals.len());
    assert!(decimals <= 2, "{printed}");
}

/// Bytes to JSON: what is read prints as the same value, and other readers read it, too.
pub(crate) fn json(data: &[u8]) {
    let Ok(json) = Json::parse(data) else {
        return;
    };
    let canonical = |json: &Json<'_>| {
        let mut bytes = Vec::new();
        json.canonical(&mut |part| bytes.extend_from_slice(part));
        bytes
    };
    let printed = json.to_string();
    let again = Json::parse(printed.as_bytes()).expect("what we print we read");
    assert_eq!(canonical(&json), canonical(&again), "{printed}");
    let mut reader = serde_json::Deserializer::from_slice(data);
    // We read 128 levels, it 127 by default.
    reader.disable_recursion_limit();
    let theirs: Result<Vec<_>, _> = reader.into_iter::<serde_json::Value>().collect();
    assert!(theirs.is_ok_and(|values| values.len() == 1), "{printed}");
}
