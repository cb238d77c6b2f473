//! Runs futures on a runtime.

use futures_util::FutureExt;
use tokio::runtime::Runtime;

/// Runs a future to completion. The future is boxed, because the code of a runtime is generated for each type of future,
/// with several copies of the future in it.
pub(crate) fn block_on<T>(runtime: &Runtime, work: impl Future<Output = T>) -> T {
    runtime.block_on(work.boxed_local())
}
