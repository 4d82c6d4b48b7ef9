//! The people whom a service knows, for samples: so one that answers from fixed inputs alone is asked everything, too.

use std::collections::BTreeSet;

use svc_fixtures::contract::{Contract, Environment};
use svc_fixtures::json::Json;
use svc_fixtures::sample;

use super::inputs::{Input, InputTarget};

/// The same contract with a service's own people for samples: the first input of each field that completes on its
/// sandbox, and what stands beside it. So a service that knows only some fixed inputs is asked everything, too.
#[must_use]
pub fn with_samples(mut contract: Contract, inputs: &[Input]) -> Contract {
    let mut taken = BTreeSet::new();
    for input in inputs.iter().filter(|input| input.is_sample()) {
        for at in 0..contract.operations.len() {
            let operation = &contract.operations[at];
            let Some(field) = input.field(&contract, operation) else {
                continue;
            };
            if taken.contains(&(at, field.name.clone())) {
                continue;
            }
            let value = sample::with_text(&contract, field, &input.value);
            let own = (field.name.clone(), value);
            for (name, value) in [own].into_iter().chain(input.with.clone()) {
                let mut fields = contract.operations[at].request.iter_mut();
                if let Some(field) = fields.find(|field| field.name == name) {
                    field.example = Some(value);
                }
                taken.insert((at, name));
            }
        }
    }
    for input in inputs {
        let InputTarget::Bundle { slug, path } = &input.target else {
            continue;
        };
        let row = contract.bundles.iter_mut().find(|row| row.slug == *slug);
        let Some(row) = row else { continue };
        row.path.clone_from(path);
        if row.example.is_none() && input.completes_bundle(slug, Environment::Test) {
            row.example = Some(Json::object(input.with.clone()));
        }
    }
    // A later step of a flow is about whom its first one began with.
    for (later, name, value) in begun(&contract, &taken) {
        if taken.insert((later, name.clone())) {
            let mut fields = contract.operations[later].request.iter_mut();
            if let Some(field) = fields.find(|field| field.name == name) {
                field.example = Some(value);
            }
        }
    }
    contract
}

/// What the first steps of flows are called with of a service's own, for the fields of later steps that have its name.
fn begun(
    contract: &Contract,
    own: &BTreeSet<(usize, String)>,
) -> Vec<(usize, String, Json<'static>)> {
    let at = |id: &str| contract.operations.iter().position(|row| row.id == id);
    let mut found = Vec::new();
    for flow in &contract.flows {
        let mut steps = flow.steps.iter().filter_map(|step| at(&step.operation));
        let Some(first) = steps.next() else { continue };
        let fields = contract.operations[first].request.iter();
        let fields = fields.filter(|field| own.contains(&(first, field.name.clone())));
        let fields: Vec<_> = fields.collect();
        for later in steps {
            found.extend(fields.iter().map(|field| {
                let value = sample::value(contract, field);
                (later, field.name.clone(), value)
            }));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use svc_fixtures::reading::Source;

    use super::super::inputs::{built_in, read};
    use super::*;

    fn own(text: &str) -> Result<Vec<Input>, String> {
        let source = Source::new("mine.toml", text);
        let read = read(&Contract::built_in(), &source, &built_in());
        read.map_err(|problems| problems.to_string())
    }

    fn body(contract: &Contract, id: &str) -> String {
        let row = contract.operation(id).expect("a row");
        sample::body(contract, row, sample::Extent::All).to_string()
    }

    const LICENCE: &str = r#"
[[input]]
operation = "verify.identity.dl"
field = "dlNumber"
value = "MH1220110062821"
with = { dateOfBirth = "03/04/1988" }
ends = "completed"

[[input]]
operation = "verify.identity.dl"
field = "dlNumber"
value = "MH1220110000000"
ends = "SVC_NO_RECORD_FOUND"
"#;

    #[test]
    fn the_first_input_that_completes_is_the_sample_with_what_stands_beside_it() {
        let contract = Contract::built_in();
        let own = own(LICENCE).expect("it reads");
        let clauses = own.iter().map(|input| input.clause.as_str());
        let clauses: Vec<_> = clauses.collect();
        assert_eq!(clauses, ["states.completed", "errors.no-record-found"]);
        let all = [built_in(), own].concat();
        let known = with_samples(contract.clone(), &all);
        assert_eq!(
            body(&known, "verify.identity.dl"),
            r#"{"dlNumber":"MH1220110062821","dateOfBirth":"03/04/1988"}"#
        );
        let same = with_samples(contract.clone(), &built_in());
        for row in &contract.operations {
            assert_eq!(body(&same, &row.id), body(&contract, &row.id));
        }
    }

    #[test]
    fn a_later_step_of_a_flow_is_about_whom_it_began_with() {
        let text = LICENCE.replace("verify.identity.dl", "verify.identity.mobile-otp-s.start");
        let text = text
            .replace("dlNumber", "mobile")
            .replace("MH1220110062821", "9812345678");
        let text = text.replace("with = { dateOfBirth = \"03/04/1988\" }\n", "");
        let text = text.replace("MH1220110000000", "9812345679");
        let own = own(&text).expect("it reads");
        let known = with_samples(Contract::built_in(), &own);
        let fetch = body(&known, "verify.identity.mobile-otp-s.fetch");
        assert!(fetch.contains("9812345678"), "{fetch}");
    }

    #[test]
    fn what_stands_beside_an_input_is_a_field_of_one_operation() {
        let unknown = LICENCE.replace("dateOfBirth", "dateOfBrith");
        let mistake = own(&unknown).expect_err("no such field");
        assert!(mistake.contains("did you mean `dateOfBirth`"), "{mistake}");
        let one = "operation = \"verify.identity.dl\"\nfield = \"dlNumber\"";
        let many = LICENCE.replacen(one, "format = \"dl-number\"", 1);
        let mistake = own(&many).expect_err("of many operations");
        assert!(
            mistake.contains("only be said of one `operation`"),
            "{mistake}"
        );
    }
}
