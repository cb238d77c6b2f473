//! Weighted edit distance between two sequences of sounds (Levenshtein, 1966).

/// Returns the minimum cost of converting one sequence to the other. `alone` returns the cost of a sound that occurs in
/// only one of the sequences, and `differs` the cost of a substitution.
pub(super) fn distance<T: Copy>(
    one: &[T],
    other: &[T],
    alone: impl Fn(T) -> f32,
    differs: impl Fn(T, T) -> f32,
) -> f32 {
    let mut row = vec![0.0];
    for &sound in other {
        row.push(row.last().copied().unwrap_or_default() + alone(sound));
    }
    for &sound in one {
        let mut diagonal = row[0];
        row[0] += alone(sound);
        for (at, &opposite) in other.iter().enumerate() {
            let replaced = diagonal + differs(sound, opposite);
            diagonal = row[at + 1];
            row[at + 1] = replaced.min(diagonal + alone(sound)).min(row[at] + alone(opposite));
        }
    }
    row.last().copied().unwrap_or_default()
}
