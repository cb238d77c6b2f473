//! The pages of the server: the Studio with its API, and the documentation.
//!
//! | folder or file | what it is for |
//! | --- | --- |
//! | `studio` | the pages of `/studio`, and the API that they alone use |
//! | `docs` | the pages of `/docs`, the OpenAPI and AsyncAPI documents, `/llms.txt` |
//! | `document` | files that never change while the server runs: cache headers, gzip |
//! | `fuzzing` | entry points for fuzz targets, in builds for them alone |
//!
//! This crate must not know the APIs for callers with keys: it depends on `shruti-service`, and on none of `shruti-api`,
//! `shruti-compat` and `shruti-server`. The pages of `/docs` read the OpenAPI document, which their caller passes in.

mod docs;
mod document;
#[cfg(fuzzing)]
pub mod fuzzing;
mod studio;

pub use docs::{routes as docs_routes, tag as docs_tag};
pub use studio::{is_at as is_studio, protect as protect_studio, routes as studio_routes};
