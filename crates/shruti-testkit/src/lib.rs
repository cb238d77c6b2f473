//! Test kit: a server on port 0, clients for it, faulty back ends, audio assertions.
//!
//! All functions panic if anything fails, so that the test fails.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a test fails by panicking")]

pub mod audio;
pub mod collector;
pub mod contract;
pub mod faulty;
pub mod http;
pub mod pgbouncer;
pub mod postgres;
pub mod proxy;
pub mod raw;
pub mod server;
pub mod slow;
pub mod smtp;
pub mod some_voices;

pub use audio::Audio;
pub use collector::{Collector, CollectorMode, ReceivedSpan};
pub use faulty::{FaultyBackend, SimulatedFailure};
pub use http::{Client, Reply};
pub use pgbouncer::PooledDatabase;
pub use postgres::{PostgresDatabase, contains};
pub use proxy::{Passage, Proxy};
pub use raw::RawConnection;
pub use server::{TestServer, TestServerBuilder};
pub use shruti_clock::TestClock;
pub use smtp::{ReceivedMail, SmtpReaction, SmtpServer};
pub use some_voices::SomeVoices;
