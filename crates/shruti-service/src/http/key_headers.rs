//! Headers that contain keys.

/// Headers in which clients of other speech APIs send their keys, in addition to `Authorization`.
pub(crate) const KEY_HEADERS: [&str; 4] =
    ["x-api-key", "xi-api-key", "api-subscription-key", "x-vapi-secret"];
