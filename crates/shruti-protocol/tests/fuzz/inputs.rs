//! Random inputs: messages and bodies that are valid, almost valid, or corrupted.

use fastrand::Rng;

/// Fields of messages and bodies, and three unknown fields.
const FIELDS: [&str; 22] = [
    "type",
    "text",
    "turn_id",
    "id",
    "final",
    "preempt",
    "voice",
    "language",
    "speed",
    "pitch",
    "clarity",
    "lexicon",
    "engine",
    "timestamps",
    "output_format",
    "strict",
    "max_lead_ms",
    "all",
    "played_ms",
    "later",
    "",
    "टेक्स्ट",
];

const TYPES: [&str; 8] = ["config", "text", "flush", "end", "cancel", "played", "ping", "close"];

/// Numbers at and beyond the limits of fields and of machine types. The last four are not valid JSON.
const NUMBERS: [&str; 34] = [
    "0",
    "-0",
    "-0.0",
    "1",
    "0.5",
    "0.49999999999999994",
    "0.5000000000000001",
    "2.0",
    "2",
    "2.0000000000000004",
    "6",
    "-6.0",
    "6.000000000000001",
    "-6.5",
    "1e0",
    "20e-1",
    "1e308",
    "1e309",
    "-1e999",
    "1e-400",
    "5e-324",
    "4294967295",
    "4294967295.5",
    "4294967296",
    "60000",
    "60000.5",
    "60001",
    "18446744073709551616",
    "-9223372036854775809",
    "0.30000000000000004",
    "01",
    "+1",
    "NaN",
    ".5",
];

/// Contents of string literals: plain, escaped and invalid.
const CONTENTS: [&str; 32] = [
    "",
    " ",
    "a",
    "t1",
    "नमस्ते, आप कैसे हैं?",
    "வணக்கம்",
    "₹1,25,000",
    "क्\\u200dष",
    "<b>bold</b>",
    "a\\r\\nb",
    "\\\\",
    "\\\"",
    "\\/",
    "\\b\\f\\n\\r\\t",
    "\\u0000",
    "\\u0001",
    "\\u007f",
    "\\u00e9",
    "\\u0915\\u093f",
    "\\ud83d\\ude00",
    "\\ud83d",
    "\\ude00",
    "\\ud83d\\u0041",
    "\\ud83d\\ud83d",
    "\\uD83D rest",
    "\\u12",
    "\\x41",
    "\\u{41}",
    "😀👨\u{200d}👩",
    "\u{feff}",
    "\u{1}",
    "\n",
];

const VOICES: [&str; 6] = ["Ananya", "arjun", "ARJUN", "Anita", "", "Аrjun"];
const LANGUAGES: [&str; 8] = ["hi", "HI-in", "od", "en_IN", "ta", "fr", "", "hi-IN-x"];

/// Input generator. The same seed gives the same inputs.
pub(super) struct Inputs {
    lots: Rng,
}

impl Inputs {
    pub(super) fn new(seed: u64) -> Self {
        Self { lots: Rng::with_seed(seed) }
    }

    /// Replaces the contents of `out` with the next input.
    pub(super) fn next_into(&mut self, out: &mut Vec<u8>) {
        out.clear();
        self.object(out);
        // half of the inputs are not damaged, since only valid ones reach the deeper checks
        if self.lots.bool() {
            for _ in 0..self.lots.u32(1..=4) {
                self.damage(out);
            }
        }
    }

