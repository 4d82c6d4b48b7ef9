//! The listeners of the proxy, its connections, and its end.

use std::io;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use anyhow::Context as _;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::desk::{self, Say};
use super::file::CaptureFile;
use super::flight::{Passing, ToDesk};
use super::heads::Forward;
use super::lines::LineQueue;
use super::passing::Proxy;
use super::upstream::{Upstream, connector};
use super::{RecordPlan, Recorded, Route};

/// How long a request's head may take, and a connection be idle.
const HEAD: Duration = Duration::from_secs(75);

/// The longest head, in bytes, and the most headers.
const HEAD_BYTES: usize = 512 << 10;
const HEADERS: usize = 1000;

/// How long to wait where no connection can be taken: other files must be closed first.
const PAUSE: Duration = Duration::from_millis(50);

/// Passes on and records until `ended` comes back; then takes no further connection and waits for what is under way.
/// `say` is told a line for each verdict that is broken, on a thread of its own.
///
/// # Errors
/// Where the recording can't begin, or the thread that writes it is no more.
pub async fn record(
    plan: RecordPlan,
    file: CaptureFile,
    routes: Vec<Route>,
    say: Say,
    ended: impl Future<Output = ()>,
) -> anyhow::Result<Recorded> {
    let (sender, landed) = mpsc::channel();
    let (mut lines, sayer) = LineQueue::start(say).context("no thread for what is said")?;
    let say = Box::new(move |line: &str| lines.say(line));
    let desk = {
        let plan = plan.clone();
        std::thread::Builder::new()
            .name("recording".to_owned())
            // It ends where it is told to, whoever could still send to it.
            .spawn(move || desk::work(&plan, file, &landed, say))
            .context("no thread for the recording")?
    };
    let to_desk = ToDesk {
        landed: sender,
        desk: desk.thread().clone(),
    };
    let connector = connector(&plan)?;
    let proxy = Arc::new(Proxy::new(plan.most_bytes, to_desk));
    let (stop, stopped) = watch::channel(false);
    let ways = routes.into_iter().map(|route| {
        let (proxy, stopped) = (Arc::clone(&proxy), stopped.clone());
        let to = Forward::to(&route.to);
        let to = to.with_context(|| format!("{}: is no address of HTTP", route.to))?;
        anyhow::Ok(tokio::spawn(way(
            route,
            Arc::new(Upstream::new(to, connector.clone())),
            proxy,
            plan.most_connections,
            plan.drain,
            stopped,
        )))
    });
    let ways = ways.collect::<anyhow::Result<Vec<_>>>()?;
    ended.await;
    // Those that listen have gone where nobody hears it.
    let _ = stop.send(true);
    for way in ways {
        way.await.context("a listener broke")?;
    }
    proxy.under_way.end();
    let written = tokio::task::spawn_blocking(move || {
        let written = desk.join();
        // The desk is gone, and what it wanted to say is said before what the end says.
        let _ = sayer.join();
        written
    });
    let written = written.await?;
    written.map_err(|_| {
        anyhow::anyhow!("the recording broke off: what passed since is not in the file")
    })
}

/// Serves one way until it is stopped, then waits a while for what is under way.
async fn way(
    route: Route,
    upstream: Arc<Upstream<Passing>>,
    proxy: Arc<Proxy>,
    most: usize,
    drain: Duration,
    mut stopped: watch::Receiver<bool>,
) {
    let (graceful, slots) = (GracefulShutdown::new(), Arc::new(Semaphore::new(most)));
    let kind = route.kind;
    let mut connections = JoinSet::new();
    loop {
        let accepted = async {
            let slot = Arc::clone(&slots).acquire_owned().await;
            (slot, route.listener.accept().await)
        };
        let (slot, stream) = tokio::select! {
            accepted = accepted => accepted,
            _ = stopped.wait_for(|over| *over) => break,
        };
        let stream = match stream {
            Ok((stream, _)) => stream,
            Err(_) => {
                sleep(PAUSE).await;
                continue;
            }
        };
        let io = TokioIo::new(prepared(stream));
        let (proxy, upstream) = (Arc::clone(&proxy), Arc::clone(&upstream));
        let service = service_fn(move |request| {
            let (proxy, upstream) = (Arc::clone(&proxy), Arc::clone(&upstream));
            async move { proxy.pass(kind, &upstream, request).await }
        });
        let connection = http().serve_connection(io, service);
        let connection = graceful.watch(connection);
        connections.spawn(async move {
            let _slot = slot;
            // A client that breaks off, or talks nonsense, ends its own connection alone.
            let _ = connection.await;
        });
        while connections.try_join_next().is_some() {}
    }
    drop(route.listener);
    let all = timeout(drain, graceful.shutdown()).await;
    if all.is_err() {
        proxy.under_way.cut_short();
    }
    // Nobody waits for what is left any more.
    connections.shutdown().await;
}

fn prepared(stream: TcpStream) -> TcpStream {
    // Only the speed is another without it.
    let _: io::Result<()> = stream.set_nodelay(true);
    stream
}

fn http() -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .preserve_header_case(true)
        // A head and a small body are one piece sooner than the system has put two together.
        .writev(false)
        .auto_date_header(false)
        .max_headers(HEADERS)
        .max_buf_size(HEAD_BYTES);
    http
}
