//! The samples of receivers in every language, as they are copied and run: against deliveries good
//! and bad, and against those of a real simulator; and the line for a shell that a call's page has to copy. They need
//! their languages, and `SVC_REQUIRE_TOOLS=1`, as CI sets it: else they are ignored with that word.

mod copied;
mod courier;
mod deliveries;
mod program;
mod sample;
mod shell;

use std::process::{Command, ExitCode, Stdio};

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use sample::Language;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let of_languages = [
        (
            "takes_what_is_genuine_once",
            deliveries::judges as fn(Language),
        ),
        (
            "takes_what_the_simulator_delivers",
            deliveries::takes_the_couriers,
        ),
        (
            "does_not_start_without_a_secret",
            deliveries::needs_a_secret,
        ),
    ];
    let of_the_shell = [
        (
            "takes_what_is_genuine_once",
            shell::takes_what_is_genuine_once as fn(),
        ),
        (
            "takes_secrets_of_every_length",
            shell::takes_secrets_of_every_length,
        ),
        (
            "refuses_what_is_not_genuine",
            shell::refuses_what_is_not_genuine,
        ),
        (
            "fails_where_it_can_not_know",
            shell::fails_where_it_can_not_know,
        ),
        (
            "takes_what_the_simulator_delivers",
            shell::takes_what_the_simulator_delivers,
        ),
    ];
    let mut trials = Vec::new();
    for (result, test) in of_languages {
        for language in Language::ALL {
            let name = format!("the_{}_sample_{result}", language.name());
            trials.push(trial(name, language.programs(), move || test(language)));
        }
    }
    for (result, test) in of_the_shell {
        let name = format!("the_shell_sample_{result}");
        trials.push(trial(name, &["bash", "openssl"], test));
    }
    let name = "the_line_of_a_call_makes_the_same_call_in_a_shell".to_owned();
    let test = copied::the_line_makes_the_same_call;
    trials.push(trial(name, &["curl"], test));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A test that needs these programs.
fn trial(name: String, programs: &'static [&str], test: impl FnOnce() + Send + 'static) -> Trial {
    Trial::ignorable_test(name, move || {
        if std::env::var_os("SVC_REQUIRE_TOOLS").is_none_or(|it| it != "1") {
            let needed = programs.join(", ");
            return Ok(Completion::ignored_with(format!(
                "{needed}, and SVC_REQUIRE_TOOLS=1"
            )));
        }
        if let Some(missing) = programs.iter().find(|program| !is_installed(program)) {
            return Err(Failed::from(format!("{missing} is not installed")));
        }
        test();
        Ok(Completion::Completed)
    })
}

fn is_installed(program: &str) -> bool {
    let version = match program {
        "openssl" => "version",
        _ => "--version",
    };
    let mut command = Command::new(program);
    command
        .arg(version)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
