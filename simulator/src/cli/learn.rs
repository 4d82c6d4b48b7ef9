//! `learn`: writes a scenario file from recorded traffic, and says how alike the simulator then answers.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use jiff::Timestamp;
use serde_json::json;
use svc_capture::{Capture, TORN};
use svc_fixtures::reading::Source;
use xxhash_rust::xxh3::xxh3_64;

use super::failure::Failure;
use super::layout::columns;
use super::replace_file::replace_file;
use super::terminal;
use crate::engine::call::rules::{Files, Rules};
use crate::engine::state::ids::Seed;
use crate::http::ListenerAddresses;
use crate::learn::{
    BY_FORM, Fidelity, LaterRules, Learned, Lesson, ReportedDifference, learn, learned_until,
    people_alone, read_capture, slug,
};
use crate::simulator::files::{self, AllFiles};

/// The arguments of `learn`.
#[derive(Debug, Args)]
pub(super) struct LearnArgs {
    /// What was recorded: a file that `svc-contract-tests run --capture` or `record --out` wrote
    capture: PathBuf,
    /// The folder the scenario file is written into, beside those that are there
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Also list the members that differ, and why: those alike once, with how many more there are
    #[arg(long)]
    fidelity: bool,
    /// How it is printed
    #[arg(long, default_value = "human")]
    format: LearnFormat,
    /// Fail where fewer of a hundred members are alike
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    at_least: Option<f64>,
    /// What ids and strangers depend on, as in serve
    #[arg(long, value_name = "TEXT", default_value = "")]
    seed: String,
}

/// How what was found is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LearnFormat {
    /// For people
    Human,
    /// For programs
    Json,
}

fn percent(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    number
        .filter(|number| (0.0..=100.0).contains(number))
        .ok_or_else(|| "write a number from 0 to 100, such as 99.5".to_owned())
}

/// Runs the command.
pub(super) fn run(args: &LearnArgs) -> Result<(), Failure> {
    let text = fs::read_to_string(&args.capture);
    let text =
        text.map_err(|error| Failure::Usage(format!("{}: {error}", args.capture.display())))?;
    let from = args.capture.display();
    let (capture, torn) = Capture::read(&text).map_err(|error| {
        Failure::Usage(format!(
            "{from} is no capture: {error}; an archive (HAR) becomes one by `svc-contract-tests capture import {from} \
             --out run.capture`"
        ))
    })?;
    if torn {
        terminal::error(&format!("{from} {TORN}"))?;
    }
    fs::create_dir_all(&args.out)
        .with_context(|| format!("{} can't be made", args.out.display()))?;
    let name = args
        .capture
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let path = args.out.join(file_name(&name));
    let (own, ended) = (path.display().to_string(), ended(&capture));
    let folder = Folder::read(args, &path, ended)?;
    let mut rules = folder.rules.clone();
    rules.addresses = ListenerAddresses::DEFAULT.urls().in_answers();
    let traffic = read_capture(&rules.contract, &capture, &text);
    if traffic.calls.is_empty() {
        return Err(Failure::Usage(format!(
            "{name} has no call that can be played: {}",
            match traffic.left_out.is_empty() {
                true => "nothing was recorded in it".to_owned(),
                false => left_out(&traffic.left_out),
            }
        )));
    }
    let learned = learn(&Lesson {
        base: &rules,
        traffic: &traffic,
        capture: &name,
        ended,
        path: &own,
        later: &folder.later,
    });
    if let Some(text) = &learned.text {
        folder.takes(&own, text)?;
    }
    write(&path, &learned)?;
    terminal::print(&match args.format {
        LearnFormat::Human => report(args, &path, &learned, capture.note_on_people()),
        LearnFormat::Json => format!("{:#}\n", as_json(&path, &learned, capture.note_on_people())),
    })?;
    match args.at_least {
        Some(least) if learned.fidelity.percent() < least => Err(Failure::Answered),
        _ => Ok(()),
    }
}

/// What stands in the folder that is written into, beside the file that is.
struct Folder {
    files: Files,
    seed: Seed,
    /// What is known while the capture is learned: whom a later one speaks of, and not what that says of anybody.
    rules: Rules,
    /// What is not.
    later: LaterRules,
}

impl Folder {
    /// What was learned from this capture before is learned anew, and what was learned of later calls comes before it.
    fn read(args: &LearnArgs, path: &Path, ended: Option<Timestamp>) -> Result<Self, Failure> {
        let all = files::read(std::slice::from_ref(&args.out))?;
        report_foreign(&all, path)?;
        report_another(&all, path, ended)?;
        let own = path.display().to_string();
        let is_later = |it: &Arc<Source>| {
            learned_until(&it.text).is_some_and(|until| ended.is_none_or(|ended| until > ended))
        };
        let mut files = all.rules;
        files.scenarios.retain(|source| source.path != own);
        let mut known = files.clone();
        for source in known.scenarios.iter_mut().filter(|it| is_later(it)) {
            *source = Source::new(source.path.clone(), people_alone(&source.text));
        }
        let later = files.scenarios.iter().filter(|it| is_later(it));
        let later = later.map(|it| it.path.clone()).collect();
        let seed = Seed::new(&args.seed);
        Ok(Folder {
            rules: Rules::read(&known, seed.clone())?,
            later: LaterRules::of(&Rules::read(&files, seed.clone())?, &later),
            files,
            seed,
        })
    }

