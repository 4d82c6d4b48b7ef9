//! The load: a number of keep-alive connections that send one request after the other.
#![expect(clippy::disallowed_methods, reason = "a bench measures real time")]

use std::io::{Error, Result};
use std::sync::Arc;
use std::time::{Duration, Instant};

use svc_test_support::Connection;

use super::process::Cpu;
use super::server::Server;

/// So many connections send at once.
pub(crate) const CONNECTIONS: usize = 32;

/// What is sent. Each connection sends its own requests in turn, over and over.
pub(crate) struct Load {
    pub(crate) address: String,
    pub(crate) requests: Vec<Request>,
    connections: Vec<Arc<[Box<[u8]>]>>,
}

/// One request.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) path: &'static str,
    pub(crate) key: String,
    pub(crate) headers: &'static str,
    pub(crate) body: String,
}

/// What came of one round.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    /// Requests per second.
    pub(crate) rate: f64,
    /// Half of the requests took no longer.
    pub(crate) p50_us: f64,
    /// 99 of 100 took no longer.
    pub(crate) p99_us: f64,
    /// The server's processor time for each request: all of it, its own, and the system's for it.
    pub(crate) cpu_us: f64,
    pub(crate) user_us: f64,
    pub(crate) system_us: f64,
    /// The generator's processor time for each request.
    pub(crate) generator_us: f64,
    /// The server's resident memory after the round.
    pub(crate) rss_mb: f64,
}

impl Load {
    /// So many different requests, dealt out to the connections. With fewer requests than
    /// connections, some send the same.
    pub(crate) fn new(address: &str, count: usize, request: impl Fn(usize) -> Request) -> Self {
        let requests: Vec<Request> = (0..count).map(request).collect();
        let each = count.div_ceil(CONNECTIONS);
        let of_connection = |connection: usize| {
            let numbers = (0..each).map(|turn| (turn * CONNECTIONS + connection) % count);
            numbers
                .map(|number| requests[number].written(address))
                .collect()
        };
        Load {
            address: address.to_owned(),
            connections: (0..CONNECTIONS).map(of_connection).collect(),
            requests,
        }
    }

    /// One round against a server, whose processor time is read before and after. It ends when the
    /// time is up and every request was sent at least once.
    pub(crate) fn run(&self, server: &Server, time: Duration) -> Result<Sample> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let before = (server.process.cpu()?, Cpu::of("self")?);
        let began = Instant::now();
        let mut took = runtime.block_on(async {
            let until = began + time;
            let task = |requests| {
                let address = self.address.clone();
                tokio::spawn(connection(address, Arc::clone(requests), until))
            };
            let tasks: Vec<_> = self.connections.iter().map(task).collect();
            let mut took = Vec::new();
            for task in tasks {
                took.extend(task.await.map_err(Error::other)??);
            }
            Ok::<_, Error>(took)
        })?;
        let elapsed = began.elapsed();
        let cpu = server.process.cpu()?.since(before.0);
        let own = Cpu::of("self")?.since(before.1);
        let count = took.len() as f64;
        let each = |time: Duration| time.as_secs_f64() * 1e6 / count;
        took.sort_unstable();
        let percentile =
            |share: f64| f64::from(took[((took.len() - 1) as f64 * share) as usize]) / 1000.0;
        Ok(Sample {
            rate: took.len() as f64 / elapsed.as_secs_f64(),
            p50_us: percentile(0.5),
            p99_us: percentile(0.99),
            cpu_us: each(cpu.total()),
            user_us: each(cpu.user),
            system_us: each(cpu.system),
            generator_us: each(own.total()),
            rss_mb: server.process.resident_mb()?,
        })
    }
}

impl Request {
    fn written(&self, address: &str) -> Box<[u8]> {
        let Request {
            path,
            key,
            headers,
            body,
        } = self;
        let length = body.len();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {key}\r\n\
             Content-Type: application/json\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
        );
        request.into_bytes().into()
    }
}

impl Sample {
    /// The median of each figure by itself.
    pub(crate) fn median(samples: &mut [Sample]) -> Sample {
        let mut median = |figure: fn(&Sample) -> f64| {
            samples.sort_by(|a, b| figure(a).total_cmp(&figure(b)));
            figure(&samples[samples.len() / 2])
        };
        Sample {
            rate: median(|sample| sample.rate),
            p50_us: median(|sample| sample.p50_us),
            p99_us: median(|sample| sample.p99_us),
            cpu_us: median(|sample| sample.cpu_us),
            user_us: median(|sample| sample.user_us),
            system_us: median(|sample| sample.system_us),
            generator_us: median(|sample| sample.generator_us),
            rss_mb: median(|sample| sample.rss_mb),
        }
    }

    /// Each figure by that of another.
    pub(crate) fn against(&self, other: &Sample) -> Sample {
        Sample {
            rate: self.rate / other.rate,
            p50_us: self.p50_us / other.p50_us,
            p99_us: self.p99_us / other.p99_us,
            cpu_us: self.cpu_us / other.cpu_us,
            user_us: self.user_us / other.user_us,
            system_us: self.system_us / other.system_us,
            generator_us: self.generator_us / other.generator_us,
            rss_mb: self.rss_mb / other.rss_mb,
        }
    }
}

/// Sends until the time is up and each request was sent; the nanoseconds each took.
async fn connection(
    address: String,
    requests: Arc<[Box<[u8]>]>,
    until: Instant,
) -> Result<Vec<u32>> {
    let mut connection = Connection::open(&address).await?;
    let mut took = Vec::with_capacity(100_000);
    for (turn, request) in requests.iter().cycle().enumerate() {
        let began = Instant::now();
        if began >= until && turn >= requests.len() {
            break;
        }
        if connection.exchange(request).await? != 200 {
            let answer = connection.text();
            return Err(Error::other(format!("not a success: {answer}")));
        }
        took.push(u32::try_from(began.elapsed().as_nanos()).unwrap_or(u32::MAX));
    }
    Ok(took)
}
