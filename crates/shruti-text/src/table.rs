//! Hash tables of words that are built once and searched for every word of the text.
//!
//! Their keys are part of the program, so an attacker cannot choose colliding keys. A fast hash with a fixed seed is
//! enough, without the collision protection of the standard library.

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;

/// Hash map whose keys are part of the program.
pub(crate) type Table<K, V> = HashMap<K, V, FixedState>;

/// Hash set whose keys are part of the program.
pub(crate) type Set<K> = HashSet<K, FixedState>;
