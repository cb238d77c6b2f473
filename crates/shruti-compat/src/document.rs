//! Parts of the OpenAPI document that the paths of this crate refer to: tags, schemas and security schemes.

use utoipa::openapi::ComponentsBuilder;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use utoipa::openapi::tag::{Tag, TagBuilder};

use crate::{cartesia, deepgram, elevenlabs, jambonz, openai, sarvam, vapi};

/// Returns the tags of the paths, in the order in which the documentation lists them.
pub fn tags() -> Vec<Tag> {
    let tag = |name, what: &str| TagBuilder::new().name(name).description(Some(what)).build();
    vec![
        tag("openai", "For clients of OpenAI's speech API; [`/docs/openai`](/docs/openai)."),
        tag("cartesia", "For clients of Cartesia's speech API; [`/docs/cartesia`](/docs/cartesia)."),
        tag("deepgram", "For clients of Deepgram's speech API; [`/docs/deepgram`](/docs/deepgram)."),
        tag("elevenlabs", "For clients of ElevenLabs' speech API; [`/docs/elevenlabs`](/docs/elevenlabs)."),
        tag("sarvam", "For clients of Sarvam's speech API; [`/docs/sarvam`](/docs/sarvam)."),
        tag("telephony", "For jambonz and Vapi; [`/docs/telephony`](/docs/telephony)."),
    ]
}

/// Adds the schemas and the security schemes that the paths refer to.
pub fn components(components: ComponentsBuilder) -> ComponentsBuilder {
    let api_key = ApiKeyValue::with_description(
        "X-API-Key",
        "An API key, in the header or parameter that clients of other services use; only on the routes for those \
         clients.",
    );
    let access_token = ApiKeyValue::with_description(
        "access_token",
        "A single-use token of `POST /v1/tokens`, in the place that browser clients of other services use; only on \
         the routes for those clients.",
    );
    let single_use_token = ApiKeyValue::with_description(
        "single_use_token",
        "A single-use token of `POST /v1/tokens`, in the place that ElevenLabs' browser clients use; only on the \
         routes for those clients.",
    );
    components
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
}
