//! `listen`: a receiver of webhook deliveries. Puts together the address, the secret, the receiver
//! and the registration; what becomes of a delivery is the receiver's.

mod delivery_line;
mod forward;
mod history;
mod receiver;

use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use clap::Args;
use data_encoding::HEXLOWER;
use reqwest::{Method, Url};
use serde_json::{Value, json};
use svc_fixtures::contract::Environment;
use svc_tls::Tls;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::control_client::{ConsoleArgs, ControlClient, ControlClientError};
use super::failure::Failure;
use super::logging::{LogFormat, log_to_stderr};
use super::serve::{Signals, run_to_end};
use super::terminal;
use super::values::{duration, environment};
use super::webhook::{secret, verdict};
use crate::http::edge::{EdgeLimits, serve};
use crate::http::url;
use forward::Forwarder;
use receiver::{Output, Receiver, ReceiverSettings};

/// The flags of `listen`.
#[derive(Debug, Args)]
#[command(
    after_help = "Answers 204 to what is signed rightly and 400 to what is not; --fail and --forward change that."
)]
pub(super) struct ListenArgs {
    /// Address to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9000")]
    address: SocketAddr,
    /// Port on 127.0.0.1 to listen on; 0 takes a free one
    #[arg(long, value_name = "PORT", conflicts_with = "address")]
    port: Option<u16>,
    /// The webhook signing secret; without one, one is made up and printed
    #[arg(long, env = "SVC_WEBHOOK_SECRET", hide_env_values = true, value_parser = secret)]
    secret: Option<String>,
    /// Answer the first N deliveries with --status, whatever they are, and do not forward them
    #[arg(long, value_name = "N", default_value_t = 0)]
    fail: u64,
    /// The status for --fail
    #[arg(long, value_name = "STATUS", default_value_t = 500, requires = "fail",
          value_parser = clap::value_parser!(u16).range(200..=599))]
    status: u16,
    /// Wait so long before each answer
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    delay: Option<Duration>,
    /// Post each delivery to this application, too, and answer with its status
    #[arg(long, value_name = "URL", value_parser = web_address)]
    forward: Option<Url>,
    #[command(flatten)]
    console: ConsoleArgs,
    /// Register this receiver for an account of the running simulator, such as `local`
    #[arg(long, value_name = "ID", value_parser = account)]
    account: Option<String>,
    /// Register it for one environment only
    #[arg(long, requires = "account", value_parser = environment())]
    environment: Option<Environment>,
    /// How far a signature's time may be from this machine's
    #[arg(long, value_name = "DURATION", default_value = "5m", value_parser = duration)]
    tolerance: Duration,
    /// Print one line of JSON for each delivery
    #[arg(long)]
    json: bool,
    /// Stop after so many deliveries
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    exit_after: Option<u64>,
}

/// Bytes of chance in a secret that is made up.
const SECRET_BYTES: usize = 24;

/// How long the simulator may take to answer a registration.
const REGISTRATION_TIMEOUT: Duration = Duration::from_secs(10);

/// Runs the command.
pub(super) fn run(args: &ListenArgs) -> Result<(), Failure> {
    log_to_stderr("warn", LogFormat::Human)?;
    run_to_end(listen(args))?
}

async fn listen(args: &ListenArgs) -> Result<(), Failure> {
    let address = match args.port {
        Some(port) => SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
        None => args.address,
    };
    let listener = TcpListener::bind(address).await;
    let listener = listener.map_err(|error| not_bound(address, error))?;
    let address = listener.local_addr().context("the address is not known")?;
    let secret = match &args.secret {
        Some(secret) => secret.clone(),
        None => generate_secret()?,
    };
    let signals = Signals::listen().context("signals can't be heard")?;
    let secure = |url: &Url| url.scheme() == "https";
    let client = match args.forward.as_ref().is_some_and(secure) {
        true => Tls::default().with_proxy_of_environment().client(),
        false => svc_tls::plain_client(),
    };
    let client = client
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .context("no client can be made")?;
    let stop = CancellationToken::new();
    let forward = args.forward.clone();
    let forward = forward.map(|url| Forwarder::new(client, url));
    let receiver = Receiver::new(settings(args, secret.clone()), forward, stop.clone());
    terminal::print(&greeting(args, address, &secret))?;
    let serving = serve(
        listener,
        Arc::clone(&receiver).router(),
        EdgeLimits::default(),
        Arc::default(),
        Arc::default(),
        stop.clone(),
    );
    let serving = tokio::spawn(serving);
    tokio::spawn(signals.stop(stop));
    if let Some(account) = &args.account {
        let mut body = json!({"url": format!("{}/", url(address)), "secret": secret});
        if let Some(environment) = args.environment {
            body["environment"] = environment.as_str().into();
        }
        let (console, path) = (args.console.clone(), account.clone());
        // The client blocks, which the deliveries that arrive meanwhile must not feel.
        let registering = tokio::task::spawn_blocking(move || register(&console, &path, &body));
        registering.await.context("the registration ended")??;
        if !args.json {
            terminal::print(&format!("registered for the account {account}\n"))?;
        }
    }
    serving.await.context("the receiver ended")?;
    receiver.unwritten().map_or(Ok(()), Err)
}

