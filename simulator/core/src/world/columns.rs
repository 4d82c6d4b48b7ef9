//! Who of a kind has what is said of them in the columns of its fields. Only for kinds that nobody hands identifiers out
//! of: whoever has one is who it says.

use svc_fixtures::world::WorldRows;

use super::kind::{Domain, View};
use super::{KindIndex, Subject, World};

/// What is said of somebody, and the column of a field that it follows from.
#[derive(Debug, Clone, Copy)]
pub struct ColumnText<'t> {
    /// The field.
    pub field: &'t str,
    /// The column.
    pub column: &'t str,
    /// What is said: what stands in the column, or what begins with it.
    pub text: &'t str,
}

impl World {
    /// Whether identifiers lead to those of a kind and none is handed out.
    #[must_use]
    pub fn is_only_read(&self, kind: KindIndex) -> bool {
        let mut rows = WorldRows::built_in().identifier.iter();
        rows.all(|row| row.of != self.name(kind) || row.reads)
    }

    /// The same subject with rows that have as much of this as one can, and else are its own.
    #[must_use]
    pub fn having(&self, subject: Subject, said: &[ColumnText<'_>]) -> Subject {
        let kind = &self.kinds[subject.kind.0];
        let mut digits = kind.digits(subject.number, View::Own, 0);
        for (field, digit) in kind.fields(View::Own).iter().zip(&mut digits) {
            let Domain::Rows(table) = &field.domain else {
                continue;
            };
            let here = said.iter().filter(|it| it.field == field.name);
            let columns: Vec<_> = here
                .filter_map(|it| Some((table.column(it.column)?, it.text)))
                .collect();
            let fitting = |row: u64| {
                let fitting = columns.iter().filter(|it| has(it.0, row, it.1));
                fitting.count()
            };
            let most = (0..table.rows()).map(fitting).max().unwrap_or_default();
            if most > fitting(*digit) {
                let rows: Vec<u64> = (0..table.rows())
                    .filter(|row| fitting(*row) == most)
                    .collect();
                *digit = rows[(*digit % rows.len() as u64) as usize];
            }
        }
        Subject {
            number: kind.number(&digits, View::Own, 0),
            ..subject
        }
    }
}

fn has(column: &super::table::Column, row: u64, text: &str) -> bool {
    let known = column.text(row);
    !known.is_empty() && text.to_uppercase().starts_with(known)
}
