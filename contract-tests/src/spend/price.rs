//! What a call can cost at most, by a provider's list or the contract's rows. Knows prices, not what was spent.

use svc_fixtures::contract::{Bundle, BundleMode, Contract, Environment, Operation, Paise};

use crate::capture::{Channel, Credential};
use crate::plan::{Case, Ending, Rule, Setting, Step, VERIFICATIONS};

/// How much more than by the rows a single operation costs at a provider, presumably at most. The specification
/// gives no such price, and its bundles' lie at most this far apart.
const PLAUSIBLE: i64 = 2;

/// What a call can cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Price {
    /// Nothing.
    Free,
    /// Just that, or nothing: a list of the provider says so.
    Listed(Paise),
    /// That at most, by the rulings.
    AtMost(Paise),
    /// Nobody said it; that at most, presumably.
    Presumed(Paise),
}

impl Price {
    /// The highest price.
    #[must_use]
    pub fn most(self) -> Paise {
        match self {
            Price::Free => Paise::ZERO,
            Price::Listed(most) | Price::AtMost(most) | Price::Presumed(most) => most,
        }
    }
}

/// One call, as the guard looks at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PricedCall {
    /// What it is, for the journal.
    pub what: String,
    /// Where it is sent.
    pub environment: Environment,
    /// What it is called by: the prices of calls with one path are alike.
    pub path: String,
    /// What it can cost.
    pub price: Price,
    /// What a call of this path can cost that is executed, though this one must be refused.
    pub executed: Paise,
    /// Whether its answer may be the stored one of another call, with that call's `billing`.
    pub looks_up: bool,
    /// Whether it is by a key that may be another account's, with a wallet of its own.
    pub elsewhere: bool,
}

impl PricedCall {
    /// A step of a case.
    #[must_use]
    pub fn of(setting: &Setting<'_>, environment: Environment, step: &Step, what: String) -> Self {
        let executed = if_executed(setting, environment, step);
        PricedCall {
            what,
            environment: step.request.environment.unwrap_or(environment),
            path: step.request.path.clone(),
            price: price(setting, environment, step),
            executed: executed.most(),
            looks_up: step.request.path.starts_with(VERIFICATIONS),
            elsewhere: matches!(step.request.credential, Credential::Given(_)),
        }
    }

    /// What it can cost at most.
    #[must_use]
    pub fn most(&self) -> Paise {
        self.price.most()
    }
}

/// What a step can cost. Nothing on the sandbox, for what reads, and for what the step itself says must be
/// refused before anything is executed. Else what the provider's list says; without it by the rulings the
/// price of its row, of a bundle the sum of its steps; and by the specification alone nothing sure: of a bundle
/// presumably the highest typical price, of an operation twice its row's. A path without a row costs as much as the dearest.
#[must_use]
pub fn price(setting: &Setting<'_>, environment: Environment, step: &Step) -> Price {
    match must_be_refused(setting, step) {
        true => Price::Free,
        false => if_executed(setting, environment, step),
    }
}

/// What a step can cost at most.
#[must_use]
pub fn most(setting: &Setting<'_>, environment: Environment, step: &Step) -> Paise {
    price(setting, environment, step).most()
}

/// What all steps of a case can cost at most.
#[must_use]
pub fn most_of_case(setting: &Setting<'_>, case: &Case) -> Paise {
    let steps = case.steps.iter();
    steps
        .map(|step| most(setting, case.environment, step))
        .sum()
}

fn if_executed(setting: &Setting<'_>, environment: Environment, step: &Step) -> Price {
    let reads = ["GET", "HEAD", "OPTIONS"].contains(&step.request.method.as_str());
    let aside = step.request.channel != Channel::Api;
    let environment = step.request.environment.unwrap_or(environment);
    if environment == Environment::Test || reads || aside {
        return Price::Free;
    }
    let contract = setting.contract;
    of_path(setting, &step.request.path).unwrap_or_else(|| match setting.by_rulings() {
        true => Price::AtMost(dearest(contract)),
        false => Price::Presumed(dearest(contract)),
    })
}

/// Whether a step's own expectation is that nothing is executed: an error that is no outcome, where that is asked here.
/// An identifier that is carried from elsewhere may be one of which there is no record, and that is charged.
fn must_be_refused(setting: &Setting<'_>, step: &Step) -> bool {
    let mut asked = step.expect.iter().filter(|it| setting.covers(&it.clause));
    asked.any(|expected| match expected.rule {
        Rule::Ends(Ending::Error(code)) => !setting.contract.error(code).outcome,
        Rule::Ends(Ending::Refused(..) | Ending::Malformed | Ending::Unauthorized) => true,
        Rule::Ends(Ending::Rejected) => step.request.carries.is_empty(),
        _ => false,
    })
}

