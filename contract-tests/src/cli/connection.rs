//! How a service is spoken to: how long an answer is waited for, whom is trusted, and how fast requests follow.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use svc_fixtures::duration::parse_duration_ms;
use svc_tls::Tls;

use super::exit::CommandError;
use crate::client::Pace;
use crate::target::Timeouts;

/// How a service is spoken to.
#[derive(Debug, Args)]
pub(super) struct ConnectionArgs {
    /// How long to wait for a whole answer, such as 30s [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,
    /// Trust the certificate authorities of this file (PEM), too
    #[arg(long, env = "SVC_CA_FILE", value_name = "FILE")]
    ca_file: Option<PathBuf>,
    /// Show this certificate to the service where it asks for one: certificate and key (PEM)
    #[arg(long, env = "SVC_CLIENT_CERT", value_name = "FILE")]
    client_cert: Option<PathBuf>,
    /// Send at most so many requests a second
    #[arg(long, value_name = "N", value_parser = rate)]
    rate: Option<f64>,
}

pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let ms = parse_duration_ms(text).map_err(|mistake| mistake.to_string())?;
    match ms {
        0 => Err("longer than nothing".to_owned()),
        _ => Ok(Duration::from_millis(ms)),
    }
}

fn rate(text: &str) -> Result<f64, String> {
    let rate: Option<f64> = text.parse().ok();
    let rate = rate.filter(|rate| (0.001..=10_000.0).contains(rate));
    rate.ok_or_else(|| "a number of requests a second, from 0.001 to 10000".to_owned())
}

impl ConnectionArgs {
    pub(super) fn timeouts(&self) -> Timeouts {
        let usual = Timeouts::default();
        let answer = self.timeout.unwrap_or(usual.answer);
        Timeouts {
            connect: usual.connect.min(answer),
            answer,
        }
    }

    /// How https:// addresses are spoken to.
    pub(super) fn tls(&self) -> Result<Tls, CommandError> {
        let read = Tls::read(self.ca_file.as_deref(), self.client_cert.as_deref());
        let read = read.map(Tls::with_proxy_of_environment);
        read.map_err(|error| CommandError::usage(format!("{error}. Nothing was sent")))
    }

    pub(super) fn pace(&self) -> Pace {
        self.rate.map_or_else(Pace::default, Pace::per_second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_or_time_that_means_nothing_is_refused() {
        for wrong in ["0", "-1", "nan", "inf", "10001", "fast"] {
            assert!(rate(wrong).is_err(), "{wrong}");
        }
        assert_eq!(rate("0.5"), Ok(0.5));
        assert_eq!(duration("30s"), Ok(Duration::from_secs(30)));
        assert!(duration("0s").is_err());
        assert!(duration("soon").is_err());
    }
}
