//! Plays a page: every block of it, in order. A kind that is not known here is a mistake, so that no example stands
//! in the book that nobody has tried.

use std::path::Path;

use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

use super::compare::{ANY, is_json, is_text, show_json};
use super::page::Page;
use super::terminal::Terminal;

/// What is done where a page shows something else than is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// It is told.
    Compare,
    /// It is written into the page.
    Write,
}

/// What a page's play came to.
#[derive(Debug, Default)]
pub(crate) struct Played {
    /// Blocks that were played.
    pub(crate) blocks: usize,
    /// What can't be played here, and why: place, kind and reason.
    pub(crate) unplayed: Vec<String>,
    /// New contents of blocks, by their number.
    pub(crate) written: Vec<(usize, String)>,
}

struct Player<'p> {
    page: &'p Page,
    mode: Mode,
    terminal: Terminal,
    played: Played,
}

/// Plays all of a page.
pub(crate) fn play(page: &Page, mode: Mode) -> Result<Played, String> {
    let mut player = Player {
        page,
        mode,
        terminal: Terminal::new(),
        played: Played::default(),
    };
    for at in 0..page.blocks.len() {
        let block = &page.blocks[at];
        let told = player.block(at);
        told.map_err(|what| format!("{}:{}: {what}", page.path, block.line))?;
    }
    Ok(player.played)
}

impl Player<'_> {
    fn block(&mut self, at: usize) -> Result<(), String> {
        let page = self.page;
        let block = &page.blocks[at];
        if let Some(reason) = block.word("unplayed") {
            let place = format!("{}: {}, {reason}", page.path, block.kind);
            self.played.unplayed.push(place);
            return match reason.len() {
                0..10 => Err("unplayed without a reason".to_owned()),
                _ => Ok(()),
            };
        }
        self.played.blocks += 1;
        let known: &[&str] = match block.kind.as_str() {
            "console" => &["exit", "starts"],
            "text" => &["from"],
            "sql" => &["store"],
            "rust" | "json" => &[],
            _ => &["file"],
        };
        if let Some(word) = block
            .other_words(known)
            .first()
            .filter(|_| block.word("file").is_none())
        {
            return Err(format!(
                "what `{word}` means behind `{}` is not known",
                block.kind
            ));
        }
        match block.kind.as_str() {
            _ if block.word("file").is_some() => self.file(at),
            "console" if block.word("starts").is_some() => self.starts(at),
            "console" => self.runs(at),
            "text" if block.word("from").is_some() => self.from(at),
            // Compared when what prints it was run.
            "text" | "json" if self.is_output(at) => Ok(()),
            "text" | "json" => Err("nothing before it prints this".to_owned()),
            "rust" => self.rust(),
            "sql" => self.sql(at),
            kind => Err(format!(
                "`{kind}` can't be played: give it a file, or say why: unplayed=…"
            )),
        }
    }

    /// The block of what is printed behind a command.
    fn output_of(&self, at: usize) -> Option<usize> {
        let next = self.page.blocks.get(at + 1)?;
        let is_output = ["text", "json"].contains(&next.kind.as_str())
            && ["file", "from", "unplayed"]
                .iter()
                .all(|word| next.word(word).is_none());
        is_output.then_some(at + 1)
    }

    fn is_output(&self, at: usize) -> bool {
        at > 0 && self.page.blocks[at - 1].kind == "console" && self.output_of(at - 1) == Some(at)
    }

    fn runs(&mut self, at: usize) -> Result<(), String> {
        let block = &self.page.blocks[at];
        let ended = self.terminal.run(&block.text)?;
        let expected = block.word("exit").unwrap_or("0");
        if ended.code.map(|code| code.to_string()).as_deref() != Some(expected) {
            let (code, printed) = (ended.code, ended.printed);
            return Err(format!(
                "ended with {code:?} and not with {expected}:\n{printed}"
            ));
        }
        match self.output_of(at) {
            Some(output) => self.compare(output, &ended.printed),
            None => Ok(()),
        }
    }

    fn starts(&mut self, at: usize) -> Result<(), String> {
        let output = self.output_of(at);
        let block = &self.page.blocks[at];
        let shown = output.map(|at| self.page.blocks[at].text.lines().count());
        let printed = self
            .terminal
            .start(&block.text, shown.unwrap_or(1).max(1))?;
        output.map_or(Ok(()), |at| self.compare(at, &printed))
    }

    fn from(&mut self, at: usize) -> Result<(), String> {
        let block = &self.page.blocks[at];
        let lines = block.text.lines().count().max(1);
        let printed = self
            .terminal
            .next_of(block.word("from").unwrap_or_default(), lines)?;
        self.compare(at, &printed)
    }

    fn compare(&mut self, at: usize, printed: &str) -> Result<(), String> {
        let block = &self.page.blocks[at];
        let told = match block.kind.as_str() {
            "json" => {
                let read = |text: &str| serde_json::from_str::<Value>(text);
                let found = read(printed).map_err(|_| format!("no JSON is printed:\n{printed}"))?;
                let shown = read(&block.text).map_err(|error| error.to_string());
                let told = shown.and_then(|shown| is_json(&shown, &found, "it"));
                told.map_err(|why| (why, format!("{:#}", show_json(&found, &is_now))))
            }
            _ if is_text(&block.text, printed) => Ok(()),
            _ => Err(("printed is".to_owned(), without_now(printed.trim_end()))),
        };
        match (told, self.mode) {
            (Ok(()), _) => Ok(()),
            (Err((why, found)), Mode::Compare) => Err(format!(
                "{why}:\n{found}\nSVC_DOCS=write cargo test -p svc-simulator --test docs writes it into the page"
            )),
            (Err((_, found)), Mode::Write) => {
                self.played.written.push((at, found));
                Ok(())
            }
        }
    }

    /// A file is written; one of scenarios must be good, any other must be asked for later.
    fn file(&mut self, at: usize) -> Result<(), String> {
        let block = &self.page.blocks[at];
        let name = block.word("file").unwrap_or_default();
        if !self.page.says(&format!("`{name}`"), block.line) {
            return Err(format!("the lines before it do not say `{name}`"));
        }
        self.terminal.write(name, &format!("{}\n", block.text));
        let later = &self.page.blocks[at + 1..];
        let mut later = later.iter().filter(|it| it.kind == "console");
        let folder = Path::new(name)
            .parent()
            .and_then(Path::to_str)
            .unwrap_or_default();
        let is_used = later
            .any(|it| it.text.contains(name) || !folder.is_empty() && it.text.contains(folder));
        if block.word("unchecked").is_some() || !is_scenarios(name, &block.text) {
            let is_read = is_used || name == "svc-simulator.toml";
            return match is_read {
                true => Ok(()),
                false => Err(format!("nothing asks for {name}")),
            };
        }
        let folder = if folder.is_empty() { "." } else { folder };
        let ended = self
            .terminal
            .run(&format!("svc-simulator check {folder}"))?;
        match ended.code {
            Some(0) => Ok(()),
            _ => Err(ended.printed),
        }
    }

    /// Compiled and run with the documentation of the crate, which must name the page.
    fn rust(&self) -> Result<(), String> {
        let library = include_str!("../../src/lib.rs");
        match library.contains(&format!("/{}\")]", self.page.path)) {
            true => Ok(()),
            false => Err(format!("src/lib.rs does not include {}", self.page.path)),
        }
    }

    /// Asked of a store that the page made; each query has something to tell.
    fn sql(&self, at: usize) -> Result<(), String> {
        let block = &self.page.blocks[at];
        let name = block.word("store").ok_or("of which file: store=…")?;
        let path = self.terminal.folder().join(name);
        let asked = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY);
        let rows = asked.and_then(|it| {
            let mut query = it.prepare(&block.text)?;
            let rows = query.query_map([], |_| Ok(()))?;
            rows.collect::<Result<Vec<()>, _>>()
        });
        match rows {
            Ok(rows) if rows.is_empty() => Err("no row is found".to_owned()),
            Ok(_) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }
}

