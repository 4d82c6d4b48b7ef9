//! The JSON Schema of `svc-simulator.toml`, made from the flags of `serve`: what the file may say is what they take. A
//! file it refuses is refused by the program, too, which knows more.

use clap::{Arg, ArgAction, Command};
use serde_json::{Map, Value, json};

/// The schema of the file that these settings may stand in.
pub(super) fn settings_schema(settings: &Command) -> Value {
    let mut properties = Map::new();
    // What has no variable is no setting: the flag that asks for help.
    for arg in settings
        .get_arguments()
        .filter(|arg| arg.get_env().is_some())
    {
        properties.insert(arg.get_id().to_string(), property(arg));
    }
    let not_both = |one: &str, other: &str| json!({ "not": { "required": [one, other] } });
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Settings of svc-simulator",
        "description": "svc-simulator.toml in the working directory of `svc-simulator serve`; flags and variables of the \
                        environment win over it.",
        "type": "object",
        "properties": properties,
        "allOf": [
            not_both("freeze_at", "clock"),
            not_both("freeze_at", "time_scale"),
            not_both("console_token", "console_token_file"),
        ],
        "additionalProperties": false,
    })
}

fn property(arg: &Arg) -> Value {
    let mut property = match arg.get_action() {
        ArgAction::SetTrue => json!({ "type": "boolean" }),
        ArgAction::Append => json!({ "type": "array", "items": value(arg) }),
        _ => value(arg),
    };
    let help = arg.get_help().map(ToString::to_string);
    property["description"] = json!(help.unwrap_or_default());
    if let [default] = arg.get_default_values() {
        let text = default.to_string_lossy();
        let number = text
            .parse::<u64>()
            .ok()
            .filter(|_| property["type"] == "integer");
        property["default"] = number.map_or_else(|| json!(text), |number| json!(number));
    }
    property
}

/// One value, by what the flag calls it.
fn value(arg: &Arg) -> Value {
    let words = arg.get_possible_values();
    if !words.is_empty() {
        let words: Vec<&str> = words.iter().map(|word| word.get_name()).collect();
        return json!({ "type": "string", "enum": words });
    }
    let names = arg.get_value_names().unwrap_or_default();
    let text = |pattern: &str| json!({ "type": "string", "pattern": pattern });
    match names.first().map(|name| name.as_str()) {
        Some("THREADS") => json!({ "type": "integer", "minimum": 1, "maximum": 1024 }),
        Some("COUNT") => json!({ "type": "integer", "minimum": 1, "maximum": 10_000_000 }),
        Some("FACTOR") => json!({ "type": "integer", "minimum": 1, "maximum": 86_400 }),
        Some("ADDRESS") => text("^.+:[0-9]{1,5}$"),
        Some("DURATION") => text("^[0-9]+(ms|s|m|h|d)$"),
        Some("INSTANT") => text("^[+-]?[0-9]{4,6}-?[0-9]{2}"),
        Some("LATENCY") => text("^(none|typical|[0-9]+([.][0-9]{1,3})?)$"),
        Some("NET") => text("^[0-9A-Fa-f.:]+(/[0-9]{1,3})?$"),
        Some("SIZE") => text("^[+]?[0-9]+\\s*(KiB|MiB|GiB)$"),
        Some("STORE") => text("^(memory$|sqlite:|postgres)"),
        Some("URL") => text("://"),
        _ => json!({ "type": "string" }),
    }
}

#[cfg(test)]
mod tests {
    use clap::Args as _;
    use svc_fixtures::reading::{Source, Table};

    use super::*;
    use crate::cli::settings::{ServeArgs, with_file};

    fn serve() -> Command {
        let serve = ServeArgs::augment_args(Command::new("serve"));
        serve.no_binary_name(true)
    }

