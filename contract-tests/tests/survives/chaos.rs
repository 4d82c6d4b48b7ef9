//! A simulator behind a net or proxy: calls are cut, answered late, or refused honestly, by a seed; answers
//! are printed otherwise or have more in them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use svc_contract_tests::capture::{Arrived, Channel, Request, Response, TransportError};
use svc_contract_tests::sink::RunSink;
use svc_contract_tests::target::Target;

use crate::support::InProcess;
use svc_fixtures::contract::{Contract, ErrorCode};
use svc_fixtures::json::Json;

/// What is done to calls, by chance.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mischief {
    /// Of a hundred calls so many have their connection cut, before they are executed or after.
    pub(crate) cut_percent: u64,
    /// Of a hundred calls so many are refused with an honest 503.
    pub(crate) refuse_percent: u64,
    /// How late an answer is at least.
    pub(crate) latency_ms: u64,
    /// How much later it is at most.
    pub(crate) delay_ms: u64,
    /// What becomes of the JSON of answers.
    pub(crate) retold: Retold,
}

/// What becomes of the JSON of an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Retold {
    #[default]
    AsItIs,
    /// Every object has one more member.
    WithMore,
    /// The members of every object come in another order.
    InAnotherOrder,
}

impl Retold {
    fn bytes(self, body: Vec<u8>) -> Vec<u8> {
        match (self, Json::parse(&body)) {
            (Retold::AsItIs, _) | (_, Err(_)) => body,
            (_, Ok(json)) => self.json(json).to_string().into_bytes(),
        }
    }

    fn json(self, json: Json<'_>) -> Json<'_> {
        match json {
            Json::Object(members) => {
                let members = members.into_iter();
                let mut members: Vec<_> = members
                    .map(|(name, value)| (name, self.json(value)))
                    .collect();
                match self {
                    Retold::AsItIs => {}
                    Retold::WithMore => members.push(("addedLater".into(), Json::Int(1))),
                    Retold::InAnotherOrder => members.reverse(),
                }
                Json::Object(members)
            }
            Json::List(items) => Json::List(items.into_iter().map(|it| self.json(it)).collect()),
            plain => plain,
        }
    }
}

/// The simulator behind it.
pub(crate) struct Chaos {
    simulator: InProcess,
    mischief: Mischief,
    chance: AtomicU64,
    message: String,
}

impl Chaos {
    pub(crate) fn new(simulator: InProcess, mischief: Mischief, seed: u64) -> Self {
        let contract = Contract::built_in();
        Chaos {
            simulator,
            mischief,
            chance: AtomicU64::new(seed),
            message: contract.error(ErrorCode::SourceUnavailable).meaning.clone(),
        }
    }

    /// A number below 10,000: splitmix64.
    fn chance(&self) -> u64 {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut z = self.chance.fetch_add(STEP, Ordering::SeqCst);
        z = z.wrapping_add(STEP);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % 10_000
    }

    /// An honest 503 in the place of an answer, where the call came as far as that.
    async fn refusal(&self, request: &Request) -> Option<Response> {
        let mut headers = request.headers.clone();
        headers.retain(|(name, _)| name != "idempotency-key");
        let invalid = Request {
            headers,
            body: b"{}".to_vec(),
            ..request.clone()
        };
        let refused = self.simulator.send(&invalid).await.ok()?;
        let mut json: serde_json::Value = serde_json::from_slice(&refused.body).ok()?;
        if json["error"]["code"] != "SVC_INVALID_INPUT" {
            return None;
        }
        json["error"]["code"] = "SVC_SOURCE_UNAVAILABLE".into();
        json["error"]["message"] = self.message.clone().into();
        json["error"]["retryable"] = true.into();
        Some(Response {
            status: 503,
            headers: refused.headers,
            body: json.to_string().into_bytes(),
        })
    }
}

impl Target for Chaos {
    async fn send(&self, request: &Request) -> Result<Response, TransportError> {
        if request.channel != Channel::Api {
            return self.simulator.send(request).await;
        }
        let cut = || TransportError::Cut {
            why: "reset by peer".to_owned(),
            arrived: Arrived::default(),
        };
        let (chance, late) = (self.chance(), self.chance());
        tokio::time::sleep(Duration::from_millis(
            self.mischief.latency_ms + self.mischief.delay_ms * late / 10_000,
        ))
        .await;
        let (cuts, refuses) = (
            self.mischief.cut_percent * 100,
            self.mischief.refuse_percent * 100,
        );
        if chance < cuts / 2 {
            return Err(cut());
        }
        let refused = (cuts..cuts + refuses).contains(&chance) && request.method == "POST";
        if refused && let Some(refusal) = self.refusal(request).await {
            return Ok(refusal);
        }
        let answer = self.simulator.send(request).await?;
        if chance < cuts {
            return Err(cut());
        }
        Ok(Response {
            body: self.mischief.retold.bytes(answer.body),
            ..answer
        })
    }

    fn sink(&self) -> Option<RunSink> {
        self.simulator.sink()
    }
}
