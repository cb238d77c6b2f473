//! Command line that resumes an interrupted text.

use std::ffi::OsStr;
use std::path::Path;

/// Options that name an output file. The output for the rest of the text goes to a file with another name.
const WRITTEN: [&str; 3] = ["-o", "--output", "--subtitles"];
const FROM: &str = "--from";

/// Returns the shell command that speaks the rest of the text. `arguments` contains the arguments of this process,
/// including its name.
pub(super) fn command(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>, from: u64) -> String {
    let mut arguments =
        arguments.into_iter().map(|argument| argument.as_ref().to_string_lossy().into_owned());
    let mut words: Vec<String> = arguments.by_ref().take(2).collect();
    words.extend([FROM.to_owned(), from.to_string()]);
    while let Some(argument) = arguments.next() {
        if argument == "--" {
            words.push(argument);
            words.extend(arguments.by_ref());
        } else if argument == FROM {
            arguments.next();
        } else if WRITTEN.contains(&argument.as_str()) {
            words.push(argument);
            words.extend(arguments.next().map(|path| next_part(&path, from)));
        } else if let Some((option, path)) = joined(&argument) {
            words.push(format!("{option}{}", next_part(path, from)));
        } else if !argument.starts_with("--from=") {
            words.push(argument);
        }
    }
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// Splits an argument that contains both an option of [`WRITTEN`] and its file.
fn joined(argument: &str) -> Option<(&str, &str)> {
    let is_short = argument.starts_with("-o") && argument.len() > 2;
    let at = if is_short { 2 } else { argument.find('=')? + 1 };
    let (option, path) = argument.split_at(at);
    (is_short || WRITTEN.contains(&option.trim_end_matches('='))).then_some((option, path))
}

/// Returns the name of the file for the text from character `from`: `book.mp3` becomes `book-from-4000.mp3`.
fn next_part(path: &str, from: u64) -> String {
    let path = Path::new(path);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let stem = match stem.rsplit_once("-from-") {
        Some((first, chars)) if chars.parse::<u64>().is_ok() => first,
        _ => &stem,
    };
    let mut name = format!("{stem}-from-{from}");
    if let Some(extension) = path.extension() {
        name = format!("{name}.{}", extension.to_string_lossy());
    }
    path.with_file_name(name).to_string_lossy().into_owned()
}

/// Quotes a word for a POSIX shell if necessary.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remaining_text_is_written_to_another_file_with_the_same_options() {
        for (arguments, expected) in [
            (
                &[
                    "shruti",
                    "say",
                    "-l",
                    "hi",
                    "--file",
                    "book.txt",
                    "-o",
                    "book.mp3",
                    "--subtitles=b/book.vtt",
                ][..],
                "shruti say --from 40 -l hi --file book.txt -o book-from-40.mp3 --subtitles=b/book-from-40.vtt",
            ),
            (
                &["shruti", "say", "--from", "7", "-obook-from-7.mp3", "-"],
                "shruti say --from 40 -obook-from-40.mp3 -",
            ),
            (
                &["./shruti", "say", "--from=7", "--output=a b.wav", "it's"],
                r"./shruti say --from 40 '--output=a b-from-40.wav' 'it'\''s'",
            ),
            (
                &["shruti", "say", "-o", "a.wav", "--", "--from"],
                "shruti say --from 40 -o a-from-40.wav -- --from",
            ),
            (&["shruti", "say", "नमस्ते जी"], "shruti say --from 40 'नमस्ते जी'"),
        ] {
            assert_eq!(command(arguments, 40), expected);
        }
    }
}
