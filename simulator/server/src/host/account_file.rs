//! Whole accounts, written into files and read from them.

use std::sync::Arc;

use svc_fixtures::reading::Problems;

use super::Host;
use super::cell::AccountCell;
use super::directory::OpenError;
use super::journal::JournalError;
use crate::engine::state::account_file::AccountFile;

/// Why an account was not read from a file.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// It can't come into being.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Its own scenarios have mistakes, beside those of this simulator.
    #[error("{0}")]
    Scenarios(Problems),
    /// The one that is to be replaced was not deleted.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// What becomes of an account that has the name already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfTaken {
    /// The import is refused.
    Refuse,
    /// It is deleted first.
    Replace,
}

impl Host {
    /// All of an account as a file has it. Calls whose answer is delayed are not in it.
    #[must_use]
    pub fn export(&self, cell: &AccountCell) -> AccountFile {
        cell.read(AccountFile::of)
    }

    /// An account goes on from what a file has of it: under its own name with all of its keys, under another as a copy
    /// of it. What fell due meanwhile is done.
    ///
    /// # Errors
    /// [`ImportError`]; where the account that is to be replaced was deleted before, it stays so.
    pub async fn import(
        &self,
        file: AccountFile,
        id: &Arc<str>,
        if_taken: IfTaken,
    ) -> Result<Arc<AccountCell>, ImportError> {
        let account = file.into_account();
        // Kept until the account is there.
        let compiled = self.compiled_of_file(&account);
        let compiled = compiled.map_err(ImportError::Scenarios)?;
        let machine = self.clock.now();
        let (names, beginning) = match account.id == *id {
            true => {
                let names = account.keys.iter().map(|key| key.name().to_owned());
                let mut names: Vec<String> = names.chain([id.to_string()]).collect();
                names.sort();
                names.dedup();
                (names, account.snapshot())
            }
            false => (vec![id.to_string()], account.forking(id, machine)),
        };
        if let Some(before) = self.directory.known(id, machine) {
            let of_another = names
                .iter()
                .find(|name| self.directory.reserve(name, id).is_none());
            let taken = match if_taken {
                IfTaken::Replace if before.id() == id => of_another,
                _ => names.iter().find(|name| ***name == **id),
            };
            if let Some(taken) = taken {
                return Err(OpenError::Exists(taken.clone()).into());
            }
            self.durably(&before, || self.delete(&before)).await?;
        }
        let cell = self.directory.insert(&names, id, beginning)?;
        drop((self.rules.own(&cell), compiled));
        self.scheduler.lock(&cell).run_due()?;
        self.opened(&cell).await?;
        self.durably(&cell, || Ok::<_, JournalError>(())).await?;
        Ok(cell)
    }
}
