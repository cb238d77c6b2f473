//! `shruti say --server` against a real server, and `shruti say` without one.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::{Command, Output, Stdio};

use shruti_testkit::{Audio, TestServer};

const TEXT: &str = "आपका order ₹1,25,000 का है। वह कल शाम 5 बजे तक पहुँच जाएगा।";

/// `shruti say` with no server in its environment.
fn say(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shruti"));
    command.arg("say").args(arguments).env_remove("SHRUTI_SERVER").env_remove("SHRUTI_API_KEY");
    command
}

/// `shruti say` by a server.
fn say_by(server: &TestServer, arguments: &[&str]) -> Command {
    let mut command = say(arguments);
    command.args(["--server", &format!("http://{}", server.address)]).env("SHRUTI_API_KEY", &server.key);
    command
}

/// Runs a command beside the server of a test.
async fn run(mut command: Command) -> Output {
    tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
}

async fn sound(command: Command) -> Audio {
    let output = run(command).await;
    assert!(output.status.success(), "{output:?}");
    Audio::from_bytes(&output.stdout)
}

#[tokio::test]
async fn a_server_says_the_same_samples() {
    let server = TestServer::start().await;
    let long = TEXT.repeat(90);
    let cases: &[&[&str]] = &[
        &[TEXT],
        &["--voice", "Arjun", "-l", "mr", "--speed", "1.3", "--pitch=-2", TEXT],
        &["--lexicon", "order=ऑर्डर", "--lexicon", "वह=/ʋoː/", TEXT],
        // more than a request takes: it goes over WebSocket
        &["-l", "hi", &long],
    ];
    for arguments in cases {
        let (here, there) = (sound(say(arguments)).await, sound(say_by(&server, arguments)).await);
        assert!(here == there, "{here:?} here, {there:?} there: {}", arguments.len());
    }
}

#[tokio::test]
async fn files_and_lists_are_written_as_without_a_server() {
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
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("first audio after") && said.contains("the server took"), "{said}");
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
async fn what_comes_through_a_pipe_is_spoken_before_it_ends() {
    let server = TestServer::start().await;
    let mut process = say_by(&server, &["-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut pipe = process.stdin.take().unwrap();
    let mut sound = process.stdout.take().unwrap();
    let heard = tokio::task::spawn_blocking(move || {
        pipe.write_all("पहला वाक्य। ".as_bytes()).unwrap();
        // the pipe is still open when its first sound comes
        let mut first = [0; 4_800];
        sound.read_exact(&mut first).unwrap();
        // inside an akshara, and inside its bytes
        for piece in "दूसरा वाक्य।".as_bytes().chunks(5) {
            pipe.write_all(piece).unwrap();
        }
        drop(pipe);
        let mut all = first.to_vec();
        sound.read_to_end(&mut all).unwrap();
        all
    });
    let heard = Audio::from_bytes(&heard.await.unwrap());
    assert!(process.wait().unwrap().success());
    let first = sound_of("पहला वाक्य। ").await;
    assert!(heard.duration() > first.duration() * 3 / 2, "{heard:?} after {first:?}");
    assert_eq!(heard.samples[..2_400], first.samples[..2_400]);
}

async fn sound_of(text: &str) -> Audio {
    sound(say(&[text])).await
}

#[tokio::test]
async fn what_goes_wrong_is_told_in_one_line() {
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
