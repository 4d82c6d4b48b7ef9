//! `[[case]]`: its name, what it proves, where it is asked, and its calls in order.

use svc_fixtures::contract::{Contract, Environment};
use svc_fixtures::reading::{Item, Table};

use super::call;
use super::target::EarlierCall;
use crate::plan::{Case, clause_ids, known};

/// Every case of a file.
pub(super) fn cases(root: &Table<'_>, contract: &Contract) -> Vec<Case> {
    let (mut names, mut cases) = (Vec::new(), Vec::new());
    for table in root.tables("case") {
        cases.extend(case(&table, contract, &mut names));
        table.done();
    }
    cases
}

fn case(table: &Table<'_>, contract: &Contract, names: &mut Vec<String>) -> Vec<Case> {
    let mut case = Case::new(name(table, names));
    let proves = clause(table, contract);
    let environments = environments(table);
    case.extension = table.flag("extension");
    let calls = table.tables("call");
    if calls.is_empty() {
        table.lacks("a case has at least one `[[case.call]]`");
    }
    let mut earlier: Vec<EarlierCall<'_>> = Vec::new();
    for table in &calls {
        let own = clause(table, contract).or_else(|| proves.clone());
        if own.is_none() {
            table.lacks("neither the case nor this call says which `clause` it proves");
        }
        let own = own.unwrap_or_default();
        let one = call::read(table, contract, &mut case, &earlier, &own);
        table.done();
        earlier.extend(one);
    }
    case.extension |= earlier.iter().any(|call| call.simulators_only);
    // It is about what it leads to.
    case.operation = earlier.last().and_then(|call| call.target.endpoint());
    let on = |environment: &Environment| case.clone().on(*environment);
    environments.iter().map(on).collect()
}

fn name(table: &Table<'_>, names: &mut Vec<String>) -> String {
    let Some(item) = table.required("name") else {
        return String::new();
    };
    let name = item.text().unwrap_or_default();
    if names.iter().any(|known| known == name) {
        item.problem(format!("another case of this file is called `{name}`, too"));
    }
    names.push(name.to_owned());
    name.to_owned()
}

fn clause(table: &Table<'_>, contract: &Contract) -> Option<String> {
    let item = table.optional("clause")?;
    known(&item, "clause", clause_ids(contract));
    item.text().map(str::to_owned)
}

fn environments(table: &Table<'_>) -> Vec<Environment> {
    let (one, several) = (
        table.optional("environment"),
        table.optional("environments"),
    );
    match (one, several) {
        (None, None) => vec![Environment::Test],
        (Some(one), None) => environment(&one).into_iter().collect(),
        (None, Some(several)) => {
            let several = several.list().unwrap_or_default();
            several.iter().filter_map(environment).collect()
        }
        (Some(one), Some(_)) => {
            one.problem("a case has `environment` or `environments`, not both");
            Vec::new()
        }
    }
}

fn environment(item: &Item<'_>) -> Option<Environment> {
    let mut all = Environment::ALL.into_iter();
    let names = Environment::ALL.iter().map(|known| known.as_str());
    let name = known(item, "environment", names)?;
    all.find(|environment| environment.as_str() == name)
}
