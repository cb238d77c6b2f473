//! Services that every API of the server needs: authentication, limits, metering, synthesis, traces, metrics, and the
//! documentation that all paths share. This crate contains neither routes nor messages of an API.
//!
//! # Layers
//!
//! From the lowest to the highest:
//!
//! | module | purpose |
//! | --- | --- |
//! | `config` | settings of the operator |
//! | `http` | errors and their responses, hosts, CORS; `shruti_http` contains the other parts of a request |
//! | `limits`, `traces`, `auth` | rate limits and concurrent streams; spans of requests and turns; keys and tokens |
//! | `metering`, `metrics` | charges; counters |
//! | `store_health`, `lexicons`, `app` | availability of the store; lexicons that apply to keys; state that all requests share |
//! | `authorized` | extractor for authenticated callers |
//! | `synthesis` | clips as HTTP bodies, turns on WebSockets, audio formats |
//! | `account_lexicon`, `normalization` | changes to the lexicon of an account; text normalisation |
//! | `openapi` | routes with their documentation |
//! | `mails` | links and warnings by email |

pub mod account_lexicon;
pub mod app;
pub mod auth;
pub mod authorized;
pub mod clips;
mod config;
pub mod http;
mod lexicons;
pub mod limits;
pub mod mails;
pub mod metering;
pub mod metrics;
pub mod normalization;
pub mod openapi;
mod store_health;
pub mod synthesis;
pub mod traces;

pub use config::{
    ClipsConfig, Config, InvalidVoiceAliases, MailConfig, OpenPlayground, ServerLexicon, Timeouts,
    TracesConfig, Visitors, VoiceAliases, WyomingConfig,
};
pub use http::{HostNames, HostOwner, Hosts, InvalidHostNames};
