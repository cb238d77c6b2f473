//! Code that several of the services share. Their folders map messages onto the same turn machine with it.
//!
//! | file | what it is for |
//! | --- | --- |
//! | `sign_in` | keys and tokens where those services' clients put them |
//! | `voices`, `fields` | voices, languages, speeds and texts as those clients name them |
//! | `request` | descriptions of the fields of requests, for their readers and the OpenAPI document |
//! | `query` | the fields of a query |
//! | `joining` | the space between sentences, where clients lose it |
//! | `clip` | a request for one text, and its answer as an HTTP body, also of events |
//! | `socket` | opening a WebSocket, and how it closes |
//! | `sound` | the sound of a turn in the format that was asked for |
//! | `words` | one time for each white-space token |
//! | `openapi` | their documentation |
//! | `status`, `errors` | the statuses of errors, and their form where an API has none of its own |

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
