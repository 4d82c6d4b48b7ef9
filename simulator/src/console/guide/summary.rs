//! What `SUMMARY.md` says: the parts of the book, and the pages of each in their order.

/// A part of the book.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct BookPart<'t> {
    /// Empty for what comes before the first heading.
    pub(super) title: &'t str,
    /// Title and path.
    pub(super) pages: Vec<(&'t str, &'t str)>,
}

/// Reads a summary as mdBook does: headings, and links in lists or alone.
pub(super) fn parts(summary: &str) -> Vec<BookPart<'_>> {
    let mut parts = vec![BookPart::default()];
    for line in summary.lines().skip(1) {
        if let Some(title) = line.strip_prefix("# ") {
            let pages = Vec::new();
            parts.push(BookPart { title, pages });
        } else if let Some(link) = link(line)
            && let Some(part) = parts.last_mut()
        {
            part.pages.push(link);
        }
    }
    parts.retain(|part| !part.pages.is_empty());
    parts
}

fn link(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let rest = line.strip_prefix("- ").unwrap_or(line).strip_prefix('[')?;
    let (title, rest) = rest.split_once("](")?;
    Some((title, rest.strip_suffix(')')?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_stand_below_the_heading_before_them() {
        let summary =
            "# Summary\n\n[A](a.md)\n\n# Two\n\n- [B](b/c.md)\n  - [D](d.md)\n\n# Empty\n";
        let titles = parts(summary);
        assert_eq!(
            titles,
            [
                BookPart {
                    title: "",
                    pages: vec![("A", "a.md")]
                },
                BookPart {
                    title: "Two",
                    pages: vec![("B", "b/c.md"), ("D", "d.md")]
                },
            ]
        );
    }
}
