//! What there is of a kind: for people who look around.

use super::{AskedIndex, IdentifierIndex, KindIndex, RelationIndex, World};

impl World {
    /// The identifiers that subjects of a kind have: the name of each.
    pub fn identifiers_of(&self, of: KindIndex) -> impl Iterator<Item = (&str, IdentifierIndex)> {
        let all = self.identifiers.iter().enumerate();
        let of_kind = all.filter(move |(_, row)| row.of == of);
        of_kind.map(|(at, row)| (row.name.as_str(), IdentifierIndex(at)))
    }

    /// The identifiers that a text may be, with the kind of whose they are.
    pub fn identifiers_asked(
        &self,
        asked: AskedIndex,
    ) -> impl Iterator<Item = (KindIndex, IdentifierIndex)> {
        let all = self.asked[asked.0].identifiers.iter();
        all.map(|at| (self.identifiers[*at].of, IdentifierIndex(*at)))
    }

    /// All relations with the kinds they lead from and to.
    pub fn relations_between(
        &self,
    ) -> impl Iterator<Item = (&str, RelationIndex, KindIndex, KindIndex)> {
        let all = self.relations.iter().enumerate();
        all.map(|(at, row)| (row.name(), RelationIndex(at), row.of(), row.to()))
    }
}
