//! `/metrics`: what the host and the listeners count, in the forms that Prometheus reads. Counts nothing.

use std::collections::BTreeMap;
use std::fmt::Error;
use std::sync::Arc;

use axum::response::{IntoResponse as _, Response};
use http::HeaderMap;
use http::header::ACCEPT;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{
    DescriptorEncoder, EncodeLabelSet, LabelSetEncoder, MetricEncoder, NoLabelSet,
};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::{Registry, Unit};

use super::control::{ControlError, content};
use super::edge::ConnectionCounts;
use crate::host::Host;
use crate::host::metrics::Distribution;

/// What every name begins with.
const PREFIX: &str = "svc_simulator";

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// What readers get that do not ask for OpenMetrics.
const PLAIN: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Nanoseconds in a second.
const NANOS: f64 = 1e9;

/// How many connections each listener has and had, by its name.
pub type ListenerCounts = [(&'static str, Arc<ConnectionCounts>); 3];

/// The metrics of a simulator.
pub(super) struct MetricsPage(Registry);

impl MetricsPage {
    /// Those of this host and these listeners.
    pub(super) fn new(host: &Arc<Host>, listeners: &ListenerCounts) -> Self {
        let mut registry = Registry::with_prefix(PREFIX);
        registry.register_collector(Box::new(Counted {
            host: Arc::clone(host),
            listeners: listeners.clone(),
        }));
        MetricsPage(registry)
    }

    /// What they are now, in the form that is asked for.
    pub(super) fn respond(&self, asked: &HeaderMap) -> Response {
        let mut text = String::new();
        if let Err(Error) = encode(&mut text, &self.0) {
            return ControlError::internal().into_response();
        }
        let mut asked = asked
            .get_all(ACCEPT)
            .iter()
            .filter_map(|it| it.to_str().ok());
        match asked.any(|kinds| kinds.contains("application/openmetrics-text")) {
            true => content(OPEN_METRICS, text.into()),
            false => content(PLAIN, plain(&text).into()),
        }
    }
}

/// The same in the older form, in which a family of counters is named as its samples are, an info is a gauge, and there
/// are neither units nor an end.
fn plain(text: &str) -> String {
    let kinds = text
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '));
    let kinds: BTreeMap<&str, &str> = kinds.collect();
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let mut words = line.splitn(4, ' ');
        match (words.next(), words.next(), words.next(), words.next()) {
            (Some("#"), Some("UNIT" | "EOF"), ..) => continue,
            (Some("#"), Some(word), Some(name), Some(rest)) => {
                let (suffix, kind) = match kinds.get(name) {
                    Some(&"counter") => ("_total", "counter"),
                    Some(&"info") => ("_info", "gauge"),
                    other => ("", other.copied().unwrap_or_default()),
                };
                let rest = if word == "TYPE" { kind } else { rest };
                out += &format!("# {word} {name}{suffix} {rest}");
            }
            _ => out += line,
        }
        out.push('\n');
    }
    out
}

/// Reads all counts at each scrape.
struct Counted {
    host: Arc<Host>,
    listeners: ListenerCounts,
}

impl std::fmt::Debug for Counted {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Counted")
    }
}

impl Collector for Counted {
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> Result<(), Error> {
        let mut out = Families(encoder);
        let version = [("version", env!("CARGO_PKG_VERSION"))];
        let family =
            out.0
                .encode_descriptor("build", "Which program this is.", None, MetricType::Info);
        family?.encode_info(&version)?;
        self.calls(&mut out)?;
        self.shares(&mut out)?;
        self.memory(&mut out)?;
        self.store(&mut out)?;
        self.connections(&mut out)
    }
}

impl Counted {
    fn calls(&self, out: &mut Families<'_>) -> Result<(), Error> {
        let (metrics, rules) = (self.host.metrics(), self.host.rules());
        let calls: Vec<_> = metrics.calls(&rules.contract).collect();
        let outcomes = calls.iter().flat_map(|(environment, operation, counts)| {
            let outcomes = counts.by_outcome().filter(|(_, count)| *count > 0);
            outcomes.map(|(outcome, count)| {
                let of = [
                    ("environment", environment.as_str()),
                    ("operation", operation),
                    ("outcome", outcome),
                ];
                (Labels(of), count)
            })
        });
        out.counters("calls", "Calls that were answered.", outcomes)?;
        let took = calls.iter().map(|(environment, operation, counts)| {
            let of = [
                ("environment", environment.as_str()),
                ("operation", operation),
            ];
            (Labels(of), counts.durations())
        });
        let help = "How long calls took, from the whole request to its answer.";
        out.durations("call_duration", help, took)?;
        let help =
            "Calls that were refused because somebody had its share, by the flag that bounds it.";
        out.counters("refusals", help, labelled("flag", metrics.refused()))?;
        let help = "Attempts to deliver a webhook that ended.";
        out.counters(
            "delivery_attempts",
            help,
            labelled("result", metrics.attempts()),
        )
    }

