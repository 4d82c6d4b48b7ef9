//! `/metrics`: its form, and that it counts what happened.

use std::collections::{BTreeMap, BTreeSet};

use svc_simulator::host::shares::ShareLimits;

use super::client::Client;
use super::control::{ASHA, LOCAL, PAN, Ruled, UAN};

/// Samples by name and labels as they stand there, and the kind of each family.
struct Scraped {
    samples: BTreeMap<String, f64>,
    kinds: BTreeMap<String, String>,
}

/// Reads the form by its own rules: each family is declared once and before its samples, which stand together.
fn scrape(ruled: &Ruled) -> Scraped {
    let asks =
        format!("{LOCAL}Accept: application/openmetrics-text; version=1.0.0, text/plain;q=0.5\r\n");
    let answer = ruled.raw("GET", "/metrics", &asks, "");
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, Some(kind))
    );
    let lines = answer.body.strip_suffix("# EOF\n").expect("the end");
    let (mut samples, mut kinds, mut family) = (BTreeMap::new(), BTreeMap::new(), String::new());
    for line in lines.lines() {
        if let Some(comment) = line.strip_prefix("# ") {
            let mut words = comment.splitn(3, ' ');
            let [Some(word), Some(name), Some(text)] = [words.next(), words.next(), words.next()]
            else {
                panic!("{line}");
            };
            match word {
                "HELP" => assert!(text.ends_with('.') && !kinds.contains_key(name), "{line}"),
                "TYPE" => {
                    family = name.to_owned();
                    assert!(
                        kinds.insert(family.clone(), text.to_owned()).is_none(),
                        "{line}"
                    );
                }
                "UNIT" => assert!(
                    name == family && name.ends_with(&format!("_{text}")),
                    "{line}"
                ),
                _ => panic!("{line}"),
            }
            continue;
        }
        let (sample, value) = line.rsplit_once(' ').expect("a value");
        let (name, labels) = sample.split_once('{').unwrap_or((sample, "}"));
        assert!(labels.ends_with('}') && !sample.ends_with("{}"), "{line}");
        let is_word = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
        assert!(
            name.starts_with("svc_simulator_") && name.bytes().all(is_word),
            "{line}"
        );
        let suffixes: &[&str] = match &*kinds[&family] {
            "counter" => &["_total"],
            "histogram" => &["_bucket", "_count", "_sum"],
            "info" => &["_info"],
            "gauge" => &[""],
            kind => panic!("{kind}"),
        };
        let suffix = name
            .strip_prefix(&*family)
            .expect("a sample of the family before it");
        assert!(suffixes.contains(&suffix), "{line}");
        let value: f64 = value.parse().expect("a number");
        assert!(
            value >= 0.0 && samples.insert(sample.to_owned(), value).is_none(),
            "{line}"
        );
    }
    Scraped { samples, kinds }
}

impl Scraped {
    fn of(&self, sample: &str) -> f64 {
        let found = self.samples.get(&format!("svc_simulator_{sample}"));
        *found.unwrap_or_else(|| panic!("{sample} is none of {:#?}", self.samples.keys()))
    }

    fn calls(&self, environment: &str, operation: &str, outcome: &str) -> f64 {
        self.of(&format!(
            r#"calls_total{{environment="{environment}",operation="{operation}",outcome="{outcome}"}}"#
        ))
    }
}

