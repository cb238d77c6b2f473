//! Descriptions of requests. [`request!`] describes the fields of a request once; the parser of the request and the
//! OpenAPI document both use this description.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use serde_json::Value;
use shruti_lang::{Clarity, Language as SpokenLanguage, VoiceEngine};
use shruti_protocol::ApiError;
use shruti_protocol::fields::{self as native, Fields, field_value};
use utoipa::ToSchema;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, SchemaType, Type};
use utoipa::openapi::{Ref, RefOr};

use super::fields;

/// Field of a request: its name, its documentation and its kind. The kind determines how the field is parsed.
pub(crate) struct Field<K> {
    name: &'static str,
    docs: &'static [&'static str],
    kind: PhantomData<K>,
}

impl<K> Field<K> {
    /// Creates a field. `docs` contains the lines of its documentation.
    pub(crate) const fn new(name: &'static str, docs: &'static [&'static str]) -> Self {
        Self { name, docs, kind: PhantomData }
    }

    /// Returns the unparsed value of the field, if it is present and not null.
    pub(crate) fn given<'a>(&self, fields: &'a Fields) -> Option<&'a Value> {
        field_value(fields, self.name)
    }
}

impl<K: Readable> Field<K> {
    /// Parses the field.
    pub(crate) fn read<'a>(&self, fields: &'a Fields) -> Result<K::Value<'a>, ApiError> {
        K::read(fields, self.name)
    }
}

/// Kind of field, with its description in the OpenAPI document.
pub(crate) trait Kind {
    /// Whether the field is required.
    const IS_REQUIRED: bool = false;

    /// Returns the schema of the value.
    fn schema(description: String) -> RefOr<Schema>;
}

/// Kind of field that is always parsed in the same way.
pub(crate) trait Readable: Kind {
    /// Parsed value.
    type Value<'a>;

    /// Parses the field with this name.
    fn read<'a>(fields: &'a Fields, name: &str) -> Result<Self::Value<'a>, ApiError>;
}

/// Defines field kinds: documentation, name, schema of the value, and parser, if there is one.
macro_rules! kinds {
    ($($(#[$docs:meta])* $name:ident: $schema:expr $(, $value:ty, $read:expr)?;)*) => {
        $(
            $(#[$docs])*
            pub(crate) struct $name;

            impl Kind for $name {
                fn schema(description: String) -> RefOr<Schema> {
                    described($schema, description)
                }
            }

            $(
                impl Readable for $name {
                    type Value<'a> = $value;

                    fn read<'a>(fields: &'a Fields, name: &str) -> Result<Self::Value<'a>, ApiError> {
                        $read(fields, name)
                    }
                }
            )?
        )*
    };
}

kinds! {
    /// String that may be absent or empty.
    Word: optional(Type::String), Option<&'a str>, fields::string;
    /// String that is ignored.
    Ignored: optional(Type::String);
    /// Language tag whose base is a supported language.
    Language: optional(Type::String), Option<SpokenLanguage>, fields::language;
    /// Number.
    Number: float(), Option<f64>, fields::number;
    /// Boolean; `false` if absent.
    Flag: optional(Type::Boolean), bool, fields::flag;
    /// Object.
    Part: anything(), Option<&'a Fields>, fields::part;
    /// Value of any type. The parser of the request validates it.
    Any: anything();
    /// Non-negative integer. The parser of the request validates it.
    Whole: optional(Type::Integer).format(Some(SchemaFormat::KnownFormat(KnownFormat::Int32))).minimum(Some(0));
    /// Pitch shift in semitones, as in the native API.
    Pitch: float(), Option<f64>, |fields, _: &str| native::pitch(fields);
    /// Clarity mode, as in the native API.
    ClarityName: optional(Type::String), Option<Clarity>, |fields, _: &str| native::clarity(fields);
    /// Words and the spellings that determine their pronunciation, as in the native API.
    Lexicon: anything(), Option<BTreeMap<String, String>>, |fields, _: &str| native::lexicon(fields);
    /// Engine, as in the native API.
    EngineName: optional(Type::String), Option<VoiceEngine>, |fields, _: &str| native::engine(fields);
}

/// Kind of the required field with the text to speak.
pub(crate) struct Text;

impl Kind for Text {
    const IS_REQUIRED: bool = true;

    fn schema(description: String) -> RefOr<Schema> {
        described(ObjectBuilder::new().schema_type(Type::String), description)
    }
}

impl Readable for Text {
    type Value<'a> = String;

    fn read(fields: &Fields, name: &str) -> Result<String, ApiError> {
        fields::text(fields, name)
    }
}

/// Kind of a required field whose value has the kind `K`. The parser of the request creates the error for a missing
/// field.
pub(crate) struct Required<K>(PhantomData<K>);

impl<K: Kind> Kind for Required<K> {
    const IS_REQUIRED: bool = true;

    fn schema(description: String) -> RefOr<Schema> {
        K::schema(description)
    }
}

impl<K: Readable> Readable for Required<K> {
    type Value<'a> = K::Value<'a>;

    fn read<'a>(fields: &'a Fields, name: &str) -> Result<K::Value<'a>, ApiError> {
        K::read(fields, name)
    }
}

/// Kind of a field with an object that has its own schema.
pub(crate) struct PartOf<T>(PhantomData<T>);

