//! Which request field a text was perhaps meant for, where several take it. Knows the fields' formats and examples alone,
//! and nobody of the population.

use std::collections::BTreeSet;

use svc_fixtures::contract::{Contract, Field};
use svc_fixtures::sample;

/// How well a text fits a field that takes it; the least fits best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fit {
    /// Whether it is not written like the field's example, letter for letter and digit for digit.
    other_letters: bool,
    /// Whether it is not made of the same signs, in whatever order and however many: letters, digits, spaces, an `@`.
    other_signs: bool,
    /// How many texts near it the field takes, too: few where its format is strict.
    near: usize,
}

/// So much of a text is looked at: no identifier is longer.
const LOOKED_AT: usize = 40;

/// What is put in the place of each character to see how strict a format is.
const OTHERS: [char; 4] = ['A', '0', ' ', '-'];

/// Whether a field takes a text.
pub(super) fn takes(contract: &Contract, field: &Field, text: &str) -> bool {
    let value = sample::with_text(contract, field, text);
    field.check(&value, &contract.formats, &[]).is_ok()
}

/// How well this text fits a field that takes it.
pub(super) fn fit(contract: &Contract, field: &Field, text: &str) -> Fit {
    let example = sample::value(contract, field);
    let example = sample::first_text(&example);
    let chars: Vec<char> = text.chars().take(LOOKED_AT).collect();
    let near = (0..chars.len()).flat_map(|at| OTHERS.map(|other| (at, other)));
    let near = near.filter(|&(at, other)| {
        let mut near = chars.clone();
        near[at] = other;
        takes(contract, field, &near.into_iter().collect::<String>())
    });
    Fit {
        other_letters: letters(text) != letters(example),
        other_signs: signs(text) != signs(example),
        near: near.count(),
    }
}

/// The text with one sign for all letters and one for all digits.
fn letters(text: &str) -> String {
    let sign = |it: char| match it {
        it if it.is_alphabetic() => 'A',
        it if it.is_ascii_digit() => '9',
        it => it,
    };
    text.chars().map(sign).collect()
}

/// The signs that stand in it.
fn signs(text: &str) -> BTreeSet<char> {
    letters(text).chars().collect()
}
