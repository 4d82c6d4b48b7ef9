//! Closes accounts that nobody uses any more, now and again. Decides nothing: the host knows which.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::host::Host;

/// Closes idle accounts until the stop.
pub(super) async fn sweep(host: Arc<Host>, stop: CancellationToken) {
    let every = host.memory_limits().account_idle / 8;
    let every = every.clamp(Duration::from_secs(1), Duration::from_mins(1));
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(every) => {}
        }
        host.close_idle();
    }
}
