//! Values of the attributes of `<prosody>` and `<emphasis>`.

use super::{Emphasis, Tag};
use crate::utterance::Delivery;

/// Minimum and maximum rate factor, for one element or several nested elements.
const RATES: [f32; 2] = [0.5, 2.0];
/// Minimum and maximum pitch change in semitones, for one element or several nested elements.
const PITCHES: [f32; 2] = [-6.0, 6.0];
/// Minimum and maximum volume change in decibels, for one element or several nested elements.
const VOLUMES: [f32; 2] = [-60.0, 6.0];

/// Applies a `<prosody>` element to the surrounding delivery.
pub(super) fn prosody(tag: &Tag, around: Delivery) -> Delivery {
    let rate = tag.attribute("rate").and_then(rate).unwrap_or(1.0);
    let pitch = tag.attribute("pitch").and_then(pitch).unwrap_or(0.0);
    let volume = tag.attribute("volume").and_then(volume).unwrap_or(0.0);
    bounded(Delivery {
        rate: around.rate * rate,
        pitch: around.pitch + pitch,
        volume: around.volume + volume,
    })
}

/// Returns the level of an `<emphasis>` element.
pub(super) fn emphasis(tag: &Tag) -> Emphasis {
    match tag.attribute("level") {
        Some("strong") => Emphasis::Strong,
        Some("none") => Emphasis::None,
        Some("reduced") => Emphasis::Reduced,
        _ => Emphasis::Moderate,
    }
}

/// Applies an emphasis level to the surrounding delivery.
pub(super) fn emphasised(level: Emphasis, around: Delivery) -> Delivery {
    let (rate, pitch, volume) = match level {
        Emphasis::Strong => (0.9, 1.0, 2.0),
        Emphasis::Reduced => (1.1, 0.0, -3.0),
        Emphasis::Moderate | Emphasis::None => return around,
    };
    bounded(Delivery {
        rate: around.rate * rate,
        pitch: around.pitch + pitch,
        volume: around.volume + volume,
    })
}

fn bounded(delivery: Delivery) -> Delivery {
    Delivery {
        rate: delivery.rate.clamp(RATES[0], RATES[1]),
        pitch: delivery.pitch.clamp(PITCHES[0], PITCHES[1]),
        volume: delivery.volume.clamp(VOLUMES[0], VOLUMES[1]),
    }
}

/// Parses a rate as a factor: `slow`, `80%`, `+20%`, `1.2`.
fn rate(written: &str) -> Option<f32> {
    let named = match written {
        "x-slow" => 0.5,
        "slow" => 0.75,
        "medium" | "default" => 1.0,
        "fast" => 1.35,
        "x-fast" => 1.75,
        _ => factor(written).or_else(|| number(written))?,
    };
    Some(named.clamp(RATES[0], RATES[1]))
}

/// Parses a pitch in semitones: `high`, `+2st`, `+10%`.
fn pitch(written: &str) -> Option<f32> {
    let semitones = match written {
        "x-low" => -6.0,
        "low" => -3.0,
        "medium" | "default" => 0.0,
        "high" => 3.0,
        "x-high" => 6.0,
        _ => match written.strip_suffix("st") {
            Some(semitones) => number(semitones)?,
            None => 12.0 * libm::log2f(factor(written)?.clamp(0.25, 4.0)),
        },
    };
    Some(semitones.clamp(PITCHES[0], PITCHES[1]))
}

/// Parses a volume in decibels: `soft`, `+6dB`, `-50%`, `80` (of 100).
fn volume(written: &str) -> Option<f32> {
    let decibels = match written {
        "silent" => VOLUMES[0],
        "x-soft" => -12.0,
        "soft" => -6.0,
        "medium" | "default" => 0.0,
        "loud" => 3.0,
        "x-loud" => 6.0,
        _ => match written.strip_suffix("dB").or_else(|| written.strip_suffix("db")) {
            Some(decibels) => number(decibels)?,
            None if written.starts_with(['+', '-']) && !written.ends_with('%') => {
                of_amplitude(1.0 + number(written)? / 100.0)
            }
            None => of_amplitude(factor(written).or_else(|| Some(number(written)? / 100.0))?),
        },
    };
    Some(decibels.clamp(VOLUMES[0], VOLUMES[1]))
}

