//! Choice of the readings of consecutive words, depending on the preceding and following words.

use crate::channel::STEPS_PER_NAT;
use crate::model::{Model, pair_key};
use crate::reading::Reading;

impl Model<'_> {
    /// Returns the index of the likeliest reading of each word in its sequence (Viterbi, 1967). A word without readings
    /// has no index and splits the sequence in two.
    pub fn choose(&self, words: &[&[Reading]]) -> Vec<Option<usize>> {
        let mut chosen = vec![None; words.len()];
        // for each reading of each word, the minimum cost of a sequence that ends with it, and the preceding reading in
        // that sequence
        let mut best: Vec<Vec<(i64, usize)>> = Vec::with_capacity(words.len());
        for (at, readings) in words.iter().enumerate() {
            let before = at.checked_sub(1).map(|before| (words[before], &best[before]));
            let costs = readings.iter().map(|reading| {
                let steps =
                    before.into_iter().flat_map(|(readings, costs)| readings.iter().zip(costs).enumerate());
                let step =
                    steps.map(|(from, (first, (cost, _)))| (cost - self.gain(first, reading), from)).min();
                let (cost, from) = step.unwrap_or((0, 0));
                (cost + i64::from(reading.cost), from)
            });
            best.push(costs.collect());
        }
        let mut after: Option<usize> = None;
        for at in (0..words.len()).rev() {
            let ends =
                || best[at].iter().enumerate().min_by_key(|(_, (cost, _))| *cost).map(|(place, _)| place);
            chosen[at] = after.or_else(ends);
            after = chosen[at].filter(|_| at > 0 && !words[at - 1].is_empty()).map(|place| best[at][place].1);
        }
        chosen
    }

    /// Returns the total gain of all pairs of adjacent words, in nats, with the readings that [`Self::choose`] selects.
    /// The gain of a pair is the amount by which the first word reduces the cost of the second.
    pub fn gain_of_neighbours(&self, words: &[&[Reading]]) -> f32 {
        let chosen = self.choose(words);
        let read: Vec<Option<&Reading>> =
            words.iter().zip(chosen).map(|(readings, chosen)| readings.get(chosen?)).collect();
        let pairs = read.windows(2).filter_map(|pair| pair[0].zip(pair[1]));
        let steps: i64 = pairs.map(|(first, second)| self.gain(first, second)).sum();
        steps as f32 / STEPS_PER_NAT
    }

    /// Returns the gain of `second` after `first`, in steps.
    fn gain(&self, first: &Reading, second: &Reading) -> i64 {
        let gain = self.pairs.get(pair_key(&first.units, &second.units)).map_or(0, |[gain]| u32::from(gain));
        i64::from(gain * self.weights.pair / 64)
    }
}
