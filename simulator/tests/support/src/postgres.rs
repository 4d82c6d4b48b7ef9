//! A PostgreSQL server of a test's own, from the machine's packages.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Folder, IssuedCertificate, WORKS, free_address};

/// Whom the server runs as where the test runs as root, which it refuses.
const NOBODY: &str = "65534";

/// Its certificate and private key.
const TLS_FILE: &str = "tls.pem";

/// A running server. It ends when this is dropped.
pub struct PostgresServer {
    programs: PathBuf,
    folder: Folder,
    address: SocketAddr,
    /// What it is started with beside its address.
    settings: Vec<&'static str>,
    child: Option<Child>,
    /// Ends what was started as soon as this process closes its input, however that one ends.
    _watcher: Child,
}

/// Settings of a server that is forgotten when its tests have ended: waiting for a disk would show nothing.
const FORGETFUL: [&str; 3] = [
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
];

/// Given a server's folder: ends the server and removes the folder once its input is closed.
const WATCHER: &str = r#"trap "" INT TERM HUP; cat >/dev/null
main=$(head -n 1 "$0/data/postmaster.pid" 2>/dev/null) && kill -s QUIT "$main" 2>/dev/null
for wait in $(seq 100); do kill -0 "$main" 2>/dev/null || break; sleep 0.05; done; rm -rf "$0""#;

impl PostgresServer {
    /// Where the programs are, the newest where there are several; none where they are not installed.
    #[must_use]
    pub fn installed() -> Option<PathBuf> {
        let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
        let number = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
        let versions = versions.filter_map(|entry| Some(entry.ok()?.path()));
        let newest = versions
            .filter(|path| number(path).is_some())
            .max_by_key(number);
        let programs = newest?.join("bin");
        programs.join("initdb").exists().then_some(programs)
    }

    /// A server on a free port, with an empty database, which anybody of this machine may use.
    ///
    /// # Panics
    /// Where it is not installed.
    #[must_use]
    pub fn start() -> Self {
        PostgresServer::started(None, Vec::new())
    }

    /// One that waits for no disk: for tests of which each only looks for what the simulator does.
    ///
    /// # Panics
    /// Where it is not installed.
    #[must_use]
    pub fn start_forgetful() -> Self {
        PostgresServer::started(None, FORGETFUL.to_vec())
    }

    /// One that speaks TLS, too, with this certificate.
    ///
    /// # Panics
    /// Where it is not installed.
    #[must_use]
    pub fn start_with(certificate: &IssuedCertificate) -> Self {
        let tls = ["ssl=on", "ssl_cert_file=tls.pem", "ssl_key_file=tls.pem"];
        PostgresServer::started(Some(certificate), tls.to_vec())
    }

    fn started(certificate: Option<&IssuedCertificate>, settings: Vec<&'static str>) -> Self {
        let programs = Self::installed().expect("PostgreSQL");
        let folder = Folder::new("postgres");
        let data = folder.path().join("data");
        std::fs::create_dir(&data).expect(WORKS);
        if is_root() {
            let owned = Command::new("chown").arg(NOBODY).arg(&data).status();
            assert!(owned.expect("chown").success());
        }
        let mut watcher = Command::new("sh");
        watcher.args(["-c", WATCHER]).arg(folder.path());
        let watcher = watcher.stdin(Stdio::piped()).spawn().expect("sh");
        let mut server = PostgresServer {
            programs,
            folder,
            address: free_address(),
            settings,
            child: None,
            _watcher: watcher,
        };
        let mut made = server.command("initdb");
        made.args([
            "--auth=trust",
            "--username=tester",
            "--encoding=UTF8",
            "--locale=C",
        ]);
        let made = made.stdout(Stdio::null()).status();
        assert!(made.expect("initdb").success());
        if let Some(certificate) = certificate {
            server.keep_secret(TLS_FILE, &certificate.pem());
        }
        server.up();
        server
    }

    /// Its URL, with tables in a schema of this name.
    #[must_use]
    pub fn url(&self, schema: &str) -> String {
        let address = self.address;
        format!("postgres://tester@{address}/postgres?sslmode=disable&schema={schema}")
    }

    /// A schema that no test has.
    #[must_use]
    pub fn fresh_url(&self) -> String {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        self.url(&format!("test_{}", MADE.fetch_add(1, Ordering::Relaxed)))
    }

    /// A file in its folder that nobody else reads.
    fn keep_secret(&self, name: &str, text: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.folder.path().join("data").join(name);
        std::fs::write(&path, text).expect(WORKS);
        let own = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(&path, own).expect(WORKS);
        if is_root() {
            let owned = Command::new("chown").arg(NOBODY).arg(&path).status();
            assert!(owned.expect("chown").success());
        }
    }

    /// Its processes, by their ids.
    #[must_use]
    pub fn processes(&self) -> Vec<String> {
        let Some(main) = &self.child else {
            return Vec::new();
        };
        let id = main.id().to_string();
        let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children"));
        let children = children.unwrap_or_default();
        let children = children.split_whitespace().map(str::to_owned);
        children.chain([id]).collect()
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Runs statements, and gives what they print.
    #[must_use]
    pub fn query(&self, statements: &str) -> String {
        let mut command = Command::new(self.programs.join("psql"));
        let (host, port) = (
            self.address.ip().to_string(),
            self.address.port().to_string(),
        );
        command.args(["-h", &host, "-p", &port, "-U", "tester", "-d", "postgres"]);
        let ended = command
            .args(["-X", "-A", "-t", "-q", "-c", statements])
            .output();
        let output = ended.expect("psql");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Starts it again, or for the first time; it takes connections when this comes back.
    pub fn up(&mut self) {
        // One that was killed leaves its port for a moment.
        let port = self.address.port().to_string();
        let mut server = self.command("postgres");
        server.args(["-p", &port]);
        let settings = [
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            "max_connections=400",
            "log_min_messages=fatal",
        ];
        for setting in settings.iter().chain(&self.settings) {
            server.args(["-c", setting]);
        }
        let server = server.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        self.child = Some(server.expect("postgres"));
        // Each look takes some milliseconds.
        let up = (0..5000).any(|_| self.answers());
        assert!(up, "PostgreSQL did not start");
    }

    fn answers(&self) -> bool {
        let mut ready = Command::new(self.programs.join("pg_isready"));
        let (host, port) = (
            self.address.ip().to_string(),
            self.address.port().to_string(),
        );
        let ready = ready.args(["-q", "-h", &host, "-p", &port]).status();
        ready.is_ok_and(|status| status.success())
    }

    /// Ends it as a machine ends that loses its power.
    pub fn kill(&mut self) {
        self.end("QUIT");
    }

    fn end(&mut self, signal: &str) {
        let Some(mut child) = self.child.take() else {
            return;
        };
        let id = child.id().to_string();
        let ended = Command::new("kill").args(["-s", signal, &id]).status();
        assert!(ended.expect("kill").success());
        let _ = child.wait();
    }

    fn command(&self, program: &str) -> Command {
        let program = self.programs.join(program);
        let mut command = match is_root() {
            true => {
                let mut as_nobody = Command::new("setpriv");
                as_nobody.args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]);
                as_nobody.arg(program);
                as_nobody
            }
            false => Command::new(program),
        };
        command.arg("-D").arg(self.folder.path().join("data"));
        command.current_dir("/");
        command
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        self.end("QUIT");
    }
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(Path::new("/proc/self")).is_ok_and(|me| me.uid() == 0)
}