fn of_amplitude(amplitude: f32) -> f32 {
    20.0 * libm::log10f(amplitude.max(0.001))
}

/// Parses a percentage as a factor that is never negative: `80%` and `-20%` are 0.8.
fn factor(written: &str) -> Option<f32> {
    let share = number(written.strip_suffix('%')?)? / 100.0;
    Some(if written.starts_with(['+', '-']) { 1.0 + share } else { share }.max(0.0))
}

/// Parses a decimal number with an optional sign. Rejects `inf` and `nan`.
fn number(written: &str) -> Option<f32> {
    let written = written.trim();
    let plain = !written.is_empty() && written.bytes().all(|c| c.is_ascii_digit() || b"+-.".contains(&c));
    plain.then(|| written.parse::<f32>().ok()).flatten().map(|number| number.clamp(-1e6, 1e6))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(tag: &str) -> (f32, f32, f32) {
        let delivery = prosody(&Tag::parse(tag), Delivery::default());
        let rounded = |value: f32| (value * 100.0).round() / 100.0;
        (rounded(delivery.rate), rounded(delivery.pitch), rounded(delivery.volume))
    }

    #[test]
    fn parses_every_value_syntax() {
        let cases = [
            ("prosody", (1.0, 0.0, 0.0)),
            ("prosody rate='slow'", (0.75, 0.0, 0.0)),
            ("prosody rate='80%'", (0.8, 0.0, 0.0)),
            ("prosody rate='+20%'", (1.2, 0.0, 0.0)),
            ("prosody rate='-20.00%'", (0.8, 0.0, 0.0)),
            ("prosody rate='1.5'", (1.5, 0.0, 0.0)),
            ("prosody rate='900%'", (2.0, 0.0, 0.0)),
            ("prosody rate='-500%'", (0.5, 0.0, 0.0)),
            ("prosody rate='nan'", (1.0, 0.0, 0.0)),
            ("prosody rate='inf%'", (1.0, 0.0, 0.0)),
            ("prosody rate='1e9'", (1.0, 0.0, 0.0)),
            ("prosody pitch='x-high'", (1.0, 6.0, 0.0)),
            ("prosody pitch='+2st'", (1.0, 2.0, 0.0)),
            ("prosody pitch='-2.5st'", (1.0, -2.5, 0.0)),
            ("prosody pitch='+12%'", (1.0, 1.96, 0.0)),
            ("prosody pitch='200Hz'", (1.0, 0.0, 0.0)),
            ("prosody pitch='-99st'", (1.0, -6.0, 0.0)),
            ("prosody volume='soft'", (1.0, 0.0, -6.0)),
            ("prosody volume='-6dB'", (1.0, 0.0, -6.0)),
            ("prosody volume='50'", (1.0, 0.0, -6.02)),
            ("prosody volume='-50'", (1.0, 0.0, -6.02)),
            ("prosody volume='-50%'", (1.0, 0.0, -6.02)),
            ("prosody volume='0'", (1.0, 0.0, -60.0)),
            ("prosody volume='+40dB'", (1.0, 0.0, 6.0)),
        ];
        for (tag, wanted) in cases {
            assert_eq!(read(tag), wanted, "{tag}");
        }
    }

    #[test]
    fn nested_values_accumulate_within_bounds() {
        let once = prosody(&Tag::parse("prosody rate='80%' pitch='-4st'"), Delivery::default());
        let twice = prosody(&Tag::parse("prosody rate='50%' pitch='-4st'"), once);
        assert_eq!((twice.rate, twice.pitch), (0.5, -6.0));
    }
}
