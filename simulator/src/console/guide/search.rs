//! A search in the book: the sections that have every word that is asked for. Without a script and without an index: the
//! book is small, and read from memory.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::render::heading_id;

/// A section in which all words stand.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Hit {
    /// The page's first heading.
    pub(super) page: String,
    /// The section's own heading; empty for what comes before the first one.
    pub(super) heading: String,
    /// The page's path, without its ending, and the id of the heading.
    pub(super) path: String,
    pub(super) id: String,
    /// Some of its text, in parts; whether each is one of the words.
    pub(super) excerpt: Vec<(String, bool)>,
}

/// So many words count, and so many sections are shown.
const WORDS: usize = 8;
pub(super) const SHOWN: usize = 30;

/// So many letters stand before the first word of an excerpt, and so many in all.
const BEFORE: usize = 60;
const EXCERPT: usize = 200;

/// The words of a question, in small letters.
pub(super) fn words(question: &str) -> Vec<String> {
    let words = question.split_whitespace().take(WORDS);
    words.map(str::to_lowercase).collect()
}

/// The sections of these pages, each a path and its text, that have all of the words: those first that have them in a
/// heading, else in the order of the book.
pub(super) fn search<'t>(
    pages: impl Iterator<Item = (&'t str, &'t str)>,
    words: &[String],
) -> Vec<Hit> {
    if words.is_empty() {
        return Vec::new();
    }
    let mut hits: Vec<(usize, Hit)> = Vec::new();
    for (path, text) in pages {
        let sections = sections(text);
        let page = sections.first().map(|it| it.heading.clone());
        let page = page.unwrap_or_default();
        for (at, section) in sections.iter().enumerate() {
            let heading = section.heading.to_lowercase();
            let (title, body) = (page.to_lowercase(), section.text.to_lowercase());
            let holds = |word: &String| {
                heading.contains(word) || body.contains(word) || title.contains(word)
            };
            if !words.iter().all(holds) {
                continue;
            }
            let in_heading = words.iter().filter(|word| heading.contains(*word)).count();
            // The title of a page is no reason to show each of its sections.
            let own = words
                .iter()
                .any(|word| heading.contains(word) || body.contains(word));
            if !own {
                continue;
            }
            let (heading, id) = match at {
                0 => (String::new(), String::new()),
                _ => (section.heading.clone(), heading_id(&section.heading)),
            };
            let hit = Hit {
                page: page.clone(),
                heading,
                path: path.to_owned(),
                id,
                excerpt: excerpt(&section.text, words),
            };
            hits.push((in_heading, hit));
        }
    }
    hits.sort_by_key(|(in_heading, _)| std::cmp::Reverse(*in_heading));
    hits.into_iter().map(|(_, hit)| hit).collect()
}

/// A heading and the text below it, up to the next one.
struct Section {
    heading: String,
    text: String,
}

/// The sections of a page; the first is what its title stands over.
fn sections(page: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut in_heading = false;
    for event in Parser::new_ext(page, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { level, .. }) if level <= HeadingLevel::H3 => {
                in_heading = true;
                sections.push(Section {
                    heading: String::new(),
                    text: String::new(),
                });
            }
            Event::End(TagEnd::Heading(_)) => in_heading = false,
            Event::Text(text) | Event::Code(text) => {
                if let Some(section) = sections.last_mut() {
                    match in_heading {
                        true => section.heading.push_str(&text),
                        false => section.text.push_str(&text),
                    }
                }
            }
            Event::SoftBreak
            | Event::HardBreak
            | Event::End(
                TagEnd::Paragraph | TagEnd::TableCell | TagEnd::Item | TagEnd::CodeBlock,
            ) => {
                if let Some(section) = sections.last_mut() {
                    section.text.push(' ');
                }
            }
            _ => {}
        }
    }
    sections
}

/// Some text around the first of the words, with each of them marked.
fn excerpt(text: &str, words: &[String]) -> Vec<(String, bool)> {
    let letters: Vec<char> = text
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .collect();
    // One letter each, so that places in both are the same.
    let small: Vec<char> = letters
        .iter()
        .map(|it| it.to_lowercase().next().unwrap_or(*it))
        .collect();
    let words: Vec<Vec<char>> = words.iter().map(|word| word.chars().collect()).collect();
    let word_at = |at: usize| {
        let mut found = words.iter().filter(|word| small[at..].starts_with(word));
        found.by_ref().map(Vec::len).max()
    };
    let first = (0..letters.len()).find(|at| word_at(*at).is_some());
    let begin = first.unwrap_or(0).saturating_sub(BEFORE);
    let end = letters.len().min(begin + EXCERPT);
    let mut parts: Vec<(String, bool)> = Vec::new();
    let mut push = |text: &str, is_word: bool| match parts.last_mut() {
        Some((last, marked)) if *marked == is_word => last.push_str(text),
        _ => parts.push((text.to_owned(), is_word)),
    };
    if begin > 0 {
        push("…", false);
    }
    let mut at = begin;
    while at < end {
        let length = word_at(at).unwrap_or(0).min(end - at);
        let to = at + length.max(1);
        push(&letters[at..to].iter().collect::<String>(), length > 0);
        at = to;
    }
    if end < letters.len() {
        push("…", false);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: &str = "# Time\n\nEach account has a **clock**.\n\n## Moving a clock\n\n`clock advance 1m` moves it.\n\n\
                        ## Zones\n\nAll is UTC.\n";
    const WALLET: &str = "# Wallet\n\nMoney; a clock is no part of it.\n";

    fn found(question: &str) -> Vec<String> {
        let pages = [("use/time", TIME), ("use/wallet", WALLET)];
        let hits = search(pages.into_iter(), &words(question));
        let line = |hit: Hit| {
            let parts = hit.excerpt.into_iter();
            let parts = parts.map(|(text, is_word)| match is_word {
                true => format!("[{text}]"),
                false => text,
            });
            let text: String = parts.collect();
            format!("{}#{} {}: {text}", hit.path, hit.id, hit.page)
        };
        hits.into_iter().map(line).collect()
    }

    #[test]
    fn every_word_must_stand_in_a_section_and_headings_come_first() {
        insta::assert_snapshot!(found("CLOCK").join("\n"), @"
        use/time#moving-a-clock Time: [clock] advance 1m moves it.
        use/time# Time: Each account has a [clock].
        use/wallet# Wallet: Money; a [clock] is no part of it.
        ");
        assert_eq!(found("clock utc"), Vec::<String>::new());
        assert_eq!(found("  "), Vec::<String>::new());
        // The page's title counts for a section that has another word itself.
        assert_eq!(found("time utc"), ["use/time#zones Time: All is [UTC]."]);
    }

    #[test]
    fn an_excerpt_is_short_and_cut_between_letters() {
        let long = format!("{} here {}", "é ".repeat(300), "ü ".repeat(300));
        let parts = excerpt(&long, &words("HERE"));
        let letters: usize = parts.iter().map(|(text, _)| text.chars().count()).sum();
        assert!(letters <= EXCERPT + 2, "{letters}");
        assert_eq!(parts[1], ("here".to_owned(), true));
        assert_eq!(excerpt("", &words("a")), []);
    }
}
