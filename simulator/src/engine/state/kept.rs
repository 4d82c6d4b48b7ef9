//! A map that knows what its entries weigh and which of them may be forgotten, the oldest first. Its
//! sums run along, so that nothing is ever counted anew. Must not know what it keeps, or how much.

use std::borrow::Borrow;
use std::collections::hash_map::Entry;
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
    tally: Tally<K>,
    forgotten: u64,
}

/// The sums, and the order of age.
#[derive(Debug, Clone, PartialEq)]
struct Tally<K> {
    open: Sum,
    over: Sum,
    /// Those that are over, the one that has been so longest first. One whose number is not its
    /// slot's any more stands for nothing.
    by_age: VecDeque<(u64, K)>,
    next: u64,
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
            tally: Tally {
                open: Sum::default(),
                over: Sum::default(),
                by_age: VecDeque::new(),
                next: 0,
            },
            forgotten: 0,
        }
    }
}

impl<K: Eq + Hash + Clone + Heap> Tally<K> {
    /// What each entry takes in the map. Maps and queues grow by doubling: on average a quarter of
    /// their places is free.
    const fn place<V>() -> usize {
        (size_of::<(K, Slot<V>)>() + 1 + size_of::<(u64, K)>()) * 4 / 3
    }

    fn weight<V: Keepable>(key: &K, value: &V) -> usize {
        Self::place::<V>() + key.heap() + value.heap()
    }

    fn sum(&mut self, standing: Standing) -> &mut Sum {
        match standing {
            Standing::Open => &mut self.open,
            Standing::Over => &mut self.over,
        }
    }

    /// Counts something in that had this number before. Gives the number it has now.
    fn enter<V: Keepable>(&mut self, number: u64, key: &K, value: &V) -> u64 {
        let standing = value.standing();
        let sum = self.sum(standing);
        sum.count += 1;
        sum.bytes += Self::weight(key, value);
        match (standing, number) {
            (Standing::Open, _) => OPEN,
            (Standing::Over, OPEN) => {
                let number = self.next;
                self.next += 1;
                self.by_age.push_back((number, key.clone()));
                number
            }
            // What was over and still is keeps its age.
            (Standing::Over, number) => number,
        }
    }

    /// Counts something out.
    fn leave<V: Keepable>(&mut self, key: &K, value: &V) {
        let sum = self.sum(value.standing());
        sum.count -= 1;
        sum.bytes -= Self::weight(key, value);
    }
}

impl<K: Eq + Hash + Clone + Heap, V: Keepable> Kept<K, V> {
    /// What is kept under a key.
    #[must_use]
    pub fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.by_key.get(key).map(|slot| &slot.value)
    }

    /// RetentionLimits something in the place of what was kept under this key. Gives that back.
    pub fn put(&mut self, key: K, value: V) -> Option<V> {
        let old = match self.by_key.entry(key) {
            Entry::Vacant(place) => {
                let number = self.tally.enter(OPEN, place.key(), &value);
                place.insert(Slot { value, number });
                return None;
            }
            Entry::Occupied(mut place) => {
                self.tally.leave(place.key(), &place.get().value);
                let number = place.get().number;
                let number = self.tally.enter(number, place.key(), &value);
                place.insert(Slot { value, number })
            }
        };
        self.tidy();
        Some(old.value)
    }

    /// Changes what is kept under a key, where something is.
    pub fn change<Q: Eq + Hash + ?Sized>(&mut self, key: &Q, change: impl FnOnce(&mut V))
    where
        K: Borrow<Q>,
    {
        let Some((known, _)) = self.by_key.get_key_value(key) else {
            return;
        };
        let known = known.clone();
        if let Some(slot) = self.by_key.get_mut(key) {
            self.tally.leave(&known, &slot.value);
            change(&mut slot.value);
            slot.number = self.tally.enter(slot.number, &known, &slot.value);
        }
        self.tidy();
    }

    /// What is kept under a key, not kept any more. It does not count as forgotten.
    pub fn remove<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let (key, slot) = self.by_key.remove_entry(key)?;
        self.tally.leave(&key, &slot.value);
        self.tidy();
        Some(slot.value)
    }

    /// Forgets the one that has been over longest. None where there is none.
    pub fn forget_oldest(&mut self) -> Option<(K, V)> {
        while let Some((number, key)) = self.tally.by_age.pop_front() {
            if let Entry::Occupied(place) = self.by_key.entry(key)
                && place.get().number == number
            {
                let (key, slot) = place.remove_entry();
                self.tally.leave(&key, &slot.value);
                self.forgotten += 1;
                return Some((key, slot.value));
            }
        }
        None
    }

    /// Gives back the room of what was forgotten.
    pub fn shrink(&mut self) {
        if is_loose(self.by_key.capacity(), self.by_key.len()) {
            self.by_key.shrink_to_fit();
        }
        shrink(&mut self.tally.by_age);
    }

    /// What stands for nothing any more is swept out when it is the greater part: a constant effort
    /// for each change.
    fn tidy(&mut self) {
        let Tally { by_age, over, .. } = &mut self.tally;
        if by_age.len() > 2 * over.count + 16 {
            let known = &self.by_key;
            by_age.retain(|(number, key)| known.get(key).is_some_and(|it| it.number == *number));
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
            sum.bytes += Tally::weight(key, &slot.value);
        }
        (open, over)
    }
}

