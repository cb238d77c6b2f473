//! Which back ends an engine gets: the [built-in voices](builder), and the packs of a folder, trained and remote
//! ([`Packs`]).
//!
//! A pack's graphs may come from anywhere. What runs them is a [`Runner`]: in a service [`Children`], which gives each
//! pack a process of its own with limits of time and memory.

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
pub use speak::{Sentence, Speaking, Spoken};
pub use usable::{Found, Usable};
