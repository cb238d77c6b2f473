//! The OpenAPI document, made from the handlers and the wire types.

use std::sync::LazyLock;

use shruti_lang::{Language, VoiceEngine, VoiceId};
use shruti_protocol::{
    ErrorBody, ErrorCode, ErrorDetail, ErrorType, LanguageEntry, LanguageList, Normalization,
    NormalizedToken, NormalizedWord, SynthesisRequest, TokenAnswer, UsageAllowance, UsageAmount, UsageAnswer,
    UsageDay, VoiceEntry, VoiceLanguage, VoiceLicence, VoiceList,
};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::tag::{Tag, TagBuilder};
use utoipa::openapi::{
    Components, ComponentsBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder, ServerBuilder,
};

use super::health;
use crate::openapi::headers;

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
    OpenApiBuilder::new()
        .info(info.build())
        .servers(Some([ServerBuilder::new().url("/").description(Some("This server")).build()]))
        .tags(Some(tags()))
        .paths(super::routes().paths)
        .components(Some(components()))
        .build()
}

fn tags() -> Vec<Tag> {
    let tag = |name, what: &str| TagBuilder::new().name(name).description(Some(what)).build();
    let own = [
        tag("speech", "Text into speech."),
        tag("sign-in", "Tokens for web pages."),
        tag("usage", "What was spoken."),
        tag("lexicon", "How texts are read, and readings of words for all requests of an account."),
        tag("catalogue", "What can be spoken, and by whom."),
    ];
    let operations =
        [tag("health", "For those who keep the server running."), tag("documents", "What you are reading.")];
    own.into_iter().chain(shruti_compat::tags()).chain(operations).collect()
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
    let components = ComponentsBuilder::new()
        .schema_from::<SynthesisRequest>()
        .schema_from::<TokenAnswer>()
        .schema_from::<UsageAnswer>()
        .schema_from::<UsageDay>()
        .schema_from::<UsageAmount>()
        .schema_from::<UsageAllowance>()
        .schema_from::<Normalization>()
        .schema_from::<NormalizedToken>()
        .schema_from::<NormalizedWord>()
        .schema_from::<VoiceId>()
        .schema_from::<Language>()
        .schema_from::<LanguageList>()
        .schema_from::<LanguageEntry>()
        .schema_from::<VoiceList>()
        .schema_from::<VoiceEngine>()
        .schema_from::<VoiceEntry>()
        .schema_from::<VoiceLanguage>()
        .schema_from::<VoiceLicence>()
        .schema_from::<health::Status>()
        .schema_from::<ErrorBody>()
        .schema_from::<ErrorDetail>()
        .schema_from::<ErrorType>()
        .schema_from::<ErrorCode>();
    let mut components = shruti_compat::components(components)
        .security_scheme("key", SecurityScheme::Http(key))
        .security_scheme("token", SecurityScheme::Http(token))
        .security_scheme("token_in_url", SecurityScheme::ApiKey(ApiKey::Query(token_in_url)))
        .build();
    components.headers.extend(headers::all().map(|(name, header)| (name.to_owned(), header.into())));
    components
}

#[cfg(test)]
mod tests;
