//! Names of HTTP methods.

use http::Method;

/// Returns the name of a method for logs and traces. Every unusual method is named `other`, because a caller can choose
/// any method name.
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
