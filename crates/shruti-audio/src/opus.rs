//! Opus in Ogg (RFC 6716, RFC 7845).

use std::time::Duration;

use ogg::{PacketWriteEndInfo, PacketWriter};
use opus_pure::{Application, MAX_PACKET_BYTES, OpusEncoder};

use crate::SAMPLE_RATE;
use crate::encoder::Encoder;
use crate::encoding::OPUS_SAMPLE_RATE;

/// Duration of a packet.
pub(crate) const FRAME: Duration = Duration::from_millis(20);
const FRAME_SAMPLES: usize = SAMPLE_RATE as usize / 50;
/// Number of 48,000 Hz samples per input sample.
const TICKS: u64 = (OPUS_SAMPLE_RATE / SAMPLE_RATE) as u64;
/// Complexity of the encoder, 0 to 10. Higher values take up to four times as much CPU time at 32 kbit/s and hardly
/// improve the quality.
const COMPLEXITY: i32 = 5;
/// Number of packets at the start of a stream that each have a page of their own, so that playback starts immediately.
const QUICK_PACKETS: u64 = 10;
/// Number of packets per page after the first [`QUICK_PACKETS`] packets.
const PAGE_PACKETS: u64 = 5;
/// Serial number of the Ogg stream. Serial numbers distinguish the streams of a file; the files of this encoder have
/// only one stream.
const SERIAL: u32 = 1;

/// Encoder from 24,000 Hz samples to Ogg pages.
pub(crate) struct OggOpusEncoder {
    encoder: OpusEncoder,
    pages: PacketWriter<'static, Vec<u8>>,
    /// Samples of an incomplete packet.
    waiting: Vec<i16>,
    packet: Vec<u8>,
    packets: u64,
    /// Number of input samples.
    samples: u64,
}

impl OggOpusEncoder {
    /// Creates an encoder with an average bit rate, in kbit/s.
    pub(crate) fn new(bit_rate: u32) -> Self {
        let mut encoder = OpusEncoder::new(SAMPLE_RATE.cast_signed(), 1, Application::Audio)
            .expect("Opus supports one channel at 24,000 Hz");
        encoder.bitrate_bps = bit_rate.cast_signed() * 1_000;
        encoder.complexity = COMPLEXITY;
        Self {
            encoder,
            pages: PacketWriter::new(Vec::new()),
            waiting: Vec::with_capacity(FRAME_SAMPLES),
            packet: vec![0; MAX_PACKET_BYTES],
            packets: 0,
            samples: 0,
        }
    }

    /// Returns the number of 48,000 Hz samples that decoders must skip at the start: the look-ahead of the encoder.
    fn pre_skip(&self) -> u64 {
        self.encoder.lookahead() as u64 * TICKS
    }

    /// Encodes a frame. `end` is the granule position of the end of the stream for the last frame, and `None` for all
    /// other frames.
    fn frame(&mut self, samples: &[i16], end: Option<u64>) {
        let bytes = self
            .encoder
            .encode_s16(samples, FRAME_SAMPLES, &mut self.packet)
            .expect("a 20 ms frame fits into a buffer of the maximum packet size");
        self.packets += 1;
        let is_page_full =
            self.packets <= QUICK_PACKETS || (self.packets - QUICK_PACKETS).is_multiple_of(PAGE_PACKETS);
        let ends = match end {
            Some(_) => PacketWriteEndInfo::EndStream,
            None if is_page_full => PacketWriteEndInfo::EndPage,
            None => PacketWriteEndInfo::NormalPacket,
        };
        let granule = end.unwrap_or(self.packets * FRAME_SAMPLES as u64 * TICKS);
        self.page(self.packet[..bytes].to_vec(), ends, granule);
    }

    fn page(&mut self, packet: Vec<u8>, ends: PacketWriteEndInfo, granule: u64) {
        self.pages.write_packet(packet, SERIAL, ends, granule).expect("writing to memory cannot fail");
    }

    /// Returns the complete pages.
    fn take(&mut self) -> Vec<u8> {
        std::mem::take(self.pages.inner_mut())
    }

    /// Returns the identification header (RFC 7845, 5.1).
    fn identification(&self) -> Vec<u8> {
        let mut head = b"OpusHead".to_vec();
        head.extend([1, 1]); // version, channels
        head.extend((self.pre_skip() as u16).to_le_bytes());
        head.extend(SAMPLE_RATE.to_le_bytes());
        head.extend([0, 0, 0]); // gain, mapping
        head
    }

    /// Returns the comment header (RFC 7845, 5.2). It contains the vendor and no comments.
    fn comments() -> Vec<u8> {
        const VENDOR: &[u8] = b"shruti";
        let mut tags = b"OpusTags".to_vec();
        tags.extend((VENDOR.len() as u32).to_le_bytes());
        tags.extend(VENDOR);
        tags.extend(0_u32.to_le_bytes());
        tags
    }
}

