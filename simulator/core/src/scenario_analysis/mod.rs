//! What can be said of rules without a call: why an input gets what it gets, which rules never win,
//! which are met by one input, which contradict themselves. Decides nothing.

mod bodies;
mod claims;
mod contradict;
mod describe;
mod explain;
mod implies;
mod letters;
mod overlap;
mod reach;

pub use contradict::find_contradictions;
pub use explain::{Explanation, NearMiss, explain};
pub use letters::find_contrary_letters;
pub use overlap::{Overlap, find_overlaps};
pub use reach::find_unreachable;