/// Registers the receiver at a running simulator.
fn register(console: &ConsoleArgs, account: &str, body: &Value) -> anyhow::Result<()> {
    let client = ControlClient::new(console)?;
    let path = ["accounts", account, "webhook"];
    let answer = client.send(Method::PUT, &path, body.to_string(), REGISTRATION_TIMEOUT);
    answer.map(|_| ()).map_err(|error| match error {
        ControlClientError::Refused {
            status,
            code,
            message,
        } => anyhow!("the simulator did not register the receiver: {status}: {code}: {message}"),
        ControlClientError::Unreachable(url) => anyhow!(
            "the simulator's console at {url} can't be reached: start it with `svc-simulator \
             serve`, or give its address as --console"
        ),
        other => other.into(),
    })
}

fn settings(args: &ListenArgs, secret: String) -> ReceiverSettings {
    let keys = args.account.as_ref().map(|account| {
        let key = |name: &str, environment| {
            let name = format!("the account's {name} API key");
            (name, format!("svc_{environment}_{account}"))
        };
        [key("sandbox", "test"), key("live", "live")]
    });
    ReceiverSettings {
        secret,
        others: keys.into_iter().flatten().collect(),
        tolerance_s: args.tolerance.as_secs(),
        failures: args.fail,
        failure: args.status,
        delay: args.delay.unwrap_or_default(),
        deliveries: args.exit_after,
        output: match args.json {
            true => Output::Json,
            false => Output::People,
        },
    }
}

fn greeting(args: &ListenArgs, address: SocketAddr, secret: &str) -> String {
    let listening = url(address);
    // One that was given is not repeated.
    let generated = args.secret.is_none().then_some(secret);
    if args.json {
        let line = json!({"listening": listening, "secret": generated});
        return format!("{}\n", verdict::json_line(&line));
    }
    let mut text = format!("listening on {listening}\n");
    if let Some(secret) = generated {
        text += &format!("secret {secret} (made up now; sign with it, or give one as --secret)\n");
    }
    text
}

/// A secret nobody can guess.
fn generate_secret() -> anyhow::Result<String> {
    let mut bytes = [0; SECRET_BYTES];
    getrandom::fill(&mut bytes)
        .map_err(|error| anyhow!("no secret can be made up ({error}): give one as --secret"))?;
    Ok(format!("whsec_{}", HEXLOWER.encode(&bytes)))
}

fn not_bound(address: SocketAddr, error: std::io::Error) -> anyhow::Error {
    match error.kind() {
        ErrorKind::AddrInUse => anyhow!(
            "the address {address} is in use: stop what listens there, or choose another; --port 0 takes a free one"
        ),
        _ => anyhow!(error).context(format!("can't listen on {address}")),
    }
}

/// The address of an HTTP server.
fn web_address(text: &str) -> Result<Url, String> {
    let url: Url = text
        .parse()
        .map_err(|_| "write a whole URL, such as http://127.0.0.1:3000/webhook".to_owned())?;
    match url.scheme() {
        "http" if url.has_host() => Ok(url),
        _ => Err("write a URL that begins with http://; this command speaks no other".to_owned()),
    }
}

/// The id of an account.
fn account(text: &str) -> Result<String, String> {
    let mut prefixes = Environment::ALL.map(Environment::key_prefix).into_iter();
    if let Some(id) = prefixes.find_map(|it| text.strip_prefix(it)) {
        return Err(format!(
            "this is a key; the account's id is what follows its prefix: {id}"
        ));
    }
    let fits = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_');
    match !text.is_empty() && text.len() <= 128 && text.chars().all(fits) {
        true => Ok(text.to_owned()),
        false => Err(
            "an account's id has letters, digits, `-` and `_`, such as local_worker7".to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_named_by_its_id() {
        assert_eq!(account("local_worker-7"), Ok("local_worker-7".to_owned()));
        assert!(
            account("svc_test_local")
                .unwrap_err()
                .ends_with("prefix: local")
        );
        for wrong in ["", "../wallet", "a b", "a\n", &"a".repeat(129)] {
            assert!(account(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn made_up_secrets_differ() {
        assert_ne!(generate_secret().unwrap(), generate_secret().unwrap());
    }

    #[test]
    fn only_http_urls_are_called() {
        assert!(web_address("http://localhost:3000/hook?a=1").is_ok());
        for wrong in [
            "https://localhost",
            "localhost:3000",
            "/hook",
            "file:///etc/hosts",
        ] {
            assert!(web_address(wrong).is_err(), "{wrong}");
        }
    }
}
