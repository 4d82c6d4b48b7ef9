//! What can be called and what a conclusive live answer of it costs: the contract's rows, with the prices of a list over them.

use svc_capture::prices::PriceList;
use svc_fixtures::contract::{
    Bundle, BundleMode, Contract, Environment, LatencyRange, Operation, Paise,
};
use svc_fixtures::json::Json;

/// Everything that can be called, with its price.
#[derive(Debug)]
pub struct Tariff<'c> {
    /// The contract.
    pub contract: &'c Contract,
    /// Every operation, then every bundle, in the order of the contract.
    pub endpoints: Vec<PricedEndpoint<'c>>,
}

/// Which of [`Tariff::endpoints`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EndpointIndex(usize);

/// One operation or bundle with its price.
#[derive(Debug)]
pub struct PricedEndpoint<'c> {
    /// The dotted name.
    pub name: String,
    /// What it is, for people.
    pub title: &'c str,
    /// What it is by the contract.
    pub row: EndpointRow<'c>,
    /// What it costs; of a bundle that runs one of its steps the dearest of them.
    pub price: Paise,
    /// What one that chooses costs by the chosen value.
    chosen: Vec<(&'c str, Paise)>,
    /// Whether a list of prices says so, and not the contract.
    pub is_listed: bool,
}

/// An operation or a bundle.
#[derive(Debug, Clone, Copy)]
pub enum EndpointRow<'c> {
    /// An operation.
    Operation(&'c Operation),
    /// A bundle.
    Bundle(&'c Bundle),
}

impl<'c> Tariff<'c> {
    /// The rows of the contract, with the prices of this list over theirs.
    #[must_use]
    pub fn new(contract: &'c Contract, prices: &PriceList) -> Self {
        let operations = contract.operations.iter().map(|row| PricedEndpoint {
            name: row.id.clone(),
            title: &row.title,
            row: EndpointRow::Operation(row),
            price: prices.operation(&row.id).unwrap_or(row.price),
            chosen: Vec::new(),
            is_listed: prices.operation(&row.id).is_some(),
        });
        let step = |id: &str| {
            let row = contract.operation(id).map_or(Paise::ZERO, |row| row.price);
            prices.operation(id).unwrap_or(row)
        };
        let bundles = contract.bundles.iter().map(|row| {
            let listed = prices.bundle(&row.slug);
            let chosen = match &row.mode {
                BundleMode::Choice { options, .. } if listed.is_none() => {
                    let options = options.iter();
                    let option = |(value, id): &'c (String, String)| (value.as_str(), step(id));
                    options.map(option).collect()
                }
                _ => Vec::new(),
            };
            let dearest = chosen.iter().map(|(_, price)| *price).max();
            let sum = || row.steps.iter().map(|id| step(id)).sum();
            PricedEndpoint {
                name: format!("bundles.{}", row.slug),
                title: &row.title,
                row: EndpointRow::Bundle(row),
                price: listed.or(dearest).unwrap_or_else(sum),
                chosen,
                is_listed: listed.is_some()
                    || row.steps.iter().any(|id| prices.operation(id).is_some()),
            }
        });
        Tariff {
            contract,
            endpoints: operations.chain(bundles).collect(),
        }
    }

    /// The endpoint at a place.
    #[must_use]
    pub fn endpoint(&self, EndpointIndex(at): EndpointIndex) -> &PricedEndpoint<'c> {
        &self.endpoints[at]
    }

    /// The endpoint of this dotted name, path or URL.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<EndpointIndex> {
        let path = name.find("/v1/").map(|at| &name[at..]);
        let path = path.map(|path| path.split(['?', '#']).next().unwrap_or(path));
        let is_it = |endpoint: &PricedEndpoint<'_>| match path {
            Some(path) => endpoint.is_at(path),
            None => endpoint.name == name,
        };
        self.endpoints.iter().position(is_it).map(EndpointIndex)
    }

    /// The endpoint of an operation.
    #[must_use]
    pub fn operation(&self, id: &str) -> Option<EndpointIndex> {
        self.find(id)
    }

    /// Every dotted name.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.endpoints.iter().map(|endpoint| endpoint.name.as_str())
    }
}

