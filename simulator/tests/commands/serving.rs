//! What `serve` makes of its settings, wherever they come from.

use std::io::Read as _;
use std::process::{Command, Stdio};

use svc_test_support::{Client, Folder, Program, ended, request};

use super::WORKS;

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_svc-simulator"));
    command.env_clear();
    command
}

/// What `serve` prints when it is ready.
fn greeting(command: &mut Command, folder: &Folder, arguments: &[&str]) -> String {
    let command = command.stderr(Stdio::null());
    let (program, _) = Program::serve(command, folder.path(), arguments);
    program.interrupt();
    let (code, rest) = program.ended();
    assert_eq!(code, Some(0));
    rest
}

const TOKEN: &str = "sample-token-7f3a";

#[test]
fn a_console_for_other_machines_takes_its_token_from_a_file_and_says_it_nowhere() {
    let folder = Folder::new("token");
    folder.write("token", &format!("{TOKEN}\n"));
    let mut command = program();
    command.env("SVC_SIMULATOR_CONSOLE_TOKEN_FILE", "token");
    command
        .env("SVC_SIMULATOR_LOG", "trace")
        .stderr(Stdio::piped());
    let (mut program, addresses) = Program::serve(&mut command, folder.path(), &[]);
    let console = addresses.of("console");
    let get = |path: &str, credential: &str| {
        let host = format!("Host: {console}\r\n{credential}");
        Client::to(&console).ask(request(&format!("GET {path} HTTP/1.1"), &host, ""))
    };
    // As a browser does: it asks a person where it is told to, and sends what they wrote as a password.
    let refused = get("/", "");
    assert_eq!(refused.status, 401);
    assert_eq!(
        refused.header("www-authenticate"),
        Some("Basic realm=\"svc-simulator\"")
    );
    let basic = |password: &str| {
        let pair = data_encoding::BASE64.encode(format!("anybody:{password}").as_bytes());
        format!("Authorization: Basic {pair}\r\n")
    };
    for path in [
        "/",
        "/docs/",
        "/operations",
        "/openapi.json",
        "/control/accounts",
        "/metrics",
    ] {
        assert_eq!(get(path, &basic("wrong")).status, 401, "{path}");
        assert_ne!(get(path, &basic(TOKEN)).status, 401, "{path}");
    }
    assert_eq!(get("/control/ready", "").status, 200);
    let page = get("/", &basic(TOKEN));
    assert!(!page.body.contains(TOKEN) && !page.head.contains(TOKEN));
    // The commands take it from the same file.
    let clock = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_svc-simulator"));
        command
            .env_clear()
            .env("SVC_SIMULATOR_CONSOLE_URL", format!("http://{console}"));
        ended(
            command
                .arg("clock")
                .args(arguments)
                .current_dir(folder.path()),
        )
    };
    assert_eq!(clock(&["--console-token-file", "token"]).0, Some(0));
    assert_eq!(clock(&[]).0, Some(1));
    let (code, _, stderr) = clock(&["--console-token-file", "nothing"]);
    assert_eq!(code, Some(2));
    assert!(
        stderr.starts_with("error: --console-token-file nothing: it can't be read: "),
        "{stderr}"
    );
    let mut log = program.stderr();
    program.interrupt();
    let (_, printed) = program.ended();
    let mut said = String::new();
    log.read_to_string(&mut said).expect(WORKS);
    assert!(
        !said.contains(TOKEN) && !printed.contains(TOKEN),
        "{said}{printed}"
    );
}

#[test]
fn a_token_that_is_not_there_stops_the_start() {
    let folder = Folder::new("no-token");
    folder.write("empty", "\n");
    for (file, said) in [("empty", "it is empty"), ("nothing", "it can't be read")] {
        let mut command = program();
        command.args([
            "serve",
            "--console",
            "0.0.0.0:0",
            "--console-token-file",
            file,
        ]);
        let (code, _, stderr) = ended(command.current_dir(folder.path()));
        assert_eq!(code, Some(2), "{stderr}");
        assert!(stderr.contains(said), "{stderr}");
    }
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
