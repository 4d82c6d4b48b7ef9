//! The program and a service whose every answer is 15 MB: bodies are kept only as long as they are needed.

#![cfg(target_os = "linux")]

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use serde_json::json;
use svc_test_support::{Folder, Reply, Server};

/// How many long answers are given where the environment does not say; a build without optimisation takes
/// seconds to judge one.
const LONG_ANSWERS: usize = 4;

/// The most memory that the program may take, in kilobytes.
const MOST_KB: usize = 300_000;

/// An envelope of 15 MB, with a hundred thousand objects in it.
fn long_answer() -> Vec<u8> {
    let items = (0..100_000).map(|number| json!({ "id": number, "text": "x".repeat(125) }));
    let answer = json!({
        "success": true,
        "verificationId": "svcv_0123456789abcdef",
        "endpoint": "verify.identity.pan",
        "status": "completed",
        "data": { "items": items.collect::<Vec<_>>() },
        "billing": { "charged": false, "amount": 0, "currency": "INR" },
        "meta": { "environment": "test", "latencyMs": 1 },
    });
    answer.to_string().into_bytes()
}

/// The most memory that a process has taken so far, in kilobytes.
fn peak_kb(process: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"));
    let status = status.unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.trim().strip_suffix(" kB"));
    number.map_or(0, |number| number.trim().parse().expect("a number"))
}

#[test]
fn long_answers_are_forgotten_when_they_are_judged() {
    let said = std::env::var("SVC_LONG_ANSWERS").ok();
    let long = said.map_or(LONG_ANSWERS, |said| said.parse().expect("a number"));
    let (process, peak, answered) = (AtomicU32::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let seen = Arc::new((process, peak));
    let (shared, body) = (Arc::clone(&seen), long_answer());
    assert!(body.len() > 14_000_000, "{}", body.len());
    let server = Server::start(move |_| {
        let (process, peak) = &*shared;
        peak.fetch_max(peak_kb(process.load(Ordering::SeqCst)), Ordering::SeqCst);
        match answered.fetch_add(1, Ordering::SeqCst) < long {
            true => Reply::Says(200, Vec::new(), body.clone()),
            false => Reply::Says(200, Vec::new(), b"{}".to_vec()),
        }
    });
    let folder = Folder::new("long-answers");
    let mut command = Command::new(env!("CARGO_BIN_EXE_svc-contract-tests"));
    command.env_clear().args(["run", "--base-url", &server.url]);
    command.args(["--check", "envelope.success", "--jobs", "2", "--capture"]);
    let command = command.arg(folder.path().join("capture.json"));
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    seen.0.store(child.id(), Ordering::SeqCst);
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
    let peak = seen.1.load(Ordering::SeqCst);
    assert!((1..MOST_KB).contains(&peak), "{peak} kB");
}
