//! Suggestions for mistyped names in errors and warnings.

use strsim::osa_distance;

/// Maximum length of an input in characters; longer inputs get no suggestion.
const MAX_CHARS: usize = 40;

/// Returns the candidate that is closest to a mistyped name, ignoring case, or `None` if no candidate is close. A
/// candidate is close if the edit distance (insertions, deletions, substitutions and transpositions of adjacent
/// characters) is at most a third of the name's length, or 1 for a short name, and less than the candidate's own
/// length.
pub fn closest<'a>(input: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let chars = input.chars().count();
    if chars == 0 || chars > MAX_CHARS {
        return None;
    }
    let input = input.to_lowercase();
    let edits = (chars / 3).max(1);
    let distances = candidates.into_iter().map(|name| (osa_distance(&input, &name.to_lowercase()), name));
    // a candidate in which every letter would have to change, such as a name of one letter, is not close
    let near = distances.filter(|(distance, name)| *distance <= edits && *distance < name.chars().count());
    near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

/// Returns a suffix for an error message that suggests the closest candidate, such as `; did you mean 'Ananya'?`.
/// Returns an empty string if no candidate is close.
pub fn did_you_mean<'a>(input: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    closest(input, candidates).map(|name| format!("; did you mean '{name}'?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_close_names_are_suggested() {
        let names = ["Ananya", "Arjun", "text", "language", "phone", "mp3"];
        for (input, expected) in [
            ("Anania", Some("Ananya")),
            ("arjuna", Some("Arjun")),
            ("langauge", Some("language")),
            ("mp4", Some("mp3")),
            ("Phone", Some("phone")),
            ("x", None),
            ("", None),
            ("voice", None),
            ("seed", None),
        ] {
            assert_eq!(closest(input, names), expected, "{input}");
        }
        assert_eq!(closest(&"a".repeat(100), ["aaaa"]), None);
        assert_eq!(did_you_mean("txet", names), "; did you mean 'text'?");
        assert_eq!(did_you_mean("voice", names), "");
    }
}
