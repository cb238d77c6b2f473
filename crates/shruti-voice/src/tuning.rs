//! Replacement of the embedded acoustic data, for parameter searches; never in a release.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use crate::tables::Tables;

thread_local! {
    static FILES: RefCell<BTreeMap<String, String>> = const { RefCell::new(BTreeMap::new()) };
    static TRIAL: Cell<Option<Trial>> = const { Cell::new(None) };
}

/// Acoustic data under trial. It is leaked: about 40 kB for the lifetime of the process.
#[derive(Clone, Copy)]
pub struct Trial(&'static Tables);

impl Trial {
    /// Parses files that replace embedded ones. The map contains the text by file name relative to `data/`
    /// (`vowels.tsv`, `languages/hi.toml`).
    ///
    /// # Errors
    ///
    /// Returns an error if a file is invalid.
    pub fn new(files: BTreeMap<String, String>) -> Result<Self, String> {
        FILES.set(files);
        let tables = Tables::parse();
        FILES.take();
        Ok(Self(Box::leak(Box::new(tables?))))
    }

    /// Uses this data for everything that the current thread renders from now on.
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
