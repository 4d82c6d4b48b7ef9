//! Personal data: which members hold it, and stand-ins for it in what is shown or saved. The judge
//! needs the data itself, so it is replaced behind the judge, never before.

mod collecting;
mod days;
mod members;
mod pseudonyms;
mod replacing;
mod saved;

pub use members::PersonalMembers;
pub use pseudonyms::Pseudonyms;
pub use saved::{is_judged_alike, without_personal_data};
