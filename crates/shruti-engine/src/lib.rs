//! Speeches in progress: back ends, workers, deadlines, admission, word marks.
