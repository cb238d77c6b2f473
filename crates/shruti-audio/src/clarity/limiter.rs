//! What keeps samples within full scale.

/// Where samples begin to be bent, of full scale.
const KNEE: f32 = 0.8;
/// What no sample reaches, of full scale.
const CEILING: f32 = 0.98;

/// A sample bent so that it stays below the ceiling; what is below the knee stays as it is. Without memory, so that it
/// needs not look ahead.
pub(super) fn limited(sample: f32) -> f32 {
    let beyond = sample.abs() - KNEE;
    if beyond <= 0.0 {
        return sample;
    }
    let room = CEILING - KNEE;
    (KNEE + room * beyond / (beyond + room)).copysign(sample)
}
