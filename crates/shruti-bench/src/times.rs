//! Histograms of measured times.

use std::time::Duration;

use hdrhistogram::Histogram;
use serde::Serialize;

/// Maximum recorded time. Longer times are recorded as this value.
const LONGEST: Duration = Duration::from_mins(2);
/// Precision of recorded times, in significant digits.
const DIGITS: u8 = 3;

/// Histogram of times with a resolution of one microsecond (Tene, "HdrHistogram", 2012).
#[derive(Clone, Debug)]
pub(super) struct Times(Histogram<u32>);

/// Percentiles of a distribution, in milliseconds; 0 if nothing was recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Percentiles {
    pub(super) count: u64,
    pub(super) p50_ms: f64,
    pub(super) p90_ms: f64,
    pub(super) p99_ms: f64,
    pub(super) max_ms: f64,
}

impl Times {
    pub(super) fn new() -> Self {
        // the histogram starts small and grows as needed, which saves memory, because each time slice has its own
        // histograms
        let histogram = Histogram::new(DIGITS).unwrap_or_else(|_| unreachable!("three digits are allowed"));
        Self(histogram)
    }

    pub(super) fn record(&mut self, time: Duration) {
        let microseconds = time.min(LONGEST).as_micros() as u64;
        // cannot fail, because the histogram resizes itself
        let _ = self.0.record(microseconds);
    }

    pub(super) fn percentiles(&self) -> Percentiles {
        let ms = |microseconds: u64| microseconds as f64 / 1_000.0;
        let at = |quantile| ms(self.0.value_at_quantile(quantile));
        Percentiles {
            count: self.0.len(),
            p50_ms: at(0.5),
            p90_ms: at(0.9),
            p99_ms: at(0.99),
            max_ms: ms(self.0.max()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_sorted_list() {
        let mut times = Times::new();
        assert_eq!(times.percentiles(), Percentiles::default(), "nothing was counted");
        for ms in (1..=1_000).rev() {
            times.record(Duration::from_millis(ms));
        }
        let Percentiles { count, p50_ms, p90_ms, p99_ms, max_ms } = times.percentiles();
        assert_eq!(count, 1_000);
        for (found, expected) in [(p50_ms, 500.0), (p90_ms, 900.0), (p99_ms, 990.0), (max_ms, 1_000.0)] {
            assert!((found - expected).abs() <= expected / 1_000.0, "{found} for {expected}");
        }
    }

    #[test]
    fn times_above_the_range_are_recorded_as_its_maximum() {
        let mut times = Times::new();
        times.record(Duration::from_hours(1));
        assert!((times.percentiles().max_ms - 120_000.0).abs() < 120.0, "{:?}", times.percentiles());
    }
}
