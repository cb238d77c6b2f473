//! OpenAPI document of all paths, composed from the parts of the crates that define the routes.

use std::sync::LazyLock;

use shruti_service::openapi::headers;
use utoipa::openapi::{
    Components, ComponentsBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder, ServerBuilder,
};

use crate::routes;

const DESCRIPTION: &str = "Text to speech in eleven languages of India and four more in beta, streamed during \
                           synthesis.\n\n`POST /v1/tts` returns one clip; the WebSocket `/v1/tts/stream` is for conversations. Every error has the \
                           same JSON body, and every response has an `x-request-id`. A method that a path does not \
                           support returns `405 method_not_allowed`; a path that does not exist returns `404 \
                           not_found`.";

/// Returns the document in JSON, as it is served and as it is committed to the repository.
pub(crate) fn json() -> &'static str {
    static JSON: LazyLock<String> = LazyLock::new(|| {
        // serialisation of plain data cannot fail; if it did, the comparison test would fail first
        let json = document().to_pretty_json().unwrap_or_default();
        json + "\n"
    });
    &JSON
}

/// Composes the document.
fn document() -> OpenApi {
    let licence = LicenseBuilder::new().name(env!("CARGO_PKG_LICENSE"));
    let info = InfoBuilder::new()
        .title("Shruti")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(DESCRIPTION))
        .license(Some(licence.identifier(Some(env!("CARGO_PKG_LICENSE"))).build()));
    let mut tags = shruti_api::tags();
    tags.extend(shruti_compat::tags());
    tags.extend([shruti_api::operations_tag(), shruti_site::docs_tag()]);
    OpenApiBuilder::new()
        .info(info.build())
        .servers(Some([ServerBuilder::new().url("/").description(Some("This server")).build()]))
        .tags(Some(tags))
        .paths(routes::all().paths)
        .components(Some(components()))
        .build()
}

fn components() -> Components {
    let components = shruti_compat::components(shruti_api::components(ComponentsBuilder::new()));
    let mut components = components.build();
    components.headers.extend(headers::all().map(|(name, header)| (name.to_owned(), header.into())));
    components
}

#[cfg(test)]
mod tests;
