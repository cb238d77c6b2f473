use super::*;

const TEXT: &str = r#"
format = 1
id = "te-padmavathi"
[[voice]]
name = "Padmavathi"
sex = "female"
languages = ["te"]
[licence]
spdx = "CC-BY-4.0"
attribution = "IndicVoices-R, AI4Bharat; voice by PravalX"
commercial = "yes"
source = "rhasspy/piper-voices"
text = "MODEL_CARD"
[input]
kind = "espeak"
dialect = "te"
symbols = "symbols.tsv"
begin = ["^"]
between = ["_"]
end = ["$"]
unknown = "skip"
max_symbols = 400
[graph]
kind = "vits"
files = { front = "front.onnx", decoder = "decoder.onnx" }
rate = 22050
hop = 256
context = 11
scales = { noise = 0.667, length = 1.0, duration_noise = 0.8 }
[sound]
gain_db = -1.5
pauses = "ours"
[[file]]
path = "front.onnx"
bytes = 31846912
sha256 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
[[file]]
path = "decoder.onnx"
bytes = 1
sha256 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
[[file]]
path = "symbols.tsv"
bytes = 1
sha256 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
[[file]]
path = "MODEL_CARD"
bytes = 1
sha256 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
"#;

#[test]
fn a_manifest_round_trips() {
    let manifest = Manifest::parse(TEXT).unwrap();
    assert_eq!(manifest.id, "te-padmavathi");
    assert_eq!(manifest.voices[0].languages, [Language::Telugu]);
    assert_eq!(manifest.file("front.onnx").unwrap().bytes, 31_846_912);
    assert_eq!(Manifest::parse(&manifest.to_toml().unwrap()).unwrap(), manifest);
}

#[test]
fn every_field_has_bounds_and_the_error_names_it() {
    let voice = "[[voice]]\nname = \"Padmavathi\"";
    for (from, to, named) in [
        ("format = 1", "format = 2", "`format` is 2"),
        ("te-padmavathi", "Te", "`id`"),
        ("te-padmavathi", "..", "`id`"),
        ("te-padmavathi", &"a".repeat(65), "`id`"),
        ("\"Padmavathi\"", "\"\"", "`voice[0].name`"),
        ("\"Padmavathi\"", "\"a/b\"", "`voice[0].name`"),
        ("\"Padmavathi\"", "\"a  b\"", "`voice[0].name`"),
        (voice, &format!("{voice}\nlanguages = [\"te\"]\n{voice}"), "`voice[0].speaker` is missing"),
        ("[\"te\"]", "[]", "`voice[0].languages`"),
        ("[\"te\"]", "[\"te\", \"te\"]", "`voice[0].languages`"),
        ("[\"te\"]", "[\"xx\"]", "xx"),
        ("[\"te\"]", "[\"te\"]\nspeaker = 100001", "`voice[0].speaker`"),
        ("CC-BY-4.0", "CC\\u001b[2J", "`licence.spdx`"),
        ("IndicVoices-R", "\\u0007", "`licence.attribution`"),
        ("rhasspy/piper-voices", "", "`licence.source`"),
        ("text = \"MODEL_CARD\"", "text = \"../x\"", "`licence.text`"),
        ("commercial = \"yes\"", "commercial = \"maybe\"", "maybe"),
        ("symbols = \"symbols.tsv\"", "symbols = \"s\"", "`input.symbols`"),
        ("[\"^\"]", "[\"\"]", "`input.begin`"),
        ("[\"_\"]", "[\"1\", \"2\", \"3\", \"4\", \"5\"]", "`input.between`"),
        ("[\"$\"]", "[\"12345678901234567\"]", "`input.end`"),
        ("max_symbols = 400", "max_symbols = 0", "`input.max_symbols`"),
        ("front = \"front.onnx\"", "front = \"f\"", "`graph.files.front`"),
        ("decoder = \"decoder.onnx\"", "decoder = \"f\"", "`graph.files.decoder`"),
        ("kind = \"vits\"", "kind = \"other\"", "vits"),
        ("rate = 22050", "rate = 7999", "`graph.rate`"),
        ("hop = 256", "hop = 0", "`graph.hop`"),
        ("context = 11", "context = 101", "`graph.context`"),
        ("noise = 0.667", "noise = nan", "`graph.scales.noise` is NaN"),
        ("length = 1.0", "length = 0.0", "`graph.scales.length`"),
        ("duration_noise = 0.8", "duration_noise = inf", "`graph.scales.duration_noise`"),
        ("gain_db = -1.5", "gain_db = 41.0", "`sound.gain_db`"),
        ("pauses = \"ours\"", "pauses = \"none\"", "none"),
        ("path = \"front.onnx\"", "path = \"../front.onnx\"", "`file[0].path`"),
        ("path = \"front.onnx\"", "path = \"/etc/passwd\"", "`file[0].path`"),
        ("path = \"front.onnx\"", "path = \"pack.toml\"", "`file[0].path`"),
        ("path = \"front.onnx\"", "path = \".hidden\"", "`file[0].path`"),
        ("path = \"front.onnx\"", "path = \"DECODER.onnx\"", "`file[1].path`"),
        ("bytes = 31846912", "bytes = 629145601", "`file[0].bytes`"),
        ("sha256 = \"0123", "sha256 = \"012G", "`file[0].sha256`"),
        ("gain_db = -1.5", "gain_db = -1.5\nloud = true", "unknown field `loud`"),
        ("format = 1", "format = 1\nfromat = 1", "unknown field `fromat`"),
        ("sex = \"female\"", "sex = \"female\"\nage = 3", "unknown field `age`"),
    ] {
        let text = TEXT.replacen(from, to, 1);
        assert_ne!(text, TEXT, "{from}");
        let error = Manifest::parse(&text).map(|_| ()).expect_err(to).to_string();
        assert!(error.contains(named), "{to}: {error}");
    }
}

#[test]
fn names_may_be_in_any_script() {
    for name in ["కావ్య", "अनन्या 2", "Padma-Vathi_1"] {
        assert!(is_voice_name(name), "{name}");
    }
}
