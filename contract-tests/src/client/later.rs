//! Results that come later: where a case needs the result of a call that was answered pending, it is looked up, or
//! taken from the webhook, for a time that was given. The service decides whether it can be looked up at all.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use svc_fixtures::contract::{Contract, Environment, ErrorCode, Operation};
use tokio::time::{Instant, sleep};

use super::Client;
use crate::capture::{CapturedCase, Channel, Exchange, Response};
use crate::plan::{Case, Ending, RequestTemplate, Rule, Setting, Step, of_path};
use crate::target::Target;

/// Between two look-ups of one verification.
const PAUSE: Duration = Duration::from_millis(200);

/// How long results are waited for, and where that was in vain.
#[derive(Debug)]
pub(super) struct ResultWait {
    /// None where a pending answer is what a case goes on with.
    pub(super) most: Option<Duration>,
    /// Operations whose result did not come in time, by environment: the next one is not waited for.
    in_vain: Mutex<Vec<(Environment, String)>>,
}

/// How long a result is waited for where nobody says otherwise.
const USUAL: Duration = Duration::from_secs(10);

impl ResultWait {
    /// By our rulings a result comes when the case says, and is looked up there.
    pub(super) fn of(setting: &Setting<'_>) -> Self {
        ResultWait {
            most: (!setting.by_rulings()).then_some(USUAL),
            in_vain: Mutex::default(),
        }
    }

    fn is_in_vain(&self, environment: Environment, operation: &Operation) -> bool {
        let known = self.in_vain.lock();
        let known = known.unwrap_or_else(PoisonError::into_inner);
        known
            .iter()
            .any(|(at, id)| (*at, id) == (environment, &operation.id))
    }

    fn give_up(&self, environment: Environment, operation: &Operation) {
        let known = self.in_vain.lock();
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
        known.push((environment, operation.id.clone()));
    }
}

impl<T: Target> Client<'_, T> {
    /// Waits for the result of the call that was captured last, where the case needs it.
    pub(super) async fn wait_for_result(&self, case: &Case, captured: &mut CapturedCase) {
        let Some(most) = self.result_wait.most else {
            return;
        };
        let Some(at) = captured.exchanges.len().checked_sub(1) else {
            return;
        };
        let Some(operation) = needs_result(self.setting.contract, case, &captured.exchanges) else {
            return;
        };
        let Some(id) = pending(&captured.exchanges[at]) else {
            return;
        };
        if self.result_wait.is_in_vain(case.environment, operation) {
            return;
        }
        let until = Instant::now() + most;
        loop {
            let envelope = match self.received_result(&id) {
                Some(envelope) => Some(envelope),
                None => match self.looked_up(case, at, captured).await {
                    Ok(envelope) => envelope,
                    // There is no such look-up; only a webhook can bring it.
                    Err(()) if !self.has_registered_receiver() => break,
                    Err(()) => None,
                },
            };
            if let Some(body) = envelope {
                let response = captured.exchanges[at].response.as_ref();
                let headers = response.map(|it| it.headers.clone()).unwrap_or_default();
                let status = status_of(self.setting.contract, &body);
                captured.exchanges[at].result = Some(Response {
                    status,
                    headers,
                    body,
                });
                return;
            }
            if Instant::now() >= until {
                break;
            }
            sleep(PAUSE).await;
        }
        self.result_wait.give_up(case.environment, operation);
    }

    fn has_registered_receiver(&self) -> bool {
        self.sink
            .as_ref()
            .is_some_and(|own| own.sink.secret().is_some())
    }

    /// The envelope that a webhook brought, where it has ended.
    fn received_result(&self, id: &str) -> Option<Vec<u8>> {
        let own = self.sink.as_ref()?;
        let bodies = own.sink.bodies().into_iter();
        let mut ended = bodies.filter(|body| is_ended(body.as_bytes(), id));
        ended.next().map(String::into_bytes)
    }

    /// The envelope that a look-up finds, where it has ended; an error where nothing is found.
    async fn looked_up(
        &self,
        case: &Case,
        at: usize,
        captured: &CapturedCase,
    ) -> Result<Option<Vec<u8>>, ()> {
        let request = RequestTemplate::look_up(at).by(case.steps[at].request.credential.clone());
        let mut look_up = Case::new(&case.name).on(case.environment);
        look_up.steps = case.steps[..=at].to_vec();
        let place = look_up.push(request);
        let account = self.account_of(case, captured);
        let ready = self.ready(
            &captured.check,
            &look_up,
            place,
            &account,
            &captured.exchanges,
        );
        let ready = ready.map_err(drop)?;
        let found = self.send_by_channel(&ready).await.map_err(drop)?;
        let body = found.response.map_err(drop)?.body;
        let id = pending(&captured.exchanges[at]).unwrap_or_default();
        let json: Value = serde_json::from_slice(&body).map_err(drop)?;
        match json["verificationId"] == id.as_str() {
            true => Ok(Some(body).filter(|body| is_ended(body, &id))),
            false => Err(()),
        }
    }
}

/// The operation of the last step that was captured, where its case needs the result, and the service may answer it
/// later: it must complete or cost something, it is compared with a call whose result came later, or what is
/// charged is counted next.
fn needs_result<'c>(
    contract: &'c Contract,
    case: &Case,
    captured: &[Exchange],
) -> Option<&'c Operation> {
    let at = captured.len().checked_sub(1)?;
    let step = &case.steps[at];
    let request = &step.request;
    let operation = of_path(contract, &request.path).filter(|_| request.channel == Channel::Api)?;
    let pending = operation.pending.as_ref()?;
    let came_later = |at: &usize| captured.get(*at).is_some_and(|it| it.result.is_some());
    let needs = |rule: &Rule| match rule {
        Rule::Ends(ending) => *ending == Ending::Completed,
        Rule::Charged(charged) => *charged,
        Rule::BalanceFell(_) => true,
        Rule::SameResult(at) | Rule::SameEnding(at) => came_later(at),
        _ => false,
    };
    let rules = |step: &Step, is: &dyn Fn(&Rule) -> bool| step.expect.iter().any(|it| is(&it.rule));
    let next = case.steps.get(at + 1);
    let counted = |next: &Step| rules(next, &|rule| matches!(rule, Rule::BalanceAddsUp(_)));
    let is_needed = !pending.always && rules(step, &needs) || next.is_some_and(counted);
    is_needed.then_some(operation)
}

/// The verification of a call that was answered pending.
fn pending(exchange: &Exchange) -> Option<String> {
    let response = exchange.response.as_ref().ok()?;
    let json: Value = serde_json::from_slice(&response.body).ok()?;
    let is_pending = json["status"] == "pending";
    json["verificationId"]
        .as_str()
        .filter(|_| is_pending)
        .map(str::to_owned)
}

fn is_ended(body: &[u8], id: &str) -> bool {
    let json: Value = serde_json::from_slice(body).unwrap_or_default();
    json["verificationId"] == id
        && ["completed", "failed"]
            .iter()
            .any(|it| json["status"] == *it)
}

/// The status that an answer with this envelope has.
fn status_of(contract: &Contract, body: &[u8]) -> u16 {
    let json: Value = serde_json::from_slice(body).unwrap_or_default();
    let code = json["error"]["code"].as_str().and_then(ErrorCode::parse);
    code.map_or(200, |code| contract.error(code).status)
}