    /// Whether a file fits the others.
    fn takes(self, own: &str, text: &str) -> Result<(), Failure> {
        let mut files = self.files;
        files.scenarios.push(Source::new(own, text));
        let read = Rules::read(&files, self.seed).map(drop);
        read.map_err(|problems| {
            Failure::Usage(format!(
                "{own} is not written, since it does not fit the other files of its folder; learn captures in the order in \
                 which they were made, or into folders of their own:\n{problems}"
            ))
        })
    }
}

/// When the last call of a capture was made.
fn ended(capture: &Capture) -> Option<Timestamp> {
    let exchanges = capture.cases.iter().flat_map(|case| &case.exchanges);
    let last = exchanges.filter_map(|exchange| exchange.at_s).max()?;
    Timestamp::from_second(last).ok()
}

/// It comes after the files of people: the first rule that holds wins.
fn file_name(capture: &str) -> String {
    // What of a name says of what kind the file is tells no two captures apart.
    let stem = capture.strip_suffix(".json").unwrap_or(capture);
    let stem = stem.strip_suffix(".capture").unwrap_or(stem);
    let name = slug(stem).replace('_', "-");
    format!(
        "zz-learned-{}.toml",
        if name.is_empty() { "traffic" } else { &name }
    )
}

/// What the last line of a learned file begins with: the sum of the lines above follows.
const SUM: &str = "# Sum of what was learned: ";

/// A learned file as it is written.
fn with_sum(learned: &str) -> String {
    format!("{learned}\n{SUM}{:016x}\n", xxh3_64(learned.as_bytes()))
}

/// Whether somebody changed a file since it was learned, were it only by taking its sum away.
fn is_changed(text: &str) -> bool {
    let above = text.rfind(SUM).and_then(|at| text[..at].strip_suffix('\n'));
    above.is_none_or(|above| with_sum(above) != text)
}

/// A file of that name that somebody wrote is theirs, and so is what somebody wrote into a learned one.
fn report_foreign(files: &AllFiles, path: &Path) -> Result<(), Failure> {
    let own = path.display().to_string();
    let there = files
        .rules
        .scenarios
        .iter()
        .find(|source| source.path == own);
    match there {
        Some(source) if learned_until(&source.text).is_none() => Err(Failure::Usage(format!(
            "{own} was not learned, as its first line says: it is left as it is; name it otherwise"
        ))),
        Some(source) if is_changed(&source.text) => Err(Failure::Usage(format!(
            "{own} was changed since it was learned, and is left as it is: move what you wrote into a file of your own in \
             the same folder, where it comes first, delete this one, and learn again"
        ))),
        _ => Ok(()),
    }
}

/// Another recording of the same name takes the place of what was learned before.
fn report_another(files: &AllFiles, path: &Path, ended: Option<Timestamp>) -> Result<(), Failure> {
    let own = path.display().to_string();
    let there = files.rules.scenarios.iter().find(|it| it.path == own);
    let until = there.and_then(|source| learned_until(&source.text));
    match (until, ended) {
        (Some(until), Some(ended)) if until != ended => terminal::error(&format!(
            "{own} was learned from another recording of that name, whose last call was made at {until}: it is written \
             anew; captures of other names are learned beside each other"
        )),
        _ => Ok(()),
    }
}

/// Writes what was learned. The same again changes nothing, and what nobody needs any more goes.
fn write(path: &Path, learned: &Learned) -> Result<(), Failure> {
    let cannot = || format!("{} can't be written", path.display());
    let there = fs::read_to_string(path).ok();
    match &learned.text {
        Some(text) => {
            let text = with_sum(text);
            if there.as_ref() != Some(&text) {
                replace_file(path, &text).with_context(cannot)?;
            }
        }
        None if there.is_some() => fs::remove_file(path).with_context(cannot)?,
        _ => {}
    }
    Ok(())
}

fn left_out(reasons: &std::collections::BTreeMap<&'static str, usize>) -> String {
    let reasons = reasons.iter().map(|(why, count)| format!("{count}: {why}"));
    reasons.collect::<Vec<_>>().join("; ")
}

