//! Encodes raw 24,000 Hz samples from standard input to a format on standard output, in blocks of 20 ms like the
//! server: `encode mulaw_8000 < clip.raw > clip.ul`. With `--speed`, prints one line per format instead: the name, the
//! encoding speed as a multiple of real time, the bytes per second of audio, the latency in ms, and the encoder delay
//! in ms that players cannot detect: `encode --speed mp3_24000_64 opus_48000_32 < clip.raw`.

use std::error::Error;
use std::io::{Read, Write, stdin, stdout};
use std::time::{Duration, Instant};

use shruti_audio::{Format, SAMPLE_RATE};

const BLOCK: usize = SAMPLE_RATE as usize / 50;
/// Minimum duration of a measurement.
const LONG_ENOUGH: Duration = Duration::from_millis(80);

fn main() -> Result<(), Box<dyn Error>> {
    let (options, names): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|word| word == "--speed");
    let mut bytes = Vec::new();
    stdin().read_to_end(&mut bytes)?;
    let samples: Vec<i16> =
        bytes.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect();
    let seconds = samples.len() as f64 / f64::from(SAMPLE_RATE);
    for name in names {
        let format: Format = name.parse().map_err(|error| format!("'{name}' {error}"))?;
        if options.is_empty() {
            stdout().write_all(&encode(format, &samples))?;
            continue;
        }
        let (begun, mut rounds, mut size) = (Instant::now(), 0, 0);
        while rounds == 0 || begun.elapsed() < LONG_ENOUGH {
            size = encode(format, &samples).len();
            rounds += 1;
        }
        let times = seconds * f64::from(rounds) / begun.elapsed().as_secs_f64();
        let latency = format.latency().as_secs_f64() * 1_000.0;
        let delay = format.encoder_delay().as_secs_f64() * 1_000.0;
        println!("{name} {times:.0} {:.0} {latency:.1} {delay:.1}", size as f64 / seconds);
    }
    Ok(())
}

fn encode(format: Format, samples: &[i16]) -> Vec<u8> {
    let mut encoder = format.encoder();
    let mut bytes = encoder.header(Some(samples.len() as u64));
    for block in samples.chunks(BLOCK) {
        bytes.extend(encoder.encode(block));
    }
    bytes.extend(encoder.finish());
    bytes
}
