//! A page of the book as HTML for the console: links lead to the console's addresses, headings have the ids that mdBook
//! gives them, and no HTML of a page gets through.

use super::GUIDE;
use pulldown_cmark::{
    CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html,
};

/// A page.
#[derive(Debug)]
pub(super) struct Rendered {
    /// Its first heading.
    pub(super) title: String,
    /// All below that.
    pub(super) html: String,
}

/// Where the book says that the console is.
const CONSOLE: &str = "http://127.0.0.1:8800";

/// Renders the page of this path, without its ending, for the console whose paths come after this.
pub(super) fn page(path: &str, text: &str, base: &str) -> Rendered {
    let events = Parser::new_ext(text, Options::ENABLE_TABLES);
    let mut writer = Writer {
        path,
        base,
        out: Vec::new(),
        title: String::new(),
        heading: None,
        blocks: 0,
        tables: 0,
        columns: TableColumns::default(),
    };
    for event in events {
        writer.take(event);
    }
    let mut html = String::new();
    html::push_html(&mut html, writer.out.into_iter());
    Rendered {
        title: writer.title,
        html,
    }
}

struct Writer<'t> {
    path: &'t str,
    base: &'t str,
    out: Vec<Event<'t>>,
    title: String,
    /// Level and events of the heading that is being read.
    heading: Option<(HeadingLevel, Vec<Event<'t>>)>,
    blocks: usize,
    tables: usize,
    columns: TableColumns,
}

/// The columns of the table that is being read: on a narrow screen each cell says which one it stands in.
#[derive(Default)]
struct TableColumns {
    names: Vec<String>,
    in_head: bool,
    /// Which one the next cell of a row stands in.
    at: usize,
}

impl<'t> Writer<'t> {
    fn take(&mut self, event: Event<'t>) {
        match event {
            Event::Html(_) | Event::InlineHtml(_) => {}
            Event::Start(Tag::HtmlBlock) | Event::End(TagEnd::HtmlBlock) => {}
            Event::Start(Tag::Heading { level, .. }) => self.heading = Some((level, Vec::new())),
            Event::End(TagEnd::Heading(_)) => self.heading_ends(),
            Event::Start(Tag::CodeBlock(kind)) => self.code_begins(&kind),
            Event::End(TagEnd::CodeBlock) => self.own("</code></pre>\n"),
            Event::Start(Tag::Table(_) | Tag::TableHead | Tag::TableRow | Tag::TableCell)
            | Event::End(TagEnd::Table | TagEnd::TableHead | TagEnd::TableCell) => {
                self.take_table(event);
            }
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                title,
                id,
            }) => {
                let dest_url = self.address(&dest_url).into();
                self.put(Event::Start(Tag::Link {
                    link_type,
                    dest_url,
                    title,
                    id,
                }));
            }
            Event::Start(Tag::Image {
                link_type,
                dest_url,
                title,
                id,
            }) => {
                let dest_url = self.address(&dest_url).into();
                self.put(Event::Start(Tag::Image {
                    link_type,
                    dest_url,
                    title,
                    id,
                }));
            }
            other => {
                let columns = &mut self.columns;
                if let (true, Some(name), Some(text)) =
                    (columns.in_head, columns.names.last_mut(), text_of(&other))
                {
                    name.push_str(&text);
                }
                self.put(other);
            }
        }
    }

    /// What makes a table: it scrolls by itself, and its cells say their columns.
    fn take_table(&mut self, event: Event<'t>) {
        let columns = &mut self.columns;
        match event {
            Event::Start(Tag::Table(_)) => {
                *columns = TableColumns::default();
                self.tables += 1;
                let number = self.tables;
                self.own(&format!(
                    "<div class=\"region\" tabindex=\"0\" role=\"region\" aria-label=\"Table {number}\">"
                ));
            }
            Event::Start(Tag::TableHead) => columns.in_head = true,
            Event::End(TagEnd::TableHead) => columns.in_head = false,
            Event::Start(Tag::TableRow) => columns.at = 0,
            Event::Start(Tag::TableCell) if columns.in_head => columns.names.push(String::new()),
            Event::Start(Tag::TableCell) => return self.cell_begins(),
            Event::End(TagEnd::TableCell) if !columns.in_head => return self.own("</td>"),
            Event::End(TagEnd::Table) => {
                self.put(event);
                return self.own("</div>\n");
            }
            _ => {}
        }
        self.put(event);
    }

    fn cell_begins(&mut self) {
        let name = self.columns.names.get(self.columns.at);
        let name = name.map_or("", String::as_str);
        let name = name.replace('&', "&amp;").replace('"', "&quot;");
        self.columns.at += 1;
        self.own(&format!("<td data-label=\"{name}\">"));
    }

    fn put(&mut self, event: Event<'t>) {
        match &mut self.heading {
            Some((_, events)) => events.push(event),
            None => self.out.push(event),
        }
    }

    /// HTML of this file's.
    fn own(&mut self, html: &str) {
        self.put(Event::Html(html.to_owned().into()));
    }

    fn heading_ends(&mut self) {
        let Some((level, events)) = self.heading.take() else {
            return;
        };
        let text: String = events.iter().filter_map(text_of).collect();
        if level == HeadingLevel::H1 {
            self.title = text;
            return;
        }
        let id = Some(CowStr::from(heading_id(&text)));
        self.out.push(Event::Start(Tag::Heading {
            level,
            id,
            classes: Vec::new(),
            attrs: Vec::new(),
        }));
        self.out.extend(events);
        self.out.push(Event::End(TagEnd::Heading(level)));
    }

    fn code_begins(&mut self, kind: &CodeBlockKind<'_>) {
        self.blocks += 1;
        let id = format!("block-{}", self.blocks);
        let is_copied = match kind {
            CodeBlockKind::Fenced(info) => {
                let mut words = info.split(',');
                !words.next().is_some_and(|it| it == "text" || it == "json")
                    || info.contains("file=")
            }
            CodeBlockKind::Indented => false,
        };
        if is_copied {
            self.own(&format!(
                "<button class=\"quiet needs-script\" type=\"button\" data-copy=\"{id}\">Copy</button>"
            ));
        }
        self.own(&format!("<pre tabindex=\"0\"><code id=\"{id}\">"));
    }

    /// Where a link of the page leads on the console.
    fn address(&self, target: &str) -> String {
        if let Some(path) = target.strip_prefix(CONSOLE) {
            let path = if path.is_empty() { "/" } else { path };
            return format!("{}{path}", self.base);
        }
        if target.contains("://") || target.starts_with('#') {
            return target.to_owned();
        }
        let (path, id) = target.split_once('#').unwrap_or((target, ""));
        let mut parts: Vec<&str> = self.path.split('/').collect();
        parts.pop();
        for part in path.split('/') {
            match part {
                ".." => drop(parts.pop()),
                "." => {}
                part => parts.push(part),
            }
        }
        let path = parts.join("/");
        let path = path.strip_suffix(".md").unwrap_or(&path);
        let mark = if id.is_empty() { "" } else { "#" };
        match path {
            "index" => format!("{}{GUIDE}{mark}{id}", self.base),
            path => format!("{}{GUIDE}/{path}{mark}{id}", self.base),
        }
    }
}

