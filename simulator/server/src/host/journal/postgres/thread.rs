//! What is asked of the store's thread from others.

use std::sync::Arc;

use super::super::{JournalError, StoreFuture};
use super::{PostgresError, PostgresJournal, Store, connect};

impl PostgresJournal {
    /// Does something on the store's thread, which a server that does not answer fails.
    pub(super) fn spawn<T: Send + 'static, F>(
        &self,
        work: impl FnOnce(Arc<Store>) -> F,
    ) -> StoreFuture<T>
    where
        F: Future<Output = Result<T, PostgresError>> + Send + 'static,
    {
        self.spawn_unhurried(move |store| {
            let work = work(Arc::clone(&store));
            async move {
                let done = tokio::time::timeout(2 * connect::PATIENCE, work).await;
                let done = done.unwrap_or(Err(PostgresError::Silent));
                store.note_failure(&done);
                done
            }
        })
    }

    /// Does something on the store's thread that may have to wait for another replica.
    pub(super) fn spawn_unhurried<T: Send + 'static, F>(
        &self,
        work: impl FnOnce(Arc<Store>) -> F,
    ) -> StoreFuture<T>
    where
        F: Future<Output = Result<T, PostgresError>> + Send + 'static,
    {
        let task = self.runtime.spawn(work(Arc::clone(&self.store)));
        Box::pin(async move {
            match task.await {
                Ok(done) => done.map_err(JournalError::from),
                Err(_) => Err(JournalError::new("the store has ended".to_owned())),
            }
        })
    }
}
