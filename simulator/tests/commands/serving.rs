//! What `serve` makes of its settings, wherever they come from.

use std::process::{Command, Stdio};

use svc_test_support::{Folder, Program, ended};

use super::WORKS;

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_svc-simulator"));
    command.env_clear().stderr(Stdio::null());
    command
}

/// What `serve` prints when it is ready.
fn greeting(command: &mut Command, folder: &Folder, arguments: &[&str]) -> String {
    let (program, _) = Program::serve(command, folder.path(), arguments);
    program.interrupt();
    let (code, rest) = program.ended();
    assert_eq!(code, Some(0));
    rest
}

#[test]
fn public_urls_are_printed_from_flags_environment_and_file() {
    let folder = Folder::new("public");
    folder.write(
        "svc-simulator.toml",
        "public_sandbox_url = \"https://host.example/sim/sandbox/\"\npublic_live_url = \"https://file.example\"\n",
    );
    let mut command = program();
    command.env(
        "SVC_SIMULATOR_PUBLIC_LIVE_URL",
        "https://host.example/sim/live",
    );
    let flag = ["--public-console-url", "https://host.example/sim/console"];
    let printed = greeting(&mut command, &folder, &flag);
    for line in [
        "  console   https://host.example/sim/console   reference",
        "  sandbox   https://host.example/sim/sandbox   key svc_test_local",
        "  live      https://host.example/sim/live   key svc_live_local",
        "curl -sS https://host.example/sim/sandbox/v1/",
    ] {
        assert!(printed.contains(line), "{line} is not in\n{printed}");
    }
}

#[test]
fn what_is_no_public_url_is_refused_with_what_to_write() {
    let folder = Folder::new("no-public");
    for (arguments, said) in [
        (
            &["--public-live-url", "host.example/live"][..],
            "write an address that begins with http:// or https://, such as https://host.example/sim/live",
        ),
        (
            &["--public-sandbox-url", "https://host.example/?a=b"],
            "a query can't stand in an address that others are below",
        ),
        (
            &["--public-console-url=https://host.example/a;b"],
            "write a path of letters, digits, `-`, `.`, `_`, `~` and `/`",
        ),
        (
            &[
                "--public-live-url=https://host.example",
                "--public-sandbox-url=https://HOST.example/",
            ],
            "--public-live-url and --public-sandbox-url are both https://host.example: each listener needs a URL \
             of its own",
        ),
    ] {
        let mut command = program();
        let command = command
            .arg("serve")
            .args(arguments)
            .current_dir(folder.path());
        let (code, _, stderr) = ended(command);
        assert_eq!(code, Some(2), "{stderr}");
        assert!(stderr.contains(said), "{said} is not in\n{stderr}");
    }
    folder.write("svc-simulator.toml", "public_live_url = \"live\"\n");
    let (code, _, stderr) = ended(program().arg("serve").current_dir(folder.path()));
    assert_eq!(code, Some(2), "{WORKS}");
    assert!(stderr.contains("svc-simulator.toml:1"), "{stderr}");
}
