//! Tests that ask whole plans of the second implementation, a quarter of a minute each.

use libtest_mimic::{Completion, Failed};

use crate::python::needing_python;

/// Runs a test where all that CI runs is asked for, which `SVC_REQUIRE_TOOLS=1` says.
pub(crate) fn asking_whole_plans(
    test: impl FnOnce() -> Result<(), Failed>,
) -> Result<Completion, Failed> {
    match std::env::var_os("SVC_REQUIRE_TOOLS").is_some_and(|it| it == "1") {
        true => needing_python(test),
        false => Ok(Completion::ignored_with(
            "it asks a whole plan of a service: SVC_REQUIRE_TOOLS=1 runs it",
        )),
    }
}
