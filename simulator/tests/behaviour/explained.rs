//! What `explain` says is so: its winner is what the engine chooses, and its ways lead where they say.

use svc_fixtures::contract::{ErrorCode, Presence};
use svc_fixtures::reading::Source;
use svc_simulator::engine::call::request::Environment;
use svc_simulator::engine::call::rules::{Files, Rules};
use svc_simulator::engine::state::ids::Seed;
use svc_simulator::rehearsal::{
    CallSpec, CallTarget, Goal, Rehearsal, inspect, named_input, recipes,
};
use svc_simulator::scenario::{
    AccountConfig, Choice, MoreHeaders, accounts, find_account, read_accounts,
};

fn rules() -> Rules {
    let rules = Rules::read(&Files::built_in(), Seed::new(""));
    rules.unwrap_or_else(|problems| panic!("{problems}"))
}

fn read_all() -> (Vec<AccountConfig>, AccountConfig) {
    let all = read_accounts(&accounts()).unwrap_or_else(|problems| panic!("{problems}"));
    let local = find_account(&all, "local").expect("it is built in");
    (all, local)
}

/// What ends in the same way for every operation, whatever it is asked.
const EVERYWHERE: [ErrorCode; 12] = [
    ErrorCode::InvalidInput,
    ErrorCode::AuthInvalid,
    ErrorCode::KeyEnvironmentMismatch,
    ErrorCode::InsufficientBalance,
    ErrorCode::IpNotAllowed,
    ErrorCode::NoRecordFound,
    ErrorCode::RateLimited,
    ErrorCode::ProviderError,
    ErrorCode::SourceUnavailable,
    ErrorCode::SourceTimeout,
    ErrorCode::InternalError,
    ErrorCode::IdempotencyConflict,
];

#[test]
fn every_operation_has_a_way_to_every_outcome_that_leads_there() {
    let (rules, (all, local)) = (rules(), read_all());
    for (index, row) in rules.contract.indexed_operations() {
        for (outcome, recipe) in recipes(&rules, &all, &local, Environment::Test, index) {
            let needed = match outcome {
                Goal::Completed | Goal::Pending => true,
                Goal::Error(code) => EVERYWHERE.contains(&code),
            };
            assert!(
                recipe.is_some() || !needed,
                "{} {}",
                row.id,
                outcome.as_str()
            );
            let Some(recipe) = recipe else { continue };
            let account =
                find_account(&all, &recipe.calls[0].caller.account).expect("it is built in");
            let mut rehearsal = Rehearsal::new(&rules, account);
            let mut last = None;
            // What a later step carries is issued anew: the same account gets the same.
            let first = &recipe.calls[0];
            let body = rehearsal.body(first.caller.environment, index, &first.set);
            assert_eq!(body, first.body, "{}", row.id);
            for ask in &recipe.calls {
                let target = CallTarget::Operation(index);
                let spec = CallSpec::by(&ask.caller, &ask.key, target, &ask.body);
                last = (0..ask.times).map(|_| rehearsal.call(&spec)).last();
            }
            let observed = last.expect("a recipe has a call");
            assert_eq!(
                (observed.outcome(), observed.status),
                (outcome.as_str(), recipe.status),
                "{}",
                row.id
            );
        }
    }
}

#[test]
fn the_winner_is_what_the_engine_chooses_for_every_built_in_rule() {
    let (rules, (_, local)) = (rules(), read_all());
    let mut named = 0;
    for (number, scenario) in rules.scenarios.iter() {
        for &operation in &scenario.operations {
            let mut rehearsal = Rehearsal::new(&rules, local.clone());
            let sample = rehearsal.body(Environment::Test, operation, &[]);
            let Some((_, body)) = named_input(&rules, operation, number, &sample) else {
                continue;
            };
            let spec = CallSpec {
                environment: Environment::Test,
                key: &rehearsal.key(Environment::Test),
                target: CallTarget::Operation(operation),
                body: &body,
                idempotency_key: None,
                reference_id: None,
                headers: MoreHeaders::NONE,
            };
            let explanation = inspect(&rules, "local", &spec).expect("the input is valid");
            assert_eq!(explanation.choice, Choice::Scenario(number));
            assert!(!explanation.later.contains(&number));
            let observed = rehearsal.call(&spec);
            assert_eq!(
                observed.because,
                explanation.choice.because(&rules.scenarios, || None)
            );
            named += 1;
        }
    }
    assert!(named > 300, "{named}");
}

#[test]
fn a_rule_for_every_input_is_a_way_and_later_calls_are_counted() {
    let rule = "[[scenario]]\nname = \"down\"\noperation = \"verify.company.tan\"\n\
                then = [{ error = \"SVC_SOURCE_TIMEOUT\" }, { error = \"SVC_PROVIDER_ERROR\" }]\n";
    let mut files = Files::built_in();
    files.scenarios.insert(0, Source::new("team.toml", rule));
    let rules = Rules::read(&files, Seed::new("")).unwrap_or_else(|problems| panic!("{problems}"));
    let (all, local) = read_all();
    let operation = rules
        .contract
        .operation_index("verify.company.tan")
        .expect("it is a row");
    let recipes = recipes(&rules, &all, &local, Environment::Test, operation);
    let calls = |code| {
        let mut recipes = recipes
            .iter()
            .filter(|(outcome, _)| *outcome == Goal::Error(code));
        let recipe = recipes.next()?.1.as_ref()?;
        Some((recipe.calls[0].set.len(), recipe.calls[0].times))
    };
    assert_eq!(calls(ErrorCode::SourceTimeout), Some((0, 1)));
    assert_eq!(calls(ErrorCode::ProviderError), Some((0, 2)));
    // Nothing else is had any more: the rule comes before all others.
    assert_eq!(calls(ErrorCode::NoRecordFound), None);
    assert!(recipes[0].1.is_none());
}

#[test]
fn a_sample_needs_only_what_is_required() {
    let (rules, (_, local)) = (rules(), read_all());
    for (index, row) in rules.contract.indexed_operations() {
        let mut rehearsal = Rehearsal::new(&rules, local.clone());
        let body = rehearsal.body(Environment::Live, index, &[]);
        let required = row
            .request
            .iter()
            .filter(|it| it.presence == Presence::Required);
        for field in required {
            assert!(body.get(&field.name).is_some(), "{} {}", row.id, field.name);
        }
    }
}
