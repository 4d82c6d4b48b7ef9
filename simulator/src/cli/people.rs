//! `people`: lists those whom scenario files declare, or tells all that is known of one.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};
use svc_fixtures::json::Json;

use super::call_args::{quoted, try_command};
use super::failure::Failure;
use super::layout::columns;
use super::terminal;
use crate::engine::call::rules::Rules;
use crate::engine::state::ids::Seed;
use crate::http::people::{PEOPLE_COLUMNS, PeopleList, PersonDetails, list};
use crate::http::table_cell::markdown_table;
use crate::scenario::Scenario;
use crate::scenario_format::Expectation;
use crate::simulator::files;

/// The arguments of `people`.
#[derive(Debug, Args)]
pub(super) struct PeopleArgs {
    /// The name in the file, their own name, or any of their identifiers
    name: Option<String>,
    /// How it is printed
    #[arg(long, default_value = "human")]
    format: PeopleFormat,
    /// A folder of scenario files, read before the built-in ones; may be given several times
    #[arg(long, value_name = "FOLDER")]
    scenarios: Vec<PathBuf>,
    /// What the population depends on, as in serve
    #[arg(long, value_name = "TEXT", default_value = "")]
    seed: String,
}

/// How people are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PeopleFormat {
    /// For people
    Human,
    /// For programs
    Json,
    /// For documents
    Markdown,
}

/// Runs the command.
pub(super) fn run(args: &PeopleArgs) -> Result<(), Failure> {
    let files = files::read(&args.scenarios)?;
    let rules = Rules::read(&files.rules, Seed::new(&args.seed))?;
    let people = list(&rules);
    let folders = args.scenarios.iter();
    let folders = folders.map(|it| format!(" --scenarios {}", quoted(&it.display().to_string())));
    let view = View {
        rules: &rules,
        folders: folders.collect(),
    };
    let text = match &args.name {
        None => view.everybody(&people, args.format),
        Some(name) => {
            let person = people.named(name).map_err(|hint| {
                Failure::Usage(format!(
                    "nobody is called {name}; {hint} Without a name all are listed; whose an identifier is, the page World of the console says"
                ))
            })?;
            view.person(person, args.format)
        }
    };
    terminal::print(&text)
}

struct View<'r> {
    rules: &'r Rules,
    /// What says on a command line which files there are.
    folders: String,
}

