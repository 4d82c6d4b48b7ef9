//! The simulator in process with a defect planted in it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use svc_contract_tests::capture::{Channel, Request, Response, TransportError};
use svc_contract_tests::client::{Client, Keyring};
use svc_contract_tests::sink::{RunSink, Sink};
use svc_contract_tests::target::Target;
use svc_simulator::host::transport::WebhookRequest;

use crate::CONTRACT;
use crate::judged::{self, Asked, Broken};
use crate::planted::{Behaviour, Delivery, Plant, Seen};
use crate::support::{self, InProcess};

/// What checks call broken with this planted, or with nothing.
pub(crate) fn broken(planted: Option<&'static Behaviour>, asked: Asked) -> Broken {
    let setting = support::setting(&CONTRACT);
    let target = PlantedSimulator::new(planted.map(|it| it.plant));
    let client = Client::new(&target, Keyring::of_simulator(), &setting);
    support::block_on(judged::judge(&setting, &client, asked, 1))
        .0
        .broken
}

struct PlantedSimulator {
    sound: InProcess,
    plant: Option<Plant>,
    seen: Mutex<Vec<Seen>>,
}

impl PlantedSimulator {
    fn new(plant: Option<Plant>) -> Self {
        let accounts = support::accounts();
        let sound = match plant {
            Some(Plant::Webhook(change)) => {
                let before = Arc::new(Mutex::new(Vec::new()));
                let deliver = move |sink: &Sink, webhook: &WebhookRequest| {
                    let mut before = before.lock().unwrap_or_else(PoisonError::into_inner);
                    let mut sent = webhook.clone();
                    let delivery = change(&mut sent, &before);
                    before.push(webhook.clone());
                    match delivery {
                        Delivery::Lost => 204,
                        Delivery::Sent => support::receive(sink, &sent),
                        Delivery::Taken => {
                            support::receive(sink, &sent);
                            204
                        }
                        Delivery::Refused => {
                            support::receive(sink, &sent);
                            500
                        }
                    }
                };
                InProcess::delivering(accounts, deliver)
            }
            _ => InProcess::new(accounts),
        };
        PlantedSimulator {
            sound,
            plant,
            seen: Mutex::default(),
        }
    }

    fn seen(&self) -> MutexGuard<'_, Vec<Seen>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Target for PlantedSimulator {
    async fn send(&self, request: &Request) -> Result<Response, TransportError> {
        let Some(plant) = self.plant else {
            return self.sound.send(request).await;
        };
        let api = request.channel != Channel::Console;
        let mut asked = request.clone();
        match plant {
            Plant::Asked(change) if api => change(&mut asked, &self.seen()),
            Plant::Console(change) if !api => change(&mut asked),
            Plant::Instead(answer) if api => {
                if let Some(answer) = answer(request, &self.seen()) {
                    return Ok(answer);
                }
            }
            _ => {}
        }
        let mut response = self.sound.send(&asked).await?;
        match plant {
            Plant::Answered(change) if api => {
                change(&asked, &mut response);
            }
            Plant::Shown(change) if !api => {
                change(&asked, &mut response);
            }
            Plant::Again(again) if api && again(&asked, &response) => {
                asked.headers.retain(|(name, _)| name != "idempotency-key");
                self.sound.send(&asked).await?;
            }
            Plant::Asked(_) | Plant::Instead(_) if api => {
                self.seen().push((request.clone(), response.clone()));
            }
            _ => {}
        }
        Ok(response)
    }

    fn sink(&self) -> Option<RunSink> {
        self.sound.sink()
    }
}
