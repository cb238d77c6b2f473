//! The readings of words that stand in a row, each chosen with the word before and the word after.

use crate::channel::STEPS_A_NAT;
use crate::model::{Model, pair_key};
use crate::reading::Reading;

impl Model<'_> {
    /// Which reading of each word is likeliest in its row (Viterbi, 1967); a word without readings parts the row in
    /// two.
    pub fn choose(&self, words: &[&[Reading]]) -> Vec<Option<usize>> {
        let mut chosen = vec![None; words.len()];
        // for each reading of each word the least cost up to it, and the reading before with which it has that cost
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

    /// How much less the words of a row cost for standing beside each other, in nats, each read as [`Self::choose`]
    /// reads it.
    pub fn gain_of_neighbours(&self, words: &[&[Reading]]) -> f32 {
        let chosen = self.choose(words);
        let read: Vec<Option<&Reading>> =
            words.iter().zip(chosen).map(|(readings, chosen)| readings.get(chosen?)).collect();
        let pairs = read.windows(2).filter_map(|pair| pair[0].zip(pair[1]));
        let steps: i64 = pairs.map(|(first, second)| self.gain(first, second)).sum();
        steps as f32 / STEPS_A_NAT
    }

    /// How much less a word costs for standing behind another.
    fn gain(&self, first: &Reading, second: &Reading) -> i64 {
        let gain = self.pairs.get(pair_key(&first.units, &second.units)).map_or(0, |[gain]| u32::from(gain));
        i64::from(gain * self.weights.pair / 64)
    }
}
