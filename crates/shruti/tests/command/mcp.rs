//! Tests of `shruti mcp`: a session over standard input and output, against a server in this process.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use shruti_testkit::TestServer;

/// Session with the command.
struct Session {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl Session {
    fn start(server: &TestServer, arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_shruti"))
            .arg("mcp")
            .args(arguments)
            .env("SHRUTI_SERVER", format!("http://{}", server.address))
            .env("SHRUTI_API_KEY", &server.key)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output, asked: 0 }
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        let answer = self.next();
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(id)), "{answer}");
        answer
    }

    fn call(&mut self, name: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({"name": name, "arguments": arguments}))["result"].clone()
    }

    /// Closes the input, and checks that the command then exits successfully.
    fn end(mut self) {
        drop(self.input.take());
        assert!(self.child.wait().unwrap().success());
    }
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}"))
}

fn is_error(result: &Value) -> bool {
    result["isError"] == true
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tools_speak_and_return_information() {
    let server = TestServer::start().await;
    let expected = server.client().post(r#"{"text":"नमस्ते","voice":"Arjun"}"#).await.audio();
    let mut session = Session::start(&server, &[]);
    let initialized =
        session.ask("initialize", &json!({"protocolVersion": "2025-06-18", "capabilities": {}}));
    assert_eq!(initialized["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(initialized["result"]["serverInfo"]["name"], "shruti");
    session.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    let tools = session.ask("tools/list", &json!({}));
    let names: Vec<_> =
        tools["result"]["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["speak", "list_voices", "explain_pronunciation"]);

    let spoken = session.call("speak", &json!({"text": "नमस्ते", "voice": "Arjun"}));
    assert!(text(&spoken).contains("by Arjun in Hindi"), "{}", text(&spoken));
    assert_eq!(spoken["content"][1]["mimeType"], "audio/wav");
    let wav = STANDARD.decode(spoken["content"][1]["data"].as_str().unwrap()).unwrap();
    let samples: Vec<u8> = expected.samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
    assert_eq!((&wav[..4], &wav[44..]), (&b"RIFF"[..], &samples[..]));

    let voices = session.call("list_voices", &json!({}));
    assert!(text(&voices).contains("Ananya (female), the default voice: hi bn ta"), "{}", text(&voices));
    let read = session.call("explain_pronunciation", &json!({"text": "₹5 दो", "language": "hi"}));
    assert!(text(&read).contains("₹5 (money) → पाँच [p "), "{}", text(&read));

    for (name, arguments, told) in [
        ("speak", json!({"text": "a", "voice": "Anita"}), "voices are Ananya and Arjun"),
        ("speak", json!({"text": ""}), "text is empty"),
        ("speak", json!({"text": "a".repeat(5_001)}), "the limit is 5000"),
        ("speak", json!({"text": "a", "language": "fr"}), "not supported"),
        ("speak", json!({"text": "a", "speed": 9}), "speed must be"),
        ("speak", json!({"text": "a", "path": "/etc/x"}), "unknown field"),
        ("speak", json!({}), "missing field"),
        ("speak", json!({"text": "यह एक वाक्य है। ".repeat(300)}), "--folder"),
        ("explain_pronunciation", json!({"text": 7}), "invalid arguments"),
        ("list_voices", json!({"a": 1}), "unknown field"),
    ] {
        let result = session.call(name, &arguments);
        assert!(is_error(&result) && text(&result).contains(told), "{name}: {result}");
    }
    for (line, code) in [("nonsense", -32_700), ("[]", -32_600)] {
        session.send(line);
        assert_eq!(session.next()["error"]["code"], code);
    }
    let long = "x".repeat(300_000);
    session.send(&long);
    assert_eq!(session.next()["error"]["code"], -32_700);
    assert_eq!(session.ask("ping", &json!({}))["result"], json!({}), "it continues");
    session.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn speech_is_saved_only_in_the_folder() {
    let server = TestServer::start().await;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("speech-1.wav"), "mine").unwrap();
    let mut session =
        Session::start(&server, &["--folder", folder.path().to_str().unwrap(), "--voice", "Arjun"]);
    for number in 2..4 {
        let spoken = session.call("speak", &json!({"text": "नमस्ते"}));
        let path = folder.path().join(format!("speech-{number}.wav"));
        assert!(text(&spoken).ends_with(path.to_str().unwrap()), "{}", text(&spoken));
        let wav = fs::read(path).unwrap();
        assert_eq!((&wav[..4], wav.len() > 10_000), (&b"RIFF"[..], true));
        let data = wav.windows(4).position(|name| name == b"data").unwrap() + 4;
        let length = u32::from_le_bytes(wav[data..data + 4].try_into().unwrap());
        assert_eq!(length as usize, wav.len() - data - 4, "the header has the right length");
    }
    assert_eq!(fs::read(folder.path().join("speech-1.wav")).unwrap(), b"mine");
    assert!(is_error(&session.call("speak", &json!({"text": "🙂"}))));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "a text without speech leaves no file");
    session.end();
}
