//! Security headers of the Studio's responses.

use http::{HeaderMap, HeaderName, HeaderValue, header};

/// Content security policy: scripts, styles and connections of this server only, nothing inline, no framing.
/// `connect-src 'self'` also lets the page open WebSockets to its own host (Content Security Policy Level 3, §6.7.2.8).
const POLICY: &str = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
                      media-src blob:; connect-src 'self'; object-src 'none'; frame-ancestors 'none'; base-uri 'none'; \
                      form-action 'self'";

/// Permissions policy that disables features that the pages do not need.
const PERMISSIONS: &str = "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), \
                           magnetometer=(), microphone=(), midi=(), payment=(), usb=()";

/// `Strict-Transport-Security` for half a year, for this host only.
const STRICT_TRANSPORT: &str = "max-age=15552000";

/// Adds the security headers to a response of the Studio. If `strict_transport` is true, they also make browsers
/// use only HTTPS from then on.
pub fn protect(headers: &mut HeaderMap, strict_transport: bool) {
    const FIXED: [(HeaderName, &str); 6] = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), PERMISSIONS),
    ];
    for (name, value) in FIXED {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if strict_transport {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(STRICT_TRANSPORT));
    }
}
