//! Regular expressions of rules, within bounds: a file of some kilobytes must not take gigabytes.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use foldhash::fast::FixedState;
use regex_automata::MatchKind;
use regex_automata::meta::{BuildError, Config, Regex};
use regex_automata::nfa::thompson::WhichCaptures;

/// What one expression may take when it is compiled. `[\w .'-]{1,50}` fits.
pub(crate) const MAX_BYTES: usize = 4 << 20;

/// What all expressions of a set of rules may take together.
pub(crate) const MAX_TOTAL_BYTES: usize = 64 << 20;

/// What each thread may remember of one expression while it runs.
const MEMORY: usize = 64 << 10;

/// A regular expression that was compiled. Clones share it.
#[derive(Clone)]
pub struct Expression(Arc<Compiled>);

struct Compiled {
    text: Box<str>,
    regex: Regex,
}

/// Why a text is no expression of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ExpressionError {
    /// It can't be read.
    Mistake(String),
    /// It takes too much alone.
    TooLarge,
    /// It takes too much together with those before it.
    TooMany {
        /// Whether all before it had room.
        is_first: bool,
    },
}

impl Expression {
    /// As it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0.text
    }

    /// Whether it is found in a text.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        self.0.regex.is_match(text)
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl fmt::Debug for Expression {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), out)
    }
}

/// Compiles the expressions of a set of rules, equal ones once.
#[derive(Default)]
pub(crate) struct ExpressionCompiler {
    known: HashMap<Box<str>, Expression, FixedState>,
    bytes: usize,
}

impl ExpressionCompiler {
    /// The expression of a text.
    pub(crate) fn compile(&mut self, text: &str) -> Result<Expression, ExpressionError> {
        if let Some(known) = self.known.get(text) {
            return Ok(known.clone());
        }
        if self.bytes > MAX_TOTAL_BYTES {
            return Err(ExpressionError::TooMany { is_first: false });
        }
        let config = Config::new().nfa_size_limit(Some(MAX_BYTES));
        let config = config.hybrid_cache_capacity(MEMORY).onepass(false);
        let regex = compile(&[text], config)?;
        self.bytes += regex.memory_usage();
        if self.bytes > MAX_TOTAL_BYTES {
            return Err(ExpressionError::TooMany { is_first: true });
        }
        let compiled = Compiled {
            text: text.into(),
            regex,
        };
        let expression = Expression(Arc::new(compiled));
        self.known.insert(text.into(), expression.clone());
        Ok(expression)
    }
}

/// What each thread may remember of an automaton of many expressions: its states are larger, the more it has.
const MEMORY_OF_ONE: usize = 4 << 10;
const LEAST_MEMORY: usize = 512 << 10;
const MOST_MEMORY: usize = 8 << 20;

/// One automaton that finds all of these expressions.
pub(crate) fn compile_all(texts: &[Box<str>], most_bytes: usize) -> Result<Regex, ExpressionError> {
    let memory = (texts.len() * MEMORY_OF_ONE).clamp(LEAST_MEMORY, MOST_MEMORY);
    let config = Config::new().nfa_size_limit(Some(most_bytes));
    let config = config.hybrid_cache_capacity(memory);
    compile(texts, config.match_kind(MatchKind::All))
}

/// Where in a text something is found is not asked, only whether.
fn compile(texts: &[impl AsRef<str>], config: Config) -> Result<Regex, ExpressionError> {
    let mut builder = Regex::builder();
    builder.configure(config.which_captures(WhichCaptures::None));
    builder.build_many(texts).map_err(|error| reason(&error))
}

fn reason(error: &BuildError) -> ExpressionError {
    match (error.size_limit(), error.syntax_error()) {
        (Some(_), _) => ExpressionError::TooLarge,
        (None, Some(mistake)) => ExpressionError::Mistake(mistake.to_string()),
        (None, None) => ExpressionError::Mistake(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_within_the_bounds_matches_as_it_says() {
        let mut compiler = ExpressionCompiler::default();
        let expression = compiler.compile(r"^[\w .'-]{1,50}$").unwrap();
        assert!(expression.is_match("ASHA RAO-D'SOUZA") && expression.is_match("आशा राव"));
        assert!(!expression.is_match("a@b") && !expression.is_match(&"a".repeat(51)));
        let bytes = compiler.bytes;
        assert!(compiler.compile(expression.as_str()).is_ok());
        assert_eq!(compiler.bytes, bytes);
    }

    #[test]
    fn one_that_is_too_large_and_one_too_many_are_refused() {
        let mut compiler = ExpressionCompiler::default();
        let mut compile = |text: &str| compiler.compile(text).map(|_| ());
        assert_eq!(compile(r"\w{1000}"), Err(ExpressionError::TooLarge));
        assert_eq!(
            compile("((a{1000}){1000}){1000}"),
            Err(ExpressionError::TooLarge)
        );
        assert!(matches!(compile("a("), Err(ExpressionError::Mistake(_))));
        let many = (0..1000).map(|number| compile(&format!(r"\w{{20}}{number}")));
        let results: Vec<_> = many.collect();
        let fit = results.iter().take_while(|result| result.is_ok()).count();
        assert!((20..900).contains(&fit), "{fit}");
        let over = |is_first| Err(ExpressionError::TooMany { is_first });
        assert_eq!(results[fit], over(true));
        assert!(results[fit + 1..].iter().all(|it| *it == over(false)));
        let known = compile(r"\w{20}0");
        assert_eq!(known, Ok(()));
    }

    #[test]
    fn the_book_says_the_bounds() {
        let page = include_str!("../../../../docs/src/reference/limits.md");
        let (one, all) = (MAX_BYTES >> 20, MAX_TOTAL_BYTES >> 20);
        for row in [
            format!("| a regular expression of a rule, compiled | {one} MiB |"),
            format!("| all regular expressions of a set of rules, compiled | {all} MiB |"),
        ] {
            assert!(page.contains(&row), "{row}");
        }
    }
}