impl View<'_> {
    fn everybody(&self, people: &PeopleList<'_>, format: PeopleFormat) -> String {
        match format {
            PeopleFormat::Markdown => {
                let columns = PEOPLE_COLUMNS.map(str::to_owned);
                markdown_table(&columns, &people.table())
            }
            PeopleFormat::Json => {
                let people = people.all().iter().map(|it| self.json(it));
                let people: Vec<Value> = people.collect();
                format!("{:#}\n", json!({ "people": people }))
            }
            PeopleFormat::Human => {
                let row = |it: &PersonDetails<'_>| {
                    let (name, who) = (it.profile.name.clone(), it.display().to_owned());
                    [name, who, it.headline().to_owned()]
                };
                columns(&people.all().iter().map(row).collect::<Vec<_>>())
            }
        }
    }

    fn person(&self, person: &PersonDetails<'_>, format: PeopleFormat) -> String {
        match format {
            PeopleFormat::Json => format!("{:#}\n", self.json(person)),
            PeopleFormat::Human => self.human(person),
            PeopleFormat::Markdown => self.markdown(person),
        }
    }

    fn human(&self, person: &PersonDetails<'_>) -> String {
        let profile = person.profile;
        let mut out = format!("{}: {}\n", profile.because, person.display());
        if !profile.story.is_empty() {
            let _ = writeln!(out, "  {}", profile.story);
        }
        for (title, rows) in self.parts(person) {
            let _ = writeln!(out, "\n{title}");
            for line in columns(&rows).lines() {
                let _ = writeln!(out, "  {line}");
            }
        }
        let calls = person.calls.iter();
        for (at, call) in calls.enumerate() {
            out += if at == 0 {
                "\nCalls that tell it\n"
            } else {
                ""
            };
            let (name, expects) = (&call.name, expected(call));
            let _ = writeln!(out, "  {name}\n    {}\n    {expects}", self.command(call));
        }
        out
    }

    /// What stands in columns, each part under its title.
    fn parts(&self, person: &PersonDetails<'_>) -> Vec<(&'static str, Vec<[String; 3]>)> {
        let identifiers = person.identifiers.iter().map(|it| {
            let from = if it.declared {
                ""
            } else {
                " (from the population)"
            };
            let operations = it.operations.join(", ");
            [
                it.fields.join(", "),
                format!("{}{from}", it.value),
                operations,
            ]
        });
        let said = person.profile.said.iter();
        let said = said.filter(|(name, _)| !person.profile.asked.iter().any(|it| it.0 == **name));
        let others = person.others.iter();
        let others = others.map(|(role, name)| ((*role).to_owned(), (*name).to_owned()));
        let known = said.map(|(name, value)| (name.clone(), plain(value)));
        let known = known.chain(others);
        let rules = person.rules.iter().map(|rule| {
            let place = format!("{}:{}", rule.file, rule.line);
            [rule.name.to_string(), self.operations(rule), place]
        });
        let parts = [
            ("Asked for by", identifiers.collect::<Vec<_>>()),
            (
                "Known",
                known
                    .map(|(name, value)| [name, value, String::new()])
                    .collect(),
            ),
            ("Special", rules.collect()),
        ];
        parts
            .into_iter()
            .filter(|(_, rows)| !rows.is_empty())
            .collect()
    }

    fn operations(&self, rule: &Scenario) -> String {
        let operations = &self.rules.contract.operations;
        let ids = rule.operations.iter().map(|at| operations[*at].id.as_str());
        ids.collect::<Vec<_>>().join(", ")
    }

    fn command(&self, call: &Expectation) -> String {
        let id = &self.rules.contract.operations[call.operation].id;
        let mut command = try_command(id, &self.folders, &call.call);
        if call.answers.len() > 1 {
            let _ = write!(command, " --times {}", call.answers.len());
        }
        if call.later.result.is_some() {
            command += " --result";
        }
        command
    }

    fn markdown(&self, person: &PersonDetails<'_>) -> String {
        let profile = person.profile;
        let mut out = format!(
            "## {}: {}\n\n{}\n",
            profile.name,
            person.display(),
            profile.story
        );
        for (title, rows) in self.parts(person) {
            let _ = writeln!(out, "\n### {title}\n\n| | | |\n|---|---|---|");
            for row in rows {
                let _ = writeln!(out, "| {} |", row.join(" | "));
            }
        }
        for call in &person.calls {
            let (name, expects) = (&call.name, expected(call));
            let command = self.command(call);
            let _ = writeln!(
                out,
                "\n### {name}\n\n```console\n{command}\n```\n\n`{expects}`"
            );
        }
        out
    }

    fn json(&self, person: &PersonDetails<'_>) -> Value {
        let profile = person.profile;
        let identifiers = person.identifiers.iter().map(|it| {
            json!({
                "fields": it.fields,
                "value": it.value,
                "declared": it.declared,
                "operations": it.operations,
            })
        });
        let said = profile.said.iter();
        let known: Map<String, Value> = said.map(|(name, it)| (name.clone(), value(it))).collect();
        let others: Map<String, Value> = person
            .others
            .iter()
            .map(|(role, name)| ((*role).to_owned(), json!(name)))
            .collect();
        let rules = person.rules.iter().map(|rule| {
            let ids: Vec<&str> = rule
                .operations
                .iter()
                .map(|at| self.rules.contract.operations[*at].id.as_str())
                .collect();
            json!({ "rule": &*rule.name, "operations": ids, "file": &*rule.file, "line": rule.line })
        });
        let calls = person.calls.iter().map(|call| {
            let set = call.call.iter();
            let set: Map<String, Value> = set.map(|(name, it)| (name.clone(), value(it))).collect();
            let answers = call.answers.iter().map(|it| value(&it.members));
            json!({
                "name": call.name,
                "operation": self.rules.contract.operations[call.operation].id,
                "fields": set,
                "answers": answers.collect::<Vec<_>>(),
                "command": self.command(call),
            })
        });
        json!({
            "name": profile.name,
            "role": profile.role,
            "who": person.display(),
            "story": profile.story,
            "identifiers": identifiers.collect::<Vec<_>>(),
            "known": known,
            "others": others,
            "special": rules.collect::<Vec<_>>(),
            "calls": calls.collect::<Vec<_>>(),
        })
    }
}

fn value(json: &Json<'_>) -> Value {
    serde_json::to_value(json).expect("JSON is JSON")
}

fn plain(json: &Json<'_>) -> String {
    json.as_text()
        .map_or_else(|| json.to_string(), str::to_owned)
}

/// The parts of each answer that count.
fn expected(call: &Expectation) -> String {
    let mut parts: Vec<String> = Vec::new();
    for answer in &call.answers {
        let data = answer.members.get("data").unwrap_or(&answer.members);
        parts.push(data.to_string());
    }
    let result = call.later.result.as_ref();
    parts.extend(result.map(|result| result.members.to_string()));
    parts.join(", then ")
}