    fn shares(&self, out: &mut Families<'_>) -> Result<(), Error> {
        let shares = self.host.shares();
        let (delayed, waits) = (shares.delayed_calls(), shares.waits());
        let help = "Calls that are held back: delayed, or waiting for one with their key.";
        out.gauge("held_back_calls", help, delayed.taken)?;
        out.gauge(
            "held_back_calls_limit",
            "How many may be at once.",
            delayed.all,
        )?;
        let help = "Requests to the control API that wait for something.";
        out.gauge("waiting_requests", help, waits.taken)?;
        out.gauge(
            "waiting_requests_limit",
            "How many may be at once.",
            waits.all,
        )?;
        let bodies = shares.bodies();
        let taken = bodies.all_bytes() - bodies.free_bytes();
        out.gauge(
            "large_bodies_bytes",
            "What large bodies of calls take.",
            taken,
        )?;
        out.gauge(
            "large_bodies_limit_bytes",
            "What they may take together.",
            bodies.all_bytes(),
        )?;
        let help = "Delayed answers and attempts to deliver that have not ended.";
        out.gauge("open_tasks", help, self.host.open_tasks())?;
        out.gauge(
            "accounts",
            "Accounts in memory.",
            self.host.directory().all().len(),
        )
    }

    fn memory(&self, out: &mut Families<'_>) -> Result<(), Error> {
        let (usage, limits) = (self.host.memory_usage(), self.host.memory_limits());
        out.bytes("accounts_memory", "What all accounts take.", usage.bytes)?;
        let help = "What they have pending, which can't be forgotten.";
        out.bytes("accounts_memory_pinned", help, usage.pinned)?;
        out.bytes(
            "accounts_memory_limit",
            "What they may take: --keep-total.",
            limits.total_bytes,
        )?;
        let help =
            "How often the heaviest accounts forgot what ended first, because all took too much.";
        out.counter("evictions", help, usage.evictions)?;
        match resident_bytes() {
            Some(bytes) => out.bytes(
                "resident_memory",
                "What the process takes of the machine.",
                bytes,
            ),
            None => Ok(()),
        }
    }

    fn store(&self, out: &mut Families<'_>) -> Result<(), Error> {
        let ready = self.host.readiness().obstacle().is_none();
        out.gauge(
            "ready",
            "1 while the store takes entries, else 0.",
            usize::from(ready),
        )?;
        let store = self.host.metrics().store();
        let queued = usize::try_from(store.queued()).unwrap_or(usize::MAX);
        out.gauge(
            "store_queued_entries",
            "Entries that wait to be written.",
            queued,
        )?;
        let help = "How long a commit of the store took.";
        let (seconds, commits) = (Some(&Unit::Seconds), store.commits());
        out.distribution("store_commit_duration", help, seconds, NANOS, commits)?;
        let help = "How many entries a commit of the store wrote together.";
        out.distribution("store_commit_entries", help, None, 1.0, store.groups())?;
        let help = "Decisions on an account that another replica had changed meanwhile.";
        out.counter("store_conflicts", help, store.conflicts())?;
        out.counter("store_failures", "Commits that failed.", store.failures())
    }

    fn connections(&self, out: &mut Families<'_>) -> Result<(), Error> {
        let each = |count: fn(&ConnectionCounts) -> u64| {
            let listeners = self
                .listeners
                .iter()
                .map(move |(name, counts)| (*name, count(counts)));
            labelled("listener", listeners)
        };
        out.gauges(
            "connections",
            "Connections that are open.",
            each(ConnectionCounts::open),
        )?;
        let help = "Connections that were accepted.";
        out.counters(
            "connections_accepted",
            help,
            each(ConnectionCounts::accepted),
        )?;
        let help = "Idle connections that were closed because new ones came.";
        out.counters("connections_evicted", help, each(ConnectionCounts::evicted))
    }
}

