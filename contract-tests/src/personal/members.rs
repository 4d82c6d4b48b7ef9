//! Which members hold personal data, by their names: what the contract's rows and `personal.toml` say.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Map, Value};
use svc_fixtures::contract::{Contract, Field, Kind, Leaf, Operation, Shape};

use svc_fixtures::json::Json;
use svc_fixtures::sample;

use crate::plan::inputs;
use crate::verdict::words;

/// Which members hold personal data.
#[derive(Debug, Clone)]
pub struct PersonalMembers {
    fields: BTreeSet<String>,
    list: WordList,
    /// The names that the contract knows, in requests and answers.
    known: BTreeSet<String>,
    /// Those of each operation, by its id: what one has may be anything in another.
    of_operations: BTreeMap<String, BTreeSet<String>>,
    /// What `data` of each operation has, by its id.
    data: BTreeMap<String, BTreeSet<String>>,
    /// The operations of each bundle, by what it is called.
    steps: BTreeMap<String, Vec<String>>,
    /// What operations and bundles are called: nobody has such a name.
    endpoints: BTreeSet<String>,
    /// The values that the contract lists: they tell of nobody.
    listed: BTreeSet<String>,
    /// The values that the contract's rows and the specification's inputs show: everybody can read them.
    public: BTreeSet<String>,
    sentinel: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct WordList {
    words: BTreeSet<String>,
    formats: BTreeSet<String>,
    except: BTreeSet<String>,
    described: BTreeSet<String>,
    numbers: BTreeSet<String>,
    free: BTreeSet<String>,
    wire: BTreeSet<String>,
}

impl PersonalMembers {
    /// What the rows of a contract and `personal.toml` say.
    ///
    /// # Panics
    /// Never: a test reads the built-in file.
    #[must_use]
    pub fn of(contract: &Contract) -> Self {
        let list: WordList =
            toml::from_str(include_str!("../../personal.toml")).expect("the built-in list reads");
        let carried: BTreeSet<&str> = contract
            .flows
            .iter()
            .flat_map(|flow| &flow.steps)
            .filter_map(|step| step.takes.as_deref())
            .collect();
        let mut fields = BTreeSet::new();
        for operation in &contract.operations {
            named(contract, &list, &operation.request, &mut fields);
        }
        // What the service made up to hold a flow together says nothing of a person.
        fields.retain(|name| !carried.contains(name.as_str()));
        let mut listed = BTreeSet::new();
        let mut names = |operation: &Operation| {
            let mut known = list.wire.clone();
            in_request(&operation.request, &mut known, &mut listed);
            in_answer(&operation.response, &mut known, &mut listed);
            if let Some(pending) = &operation.pending {
                known.extend(pending.data.iter().cloned());
            }
            (operation.id.clone(), known)
        };
        let of_operations: BTreeMap<_, _> = contract.operations.iter().map(&mut names).collect();
        let known = of_operations.values().flatten().cloned().collect();
        let states = ["completed", "pending", "failed", "test", "live"];
        listed.extend(states.map(str::to_owned));
        PersonalMembers {
            fields,
            list,
            known,
            data: contract.operations.iter().map(data).collect(),
            steps: contract
                .bundles
                .iter()
                .map(|row| (row.endpoint(), row.steps.clone()))
                .collect(),
            endpoints: endpoints(contract),
            of_operations,
            listed,
            public: public(contract),
            sentinel: contract.service.sentinel.text.clone(),
        }
    }

    /// The values that everybody can read in the documents.
    pub(super) fn public(&self) -> &BTreeSet<String> {
        &self.public
    }

    /// What stands for a source that is down in any identifier.
    pub(super) fn sentinel(&self) -> &str {
        &self.sentinel
    }

    /// Whether a member of that name holds personal data.
    #[must_use]
    pub fn is(&self, member: &str) -> bool {
        let word = |word: &String| self.list.words.contains(word);
        !self.list.except.contains(member)
            && (self.fields.contains(member) || words(member).iter().any(word))
    }

    /// Where texts stand that somebody wrote freely, as pointers into a body.
    pub(super) fn free(&self) -> impl Iterator<Item = &str> {
        self.list.free.iter().map(String::as_str)
    }

    /// Whether a number in a member of that name is personal, however short: the year of a day, a PIN.
    pub(super) fn is_number(&self, member: &str) -> bool {
        self.list.numbers.contains(member)
    }

