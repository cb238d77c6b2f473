//! Clips by URL and repeated clips: signatures, byte ranges, the cache of rendered clips, and the record of what was
//! charged.
//!
//! | module | what it is for |
//! | --- | --- |
//! | `url` | URLs of clips: reading, canonical form, signature |
//! | `range` | `Range`, `If-Range` and `If-None-Match` |
//! | `digest` | names of rendered clips, made of all that their bytes depend on |
//! | `file`, `cache` | the file of a rendered clip; the files of a folder, within bounds |
//! | `recording` | writes a clip to the cache while it is made |
//! | `ledger` | which clips were charged this month |

mod cache;
mod digest;
mod file;
mod ledger;
pub mod range;
mod recording;
pub mod url;

pub use cache::{CacheLimits, CacheStats, CachedClip, ClipCache};
pub use digest::{ClipDigest, FieldHash, program};
pub use file::Facts;
pub use ledger::{Claim, Due, Ledger};
pub(crate) use recording::Recording;
