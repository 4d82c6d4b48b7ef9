//! When what an account's clock says happened by the machine's clock, so that things of several accounts make one list.

use jiff::Timestamp;

use crate::host::AccountCell;

/// The clock of an account against the machine's.
pub(super) struct MachineTime {
    machine: Timestamp,
    last_used: Timestamp,
    /// What the account's clock shows, where it runs.
    now: Option<Timestamp>,
}

impl MachineTime {
    /// That of an account when the machine's clock shows this.
    pub(super) fn of(cell: &AccountCell, machine: Timestamp) -> Self {
        let last_used = Timestamp::from_millisecond(cell.last_used_ms()).unwrap_or(machine);
        let now = cell.read(|account| {
            let stands = account.clock.frozen_at().is_some();
            (!stands).then(|| account.clock.read(machine))
        });
        MachineTime {
            machine,
            last_used,
            now,
        }
    }

    /// When this instant was: as long ago as it would be by a clock that runs, and no later than the account's last use.
    pub(super) fn when(&self, at: Timestamp) -> Timestamp {
        let age = self.now.map(|now| now.duration_since(at));
        let came = age.and_then(|age| self.machine.checked_sub(age).ok());
        came.map_or(self.last_used, |came| came.min(self.last_used))
    }
}
