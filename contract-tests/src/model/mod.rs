//! A model of one account in one environment: from what happened there so far, what must come of a call, and
//! what it must cost. It knows the contract's rows, reads no clock, sends nothing and shares no code with any
//! implementation. Properties judge services by it, and the simulator's model test plays beside it.
//!
//! Whoever makes a call reads it, too: from its bytes, or from how it was made. `plan` says what must come of
//! it; `begin`, `conclude`, `answered` and `end` book what happens then. Answers are known by a number that
//! their owner gave them.

mod call;
mod environment;
mod flow;
mod outcome;
mod verification;

pub use call::{Call, Endpoint, FlowPosition, Part, Plan, Refusal, Start};
pub use environment::{CLAIM_MS, EnvironmentState};
pub use flow::OpenFlow;
pub use outcome::{CallOutcome, Due, ExecutedStep, has_result, is_awaited};
pub use verification::{Claim, Phase, Record, Verification};
