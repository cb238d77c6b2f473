//! Tests of `shruti chat` without a terminal: its output, and the audio that it sends to a player.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use shruti_testkit::{Audio, TestServer};

use crate::process::SHRUTI;

const FIRST: &str = "आपका order ₹1,499 का है, और वह कल शाम 5 बजे तक आपके घर पहुँच जाएगा।";
const SECOND: &str = "Your parcel has left Pune this morning, and it will reach you tomorrow.";
/// Maximum duration of audio that a player has received and not yet played, in milliseconds.
const LEAD_MS: usize = 250;

/// Returns the command `shruti chat` with the two texts, without the environment variables that would affect it.
fn chat(folder: &Path, arguments: &[&str]) -> Command {
    let turns = folder.join("turns.txt");
    std::fs::write(&turns, format!("{FIRST}\n{SECOND}\n")).unwrap();
    let mut command = Command::new(SHRUTI);
    command.args(["chat", "--tokens-per-second", "100", "--text"]).arg(turns).args(arguments);
    for name in ["SHRUTI_SERVER", "SHRUTI_API_KEY", "SHRUTI_KEY_FILE", "SHRUTI_CA_CERT"] {
        command.env_remove(name);
    }
    command.stdin(Stdio::null());
    command
}

async fn run(mut command: Command) -> Output {
    tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
}

fn lines(output: &Output) -> Vec<String> {
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(!text.contains('\x1b'), "no terminal, no escape codes: {text:?}");
    text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Returns the text of a line of the form `name: "text"`.
fn quoted<'a>(line: &'a str, name: &str) -> &'a str {
    line.strip_prefix(name)
        .and_then(|rest| rest.strip_prefix(": \"")?.strip_suffix('"'))
        .unwrap_or_else(|| panic!("{line}"))
}

#[tokio::test]
async fn chat_needs_no_server_and_shows_every_word() {
    let folder = tempfile::tempdir().unwrap();
    let lines = lines(&run(chat(folder.path(), &["--mute"])).await);
    assert_eq!(lines, [format!("Ananya: {FIRST}"), format!("Ananya: {SECOND}")]);
}

#[tokio::test]
async fn a_barge_in_reports_heard_text_and_stops_playback() {
    let server = TestServer::start().await;
    let folder = tempfile::tempdir().unwrap();
    // the mock player writes its input to a new file for each turn
    let player = folder.path().join("pw-play");
    std::fs::write(&player, "#!/bin/sh\nexec cat > \"$FOLDER/$$.played\"\n").unwrap();
    std::fs::set_permissions(&player, std::fs::Permissions::from_mode(0o755)).unwrap();
    let url = format!("http://{}", server.address);
    let mut command = chat(folder.path(), &["--server", &url, "--barge-in-after", "900", "--voice", "Arjun"]);
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    command.env("PATH", path).env("FOLDER", folder.path()).env("SHRUTI_API_KEY", &server.key);
    let lines = lines(&run(command).await);
    server.idle().await;

    let mut most_ms = 0;
    for (text, turn) in [FIRST, SECOND].iter().zip(lines.chunks(4)) {
        let [spoken, interrupted, heard, unheard] = turn else { panic!("{turn:?}") };
        let spoken = spoken.strip_prefix("Arjun: ").unwrap();
        let (heard, unheard) = (quoted(heard, "heard"), quoted(unheard, "not heard"));
        assert_eq!(format!("{heard}{unheard}"), *text);
        assert!(!heard.is_empty() && !unheard.is_empty(), "{heard:?} and {unheard:?}");
        assert!(text.starts_with(spoken) && spoken.len() >= heard.trim_end().len(), "{spoken:?}, {heard:?}");
        let played: usize = interrupted.split(' ').nth(2).unwrap().parse().unwrap();
        assert!(played >= 900, "{interrupted}");
        most_ms = most_ms.max(played);
    }
    assert_eq!(lines.len(), 8, "{lines:?}");
    let played: Vec<Audio> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "played"))
        .map(|path| {
            let mut bytes = std::fs::read(path).unwrap();
            bytes.truncate(bytes.len() / 2 * 2);
            Audio::from_bytes(&bytes)
        })
        .collect();
    assert_eq!(played.len(), 2, "a player for each turn");
    for audio in &played {
        let ms = audio.duration().as_millis() as usize;
        assert!(ms > 0 && ms <= most_ms + LEAD_MS, "{ms} ms were given to the player, {most_ms} ms played");
    }
}

#[tokio::test]
async fn a_failed_player_does_not_stop_the_chat() {
    let folder = tempfile::tempdir().unwrap();
    let player = folder.path().join("pw-play");
    std::fs::write(&player, "#!/bin/sh\nexit 1\n").unwrap();
    std::fs::set_permissions(&player, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = chat(folder.path(), &["--barge-in-after", "400"]);
    command.env("PATH", format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap()));
    assert_eq!(lines(&run(command).await).len(), 8);
}

#[tokio::test]
async fn errors_are_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let server = TestServer::start().await;
    let url = format!("http://{}", server.address);
    let cases: &[(&[&str], &str, &str)] = &[
        (&["--server", &url], "", "SHRUTI_API_KEY"),
        (&["--server", &url], "sk_wrong", "invalid_api_key"),
        (&["--server", "http://127.0.0.1:1"], "sk_any", "shruti serve"),
    ];
    for (arguments, key, told) in cases {
        let mut command = chat(folder.path(), arguments);
        command.env("SHRUTI_API_KEY", key);
        let output = run(command).await;
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains(told) && error.lines().count() == 1, "{error}");
    }
}
