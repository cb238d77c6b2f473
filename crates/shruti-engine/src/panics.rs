//! Handling of panics in back ends, so that a panic does not end a worker.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Error for a step that panicked.
pub(crate) struct Panicked;

/// Runs a step and catches a panic.
///
/// After a panic, the data that the step was working on is dropped and never used again, and back ends must stay
/// usable. Therefore no broken state is observable, as `AssertUnwindSafe` asserts.
pub(crate) fn contained<T>(step: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(step)).map_err(|_| Panicked)
}