    fn one_in(&mut self, n: u32) -> bool {
        self.lots.u32(0..n) == 0
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.lots.usize(0..from.len())]
    }

    /// Writes an object that usually has a `type` and a `text`, followed by up to four random fields.
    fn object(&mut self, out: &mut Vec<u8>) {
        out.push(b'{');
        let mut first = true;
        if self.lots.u32(0..4) > 0 {
            let kind = self.pick(&TYPES);
            self.comma(out, &mut first);
            let known = !self.one_in(20);
            out.extend(format!("\"type\":\"{}\"", if known { kind } else { "speak" }).bytes());
        }
        if self.lots.u32(0..5) > 0 {
            self.comma(out, &mut first);
            self.field("text", out);
        }
        for _ in 0..self.lots.u32(0..5) {
            let name = self.pick(&FIELDS);
            self.comma(out, &mut first);
            self.field(name, out);
        }
        out.push(b'}');
    }

    fn comma(&mut self, out: &mut Vec<u8>, first: &mut bool) {
        if !std::mem::take(first) {
            out.push(b',');
        }
        if self.one_in(30) {
            out.extend(b" \r\n\t");
        }
    }

    fn field(&mut self, name: &str, out: &mut Vec<u8>) {
        out.push(b'"');
        for c in name.chars() {
            // an escaped character does not change the name
            if self.one_in(200) {
                out.extend(format!("\\u{:04x}", c as u32).bytes());
            } else {
                out.extend(c.encode_utf8(&mut [0; 4]).bytes());
            }
        }
        out.extend(b"\":");
        // sometimes, write a value that suits another field
        let kind = if self.one_in(25) { self.pick(&FIELDS) } else { name };
        match kind {
            "type" => self.quoted(&TYPES, out),
            "voice" => self.quoted(&VOICES, out),
            "language" => self.quoted(&LANGUAGES, out),
            "clarity" => self.quoted(&["off", "phone", "room", "Phone"], out),
            "engine" => self.quoted(&["auto", "learned", "rules", "Rules"], out),
            "timestamps" => self.quoted(&["word", "none", "char"], out),
            "final" | "preempt" | "all" => out.extend(self.pick(&["true", "false", "null"]).bytes()),
            "speed" | "pitch" | "max_lead_ms" | "played_ms" => self.number(out),
            "lexicon" => self.lexicon(out),
            "text" | "turn_id" | "id" => self.string(out),
            _ => self.value(0, out),
        }
    }

    fn quoted(&mut self, from: &[&str], out: &mut Vec<u8>) {
        let value = self.pick(from);
        out.push(b'"');
        out.extend(value.bytes());
        out.push(b'"');
    }

    fn number(&mut self, out: &mut Vec<u8>) {
        match self.lots.u32(0..8) {
            0..=2 => out.extend(format!("{}", self.lots.f64() * 3.0).bytes()),
            3 => out.extend(format!("{:e}", f64::from_bits(self.lots.u64(..))).bytes()),
            4 => out.extend(format!("{}", self.lots.u64(..) >> self.lots.u32(0..64)).bytes()),
            5 if self.one_in(50) => {
                let digits = self.lots.usize(1..5_000);
                out.extend(std::iter::repeat_n(b'7', digits));
            }
            _ => {
                // the last four entries are not valid JSON, so they are chosen less often
                let upto = if self.one_in(10) { NUMBERS.len() } else { NUMBERS.len() - 4 };
                let number = NUMBERS[self.lots.usize(0..upto)];
                out.extend(number.bytes());
            }
        }
    }

    fn string(&mut self, out: &mut Vec<u8>) {
        out.push(b'"');
        for _ in 0..self.lots.u32(1..4) {
            // many of the entries after the tenth are invalid, so they are chosen less often
            let upto = if self.one_in(12) { CONTENTS.len() } else { 10 };
            let content = CONTENTS[self.lots.usize(0..upto)];
            let times = match self.lots.u32(0..400) {
                0 => self.lots.usize(1..3_000),
                1..=20 => self.lots.usize(1..80),
                _ => 1,
            };
            out.extend(content.repeat(times).bytes());
        }
        out.push(b'"');
    }

    fn lexicon(&mut self, out: &mut Vec<u8>) {
        out.push(b'{');
        let entries = if self.one_in(100) { self.lots.u32(95..106) } else { self.lots.u32(0..4) };
        for n in 0..entries {
            if n > 0 {
                out.push(b',');
            }
            match self.lots.u32(0..20) {
                0 => self.string(out),
                1 => out.extend(format!("\"{}\"", "w".repeat(self.lots.usize(62..67))).bytes()),
                _ => out.extend(format!("\" w{n}\"").bytes()),
            }
            out.push(b':');
            match self.lots.u32(0..30) {
                0 => self.value(3, out),
                1 => out.extend(format!("\"{}\"", "अ".repeat(self.lots.usize(254..259))).bytes()),
                2 => self.string(out),
                _ => out.extend("\"एम्स \"".bytes()),
            }
        }
        out.push(b'}');
    }

    /// Writes a random value.
    fn value(&mut self, depth: u32, out: &mut Vec<u8>) {
        match self.lots.u32(0..if depth < 6 { 9 } else { 5 }) {
            0 => out.extend(self.pick(&["null", "true", "false", "nul", "True", "undefined"]).bytes()),
            1 | 2 => self.number(out),
            3 | 4 => self.string(out),
            5 | 6 => {
                out.push(b'[');
                for n in 0..self.lots.u32(0..4) {
                    if n > 0 {
                        out.push(b',');
                    }
                    self.value(depth + 1, out);
                }
                out.push(b']');
            }
            7 => {
                out.push(b'{');
                for n in 0..self.lots.u32(0..4) {
                    if n > 0 {
                        out.push(b',');
                    }
                    self.string(out);
                    out.push(b':');
                    self.value(depth + 1, out);
                }
                out.push(b'}');
            }
            _ => {
                let levels =
                    if self.one_in(10) { self.lots.usize(1..20_000) } else { self.lots.usize(1..140) };
                let (open, close) = if self.lots.bool() { ("[", "]") } else { ("{\"a\":", "}") };
                out.extend(open.repeat(levels).bytes());
                out.push(b'0');
                out.extend(close.repeat(levels).bytes());
            }
        }
    }

    /// Damages the input at one position.
    fn damage(&mut self, out: &mut Vec<u8>) {
        let place = self.lots.usize(0..=out.len());
        let end = (place + self.lots.usize(0..12)).min(out.len());
        match self.lots.u32(0..9) {
            0 => out.truncate(place),
            1 => drop(out.drain(place..end)),
            2 => {
                let again = out[place..end].to_vec();
                out.splice(place..place, again);
            }
            3 => {
                if let Some(byte) = out.get_mut(place) {
                    *byte ^= 1 << self.lots.u32(0..8);
                }
            }
            4 => out.insert(place, self.lots.u8(..)),
            5 => {
                // invalid UTF-8: invalid byte, overlong, truncated, surrogate half, beyond U+10FFFF, lone continuation
                // byte
                let wrong: [&[u8]; 6] =
                    [b"\xff", b"\xc0\x80", b"\xe0\xa4", b"\xed\xa0\xbd", b"\xf4\x90\x80\x80", b"\x80"];
                let wrong = wrong[self.lots.usize(0..wrong.len())];
                out.splice(place..place, wrong.iter().copied());
            }
            6 => {
                let sign =
                    self.pick(&["{", "}", "[", "]", "\"", ":", ",", "\\", "\0", " ", "-", "e", "\u{feff}"]);
                out.splice(place..place, sign.bytes());
            }
            7 => {
                // insert a field, possibly a duplicate
                let name = self.pick(&FIELDS);
                let mut field = Vec::new();
                self.field(name, &mut field);
                field.push(b',');
                let begin = usize::from(!out.is_empty());
                out.splice(begin..begin, field);
            }
            _ => {
                let mut other = Vec::new();
                self.object(&mut other);
                let cut = self.lots.usize(0..=other.len());
                out.truncate(place);
                out.extend(&other[cut..]);
            }
        }
    }
}
