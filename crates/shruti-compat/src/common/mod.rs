//! Code shared by several compatible APIs. These APIs map their messages to the same turn machine.
//!
//! | file | purpose |
//! | --- | --- |
//! | `sign_in` | keys and tokens in the headers, query parameters and subprotocols that clients of those services use |
//! | `voices`, `fields` | names of voices and languages, speeds and texts in requests |
//! | `request` | descriptions of the fields of requests, for the parsers and the OpenAPI document |
//! | `query` | query parameters |
//! | `joining` | restoration of the space between sentences for clients that drop it |
//! | `clip` | a request for one text, and its response as an HTTP body or as events |
//! | `socket` | opening and close codes of a WebSocket |
//! | `sound` | the audio of a turn in the requested format |
//! | `words` | word timestamps: one time per white-space token |
//! | `openapi` | OpenAPI descriptions |
//! | `status`, `errors` | HTTP statuses of errors, and the error format of APIs without their own |

pub(crate) mod clip;
pub(crate) mod errors;
pub(crate) mod fields;
pub(crate) mod joining;
pub(crate) mod openapi;
pub(crate) mod query;
pub(crate) mod request;
pub(crate) mod sign_in;
pub(crate) mod socket;
pub(crate) mod sound;
mod status;
pub(crate) mod voices;
pub(crate) mod words;

pub(crate) use status::status;
