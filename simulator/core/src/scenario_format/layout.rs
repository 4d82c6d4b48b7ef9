//! The one layout of scenario files: blanks, indentation and empty lines. Tokens, their order and
//! comments stay as they are written, so that a file means after it what it meant before.

use toml_parser::Source;
use toml_parser::lexer::{Token, TokenKind};

/// One more level of indentation.
const STEP: &str = "  ";

/// A TOML text in the one layout. The text must be TOML: of any other only blanks are moved, too, but
/// nobody can say what it meant.
#[must_use]
pub fn format_toml(text: &str) -> String {
    let source = Source::new(text);
    let tokens: Vec<Token> = source.lex().collect();
    let mut layout = Layout {
        text,
        out: String::with_capacity(text.len()),
        open: Vec::new(),
        blank: false,
        opening: false,
        above: None,
    };
    let mut column = 0;
    for (number, line) in lines(&tokens).enumerate() {
        let begins = line.first().map_or(column, |token| token.span().start());
        layout.line(number, line, begins);
        column = line.last().map_or(begins, |token| token.span().end());
    }
    layout.out
}

/// The tokens of each line, without those that end it.
fn lines(tokens: &[Token]) -> impl Iterator<Item = &[Token]> {
    tokens.split(|token| matches!(token.kind(), TokenKind::Newline | TokenKind::Eof))
}

struct Layout<'t> {
    text: &'t str,
    out: String,
    /// For each bracket that is open, the line it was opened on: brackets of one line indent once.
    open: Vec<usize>,
    /// Whether an empty line was read since the last one that is written.
    blank: bool,
    /// Whether the last line that is written ends with a bracket that is opened.
    opening: bool,
    /// What the last line that is written was.
    above: Option<Line>,
}

/// What a line is, as far as empty lines go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    /// `[table]` or `[[table]]`.
    Header,
    /// Nothing but a comment.
    Comment {
        /// Where it begins in what is written.
        at: usize,
    },
    Other,
}

impl Layout<'_> {
    fn line(&mut self, number: usize, line: &[Token], begins: usize) {
        let blank = |token: &&Token| token.kind() != TokenKind::Whitespace;
        let tokens: Vec<&Token> = line.iter().filter(blank).collect();
        let Some(first) = tokens.first() else {
            self.blank = true;
            return;
        };
        let kind = match first.kind() {
            TokenKind::Comment => Line::Comment { at: self.out.len() },
            TokenKind::LeftSquareBracket if self.open.is_empty() => Line::Header,
            _ => Line::Other,
        };
        // Neither the first nor the last line between brackets is empty.
        self.blank &= !self.opening && !closes(first.kind());
        let kind = self.separate(kind);
        let closing = tokens.iter().take_while(|token| closes(token.kind()));
        let closing = closing.count();
        let depth = self.open.len().saturating_sub(closing);
        let mut indented: Vec<usize> = self.open[..depth].to_vec();
        indented.dedup();
        let start = self.out.len();
        self.out.push_str(&STEP.repeat(indented.len()));
        let mut before: Option<&Token> = None;
        for token in &tokens {
            if let Some(before) = before {
                self.between(before, token, start, begins);
            }
            let span = token.span();
            self.out
                .push_str(self.text[span.start()..span.end()].trim_end());
            self.count(number, token.kind(), kind);
            before = Some(token);
        }
        self.out.push('\n');
        let words = |token: &&&Token| token.kind() != TokenKind::Comment;
        let last = tokens.iter().rev().find(words).map(|token| token.kind());
        self.opening = last.is_some_and(opens);
        (self.above, self.blank) = (Some(kind), false);
    }

    /// Writes the empty line that belongs above a line: one where there were some, one above each
    /// table with the comments that stand right above it.
    fn separate(&mut self, kind: Line) -> Line {
        let Some(above) = self.above else {
            return kind;
        };
        if self.blank {
            self.out.push('\n');
        } else if kind == Line::Header {
            match above {
                Line::Comment { at } if self.out[..at].ends_with("\n\n") || at == 0 => {}
                Line::Comment { at } => self.out.insert(at, '\n'),
                Line::Header | Line::Other => self.out.push('\n'),
            }
        }
        match (kind, above) {
            // Of a block of comments the first one counts.
            (Line::Comment { .. }, Line::Comment { at }) if !self.blank => Line::Comment { at },
            (Line::Comment { .. }, _) => Line::Comment { at: self.out.len() },
            (kind, _) => kind,
        }
    }

    /// Writes what stands between two tokens of a line.
    fn between(&mut self, before: &Token, token: &Token, start: usize, begins: usize) {
        use TokenKind::{
            Atom, Comma, Comment, Dot, Equals, LeftCurlyBracket, LeftSquareBracket,
            RightCurlyBracket, RightSquareBracket,
        };
        let blanks = match (before.kind(), token.kind()) {
            (_, Comment) => self.until_comment(token, start, begins),
            (LeftCurlyBracket, RightCurlyBracket) => 0,
            (_, Comma | Dot | RightSquareBracket) | (Dot | LeftSquareBracket, _) => 0,
            (_, Equals | RightCurlyBracket) | (Equals | Comma | LeftCurlyBracket, _) => 1,
            // A day and a time of day.
            (Atom, Atom) => 1,
            _ => 0,
        };
        self.out.extend(std::iter::repeat_n(' ', blanks));
    }

    /// A comment after something stays in its column where it can.
    fn until_comment(&self, token: &Token, start: usize, begins: usize) -> usize {
        let last = |text: &str| {
            text.rsplit('\n')
                .next()
                .map_or(0, |line| line.chars().count())
        };
        let (column, written) = (
            last(&self.text[begins..token.span().start()]),
            last(&self.out[start..]),
        );
        column.saturating_sub(written).max(1)
    }

    fn count(&mut self, number: usize, token: TokenKind, line: Line) {
        match token {
            // The brackets of a header are no list.
            _ if line == Line::Header => {}
            kind if opens(kind) => self.open.push(number),
            kind if closes(kind) => {
                self.open.pop();
            }
            _ => {}
        }
    }
}

fn opens(token: TokenKind) -> bool {
    [TokenKind::LeftSquareBracket, TokenKind::LeftCurlyBracket].contains(&token)
}

fn closes(token: TokenKind) -> bool {
    [TokenKind::RightSquareBracket, TokenKind::RightCurlyBracket].contains(&token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_and_empty_lines_are_laid_out() {
        let text = "\n\n# about\n  name   =\"a\"  # why\n\n\n[[ scenario ]]\nwhen={pan=[ 'x',\"y\" ,]  , b . c=1.5}\n\
                    # the next\n[[scenario]] # second\nlist = [   # these\n\"a\",  # first\n\n\n{ x = [\n1,\n] } ]\n\
                    text = '''\n  as it\n\n\n   is'''   # kept\nday = 2027-01-15 08:00:00\n\n\n";
        insta::assert_snapshot!(format_toml(text), @r#"
        # about
        name = "a"     # why

        [[scenario]]
        when = { pan = ['x', "y",], b.c = 1.5 }

        # the next
        [[scenario]] # second
        list = [   # these
          "a", # first

          { x = [
            1,
        ] }]
        text = '''
          as it


           is'''   # kept
        day = 2027-01-15 08:00:00
        "#);
    }

    #[test]
    fn a_file_without_anything_stays_so() {
        assert_eq!(format_toml(""), "");
        assert_eq!(format_toml("\n \n"), "");
        assert_eq!(format_toml("# a"), "# a\n");
        assert_eq!(format_toml("a = {}\r\nb = []\r\n"), "a = {}\nb = []\n");
    }
}
