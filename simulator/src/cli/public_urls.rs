//! The flags of `serve` that say what its listeners are called behind a proxy.

use clap::Args;

use super::failure::Failure;
use crate::http::{PublicUrl, PublicUrls};

/// The flags of `serve` for listeners behind a proxy.
#[derive(Debug, Args)]
#[command(next_help_heading = "Behind a proxy")]
pub(super) struct PublicUrlArgs {
    /// Where clients reach the sandbox: consent links, URLs of assets and documents begin so. The proxy takes the path
    /// off
    #[arg(long, env = "SVC_SIMULATOR_PUBLIC_SANDBOX_URL", value_name = "URL", value_parser = url)]
    public_sandbox_url: Option<PublicUrl>,
    /// Where clients reach live, such as https://host.example/sim/live
    #[arg(long, env = "SVC_SIMULATOR_PUBLIC_LIVE_URL", value_name = "URL", value_parser = url)]
    public_live_url: Option<PublicUrl>,
    /// Where people reach the console; it answers to this name, too
    #[arg(long, env = "SVC_SIMULATOR_PUBLIC_CONSOLE_URL", value_name = "URL", value_parser = url)]
    public_console_url: Option<PublicUrl>,
}

impl PublicUrlArgs {
    /// Checks what no URL alone shows.
    ///
    /// # Errors
    /// Where nobody could say which listener a URL is of: of two with one URL a proxy knows no better.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let all = [
            ("--public-sandbox-url", &self.public_sandbox_url),
            ("--public-live-url", &self.public_live_url),
            ("--public-console-url", &self.public_console_url),
        ];
        for (at, (flag, url)) in all.iter().enumerate() {
            let Some(url) = url else { continue };
            let same = all[..at]
                .iter()
                .find(|(_, other)| other.as_ref() == Some(url));
            if let Some((other, _)) = same {
                return Err(Failure::Usage(format!(
                    "{flag} and {other} are both {}: each listener needs a URL of its own, such as \
                     another path or host",
                    url.base()
                )));
            }
        }
        Ok(())
    }

    /// The URLs as a simulator has them.
    pub(super) fn urls(&self) -> PublicUrls {
        PublicUrls {
            console: self.public_console_url.clone(),
            sandbox: self.public_sandbox_url.clone(),
            live: self.public_live_url.clone(),
        }
    }
}

fn url(text: &str) -> Result<PublicUrl, String> {
    PublicUrl::parse(text).map_err(|error| error.to_string())
}
