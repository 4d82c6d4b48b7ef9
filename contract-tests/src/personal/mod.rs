//! Personal data: which members hold it, and stand-ins for it in what is shown or saved. The judge
//! needs the data itself, so it is replaced behind the judge, never before.

mod saved;
mod stand_ins;

pub use saved::without_personal_data;
pub use stand_ins::{Personal, StandIns};
