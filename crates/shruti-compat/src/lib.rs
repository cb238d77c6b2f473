//! The APIs of other speech services, so that their clients work with this server unchanged.
//!
//! Each service has a folder. It maps the messages of its API onto the clips and conversations of `shruti_service`.
//! `common` has what several of them need; `document` has what the OpenAPI document says of them besides their paths.
//!
//! This crate must not know the native API, the pages of the server or the router: it depends on `shruti-service` and
//! on none of `shruti-api`, `shruti-site` and `shruti-server`.

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

/// Returns the routes of all services with their documentation. Each answers errors in the form of its service.
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
