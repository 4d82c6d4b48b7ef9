//! The files of `deploy/`, and `compose.yaml`, are what they say, and what stands in them is known to the program.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use svc_test_support::ended;
use yaml_rust2::{Yaml, YamlLoader};

use super::WORKS;

fn read(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect(WORKS);
    let folder = match name {
        "compose.yaml" => root.to_owned(),
        _ => root.join("deploy"),
    };
    let path = folder.join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What `serve --help` knows: flags and variables.
fn known() -> BTreeSet<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_svc-simulator"));
    let (code, help, _) = ended(command.args(["serve", "--help"]).env_clear());
    assert_eq!(code, Some(0));
    named(&help)
}

/// Every flag and every variable of the program's in a text.
fn named(text: &str) -> BTreeSet<String> {
    let words = text.split(|char: char| !(char.is_ascii_alphanumeric() || "-_".contains(char)));
    let is_named = |word: &&str| word.starts_with("SVC_SIMULATOR_") || word.starts_with("--");
    let words = words
        .filter(is_named)
        .map(|word| word.trim_end_matches('-').to_owned());
    words.filter(|word| !word.is_empty()).collect()
}

/// All of what a file names but what its comments show of other programs.
fn settings_of(name: &str) -> BTreeSet<String> {
    let text = read(name);
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'));
    named(&lines.collect::<Vec<_>>().join("\n"))
}