fn of_path(setting: &Setting<'_>, path: &str) -> Option<Price> {
    let (contract, list) = (setting.contract, &setting.prices);
    if let Some(at) = contract.bundle_at(path) {
        let bundle = &contract.bundles[at];
        return Some(match list.bundle(&bundle.slug) {
            Some(listed) => Price::Listed(listed),
            None if setting.by_rulings() => Price::AtMost(of_bundle(contract, bundle)),
            None => Price::Presumed(bundle.typical_price.1),
        });
    }
    let called = |operation: &&Operation| match operation.path.strip_suffix('*') {
        None => operation.path == path,
        Some(before) => path.starts_with(before),
    };
    let operation = contract.operations.iter().find(called)?;
    Some(match list.operation(&operation.id) {
        Some(listed) => Price::Listed(listed),
        None if setting.by_rulings() => Price::AtMost(operation.price),
        None => Price::Presumed(Paise(operation.price.0 * PLAUSIBLE)),
    })
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
    use crate::plan::{Carry, Case, Ending, Place, RequestTemplate};
    use crate::prices::PriceList;
    use svc_fixtures::contract::ErrorCode;
    use svc_fixtures::json::Json;
    use svc_fixtures::reading::Source;

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

    fn setting(contract: &Contract) -> Setting<'_> {
        Setting::new(contract, Vec::new(), "seed")
    }

    #[test]
    fn by_the_rulings_a_live_call_can_cost_its_row_and_a_bundle_its_full_sum() {
        let contract = Contract::built_in();
        let setting = setting(&contract).everything();
        let live = |request| most(&setting, Environment::Live, &step(request, None));
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
    fn by_the_specification_only_a_list_says_what_an_operation_costs() {
        let contract = Contract::built_in();
        let mut setting = setting(&contract);
        let (operation, bundle) = (&contract.operations[0], &contract.bundles[0]);
        let prices = |setting: &Setting<'_>| {
            let live = |request| price(setting, Environment::Live, &step(request, None));
            let one = live(RequestTemplate::post(operation, Json::Object(Vec::new())));
            (one, live(post(&format!("/v1/bundles/{}", bundle.slug))))
        };
        let presumed = Price::Presumed(Paise(2 * operation.price.0));
        let typical = Price::Presumed(bundle.typical_price.1);
        assert_eq!(prices(&setting), (presumed, typical));
        let text = format!("\"{}\" = 7\nbundles.{} = 70", operation.id, bundle.slug);
        let list = PriceList::read(&contract, &Source::new("prices.toml", text));
        setting.prices = list.expect("it reads");
        let listed = (Price::Listed(Paise(700)), Price::Listed(Paise(7000)));
        assert_eq!(prices(&setting), listed);
    }

    #[test]
    fn a_path_without_a_row_can_cost_as_much_as_the_dearest() {
        let contract = Contract::built_in();
        let found = most(
            &setting(&contract),
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
        let setting = setting(&contract);
        let price = |environment, request, ends| most(&setting, environment, &step(request, ends));
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
        let rejected = Some(Ending::Rejected);
        assert_eq!(price(live, call(), rejected), Paise::ZERO);
        let carried = Carry::into_field(0, Place::of(["verificationId"]), "id");
        let carried = call().carrying(vec![carried]);
        assert!(price(live, carried, rejected) > Paise::ZERO);
    }

    #[test]
    fn what_only_a_ruling_refuses_can_cost_its_price_at_others() {
        let contract = Contract::built_in();
        let call = RequestTemplate::post(&contract.operations[0], Json::Object(Vec::new()));
        let mut step = step(call, Some(Ending::Error(ErrorCode::InvalidInput)));
        step.expect[0].clause = "ruling.14-accounts-are-apart".to_owned();
        let setting = setting(&contract);
        let cost = |setting: &Setting<'_>| most(setting, Environment::Live, &step);
        assert!(cost(&setting) > Paise::ZERO);
        assert_eq!(cost(&setting.everything()), Paise::ZERO);
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
            let setting = setting(&contract).everything();
            let found = most(&setting, Environment::Live, &step);
            assert_eq!(found, operation.price, "{code}");
        }
    }
}
