//! Tables of words that are built once and looked into for every word that is read.
//!
//! What is in them is part of the program, so nobody outside can choose keys that collide: a quick hash with a fixed
//! seed will do where the standard library's guards against that.

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;

/// A table of the program.
pub(crate) type Table<K, V> = HashMap<K, V, FixedState>;

/// A set of words of the program.
pub(crate) type Set<K> = HashSet<K, FixedState>;
