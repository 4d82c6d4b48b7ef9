//! What shows that a clause is asked in earnest: defects planted in a service, each found by a check
//! that names the clause. A clause with one is *proven*; one that checks only ask is *asked*. The rows
//! of `proofs.txt`, which `tests/proofs` executes one by one.

use std::sync::LazyLock;

/// A planted defect, and the check that finds it by the name of a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Proof {
    /// The clause that the finding names.
    pub clause: &'static str,
    /// The check that finds it.
    pub check: &'static str,
    /// What it is planted in.
    pub service: Service,
    /// Its name there.
    pub defect: &'static str,
}

/// What a defect is planted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Service {
    /// The second implementation, by its keys alone, as a customer sees it.
    Second,
    /// The same, whose own console sends webhooks to the run's receiver.
    Receiver,
    /// The same, watched until a webhook that was refused is due again.
    Retries,
    /// The same with its console, as its owner sees it.
    Console,
    /// The simulator in process.
    Simulator,
}

impl Service {
    /// All of them, with their names.
    pub const ALL: [(Service, &'static str); 5] = [
        (Service::Second, "second"),
        (Service::Receiver, "receiver"),
        (Service::Retries, "retries"),
        (Service::Console, "console"),
        (Service::Simulator, "simulator"),
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        let mut all = Service::ALL.into_iter();
        all.find(|(service, _)| *service == self)
            .map_or("", |(_, name)| name)
    }
}

static ALL: LazyLock<Vec<Proof>> = LazyLock::new(|| rows(include_str!("../proofs.txt")));

/// The rows of a list.
///
/// # Panics
/// Where something in it is none.
#[must_use]
pub fn rows(text: &'static str) -> Vec<Proof> {
    let rows = text.lines();
    let rows = rows.filter(|line| !line.is_empty() && !line.starts_with('#'));
    rows.map(|row| read(row).unwrap_or_else(|| panic!("this is no row: {row}")))
        .collect()
}

fn read(row: &'static str) -> Option<Proof> {
    let columns: Vec<_> = row.split(" | ").collect();
    let [clause, check, service, defect] = columns[..] else {
        return None;
    };
    let mut services = Service::ALL.into_iter();
    let (service, _) = services.find(|(_, name)| *name == service)?;
    Some(Proof {
        clause,
        check,
        service,
        defect,
    })
}

/// Every row.
///
/// # Panics
/// Never: a test reads them.
#[must_use]
pub fn all() -> &'static [Proof] {
    &ALL
}

/// What proves a clause.
pub fn of(clause: &str) -> impl Iterator<Item = &'static Proof> {
    all().iter().filter(move |proof| proof.clause == clause)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;
    use crate::plan::{Setting, inputs};
    use crate::verdict::EVERY_ANSWER;
    use svc_fixtures::contract::Contract;
    use svc_fixtures::reading::Source;

    #[test]
    fn rows_stand_in_order_and_once() {
        let disorder: Vec<_> = all().windows(2).filter(|it| it[0] >= it[1]).collect();
        assert!(disorder.is_empty(), "{disorder:#?}");
    }

    #[test]
    fn a_row_names_a_clause_and_a_check_that_asks_it() {
        let contract = Contract::built_in();
        let mut known = inputs::built_in();
        let text = include_str!("../second/inputs.toml");
        let own = inputs::read(&contract, &Source::new("second/inputs.toml", text), &known);
        known.extend(own.unwrap_or_default());
        let setting = Setting::new(&contract, known, "seed").anywhere();
        let mut asked = std::collections::BTreeMap::new();
        for check in check::all() {
            asked.insert(check.id, check.asks(&setting));
        }
        let there = |proof: &&Proof| {
            let known = contract.clauses.iter().any(|it| it.id == proof.clause);
            let always = EVERY_ANSWER.contains(&proof.clause);
            let asks = asked.get(proof.check);
            known && asks.is_some_and(|clauses| always || clauses.contains(proof.clause))
        };
        let wrong: Vec<_> = all().iter().filter(|row| !there(row)).collect();
        assert!(
            wrong.is_empty(),
            "no such clause, or not asked by that check: {wrong:#?}"
        );
    }

    #[test]
    fn what_is_no_row_is_not_read() {
        assert_eq!(read("a.clause | a.check | second"), None);
        assert_eq!(read("a.clause | a.check | third | a defect"), None);
        let row = read("a.clause | a.check | second | a defect");
        assert_eq!(row.map(|row| row.service), Some(Service::Second));
    }
}
