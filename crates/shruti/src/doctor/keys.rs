//! Check that there is a usable API key.

use super::Setup;
use super::finding::Finding;

pub(super) fn check(setup: &Setup) -> Vec<Finding> {
    // if the keys could not be counted, the check of the database has reported why
    let Some(usable_keys) = setup.usable_keys() else { return Vec::new() };
    vec![match usable_keys {
        0 => Finding::warn("none can be used: all were revoked or are over", "shruti keys create"),
        1 => Finding::ok("one can be used"),
        many => Finding::ok(format!("{many} can be used")),
    }]
}
