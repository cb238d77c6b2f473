//! What every API of the server needs: sign-in, limits, metering, speech, traces and metrics, and the documentation that
//! all paths have in common. It has no routes and no messages of any API.
//!
//! # Layers
//!
//! From what knows least to what knows most:
//!
//! | module | what it is for |
//! | --- | --- |
//! | `config` | what an operator can set |
//! | `http` | errors and their form, hosts, CORS; the rest of what every request has is in `shruti_http` |
//! | `limits`, `traces`, `auth` | rates and streams at once; spans of requests and turns; keys and tokens |
//! | `metering`, `metrics` | what is charged and counted |
//! | `store_health`, `lexicons`, `app` | whether the store can be read; readings that stand for a key; what all requests share |
//! | `authorized` | the argument of handlers that need a key: sign-in and rate |
//! | `synthesis` | a clip as an HTTP body, turns on a WebSocket, formats of sound |
//! | `account_lexicon`, `normalization` | changes to the lexicon of an account; how a text is read |
//! | `openapi` | routes with their documentation |
//! | `mails` | links and warnings |

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
    ClipsConfig, Config, HostNames, HostStanding, Hosts, MailConfig, NotHostNames, NotVoiceAliases,
    OpenPlayground, ServerLexicon, Timeouts, TracesConfig, Visitors, VoiceAliases, WyomingConfig,
};
