//! Tests of properties that all formats share.

use std::time::Duration;

use crate::{BIT_RATES, Codec, Encoder, Encoding, Format, FormatError, SAMPLE_RATE, SAMPLE_RATES, wav};

const ENCODINGS: [Encoding; 4] = [Encoding::S16Le, Encoding::F32Le, Encoding::MuLaw, Encoding::ALaw];

/// Returns all formats.
pub(crate) fn formats() -> Vec<Format> {
    let mut formats = Vec::new();
    for rate in SAMPLE_RATES {
        for encoding in ENCODINGS {
            formats.push(Format::raw(encoding, rate).unwrap());
            formats.push(Format::wav(encoding, rate).unwrap());
        }
        formats.extend(BIT_RATES.iter().filter_map(|&bit_rate| Format::mp3(rate, bit_rate).ok()));
    }
    formats.extend(BIT_RATES.map(|bit_rate| Format::ogg_opus(bit_rate).unwrap()));
    formats
}

/// Generates a speech-like signal: gliding tones with changing loudness, and noise.
pub(crate) fn sound(samples: usize) -> Vec<i16> {
    let (mut phase, mut noise) = (0.0_f64, 1_u32);
    let sample = |n: usize| {
        let seconds = n as f64 / f64::from(SAMPLE_RATE);
        phase += (180.0 + 60.0 * (seconds * 3.0).sin()) / f64::from(SAMPLE_RATE);
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let tone: f64 =
            (1..20).map(|k| (std::f64::consts::TAU * phase * f64::from(k)).sin() / f64::from(k)).sum();
        let hiss = f64::from(noise >> 16) / 65_536.0 - 0.5;
        let loudness = 0.5 + 0.5 * (seconds * 25.0).sin();
        ((tone * 6_000.0 + hiss * 1_500.0) * loudness) as i16
    };
    (0..samples).map(sample).collect()
}

/// Returns the correlation of a signal with its decoded version at the same position, at most 1.
pub(crate) fn agreement(sound: &[i16], decoded: &[f32]) -> f64 {
    assert!(decoded.len() >= sound.len(), "{} of {} samples", decoded.len(), sound.len());
    let (mut both, mut one, mut other) = (0.0, 0.0, 0.0);
    for (&a, &b) in sound.iter().zip(decoded) {
        let (a, b) = (f64::from(a), f64::from(b));
        both += a * b;
        one += a * a;
        other += b * b;
    }
    both / (one * other).sqrt()
}

/// Returns all bytes of an encoded clip, including the header.
pub(crate) fn encoded(encoder: &mut dyn Encoder, samples: &[i16], block: usize, known: bool) -> Vec<u8> {
    let mut bytes = encoder.header(known.then_some(samples.len() as u64));
    samples.chunks(block).for_each(|block| bytes.extend(encoder.encode(block)));
    bytes.extend(encoder.finish());
    bytes
}

#[test]
fn bytes_are_independent_of_block_size() {
    let samples = sound(5_001);
    for format in formats() {
        let expected = encoded(&mut *format.encoder(), &samples, samples.len(), true);
        for block in [1, 479, 2_000] {
            assert!(
                encoded(&mut *format.encoder(), &samples, block, true) == expected,
                "{format}, blocks of {block}"
            );
        }
    }
}

#[test]
fn the_announced_number_of_bytes_is_correct() {
    for format in formats() {
        for count in [0, 1, 2, 479, 480, 5_001] {
            let mut encoder = format.encoder();
            let declared_bytes = encoder.encoded_bytes(count);
            assert_eq!(format.encoded_bytes(count), declared_bytes, "{format}");
            assert_eq!(
                declared_bytes.is_some(),
                matches!(format.codec(), Codec::Raw(_) | Codec::Wav(_)),
                "{format}"
            );
            let header = encoder.header(Some(count)).len();
            let bytes = encoded(&mut *format.encoder(), &sound(count as usize), 480, true).len();
            assert!(
                declared_bytes.is_none_or(|declared_bytes| declared_bytes == (bytes - header) as u64),
                "{format}, {count} samples"
            );
        }
    }
}

#[test]
fn native_formats_contain_the_unchanged_samples() {
    let samples = sound(1_000);
    let bare = wav::bytes(&samples);
    assert_eq!(encoded(&mut *Format::NATIVE.encoder(), &samples, 7, false), bare);
    let with_header = encoded(&mut *Format::NATIVE_WAV.encoder(), &samples, 7, true);
    assert_eq!(with_header[..wav::HEADER_BYTES], wav::header(Encoding::S16Le, SAMPLE_RATE, Some(1_000)));
    assert_eq!(with_header[wav::HEADER_BYTES..], bare);
    let floats =
        encoded(&mut *Format::raw(Encoding::F32Le, SAMPLE_RATE).unwrap().encoder(), &samples, 7, true);
    let float = |n: usize| f32::from_le_bytes(floats[4 * n..4 * n + 4].try_into().unwrap());
    assert!(samples.iter().enumerate().all(|(n, &sample)| float(n) * 32_768.0 == f32::from(sample)));
}

