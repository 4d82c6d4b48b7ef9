//! A map that knows what its entries weigh and which of them may be forgotten, the oldest first. Its
//! sums run along, so that nothing is ever counted anew. Must not know what it keeps, or how much.

use std::borrow::Borrow;
use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::mem::size_of;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::ids::VerificationId;

/// What something takes beside its own place: texts, bytes, lists. An estimate that is the same
/// whenever the same is asked.
pub trait Heap {
    /// In bytes.
    fn heap(&self) -> usize;
}

/// Whether something may be forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Something is still to come of it: it is never forgotten.
    Open,
    /// It has come to its end.
    Over,
}

/// Who bytes count for that several share: the call log while it has them, else each of the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counts {
    /// The call log has the same bytes.
    There,
    /// It has them no more.
    Here,
}

/// What is kept in a map of this kind.
pub trait Keepable: Heap {
    /// Whether it may be forgotten now.
    fn standing(&self) -> Standing;
}

/// The map.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept<K: Eq + Hash, V> {
    by_key: HashMap<K, Slot<V>, FixedState>,
    /// Those that are over, the one that has been so longest first. One whose number is not its
    /// slot's any more stands for nothing.
    by_age: VecDeque<(u64, K)>,
    next: u64,
    open: Sum,
    over: Sum,
    forgotten: u64,
}

/// So many, of so many bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sum {
    /// How many.
    pub count: usize,
    /// What they weigh.
    pub bytes: usize,
}

#[derive(Debug, Clone, PartialEq)]
struct Slot<V> {
    value: V,
    /// Its place in the order of age; [`OPEN`] where it has none.
    number: u64,
}

const OPEN: u64 = u64::MAX;
/// The allocator's own part of each piece of memory, about.
const ALLOCATED: usize = 16;

impl<K: Eq + Hash, V> Default for Kept<K, V> {
    fn default() -> Self {
        Kept {
            by_key: HashMap::default(),
            by_age: VecDeque::new(),
            next: 0,
            open: Sum::default(),
            over: Sum::default(),
            forgotten: 0,
        }
    }
}

impl<K: Eq + Hash + Clone + Heap, V: Keepable> Kept<K, V> {
    /// What each entry takes in the map. Maps and queues grow by doubling: on average a quarter of
    /// their places is free.
    const PLACE: usize = (size_of::<(K, Slot<V>)>() + 1 + size_of::<(u64, K)>()) * 4 / 3;

