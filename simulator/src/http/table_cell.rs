//! Tables of the listings, as the console and the book show them.

/// What stands in one place of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableCell {
    /// What it says.
    pub text: String,
    /// Whether that is to be taken as it is written.
    pub is_code: bool,
}

impl TableCell {
    pub(super) fn text(text: impl Into<String>) -> Self {
        TableCell {
            text: text.into(),
            is_code: false,
        }
    }

    pub(super) fn code(text: impl Into<String>) -> Self {
        TableCell {
            is_code: true,
            ..TableCell::text(text)
        }
    }
}

/// A table in Markdown.
#[must_use]
pub fn markdown_table<C: AsRef<[TableCell]>>(columns: &[String], rows: &[C]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | ").replace("|  |", "| |"));
    let cell = |cell: &TableCell| match cell.is_code && !cell.text.is_empty() {
        true => format!("`{}`", cell.text),
        false => cell.text.clone(),
    };
    let rows = rows.iter();
    let rows = rows.map(|row| line(&row.as_ref().iter().map(cell).collect::<Vec<_>>()));
    let rule = format!("|{}\n", "---|".repeat(columns.len()));
    line(columns) + &rule + &rows.collect::<String>()
}
