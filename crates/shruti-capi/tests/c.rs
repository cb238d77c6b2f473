//! Tests of the C example and of a C program that misuses the interface, linked with `cc` against the shared and the
//! static library.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Returns the folder in which cargo places the libraries of this test.
fn libraries() -> PathBuf {
    let program = std::env::current_exe().unwrap();
    program.parent().unwrap().to_path_buf()
}

/// Compiles a C program with warnings as errors and returns its path.
fn compiled(source: &str, name: &str, is_static: bool) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut cc = Command::new("cc");
    cc.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-g", "-I"]);
    cc.arg(folder.join("include")).arg(folder.join(source)).arg("-o").arg(&program);
    if is_static {
        cc.arg(libraries().join("libshruti.a")).args(["-lm", "-lpthread", "-ldl"]);
    } else {
        cc.arg("-L").arg(libraries()).args(["-lshruti", "-lpthread"]);
        cc.arg(format!("-Wl,-rpath,{}", libraries().display()));
    }
    let output = cc.output().expect("a C compiler is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}

fn run(program: &Path, arguments: &[&str]) -> Output {
    let output = Command::new(program).args(arguments).output().unwrap();
    assert!(output.status.success(), "{:?}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    output
}

/// Checks the header of a WAV file and returns its samples.
fn samples(path: &Path) -> Vec<i16> {
    let bytes = std::fs::read(path).unwrap();
    assert_eq!((&bytes[..4], &bytes[8..16]), (&b"RIFF"[..], &b"WAVEfmt "[..]));
    let data = u32::from_le_bytes(bytes[40..44].try_into().unwrap()) as usize;
    assert_eq!(data, bytes.len() - 44, "the header's length");
    bytes[44..].chunks(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect()
}

#[test]
fn the_example_speaks() {
    let text = "<speak><mark name=\"first\"/>नमस्ते, <mark name=\"second\"/>आप कैसे हैं?</speak>";
    let mut lengths = Vec::new();
    for (is_static, rate) in [(false, "1.0"), (true, "1.0"), (false, "3.0")] {
        let name = if is_static { "speak-static" } else { "speak" };
        let program = compiled("examples/c/speak.c", &format!("{name}-{rate}"), is_static);
        let wav = program.with_extension("wav");
        let output = run(&program, &[wav.to_str().unwrap(), "hi", rate, text]);
        let printed = String::from_utf8(output.stdout).unwrap();
        let events: Vec<(&str, &str)> = printed
            .lines()
            .map(|line| {
                let mut fields = line.splitn(3, ' ');
                (fields.next().unwrap(), fields.nth(1).unwrap())
            })
            .collect();
        let expected = [
            ("mark", "first"),
            ("word", "नमस्ते,"),
            ("mark", "second"),
            ("word", "आप"),
            ("word", "कैसे"),
            ("word", "हैं?"),
        ];
        assert_eq!(events, expected);
        let samples = samples(&wav);
        let loud = samples.iter().filter(|sample| sample.unsigned_abs() > 500).count();
        assert!(loud > samples.len() / 5, "{loud} of {} samples are loud", samples.len());
        lengths.push(samples.len());
    }
    assert_eq!(lengths[0], lengths[1], "the shared and the static library");
    assert!((24_000..96_000).contains(&lengths[0]), "{} samples", lengths[0]);
    let ratio = lengths[0] as f32 / lengths[2] as f32;
    assert!((2.6..3.4).contains(&ratio), "{ratio} times as fast");
}

#[test]
fn misuse_returns_a_status() {
    let program = compiled("tests/misuse.c", "misuse", false);
    let output = run(&program, &[]);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "all as expected\n");
}
