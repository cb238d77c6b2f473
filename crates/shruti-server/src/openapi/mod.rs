//! The OpenAPI document, made from the handlers and the wire types.
//!
//! A path is written once, in the `utoipa::path` attribute of its handler: [`Api::route`] takes it from there for the
//! router too, so that nothing is served that is not documented, but for the Studio, which is no part of the API. What a
//! path answers is told by types that implement `IntoResponses`, beside the handlers; [`errors`] and [`headers`] are what
//! they have in common.

pub(crate) mod errors;
pub(crate) mod headers;

use std::marker::PhantomData;
use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::routing::MethodRouter;
use shruti_protocol::{
    ErrorBody, ErrorCode, ErrorDetail, ErrorType, Language, LanguageEntry, LanguageList, SynthesisRequest,
    TokenAnswer, UsageAllowance, UsageAmount, UsageAnswer, UsageDay, VoiceEntry, VoiceId, VoiceList,
};
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{Components, ComponentsBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder};
use utoipa::openapi::{Paths, Ref, ServerBuilder};
use utoipa::{IntoResponses, ToSchema};

use crate::app::App;
use crate::health;

/// Routes and their documentation.
#[derive(Default)]
pub(crate) struct Api {
    tag: &'static str,
    pub(crate) router: Router<Arc<App>>,
    pub(crate) paths: Paths,
}

impl Api {
    /// No routes yet; those to come are listed under a tag of [`document`].
    pub(crate) fn of(tag: &'static str) -> Self {
        Self { tag, ..Self::default() }
    }

    /// Adds the path that a handler's `utoipa::path` attribute names: `.route(__path_handler, get(handler))`.
    pub(crate) fn route<P: utoipa::Path>(mut self, _documented: P, methods: MethodRouter<Arc<App>>) -> Self {
        self.router = self.router.route(&P::path(), methods);
        let mut operation = P::operation();
        operation.tags = Some(vec![self.tag.to_owned()]);
        self.paths.add_path_operation(P::path(), P::methods(), operation);
        self
    }

    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.router = self.router.merge(other.router);
        self.paths.merge(other.paths);
        self
    }
}

/// The answer `200` with a value in JSON.
pub(crate) struct Found<T>(PhantomData<T>);

impl<T: ToSchema> IntoResponses for Found<T> {
    fn responses() -> errors::Answers {
        let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(T::name()))).build();
        let answer = ResponseBuilder::new().description("The answer.").content("application/json", content);
        errors::Answers::from([("200".to_owned(), headers::with(answer, headers::ALWAYS).build().into())])
    }
}

const DESCRIPTION: &str = "Text in eleven languages of India into speech, streamed while it is made.\n\n\
    One clip is one `POST /v1/tts`; a conversation is a WebSocket, `/v1/tts/stream`. Every failure has the same JSON \
    body, and every answer an `x-request-id`. A method that a path does not take gets `405 method_not_allowed`, a \
    path that does not exist `404 not_found`.";

/// The document as it is served and committed.
pub(crate) fn json() -> &'static str {
    static JSON: LazyLock<String> = LazyLock::new(|| {
        // the document is plain data; were it not serialisable, the test that compares it would fail first
        let json = document().to_pretty_json().unwrap_or_default();
        json + "\n"
    });
    &JSON
}

/// The document.
pub(crate) fn document() -> OpenApi {
    let licence = LicenseBuilder::new().name(env!("CARGO_PKG_LICENSE"));
    let info = InfoBuilder::new()
        .title("Shruti")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(DESCRIPTION))
        .license(Some(licence.identifier(Some(env!("CARGO_PKG_LICENSE"))).build()));
    let tag = |name, what: &str| TagBuilder::new().name(name).description(Some(what)).build();
    OpenApiBuilder::new()
        .info(info.build())
        .servers(Some([ServerBuilder::new().url("/").description(Some("This server")).build()]))
        .tags(Some([
            tag("speech", "Text into speech."),
            tag("sign-in", "Tokens for web pages."),
            tag("usage", "What was spoken."),
            tag("catalogue", "What can be spoken, and by whom."),
            tag("health", "For those who keep the server running."),
            tag("documents", "What you are reading."),
        ]))
        .paths(crate::service::api().paths)
        .components(Some(components()))
        .build()
}

fn components() -> Components {
    let key = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("An API key, `Authorization: Bearer sk_…`. A key in a URL is refused."))
        .build();
    let token = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("A single-use token of `POST /v1/tokens`, `Authorization: Bearer tok_…`."))
        .build();
    let token_in_url = ApiKeyValue::with_description(
        "token",
        "A single-use token of `POST /v1/tokens`: a browser's WebSocket sends no headers of its own.",
    );
    let mut components = ComponentsBuilder::new()
        .schema_from::<SynthesisRequest>()
        .schema_from::<TokenAnswer>()
        .schema_from::<UsageAnswer>()
        .schema_from::<UsageDay>()
        .schema_from::<UsageAmount>()
        .schema_from::<UsageAllowance>()
        .schema_from::<VoiceId>()
        .schema_from::<Language>()
        .schema_from::<LanguageList>()
        .schema_from::<LanguageEntry>()
        .schema_from::<VoiceList>()
        .schema_from::<VoiceEntry>()
        .schema_from::<health::Status>()
        .schema_from::<ErrorBody>()
        .schema_from::<ErrorDetail>()
        .schema_from::<ErrorType>()
        .schema_from::<ErrorCode>()
        .security_scheme("key", SecurityScheme::Http(key))
        .security_scheme("token", SecurityScheme::Http(token))
        .security_scheme("token_in_url", SecurityScheme::ApiKey(ApiKey::Query(token_in_url)))
        .build();
    components.headers.extend(headers::all().map(|(name, header)| (name.to_owned(), header.into())));
    components
}

#[cfg(test)]
mod tests;
