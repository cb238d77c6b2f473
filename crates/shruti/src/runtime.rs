//! Runs futures on a runtime.

use futures_util::FutureExt;
use tokio::runtime::Runtime;

/// Runs a future to completion. The future is boxed, because the compiler generates the code of `Runtime::block_on` for
/// each type of future, and that code contains several copies of the future.
pub(crate) fn block_on<T>(runtime: &Runtime, work: impl Future<Output = T>) -> T {
    runtime.block_on(work.boxed_local())
}
