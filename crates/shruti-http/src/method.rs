//! Names of HTTP methods.

use http::Method;

/// Returns the name of a method for logs and traces. Unusual methods get one common name, because the caller can choose
/// them freely.
pub fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        _ => "other",
    }
}
