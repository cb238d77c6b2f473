//! Parameters that move between key points.

/// Most key points in one unit.
const KEYS: usize = 14;

/// N parameters over the time of one unit, in frames.
#[derive(Clone, Debug)]
pub(crate) struct Track<const N: usize> {
    keys: [(f32, [f32; N]); KEYS],
    length: usize,
    /// The key before the present time.
    cursor: usize,
}

impl<const N: usize> Track<N> {
    pub(crate) fn new() -> Self {
        Self { keys: [(0.0, [0.0; N]); KEYS], length: 0, cursor: 0 }
    }

    /// Adds a key. Times never go back: an earlier one is moved to the last. Keys beyond the capacity replace the last.
    pub(crate) fn put(&mut self, time: f32, values: [f32; N]) {
        let earliest = if self.length == 0 { 0.0 } else { self.keys[self.length - 1].0 };
        if self.length == KEYS {
            self.length -= 1;
        }
        self.keys[self.length] = (time.max(earliest), values);
        self.length += 1;
    }

    /// The values at a time; times may only grow from call to call.
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
    fn a_track_moves_between_its_keys_and_steps_where_two_share_a_time() {
        let mut track = Track::<1>::new();
        for (time, value) in [(0.0, 1.0), (4.0, 3.0), (4.0, 10.0), (6.0, 10.0)] {
            track.put(time, [value]);
        }
        let values: Vec<f32> = [0.0, 2.0, 4.0, 5.0, 9.0].iter().map(|&t| track.at(t, false)[0]).collect();
        assert_eq!(values, [1.0, 2.0, 10.0, 10.0, 10.0]);
    }
}