#[test]
fn calls_are_counted_by_operation_and_outcome_in_their_environment() {
    let ruled = Ruled::new();
    const KEY: &str = "svc_test_local";
    for _ in 0..3 {
        ruled.call(KEY, PAN, ASHA);
    }
    ruled.call("svc_live_local", PAN, ASHA);
    ruled.call(KEY, PAN, r#"{"pan": "AAAAA9999A"}"#);
    ruled.call(KEY, PAN, r#"{"pan": 7}"#);
    ruled.call("svc_test_nobody", PAN, ASHA);
    ruled.call(KEY, UAN, super::control::SLOW);
    ruled.call(KEY, "/v1/bundles/professional-router", "{}");
    ruled.call(KEY, "/v1/no/such/path", "{}");
    ruled.call("svc_live_broke", PAN, ASHA);
    let headers = format!(
        "Host: a\r\nAuthorization: Bearer {KEY}\r\nContent-Type: application/json\r\nIdempotency-Key: k\r\n"
    );
    for _ in 0..2 {
        let sandbox = ruled.served.addresses.sandbox;
        super::control::raw(sandbox, "POST", PAN, &headers, ASHA);
    }
    let scraped = scrape(&ruled);
    let pan = "verify.identity.pan";
    for (environment, operation, outcome, count) in [
        ("test", pan, "completed", 4.0),
        ("test", pan, "replayed", 1.0),
        ("live", pan, "completed", 1.0),
        ("live", pan, "SVC_INSUFFICIENT_BALANCE", 1.0),
        ("test", pan, "SVC_NO_RECORD_FOUND", 1.0),
        ("test", pan, "SVC_INVALID_INPUT", 1.0),
        ("test", pan, "SVC_AUTH_INVALID", 1.0),
        ("test", "verify.employment.uan", "pending", 1.0),
        (
            "test",
            "bundles.professional-router",
            "SVC_INVALID_INPUT",
            1.0,
        ),
        ("test", "other", "SVC_NOT_FOUND", 1.0),
    ] {
        let counted = scraped.calls(environment, operation, outcome);
        assert_eq!(counted, count, "{environment} {operation} {outcome}");
    }
    let of = format!(r#"{{environment="test",operation="{pan}"}}"#);
    assert_eq!(scraped.of(&format!("call_duration_seconds_count{of}")), 8.0);
    assert!(scraped.of(&format!("call_duration_seconds_sum{of}")) > 0.0);
    // What nobody called has no line.
    assert!(
        !scraped
            .samples
            .keys()
            .any(|name| name.contains("verify.company"))
    );
}

#[test]
fn buckets_add_up_to_their_count() {
    let ruled = Ruled::new();
    for _ in 0..20 {
        ruled.call("svc_test_local", PAN, ASHA);
    }
    let scraped = scrape(&ruled);
    let families = scraped
        .kinds
        .iter()
        .filter(|(_, kind)| *kind == "histogram");
    let names: BTreeSet<&String> = families.map(|(name, _)| name).collect();
    assert_eq!(names.len(), 3, "{names:?}");
    for name in names {
        let buckets = scraped.samples.iter().filter_map(|(sample, count)| {
            let (_, bound) = sample
                .strip_prefix(&format!("{name}_bucket"))?
                .split_once("le=\"")?;
            let (bound, _) = bound.split_once('"')?;
            Some((bound.parse::<f64>().expect("a bound or +Inf"), *count))
        });
        let mut buckets: Vec<(f64, f64)> = buckets.collect();
        buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert!(
            buckets.windows(2).all(|pair| pair[0].1 <= pair[1].1),
            "{buckets:?}"
        );
        let (last, all) = buckets.pop().expect("buckets");
        assert_eq!(last, f64::INFINITY);
        let mut counts = scraped.samples.iter();
        let count = counts.find(|(sample, _)| sample.starts_with(&format!("{name}_count")));
        assert_eq!(count.map(|(_, count)| *count), Some(all), "{name}");
    }
}

#[test]
fn deliveries_are_counted_by_what_came_of_them() {
    let ruled = Ruled::new();
    let hook = r#"{"url": "http://127.0.0.1:9/hook", "secret": "whsec_sample"}"#;
    ruled.put("/control/accounts/local/webhook", hook);
    ruled.call("svc_test_local", UAN, super::control::SLOW);
    *ruled.receiver.lock() = 503;
    let move_by = |time: &str| {
        let body = format!(r#"{{"advance": "{time}"}}"#);
        assert_eq!(
            ruled.post("/control/accounts/local/clock", &body).status,
            200
        );
    };
    move_by("60s");
    *ruled.receiver.lock() = 204;
    move_by("1h");
    let scraped = scrape(&ruled);
    for (result, count) in [("taken", 1.0), ("refused", 2.0), ("unanswered", 0.0)] {
        let sample = format!(r#"delivery_attempts_total{{result="{result}"}}"#);
        assert_eq!(scraped.of(&sample), count, "{result}");
    }
}

#[test]
fn refusals_connections_and_memory_are_told() {
    let ruled = Ruled::with(|builder| {
        builder.shares(ShareLimits {
            accounts_per_address: 1,
            ..ShareLimits::DEFAULT
        })
    });
    for worker in ["a", "b", "c"] {
        ruled.call(&format!("svc_test_local_{worker}"), PAN, ASHA);
    }
    let open = Client::to(ruled.served.addresses.live);
    let scraped = scrape(&ruled);
    let refused = |flag: &str| scraped.of(&format!(r#"refusals_total{{flag="{flag}"}}"#));
    assert_eq!(refused("--max-accounts-per-address"), 2.0);
    assert_eq!(refused("--max-delayed"), 0.0);
    let at =
        |name: &str, listener: &str| scraped.of(&format!(r#"{name}{{listener="{listener}"}}"#));
    assert_eq!(at("connections_accepted_total", "sandbox"), 3.0);
    assert_eq!(at("connections", "console"), 1.0);
    assert_eq!(at("connections_evicted_total", "live"), 0.0);
    assert!(scraped.of("accounts_memory_bytes") > 0.0);
    assert!(scraped.of("accounts_memory_bytes") < scraped.of("accounts_memory_limit_bytes"));
    assert_eq!(scraped.of("ready"), 1.0);
    assert_eq!(scraped.of("accounts"), 7.0);
    drop(open);
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        scraped.of(&format!(r#"build_info{{version="{version}"}}"#)),
        1.0
    );
    assert_eq!(ruled.raw("POST", "/metrics", LOCAL, "").status, 405);
}

#[test]
fn who_does_not_ask_for_open_metrics_gets_the_older_form() {
    let ruled = Ruled::new();
    ruled.call("svc_test_local", PAN, ASHA);
    let answer = ruled.get("/metrics");
    let kind = answer.header("content-type");
    assert_eq!(kind, Some("text/plain; version=0.0.4; charset=utf-8"));
    for line in [
        "# TYPE svc_simulator_calls_total counter",
        "# TYPE svc_simulator_build_info gauge",
        "# TYPE svc_simulator_call_duration_seconds histogram",
        "# HELP svc_simulator_evictions_total How often the heaviest accounts forgot what ended first, because all took too much.",
    ] {
        assert!(
            answer.body.lines().any(|it| it == line),
            "{line} is not in {}",
            answer.body
        );
    }
    assert!(!answer.body.contains("# UNIT") && !answer.body.contains("# EOF"));
    let names = answer
        .body
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next());
    let names: BTreeSet<&str> = names.collect();
    for line in answer.body.lines().filter(|line| !line.starts_with('#')) {
        let name = line.split(['{', ' ']).next().expect("a name");
        let of_histogram = ["_bucket", "_sum", "_count"]
            .iter()
            .find_map(|suffix| name.strip_suffix(suffix));
        assert!(
            names.contains(name) || of_histogram.is_some_and(|it| names.contains(it)),
            "{line}"
        );
    }
}
