//! The contract tests.
