//! Conversion of panics and failures to statuses and error messages.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::types::ShrutiStatus;

thread_local! {
    static LAST_ERROR: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Status and message of a failed call.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) ShrutiStatus, pub(crate) String);

impl Failure {
    pub(crate) fn new(status: ShrutiStatus, message: impl Into<String>) -> Self {
        Self(status, message.into())
    }
}

/// Runs a call. Converts a failure or a panic to a status and stores its message.
pub(crate) fn guarded(call: impl FnOnce() -> Result<ShrutiStatus, Failure>) -> ShrutiStatus {
    // `AssertUnwindSafe` is sound: all shared state is in mutexes whose poison flags are ignored, and each change is a
    // single step
    let result = catch_unwind(AssertUnwindSafe(call));
    match result {
        Ok(Ok(status)) => status,
        Ok(Err(Failure(status, message))) => {
            set_last_error(message);
            status
        }
        Err(_) => {
            set_last_error("internal error".to_owned());
            ShrutiStatus::ErrorPanic
        }
    }
}

/// Runs a call that has no status. Returns `fallback` if it panics.
pub(crate) fn guarded_or<T>(fallback: T, call: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or(fallback)
}

fn set_last_error(message: String) {
    LAST_ERROR.with(|last| *last.borrow_mut() = message);
}

/// Returns the message of the last failure on this thread.
pub(crate) fn last_error() -> String {
    LAST_ERROR.with(|last| last.borrow().clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_returned_as_a_status() {
        let status = guarded(|| panic!("inside"));
        assert_eq!(status, ShrutiStatus::ErrorPanic);
        assert_eq!(last_error(), "internal error");
        assert_eq!(guarded_or(7, || panic!("inside")), 7);
    }

    #[test]
    fn error_messages_are_per_thread() {
        let fail = || guarded(|| Err(Failure::new(ShrutiStatus::ErrorValue, "no such voice")));
        assert_eq!(fail(), ShrutiStatus::ErrorValue);
        assert_eq!(last_error(), "no such voice");
        let other = std::thread::spawn(last_error).join().expect("the thread does not panic");
        assert_eq!(other, "");
    }
}