fn text_of(event: &Event<'_>) -> Option<String> {
    match event {
        Event::Text(text) | Event::Code(text) => Some(text.to_string()),
        _ => None,
    }
}

/// The id of a heading: its letters, digits, `-` and `_` in lower case, a dash for each space.
pub(super) fn heading_id(text: &str) -> String {
    let letters = text.trim().chars().filter_map(|it| match it {
        ' ' => Some('-'),
        '-' | '_' => Some(it),
        _ => it.is_alphanumeric().then(|| it.to_ascii_lowercase()),
    });
    letters.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_rendered_for_the_console() {
        let text = "# Title\n\n## A `b` c!\n\n[one](../use/time.md#x) [two](#a) [three](../index.md) <http://127.0.0.1:8800/try>\n\n```console,exit=1\na <b>\n```\n";
        let rendered = page("start/one", text, "/sim");
        assert_eq!(rendered.title, "Title");
        insta::assert_snapshot!(rendered.html, @r##"
        <h2 id="a-b-c">A <code>b</code> c!</h2>
        <p><a href="/sim/guide/use/time#x">one</a> <a href="#a">two</a> <a href="/sim/guide">three</a> <a href="/sim/try">http://127.0.0.1:8800/try</a></p>
        <button class="quiet needs-script" type="button" data-copy="block-1">Copy</button><pre tabindex="0"><code id="block-1">a &lt;b&gt;
        </code></pre>
        "##);
    }

    #[test]
    fn no_html_of_a_page_gets_through() {
        let text = "# <b>T</b>\n\n<!-- made: x -->\n<script>alert(1)</script>\n\na <img src=x onerror=y> b\n\n```html\n<i>\n```\n\n[x](javascript:alert)";
        let rendered = page("a", text, "");
        insta::assert_snapshot!(rendered.html, @r#"
        <p>a  b</p>
        <button class="quiet needs-script" type="button" data-copy="block-1">Copy</button><pre tabindex="0"><code id="block-1">&lt;i&gt;
        </code></pre>
        <p><a href="/guide/javascript:alert">x</a></p>
        "#);
    }

    #[test]
    fn a_table_scrolls_by_itself() {
        let rendered = page("a", "# T\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", "");
        assert!(rendered.html.starts_with(
            "<div class=\"region\" tabindex=\"0\" role=\"region\" aria-label=\"Table 1\"><table>"
        ));
        assert!(
            rendered.html.ends_with("</table>\n</div>\n"),
            "{}",
            rendered.html
        );
        // Each cell says its column, which a narrow screen shows beside it.
        let cells = "<td data-label=\"a\">1</td><td data-label=\"b\">2</td>";
        assert!(rendered.html.contains(cells), "{}", rendered.html);
    }
}