    /// What is kept under a key.
    #[must_use]
    pub fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.by_key.get(key).map(|slot| &slot.value)
    }

    /// Keeps something in the place of what was kept under this key. Gives that back.
    pub fn put(&mut self, key: K, value: V) -> Option<V> {
        let before = self.take::<K>(&key);
        let (number, old) = before.map_or((OPEN, None), |slot| (slot.number, Some(slot.value)));
        self.insert(key, value, number);
        old
    }

    /// Changes what is kept under a key, where something is.
    pub fn change<Q: Eq + Hash + ?Sized>(&mut self, key: &Q, change: impl FnOnce(&mut V))
    where
        K: Borrow<Q>,
    {
        let Some((key, _)) = self.by_key.get_key_value(key) else {
            return;
        };
        let key = key.clone();
        if let Some(mut slot) = self.take::<K>(&key) {
            change(&mut slot.value);
            self.insert(key, slot.value, slot.number);
        }
    }

    /// What is kept under a key, not kept any more. It does not count as forgotten.
    pub fn remove<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let slot = self.take(key)?;
        self.tidy();
        Some(slot.value)
    }

    /// Forgets the one that has been over longest. None where there is none.
    pub fn forget_oldest(&mut self) -> Option<(K, V)> {
        while let Some((number, key)) = self.by_age.pop_front() {
            if self.stands(number, &key) {
                let slot = self.take::<K>(&key)?;
                self.forgotten += 1;
                return Some((key, slot.value));
            }
        }
        None
    }

    /// Gives back the room of what was forgotten.
    pub fn shrink(&mut self) {
        self.by_key.shrink_to_fit();
        self.by_age.shrink_to_fit();
    }

    fn stands(&self, number: u64, key: &K) -> bool {
        self.by_key.get(key).is_some_and(|it| it.number == number)
    }

    fn insert(&mut self, key: K, value: V, number: u64) {
        let standing = value.standing();
        let sum = self.sum(standing);
        sum.count += 1;
        sum.bytes += Self::weight(&key, &value);
        let number = match (standing, number) {
            (Standing::Open, _) => OPEN,
            (Standing::Over, OPEN) => {
                let number = self.next;
                self.next += 1;
                self.by_age.push_back((number, key.clone()));
                number
            }
            // What was over and still is keeps its age.
            (Standing::Over, number) => number,
        };
        self.by_key.insert(key, Slot { value, number });
        self.tidy();
    }

    fn take<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<Slot<V>>
    where
        K: Borrow<Q>,
    {
        let (key, slot) = self.by_key.remove_entry(key)?;
        let sum = self.sum(slot.value.standing());
        sum.count -= 1;
        sum.bytes -= Self::weight(&key, &slot.value);
        Some(slot)
    }

    fn sum(&mut self, standing: Standing) -> &mut Sum {
        match standing {
            Standing::Open => &mut self.open,
            Standing::Over => &mut self.over,
        }
    }

    fn weight(key: &K, value: &V) -> usize {
        Self::PLACE + key.heap() + value.heap()
    }

    /// What stands for nothing any more is swept out when it is the greater part: a constant effort
    /// for each change.
    fn tidy(&mut self) {
        if self.by_age.len() > 2 * self.over.count + 16 {
            let mut by_age = std::mem::take(&mut self.by_age);
            by_age.retain(|(number, key)| self.stands(*number, key));
            self.by_age = by_age;
        }
    }

    /// The sums, counted anew: for tests of those that run along.
    #[must_use]
    pub fn recount(&self) -> (Sum, Sum) {
        let (mut open, mut over) = (Sum::default(), Sum::default());
        for (key, slot) in &self.by_key {
            let sum = match slot.value.standing() {
                Standing::Open => &mut open,
                Standing::Over => &mut over,
            };
            sum.count += 1;
            sum.bytes += Self::weight(key, &slot.value);
        }
        (open, over)
    }
}

impl<K: Eq + Hash, V> Kept<K, V> {
    /// Those that are never forgotten now.
    #[must_use]
    pub fn open(&self) -> Sum {
        self.open
    }

    /// Those that may be forgotten.
    #[must_use]
    pub fn over(&self) -> Sum {
        self.over
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_key.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    /// How many were forgotten to bound memory.
    #[must_use]
    pub fn forgotten(&self) -> u64 {
        self.forgotten
    }

    /// Those that are over, the one that has been so longest first, then the open ones by key.
    pub fn in_order(&self) -> impl Iterator<Item = (&K, &V)>
    where
        K: Ord,
    {
        let mut all: Vec<_> = self.by_key.iter().collect();
        all.sort_unstable_by_key(|(key, slot)| (slot.number, *key));
        all.into_iter().map(|(key, slot)| (key, &slot.value))
    }
}

impl Heap for VerificationId {
    fn heap(&self) -> usize {
        0
    }
}

impl Heap for Arc<str> {
    fn heap(&self) -> usize {
        ALLOCATED + 2 * size_of::<usize>() + self.len()
    }
}

impl Heap for (usize, Box<str>) {
    fn heap(&self) -> usize {
        2 * (ALLOCATED + self.1.len())
    }
}

/// What bytes take that several may share.
#[must_use]
pub fn shared(bytes: &bytes::Bytes) -> usize {
    // The bytes themselves, and the count of those that share them.
    2 * ALLOCATED + 4 * size_of::<usize>() + bytes.len()
}

/// What a text of its own takes.
#[must_use]
pub fn text(text: &str) -> usize {
    ALLOCATED + text.len()
}
