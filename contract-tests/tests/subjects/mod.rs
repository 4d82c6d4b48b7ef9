//! Simulators made for one script each: sound ones, and ones with a defect planted in them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use svc_contract_tests::capture::{Request, Response, TransportError};
use svc_contract_tests::property::ServiceFactory;
use svc_contract_tests::target::Target;
use svc_fixtures::contract::{Environment, Paise};

use crate::support::{self, InProcess};

/// What an account has on live: enough for the dearest bundle, not for much more.
const WALLET: Paise = Paise(18_000);

/// Sound simulators.
pub(crate) struct Sound;

impl ServiceFactory for Sound {
    type Service = InProcess;

    fn fresh(&self) -> InProcess {
        let mut accounts = support::accounts();
        for account in accounts.iter_mut().filter(|account| account.copies) {
            account.live_wallet = WALLET;
        }
        InProcess::new(accounts)
    }

    fn finish<F: Future>(&self, future: F) -> F::Output {
        support::block_on(future)
    }
}

const PAN: &str = "/v1/verify/identity/pan";

/// What is wrong with a simulator.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Defect {
    /// The answers of the PAN operation lack `meta.latencyMs`.
    NoLatency,
    /// Every so many charged calls, one is charged twice.
    ChargesTwice(usize),
    /// Any text is taken for a PAN.
    TakesAnyPan,
    /// An idempotency key is forgotten once its call has failed.
    ForgetsFailures,
    /// The answers depend on how many calls the whole service has had.
    CountsAcrossAccounts,
}

/// Simulators with a defect.
pub(crate) struct Broken(pub(crate) Defect);

impl ServiceFactory for Broken {
    type Service = BrokenService;

    fn fresh(&self) -> BrokenService {
        BrokenService {
            sound: Sound.fresh(),
            defect: self.0,
            charged: AtomicUsize::new(0),
            calls: AtomicUsize::new(0),
            failed: Mutex::new(Vec::new()),
        }
    }

    fn finish<F: Future>(&self, future: F) -> F::Output {
        support::block_on(future)
    }
}

/// A simulator with a defect.
pub(crate) struct BrokenService {
    sound: InProcess,
    defect: Defect,
    charged: AtomicUsize,
    calls: AtomicUsize,
    failed: Mutex<Vec<String>>,
}

impl Target for BrokenService {
    async fn send(&self, request: &Request) -> Result<Response, TransportError> {
        let asked = self.asked(request);
        let mut response = self.sound.send(&asked).await?;
        match self.defect {
            Defect::NoLatency if request.path == PAN => edit(&mut response, |json| {
                json["meta"]
                    .as_object_mut()
                    .map(|meta| meta.remove("latencyMs"));
            }),
            Defect::ChargesTwice(every) if is_charge(request, &response) => {
                let count = self.charged.fetch_add(1, Ordering::Relaxed) + 1;
                if count.is_multiple_of(every) {
                    // The same call once more, which nobody asked for and nobody is answered.
                    let mut again = asked.clone();
                    again.headers.retain(|(name, _)| name != "idempotency-key");
                    self.sound.send(&again).await?;
                }
            }
            Defect::ForgetsFailures if response.status >= 500 => {
                let key = request.header("idempotency-key").map(str::to_owned);
                self.failed.lock().expect("nobody panicked").extend(key);
            }
            Defect::CountsAcrossAccounts => {
                let count = self.calls.fetch_add(1, Ordering::Relaxed);
                edit(&mut response, |json| {
                    let more = count as u64 / 4;
                    let latency = json["meta"]["latencyMs"].as_u64().unwrap_or_default();
                    // Only where nothing is foreseen of it.
                    if json["meta"]["environment"] == "live" {
                        json["meta"]["latencyMs"] = Value::from(latency + more);
                    }
                });
            }
            _ => {}
        }
        Ok(response)
    }
}

impl BrokenService {
    /// What reaches the simulator in place of what was sent.
    fn asked(&self, request: &Request) -> Request {
        let mut asked = request.clone();
        match self.defect {
            Defect::TakesAnyPan if request.path == PAN => {
                if let Ok(mut json) = serde_json::from_slice::<Value>(&request.body)
                    && json["pan"].as_str().is_some_and(|pan| !pan.is_empty())
                {
                    json["pan"] = Value::from("AAAAA0000A");
                    asked.body = json.to_string().into_bytes();
                }
            }
            Defect::ForgetsFailures => {
                let failed = self.failed.lock().expect("nobody panicked");
                let forgotten =
                    |value: &String| failed.iter().filter(|known| *known == value).count();
                for (name, value) in &mut asked.headers {
                    let times = forgotten(value);
                    if name == "idempotency-key" && times > 0 {
                        *value = format!("{value}-{times}");
                    }
                }
            }
            _ => {}
        }
        asked
    }
}

fn is_charge(request: &Request, response: &Response) -> bool {
    let json: Value = serde_json::from_slice(&response.body).unwrap_or_default();
    let replay = response.header("idempotent-replay").is_some();
    request.environment == Environment::Live
        && request.method == "POST"
        && !replay
        && json["billing"]["charged"] == true
}

fn edit(response: &mut Response, edit: impl FnOnce(&mut Value)) {
    if let Ok(mut json) = serde_json::from_slice::<Value>(&response.body) {
        edit(&mut json);
        response.body = json.to_string().into_bytes();
    }
}