    /// Whether the program takes a file that says so, and whether the schema does.
    fn taken(text: &str) -> (bool, bool) {
        let without = serve().mut_args(|arg| arg.env(None::<&'static str>));
        let given = without.clone().try_get_matches_from([""; 0]).unwrap();
        let read = with_file(without, &Source::new("svc-simulator.toml", text), &given);
        let source = Source::new("svc-simulator.toml", text);
        let (file, _) = Table::of_source(&source, |root| {
            let members = root.entries().into_iter();
            let members = members.map(|(name, item)| (name.to_owned(), item.json_if_any()));
            members.collect::<Vec<_>>()
        });
        let file = file
            .into_iter()
            .map(|(name, value)| (name, serde_json::to_value(value).unwrap()));
        let file = Value::Object(file.collect());
        let schema = jsonschema::validator_for(&settings_schema(&serve())).unwrap();
        (read.is_ok(), schema.is_valid(&file))
    }

    /// Values in TOML that a setting of this kind takes, and some that none takes.
    fn samples(kind: &str) -> (&'static [&'static str], &'static [&'static str]) {
        match kind {
            "ADDRESS" => (&["'127.0.0.1:0'", "'[::1]:8800'"], &["'8800'", "8800"]),
            "COUNT" => (&["1", "10000000"], &["0", "'1'", "10000001"]),
            "THREADS" => (&["1", "1024"], &["0", "'1'", "1025"]),
            "DURATION" => (&["'1s'", "'2m'", "'7d'"], &["'soon'", "5", "'5'"]),
            "FACTOR" => (&["1", "86400"], &["0", "'1'", "86401"]),
            "FORMAT" => (&["'human'", "'json'"], &["'xml'"]),
            "INSTANT" => (&["'2031-01-01T00:00:00Z'"], &["'tomorrow'", "1"]),
            "LATENCY" => (
                &["'none'", "'typical'", "'0.125'", "'2'"],
                &["'fast'", "2", "'0.0001'"],
            ),
            "NET" => (
                &["['10.0.0.0/8']", "['::1']", "[]"],
                &["'10.0.0.0/8'", "['host']"],
            ),
            "SIZE" => (&["'64KiB'", "'2 GiB'"], &["'16MB'", "16"]),
            "STORE" => (&["'memory'", "'sqlite:a.db'"], &["'redis://a'", "1"]),
            "URL" => (&["'https://sim.example/live'"], &["'sim.example'", "1"]),
            "FOLDER" | "NAME" => (&["['a']", "[]"], &["'a'", "[1]"]),
            "FILE" | "FILTER" | "TEXT" => (&["'a'"], &["1", "true"]),
            "" => (&["true", "false"], &["'true'", "1"]),
            other => panic!("no sample for a setting that takes {other}"),
        }
    }

    #[test]
    fn the_schema_takes_of_every_setting_what_the_program_takes() {
        let serve = serve();
        let settings = serve.get_arguments().filter(|arg| arg.get_env().is_some());
        let mut wrong = Vec::new();
        for arg in settings {
            let takes = arg.get_action().takes_values();
            let kind = arg.get_value_names().filter(|_| takes);
            let kind = kind.map_or("", |names| names[0].as_str());
            let (good, bad) = samples(kind);
            let all = good.iter().map(|it| (it, true));
            for (value, expected) in all.chain(bad.iter().map(|it| (it, false))) {
                let line = format!("{} = {value}", arg.get_id());
                if taken(&line) != (expected, expected) {
                    wrong.push((line.clone(), taken(&line)));
                }
            }
        }
        assert_eq!(wrong, []);
    }

    #[test]
    fn what_the_program_refuses_together_the_schema_does() {
        let at = "'2031-01-01T00:00:00Z'";
        assert_eq!(
            taken(&format!("freeze_at = {at}\nclock = {at}")),
            (false, false)
        );
        assert_eq!(
            taken(&format!("freeze_at = {at}\ntime_scale = 2")),
            (false, false)
        );
        assert_eq!(taken("sandbx = '127.0.0.1:1'"), (false, false));
    }
}
