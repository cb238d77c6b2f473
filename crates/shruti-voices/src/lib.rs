//! Selection of the back ends of an engine: the [built-in voices](builder), and the trained and remote packs of a
//! folder ([`Packs`]).
//!
//! The graphs of a pack may come from an untrusted source. A [`Runner`] runs them. In a service, the runner is
//! [`Children`], which runs each pack in its own process with limits on time and memory.

mod built_in;
mod child;
mod config;
mod error;
mod import;
pub mod measure;
mod packs;
mod routes;
mod runner;
mod speak;
mod usable;

pub use built_in::{BUILT_IN, builder};
pub use child::{Children, Work, work};
pub use config::{PacksConfig, memory, packs_folder};
pub use error::{TaskError, VoicesError, WorkError};
pub use import::{KokoroImport, PiperImport};
pub use packs::{Change, Packs, engine_for};
pub use routes::{RouteError, VoiceRoutes};
pub use runner::Runner;
pub use speak::{Sentence, SpeakTask, Spoken};
pub use usable::{FolderScan, Usable};
