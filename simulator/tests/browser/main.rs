//! The console as people use it, in a real Chromium: stories of testers, developers and operators, and every page in
//! light and dark, wide and narrow. They need chromium and chromedriver and take minutes, so that they are ignored until
//! they are asked for: `just browser`.

mod pages;
mod place;
mod stories;
mod story;
mod webdriver;

use std::process::{Command, ExitCode, Stdio};
use std::sync::{Arc, OnceLock};

use libtest_mimic::{Arguments, Failed, Trial};
use webdriver::{Driver, PROGRAMS};

/// One chromedriver for all tests, started by the first of them.
type SharedDriver = Arc<OnceLock<Driver>>;

/// What a test is: a name that says situation and result, and what happens.
type Test = (&'static str, fn(&Driver));

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // Each has a simulator and a Chromium, which has several processes.
    arguments.test_threads.get_or_insert(4);
    let driver = SharedDriver::default();
    // The longest first.
    let tests = [pages::TESTS, &stories::all()].concat();
    let trials = tests
        .into_iter()
        .map(|(name, test)| trial(name, test, &driver));
    let trials = trials.chain([Trial::test(
        "what_others_wrote_is_as_they_published_it",
        || {
            pages::axe_is_as_published();
            Ok(())
        },
    )]);
    let trials = trials.collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(name: &str, test: fn(&Driver), driver: &SharedDriver) -> Trial {
    let driver = Arc::clone(driver);
    let test = Trial::test(name, move || {
        match PROGRAMS.iter().find(|program| !is_installed(program)) {
            Some(missing) => Err(Failed::from(format!("{missing} is not installed"))),
            None => {
                test(driver.get_or_init(Driver::start));
                Ok(())
            }
        }
    });
    test.with_ignored_flag(true)
}

fn is_installed(program: &str) -> bool {
    let mut command = Command::new(program);
    command
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
