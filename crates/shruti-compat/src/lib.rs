//! APIs that are compatible with those of other speech services, so that the clients of these services work with this
//! server without changes.
//!
//! Each compatible API has a module that maps its messages to the clips and conversations of `shruti_service`. `common`
//! contains code that several modules share; `document` contains the parts of the OpenAPI document other than the
//! paths.
//!
//! This crate must not know the native API, the pages of the server or the router: it depends on `shruti-service`,
//! but not on `shruti-api`, `shruti-site` or `shruti-server`.

mod cartesia;
mod common;
mod deepgram;
mod document;
mod elevenlabs;
mod jambonz;
mod openai;
mod sarvam;
mod vapi;

use shruti_service::openapi::Api;

pub use document::{components, tags};

/// Returns the routes of all compatible APIs with their documentation. Each route returns errors in the format of its
/// API.
pub fn routes() -> Api {
    Api::default()
        .merge(openai::routes())
        .merge(cartesia::routes())
        .merge(deepgram::routes())
        .merge(elevenlabs::routes())
        .merge(sarvam::routes())
        .merge(jambonz::routes())
        .merge(vapi::routes())
}
