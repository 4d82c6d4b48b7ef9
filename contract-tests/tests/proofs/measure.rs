//! What each defect comes to with the checks as they are, printed as rows of `proofs.txt`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};
use std::sync::Mutex;
use std::thread;

use svc_contract_tests::proofs::Service;
use svc_fixtures::contract::Presence;

use crate::judged::Asked;
use crate::{Subjects, lists, planted};

/// How many defects are tried at once.
const AT_ONCE: usize = 2;

/// Prints, for every defect whose name contains the filter, each check and clause that finds it, with the
/// number of cases that do.
pub(crate) fn print(subjects: &Subjects, filter: Option<&str>) {
    let wanted = |(_, name): &(Service, String)| filter.is_none_or(|filter| name.contains(filter));
    let defects: Vec<_> = defects().into_iter().filter(wanted).collect();
    let left = Mutex::new(defects.into_iter());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let next = left.lock().map(|mut left| left.next());
                    let Ok(Some((service, defect))) = next else {
                        break;
                    };
                    one(subjects, service, &defect);
                }
            });
        }
    });
}

/// Everything that can be planted; of what is planted in one operation, each that is in a row.
fn defects() -> Vec<(Service, String)> {
    let second = lists::defects().into_iter().flat_map(|name| {
        let mut services = vec![Service::Second, Service::Console];
        if lists::of_webhooks().contains(name) {
            services.extend([Service::Receiver, Service::Retries]);
        }
        let services = services.into_iter();
        services.map(|service| (service, name.to_owned()))
    });
    let of_operation = crate::CONTRACT.operations.iter().flat_map(|operation| {
        let fields = operation.request.iter();
        let optional = fields.filter(|field| field.presence != Presence::Required);
        let optional =
            optional.map(|field| format!("require_optional:{}:{}", operation.id, field.name));
        let plain = lists::of_operation().into_iter().filter(|name| {
            !["require_optional", "skip_validation"].contains(name)
                && !name.contains("_field")
                && !name.contains("_type")
        });
        let plain = plain.map(|name| format!("{name}:{}", operation.id));
        optional
            .chain(plain.collect::<Vec<_>>())
            .collect::<Vec<_>>()
    });
    let of_operation = of_operation.map(|name| (Service::Second, name));
    let simulator = planted::all().map(|it| (Service::Simulator, it.name.to_owned()));
    simulator.chain(second).chain(of_operation).collect()
}

fn one(subjects: &Subjects, service: Service, defect: &str) {
    let broken = subjects.broken_by(service, defect, Asked::All);
    let mut cases: BTreeMap<(String, &str), BTreeSet<String>> = BTreeMap::new();
    for (check, case, clause) in broken {
        cases.entry((clause, check)).or_default().insert(case);
    }
    let mut out = io::stdout().lock();
    // Nobody reads it where stdout is closed.
    let _ = match cases.is_empty() {
        true => writeln!(out, "# nothing finds | {} | {defect}", service.name()),
        false => cases.iter().try_for_each(|((clause, check), cases)| {
            writeln!(
                out,
                "{clause} | {check} | {} | {defect} | {}",
                service.name(),
                cases.len()
            )
        }),
    };
}
