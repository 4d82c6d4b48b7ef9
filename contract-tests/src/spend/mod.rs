//! Money: what a call can cost at most, and the guard that no run can spend past.
//!
//! A call that can cost something is sent after its highest price was reserved and the reservation
//! is on disk. It counts as spent whatever the answer says, or as more. Prices, bills and the
//! ledger are pure; `journal` alone touches a file, and nothing here sends anything.

mod bill;
mod estimate;
mod guard;
mod journal;
mod ledger;
mod plan;
mod price;
mod settled;
mod spending;
mod wallet;

#[cfg(test)]
mod tests;

pub use bill::Bill;
pub(crate) use bill::StatedCharge;
pub use estimate::{Estimate, EstimateRow};
pub use guard::{Permit, SpendGuard, Stop};
pub use journal::{Journal, JournalError};
pub use ledger::{Ledger, LedgerEntry, OverBudget, ReservationId, WalletReading};
pub use plan::{PricedCase, SpendPlan};
pub use price::{Price, PricedCall, most, most_of_case, price};
pub use settled::{SettledFinding, SettledVerdict};
pub use spending::Spending;