fn documents(name: &str) -> Vec<Yaml> {
    YamlLoader::load_from_str(&read(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn every_flag_and_variable_is_one_that_serve_knows() {
    let known = known();
    for (name, at_least) in [
        ("compose.yaml", 10),
        ("kubernetes.yaml", 10),
        ("svc-simulator.service", 6),
    ] {
        let settings = settings_of(name);
        assert!(settings.len() >= at_least, "{name}: {settings:?}");
        let unknown: Vec<_> = settings.difference(&known).collect();
        assert!(unknown.is_empty(), "{name}: {unknown:?}");
    }
}

#[test]
fn the_compose_file_runs_replicas_alike_behind_one_address() {
    let files = documents("compose.yaml");
    let services = &files[0]["services"];
    let [one, two] = ["simulator-1", "simulator-2"].map(|name| &services[name]);
    assert_eq!(one, two);
    let ports = ["CONSOLE", "SANDBOX", "LIVE"].map(|listener| {
        let variable = format!("SVC_SIMULATOR_{listener}");
        let address = one["environment"][variable.as_str()]
            .as_str()
            .expect("an address");
        address.rsplit(':').next().expect("a port").to_owned()
    });
    let nginx = read("nginx.conf");
    for port in &ports {
        for replica in ["simulator-1", "simulator-2"] {
            assert!(
                nginx.contains(&format!("server {replica}:{port} max_fails=0;")),
                "{replica} {port}"
            );
        }
    }
    for (listener, name) in [
        ("SANDBOX", "sandbox"),
        ("LIVE", "live"),
        ("CONSOLE", "console"),
    ] {
        let variable = format!("SVC_SIMULATOR_PUBLIC_{listener}_URL");
        let url = one["environment"][variable.as_str()]
            .as_str()
            .expect("a URL");
        let path = url
            .strip_prefix("http://localhost:8080")
            .expect("the proxy's address");
        let location = format!("location {path}/");
        let line = nginx.lines().find(|line| line.contains(&location));
        let line = line.unwrap_or_else(|| panic!("no {location}"));
        assert!(
            line.contains(&format!("proxy_pass http://{name}/;")),
            "{line}"
        );
    }
    assert!(nginx.contains("listen 8080;"));
}

#[test]
fn the_compose_file_starts_each_service_when_what_it_needs_is_healthy() {
    let files = documents("compose.yaml");
    let services = files[0]["services"].as_hash().expect("services");
    let mut waits = 0;
    for (name, service) in services {
        assert!(service["healthcheck"]["test"].is_array(), "{name:?}");
        for (needed, how) in service["depends_on"].as_hash().into_iter().flatten() {
            assert!(services.contains_key(needed), "{name:?}: {needed:?}");
            let condition = how["condition"].as_str();
            assert_eq!(condition, Some("service_healthy"), "{name:?}: {needed:?}");
            waits += 1;
        }
    }
    assert_eq!(waits, 5);
    let [one, sample] = ["simulator-1", "onboarding"].map(|name| &files[0]["services"][name]);
    let check = one["healthcheck"]["test"].as_vec().expect("a command");
    let check: Vec<_> = check.iter().filter_map(Yaml::as_str).collect();
    assert_eq!(
        check,
        ["CMD", "/usr/local/bin/svc-simulator", "healthcheck"]
    );
    // The sample application is an account of the scenario folder, and where its webhooks go.
    let accounts = read("scenarios/accounts.toml");
    let set = |name: &str| sample["environment"][name].as_str().expect("a text");
    let id = set("SVC_API_KEY").strip_prefix("svc_test_");
    let id = id.expect("a key of the sandbox");
    assert!(accounts.contains(&format!("id = \"{id}\"")), "{accounts}");
    let secret = format!("secret = \"{}\"", set("SVC_WEBHOOK_SECRET"));
    assert!(accounts.contains(&secret), "{accounts}");
    let port = set("ADDRESS").rsplit(':').next().expect("a port");
    assert!(
        accounts.contains(&format!("http://onboarding:{port}/")),
        "{accounts}"
    );
}

#[test]
fn the_manifest_asks_the_probes_that_there_are() {
    let files = documents("kubernetes.yaml");
    let kinds: Vec<_> = files
        .iter()
        .map(|file| file["kind"].as_str().expect("a kind"))
        .collect();
    assert_eq!(kinds, ["Deployment", "Service", "PodDisruptionBudget"]);
    let container = &files[0]["spec"]["template"]["spec"]["containers"][0];
    for (probe, path) in [
        ("readinessProbe", "/control/ready"),
        ("livenessProbe", "/control/health"),
    ] {
        let asked = &container[probe]["httpGet"];
        assert_eq!(
            (asked["path"].as_str(), asked["port"].as_str()),
            (Some(path), Some("console"))
        );
    }
    let ports = container["ports"].as_vec().expect("a list");
    let variables = container["env"].as_vec().expect("a list");
    for port in ports {
        let name = port["name"].as_str().expect("a name");
        let variable = format!("SVC_SIMULATOR_{}", name.to_uppercase());
        let set = variables
            .iter()
            .find(|it| it["name"].as_str() == Some(&*variable));
        let address = set
            .and_then(|set| set["value"].as_str())
            .expect("an address");
        let number = port["containerPort"].as_i64().expect("a number");
        assert!(address.ends_with(&format!(":{number}")), "{name}");
    }
}

#[test]
fn the_unit_starts_serve_and_is_given_time_to_stop() {
    let unit = read("svc-simulator.service");
    let sections: Vec<_> = unit.lines().filter(|line| line.starts_with('[')).collect();
    assert_eq!(sections, ["[Unit]", "[Service]", "[Install]"]);
    let joined = unit.replace("\\\n", " ");
    let settings = joined
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with(['#', '[']));
    for line in settings.clone() {
        let (name, value) = line.split_once('=').unwrap_or_else(|| panic!("{line}"));
        assert!(
            name.bytes().all(|byte| byte.is_ascii_alphabetic()) && !value.is_empty(),
            "{line}"
        );
    }
    let start = settings
        .clone()
        .find_map(|line| line.strip_prefix("ExecStart="));
    assert!(
        start
            .expect("a start")
            .starts_with("/usr/local/bin/svc-simulator serve ")
    );
    let stop = settings
        .clone()
        .find_map(|line| line.strip_prefix("TimeoutStopSec="));
    let stop: u64 = stop.and_then(|stop| stop.parse().ok()).expect("seconds");
    assert!(
        stop > 11,
        "the drain deadline is ten seconds, and a second follows"
    );
}