impl<T: ToSchema> Kind for PartOf<T> {
    fn schema(description: String) -> RefOr<Schema> {
        let mut schema = Ref::from_schema_name(T::name());
        schema.description = description;
        schema.into()
    }
}

impl<T: ToSchema> Readable for PartOf<T> {
    type Value<'a> = Option<&'a Fields>;

    fn read<'a>(fields: &'a Fields, name: &str) -> Result<Option<&'a Fields>, ApiError> {
        fields::part(fields, name)
    }
}

fn described(schema: ObjectBuilder, description: String) -> RefOr<Schema> {
    schema.description(Some(description)).into()
}

/// Returns the schema of a value that may be null.
fn optional(kind: Type) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(SchemaType::from_iter([kind, Type::Null]))
}

fn float() -> ObjectBuilder {
    optional(Type::Number).format(Some(SchemaFormat::KnownFormat(KnownFormat::Double)))
}

fn anything() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(SchemaType::AnyValue)
}

/// Field of any kind, for the OpenAPI document.
pub(crate) trait Documented {
    /// Returns the name, the schema, and whether the field is required.
    fn property(&self) -> (&'static str, RefOr<Schema>, bool);
}

impl<K: Kind> Documented for Field<K> {
    fn property(&self) -> (&'static str, RefOr<Schema>, bool) {
        (self.name, K::schema(lines(self.docs)), K::IS_REQUIRED)
    }
}

/// Returns the schema of a request.
pub(crate) fn schema(docs: &[&str], fields: &[&dyn Documented], example: Option<Value>) -> RefOr<Schema> {
    let object = ObjectBuilder::new().schema_type(Type::Object).description(Some(lines(docs)));
    let object = fields.iter().fold(object, |object, field| {
        let (name, schema, is_required) = field.property();
        let object = object.property(name, schema);
        if is_required { object.required(name) } else { object }
    });
    object.examples(example).into()
}

/// Joins the lines of a doc comment.
fn lines(docs: &[&str]) -> String {
    let lines: Vec<&str> = docs.iter().map(|line| line.trim()).collect();
    lines.join("\n")
}

/// Describes a request: its documentation, its name, its fields with their kinds and names, and an example. Defines a
/// constant [`Field`] per field, and the schema of the request.
macro_rules! request {
    (
        $(#[doc = $docs:literal])*
        $name:ident {
            $($(#[doc = $field_docs:literal])* $field:ident: $kind:ty = $key:literal,)*
        }
        $(example: $example:tt)?
    ) => {
        $(#[doc = $docs])*
        pub(crate) struct $name;

        impl $name {
            $(
                $(#[doc = $field_docs])*
                pub(super) const $field: $crate::common::request::Field<$kind> =
                    $crate::common::request::Field::new($key, &[$($field_docs),*]);
            )*
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                let example = [$(serde_json::json!($example))?].into_iter().next();
                $crate::common::request::schema(&[$($docs),*], &[$(&Self::$field),*], example)
            }
        }

        impl utoipa::ToSchema for $name {}
    };
}

pub(crate) use request;

#[cfg(test)]
mod tests {
    use serde_json::json;
    use shruti_protocol::ErrorCode;
    use utoipa::PartialSchema;

    use super::*;

    request! {
        /// A request
        /// of two lines.
        Example {
            /// The text.
            TEXT: Text = "text",
            /// A word.
            WORD: Word = "word",
            /// A part.
            PART: Required<Part> = "part",
            /// Any value.
            ANY: Any = "any",
        }
        example: {"text": "a", "part": {}}
    }

    #[test]
    fn the_schema_lists_the_fields_in_order_with_their_documentation() {
        let schema = serde_json::to_value(Example::schema()).unwrap();
        let expected = json!({
            "type": "object",
            "description": "A request\nof two lines.",
            "required": ["text", "part"],
            "properties": {
                "text": {"type": "string", "description": "The text."},
                "word": {"type": ["string", "null"], "description": "A word."},
                "part": {"description": "A part."},
                "any": {"description": "Any value."},
            },
            "examples": [{"text": "a", "part": {}}],
        });
        assert_eq!(schema, expected);
    }

    #[test]
    fn a_field_is_read_by_its_name_and_kind() {
        let read = |json: &str| fields::object(json.as_bytes(), "it").unwrap();
        let empty = read(r#"{"text":"a","word":null}"#);
        assert_eq!(Example::TEXT.read(&empty).as_deref(), Ok("a"));
        assert_eq!(Example::WORD.read(&empty), Ok(None));
        assert_eq!(Example::PART.read(&empty), Ok(None), "the request parser creates the error message");
        assert_eq!(Example::ANY.given(&empty), None);
        let wrong = read(r#"{"word":5,"part":"a","any":5}"#);
        let refused = [
            (Example::TEXT.read(&wrong).unwrap_err(), ErrorCode::MissingField, "text"),
            (Example::WORD.read(&wrong).unwrap_err(), ErrorCode::InvalidField, "word"),
            (Example::PART.read(&wrong).unwrap_err(), ErrorCode::InvalidField, "part"),
        ];
        for (error, code, param) in refused {
            assert_eq!((error.code, error.param.as_deref()), (code, Some(param)));
        }
        assert_eq!(Example::ANY.given(&wrong), Some(&json!(5)));
    }
}
