//! Whether somebody could sign in.

use super::Setup;
use super::finding::Finding;

pub(super) fn check(setup: &Setup) -> Vec<Finding> {
    let Some(inspection) = setup.inspection().filter(|inspection| inspection.damage.is_empty()) else {
        // told by the database already
        return Vec::new();
    };
    vec![match inspection.usable_keys {
        0 => Finding::warn("none can be used: all were revoked or are over", "shruti keys create"),
        1 => Finding::ok("one can be used"),
        many => Finding::ok(format!("{many} can be used")),
    }]
}
