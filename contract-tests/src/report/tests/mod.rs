//! What the tests of all reporters share.

pub(crate) mod sample;
