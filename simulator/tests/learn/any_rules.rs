//! For any small set of rules: what a service that has them answers is learned, and answered alike.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::recorder::{Service, learned};

const PANS: [&str; 4] = ["CKZPI4821L", "BNZPN2501F", "ABCPE1234F", "FNVPM5946D"];
const VEHICLES: [&str; 3] = ["MH12AB4411", "MH12AB4412", "KA05CD7788"];

/// What happens, as a rule says it.
fn outcome() -> impl Strategy<Value = String> {
    let plain = prop_oneof![
        Just("{ error = \"SVC_NO_RECORD_FOUND\" }".to_owned()),
        Just("{ error = \"SVC_SOURCE_TIMEOUT\" }".to_owned()),
        Just(
            "{ error = \"SVC_PROVIDER_ERROR\", message = \"The register is closed.\" }".to_owned()
        ),
        Just("{ success = {} }".to_owned()),
        Just("{ success = { CHANGE } }".to_owned()),
        Just("{ success = { CHANGE }, provider = \"north\" }".to_owned()),
        Just("{ success = {}, delay = \"20s\" }".to_owned()),
    ];
    let several = proptest::collection::vec(plain.clone(), 2..4);
    prop_oneof![3 => plain, 1 => several.prop_map(|all| format!("[{}]", all.join(", ")))]
}

/// A rule: of which operation, for which of its inputs, what happens.
fn rule() -> impl Strategy<Value = (bool, usize, bool, String)> {
    (any::<bool>(), 0..4_usize, any::<bool>(), outcome())
}

fn written(number: usize, (of_people, whom, alike, then): &(bool, usize, bool, String)) -> String {
    let (operation, field, text, part, change) = match of_people {
        true => (
            "verify.identity.pan",
            "pan",
            PANS[whom % PANS.len()],
            3,
            "panStatus = \"INOPERATIVE\"",
        ),
        false => (
            "verify.utility.fastag",
            "vehicleNumber",
            VEHICLES[whom % VEHICLES.len()],
            4,
            "tagStatus = \"HOTLISTED\"",
        ),
    };
    let test = match alike {
        true => format!("{{ starts_with = \"{}\" }}", &text[..part]),
        false => format!("\"{text}\""),
    };
    let then = then.replace("CHANGE", change);
    format!(
        "[[scenario]]\nname = \"rule {number}\"\noperation = \"{operation}\"\nwhen = {{ {field} = {test} }}\nthen = {then}\n\n"
    )
}

#[test]
fn whatever_a_service_does_is_learned() {
    let config = Config {
        cases: 24,
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner =
        TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let sets = proptest::collection::vec(rule(), 1..4);
    let found = runner.run(&sets, |rules| {
        let file: String = rules
            .iter()
            .enumerate()
            .map(|(number, rule)| written(number, rule))
            .collect();
        let pans = PANS
            .iter()
            .map(|pan| ("verify.identity.pan", format!(r#"{{"pan":"{pan}"}}"#)));
        let vehicles = VEHICLES.iter().map(|it| {
            (
                "verify.utility.fastag",
                format!(r#"{{"vehicleNumber":"{it}"}}"#),
            )
        });
        let once: Vec<_> = pans.chain(vehicles).collect();
        let calls: Vec<_> = once.iter().cycle().take(once.len() * 4).cloned().collect();
        let capture = Service::new("any", &file).record(&calls);
        let learned = learned(&capture);
        let differences = &learned.fidelity.differences;
        prop_assert!(
            differences.is_empty(),
            "{file}\n{:#?}\n{}",
            differences,
            learned.text.unwrap_or_default()
        );
        Ok(())
    });
    found.unwrap_or_else(|error| panic!("{error}"));
}