    /// Whether texts directly in a member of that name are written about somebody.
    pub(super) fn is_described(&self, member: &str) -> bool {
        self.list.described.contains(member)
    }

    /// The names that an operation has, in requests and answers; those of all where it is none.
    pub(super) fn names_of(&self, operation: Option<&str>) -> &BTreeSet<String> {
        let own = operation.and_then(|id| self.of_operations.get(id));
        own.unwrap_or(&self.known)
    }

    /// The operations that a bundle asks; none where it is no bundle.
    pub(super) fn steps_of(&self, endpoint: Option<&str>) -> &[String] {
        let steps = endpoint.and_then(|it| self.steps.get(it));
        steps.map_or(&[], Vec::as_slice)
    }

    /// The names of that step whose `data` an object is, wherever a bundle tells it: most of its members are that step's.
    pub(super) fn names_of_step(
        &self,
        steps: &[String],
        members: &Map<String, Value>,
    ) -> Option<&BTreeSet<String>> {
        let is_told = |id: &&String| {
            let own = self.data.get(*id);
            let own = own.map_or(0, |own| {
                members.keys().filter(|it| own.contains(*it)).count()
            });
            own >= FEWEST && own * 2 > members.len()
        };
        let step = steps.iter().find(is_told)?;
        self.of_operations.get(step)
    }

    /// Whether one of these names is a member's: the contract writes what is numbered as `checks[#]`.
    pub(super) fn knows(names: &BTreeSet<String>, member: &str) -> bool {
        let last = member.rsplit('.').next().unwrap_or(member);
        let numbered = member.split_once('[').map(|(list, _)| format!("{list}[#]"));
        [Some(member), Some(last), numbered.as_deref()]
            .into_iter()
            .flatten()
            .any(|name| names.contains(name))
    }

    /// Whether a value is what an operation or a bundle is called, which is in every answer of it.
    pub(super) fn is_endpoint(&self, text: &str) -> bool {
        self.endpoints.contains(text)
    }