impl Encoder for OggOpusEncoder {
    fn header(&mut self, _samples: Option<u64>) -> Vec<u8> {
        self.page(self.identification(), PacketWriteEndInfo::EndPage, 0);
        self.page(Self::comments(), PacketWriteEndInfo::EndPage, 0);
        self.take()
    }

    fn encode(&mut self, mut samples: &[i16]) -> Vec<u8> {
        self.samples += samples.len() as u64;
        while !samples.is_empty() {
            let room = FRAME_SAMPLES - self.waiting.len();
            let (now, later) = samples.split_at(room.min(samples.len()));
            self.waiting.extend_from_slice(now);
            samples = later;
            if self.waiting.len() == FRAME_SAMPLES {
                let mut frame = std::mem::take(&mut self.waiting);
                self.frame(&frame, None);
                frame.clear();
                self.waiting = frame;
            }
        }
        self.take()
    }

    fn finish(&mut self) -> Vec<u8> {
        let end = self.pre_skip() + self.samples * TICKS;
        // the samples of the look-ahead are not in any packet yet, so at least one more packet follows
        loop {
            let mut frame = std::mem::take(&mut self.waiting);
            frame.resize(FRAME_SAMPLES, 0);
            let is_last = (self.packets + 1) * FRAME_SAMPLES as u64 * TICKS >= end;
            self.frame(&frame, is_last.then_some(end));
            if is_last {
                return self.take();
            }
        }
    }

    fn encoded_bytes(&self, _samples: u64) -> Option<u64> {
        None
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use std::io::Cursor;

    use ogg::PacketReader;
    use opus_pure::{MAX_PACKET_SAMPLES, OggOpusReader, Trim};

    use crate::tests::{agreement, encoded, sound};
    use crate::{BIT_RATES, Format};

    /// Decodes a stream like a 24,000 Hz player, with pre-skip and end trimming applied.
    fn decoded(stream: &[u8]) -> Vec<f32> {
        let mut reader = OggOpusReader::new(Cursor::new(stream)).unwrap();
        let head = reader.head().clone();
        let (mut decoder, mut trim) = (head.decoder(24_000).unwrap(), Trim::new(&head, 24_000, 1).unwrap());
        let mut block = vec![0.0; MAX_PACKET_SAMPLES];
        let mut sound = Vec::new();
        for packet in reader.packets() {
            let packet = packet.unwrap();
            let samples = decoder.decode(&packet.data, MAX_PACKET_SAMPLES, &mut block).unwrap();
            sound.extend_from_slice(trim.keep(&packet, &block[..samples]));
        }
        sound
    }

    #[test]
    fn length_and_position_of_the_audio_are_unchanged() {
        let format = Format::ogg_opus(32).unwrap();
        // 324 samples plus the look-ahead of 156 are exactly one frame
        for samples in [1, 323, 324, 325, 479, 480, 481, 804, 24_000] {
            let stream = encoded(&mut *format.encoder(), &sound(samples), 480, false);
            assert_eq!(decoded(&stream).len(), samples);
        }
        let samples = sound(24_000);
        for bit_rate in BIT_RATES {
            let format = Format::ogg_opus(bit_rate).unwrap();
            let agreement =
                agreement(&samples, &decoded(&encoded(&mut *format.encoder(), &samples, 480, false)));
            assert!(agreement > 0.97, "{format}: {agreement}");
        }
    }

    #[test]
    fn first_pages_are_short_and_all_pages_are_bounded() {
        let mut encoder = Format::ogg_opus(64).unwrap().encoder();
        let mut stream = encoder.header(None);
        let mut pages = Vec::new();
        for block in sound(48_000).chunks(480) {
            let page = encoder.encode(block);
            stream.extend_from_slice(&page);
            pages.push(page.len());
        }
        stream.extend(encoder.finish());
        assert!(pages[..10].iter().all(|&bytes| bytes > 0), "one page per 20 ms");
        let late = pages[10..].chunks(5).map(|pages| pages.iter().filter(|&&bytes| bytes > 0).count());
        assert!(late.eq([1; 18]), "one page per 100 ms");

        let mut reader = PacketReader::new(Cursor::new(stream));
        let mut packets = Vec::new();
        while let Some(packet) = reader.read_packet().unwrap() {
            packets.push(packet);
        }
        assert_eq!((&packets[0].data[..8], &packets[1].data[..8]), (&b"OpusHead"[..], &b"OpusTags"[..]));
        assert_eq!(u16::from_le_bytes([packets[0].data[10], packets[0].data[11]]), 312, "pre-skip");
        assert_eq!(packets[1].absgp_page(), 0);
        assert_eq!(packets[2].absgp_page(), 960);
        assert!(packets.iter().rev().skip(1).all(|packet| !packet.last_in_stream()));
        let last = packets.last().unwrap();
        assert!(last.last_in_stream() && last.absgp_page() == 312 + 2 * 48_000);
    }
}
