//! Signed-URL clips and repeated clips: signatures, byte ranges, the cache of rendered clips, and the record of
//! charges.
//!
//! | module | purpose |
//! | --- | --- |
//! | `url` | URLs of clips: parsing, canonical form, signature |
//! | `range` | `Range`, `If-Range` and `If-None-Match` |
//! | `digest` | names of rendered clips: hashes of everything that the bytes depend on |
//! | `file`, `cache` | file format of a rendered clip; cache folder with size limits |
//! | `recording` | writes a clip to the cache during synthesis |
//! | `rendering` | clips that are being rendered, and their readers |
//! | `ledger` | clips that were charged this month |

mod cache;
mod digest;
mod file;
mod ledger;
pub mod range;
mod recording;
mod rendering;
pub mod url;

pub(crate) use cache::TurnReservation;
pub use cache::{CacheLimits, CacheStats, CachedClip, ClipCache};
pub use digest::{ClipDigest, FieldHash, program};
pub use file::Facts;
pub use ledger::{ChargeDecision, Claim, Ledger};
pub(crate) use recording::Recording;
pub(crate) use rendering::{Opening, Rendering, RenderingName, Renderings};