impl<K: Eq + Hash, V> Kept<K, V> {
    /// Those that are never forgotten now.
    #[must_use]
    pub fn open(&self) -> Sum {
        self.tally.open
    }

    /// Those that may be forgotten.
    #[must_use]
    pub fn over(&self) -> Sum {
        self.tally.over
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

/// Whether so much room is more than growing by doubling would have come to. To give back less than
/// that would be to ask for it again soon, and each time all entries move.
fn is_loose(capacity: usize, entries: usize) -> bool {
    capacity > 2 * entries
}

/// Gives back the room of a queue where much of it is free.
pub fn shrink<T>(queue: &mut VecDeque<T>) {
    if is_loose(queue.capacity(), queue.len()) {
        queue.shrink_to_fit();
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq)]
    struct Thing {
        bytes: usize,
        open: bool,
    }

    impl Heap for Thing {
        fn heap(&self) -> usize {
            self.bytes
        }
    }

    impl Keepable for Thing {
        fn standing(&self) -> Standing {
            if self.open {
                Standing::Open
            } else {
                Standing::Over
            }
        }
    }

    type Things = Kept<Arc<str>, Thing>;

    #[derive(Debug, Clone)]
    enum Step {
        Put(u8, Thing),
        Change(u8, Thing),
        Remove(u8),
        Forget,
        Shrink,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let thing = || (0usize..500, any::<bool>()).prop_map(|(bytes, open)| Thing { bytes, open });
        let step = prop_oneof![
            6 => (0u8..24, thing()).prop_map(|(key, thing)| Step::Put(key, thing)),
            6 => (0u8..24, thing()).prop_map(|(key, thing)| Step::Change(key, thing)),
            2 => (0u8..24).prop_map(Step::Remove),
            2 => Just(Step::Forget),
            1 => Just(Step::Shrink),
        ];
        prop::collection::vec(step, 0..400)
    }

    /// The same by plain means: oldest first, searched anew each time.
    #[derive(Default)]
    struct Model(Vec<(u8, Thing)>);

    impl Model {
        /// What was over and still is keeps its place, else it is the youngest.
        fn put(&mut self, key: u8, thing: Thing) {
            let place = self.0.iter().position(|(known, _)| *known == key);
            match place {
                Some(place) if !self.0[place].1.open && !thing.open => self.0[place].1 = thing,
                Some(place) => {
                    self.0.remove(place);
                    self.0.push((key, thing));
                }
                None => self.0.push((key, thing)),
            }
        }

        fn forget(&mut self) -> Option<(u8, Thing)> {
            let place = self.0.iter().position(|(_, thing)| !thing.open)?;
            Some(self.0.remove(place))
        }
    }

    fn name(key: u8) -> Arc<str> {
        Arc::from("k".repeat(usize::from(key)))
    }

    fn play(steps: &[Step]) -> Result<(), TestCaseError> {
        let (mut things, mut model) = (Things::default(), Model::default());
        let mut forgotten = 0;
        for step in steps {
            match step.clone() {
                Step::Put(key, thing) => {
                    things.put(name(key), thing);
                    model.put(key, thing);
                }
                Step::Change(key, thing) => {
                    things.change(&*name(key), |it| *it = thing);
                    if model.0.iter().any(|(known, _)| *known == key) {
                        model.put(key, thing);
                    }
                }
                Step::Remove(key) => {
                    let removed = things.remove(&*name(key));
                    let place = model.0.iter().position(|(known, _)| *known == key);
                    prop_assert_eq!(removed, place.map(|place| model.0.remove(place).1));
                }
                Step::Forget => {
                    let oldest = model.forget().map(|(key, thing)| (name(key), thing));
                    forgotten += u64::from(oldest.is_some());
                    prop_assert_eq!(things.forget_oldest(), oldest);
                }
                Step::Shrink => {
                    things.shrink();
                    let (map, queue) = (&things.by_key, &things.tally.by_age);
                    // The smallest map has room for three.
                    prop_assert!(map.capacity() <= (2 * map.len()).max(3));
                    prop_assert!(queue.capacity() <= 2 * queue.len());
                }
            }
            prop_assert_eq!((things.open(), things.over()), things.recount());
            prop_assert_eq!(things.len(), model.0.len());
            prop_assert!(things.tally.by_age.len() <= 2 * things.len() + 17);
        }
        prop_assert_eq!(things.forgotten(), forgotten);
        Ok(())
    }

    #[test]
    fn sums_and_order_are_those_of_a_plain_list_over_random_steps() {
        let config = Config {
            cases: 500,
            failure_persistence: None,
            ..Config::default()
        };
        let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
        let outcome = TestRunner::new_with_rng(config, rng).run(&steps(), |steps| play(&steps));
        outcome.unwrap_or_else(|failure| panic!("{failure}"));
    }
}
