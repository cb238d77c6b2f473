//! The OpenAPI document, made from the handlers and the wire types.

use std::sync::LazyLock;

use shruti_lang::{Language, VoiceEngine, VoiceId};
use shruti_protocol::{
    ErrorBody, ErrorCode, ErrorDetail, ErrorType, LanguageEntry, LanguageList, Normalization,
    NormalizedToken, NormalizedWord, SynthesisRequest, TokenAnswer, UsageAllowance, UsageAmount, UsageAnswer,
    UsageDay, VoiceEntry, VoiceLanguage, VoiceLicence, VoiceList,
};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{
    Components, ComponentsBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder, ServerBuilder,
};

use super::{cartesia, deepgram, elevenlabs, health, jambonz, openai, sarvam, vapi};
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
    let tag = |name, what: &str| TagBuilder::new().name(name).description(Some(what)).build();
    OpenApiBuilder::new()
        .info(info.build())
        .servers(Some([ServerBuilder::new().url("/").description(Some("This server")).build()]))
        .tags(Some([
            tag("speech", "Text into speech."),
            tag("sign-in", "Tokens for web pages."),
            tag("usage", "What was spoken."),
            tag("lexicon", "How texts are read, and readings of words for all requests of an account."),
            tag("catalogue", "What can be spoken, and by whom."),
            tag("openai", "For clients of OpenAI's speech API; [`/docs/openai`](/docs/openai)."),
            tag("cartesia", "For clients of Cartesia's speech API; [`/docs/cartesia`](/docs/cartesia)."),
            tag("deepgram", "For clients of Deepgram's speech API; [`/docs/deepgram`](/docs/deepgram)."),
            tag(
                "elevenlabs",
                "For clients of ElevenLabs' speech API; [`/docs/elevenlabs`](/docs/elevenlabs).",
            ),
            tag("sarvam", "For clients of Sarvam's speech API; [`/docs/sarvam`](/docs/sarvam)."),
            tag("telephony", "For jambonz and Vapi; [`/docs/telephony`](/docs/telephony)."),
            tag("health", "For those who keep the server running."),
            tag("documents", "What you are reading."),
        ]))
        .paths(super::routes().paths)
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
    let api_key = ApiKeyValue::with_description(
        "X-API-Key",
        "An API key, where clients of other services put it; on their routes alone.",
    );
    let access_token = ApiKeyValue::with_description(
        "access_token",
        "A single-use token of `POST /v1/tokens`, where browsers of other services put it; on their routes alone.",
    );
    let single_use_token = ApiKeyValue::with_description(
        "single_use_token",
        "A single-use token of `POST /v1/tokens`, where browsers of ElevenLabs' clients put it; on its routes alone.",
    );
    let mut components = ComponentsBuilder::new()
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
        .schema_from::<ErrorCode>()
        .schema_from::<openai::openapi::OpenAiRequest>()
        .schema_from::<openai::errors::OpenAiError>()
        .schema_from::<openai::errors::OpenAiErrorFields>()
        .schema_from::<openai::lists::ModelList>()
        .schema_from::<openai::lists::Model>()
        .schema_from::<openai::lists::AudioModels>()
        .schema_from::<openai::lists::AudioVoices>()
        .schema_from::<openai::lists::Choice>()
        .schema_from::<cartesia::openapi::CartesiaRequest>()
        .schema_from::<cartesia::errors::ErrorFields>()
        .schema_from::<deepgram::openapi::DeepgramRequest>()
        .schema_from::<deepgram::errors::DeepgramError>()
        .schema_from::<elevenlabs::openapi::ElevenLabsRequest>()
        .schema_from::<elevenlabs::openapi::ElevenLabsTimedClip>()
        .schema_from::<elevenlabs::alignment::ClipAlignment>()
        .schema_from::<elevenlabs::errors::ElevenLabsError>()
        .schema_from::<elevenlabs::errors::ElevenLabsErrorDetail>()
        .schema_from::<elevenlabs::models::ElevenLabsModel>()
        .schema_from::<elevenlabs::models::ElevenLabsLanguage>()
        .schema_from::<sarvam::openapi::SarvamRequest>()
        .schema_from::<sarvam::errors::SarvamError>()
        .schema_from::<sarvam::errors::SarvamErrorFields>()
        .schema_from::<jambonz::openapi::JambonzRequest>()
        .schema_from::<vapi::openapi::VapiRequest>()
        .schema_from::<vapi::openapi::VapiMessage>()
        .security_scheme("api_key", SecurityScheme::ApiKey(ApiKey::Header(api_key)))
        .security_scheme("single_use_token", SecurityScheme::ApiKey(ApiKey::Query(single_use_token)))
        .security_scheme("access_token", SecurityScheme::ApiKey(ApiKey::Query(access_token)))
        .security_scheme("key", SecurityScheme::Http(key))
        .security_scheme("token", SecurityScheme::Http(token))
        .security_scheme("token_in_url", SecurityScheme::ApiKey(ApiKey::Query(token_in_url)))
        .build();
    components.headers.extend(headers::all().map(|(name, header)| (name.to_owned(), header.into())));
    components
}

#[cfg(test)]
mod tests;
