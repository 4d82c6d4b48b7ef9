//! How the store is reached: what its URL says, and TLS.

use std::path::PathBuf;
use std::time::Duration;

use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod};
use svc_tls::ServerTrust;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, Connection, Socket};

use super::error::FLAGS;
use super::tls::Tls;
use super::{PostgresError, described};

/// Where the tables lie unless the URL says otherwise.
const SCHEMA: &str = "svc_simulator";

/// Where PostgreSQL listens unless the URL says otherwise.
const PORT: u16 = 5432;

/// A server that does not answer for so long is not there.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// How long one waits before a lost connection is made again.
pub(super) const AGAIN: Duration = Duration::from_millis(200);

/// What a URL says.
#[derive(Clone)]
pub(super) struct StoreAddress {
    pub(super) config: Config,
    pub(super) schema: String,
    tls: Tls,
}

/// A connection that does not wait in a pool.
pub(super) type OwnConnection = (
    Client,
    Connection<Socket, <Tls as MakeTlsConnect<Socket>>::Stream>,
);

impl StoreAddress {
    /// Reads a URL. `sslmode`, `sslrootcert` and `schema` are read here; all else is as the library has it.
    pub(super) fn parse(url: &str) -> Result<Self, PostgresError> {
        let (mut trust, mut mode) = (None, SslMode::Prefer);
        let (mut schema, mut authorities) = (SCHEMA.to_owned(), None);
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        let mut rest = form_urlencoded::Serializer::new(String::new());
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match &*name {
                "sslmode" => (mode, trust) = ssl_mode(&value)?,
                "sslrootcert" => authorities = Some(PathBuf::from(&*value)),
                "schema" => schema = value.into_owned(),
                _ => drop(rest.append_pair(&name, &value)),
            }
        }
        // As libpq has it: who names an authority wants it asked.
        let trust = match (trust, &authorities) {
            (Some(trust), _) => trust,
            (None, Some(_)) if mode == SslMode::Require => ServerTrust::Authority,
            (None, _) => ServerTrust::Anybody,
        };
        let rest = rest.finish().replace('+', "%20");
        let parsed = match rest.is_empty() {
            true => base.parse::<Config>(),
            false => format!("{base}?{rest}").parse(),
        };
        let mut config = parsed.map_err(|error| PostgresError::Url(described(&error)))?;
        if schema.is_empty() || schema.contains(['"', '\\', '\'', ',', ' ', '$']) {
            return Err(PostgresError::Url(format!(
                "`{schema}` is no name of a schema"
            )));
        }
        let options = config.get_options().unwrap_or_default().to_owned();
        config
            .options(format!("{options} -c search_path={schema}"))
            .ssl_mode(mode)
            .application_name("svc-simulator")
            .connect_timeout(PATIENCE)
            .tcp_user_timeout(PATIENCE)
            .keepalives_idle(PATIENCE);
        let tls = svc_tls::client_config(trust, authorities.as_deref(), None);
        let tls = tls.map_err(|error| PostgresError::Url(error.to_string()))?;
        Ok(StoreAddress {
            config,
            schema,
            tls: Tls::new(tls),
        })
    }

    /// Where the server is, without a password.
    pub(super) fn hosts(&self) -> String {
        // One port is all hosts'.
        let ports = self.config.get_ports();
        let port = |at: usize| ports.get(at).or(ports.last()).copied().unwrap_or(PORT);
        let hosts = self.config.get_hosts().iter().enumerate();
        let hosts = hosts.map(|(at, host)| match host {
            Host::Tcp(name) => format!("{name}:{}", port(at)),
            #[cfg(unix)]
            Host::Unix(path) => format!("{} (port {})", path.display(), port(at)),
        });
        hosts.collect::<Vec<_>>().join(", ")
    }

    /// A connection of one's own.
    pub(super) async fn connect(&self) -> Result<OwnConnection, PostgresError> {
        let connecting = self.config.connect(self.tls.clone());
        let connected = tokio::time::timeout(PATIENCE, connecting).await;
        let connected = connected
            .map_err(|_| self.unreachable(format!("no answer for {} s", PATIENCE.as_secs())))?;
        connected.map_err(|error| match system_error(&error) {
            Some(reason) => self.unreachable(reason.to_string()),
            None => error.into(),
        })
    }

    fn unreachable(&self, reason: String) -> PostgresError {
        PostgresError::Unreachable {
            at: self.hosts(),
            reason,
        }
    }

    pub(super) fn pool(&self, connections: usize) -> Result<Pool, PostgresError> {
        let recycling = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        let manager = Manager::from_config(self.config.clone(), self.tls.clone(), recycling);
        let pool = Pool::builder(manager).max_size(connections).build();
        pool.map_err(|error| PostgresError::Url(error.to_string()))
    }
}

/// What the system says of a connection that it could not make: what is wrong with TLS is no matter of the address.
fn system_error(error: &tokio_postgres::Error) -> Option<&std::io::Error> {
    let cause = std::error::Error::source(error)?.downcast_ref::<std::io::Error>();
    cause.filter(|_| svc_tls::reason(error, FLAGS).is_none())
}

fn ssl_mode(value: &str) -> Result<(SslMode, Option<ServerTrust>), PostgresError> {
    Ok(match value {
        "disable" => (SslMode::Disable, None),
        "allow" | "prefer" => (SslMode::Prefer, None),
        "require" => (SslMode::Require, None),
        "verify-ca" => (SslMode::Require, Some(ServerTrust::Authority)),
        "verify-full" => (SslMode::Require, Some(ServerTrust::AuthorityAndName)),
        other => {
            return Err(PostgresError::Url(format!(
                "sslmode={other} is not one of disable, prefer, require, verify-ca, verify-full"
            )));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_says_how_tls_is_spoken_and_where_the_tables_lie() {
        let target = StoreAddress::parse("postgres://me:pw@db.example:5433/staging?sslmode=verify-full&schema=team_a&options=-c%20work_mem%3D1MB").unwrap();
        assert_eq!(target.config.get_ssl_mode(), SslMode::Require);
        assert_eq!(target.schema, "team_a");
        assert_eq!(target.hosts(), "db.example:5433");
        let options = target.config.get_options();
        assert_eq!(options, Some("-c work_mem=1MB -c search_path=team_a"));
        let plain = StoreAddress::parse("postgres://me@localhost/db").unwrap();
        assert_eq!(plain.config.get_ssl_mode(), SslMode::Prefer);
        assert_eq!(plain.schema, SCHEMA);
    }

    #[test]
    fn a_url_with_a_mistake_is_refused_with_what_it_is() {
        for (url, part) in [
            (
                "postgres://h/db?sslmode=maybe",
                "sslmode=maybe is not one of",
            ),
            ("postgres://h/db?schema=a%22b", "is no name of a schema"),
            ("postgres://h/db?colour=red", "colour"),
            ("postgres://h:port/db", "port"),
        ] {
            let refused = StoreAddress::parse(url)
                .err()
                .map(|error| error.to_string());
            assert!(
                refused.as_ref().is_some_and(|it| it.contains(part)),
                "{url}: {refused:?}"
            );
        }
    }
}
