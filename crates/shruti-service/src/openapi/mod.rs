//! Routes with their documentation, and the documentation that all paths share.
//!
//! A path is declared only once, in the `utoipa::path` attribute of its handler. [`Api::route`] also passes it to the
//! router, so that every route is documented, except those of the Studio, which are not part of the API. Types that
//! implement `IntoResponses`, defined next to the handlers, describe the responses of a path; [`errors`] and
//! [`headers`] contain their common parts.

pub mod errors;
pub mod headers;

use std::marker::PhantomData;
use std::sync::Arc;

use axum::Router;
use axum::middleware::map_response;
use axum::response::Response;
use axum::routing::MethodRouter;
use shruti_protocol::ErrorCode;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::{Paths, Ref, RefOr};
use utoipa::{IntoResponses, ToSchema};

use self::errors::{Answers, Form, SIGN_IN};
use crate::app::App;
use crate::http::ErrorDialect;

/// Routes and their documentation.
#[derive(Default)]
pub struct Api {
    tag: &'static str,
    /// Routes.
    pub router: Router<Arc<App>>,
    /// Documentation of the routes.
    pub paths: Paths,
}

impl Api {
    /// Creates an empty set of routes. The OpenAPI document lists the routes of the set under `tag`.
    pub fn of(tag: &'static str) -> Self {
        Self { tag, ..Self::default() }
    }

    /// Adds the path that a handler's `utoipa::path` attribute names: `.route(__path_handler, get(handler))`.
    #[must_use]
    pub fn route<P: utoipa::Path>(mut self, _documented: P, methods: MethodRouter<Arc<App>>) -> Self {
        self.router = self.router.route(&P::path(), methods);
        let mut operation = P::operation();
        operation.tags = Some(vec![self.tag.to_owned()]);
        self.paths.add_path_operation(P::path(), P::methods(), operation);
        self
    }

    /// Sets the error format of the routes.
    #[must_use]
    pub fn errors_in(mut self, dialect: &'static dyn ErrorDialect) -> Self {
        self.router = self.router.layer(map_response(move |mut response: Response| async move {
            response.extensions_mut().insert(dialect);
            response
        }));
        self
    }

    /// Adds the routes of another set.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        self.router = self.router.merge(other.router);
        self.paths.merge(other.paths);
        self
    }
}

/// Response `200` with a JSON value, for a path without authentication.
pub struct JsonResponse<T>(PhantomData<T>);

impl<T: ToSchema> IntoResponses for JsonResponse<T> {
    fn responses() -> Answers {
        Answers::from([json_answer::<T>("The response.", headers::ALWAYS)])
    }
}

/// Returns the responses of a path that requires a key: `200` with a JSON value, the errors of authentication, and the
/// errors `refused`.
pub fn json_answers_to_key<T: ToSchema>(description: &str, refused: &[ErrorCode]) -> Answers {
    json_answers_to_key_in::<T>(&Form::native(), description, &[SIGN_IN, refused].concat())
}

/// Returns the same responses as [`json_answers_to_key`], with the errors in the format of an API. Here, `refused` must
/// include the errors of authentication.
fn json_answers_to_key_in<T: ToSchema>(form: &Form, description: &str, refused: &[ErrorCode]) -> Answers {
    let mut answers = errors::answers_to_key_in(form, refused);
    answers.extend([json_answer::<T>(description, &[headers::ALWAYS, headers::RATE].concat())]);
    answers
}

/// Returns the response `200` with a JSON value and these headers.
fn json_answer<T: ToSchema>(
    description: &str,
    headers: &[&str],
) -> (String, RefOr<utoipa::openapi::Response>) {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(T::name()))).build();
    let answer = ResponseBuilder::new().description(description).content("application/json", content);
    ("200".to_owned(), headers::with(answer, headers).build().into())
}
