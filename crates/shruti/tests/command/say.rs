//! Tests of `shruti say`, with `--server` against a real server, and without a server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Command, Output, Stdio};

use shruti_store::KeySpec;
use shruti_testkit::{Audio, Passage, Proxy, TestServer};

use crate::process::{Running, SHRUTI};

const TEXT: &str = "आपका order ₹1,25,000 का है। वह कल शाम 5 बजे तक पहुँच जाएगा।";

/// Returns `shruti say` with rule-based synthesis and without a server in its environment. The servers of these tests
/// have no learned voices.
fn say(arguments: &[&str]) -> Command {
    let mut command = say_by_default(&["--voice-engine", "rules"]);
    command.args(arguments);
    command
}

/// Returns `shruti say` without a server in its environment.
fn say_by_default(arguments: &[&str]) -> Command {
    let mut command = Command::new(SHRUTI);
    command.arg("say").args(arguments);
    for name in ["SHRUTI_SERVER", "SHRUTI_API_KEY", "SHRUTI_VOICE_ENGINE"] {
        command.env_remove(name);
    }
    command
}

/// Returns `shruti say` with the URL and the key of a server.
fn say_by(server: &TestServer, arguments: &[&str]) -> Command {
    let mut command = say(arguments);
    command.args(["--server", &format!("http://{}", server.address)]).env("SHRUTI_API_KEY", &server.key);
    command
}

/// Runs a command without blocking the server of the test.
async fn run(mut command: Command) -> Output {
    tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
}

async fn sound(command: Command) -> Audio {
    let output = run(command).await;
    assert!(output.status.success(), "{output:?}");
    Audio::from_bytes(&output.stdout)
}

#[tokio::test]
async fn a_server_produces_the_same_samples() {
    let server = TestServer::start().await;
    let long = TEXT.repeat(90);
    let cases: &[&[&str]] = &[
        &[TEXT],
        &["--voice", "Arjun", "-l", "mr", "--speed", "1.3", "--pitch=-2", TEXT],
        &["--lexicon", "order=ऑर्डर", "--lexicon", "वह=/ʋoː/", TEXT],
        // longer than the limit of a request, so it is spoken in several turns
        &["-l", "hi", &long],
    ];
    for arguments in cases {
        let (here, there) = (sound(say(arguments)).await, sound(say_by(&server, arguments)).await);
        assert!(here == there, "{here:?} here, {there:?} there: {}", arguments.len());
    }
}

#[tokio::test]
async fn the_synthesis_can_be_selected() {
    let of = async |engine: &str| sound(say_by_default(&["--voice-engine", engine, TEXT])).await;
    let (rules, learned, again) = (of("rules").await, of("learned").await, of("learned").await);
    assert!(learned == sound(say_by_default(&[TEXT])).await, "learned is the default");
    assert!(learned != rules && learned == again);
    assert!(of("auto").await == learned, "there is capacity for one listener");
    let mut by_environment = say_by_default(&[TEXT]);
    by_environment.env("SHRUTI_VOICE_ENGINE", "rules");
    assert!(sound(by_environment).await == rules);
    let unknown = run(say_by_default(&["--voice-engine", "wood", TEXT])).await;
    let error = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(!unknown.status.success() && error.contains("auto, learned, rules"), "{error}");
}

#[tokio::test]
async fn files_and_lists_match_those_without_a_server() {
    let server = TestServer::start().await;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("list"), format!("{TEXT}\n\nHello.\n")).unwrap();
    for (name, arguments) in
        [("a", ["-o", "FOLDER/a.wav", TEXT, "-v"]), ("b", ["-o", "FOLDER/b.raw", TEXT, "-v"])]
    {
        let arguments = arguments.map(|argument| argument.replace("FOLDER", folder.path().to_str().unwrap()));
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let file = arguments[1];
        assert!(run(say(&arguments)).await.status.success(), "{name}");
        let here = std::fs::read(file).unwrap();
        std::fs::remove_file(file).unwrap();
        let output = run(say_by(&server, &arguments)).await;
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains("after the first text") && error.contains("the server took"), "{error}");
        assert!(std::fs::read(file).unwrap() == here, "{name}");
    }
    for (name, by_the_server) in [("here", false), ("there", true)] {
        let (list, out) = (path("list"), path(name));
        let arguments = ["--list", &list, "--out-dir", &out];
        let output = run(if by_the_server { say_by(&server, &arguments) } else { say(&arguments) }).await;
        assert!(output.status.success(), "{output:?}");
        assert!(String::from_utf8(output.stderr).unwrap().contains("line 2 of"), "{name}");
    }
    for number in 0..3 {
        let [here, there] =
            ["here", "there"].map(|name| std::fs::read(path(&format!("{name}/00{number}.wav"))).unwrap());
        assert!(here == there, "line {number}");
    }
}

