//! Clip with character timestamps, as a JSON body.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use shruti_audio::{Encoder, SAMPLE_RATE};
use shruti_engine::WordMark;
use shruti_service::synthesis::{self, ClipWriter};

use super::alignment::{Aligner, CharTimes};
use super::format::OutputFormat;

/// Aligner for the text of a clip, and encoder for its audio.
struct TimedText {
    aligner: Aligner,
    /// Number of samples so far.
    samples: u64,
    encoder: Box<dyn Encoder>,
}

impl TimedText {
    fn new(text: &str, output: OutputFormat) -> Self {
        let aligner = Aligner::of_clip(text, output.delay_ms());
        Self { aligner, samples: 0, encoder: output.format.encoder() }
    }

    fn piece(&mut self, words: &[WordMark], samples: &[i16]) -> (CharTimes, Vec<u8>) {
        self.samples += samples.len() as u64;
        (self.aligner.words(words), self.encoder.encode(samples))
    }

    fn end(&mut self) -> (CharTimes, Vec<u8>) {
        let ms = self.samples * 1_000 / u64::from(SAMPLE_RATE);
        (self.aligner.rest(ms as u32), self.encoder.finish())
    }
}

/// [`ClipWriter`] that writes one line with a JSON object for each piece of audio.
pub(super) struct LineWriter {
    text: TimedText,
    /// Times whose audio has not been written yet.
    times: CharTimes,
}

impl LineWriter {
    pub(super) fn new(text: &str, output: OutputFormat) -> Self {
        Self { text: TimedText::new(text, output), times: CharTimes::default() }
    }

    fn line(&mut self, sound: &[u8]) -> Vec<u8> {
        let times = std::mem::take(&mut self.times);
        let alignment = (!times.is_empty()).then(|| times.for_clip());
        let line = json!({
            "audio_base64": STANDARD.encode(sound),
            "alignment": alignment,
            "normalized_alignment": alignment,
        });
        synthesis::line(&line.to_string())
    }

    fn sound(&mut self, sound: &[u8]) -> Vec<u8> {
        if sound.is_empty() { Vec::new() } else { self.line(sound) }
    }
}

impl ClipWriter for LineWriter {
    fn begin(&mut self, samples: Option<u64>) -> Vec<u8> {
        let header = self.text.encoder.header(samples);
        self.sound(&header)
    }

    fn piece(&mut self, words: &[WordMark], samples: &[i16]) -> Vec<u8> {
        let (times, sound) = self.text.piece(words, samples);
        self.times.extend(times);
        self.sound(&sound)
    }

    fn end(&mut self) -> Vec<u8> {
        let (times, sound) = self.text.end();
        self.times.extend(times);
        if sound.is_empty() && self.times.is_empty() { Vec::new() } else { self.line(&sound) }
    }

    fn bytes(&self, _samples: u64) -> Option<u64> {
        None
    }
}

/// [`ClipWriter`] that writes one JSON object for the whole clip during synthesis: first the audio, then the times.
pub(super) struct ObjectWriter {
    text: TimedText,
    times: CharTimes,
    /// Bytes of audio that do not yet fill a base64 group of three.
    rest: Vec<u8>,
}

impl ObjectWriter {
    pub(super) fn new(text: &str, output: OutputFormat) -> Self {
        Self { text: TimedText::new(text, output), times: CharTimes::default(), rest: Vec::new() }
    }

    fn sound(&mut self, sound: &[u8]) -> String {
        self.rest.extend(sound);
        let complete = self.rest.len() - self.rest.len() % 3;
        let base64 = STANDARD.encode(&self.rest[..complete]);
        self.rest.drain(..complete);
        base64
    }
}

impl ClipWriter for ObjectWriter {
    fn begin(&mut self, samples: Option<u64>) -> Vec<u8> {
        let header = self.text.encoder.header(samples);
        (String::from(r#"{"audio_base64":""#) + &self.sound(&header)).into_bytes()
    }

    fn piece(&mut self, words: &[WordMark], samples: &[i16]) -> Vec<u8> {
        let (times, sound) = self.text.piece(words, samples);
        self.times.extend(times);
        self.sound(&sound).into_bytes()
    }

    fn end(&mut self) -> Vec<u8> {
        let (times, sound) = self.text.end();
        self.times.extend(times);
        let mut text = self.sound(&sound);
        text += &STANDARD.encode(std::mem::take(&mut self.rest));
        // serialising plain data cannot fail
        let times = serde_json::to_string(&self.times.for_clip()).unwrap_or_default();
        text += r#"","alignment":"#;
        text += &times;
        text += r#","normalized_alignment":"#;
        text += &times;
        text.push('}');
        text.into_bytes()
    }

    fn bytes(&self, _samples: u64) -> Option<u64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn mark(char_start: u32, char_end: u32, start_ms: u32, end_ms: u32) -> WordMark {
        WordMark { text: String::new(), start_ms, end_ms, char_start, char_end, spoken: None }
    }

    fn written(mut writer: impl ClipWriter) -> String {
        let mut bytes = writer.begin(None);
        bytes.extend(writer.piece(&[mark(0, 2, 0, 100)], &[1; 2_401]));
        bytes.extend(writer.piece(&[mark(3, 4, 100, 200)], &[2; 2_400]));
        bytes.extend(writer.end());
        String::from_utf8(bytes).unwrap()
    }

    fn samples() -> Vec<u8> {
        [1_i16; 2_401].iter().chain(&[2_i16; 2_400]).flat_map(|sample| sample.to_le_bytes()).collect()
    }

    fn decoded(value: &Value) -> Vec<u8> {
        STANDARD.decode(value["audio_base64"].as_str().unwrap()).unwrap()
    }

    const TEXT: &str = "ab\u{2028}c\u{85}";

    #[test]
    fn one_object_contains_all_audio_and_times() {
        let output = OutputFormat::named(Some("pcm_24000")).unwrap();
        let parsed: Value = serde_json::from_str(&written(ObjectWriter::new(TEXT, output))).unwrap();
        assert_eq!(decoded(&parsed), samples());
        let alignment = &parsed["alignment"];
        assert_eq!(alignment["characters"], json!(["a", "b", "\u{2028}", "c", "\u{85}"]));
        assert_eq!(alignment["character_start_times_seconds"], json!([0.0, 0.05, 0.1, 0.1, 0.2]));
        assert_eq!(&parsed["normalized_alignment"], alignment);
    }

    #[test]
    fn each_line_is_an_object_with_times_before_their_audio() {
        let output = OutputFormat::named(Some("pcm_24000")).unwrap();
        let text = written(LineWriter::new(TEXT, output));
        assert!(!text.contains(['\u{85}', '\u{2028}']), "clients would break the line there");
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.iter().flat_map(decoded).collect::<Vec<u8>>(), samples());
        let chars = lines.iter().filter_map(|line| line["alignment"]["characters"].as_array().cloned());
        let chars: String = chars.flatten().map(|c| c.as_str().unwrap().to_owned()).collect();
        assert_eq!(chars, TEXT);
        assert_eq!(lines[1]["alignment"]["characters"][0], "c");
    }
}
