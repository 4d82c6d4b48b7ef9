//! `record`: a proxy between a client and the service that writes down and judges what passes.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use reqwest::Url;
use svc_fixtures::contract::Environment;
use tokio::net::TcpListener;

use super::connection::duration;
use super::early_end::EndOfRun;
use super::exit::{CommandError, Exit};
use super::judge::judge;
use super::outputs::OutputArgs;
use super::receiver::long_enough;
use super::run::fresh_seed;
use super::{keys, say};
use crate::capture::{Capabilities, Capture};
use crate::prices::PriceList;
use crate::profile::Profile;
use crate::record::{self, RecordPlan, Recorded, Route, RouteKind};
use crate::redact::Secret;

/// What is listened to, whom that is passed on to, and where it is written.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct RecordArgs {
    /// Listen here for calls of the sandbox, such as 127.0.0.1:9001; port 0 is a free one
    #[arg(
        long,
        value_name = "ADDRESS",
        requires = "forward",
        required_unless_present = "listen_live"
    )]
    listen: Option<SocketAddr>,
    /// The sandbox that they are passed on to
    #[arg(long, value_name = "URL", requires = "listen")]
    forward: Option<String>,
    /// Listen here for live calls
    #[arg(long, value_name = "ADDRESS", requires = "forward_live")]
    listen_live: Option<SocketAddr>,
    /// The live service that they are passed on to
    #[arg(long, value_name = "URL", requires = "listen_live")]
    forward_live: Option<String>,
    /// Listen here for webhooks; register this address with the service
    #[arg(long, value_name = "ADDRESS", requires = "webhooks_to")]
    webhooks_listen: Option<SocketAddr>,
    /// Your receiver, which webhooks are passed on to
    #[arg(long, value_name = "URL", requires = "webhooks_listen")]
    webhooks_to: Option<String>,
    /// The capture that is written
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Write over a file that is there
    #[arg(long)]
    replace: bool,
    /// By which rules what passes is judged
    #[arg(long, value_enum, default_value_t = Profile::Provider)]
    profile: Profile,
    /// How many bytes of a body are recorded; all of it is passed on
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 20)]
    body_limit: usize,
    /// How many connections are served at once, on each address
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    connections: u32,
    /// How long what is under way is waited for at the end
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s")]
    drain: Duration,
    /// Trust the certificate authorities of this file (PEM), too
    #[arg(long, env = "SVC_CA_FILE", value_name = "FILE")]
    ca_file: Option<PathBuf>,
    /// Show this certificate to the service where it asks for one: certificate and key (PEM)
    #[arg(long, env = "SVC_CLIENT_CERT", value_name = "FILE")]
    client_cert: Option<PathBuf>,
    /// The secret that the service signs webhooks with: whether it is theirs is judged, and it is in no file
    #[arg(
        long,
        env = "SVC_WEBHOOK_SECRET",
        hide_env_values = true,
        value_name = "SECRET"
    )]
    webhook_secret: Option<Secret>,
    #[command(flatten)]
    outputs: OutputArgs,
}

const EXAMPLE: &str = "\
Point your client at the addresses that it prints, and end it with Ctrl-C. Nothing is changed on the way.

  svc-contract-tests record --listen 127.0.0.1:9001 --forward https://sandbox.example \\
    --webhooks-listen 127.0.0.1:9003 --webhooks-to http://127.0.0.1:3000/hooks --out run.capture
  svc-contract-tests judge run.capture";

impl RecordArgs {
    pub(super) fn execute(&self) -> Result<Exit, CommandError> {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().build()?;
        let end = EndOfRun::listen(
            None,
            "what is under way is waited for, and then judged; once more ends it at once",
        )?;
        let recorded = runtime.block_on(self.record(end))?;
        conclude(&self.out, &self.outputs, &recorded)
    }

    async fn record(&self, mut end: EndOfRun) -> Result<Recorded, CommandError> {
        self.outputs.check()?;
        let routes = self.routes().await?;
        let services = routes
            .iter()
            .filter(|route| route.kind != RouteKind::Webhooks);
        let local = services.clone().all(|route| keys::is_loopback(&route.to));
        let environments = services.filter_map(|route| match route.kind {
            RouteKind::Calls(environment) => Some(environment),
            RouteKind::Webhooks => None,
        });
        let plan = RecordPlan {
            out: self.out.clone(),
            seed: fresh_seed(),
            profile: self.profile,
            environments: environments.collect(),
            local: self.outputs.shows_personal_data(local),
            most_bytes: self.body_limit,
            most_connections: self.connections as usize,
            drain: self.drain,
            ca_file: self.ca_file.clone(),
            client_certificate: self.client_cert.clone(),
            webhook_secret: long_enough(self.webhook_secret.as_ref())?.cloned(),
        };
        let trusted = record::check_tls(&plan);
        trusted.map_err(|error| CommandError::usage(error.to_string()))?;
        let file = record::create(&self.out, &empty(&plan), self.replace)
            .map_err(|error| CommandError::usage(format!("--out {error:#}")))?;
        for route in &routes {
            let address = route.listener.local_addr()?;
            let what = match route.kind {
                RouteKind::Calls(environment) => environment.as_str(),
                RouteKind::Webhooks => "webhooks",
            };
            say(format_args!(
                "{what}: http://{address} to {}",
                shown(&route.to)
            ));
        }
        say(format_args!("recording to {}", self.out.display()));
        let lines = Box::new(|line: &str| say(line));
        let ended = async {
            end.wait().await;
        };
        Ok(record::record(plan, file, routes, lines, ended).await?)
    }

