//! What each sample makes of deliveries that are signed here, and of those of the courier.

use std::process::Stdio;

use svc_simulator::engine::state::delivery::AttemptOutcome;
use svc_test_support::Client;

use super::courier::delivered_to;
use super::program::{Delivery, SECRET, ask, envelope, genuine, now_s, post, post_at_once, signed};
use super::sample::{Language, Sample};

/// Longer than a test takes, and shorter than the default.
const TOLERANCE_S: u32 = 120;

/// No sample starts without a secret.
pub(crate) fn needs_a_secret(language: Language) {
    for secret in [None, Some("")] {
        let mut command = language.command();
        command
            .env("PORT", "0")
            .env_remove("WEBHOOK_SECRET")
            .stdin(Stdio::null());
        command.envs(secret.map(|secret| ("WEBHOOK_SECRET", secret)));
        let ended = command.output().expect("a program that starts");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(!ended.status.success() && ended.stdout.is_empty());
        assert!(said.contains("WEBHOOK_SECRET is not set"), "{said}");
    }
}

/// What is genuine is taken once, and nothing else.
pub(crate) fn judges(language: Language) {
    let mut sample = language.start(TOLERANCE_S);
    takes(&mut sample);
    refuses(&mut sample);
    takes_one_of_many(&mut sample);
    survives(&mut sample, language);
}

/// The real thing is taken; signed with another secret it is refused until the courier gives up.
pub(crate) fn takes_the_couriers(language: Language) {
    let mut sample = language.start(300);
    let url = format!("http://{}/webhooks", sample.address);
    let (_, attempts) = delivered_to(&url, "whsec_other");
    assert_eq!(attempts, vec![AttemptOutcome::Status(400); 6]);
    let (id, attempts) = delivered_to(&url, SECRET);
    assert_eq!(attempts, [AttemptOutcome::Status(204)]);
    assert_eq!(sample.program.line(), format!("accepted {id} completed"));
}

fn takes(sample: &mut Sample) {
    let first = genuine("svcv_1");
    assert_eq!(post(sample.address, &first), 204);
    assert_eq!(sample.program.line(), "accepted svcv_1 completed");
    assert_eq!(post(sample.address, &first), 204, "a duplicate");
    let again = signed(SECRET, now_s() - 30, envelope("svcv_1"));
    assert_eq!(
        post(sample.address, &again),
        204,
        "a duplicate, signed anew"
    );
    for (id, at_s) in [("svcv_2", now_s() - 100), ("svcv_3", now_s() + 100)] {
        let delivery = signed(SECRET, at_s, envelope(id));
        assert_eq!(post(sample.address, &delivery), 204, "{id}");
        // Had the duplicates been acted on, their lines would stand here.
        assert_eq!(sample.program.line(), format!("accepted {id} completed"));
    }
}

fn refuses(sample: &mut Sample) {
    let id = "svcv_refused";
    let good = genuine(id);
    for (name, delivery) in spoilt(&good) {
        assert_eq!(post(sample.address, &delivery), 400, "{name}");
    }
    // None of them was acted on, or its line would come first.
    assert_eq!(post(sample.address, &good), 204);
    assert_eq!(sample.program.line(), format!("accepted {id} completed"));
}

/// What is almost this delivery, and must not be taken for it.
fn spoilt(good: &Delivery) -> Vec<(&'static str, Delivery)> {
    let header = good.headers[0].clone();
    let (time, mac) = header.split_once(',').expect("two parts");
    let with = |headers: &[String]| Delivery {
        headers: headers.to_vec(),
        body: good.body.clone(),
    };
    let hex = mac.strip_prefix("v1=").expect("a signature");
    let mut changed = good.clone();
    let at = changed.body.len() / 2;
    changed.body[at] ^= 1;
    let mut longer = good.clone();
    longer.body.push(b'\n');
    let unsigned = |body: &[u8]| signed(SECRET, now_s(), body.to_vec());
    vec![
        (
            "another secret",
            signed("whsec_other", now_s(), good.body.clone()),
        ),
        ("no secret", signed("", now_s(), good.body.clone())),
        ("a changed body", changed),
        ("a longer body", longer),
        (
            "no body",
            Delivery {
                body: Vec::new(),
                ..good.clone()
            },
        ),
        (
            "a stale time",
            signed(SECRET, now_s() - 130, good.body.clone()),
        ),
        (
            "a time to come",
            signed(SECRET, now_s() + 150, good.body.clone()),
        ),
        ("another time", with(&[format!("t={},{mac}", now_s() - 1)])),
        ("no header", with(&[])),
        ("an empty header", with(&[String::new()])),
        ("two headers", with(&[header.clone(), header.clone()])),
        ("two headers in one", with(&[format!("{header},{header}")])),
        ("the other order", with(&[format!("{mac},{time}")])),
        ("a space", with(&[format!("{time}, {mac}")])),
        ("another version", with(&[format!("{time},v0={hex}")])),
        (
            "capitals",
            with(&[format!("{time},v1={}", hex.to_uppercase())]),
        ),
        (
            "a cut signature",
            with(&[format!("{time},v1={}", &hex[..62])]),
        ),
        ("no signature", with(&[format!("{time},v1=")])),
        ("no time", with(&[format!("t=,{mac}")])),
        (
            "a sign before the time",
            with(&[header.replace("t=", "t=+")]),
        ),
        (
            "a huge time",
            with(&[format!("t={},{mac}", "9".repeat(40))]),
        ),
        ("no JSON, signed", unsigned(b"hello")),
        ("a list, signed", unsigned(b"[]")),
        ("nothing, signed", unsigned(b"null")),
        ("no id, signed", unsigned(b"{\"verificationId\":null}")),
        ("a cut envelope, signed", unsigned(&good.body[..20])),
    ]
}

fn takes_one_of_many(sample: &mut Sample) {
    // Two that meet are rare: a receiver that acts on both must be caught all the same.
    for round in 0..50 {
        let id = format!("svcv_many_{round}");
        let statuses = post_at_once(sample.address, &genuine(&id), 8);
        assert_eq!(statuses, [204; 8]);
        assert_eq!(sample.program.line(), format!("accepted {id} completed"));
    }
}

fn survives(sample: &mut Sample, language: Language) {
    let most = 16 * 1024 * 1024;
    let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ";
    let mut large = format!("{head}{}\r\n\r\n", most + 1).into_bytes();
    // The others refuse the length, and then read nothing more.
    if matches!(language, Language::Node | Language::Java) {
        large.resize(large.len() + most + 1, b'a');
    }
    assert_eq!(ask(sample.address, &large), 413);
    Client::to(sample.address).write(format!("{head}100\r\n\r\n{{"));
    let get = ask(sample.address, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    assert!(matches!(get, 405 | 501), "{get}");
    let after = genuine("svcv_after");
    assert_eq!(post(sample.address, &after), 204);
    assert_eq!(sample.program.line(), "accepted svcv_after completed");
}
