//! Web pages of the server: the Studio with its API, and the documentation.
//!
//! | folder or file | purpose |
//! | --- | --- |
//! | `studio` | the pages of `/studio`, and their private API |
//! | `docs` | the pages of `/docs`, the OpenAPI and AsyncAPI documents, `/llms.txt` |
//! | `document` | files that do not change while the server runs: cache headers, gzip |
//! | `fuzzing` | entry points for fuzz targets, only in fuzzing builds |
//!
//! This crate must not know the APIs for clients with API keys: it depends on `shruti-service`, but not on
//! `shruti-api`, `shruti-compat` or `shruti-server`. The pages of `/docs` use the OpenAPI document, which the caller
//! provides.

mod docs;
mod document;
#[cfg(fuzzing)]
pub mod fuzzing;
mod studio;

pub use docs::{routes as docs_routes, tag as docs_tag};
pub use studio::{is_at as is_studio, protect as protect_studio, routes as studio_routes};
