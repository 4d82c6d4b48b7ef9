//! Against a simulator that runs: what the commands expect is what its control API answers.

use std::process::{Command, Stdio};

use svc_test_support::{Client, Folder, Program, free_address, request};

use super::run;

/// A simulator on ports of its own; it ends with the value.
pub(crate) struct Simulator {
    _program: Program,
    pub(crate) console: String,
}

impl Simulator {
    pub(crate) fn start(more: &[&str]) -> Self {
        let folder = Folder::new("live");
        let mut command = Command::new(env!("CARGO_BIN_EXE_svc-simulator"));
        command.env_clear().stderr(Stdio::null());
        let (program, addresses) = Program::serve(&mut command, folder.path(), more);
        Simulator {
            _program: program,
            console: addresses.of("console"),
        }
    }

    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        run(&format!("http://{}", self.console), arguments)
    }

    /// Registers a receiver that nobody is behind.
    pub(crate) fn register_nobody(&self) {
        let nobody = free_address();
        let body = format!(r#"{{"url": "http://{nobody}/hook", "secret": "whsec_sample"}}"#);
        let line = "PUT /control/accounts/local/webhook HTTP/1.1";
        let host = format!("Host: {}\r\n", self.console);
        let answer = Client::to(&self.console).ask(request(line, &host, &body));
        assert_eq!(answer.status, 200, "{answer:?}");
    }
}

/// The first word that begins so.
fn word<'t>(text: &'t str, beginning: &str) -> &'t str {
    let mut words = text.split_whitespace();
    let found = words.find(|word| word.starts_with(beginning));
    found.unwrap_or_else(|| panic!("no {beginning} in {text}"))
}

#[test]
fn accounts_are_set_back_one_or_all_of_them() {
    let simulator = Simulator::start(&[]);
    let calls = || {
        simulator
            .run(&["account", "list"])
            .1
            .matches(" 1 calls")
            .count()
    };
    for account in ["local", "rotated"] {
        simulator.run(&["trigger", "--account", account]);
    }
    assert_eq!(calls(), 2);
    let (code, stdout, _) = simulator.run(&["account", "reset", "local"]);
    assert_eq!((code, calls()), (0, 1));
    assert_eq!(stdout, "local is set back to its beginning\n");
    let (code, stdout, _) = simulator.run(&["account", "reset", "--all"]);
    assert_eq!((code, calls()), (0, 0));
    assert!(
        stdout.starts_with("set back to their beginning: blocked, broke, local, "),
        "{stdout}"
    );
    assert_eq!(simulator.run(&["account", "reset"]).0, 2);
    let (code, _, stderr) = simulator.run(&["account", "reset", "rotaded"]);
    assert_eq!(code, 1);
    assert!(stderr.contains("did you mean `rotated`?"), "{stderr}");
}

#[test]
fn a_webhook_is_triggered_followed_to_its_end_and_sent_again() {
    let simulator = Simulator::start(&[]);
    let (code, stdout, stderr) = simulator.run(&["trigger"]);
    assert!(stdout.ends_with(" came to its end\n"), "{stdout}");
    let why = "error: no webhook was sent: no webhook endpoint is registered for test: ";
    assert!(stderr.starts_with(why), "{stderr}");
    assert_eq!(code, 1);

    simulator.register_nobody();
    let (code, stdout, stderr) = simulator.run(&["trigger"]);
    assert!(
        stdout.contains("\nattempt 1 to http://127.0.0.1:"),
        "{stdout}"
    );
    assert!(stdout.contains("; due, next attempt 2"), "{stdout}");
    let id = word(&stdout, "dlv_");
    assert_eq!(
        (code, stderr),
        (1, format!("error: the receiver did not take {id}\n"))
    );

    let (_, stdout, _) = simulator.run(&["deliveries", "--state", "due"]);
    assert!(stdout.contains(id), "{stdout}");
    let (code, stdout, _) = simulator.run(&["clock", "advance", "12h"]);
    assert_eq!(
        (code, stdout.matches("delivery attempted").count()),
        (0, 5),
        "{stdout}"
    );
    let (_, stdout, _) = simulator.run(&["deliveries", "--state", "dead"]);
    assert!(stdout.contains(id), "{stdout}");
    assert_eq!(
        simulator.run(&["deliveries", "--state", "due"]).1,
        "no deliveries\n"
    );

    let (_, stdout, _) = simulator.run(&["deliveries", "redeliver", id]);
    assert!(
        stdout.starts_with(&format!("{id} is sent once more")),
        "{stdout}"
    );
    // Nothing is due any more after that: the attempt asked for by hand was made.
    simulator.run(&["clock", "advance", "1ms"]);
    let (code, stdout, _) = simulator.run(&["deliveries", "show", id]);
    assert_eq!(code, 0);
    for part in [
        "state         dead",
        "attempt 7 to ",
        "(hand)",
        "\nbody\n{\"success\":true,",
    ] {
        assert!(stdout.contains(part), "{part} is not in {stdout}");
    }
    assert_eq!(stdout.matches("\n  signed text\n").count(), 7);
}

