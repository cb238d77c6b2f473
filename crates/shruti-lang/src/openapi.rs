//! OpenAPI schemas of the types that are represented by plain names on the wire.

use std::borrow::Cow;

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::{Language, VoiceEngine, VoiceId};

impl PartialSchema for VoiceId {
    fn schema() -> RefOr<Schema> {
        let name = ObjectBuilder::new().schema_type(Type::String).examples(["Ananya", "Arjun"]);
        name.description(Some("Name of a voice from `GET /v1/voices`, in the canonical spelling.")).into()
    }
}

impl ToSchema for VoiceId {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("Voice")
    }
}

impl PartialSchema for Language {
    fn schema() -> RefOr<Schema> {
        let codes =
            ObjectBuilder::new().schema_type(Type::String).enum_values(Some(Self::ALL.map(Self::code)));
        codes.description(Some("Language code.")).into()
    }
}

impl ToSchema for Language {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("Language")
    }
}

impl PartialSchema for VoiceEngine {
    fn schema() -> RefOr<Schema> {
        let names =
            ObjectBuilder::new().schema_type(Type::String).enum_values(Some(Self::ALL.map(Self::as_str)));
        names.description(Some("Synthesis method of the built-in voices.")).into()
    }
}

impl ToSchema for VoiceEngine {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("VoiceEngine")
    }
}
