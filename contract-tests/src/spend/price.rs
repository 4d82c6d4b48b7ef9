//! What a call can cost at most by the contract's rows. Knows prices, not what was spent.

use svc_fixtures::contract::{Bundle, BundleMode, Contract, Environment, Operation, Paise};

use crate::plan::{Ending, Rule, Step, VERIFICATIONS};

/// Where bundles are called.
const BUNDLES: &str = "/v1/bundles/";

/// One call, as the guard looks at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PricedCall {
    /// What it is, for the journal.
    pub what: String,
    /// Where it is sent.
    pub environment: Environment,
    /// What it can cost at most.
    pub most: Paise,
    /// Whether its answer may be the stored one of another call, with that call's `billing`.
    pub looks_up: bool,
}

impl PricedCall {
    /// A step of a case.
    #[must_use]
    pub fn of(contract: &Contract, environment: Environment, step: &Step, what: String) -> Self {
        PricedCall {
            what,
            environment,
            most: most(contract, environment, step),
            looks_up: step.request.path.starts_with(VERIFICATIONS),
        }
    }
}

/// What a step can cost at most: the price of its row, of a bundle the full sum. Nothing on the
/// sandbox, for what reads, and for what the step itself says must be refused before anything is
/// executed. A path without a row costs as much as the dearest row, unless it must be refused.
#[must_use]
pub fn most(contract: &Contract, environment: Environment, step: &Step) -> Paise {
    let reads = ["GET", "HEAD", "OPTIONS"].contains(&step.request.method.as_str());
    if environment == Environment::Test || reads || must_be_refused(contract, step) {
        return Paise::ZERO;
    }
    of_path(contract, &step.request.path).unwrap_or_else(|| dearest(contract))
}

/// Whether a step's own expectation is that nothing is executed: an error that is no outcome.
#[must_use]
pub(crate) fn must_be_refused(contract: &Contract, step: &Step) -> bool {
    step.expect.iter().any(|expected| match expected.rule {
        Rule::Ends(Ending::Error(code)) => !contract.error(code).outcome,
        Rule::Ends(
            Ending::Refused(..) | Ending::Malformed | Ending::Unauthorized | Ending::Rejected,
        ) => true,
        _ => false,
    })
}

fn of_path(contract: &Contract, path: &str) -> Option<Paise> {
    if let Some(slug) = path.strip_prefix(BUNDLES) {
        let bundle = contract.bundles.iter().find(|bundle| bundle.slug == slug)?;
        return Some(of_bundle(contract, bundle));
    }
    let called = |operation: &&Operation| match operation.path.strip_suffix('*') {
        None => operation.path == path,
        Some(before) => path.starts_with(before),
    };
    let operation = contract.operations.iter().find(called)?;
    Some(operation.price)
}

/// All steps; where only one of them is run, the dearest.
fn of_bundle(contract: &Contract, bundle: &Bundle) -> Paise {
    let steps = bundle.steps.iter().filter_map(|id| contract.operation(id));
    let prices = steps.map(|operation| operation.price);
    match bundle.mode {
        BundleMode::Choice { .. } => prices.max().unwrap_or_default(),
        BundleMode::Sequence | BundleMode::Parallel | BundleMode::TwoCalls => prices.sum(),
    }
}

fn dearest(contract: &Contract) -> Paise {
    let operations = contract.operations.iter().map(|operation| operation.price);
    let bundles = contract
        .bundles
        .iter()
        .map(|bundle| of_bundle(contract, bundle));
    operations.chain(bundles).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Case, Ending, RequestTemplate};
    use svc_fixtures::contract::ErrorCode;
    use svc_fixtures::json::Json;

    fn step(request: RequestTemplate, ends: Option<Ending>) -> Step {
        let mut case = Case::new("a case");
        let at = case.push(request);
        if let Some(ending) = ends {
            case.expect(at, "a.clause", Rule::Ends(ending));
        }
        case.steps.remove(at)
    }

    fn post(path: &str) -> RequestTemplate {
        RequestTemplate {
            method: "POST".to_owned(),
            ..RequestTemplate::get(path)
        }
    }

    #[test]
    fn a_live_call_can_cost_its_row_and_a_bundle_its_full_sum() {
        let contract = Contract::built_in();
        let live = |request| most(&contract, Environment::Live, &step(request, None));
        for operation in &contract.operations {
            assert_eq!(
                live(RequestTemplate::post(operation, Json::Object(Vec::new()))),
                operation.price
            );
        }
        for bundle in &contract.bundles {
            let (low, high) = bundle.typical_price;
            let sum = live(post(&format!("/v1/bundles/{}", bundle.slug)));
            assert!(low <= sum && sum <= high, "{}: {sum}", bundle.slug);
        }
    }

    #[test]
    fn a_path_without_a_row_can_cost_as_much_as_the_dearest() {
        let contract = Contract::built_in();
        let found = most(
            &contract,
            Environment::Live,
            &step(post("/v1/not/there"), None),
        );
        assert_eq!(found, dearest(&contract));
        assert!(found > Paise::ZERO);
    }

    #[test]
    fn what_must_be_refused_or_only_reads_or_is_on_the_sandbox_costs_nothing() {
        let contract = Contract::built_in();
        let operation = &contract.operations[0];
        let price = |environment, request, ends| most(&contract, environment, &step(request, ends));
        let call = || RequestTemplate::post(operation, Json::Object(Vec::new()));
        let live = Environment::Live;
        let refused = Some(Ending::Error(ErrorCode::InvalidInput));
        assert_eq!(price(live, call(), refused), Paise::ZERO);
        let method = Some(Ending::Refused(405, ErrorCode::InvalidInput));
        assert_eq!(price(live, call(), method), Paise::ZERO);
        assert_eq!(
            price(live, RequestTemplate::get("/v1/usage"), None),
            Paise::ZERO
        );
        assert_eq!(price(Environment::Test, call(), None), Paise::ZERO);
    }

    #[test]
    fn what_only_fails_when_it_is_executed_can_cost_its_price() {
        let contract = Contract::built_in();
        let operation = &contract.operations[0];
        for code in [ErrorCode::SourceUnavailable, ErrorCode::NoRecordFound] {
            let step = step(
                RequestTemplate::post(operation, Json::Object(Vec::new())),
                Some(Ending::Error(code)),
            );
            let found = most(&contract, Environment::Live, &step);
            assert_eq!(found, operation.price, "{code}");
        }
    }
}
