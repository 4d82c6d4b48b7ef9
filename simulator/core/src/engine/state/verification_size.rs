//! What a verification takes in memory, for the bounds on what is kept.

use std::sync::Arc;

use super::flow::FlowChange;
use super::ids::VerificationId;
use super::sizes::{ALLOCATED, map_place, text_bytes};
use super::verification::{
    Answer, Claim, ConsentRequest, FirstAnswer, Resolved, Step, Verification, WaitingStep,
    WaitingSteps,
};

impl Verification {
    /// What it takes in memory beside its place in the map, in bytes: an estimate that is the same
    /// whenever the same is asked.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let reference = self.reference.as_deref().map_or(0, text_bytes);
        let steps: usize = self.steps.iter().map(Step::heap_bytes).sum();
        let waiting = self.waiting.as_ref().map_or(0, |it| it.heap_bytes());
        let flow = self.flow.as_ref().map_or(0, |flow| flow.heap_bytes());
        let delivery = self.delivery.as_ref().map_or(0, |it| it.heap_bytes());
        let newest = self.answer.as_ref().map_or(0, Answer::heap_bytes);
        let claims = self.claims.iter().map(Claim::heap_bytes);
        // That of an operation is shared by all its calls.
        let endpoint = if self.counted {
            0
        } else {
            text_bytes(&self.endpoint)
        };
        let first = self.request.as_ref().map_or(0, |it| it.heap_bytes());
        let second = self.second_request.as_ref();
        let second = second.map_or(0, |it| size_of_val(&**it) + ALLOCATED + it.heap_bytes());
        let parts = [
            reference, endpoint, first, second, steps, waiting, flow, delivery, newest,
        ];
        parts.iter().sum::<usize>() + claims.sum::<usize>()
    }
}

impl Answer {
    /// The envelope: it is a piece of memory of its own, which nobody shares.
    fn heap_bytes(&self) -> usize {
        ALLOCATED + self.envelope.len()
    }
}

impl Claim {
    /// The key and its place in the index.
    fn heap_bytes(&self) -> usize {
        let index = map_place::<Arc<str>, VerificationId>();
        let key = ALLOCATED + 2 * size_of::<usize>() + self.key.len();
        let answer = match &self.answer {
            FirstAnswer::Earlier(answer) => answer.heap_bytes(),
            FirstAnswer::InFlight | FirstAnswer::Newest => 0,
        };
        size_of::<Self>() + ALLOCATED + key + index + answer
    }
}

impl Step {
    fn heap_bytes(&self) -> usize {
        size_of::<Self>() + self.outcome.heap_bytes()
    }
}

impl WaitingSteps {
    fn heap_bytes(&self) -> usize {
        let content_type = self.content_type.as_deref().map_or(0, text_bytes);
        let steps = self.steps.len() * size_of::<WaitingStep>();
        size_of::<Self>() + steps + text_bytes(&self.body) + content_type
    }
}

impl Resolved {
    fn heap_bytes(&self) -> usize {
        match self {
            Resolved::Completed { data, flow } => {
                data.len() + flow.as_ref().map_or(0, FlowChange::heap_bytes)
            }
            Resolved::Failed { .. } => 0,
            Resolved::Pending {
                data,
                consent,
                finally,
                ..
            } => {
                let consent = consent.as_ref().map_or(0, |it| it.heap_bytes());
                size_of::<Self>() + data.len() + consent + finally.heap_bytes()
            }
        }
    }
}

impl ConsentRequest {
    fn heap_bytes(&self) -> usize {
        let documents = self.documents.iter();
        let documents = documents.map(|it| size_of::<String>() + text_bytes(it));
        size_of::<Self>() + text_bytes(&self.redirect) + documents.sum::<usize>()
    }
}