fn is_scenarios(name: &str, text: &str) -> bool {
    let tables = [
        "[[scenario]]",
        "[[expect]]",
        "[person.",
        "[company.",
        "[[account]]",
    ];
    name.ends_with(".toml") && tables.iter().any(|table| text.contains(table))
}

/// What another run would not print: an instant of these days or of a clock that runs, a time of these days in
/// seconds, a signature.
#[expect(
    clippy::disallowed_methods,
    reason = "what the machine's clock says is not compared"
)]
fn is_now(text: &str) -> bool {
    let now = Timestamp::now();
    let is_near = |instant: Timestamp| now.duration_since(instant).abs().as_hours() < 48;
    let is_digest = text.len() == 64 && text.bytes().all(|it| it.is_ascii_hexdigit());
    let seconds = text.parse().ok().filter(|_| text.len() == 10);
    let seconds = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok());
    let instant = text.parse::<Timestamp>().ok();
    let runs = instant.is_some_and(|it| it.subsec_nanosecond() != 0);
    let is_signature = text.starts_with("t=") && text.contains(",v1=");
    is_digest || runs || is_signature || instant.or(seconds).is_some_and(is_near)
}

fn without_now(text: &str) -> String {
    let is_part = |it: char| it.is_ascii_alphanumeric() || ":.-".contains(it);
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(is_part) {
        let (before, word) = rest.split_at(at);
        let (word, after) = word.split_at(word.find(|it| !is_part(it)).unwrap_or(word.len()));
        out.push_str(before);
        out.push_str(if is_now(word) { ANY } else { word });
        rest = after;
    }
    out.push_str(rest);
    let lines = out.lines().map(str::trim_end);
    lines.collect::<Vec<_>>().join("\n")
}
