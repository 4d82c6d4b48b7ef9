//! Looks at what must be kept, and answers by edited rules: noted where they are made, and compared.

use svc_contract_tests::model::Endpoint;
use svc_simulator::engine::state::audit::AccessKind;
use svc_simulator::engine::state::environment::EnvironmentState;

use super::Player;
use super::compare::same;
use crate::instruct::EDITED;
use crate::reference::{Access, AccessBy, Audit, Call, ids};

impl Player<'_> {
    /// What a first answer was decided by and is kept for.
    pub(super) fn note_answer(&mut self, call: &Call<'_>, endpoint: Endpoint, id: &str) {
        if let Some(own) = EDITED.iter().position(|name| call.reference == Some(name)) {
            self.note(match call.in_force[own] {
                true => "an answer by an edited rule",
                false => "an answer without an edited rule",
            });
        }
        let audit = &self.model.environments[call.env].audit;
        if matches!(endpoint, Endpoint::Bundle(_)) && audit.keeps(id) {
            self.note("a bundle was audited");
        }
    }

    /// Somebody got an earlier result again.
    pub(super) fn looked(&mut self, env: usize, body: &[u8], by: AccessBy) {
        let now = self.model.clock.now();
        let id = ids(body).swap_remove(0);
        if self.model.environments[env].audit.looked(&id, by, now) {
            self.note(match by {
                AccessBy::Replay => "a replay was audited",
                AccessBy::Call | AccessBy::LookUp => "a look-up was audited",
            });
        }
    }
}

/// Who looked at what must be kept: the last look; all of them where `all`.
pub(super) fn compare_audit(
    foreseen: &Audit,
    found: &EnvironmentState,
    all: bool,
) -> Result<(), String> {
    let foreseen = &foreseen.accesses;
    let count = found.audit.evictable().count;
    same("how many looks at what is kept", foreseen.len(), count)?;
    let first = if all { 0 } else { count.saturating_sub(1) };
    let found = found.audit.iter().skip(first).map(|access| {
        let by = match access.by {
            AccessKind::Call => AccessBy::Call,
            AccessKind::Replay => AccessBy::Replay,
            AccessKind::LookUp => AccessBy::LookUp,
        };
        let (id, at) = (access.verification.to_string(), access.at);
        (id, at.as_millisecond(), by, access.retained_until)
    });
    let found: Vec<Access> = found.collect();
    same("looks at what is kept", &foreseen[first..], &found[..])
}