fn report(args: &LearnArgs, path: &Path, learned: &Learned, on_people: Option<&str>) -> String {
    let fidelity = &learned.fidelity;
    let mut out = match &learned.text {
        Some(_) => format!(
            "{}: {} declared, {} {}\n",
            path.display(),
            learned.people,
            learned.rules,
            if learned.rules == 1 { "rule" } else { "rules" }
        ),
        None if fidelity.differences.is_empty() => {
            "nothing to learn: the simulator answers so by itself\n".to_owned()
        }
        None => "nothing to learn: of what is different no rule can say anything\n".to_owned(),
    };
    let _ = writeln!(
        out,
        "{} calls played: {} of {} members alike, {}%; {}% of what a rule can say",
        fidelity.calls,
        fidelity.alike,
        fidelity.members,
        fidelity.percent(),
        fidelity.expressible_percent(),
    );
    for (why, count) in &fidelity.not_played {
        let _ = writeln!(out, "{count} not played: {why}");
    }
    if fidelity.executed_again > 0 {
        let _ = writeln!(
            out,
            "{} executed again under one idempotency key: played under another, since the simulator gives its first answer \
             again",
            fidelity.executed_again
        );
    }
    if let Some(note) = on_people {
        let _ = writeln!(out, "{note}");
    }
    if args.fidelity {
        out += &table(fidelity);
    } else if !fidelity.differences.is_empty() {
        let _ = writeln!(
            out,
            "{} differ: --fidelity lists them",
            fidelity.differences.len()
        );
    }
    out
}

/// The differences, of those that are alike but for where they stand the first one, with how many more there are. What a
/// rule could say comes first.
fn alike(differences: &[ReportedDifference]) -> Vec<(&ReportedDifference, usize)> {
    let kind = |it: &ReportedDifference| {
        let parts = it.member.split_inclusive('[');
        let parts = parts.map(|part| part.split_once(']').map_or(part, |(_, behind)| behind));
        (
            it.endpoint.clone(),
            parts.collect::<String>(),
            it.why.clone(),
        )
    };
    let mut seen = BTreeMap::new();
    let mut found: Vec<(&ReportedDifference, usize)> = Vec::new();
    for it in differences {
        let at = *seen.entry(kind(it)).or_insert(found.len());
        match found.get_mut(at) {
            Some((_, others)) => *others += 1,
            None => found.push((it, 0)),
        }
    }
    found.sort_by_key(|(it, _)| !it.expressible);
    found
}

/// What differs, and what is compared how.
fn table(fidelity: &Fidelity) -> String {
    let mut out = String::from("\n");
    let rows = fidelity.endpoints.iter();
    let rows: Vec<[String; 4]> =
        std::iter::once(["endpoint", "calls", "members", "alike"].map(str::to_owned))
            .chain(rows.map(|(name, row)| {
                [
                    name.clone(),
                    row.calls.to_string(),
                    row.members.to_string(),
                    row.alike.to_string(),
                ]
            }))
            .collect();
    out += &columns(&rows);
    if !fidelity.differences.is_empty() {
        out += "\n";
        let rows = alike(&fidelity.differences)
            .into_iter()
            .map(|(it, others)| {
                let place = it.line.map_or_else(
                    || it.exchange.to_string(),
                    |line| format!("{} (line {line})", it.exchange),
                );
                let place = match others {
                    0 => place,
                    others => format!("{place}, and {others} more"),
                };
                [
                    place,
                    it.endpoint.clone(),
                    it.member.clone(),
                    short(&it.captured),
                    short(&it.simulated),
                    it.why.clone(),
                ]
            });
        let head = [
            "exchange",
            "endpoint",
            "member",
            "captured",
            "simulated",
            "why",
        ]
        .map(str::to_owned);
        let rows: Vec<[String; 6]> = std::iter::once(head).chain(rows).collect();
        out += &columns(&rows);
    }
    out += "\nCompared by their form alone:\n";
    for (member, why) in BY_FORM {
        let _ = writeln!(out, "  {member}: {why}");
    }
    out
}

fn short(text: &str) -> String {
    match text.char_indices().nth(48) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

fn as_json(path: &Path, learned: &Learned, on_people: Option<&str>) -> serde_json::Value {
    let by_form: Vec<_> = BY_FORM
        .iter()
        .map(|(member, why)| json!({ "member": member, "why": why }))
        .collect();
    json!({
        "file": learned.text.is_some().then(|| path.display().to_string()),
        "declared": learned.people,
        "rules": learned.rules,
        "percent": learned.fidelity.percent(),
        "expressiblePercent": learned.fidelity.expressible_percent(),
        "fidelity": learned.fidelity,
        "comparedByForm": by_form,
        "onPeople": on_people,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differs(member: &str, why: &str, expressible: bool) -> ReportedDifference {
        ReportedDifference {
            exchange: 1,
            line: None,
            endpoint: "usage".to_owned(),
            member: member.to_owned(),
            captured: "1".to_owned(),
            simulated: "2".to_owned(),
            why: why.to_owned(),
            expressible,
        }
    }

    #[test]
    fn what_differs_alike_is_listed_once_and_what_a_rule_could_say_first() {
        let all = [
            differs("data.rows[0].calls", "counted", false),
            differs("data.rows[a.b].calls", "counted", false),
            differs("data.rows[0].failed", "counted", false),
            differs("data.rows[0].failed", "no rule was found for it", true),
        ];
        let found = alike(&all).into_iter();
        let found: Vec<(&str, bool, usize)> = found
            .map(|(it, others)| (&*it.member, it.expressible, others))
            .collect();
        let wanted = [
            ("data.rows[0].failed", true, 0),
            ("data.rows[0].calls", false, 1),
            ("data.rows[0].failed", false, 0),
        ];
        assert_eq!(found, wanted);
    }
}
