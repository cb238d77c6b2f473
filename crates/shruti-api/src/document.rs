//! Parts of the OpenAPI document that the paths of this crate refer to: tags, schemas and security schemes.

use shruti_lang::{Language, VoiceEngine, VoiceId};
use shruti_protocol::stream::WordTime;
use shruti_protocol::{
    ErrorBody, ErrorCode, ErrorDetail, ErrorType, LanguageEntry, LanguageList, Normalization,
    NormalizedToken, NormalizedWord, SynthesisRequest, TimedMessage, TokenAnswer, UsageAllowance,
    UsageAmount, UsageAnswer, UsageDay, VoiceEntry, VoiceLanguage, VoiceLicence, VoiceList,
};
use utoipa::openapi::ComponentsBuilder;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::tag::{Tag, TagBuilder};

use crate::health;

/// Returns the tags of the paths for callers with API keys, in the order of the documentation.
pub fn tags() -> Vec<Tag> {
    vec![
        tag("speech", "Text to speech."),
        tag("sign-in", "Tokens for web pages."),
        tag("usage", "Usage."),
        tag("lexicon", "Text normalization, and the pronunciation dictionary of an account."),
        tag("catalogue", "Languages and voices."),
    ]
}

/// Returns the tag of the paths for operators.
pub fn operations_tag() -> Tag {
    tag("health", "Health checks and metrics for operators.")
}

fn tag(name: &str, what: &str) -> Tag {
    TagBuilder::new().name(name).description(Some(what)).build()
}

/// Adds the schemas and security schemes that the paths of this crate refer to.
pub fn components(components: ComponentsBuilder) -> ComponentsBuilder {
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
        "A single-use token of `POST /v1/tokens`, for browsers, whose WebSockets cannot set headers.",
    );
    components
        .schema_from::<SynthesisRequest>()
        .schema_from::<TimedMessage>()
        .schema_from::<WordTime>()
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
        .schema_from::<ErrorCode>()
        .security_scheme("key", SecurityScheme::Http(key))
        .security_scheme("token", SecurityScheme::Http(token))
        .security_scheme("token_in_url", SecurityScheme::ApiKey(ApiKey::Query(token_in_url)))
}
