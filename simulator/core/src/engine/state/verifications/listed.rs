//! Verifications as a list: their JSON form, from which the indexes and sums are made anew.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{EvictionCounts, Slot, Verifications, token_key};

/// The records in the order of eviction.
#[derive(Serialize, Deserialize)]
pub(super) struct Listed {
    records: Vec<Slot>,
    evicted: EvictionCounts,
    answered: u64,
}

impl From<Verifications> for Listed {
    fn from(of: Verifications) -> Self {
        Listed {
            records: of.records.into_iter().map(|(_, slot)| slot).collect(),
            evicted: of.evicted,
            answered: of.answered,
        }
    }
}

impl From<Listed> for Verifications {
    fn from(listed: Listed) -> Self {
        let mut made = Verifications {
            evicted: listed.evicted,
            answered: listed.answered,
            ..Verifications::default()
        };
        let ids = listed.records.into_iter().map(|slot| {
            let id = slot.verification.id;
            made.records.insert(id, slot);
            made.enter(id);
            made.records[&id].become_heads(&mut made.heads);
            id
        });
        let mut ids: Vec<_> = ids.collect();
        ids.sort_unstable_by_key(|id| made.records[id].number);
        for id in ids {
            let of = &made.records[&id].verification;
            // Of two that claimed a key the later one has it.
            for claim in &of.claims {
                let known = made.by_key.get(&claim.key);
                let known =
                    known.and_then(|known| made.records[known].verification.claim(&claim.key));
                if known.is_none_or(|known| known.at <= claim.at) {
                    made.by_key.insert(Arc::clone(&claim.key), id);
                }
            }
            if let Some(flow) = &of.flow {
                for token in &flow.tokens {
                    made.by_token.insert(token_key(&flow.name, token), id);
                }
            }
            if of
                .delivery
                .as_ref()
                .is_some_and(|it| it.waits_to_be_overtaken())
            {
                made.to_be_overtaken.push(id);
            }
        }
        made
    }
}

impl Verifications {
    /// The same verifications, as reading their JSON form makes them.
    pub(in super::super) fn relisted(self) -> Self {
        Listed::from(self).into()
    }
}
