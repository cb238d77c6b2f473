//! Other acoustic data in place of the embedded files, for searches over parameters; never in a release.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use crate::tables::Tables;

thread_local! {
    static FILES: RefCell<BTreeMap<String, String>> = const { RefCell::new(BTreeMap::new()) };
    static TRIAL: Cell<Option<Trial>> = const { Cell::new(None) };
}

/// Acoustic data under trial. It stays in memory, some 40 kB, for the life of the process.
#[derive(Clone, Copy)]
pub struct Trial(&'static Tables);

impl Trial {
    /// Reads files instead of the embedded ones: names under `data/` (`vowels.tsv`, `languages/hi.toml`) to their text.
    ///
    /// # Errors
    ///
    /// What is wrong with a file.
    pub fn new(files: BTreeMap<String, String>) -> Result<Self, String> {
        FILES.set(files);
        let tables = Tables::parse();
        FILES.take();
        Ok(Self(Box::leak(Box::new(tables?))))
    }

    /// Lets all that this thread renders from now on speak with this data.
    pub fn apply(self) {
        TRIAL.set(Some(self));
    }

    pub(crate) fn present() -> Option<&'static Tables> {
        TRIAL.get().map(|trial| trial.0)
    }
}

pub(crate) fn file(name: &str) -> Option<String> {
    FILES.with_borrow(|files| files.get(name).cloned())
}