    async fn routes(&self) -> Result<Vec<Route>, CommandError> {
        let given = [
            (
                "--listen",
                "--forward",
                self.listen,
                &self.forward,
                RouteKind::Calls(Environment::Test),
            ),
            (
                "--listen-live",
                "--forward-live",
                self.listen_live,
                &self.forward_live,
                RouteKind::Calls(Environment::Live),
            ),
            (
                "--webhooks-listen",
                "--webhooks-to",
                self.webhooks_listen,
                &self.webhooks_to,
                RouteKind::Webhooks,
            ),
        ];
        let mut routes = Vec::new();
        for (flag, to_flag, address, to, kind) in given {
            let (Some(address), Some(to)) = (address, to) else {
                continue;
            };
            let to = keys::address(to_flag, to)?;
            let failed = |error: io::Error| {
                CommandError::usage(format!("{flag}: {address} can't be listened on: {error}"))
            };
            let listener = TcpListener::bind(address).await.map_err(failed)?;
            let own = listener.local_addr().map_err(failed)?;
            if goes_to(&to, own) {
                return Err(CommandError::usage(format!(
                    "{to_flag}: {to} is where {flag} listens: what passes would go round for ever"
                )));
            }
            routes.push(Route { listener, to, kind });
        }
        Ok(routes)
    }
}

/// Whether this is the address of that listener.
fn goes_to(to: &Url, listener: SocketAddr) -> bool {
    let here = listener.ip();
    let host = to.host_str().unwrap_or_default();
    // An address of six has brackets in a URL.
    let host = match host.trim_matches(['[', ']']).parse::<IpAddr>() {
        Ok(ip) => ip == here || here.is_unspecified() && (ip.is_loopback() || ip.is_unspecified()),
        Err(_) => host == "localhost" && (here.is_loopback() || here.is_unspecified()),
    };
    host && to.port_or_known_default() == Some(listener.port())
}

/// Judges what was written as `judge` does. What is not in the file is no success.
pub(super) fn conclude(
    out: &Path,
    outputs: &OutputArgs,
    recorded: &Recorded,
) -> Result<Exit, CommandError> {
    if !out.exists() {
        let (shown, lost) = (out.display(), recorded.exchanges);
        say(format_args!(
            "{shown}: is gone, and with it {lost} exchanges: somebody removed it while they were recorded"
        ));
        return Ok(match recorded.broken {
            0 => Exit::Nothing,
            1.. => Exit::Broken,
        });
    }
    let exit = judge(out, None, outputs)?;
    say(format_args!(
        "{} exchanges recorded, {} with something broken",
        recorded.exchanges - recorded.unwritten,
        recorded.broken
    ));
    if recorded.empty > 0 {
        say(format_args!(
            "{} of them without what passed: the file says of each why",
            recorded.empty
        ));
    }
    if let Some(why) = &recorded.why {
        say(format_args!(
            "{} exchanges were not written: {why}",
            recorded.unwritten
        ));
    }
    Ok(match (exit, recorded) {
        (Exit::Held | Exit::Nothing, Recorded { broken: 1.., .. }) => Exit::Broken,
        (Exit::Held, Recorded { unwritten: 1.., .. }) => Exit::Nothing,
        (exit, _) => exit,
    })
}

/// A capture of a recording that is about to begin.
pub(super) fn empty(plan: &RecordPlan) -> Capture {
    Capture {
        seed: plan.seed.clone(),
        environments: plan.environments.clone(),
        profile: plan.profile,
        prices: PriceList::default(),
        http: true,
        capabilities: Capabilities::default(),
        local: plan.local,
        cases: Vec::new(),
    }
}

/// An address without user, password and query.
fn shown(url: &Url) -> String {
    let origin = url.origin().ascii_serialization();
    format!("{origin}{}", url.path().trim_end_matches('/'))
}
