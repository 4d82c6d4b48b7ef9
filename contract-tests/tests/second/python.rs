//! Whether the second implementation can be started at all.

use std::process::{Command, Stdio};

use libtest_mimic::{Completion, Failed};

/// Runs a test that needs python3; without it the test is ignored, or fails with `SVC_REQUIRE_TOOLS=1`.
pub(crate) fn needing_python(
    test: impl FnOnce() -> Result<(), Failed>,
) -> Result<Completion, Failed> {
    if is_installed() {
        return test().map(|()| Completion::Completed);
    }
    let why = "python3 is not installed";
    match std::env::var_os("SVC_REQUIRE_TOOLS").is_some_and(|it| it == "1") {
        true => Err(why.into()),
        false => Ok(Completion::ignored_with(why)),
    }
}

fn is_installed() -> bool {
    let mut command = Command::new("python3");
    let command = command
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