impl PricedEndpoint<'_> {
    fn is_at(&self, path: &str) -> bool {
        match self.row {
            EndpointRow::Bundle(row) => row.path == path,
            EndpointRow::Operation(row) => match row.path.strip_suffix('*') {
                None => row.path == path,
                Some(before) => path
                    .strip_prefix(before)
                    .is_some_and(|rest| !rest.is_empty() && !rest.contains('/')),
            },
        }
    }

    /// What a call of this body costs.
    #[must_use]
    pub fn price_of(&self, body: Option<&Json<'_>>) -> Paise {
        let EndpointRow::Bundle(Bundle {
            mode: BundleMode::Choice { field, .. },
            ..
        }) = self.row
        else {
            return self.price;
        };
        let value = body.and_then(|body| body.get(field)?.as_text());
        let mut chosen = self.chosen.iter();
        let found = chosen.find(|(name, _)| Some(*name) == value);
        found.map_or(self.price, |(_, price)| *price)
    }

    /// The operation, where it is one.
    #[must_use]
    pub fn as_operation(&self) -> Option<&Operation> {
        match self.row {
            EndpointRow::Operation(row) => Some(row),
            EndpointRow::Bundle(_) => None,
        }
    }

    /// The bundle, where it is one.
    #[must_use]
    pub fn as_bundle(&self) -> Option<&Bundle> {
        match self.row {
            EndpointRow::Bundle(row) => Some(row),
            EndpointRow::Operation(_) => None,
        }
    }

    /// How long an answer typically takes, as it is documented.
    #[must_use]
    pub fn latency(&self, environment: Environment) -> LatencyRange {
        match self.row {
            EndpointRow::Operation(row) => row.latency_of(environment, false),
            EndpointRow::Bundle(row) => row.typical_latency,
        }
    }
}

#[cfg(test)]
mod tests {
    use svc_fixtures::reading::Source;

    use super::*;

    fn price(list: &str, name: &str) -> Option<String> {
        let contract = Contract::built_in();
        let prices = match list {
            "" => PriceList::default(),
            text => PriceList::read(&contract, &Source::new("prices", text)).expect("a list"),
        };
        let tariff = Tariff::new(&contract, &prices);
        let endpoint = tariff.endpoint(tariff.find(name)?);
        let listed = if endpoint.is_listed { " listed" } else { "" };
        Some(format!("{}: {}{listed}", endpoint.name, endpoint.price))
    }

    #[test]
    fn an_endpoint_is_found_by_its_name_its_path_and_its_url() {
        let pan = Some("verify.identity.pan: 2.5".to_owned());
        assert_eq!(price("", "verify.identity.pan"), pan);
        assert_eq!(price("", "/v1/verify/identity/pan"), pan);
        assert_eq!(
            price("", "https://a.example/x/v1/verify/identity/pan?a=b"),
            pan
        );
        assert_eq!(price("", "/v1/verify/identity/pan/"), None);
        assert_eq!(price("", "verify.identity"), None);
        let consent = Some("verify.document.digilocker: 12".to_owned());
        assert_eq!(price("", "/v1/verify/document/digilocker/begin"), consent);
        assert_eq!(price("", "/v1/verify/document/digilocker/"), None);
        let bundle = Some("bundles.fraud-check: 20".to_owned());
        assert_eq!(price("", "/v1/bundles/fraud-check"), bundle);
        assert_eq!(price("", "bundles.fraud-check"), bundle);
    }

    #[test]
    fn a_list_of_prices_counts_before_the_contract_and_a_bundle_costs_its_steps() {
        let list = "\"screen.mobile-mnrl\" = 7\n";
        let listed = |name| price(list, name).expect("it is there");
        assert_eq!(listed("screen.mobile-mnrl"), "screen.mobile-mnrl: 7 listed");
        assert_eq!(
            listed("bundles.fraud-check"),
            "bundles.fraud-check: 25 listed"
        );
        assert_eq!(listed("verify.identity.pan"), "verify.identity.pan: 2.5");
        let both = format!("{list}\"bundles.fraud-check\" = 1\n");
        let both = price(&both, "bundles.fraud-check");
        assert_eq!(both.as_deref(), Some("bundles.fraud-check: 1 listed"));
    }

    #[test]
    fn a_bundle_that_chooses_costs_what_it_runs_and_the_dearest_where_that_is_not_known() {
        let contract = Contract::built_in();
        let tariff = Tariff::new(&contract, &PriceList::default());
        let router = tariff
            .find("bundles.professional-router")
            .expect("it is there");
        let price = |body: &str| {
            let body = Json::parse(body.as_bytes()).expect("JSON");
            tariff.endpoint(router).price_of(Some(&body))
        };
        assert_eq!(price(r#"{"body_type":"CA"}"#), Paise(1800));
        assert_eq!(price(r#"{"body_type":"CMA"}"#), Paise(2000));
        assert_eq!(price("{}"), Paise(2000));
        assert_eq!(tariff.endpoint(router).price_of(None), Paise(2000));
    }
}
