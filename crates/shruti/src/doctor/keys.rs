//! Check that there is a usable API key.

use super::Setup;
use super::finding::Finding;

pub(super) fn check(setup: &Setup) -> Vec<Finding> {
    // if the keys could not be counted, the check of the database has reported why
    let Some(usable_keys) = setup.usable_keys() else { return Vec::new() };
    vec![match usable_keys {
        0 => Finding::warn("no usable key: all are revoked or expired", "shruti keys create"),
        1 => Finding::ok("one usable key"),
        many => Finding::ok(format!("{many} usable keys")),
    }]
}
