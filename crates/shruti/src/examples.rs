//! Examples that `--help` shows below each command.

use clap::Command;

/// Maximum width of an example line, in columns. Examples are not wrapped, so that they can be copied.
#[cfg(test)]
const COLUMNS: usize = 80;

/// Examples of the commands, keyed by the words that follow `shruti`.
const EXAMPLES: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "shruti serve",
            "shruti say \"नमस्ते! आप कैसे हैं?\"",
            "shruti say -l tamil --voice Arjun -o vanakkam.mp3 \"வணக்கம்\"",
        ],
    ),
    (
        "serve",
        &[
            "shruti serve",
            "shruti serve --port 9000",
            "shruti serve --listen 0.0.0.0:8080 --data-dir /var/lib/shruti",
            "shruti serve --listen 0.0.0.0:443 --tls-cert chain.pem --tls-key key.pem",
            "shruti serve --tls-self-signed",
            "shruti serve --wyoming 0.0.0.0:10200",
            "shruti serve --database postgres://shruti@db.example/shruti",
        ],
    ),
    ("open", &["shruti open", "shruti open --print", "shruti open --data-dir /var/lib/shruti"]),
    (
        "say",
        &[
            "shruti say \"The meeting is at 3 PM.\"",
            "shruti say -l bangla --voice Arjun --speed 1.2 \"আমি ভালো আছি।\"",
            "shruti say -o kavita.wav - < kavita.txt",
            "shruti say -l hi --file book.txt -o book.mp3 --subtitles book.vtt",
            "shruti say -l hi \"नमस्ते\" | aplay -t raw -f S16_LE -r 24000 -c 1",
            "shruti say -l te --list words.txt --out-dir words/",
            "tail -f notes.txt | shruti say --server http://127.0.0.1:8080 -v -",
        ],
    ),
    (
        "sign",
        &[
            "shruti sign -l hi \"आपका ऑर्डर भेज दिया गया है।\"",
            "shruti sign --format wav_8000 --expires 30d \"Please hold the line.\"",
            "curl -o hello.mp3 \"$(shruti sign Hello)\"",
        ],
    ),
    (
        "chat",
        &[
            "shruti chat",
            "shruti chat -l ta --voice Arjun",
            "shruti chat --text turns.txt --tokens-per-second 10",
            "echo \"नमस्ते! आप कैसे हैं?\" | shruti chat --text -",
        ],
    ),
    ("mcp", &["shruti mcp", "shruti mcp --folder ~/speech", "shruti mcp --server http://127.0.0.1:8080"]),
    ("keys", &["shruti keys create --name website", "shruti keys list"]),
    (
        "keys create",
        &[
            "shruti keys create --name laptop",
            "export SHRUTI_API_KEY=$(shruti keys create --name terminal)",
            "shruti keys create --name shop --origin https://shop.example --rate 10",
            "shruti keys create --name trial --expires 30d --monthly-cap 50000",
        ],
    ),
    ("keys list", &["shruti keys list"]),
    ("keys revoke", &["shruti keys revoke sk_AbCd1234"]),
    ("keys reopen", &["shruti keys reopen sk_AbCd1234"]),
    ("accounts", &["shruti accounts list", "shruti accounts create asha@example.org"]),
    ("accounts list", &["shruti accounts list"]),
    ("accounts create", &["shruti accounts create asha@example.org"]),
    ("accounts lock", &["shruti accounts lock asha@example.org"]),
    (
        "accounts unlock",
        &[
            "shruti accounts unlock asha@example.org",
            "shruti accounts unlock asha@example.org --chars 100000",
        ],
    ),
    ("accounts link", &["shruti accounts link", "shruti accounts link asha@example.org"]),
    ("accounts reset-password", &["shruti accounts reset-password asha@example.org"]),
    ("accounts operator", &["shruti accounts operator asha@example.org on"]),
    (
        "accounts delete",
        &["shruti accounts delete asha@example.org", "shruti accounts delete asha@example.org --yes"],
    ),
    ("promo", &["shruti promo create --chars 50000", "shruti promo list"]),
    (
        "promo create",
        &["shruti promo create --chars 50000", "shruti promo create --chars 50000 --uses 100 --expires 90d"],
    ),
    ("promo list", &["shruti promo list"]),
    ("promo disable", &["shruti promo disable 7K2M"]),
    ("audit", &["shruti audit", "shruti audit --since 7d", "shruti audit --account asha@example.org --json"]),
    ("store", &["shruti store backup /backup/shruti.db"]),
    ("store backup", &["shruti store backup /backup/shruti.db"]),
    (
        "store copy",
        &[
            "shruti store copy postgres://shruti@db.example/shruti",
            "shruti store copy --database postgres://shruti@db.example/shruti data/",
        ],
    ),
    (
        "store migrate",
        &["shruti store migrate", "shruti store migrate --database postgres://shruti@db.example/shruti"],
    ),
    (
        "doctor",
        &[
            "shruti doctor",
            "shruti doctor --listen 0.0.0.0:443 --tls-cert chain.pem --tls-key key.pem",
            "shruti doctor --config shruti.toml --json",
        ],
    ),
    (
        "ready",
        &[
            "shruti ready",
            "shruti ready --listen 10.0.0.5:8080",
            "shruti ready --config shruti.toml --pack te-padmavathi",
        ],
    ),
    ("reload", &["shruti reload", "shruti reload --data-dir /var/lib/shruti"]),
    (
        "usage",
        &[
            "shruti usage --server http://127.0.0.1:8080",
            "shruti usage --from 2026-11-01 --to 2026-11-30",
            "shruti usage --csv > november.csv",
        ],
    ),
    (
        "voices",
        &[
            "shruti voices",
            "shruti voices pull te-padmavathi",
            "shruti voices verify te-padmavathi",
            "shruti voices remove te-padmavathi",
        ],
    ),
    ("voices list", &["shruti voices list", "shruti voices list --json"]),
    (
        "voices pull",
        &["shruti voices pull te-padmavathi", "shruti voices pull test --from test.tar --accept MIT"],
    ),
    ("voices import", &["shruti voices import piper te.onnx --licence CC-BY-4.0"]),
    ("voices import piper", &["shruti voices import piper te_IN-padmavathi-medium.onnx --licence CC-BY-4.0"]),
    (
        "voices import kokoro",
        &["shruti voices import kokoro kokoro-v1.0.int8.onnx hf_alpha.bin hm_omega.bin"],
    ),
    ("voices import folder", &["shruti voices import folder exported/"]),
    ("voices verify", &["shruti voices verify", "shruti voices verify te-padmavathi"]),
    ("voices remove", &["shruti voices remove te-padmavathi"]),
    (
        "phones",
        &[
            "shruti phones -l hi कमल",
            "printf 'कमल\\nसरकार\\n' | shruti phones -l hi",
            "shruti phones -l hi --explain \"मेरा order कब deliver होगा?\"",
        ],
    ),
    (
        "normalize",
        &[
            "shruti normalize \"कुल ₹1,25,000 हुए\"",
            "shruti normalize --explain \"मेरा order ₹1,25,000 का है\"",
            "shruti normalize -l hi < lines.txt",
        ],
    ),
    #[cfg(feature = "bench")]
    ("bench", &["shruti bench latency --server http://127.0.0.1:8080"]),
    #[cfg(feature = "bench")]
    (
        "bench latency",
        &[
            "shruti bench latency --server http://127.0.0.1:8080",
            "shruti bench latency --server https://tts.example --runs 50",
        ],
    ),
    #[cfg(feature = "bench")]
    (
        "bench load",
        &[
            "shruti bench load --server http://127.0.0.1:8080 --conversations 500",
            "shruti bench load --server http://127.0.0.1:8080 --conversations 4000 --find",
        ],
    ),
    (
        "completions",
        &[
            "shruti completions bash > ~/.local/share/bash-completion/completions/shruti",
            "shruti completions zsh > ~/.zfunc/_shruti",
            "shruti completions fish > ~/.config/fish/completions/shruti.fish",
        ],
    ),
    ("man", &["shruti man ~/.local/share/man/man1"]),
];

