//! A page as the player sees it: its blocks, its regions that are made, its headings and its links.

use std::ops::Range;

/// A fenced block.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    /// The line of its fence, from 1.
    pub(crate) line: usize,
    /// The first word behind the fence.
    pub(crate) kind: String,
    /// The others: `exit=1`, `starts`.
    words: Vec<(String, String)>,
    pub(crate) text: String,
    /// Its lines without the fences, from 0.
    pub(crate) lines: Range<usize>,
}

/// What stands between `<!-- made: name -->` and `<!-- end -->`.
#[derive(Debug, Clone)]
pub(crate) struct Region {
    pub(crate) line: usize,
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) lines: Range<usize>,
}

/// A page.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    /// Its path below the folder of the pages.
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) blocks: Vec<Block>,
    pub(crate) regions: Vec<Region>,
    /// Line and text of what is no block.
    pub(crate) prose: Vec<(usize, String)>,
}

impl Block {
    /// The value of a word; empty where it has none.
    pub(crate) fn word(&self, name: &str) -> Option<&str> {
        let found = self.words.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The words that are none of these.
    pub(crate) fn other_words(&self, known: &[&str]) -> Vec<&str> {
        let names = self.words.iter().map(|(name, _)| name.as_str());
        names.filter(|name| !known.contains(name)).collect()
    }
}

impl Page {
    /// Reads a page; what can't be read is told with its line.
    pub(crate) fn read(path: &str, text: &str) -> Result<Page, String> {
        let mut page = Page {
            path: path.to_owned(),
            text: text.to_owned(),
            blocks: Vec::new(),
            regions: Vec::new(),
            prose: Vec::new(),
        };
        let lines: Vec<&str> = text.lines().collect();
        let mut at = 0;
        let mut region: Option<(usize, String)> = None;
        while let Some(line) = lines.get(at) {
            let here = |what: &str| format!("{path}:{}: {what}", at + 1);
            if let Some(info) = line.strip_prefix("```") {
                let rest = &lines[at + 1..];
                let length = rest.iter().position(|line| *line == "```");
                let length = length.ok_or_else(|| here("a block without an end"))?;
                page.blocks.push(block(at, info, &rest[..length]));
                at += length + 2;
                continue;
            }
            if line.trim_start().starts_with("```") {
                return Err(here("a block that is not at the beginning of its line"));
            }
            if let Some(name) = comment(line, "made: ") {
                region = Some((at, name.to_owned()));
            } else if comment(line, "end").is_some() {
                let (begun, name) = region.take().ok_or_else(|| here("an end of nothing"))?;
                page.regions.push(Region {
                    line: begun + 1,
                    name,
                    text: lines[begun + 1..at].join("\n"),
                    lines: begun + 1..at,
                });
            }
            page.prose.push((at + 1, (*line).to_owned()));
            at += 1;
        }
        match region {
            Some((begun, _)) => Err(format!("{path}:{}: a region without an end", begun + 1)),
            None => Ok(page),
        }
    }

    /// Whether the prose in the few lines before a line has these words: a reader does not see what stands behind a
    /// fence.
    pub(crate) fn says(&self, words: &str, line: usize) -> bool {
        let mut near = self
            .prose
            .iter()
            .filter(|(at, _)| *at < line && at + 5 > line);
        near.any(|(_, text)| text.contains(words))
    }

    /// The ids of its headings, as the book and the console make them.
    pub(crate) fn ids(&self) -> Vec<String> {
        let headings = self.prose.iter().filter_map(|(_, line)| {
            let text = line.trim_start_matches('#');
            (text.len() < line.len()).then(|| text.strip_prefix(' '))?
        });
        headings.map(id).collect()
    }

    /// Its links and pictures, each with its line.
    pub(crate) fn links(&self) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        for (line, text) in &self.prose {
            // By turns prose and what is written as code.
            for prose in text.split('`').step_by(2) {
                let targets = prose.split("](").skip(1);
                let targets = targets.filter_map(|rest| Some(rest.split_once(')')?.0));
                found.extend(targets.map(|target| (*line, target.to_owned())));
            }
            // Between the brackets of a link there may be code, which is split above.
            let behind_code = text.split("`](").skip(1);
            let targets = behind_code.filter_map(|rest| Some(rest.split_once(')')?.0));
            found.extend(targets.map(|target| (*line, target.to_owned())));
        }
        found.sort();
        found.dedup();
        found
    }

    /// What is written as code in its prose, each with its line.
    pub(crate) fn code(&self) -> Vec<(usize, &str)> {
        let mut found = Vec::new();
        for (line, text) in &self.prose {
            let code = text.split('`').skip(1).step_by(2);
            found.extend(code.map(|code| (*line, code)));
        }
        found
    }
}

fn comment<'l>(line: &'l str, beginning: &str) -> Option<&'l str> {
    let inner = line.strip_prefix("<!-- ")?.strip_suffix(" -->")?;
    inner.strip_prefix(beginning)
}

fn block(at: usize, info: &str, lines: &[&str]) -> Block {
    let mut words = info.split(',').map(str::trim);
    let kind = words.next().unwrap_or_default().to_owned();
    let words = words.map(|word| match word.split_once('=') {
        Some((name, value)) => (name.to_owned(), value.to_owned()),
        None => (word.to_owned(), String::new()),
    });
    Block {
        line: at + 1,
        kind,
        words: words.collect(),
        text: lines.join("\n"),
        lines: at + 1..at + 1 + lines.len(),
    }
}

/// The id of a heading: its letters, digits, `-` and `_` in lower case, a dash for each space.
fn id(heading: &str) -> String {
    let letters = heading.trim().chars().filter_map(|it| match it {
        ' ' => Some('-'),
        '-' | '_' => Some(it),
        _ => it.is_alphanumeric().then(|| it.to_ascii_lowercase()),
    });
    letters.collect()
}
