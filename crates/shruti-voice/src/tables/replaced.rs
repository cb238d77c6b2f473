//! Data that the current thread uses instead of the embedded data.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use super::Tables;

thread_local! {
    static FILES: RefCell<BTreeMap<String, String>> = const { RefCell::new(BTreeMap::new()) };
    static TABLES: Cell<Option<&'static Tables>> = const { Cell::new(None) };
}

/// Parses the tables with some files replaced. The map contains the text by file name relative to `data/`.
pub(crate) fn parse(files: BTreeMap<String, String>) -> Result<Tables, String> {
    FILES.set(files);
    let tables = Tables::parse();
    FILES.take();
    tables
}

/// Makes the current thread use these tables from now on.
pub(crate) fn apply(tables: &'static Tables) {
    TABLES.set(Some(tables));
}

/// Returns the tables that the current thread uses instead of the embedded ones.
pub(super) fn tables() -> Option<&'static Tables> {
    TABLES.get()
}

/// Returns the text that replaces a file while [`parse`] runs, if there is one.
pub(super) fn file(name: &str) -> Option<String> {
    FILES.with_borrow(|files| files.get(name).cloned())
}
