//! Soft limiter that keeps samples within full scale.

/// Level above which samples are compressed, relative to full scale.
const KNEE: f32 = 0.8;
/// Upper bound of the output, relative to full scale.
const CEILING: f32 = 0.98;

/// Compresses a sample so that it stays below the ceiling; samples below the knee are unchanged. The function has no
/// state, so it needs no look-ahead.
pub(super) fn limited(sample: f32) -> f32 {
    let beyond = sample.abs() - KNEE;
    if beyond <= 0.0 {
        return sample;
    }
    let room = CEILING - KNEE;
    (KNEE + room * beyond / (beyond + room)).copysign(sample)
}
