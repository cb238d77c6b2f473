//! Parameter tracks that are interpolated between keyframes.

/// Maximum number of keyframes in one unit.
const KEYS: usize = 14;

/// Values of N parameters over the duration of one unit. Times are in frames.
#[derive(Clone, Debug)]
pub(crate) struct Track<const N: usize> {
    keys: [(f32, [f32; N]); KEYS],
    length: usize,
    /// Index of the keyframe before the current time.
    cursor: usize,
}

impl<const N: usize> Track<N> {
    pub(crate) fn new() -> Self {
        Self { keys: [(0.0, [0.0; N]); KEYS], length: 0, cursor: 0 }
    }

    /// Adds a keyframe. Times must not decrease: an earlier time is replaced with that of the last keyframe. A keyframe
    /// beyond the capacity replaces the last keyframe.
    pub(crate) fn put(&mut self, time: f32, values: [f32; N]) {
        let earliest = if self.length == 0 { 0.0 } else { self.keys[self.length - 1].0 };
        if self.length == KEYS {
            self.length -= 1;
        }
        self.keys[self.length] = (time.max(earliest), values);
        self.length += 1;
    }

    /// Returns the values at a time, interpolated smoothly or linearly. Times must not decrease between calls.
    pub(crate) fn at(&mut self, time: f32, smooth: bool) -> [f32; N] {
        while self.cursor + 1 < self.length && self.keys[self.cursor + 1].0 <= time {
            self.cursor += 1;
        }
        let (from, before) = &self.keys[self.cursor];
        if self.cursor + 1 >= self.length || time <= *from {
            return *before;
        }
        let (to, after) = &self.keys[self.cursor + 1];
        let share = (time - from) / (to - from);
        let share = if smooth { share * share * (3.0 - 2.0 * share) } else { share };
        std::array::from_fn(|k| before[k] + share * (after[k] - before[k]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_track_interpolates_and_steps_at_keys_with_equal_times() {
        let mut track = Track::<1>::new();
        for (time, value) in [(0.0, 1.0), (4.0, 3.0), (4.0, 10.0), (6.0, 10.0)] {
            track.put(time, [value]);
        }
        let values: Vec<f32> = [0.0, 2.0, 4.0, 5.0, 9.0].iter().map(|&t| track.at(t, false)[0]).collect();
        assert_eq!(values, [1.0, 2.0, 10.0, 10.0, 10.0]);
    }
}
