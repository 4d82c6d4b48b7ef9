//! What the parts of an account take in memory: estimates that `benches/soak` holds against the resident
//! memory of the process.

/// So many, of so many bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sum {
    /// How many.
    pub count: usize,
    /// What they take.
    pub bytes: usize,
}

/// The allocator's own part of each piece of memory, about.
pub(super) const ALLOCATED: usize = 16;

/// What a text of its own takes.
pub(super) fn text_bytes(text: &str) -> usize {
    ALLOCATED + text.len()
}

/// What a place in a map takes. Maps grow by doubling: on average a quarter of their places is free.
pub(super) const fn map_place<K, V>() -> usize {
    (size_of::<(K, V)>() + 1) * 4 / 3
}

/// What a place in an ordered set takes: a tree whose nodes are half full at worst.
pub(super) const fn set_place<T>() -> usize {
    size_of::<T>() * 3 / 2
}
