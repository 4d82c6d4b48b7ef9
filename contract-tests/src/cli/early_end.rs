//! What ends a run before its time: a signal, or its time limit. What was judged by then is reported.

use std::cell::Cell;
use std::future;
use std::io;
use std::time::Duration;

use tokio::sync::oneshot;

use super::say;
use crate::run::EarlyEnd;

/// Waits for what ends the run, and remembers it.
pub(super) struct EndOfRun {
    signal: oneshot::Receiver<Signal>,
    limit: Option<Duration>,
    came: Cell<Option<EarlyEnd>>,
}

/// A signal that ends a program.
#[derive(Debug, Clone, Copy)]
struct Signal {
    name: &'static str,
    number: i32,
}

const INTERRUPT: Signal = Signal {
    name: "SIGINT",
    number: 2,
};

#[cfg(unix)]
const TERMINATE: Signal = Signal {
    name: "SIGTERM",
    number: 15,
};

/// A terminal or a connection that is gone.
#[cfg(unix)]
const HANG_UP: Signal = Signal {
    name: "SIGHUP",
    number: 1,
};

impl EndOfRun {
    /// Hears signals from now on. On a thread of its own: reports are written without a pause, and a second
    /// signal ends the process also then. What the first one does is said by `then`.
    pub(super) fn listen(limit: Option<Duration>, then: &'static str) -> io::Result<Self> {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_io().build()?;
        let mut signals = {
            let _entered = runtime.enter();
            Signals::listen()?
        };
        let (tell, signal) = oneshot::channel();
        std::thread::spawn(move || {
            runtime.block_on(async {
                let first = signals.next().await;
                say(format_args!("{}: {then}", first.name));
                // Where the run is over nobody waits for it any more.
                let _ = tell.send(first);
                let second = signals.next().await;
                // As a shell says of a program that a signal has ended.
                std::process::exit(128 + second.number);
            });
        });
        Ok(EndOfRun {
            signal,
            limit,
            came: Cell::new(None),
        })
    }

    /// Comes back when the run is to end.
    pub(super) async fn wait(&mut self) -> EarlyEnd {
        let limit = self.limit;
        let over = async {
            match limit {
                Some(limit) => tokio::time::sleep(limit).await,
                None => future::pending().await,
            }
        };
        let end = tokio::select! {
            Ok(signal) = &mut self.signal => EarlyEnd::Signal(signal.name),
            () = over => EarlyEnd::TimeLimit(limit.unwrap_or_default()),
        };
        if let EarlyEnd::TimeLimit(_) = end {
            say(format_args!("{end}: no further case is begun"));
        }
        self.came.set(Some(end));
        end
    }

    /// What ended the run, where something did.
    pub(super) fn came(&self) -> Option<EarlyEnd> {
        self.came.get()
    }
}

/// The signals that end a run.
struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    hang_up: tokio::signal::unix::Signal,
}

impl Signals {
    #[cfg(unix)]
    fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    #[cfg(not(unix))]
    fn listen() -> io::Result<Self> {
        Ok(Signals {})
    }

    #[cfg(unix)]
    async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.terminate.recv() => TERMINATE,
            _ = self.interrupt.recv() => INTERRUPT,
            _ = self.hang_up.recv() => HANG_UP,
        }
    }

    #[cfg(not(unix))]
    async fn next(&mut self) -> Signal {
        // Where the signal can't be heard there is nothing to stop for.
        if tokio::signal::ctrl_c().await.is_err() {
            future::pending::<()>().await;
        }
        INTERRUPT
    }
}