#[test]
fn a_clock_is_stopped_moved_and_let_run() {
    let simulator = Simulator::start(&[]);
    let says = |arguments: &[&str]| {
        let (code, stdout, stderr) = simulator.run(arguments);
        assert_eq!((code, stderr.as_str()), (0, ""), "{arguments:?}");
        stdout
    };
    assert!(says(&["clock"]).starts_with("the clock of local is running and shows 2"));
    assert!(says(&["clock", "freeze"]).starts_with("the clock of local is frozen"));
    let moved = says(&["clock", "set", "2099-01-01T05:30:00+05:30"]);
    assert!(moved.starts_with("the clock of local is frozen and shows 2099-01-01T00:00:00.000Z\n"));
    let later = says(&["clock", "advance", "90m", "--json"]);
    assert!(
        later.contains(r#""now":"2099-01-01T01:30:00.000Z""#),
        "{later}"
    );
    assert!(says(&["clock", "run"]).starts_with("the clock of local is running"));
    // Another account's goes its own way.
    let other = says(&["clock", "advance", "1ms", "--account", "local_other"]);
    assert!(!other.contains("2099"), "{other}");
}

#[test]
fn what_the_control_api_refuses_is_printed_as_it_says() {
    let simulator = Simulator::start(&["--console-token", "sample-token"]);
    let refused = |arguments: &[&str]| {
        let (code, stdout, stderr) = simulator.run(arguments);
        assert_eq!((code, stdout.as_str()), (1, ""), "{arguments:?}");
        stderr
    };
    let with = ["--console-token", "sample-token"];
    let without_token = refused(&["clock"]);
    assert!(without_token.contains(": "), "{without_token}");
    assert_eq!(simulator.run(&[&["clock"], &with[..]].concat()).0, 0);
    for (arguments, code) in [
        (
            &["clock", "set", "2000-01-01T00:00:00Z"][..],
            "CLOCK_BACKWARDS",
        ),
        (&["clock", "--account", "nobody"], "ACCOUNT_NOT_FOUND"),
        (&["deliveries", "show", "dlv_x"], "DELIVERY_NOT_FOUND"),
        (
            &["trigger", "--operation", "no.such"],
            "OPERATION_NOT_FOUND",
        ),
    ] {
        let stderr = refused(&[arguments, &with].concat());
        assert!(stderr.starts_with(&format!("error: {code}: ")), "{stderr}");
    }
}

/// What a command says that succeeds.
fn says(simulator: &Simulator, arguments: &[&str]) -> String {
    let (code, stdout, stderr) = simulator.run(arguments);
    assert_eq!((code, stderr.as_str()), (0, ""), "{arguments:?}");
    stdout
}

#[test]
fn an_account_is_written_for_its_owner_alone_and_goes_on_elsewhere() {
    let (here, there) = (Simulator::start(&[]), Simulator::start(&[]));
    let folder = Folder::new("accounts");
    let file = folder.path().join("local.json");
    let path = file.to_str().expect("text");
    here.register_nobody();
    says(&here, &["clock", "freeze"]);
    let said = says(&here, &["account", "export", "local", "--out", path]);
    assert!(
        said.contains("keys and secrets of webhooks stand in it"),
        "{said}"
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(&file)
            .expect("a file")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    // Every simulator has this account.
    let (code, _, stderr) = there.run(&["account", "import", path]);
    assert!(
        code == 1 && stderr.contains("ACCOUNT_EXISTS"),
        "{code} {stderr}"
    );
    let replaced = says(&there, &["account", "import", path, "--replace"]);
    assert!(replaced.starts_with("local goes on from "), "{replaced}");
    let [written, read] = [&here, &there].map(|it| says(it, &["account", "export", "local"]));
    assert_eq!(written, read);
    assert_eq!(written, std::fs::read_to_string(&file).expect("a file"));
    assert!(written.contains("whsec_sample"));
    let without = says(&here, &["account", "export", "local", "--without-secrets"]);
    assert!(!without.contains("whsec_sample"), "{without}");
}

#[test]
fn accounts_are_listed_copied_and_deleted() {
    let simulator = Simulator::start(&[]);
    says(&simulator, &["clock", "freeze"]);
    let folder = Folder::new("copies");
    folder.write("a.json", &says(&simulator, &["account", "export", "local"]));
    let file = folder.path().join("a.json");
    let path = file.to_str().expect("text");
    says(&simulator, &["account", "import", path, "--as", "second"]);
    says(&simulator, &["account", "fork", "second", "third"]);
    let list = says(&simulator, &["account", "list"]);
    for id in ["local", "second", "third"] {
        let beginning = format!("{id} ");
        assert!(
            list.lines().any(|line| line.starts_with(&beginning)),
            "{list}"
        );
    }
    assert!(list.contains("frozen 2"), "{list}");
    says(&simulator, &["account", "delete", "third"]);
    assert!(!says(&simulator, &["account", "list", "--json"]).contains("third"));
    assert_eq!(simulator.run(&["account", "export", "third"]).0, 1);
}

#[test]
fn what_is_no_account_is_not_imported() {
    let simulator = Simulator::start(&[]);
    let folder = Folder::new("no-account");
    let newer =
        r#"{"product": "svc-simulator", "format": 99, "version": "9.9.9", "account": {"id": "x"}}"#;
    for (text, code, said) in [
        ("{", 2, "this is no JSON: "),
        (
            "{}",
            2,
            "this is no account that `svc-simulator account export` wrote",
        ),
        (
            newer,
            1,
            "NEWER_FORMAT: it was written by svc-simulator 9.9.9 in format 99; this is ",
        ),
    ] {
        folder.write("wrong.json", text);
        let file = folder.path().join("wrong.json");
        let refused = simulator.run(&["account", "import", file.to_str().expect("text")]);
        assert!(
            refused.0 == code && refused.2.contains(said),
            "{said}: {refused:?}"
        );
    }
    assert_eq!(simulator.run(&["account", "import", "no-such-file"]).0, 2);
}