    /// Whether a value is a word of the contract, which tells of nobody: replaced everywhere, it would be missed elsewhere.
    pub(super) fn is_vocabulary(&self, text: &str) -> bool {
        self.listed.contains(text) || self.known.contains(text) || self.is_endpoint(text)
    }
}

/// So many members that are a step's are no coincidence.
const FEWEST: usize = 3;

/// An operation's id, and the names of the members of its `data`.
fn data(operation: &Operation) -> (String, BTreeSet<String>) {
    let names = operation.response.member_names().map(str::to_owned);
    (operation.id.clone(), names.collect())
}

/// What operations and bundles are called, also as the specification's table of bundles does.
fn endpoints(contract: &Contract) -> BTreeSet<String> {
    let ids = contract.operations.iter().map(|row| row.id.as_str());
    let of_operation = |id: &str| {
        let short = id.strip_prefix("verify.").map(str::to_owned);
        short.into_iter().chain([id.to_owned()]).collect::<Vec<_>>()
    };
    let bundles = contract.bundles.iter();
    let bundles = bundles.flat_map(|row| [row.slug.clone(), row.endpoint()]);
    ids.flat_map(of_operation).chain(bundles).collect()
}

/// What the rows show of requests, and the inputs that the specification fixes.
fn public(contract: &Contract) -> BTreeSet<String> {
    let fields = contract.operations.iter().flat_map(|row| &row.request);
    let mut found = BTreeSet::new();
    for field in fields {
        texts(&sample::value(contract, field), &mut found);
    }
    for format in &contract.formats {
        found.insert(format.example.clone());
        found.extend(format.edges.iter().chain(&format.misses).cloned());
    }
    found.extend(inputs::built_in().into_iter().map(|input| input.value));
    found
}

/// Every text in a value.
pub(super) fn texts(json: &Json<'_>, into: &mut BTreeSet<String>) {
    match json {
        Json::Text(text) => {
            into.insert(text.to_string());
        }
        Json::List(items) => items.iter().for_each(|item| texts(item, into)),
        Json::Object(members) => members.iter().for_each(|(_, value)| texts(value, into)),
        _ => {}
    }
}

fn named(contract: &Contract, list: &WordList, fields: &[Field], out: &mut BTreeSet<String>) {
    for field in fields {
        let format = match &field.kind {
            Kind::Text { format, .. } => format.map(|index| contract.format(index).name.as_str()),
            _ => None,
        };
        let personal = format.is_some_and(|format| list.formats.contains(format));
        if field.identifies || field.folds || personal {
            out.insert(field.name.clone());
        }
        if let Kind::Object { fields } = &field.kind {
            named(contract, list, fields, out);
        }
    }
}

/// The names of a request, and the values that it lists.
fn in_request(fields: &[Field], known: &mut BTreeSet<String>, listed: &mut BTreeSet<String>) {
    for field in fields {
        known.insert(field.name.clone());
        match &field.kind {
            Kind::Text { one_of, .. } => listed.extend(one_of.iter().cloned()),
            Kind::Object { fields } => in_request(fields, known, listed),
            _ => {}
        }
    }
}

/// The names of an answer, and the values that it lists.
fn in_answer(shape: &Shape, known: &mut BTreeSet<String>, listed: &mut BTreeSet<String>) {
    match shape {
        Shape::Object(members) => {
            for member in members {
                known.insert(member.name.clone());
                in_answer(&member.shape, known, listed);
            }
        }
        Shape::List(item) => in_answer(item, known, listed),
        Shape::Leaf {
            leaf: Leaf::OneOf(values),
            ..
        } => listed.extend(values.iter().cloned()),
        Shape::Leaf { .. } | Shape::AnyObject => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use svc_fixtures::contract::Member;

    #[test]
    fn every_name_of_an_answer_is_decided() {
        fn texts(shape: &Shape, name: &str, out: &mut BTreeSet<String>) {
            match shape {
                Shape::Leaf {
                    leaf: Leaf::Text | Leaf::Date { .. } | Leaf::DataUri,
                    ..
                } => {
                    out.insert(name.to_owned());
                }
                Shape::List(item) => texts(item, name, out),
                Shape::Object(members) => {
                    let walk = |member: &Member| (member.name.clone(), member.shape.clone());
                    for (name, shape) in members.iter().map(walk) {
                        texts(&shape, &name, out);
                    }
                }
                Shape::Leaf { .. } | Shape::AnyObject => {}
            }
        }
        let contract = Contract::built_in();
        let personal = PersonalMembers::of(&contract);
        let mut all = BTreeSet::new();
        for operation in &contract.operations {
            texts(&operation.response, "", &mut all);
        }
        all.retain(|name| !personal.is(name));
        let open: Vec<_> = all.into_iter().collect();
        // A new member that is not personal is added here, any other to `personal.toml`.
        insta::assert_snapshot!(open.join(" "), @"State accountType activity activityDescription applicationReceivedOn appointmentDate asn assemblyNumber bank bankCode bankDetails.branch bankDetails.state bankName beginDate beneIFSC beneficiaryIfsc billAmount billDueDate billingType blacklistStatus branch branchName businessActivity cameraMake cameraModel caseType category centerJurisdiction chapter classOfCompany companyCategory companyStatus companySubcategory complianceRating connectionStatus connectionType constitution country countryCode court currentServiceProvider custIfsc dateOfCommencement dateOfFiling dateOfIncorporation dateOfRegistration designation details dinStatus docType dueDate endDate female filingDate financialYear from fuelType fuzzyLogicScore gpt gpt_raw iecIssueDate iecStatus ifsc_subcode incorporationDate industry isp issueDate issuer issuerBank lastAgmDate lastFilingDate lastPaidAmount lastPaidDate lastUpdated majorActivity male manufacturingMonthYear memberCategory memberSince message micr mobileNetworkOperator model month nationality nature natureOfBusiness netInvestmentInPme networkRegion nicCode openDate organizationType originalServiceProvider others panStatus parliamentaryNumber partNumber periodOfReturn provider qualityChecks[#] reason referenceId region registrar registrationDate relationType requestId request_id result returnType returnsFilingFrequency rtoCode scoreBand serialNumber software source state stateCode stateJurisdiction status status-code statusCode subSector subscriberStatus subsidyStatus summary swift_code tagStatus taxpayerType textmatch tier timestamp to total totalTurnover trackingId type typeOfApplication validUpto value variant variants_run vehicleClass vehicleClasses verification_id wdvPme");
    }

    #[test]
    fn an_exception_has_a_word_to_except_it_from() {
        let list = PersonalMembers::of(&Contract::built_in()).list;
        let idle: Vec<_> = list
            .except
            .iter()
            .filter(|name| words(name).iter().all(|word| !list.words.contains(word)))
            .collect();
        assert!(idle.is_empty(), "{idle:?}");
    }
}
