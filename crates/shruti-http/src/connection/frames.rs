//! Counter for the bytes of an unfinished frame or request head from an HTTP/2 client (RFC 9113, §4.1).

const HEAD_BYTES: usize = 9;
const HEADERS: u8 = 0x1;
const CONTINUATION: u8 = 0x9;
const END_HEADERS: u8 = 0x4;

/// Parser that finds the frame boundaries in the byte stream of one direction.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// Header of the current frame; the first `head_bytes` bytes have arrived.
    head: [u8; HEAD_BYTES],
    head_bytes: usize,
    /// Number of payload bytes of the current frame that have not arrived.
    missing: usize,
    /// Number of bytes since the end of the last complete frame or request head.
    unfinished: usize,
}

impl Frames {
    pub(super) fn read(&mut self, mut bytes: &[u8]) {
        while let Some((&first, rest)) = bytes.split_first() {
            if self.head_bytes < HEAD_BYTES {
                self.head[self.head_bytes] = first;
                self.head_bytes += 1;
                self.unfinished += 1;
                bytes = rest;
                if self.head_bytes == HEAD_BYTES {
                    self.missing = u32::from_be_bytes([0, self.head[0], self.head[1], self.head[2]]) as usize;
                }
            } else {
                let (payload, rest) = bytes.split_at(self.missing.min(bytes.len()));
                self.missing -= payload.len();
                self.unfinished += payload.len();
                bytes = rest;
            }
            if self.head_bytes == HEAD_BYTES && self.missing == 0 {
                self.end();
            }
        }
    }

    /// Returns the number of bytes that belong to an incomplete frame or request head.
    pub(super) fn unfinished(&self) -> usize {
        self.unfinished
    }

    fn end(&mut self) {
        self.head_bytes = 0;
        let [_, _, _, kind, flags, ..] = self.head;
        let continues = matches!(kind, HEADERS | CONTINUATION) && flags & END_HEADERS == 0;
        if !continues {
            self.unfinished = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(kind: u8, flags: u8, payload: usize) -> Vec<u8> {
        let length = (payload as u32).to_be_bytes();
        let head = [length[1], length[2], length[3], kind, flags, 0, 0, 0, 1];
        [&head[..], &vec![0; payload]].concat()
    }

    #[test]
    fn counts_unfinished_frames_across_reads() {
        const PING: u8 = 0x6;
        let head = [frame(HEADERS, 0, 300), frame(CONTINUATION, 0, 0), frame(CONTINUATION, END_HEADERS, 20)];
        let [first, empty, last] = &head;
        for (bytes, unfinished) in [
            (frame(PING, 0, 8), 0),
            (frame(PING, 0, 8)[..16].to_vec(), 16),
            (frame(HEADERS, END_HEADERS, 16_000), 0),
            (frame(HEADERS, END_HEADERS, 16_000)[..16_008].to_vec(), 16_008),
            (first.clone(), 309),
            ([first.as_slice(), empty].concat(), 318),
            ([first.as_slice(), empty, &last[..9]].concat(), 327),
            (head.concat(), 0),
            ([head.concat(), vec![0; 5]].concat(), 5),
        ] {
            for cut in [1, 7, 9, bytes.len()] {
                let mut frames = Frames::default();
                bytes.chunks(cut).for_each(|bytes| frames.read(bytes));
                assert_eq!(frames.unfinished(), unfinished, "{} bytes by {cut}", bytes.len());
            }
        }
    }
}
