//! The names of shared schemas: one for each thing an operation takes, gives and sends. Chosen so that no
//! generator of clients makes a type of its own under one of them.

/// What a schema is to its operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SchemaRole {
    /// The body of a request.
    Input,
    /// The `data` of an answer.
    Result,
    /// The `data` of an answer that only ever promises a result.
    Promise,
    /// The whole answer of a success.
    Answer,
    /// The body of the webhook that brings the end.
    Event,
}

/// The name of the schema of an operation or a bundle.
pub(super) fn schema_name(id: &str, role: SchemaRole) -> String {
    format!("{}{role:?}", type_name(id))
}

/// A name as types have it: `some.dotted-name` is `SomeDottedName`.
pub(super) fn type_name(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    words.map(capitalized).collect()
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// The name of the schema and of the answer of a failure with this status.
pub(super) fn error_name(status: u16) -> String {
    format!("Error{status}")
}
