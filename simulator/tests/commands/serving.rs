//! What `serve` makes of its settings, wherever they come from.

use std::io::Read as _;
use std::process::{Command, Stdio};
use std::thread::JoinHandle;

use serde_json::Value;
use svc_test_support::{Client, Folder, Program, ended, free_address, request};

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

/// All that it logs, read as it comes: a pipe that is full would hold it up.
fn log_of(program: &mut Program) -> JoinHandle<String> {
    let mut log = program.stderr();
    std::thread::spawn(move || {
        let mut said = String::new();
        log.read_to_string(&mut said).expect(WORKS);
        said
    })
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
    let log = log_of(&mut program);
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
    program.interrupt();
    let (_, printed) = program.ended();
    let said = log.join().expect(WORKS);
    assert!(
        !said.contains(TOKEN) && !printed.contains(TOKEN),
        "{said}{printed}"
    );
}

#[test]
fn each_line_of_a_json_log_is_an_object_and_those_of_a_call_say_whose_and_which_it_is() {
    let folder = Folder::new("json-log");
    let mut command = program();
    command.stderr(Stdio::piped());
    let flags = ["--log-format", "json", "--log", "trace"];
    let (mut program, addresses) = Program::serve(&mut command, folder.path(), &flags);
    let log = log_of(&mut program);
    let nobody = free_address();
    let hook = format!(r#"{{"url": "http://{nobody}/hook", "secret": "whsec_sample-9d2e"}}"#);
    let console = addresses.of("console");
    let line = "PUT /control/accounts/local_worker/webhook HTTP/1.1";
    let set = Client::to(&console).ask(request(line, &format!("Host: {console}\r\n"), &hook));
    assert_eq!(set.status, 200, "{set:?}");
    let call = |path: &str, key: &str, body: &str| {
        let headers = format!("Host: a\r\nAuthorization: Bearer {key}\r\n");
        let line = format!("POST {path} HTTP/1.1");
        let sandbox = addresses.of("sandbox");
        Client::to(sandbox)
            .ask(request(&line, &headers, body))
            .json()
    };
    let pan = "/v1/verify/identity/pan";
    let known = call(pan, "svc_test_local_worker", r#"{"pan": "AAAAA0000A"}"#);
    let unknown = call(pan, "svc_test_stranger-51c8", r#"{"pan": "AAAAA0000A"}"#);
    let nowhere = call("/v1/svc_test_local_path", "svc_test_local_worker", "{}");
    program.interrupt();
    program.ended();
    let said = log.join().expect(WORKS);
    let read = |line| {
        let read = serde_json::from_str::<Value>(line);
        read.unwrap_or_else(|error| panic!("{error}: {line}"))
    };
    let lines: Vec<Value> = said.lines().map(read).collect();
    for (envelope, status, account, operation) in [
        (&known, 200, "local_worker", "verify.identity.pan"),
        (&unknown, 401, "", "verify.identity.pan"),
        (&nowhere, 404, "local_worker", "other"),
    ] {
        let id = &envelope["verificationId"];
        let answered = |line: &&Value| line["message"] == "answered" && line["verification"] == *id;
        let line = lines.iter().find(answered);
        let line = line.unwrap_or_else(|| panic!("no line of {id} in {said}"));
        assert_eq!(
            (&line["level"], &line["status"]),
            (&"DEBUG".into(), &status.into()),
            "{line}"
        );
        let span = &line["span"];
        let named = (&span["account"], &span["operation"]);
        assert_eq!(named, (&account.into(), &operation.into()), "{line}");
        assert!(span["request"].is_u64() && span["name"] == "call", "{line}");
    }
    for secret in ["svc_test_", "whsec_sample", "stranger-51c8", "AAAAA0000A"] {
        assert!(!said.contains(secret), "{secret} is in {said}");
    }
}

#[test]
fn a_form_of_the_log_that_there_is_not_is_refused() {
    let folder = Folder::new("log-form");
    let mut command = program();
    let command = command.args(["serve", "--log-format", "xml"]);
    let (code, _, stderr) = ended(command.current_dir(folder.path()));
    assert_eq!(code, Some(2));
    assert!(
        stderr.contains("[possible values: human, json]"),
        "{stderr}"
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
fn a_file_of_settings_that_is_not_to_be_read_says_nothing_not_even_a_mistake() {
    let folder = Folder::new("no-file");
    folder.write(
        "svc-simulator.toml",
        "public_live_url = \"https://file.example\"\nlive = \"nowhere\"\n",
    );
    let printed = greeting(&mut program(), &folder, &["--no-settings-file"]);
    assert!(!printed.contains("file.example"), "{printed}");
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

#[cfg(all(target_os = "linux", feature = "mimalloc"))]
#[test]
fn large_pieces_of_memory_come_when_the_simulator_is_used_and_never_where_they_are_turned_off() {
    let has_them = |program: &Program| {
        let status = std::fs::read_to_string(format!("/proc/{}/status", program.id()));
        let status = status.expect(WORKS);
        let told = status.lines().find(|line| line.starts_with("THP_enabled"));
        told.expect("Linux 5.0 says it").ends_with('1')
    };
    for (turned_off, come) in [("1", true), ("0", false)] {
        let folder = Folder::new("large-pages");
        let mut command = program();
        let command = command.env("MIMALLOC_ALLOW_THP", turned_off);
        let command = command.stderr(Stdio::null());
        let (program, addresses) = Program::serve(command, folder.path(), &[]);
        let sandbox = addresses.of("sandbox");
        let headers = format!("Host: {sandbox}\r\nAuthorization: Bearer svc_test_local\r\n");
        let line = "POST /v1/verify/identity/pan HTTP/1.1";
        let call = request(line, &headers, r#"{"pan":"AAAAA0000A"}"#);
        let mut client = Client::to(&sandbox);
        assert!(!has_them(&program));
        // It looks once a second: where they come, many seconds are allowed for it.
        let most = if come { 100_000 } else { 2_000 };
        let calls = (0..most).take_while(|_| {
            assert_eq!(client.ask(&call).status, 200);
            !has_them(&program)
        });
        let made = calls.count();
        assert_eq!(has_them(&program), come, "after {made} calls");
    }
}
