//! What the shell sample makes of deliveries: a script that is called once for each.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use svc_simulator::engine::state::delivery::AttemptOutcome;
use svc_test_support::{Reply, Server};

use super::courier::delivered_to;
use super::program::{Delivery, SECRET, envelope, genuine, now_s, signed};
use super::sample::samples;

const ACCEPTED: i32 = 0;
const REFUSED: i32 = 1;
const FAILED: i32 = 2;

/// A folder of its own, which ends with the value.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        // What an earlier run of this test left behind.
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("seen")).expect("a folder");
        Folder(folder)
    }

    fn command(&self, header: &str, body: &[u8]) -> Command {
        let file = self.0.join("body");
        std::fs::write(&file, body).expect("a file");
        let mut command = Command::new("bash");
        command
            .arg(samples().join("shell/verify.sh"))
            .arg(header)
            .arg(file);
        command
            .env("WEBHOOK_SECRET", SECRET)
            .env("SEEN_DIR", self.0.join("seen"));
        command.env_remove("TOLERANCE_S").stdin(Stdio::null());
        command
    }

    fn run(&self, delivery: &Delivery) -> (i32, String) {
        ended(&mut self.command(&delivery.headers[0], &delivery.body))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn ended(command: &mut Command) -> (i32, String) {
    let output = command.output().expect("bash");
    let code = output.status.code().expect("an exit code");
    (code, String::from_utf8_lossy(&output.stdout).into_owned())
}

pub(crate) fn takes_what_is_genuine_once() {
    let folder = Folder::new("shell-takes");
    let first = genuine("svcv_1");
    let accepted = |id: &str| (ACCEPTED, format!("accepted {id}\n"));
    assert_eq!(folder.run(&first), accepted("svcv_1"));
    assert_eq!(folder.run(&first), (ACCEPTED, String::new()));
    let again = signed(SECRET, now_s() - 30, envelope("svcv_1"));
    assert_eq!(folder.run(&again), (ACCEPTED, String::new()));
    assert_eq!(
        folder.run(&signed(SECRET, now_s() - 280, envelope("svcv_2"))),
        accepted("svcv_2")
    );
    assert_eq!(
        folder.run(&signed(SECRET, now_s() + 280, envelope("svcv_3"))),
        accepted("svcv_3")
    );
}

pub(crate) fn takes_secrets_of_every_length() {
    let folder = Folder::new("shell-secrets");
    for length in [1, 63, 64, 65, 200] {
        // Also what a shell could take for something else.
        let secret: String = "%s\\x41$(a)'\" \u{e9}"
            .chars()
            .cycle()
            .take(length)
            .collect();
        let delivery = signed(&secret, now_s(), envelope(&format!("svcv_{length}")));
        let mut command = folder.command(&delivery.headers[0], &delivery.body);
        let ended = ended(command.env("WEBHOOK_SECRET", &secret));
        assert_eq!(ended, (ACCEPTED, format!("accepted svcv_{length}\n")));
    }
}

pub(crate) fn refuses_what_is_not_genuine() {
    let folder = Folder::new("shell-refuses");
    let good = genuine("svcv_1");
    let header = good.headers[0].clone();
    let (time, mac) = header.split_once(',').expect("two parts");
    let with = |header: String| Delivery {
        headers: vec![header],
        body: good.body.clone(),
    };
    let mut longer = good.clone();
    longer.body.push(b'\n');
    let mut changed = good.clone();
    changed.body[10] ^= 1;
    for (name, delivery) in [
        (
            "another secret",
            signed("whsec_other", now_s(), good.body.clone()),
        ),
        ("a changed body", changed),
        ("a longer body", longer),
        (
            "a stale time",
            signed(SECRET, now_s() - 320, good.body.clone()),
        ),
        (
            "a time to come",
            signed(SECRET, now_s() + 320, good.body.clone()),
        ),
        ("no header", with(String::new())),
        ("two headers in one", with(format!("{header},{header}"))),
        ("a line after it", with(format!("{header}\n"))),
        ("the other order", with(format!("{mac},{time}"))),
        ("capitals", with(format!("{time},{}", mac.to_uppercase()))),
        (
            "no JSON, signed",
            signed(SECRET, now_s(), b"hello".to_vec()),
        ),
        (
            "a path, signed",
            signed(SECRET, now_s(), envelope("../svcv_1")),
        ),
    ] {
        let (code, said) = folder.run(&delivery);
        assert_eq!((code, said.as_str()), (REFUSED, ""), "{name}");
    }
    assert_eq!(folder.run(&good).0, ACCEPTED);
}

pub(crate) fn fails_where_it_can_not_know() {
    let folder = Folder::new("shell-fails");
    let good = genuine("svcv_1");
    let (header, body) = (&good.headers[0], &good.body);
    let begun = folder.0.join("seen/svcv_1");
    std::fs::create_dir(&begun).expect("a folder");
    assert_eq!(
        folder.run(&good),
        (FAILED, String::new()),
        "begun, not finished"
    );
    std::fs::remove_dir(&begun).expect("a folder");
    for (name, value) in [
        ("WEBHOOK_SECRET", ""),
        ("SEEN_DIR", "/nowhere"),
        ("TOLERANCE_S", "5m"),
        ("PATH", "/nowhere"),
    ] {
        let mut command = folder.command(header, body);
        // Where nothing is found on the path, bash must be.
        let bash = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
            .map(|folder| folder.join("bash"))
            .find(|bash| bash.is_file())
            .expect("bash");
        let mut found = Command::new(bash);
        found.args(command.get_args());
        found.envs(
            command
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
        command = found;
        assert_eq!(
            ended(command.env(name, value)),
            (FAILED, String::new()),
            "{name}"
        );
    }
    let mut command = Command::new("bash");
    command.arg(samples().join("shell/verify.sh")).arg(header);
    assert_eq!(ended(&mut command), (FAILED, String::new()), "one argument");
    assert_eq!(folder.run(&good).0, ACCEPTED);
}

pub(crate) fn takes_what_the_simulator_delivers() {
    let receiver = Server::start(|_| Reply::Says(204, Vec::new(), Vec::new()));
    let (id, attempts) = delivered_to(&receiver.url, SECRET);
    assert_eq!(attempts, [AttemptOutcome::Status(204)]);
    let sent = receiver.sent().remove(0);
    let headers = sent.headers.into_iter();
    let signatures = headers.filter(|(name, _)| name == "x-service-signature");
    let delivery = Delivery {
        headers: signatures.map(|(_, value)| value).collect(),
        body: sent.body,
    };
    let folder = Folder::new("shell-simulator");
    assert_eq!(folder.run(&delivery), (0, format!("accepted {id}\n")));
    assert_eq!(folder.run(&delivery), (0, String::new()));
}