/// Each with its name as the value of this label.
fn labelled<'n>(
    label: &'static str,
    values: impl Iterator<Item = (&'n str, u64)>,
) -> impl Iterator<Item = (Labels<'n, 1>, u64)> {
    values.map(move |(name, value)| (Labels([(label, name)]), value))
}

/// Labels with their values.
#[derive(Debug)]
struct Labels<'v, const N: usize>([(&'static str, &'v str); N]);

impl<const N: usize> EncodeLabelSet for Labels<'_, N> {
    fn encode(&self, encoder: &mut LabelSetEncoder<'_>) -> Result<(), Error> {
        self.0.encode(encoder)
    }
}

/// Families of metrics, one after the other.
struct Families<'e>(DescriptorEncoder<'e>);

impl Families<'_> {
    fn gauge(&mut self, name: &str, help: &str, value: usize) -> Result<(), Error> {
        self.one(name, help, None, value)
    }

    fn bytes(&mut self, name: &str, help: &str, bytes: usize) -> Result<(), Error> {
        self.one(name, help, Some(&Unit::Bytes), bytes)
    }

    fn one(
        &mut self,
        name: &str,
        help: &str,
        unit: Option<&Unit>,
        value: usize,
    ) -> Result<(), Error> {
        let mut family = self
            .0
            .encode_descriptor(name, help, unit, MetricType::Gauge)?;
        family.encode_gauge(&value)
    }

    fn gauges<'n>(
        &mut self,
        name: &str,
        help: &str,
        values: impl Iterator<Item = (Labels<'n, 1>, u64)>,
    ) -> Result<(), Error> {
        let mut family = self
            .0
            .encode_descriptor(name, help, None, MetricType::Gauge)?;
        for (labels, value) in values {
            family.encode_family(&labels)?.encode_gauge(&value)?;
        }
        Ok(())
    }

    fn counter(&mut self, name: &str, help: &str, value: u64) -> Result<(), Error> {
        let mut family = self
            .0
            .encode_descriptor(name, help, None, MetricType::Counter)?;
        encode_count(&mut family, value)
    }

    fn counters<L: EncodeLabelSet>(
        &mut self,
        name: &str,
        help: &str,
        values: impl IntoIterator<Item = (L, u64)>,
    ) -> Result<(), Error> {
        let mut family = self
            .0
            .encode_descriptor(name, help, None, MetricType::Counter)?;
        for (labels, value) in values {
            encode_count(&mut family.encode_family(&labels)?, value)?;
        }
        Ok(())
    }

    fn durations<'d, L: EncodeLabelSet>(
        &mut self,
        name: &str,
        help: &str,
        values: impl IntoIterator<Item = (L, &'d Distribution)>,
    ) -> Result<(), Error> {
        let (unit, kind) = (Some(&Unit::Seconds), MetricType::Histogram);
        let mut family = self.0.encode_descriptor(name, help, unit, kind)?;
        for (labels, distribution) in values {
            encode_distribution(&mut family.encode_family(&labels)?, distribution, NANOS)?;
        }
        Ok(())
    }

    fn distribution(
        &mut self,
        name: &str,
        help: &str,
        unit: Option<&Unit>,
        scale: f64,
        distribution: &Distribution,
    ) -> Result<(), Error> {
        let mut family = self
            .0
            .encode_descriptor(name, help, unit, MetricType::Histogram)?;
        encode_distribution(&mut family, distribution, scale)
    }
}

fn encode_distribution(
    metric: &mut MetricEncoder<'_>,
    distribution: &Distribution,
    scale: f64,
) -> Result<(), Error> {
    let bound = |bound: Option<u64>| bound.map_or(f64::INFINITY, |bound| bound as f64 / scale);
    let buckets = distribution
        .buckets()
        .map(|(upper, count)| (bound(upper), count));
    let buckets: Vec<(f64, u64)> = buckets.collect();
    let count = buckets.iter().map(|(_, count)| count).sum();
    metric.encode_histogram::<NoLabelSet>(distribution.sum() as f64 / scale, count, &buckets, None)
}

fn encode_count(metric: &mut MetricEncoder<'_>, count: u64) -> Result<(), Error> {
    metric.encode_counter::<NoLabelSet, u64, u64>(&count, None)
}

/// The memory that the process takes of the machine, where the system tells it.
fn resident_bytes() -> Option<usize> {
    let told = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = told.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}