/// Adds the examples to the help of a command and of its subcommands.
pub(crate) fn add(command: Command) -> Command {
    add_below(command, "")
}

fn add_below(command: Command, path: &str) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|below| below.get_name().to_owned()).collect();
    let command = names.into_iter().fold(command, |command, name| {
        let path = format!("{path} {name}").trim_start().to_owned();
        command.mut_subcommand(name, |below| add_below(below, &path))
    });
    match EXAMPLES.iter().find(|(known, _)| *known == path) {
        Some((_, examples)) => command.after_help(format!("Examples:\n  {}", examples.join("\n  "))),
        None => command,
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use unicode_width::UnicodeWidthStr;

    use super::*;
    use crate::Cli;

    /// Returns all visible commands, each with the words that follow `shruti` on its command line.
    fn commands() -> Vec<(String, Command)> {
        fn walk(command: &Command, path: &str, found: &mut Vec<(String, Command)>) {
            found.push((path.to_owned(), command.clone()));
            for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
                walk(below, format!("{path} {}", below.get_name()).trim_start(), found);
            }
        }
        let mut found = Vec::new();
        walk(&add(Cli::command()), "", &mut found);
        found
    }

    #[test]
    fn every_command_has_examples_and_every_example_has_a_command() {
        let paths: Vec<String> = commands().into_iter().map(|(path, _)| path).collect();
        for path in &paths {
            assert!(EXAMPLES.iter().any(|(known, _)| known == path), "'{path}' has no example");
        }
        for (path, _) in EXAMPLES {
            assert!(paths.iter().any(|known| known == path), "there is no command '{path}'");
        }
    }

    #[test]
    fn every_example_can_be_parsed() {
        for (path, examples) in EXAMPLES {
            for example in *examples {
                let line = example.split_once("shruti").map(|(_, line)| line).expect(example);
                let line = line.split([')', '|', '<', '>']).next().unwrap_or_default();
                let words = std::iter::once("shruti".to_owned()).chain(words(line));
                let read = Cli::command().try_get_matches_from(words);
                assert!(
                    read.is_ok(),
                    "{path}: {example}: {}",
                    read.err().map(|error| error.to_string()).unwrap_or_default()
                );
            }
        }
    }

    /// Splits a line into words as a shell does, at white space and double quotes.
    fn words(line: &str) -> Vec<String> {
        let mut words = Vec::new();
        for (i, part) in line.split('"').enumerate() {
            if i % 2 == 1 {
                words.push(part.to_owned());
            } else {
                words.extend(part.split_whitespace().map(str::to_owned));
            }
        }
        words
    }

    #[test]
    fn help_fits_eighty_columns() {
        for (path, command) in commands() {
            let help = command.term_width(COLUMNS).render_long_help().to_string();
            for line in help.lines() {
                assert!(line.width() <= COLUMNS, "shruti {path} --help: {} columns: {line}", line.width());
            }
        }
    }
}