#[tokio::test]
async fn piped_text_is_spoken_before_it_ends() {
    let server = TestServer::start().await;
    let mut process =
        Running(say_by(&server, &["-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap());
    let mut pipe = process.stdin.take().unwrap();
    let mut sound = process.stdout.take().unwrap();
    let received = tokio::task::spawn_blocking(move || {
        pipe.write_all("पहला वाक्य। ".as_bytes()).unwrap();
        // the pipe is still open when the first audio arrives
        let mut first = [0; 4_800];
        sound.read_exact(&mut first).unwrap();
        // the pieces split aksharas and multi-byte characters
        for piece in "दूसरा वाक्य।".as_bytes().chunks(5) {
            pipe.write_all(piece).unwrap();
        }
        drop(pipe);
        let mut all = first.to_vec();
        sound.read_to_end(&mut all).unwrap();
        all
    });
    let received = Audio::from_bytes(&received.await.unwrap());
    assert!(process.wait().unwrap().success());
    let first = sound_of("पहला वाक्य। ").await;
    assert!(received.duration() > first.duration() * 3 / 2, "{received:?} after {first:?}");
    assert_eq!(received.samples[..2_400], first.samples[..2_400]);
}

async fn sound_of(text: &str) -> Audio {
    sound(say(&[text])).await
}

#[tokio::test]
async fn errors_are_one_line() {
    let server = TestServer::start().await;
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let gone = format!("http://{gone}");
    let here = format!("http://{}", server.address);
    let folder = tempfile::tempdir().unwrap();
    let never = folder.path().join("never.wav");
    let never = never.to_str().unwrap();
    let cases: &[(&str, &str, &str, &str)] = &[
        ("no key", &here, "", "SHRUTI_API_KEY"),
        ("a wrong key", &here, "sk_wrong", "invalid_api_key"),
        ("no server", &gone, "sk_any", "shruti serve"),
        ("no address", "localhost:8080", "sk_any", "http://"),
    ];
    for text in [TEXT, "-"] {
        for (case, url, key, told) in cases {
            let mut command = say(&["--server", url, "-o", never, text]);
            command.env("SHRUTI_API_KEY", key).stdin(Stdio::null());
            let output = run(command).await;
            let error = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{case}: {error}");
            assert!(error.contains(told) && error.lines().count() == 1, "{case}: {error}");
            assert!(output.stdout.is_empty() && !std::path::Path::new(never).exists(), "{case}");
        }
    }
    for text in ["🙂", " "] {
        let [here, there] = [run(say(&[text])).await, run(say_by(&server, &[text])).await];
        assert_eq!((here.status.code(), here.stderr), (there.status.code(), there.stderr), "{text:?}");
    }
}

/// Runs a command with this standard input.
async fn run_with(mut command: Command, input: String) -> Output {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = piped.spawn().unwrap();
    let mut pipe = process.stdin.take().unwrap();
    let writer = std::thread::spawn(move || pipe.write_all(input.as_bytes()).unwrap());
    let output = tokio::task::spawn_blocking(move || process.wait_with_output().unwrap()).await.unwrap();
    writer.join().unwrap();
    output
}

#[tokio::test]
async fn a_text_of_any_length_is_spoken_while_it_is_read() {
    let server = TestServer::start().await;
    // the text exceeds the limit for buffered text; it is read first from a pipe, then as one line of a list
    let long = TEXT.repeat(400);
    assert!(long.chars().count() > 20_000);
    let arguments = ["-l", "hi", "--speed", "2", "-"];
    let here = run_with(say(&arguments), long.clone()).await;
    let there = run_with(say_by(&server, &arguments), long.clone()).await;
    assert!(here.status.success() && there.status.success(), "{:?} {:?}", here.stderr, there.stderr);
    let expected = Audio::from_bytes(&here.stdout);
    assert!(expected == Audio::from_bytes(&there.stdout), "{expected:?}");

    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("list"), &long).unwrap();
    let (list, out) = (path("list"), path("out"));
    let listed = run(say(&["-l", "hi", "--speed", "2", "--list", &list, "--out-dir", &out])).await;
    assert!(listed.status.success(), "{listed:?}");
    let file = std::fs::read(path("out/000.wav")).unwrap();
    assert_eq!(
        file.len() as u32 - 8,
        u32::from_le_bytes(file[4..8].try_into().unwrap()),
        "the header has the right length"
    );
    assert!(Audio::from_bytes(&file[80..]) == expected);
}

#[tokio::test]
async fn a_long_text_continues_after_a_lost_connection() {
    let server = TestServer::start().await;
    let proxy = Proxy::before(server.address).await;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("book"), format!("\u{feff}{}", format!("{TEXT}\n").repeat(150))).unwrap();
    let arguments = |subtitles: &str| {
        ["--file", &path("book"), "--speed", "2", "--subtitles", &path(subtitles)].map(str::to_owned)
    };
    let here = arguments("here.vtt");
    let here = run(say(&here.each_ref().map(String::as_str))).await;
    assert!(here.status.success(), "{here:?}");

    let there = arguments("there.vtt");
    let mut command = say(&there.each_ref().map(String::as_str));
    command.args(["--server", &format!("http://{}", proxy.address())]).env("SHRUTI_API_KEY", &server.key);
    let mut process = Running(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
    let mut sound = process.stdout.take().unwrap();
    let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
    let mut first = vec![0; 500_000];
    let reading = tokio::task::spawn_blocking(move || {
        sound.read_exact(&mut first).unwrap();
        (sound, first)
    });
    let (mut sound, mut all) = reading.await.unwrap();
    proxy.set(Passage::Closed);
    let reading = tokio::task::spawn_blocking(move || {
        sound.read_to_end(&mut all).unwrap();
        all
    });
    let (line, lines) =
        tokio::task::spawn_blocking(move || (lines.next().unwrap().unwrap(), lines)).await.unwrap();
    assert!(line.contains("retrying in"), "{line}");
    proxy.set(Passage::Open);
    let all = reading.await.unwrap();
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    assert!(process.wait().unwrap().success(), "{rest:?}");
    assert!(rest[0].contains("resumed after"), "{rest:?}");
    assert!(all == here.stdout, "{} bytes, not {}", all.len(), here.stdout.len());
    let [here, there] = ["here.vtt", "there.vtt"].map(|name| std::fs::read_to_string(path(name)).unwrap());
    assert!(here == there && here.matches("-->").count() > 200, "{}", here.matches("-->").count());
}

#[tokio::test]
async fn an_interrupted_long_text_leaves_a_valid_file_and_prints_the_position() {
    let server = TestServer::start().await;
    let account = server.create_account("reader@example.com", 3_000).await;
    let key = server.create_key_of(&account, KeySpec::named("reader")).await;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let text = format!("{TEXT}\n").repeat(100);
    std::fs::write(path("book"), &text).unwrap();
    let (book, wav, srt) = (path("book"), path("a.wav"), path("a.srt"));
    let mut command = say_by(&server, &["--file", &book, "-o", &wav, "--subtitles", &srt]);
    command.env("SHRUTI_API_KEY", key.secret.reveal());
    let output = run(command).await;
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(error.contains("quota_exhausted") && error.lines().count() == 1, "{error}");
    let from: usize = error.split("--from ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!((2_000..=3_000).contains(&from), "{error}");
    let wav = std::fs::read(wav).unwrap();
    assert_eq!(
        wav.len() as u32 - 8,
        u32::from_le_bytes(wav[4..8].try_into().unwrap()),
        "the header has the right length"
    );
    assert!(std::fs::read_to_string(srt).unwrap().contains(" --> "));

    let rest: String = text.chars().skip(from).collect();
    let from = from.to_string();
    let gone_on = sound(say_by(&server, &["--file", &book, "-l", "hi", "--from", &from])).await;
    let output = run_with(say(&["-l", "hi", "-"]), rest).await;
    assert!(gone_on == Audio::from_bytes(&output.stdout), "{gone_on:?}");
}

#[tokio::test]
async fn a_file_is_written_in_the_requested_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ulaw");
    let arguments = ["--format", "mulaw_8000", "-o", path.to_str().unwrap(), TEXT];
    assert!(run(say(&arguments)).await.status.success());
    let piped = run(say(&["--format", "mulaw_8000", TEXT])).await;
    assert!(std::fs::read(&path).unwrap() == piped.stdout);
    let samples = sound_of(TEXT).await.samples.len();
    assert_eq!(piped.stdout.len(), samples / 3);
    let refused = run(say(&["--format", "mp3_24000_64", "-o", path.to_str().unwrap(), TEXT])).await;
    assert_eq!(refused.status.code(), Some(1));
}

#[tokio::test]
async fn unspeakable_text_does_not_stop_later_text() {
    let server = TestServer::start().await;
    let text = format!("{}नमस्ते।", "\n".repeat(50_000));
    for command in [say(&["-"]), say_by(&server, &["-"])] {
        let output = run_with(command, text.clone()).await;
        assert!(output.status.success(), "{output:?}");
        assert!(Audio::from_bytes(&output.stdout) == sound_of("नमस्ते।").await);
    }
    for blank in ["", " \n", "🙂"] {
        let output = run_with(say(&["-"]), blank.to_owned()).await;
        assert_eq!(output.status.code(), Some(1), "{blank:?}: {output:?}");
    }
}

#[tokio::test]
async fn unsupported_file_extensions_are_rejected() {
    let server = TestServer::start().await;
    let folder = tempfile::tempdir().unwrap();
    for name in ["x.flac", "x.m4a", "x"] {
        let path = folder.path().join(name);
        let arguments = ["-o", path.to_str().unwrap(), TEXT];
        for command in [say(&arguments), say_by(&server, &arguments)] {
            let output = run(command).await;
            let error = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{error}");
            assert!(
                error.contains(".wav") && error.contains(".raw") && error.lines().count() == 1,
                "{error}"
            );
            assert!(!path.exists());
        }
    }
}

/// Programs: pairs of a name and a line of shell script.
#[cfg(target_os = "linux")]
type Programs<'a> = &'a [(&'a str, &'a str)];

/// Runs `shruti say` on a terminal, with a PATH that contains only these programs.
#[cfg(target_os = "linux")]
async fn say_at_a_terminal(players: Programs<'_>, text: &str) -> Output {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    for (name, line) in players {
        let path = folder.path().join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{line}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    // `script` provides a terminal
    let mut command = Command::new("/usr/bin/script");
    let say = format!("PATH={} {} say '{text}'", folder.path().display(), SHRUTI);
    command.args(["-qec", &say, "/dev/null"]).stdin(Stdio::null());
    command.env_remove("SHRUTI_SERVER").env("SHELL", "/bin/sh");
    run(command).await
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_failed_player_fails_the_command() {
    let long = TEXT.repeat(30);
    let cases: [(Programs<'_>, &str, i32, &str); 5] = [
        (&[("aplay", "exec /bin/cat > /dev/null")], TEXT, 0, ""),
        (
            &[("aplay", "/bin/cat > /dev/null; exit 3")],
            TEXT,
            1,
            "the player aplay failed with exit status: 3",
        ),
        (&[("aplay", "exit 3")], &long, 1, "aplay exited before everything was played, with exit status: 3"),
        (&[("aplay", "exit 0")], &long, 1, "aplay exited before everything was played"),
        (&[], TEXT, 1, "no player found"),
    ];
    for (players, text, status, expected) in cases {
        let output = say_at_a_terminal(players, text).await;
        let output_text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(status), "{players:?}: {output_text}");
        assert!(output_text.contains(expected), "{players:?}: {output_text}");
    }
}

#[tokio::test]
async fn ctrl_c_completes_the_file_and_prints_the_command_that_continues() {
    let folder = tempfile::tempdir().unwrap();
    let wav = folder.path().join("a.wav");
    let mut command = say(&["-l", "hi", "-v", "-o", wav.to_str().unwrap(), "-"]);
    command.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut process = Running(command.spawn().unwrap());
    let mut input = process.stdin.take().unwrap();
    // the text is much longer than the part that is spoken before the signal
    let text = format!("{TEXT}\n").repeat(5_000);
    let all = text.clone();
    let writer = std::thread::spawn(move || input.write_all(all.as_bytes()));
    let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.next().unwrap().contains("first audio"));
    process.signal("-INT");
    let messages: Vec<String> = lines.collect();
    assert_eq!(process.wait().unwrap().code(), Some(1), "{messages:?}");
    let messages = messages.last().unwrap();
    assert!(
        messages.contains("interrupted") && messages.contains("a.wav contains the text up to character"),
        "{messages}"
    );
    let written = std::fs::read(&wav).unwrap();
    assert_eq!(written.len() as u32 - 8, u32::from_le_bytes(written[4..8].try_into().unwrap()));
    assert!(writer.join().unwrap().is_err(), "the whole text was read");

    let (_, command) = messages.split_once("to continue: ").unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).env_remove("SHRUTI_SERVER");
    let from: usize = command.split("--from ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    let rest = text.chars().take(from + 100).collect();
    assert!(run_with(shell, rest).await.status.success(), "{command}");
    assert!(std::fs::metadata(folder.path().join(format!("a-from-{from}.wav"))).unwrap().len() > 44);
}

#[test]
fn a_missing_player_is_the_only_error_on_a_terminal() {
    let nothing = tempfile::tempdir().unwrap();
    // `script` runs the command on a pseudo-terminal
    let mut command = Command::new("/usr/bin/script");
    command.args(["-qec", &format!("{SHRUTI} say hello"), "/dev/null"]).env_remove("SHRUTI_SERVER");
    let output =
        command.env("PATH", nothing.path()).env("SHELL", "/bin/sh").stdin(Stdio::null()).output().unwrap();
    let output_text = String::from_utf8(output.stdout).unwrap();
    assert!(
        output_text.contains("no player found") && !output_text.contains("up to character"),
        "{output_text}"
    );
    assert_eq!(output.status.code(), Some(1), "{output_text}");
}
