//! A map that stays small.

use std::collections::HashMap;
use std::hash::Hash;

/// A bounded map that forgets what was not used lately: two generations, of which the older is dropped when the
/// younger is full.
#[derive(Debug)]
pub struct Recent<K, V> {
    young: HashMap<K, V>,
    old: HashMap<K, V>,
    half: usize,
}

impl<K: Eq + Hash + Clone, V> Recent<K, V> {
    /// An empty one that holds at most `capacity` entries, and the half of them that was used last for certain.
    pub fn new(capacity: usize) -> Self {
        Self { young: HashMap::new(), old: HashMap::new(), half: capacity / 2 }
    }

    /// What is remembered of a key; looking counts as use.
    pub fn get(&mut self, key: &K) -> Option<&V> {
        if let Some((key, value)) = self.old.remove_entry(key) {
            self.insert(key, value);
        }
        self.young.get(key)
    }

    /// Remembers, in place of what was remembered before.
    pub fn insert(&mut self, key: K, value: V) {
        if self.young.len() >= self.half && !self.young.contains_key(&key) {
            self.old = std::mem::take(&mut self.young);
        }
        self.old.remove(&key);
        self.young.insert(key, value);
    }

    /// Forgets.
    pub fn remove(&mut self, key: &K) {
        self.young.remove(key);
        self.old.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_lately_stays_and_the_rest_goes() {
        let mut recent = Recent::new(8);
        for i in 0..100 {
            recent.insert(i, i);
            assert_eq!(recent.get(&0), Some(&0), "used after each of {i} insertions");
            assert!(recent.young.len() + recent.old.len() <= 8);
        }
        assert_eq!(recent.get(&1), None);
    }
}