#[test]
fn format_names_round_trip() {
    for format in formats() {
        assert_eq!(format.to_string().parse(), Ok(format));
    }
    let wrong =
        ["", "pcm", "pcm_", "pcm_024000", "pcm_+24000", "pcm_24000_", "PCM_24000", "flac_24000", "mp3_24000"];
    for name in
        wrong.into_iter().chain(["opus_32", "mp3_24000_64_1", "pcm_99999999999", "wav_mp3_24000_64", "_1_1"])
    {
        assert_eq!(name.parse::<Format>(), Err(FormatError::Name), "{name}");
    }
    let cases = [
        (
            "pcm_12000",
            "pcm_s16le does not support: 12000; supported rates are 8000, 11025, 16000, 22050, 24000, 32000, 44100 and",
        ),
        ("opus_24000_32", "opus does not support: 24000; supported rates are 48000"),
        (
            "opus_48000_31",
            "opus does not support at 48000 Hz: 31 kbit/s; supported rates are 32, 48, 64, 96, 128 and 192",
        ),
        (
            "mp3_24000_192",
            "mp3 does not support at 24000 Hz: 192 kbit/s; supported rates are 32, 48, 64, 96 and 128",
        ),
        ("mp3_8000_96", "mp3 does not support at 8000 Hz: 96 kbit/s; supported rates are 32, 48 and 64"),
    ];
    for (name, message) in cases {
        let error = name.parse::<Format>().unwrap_err().to_string();
        assert!(error.contains(message), "{name}: {error}");
    }
}

#[test]
fn a_format_name_may_omit_rates() {
    for (name, format) in [
        ("mp3", "mp3_24000_64"),
        ("MP3", "mp3_24000_64"),
        (" mp3 ", "mp3_24000_64"),
        ("mp3_44100", "mp3_44100_64"),
        ("mp3_128", "mp3_24000_128"),
        ("mp3_44100_128", "mp3_44100_128"),
        ("wav", "wav_24000"),
        ("wav_16000", "wav_16000"),
        ("opus", "opus_48000_32"),
        ("ogg", "opus_48000_32"),
        ("opus_48000", "opus_48000_32"),
        ("opus_96", "opus_48000_96"),
        ("pcm", "pcm_24000"),
        ("linear16_16000", "pcm_16000"),
        ("pcm_f32", "pcm_f32_24000"),
        ("ulaw", "mulaw_8000"),
        ("ulaw_8000", "mulaw_8000"),
        ("PCMU", "mulaw_8000"),
        ("alaw", "alaw_8000"),
        ("wav_mulaw", "wav_mulaw_8000"),
    ] {
        assert_eq!(
            Format::parse_lenient(name).map(|format| format.to_string()),
            Ok(format.to_owned()),
            "{name}"
        );
    }
    for format in formats() {
        assert_eq!(Format::parse_lenient(&format.to_string()), Ok(format));
    }
    for name in ["", "flac", "flac_24000", "mp", "mp3_24000_64_1", "_", "opus_x"] {
        assert_eq!(Format::parse_lenient(name), Err(FormatError::Name), "{name}");
    }
    for (name, message) in [
        ("mp3_12000", "supported rates are 8000"),
        ("mp3_33", "supported rates are 32, 48"),
        ("mp3_24000_192", "192 kbit/s"),
        ("opus_24000", "supported rates are 48000"),
        ("wav_9000", "supported rates are 8000"),
    ] {
        let error = Format::parse_lenient(name).unwrap_err().to_string();
        assert!(error.contains(message), "{name}: {error}");
    }
}

#[test]
fn the_first_byte_arrives_after_the_declared_delay() {
    for format in formats() {
        let mut encoder = format.encoder();
        encoder.header(None);
        let mut samples = 0_u32;
        while encoder.encode(&[1_000]).is_empty() {
            samples += 1;
        }
        let waited = Duration::from_secs_f64(f64::from(samples) / f64::from(SAMPLE_RATE));
        let declared = format.latency();
        let apart = waited.abs_diff(declared);
        assert!(apart < Duration::from_micros(150), "{format}: {waited:?}, not {declared:?}");
    }
}

#[test]
fn empty_audio_has_minimal_output() {
    for format in formats() {
        let mut encoder = format.encoder();
        encoder.header(None);
        let bytes = [encoder.encode(&[]), encoder.finish()].concat();
        let most = if matches!(format.codec(), Codec::OggOpus { .. }) { 1_000 } else { 0 };
        assert!(bytes.len() <= most, "{format}: {}", bytes.len());
    }
}

#[test]
fn extreme_samples_are_encoded() {
    let square: Vec<i16> = (0..4_800).map(|n| if n / 3 % 2 == 0 { i16::MAX } else { i16::MIN }).collect();
    let mut noise = 1_u32;
    let noise: Vec<i16> = std::iter::repeat_with(|| {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (noise >> 16) as i16
    })
    .take(4_800)
    .collect();
    for format in formats() {
        for samples in [&square, &noise, &vec![0; 4_800], &vec![i16::MIN; 4_800]] {
            assert!(!encoded(&mut *format.encoder(), samples, 480, false).is_empty(), "{format}");
        }
    }
}
