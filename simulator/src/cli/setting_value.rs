//! One value of `svc-simulator.toml`: what the flag of `serve` takes, the file can say.

use std::error::Error as _;

use clap::{Arg, ArgMatches, Command};
use svc_fixtures::reading::Item;

/// One value; a problem where the flag would refuse it.
pub(super) fn read_value(item: &Item<'_>, settings: &Command, arg: &Arg) -> Option<String> {
    let is_number = matches!(arg.get_value_names(), Some([name]) if ["COUNT", "FACTOR", "THREADS"].contains(&name.as_str()));
    let value = match is_number {
        true => item.int()?.to_string(),
        false => match item.if_text() {
            Some(text) => text.to_owned(),
            None => {
                report_no_text(item, settings, arg);
                return None;
            }
        },
    };
    match taken(settings, arg, &value)? {
        Ok(_) => Some(value),
        Err(refused) => {
            let reason = refused.source().map(ToString::to_string);
            item.problem(reason.unwrap_or_else(|| refused.to_string()));
            None
        }
    }
}

/// What the flag makes of a value.
fn taken(settings: &Command, arg: &Arg, value: &str) -> Option<Result<ArgMatches, clap::Error>> {
    let flag = format!("--{}={value}", arg.get_long()?);
    Some(settings.clone().try_get_matches_from([flag]))
}

/// Reports a value that is no text where the setting is one, with what was perhaps meant.
fn report_no_text(item: &Item<'_>, settings: &Command, arg: &Arg) {
    let number = item.json_if_any().filter(|it| it.as_num().is_some());
    let meant = number.and_then(|number| {
        // A number as it stands, such as a factor, or so many seconds.
        let mut meant = [number.to_string(), format!("{number}s")].into_iter();
        meant.find(|it| taken(settings, arg, it).is_some_and(|it| it.is_ok()))
    });
    match meant {
        Some(meant) => item.problem_with_hint(
            "this setting is a text",
            format!("write {} = \"{meant}\"", arg.get_id()),
        ),
        // It says what it is instead.
        None => drop(item.text()),
    }
}
