"""File formats of saved clips, selected by the file extension."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import BinaryIO

#: Content type and `output_format` of audio files, by file extension.
CONTAINERS = {
    ".wav": ("audio/wav", "wav"),
    ".wave": ("audio/wav", "wav"),
    ".mp3": ("audio/mpeg", "mp3"),
    ".opus": ("audio/ogg", "opus"),
    ".ogg": ("audio/ogg", "opus"),
}
#: WAV format tag and bytes per sample of raw encodings.
CODINGS = {"pcm_s16le": (1, 2), "pcm_f32le": (3, 4), "pcm_alaw": (6, 1), "pcm_mulaw": (7, 1)}
#: Maximum size of the audio in a WAV file, in bytes.
MOST_BYTES = 2**32 - 64


class Header:
    """WAV header for a file of raw samples; empty if the audio already has the format of the extension."""

    def __init__(self, path: str | Path, content_type: str | None, encoding: str | None) -> None:
        wanted, name = CONTAINERS.get(Path(path).suffix.lower(), (None, None))
        kind = (content_type or "").partition(";")[0].strip().lower()
        self._coding: tuple[int, int] | None = None
        self._rate = 0
        if wanted is None or kind == wanted:
            return
        is_bare = encoding in CODINGS and kind != "audio/wav"
        if wanted == "audio/wav" and is_bare:
            rate = re.search(r"rate=(\d+)", content_type or "")
            self._rate = int(rate[1]) if rate else 8000
            self._coding = CODINGS[encoding or ""]
            return
        what = "raw samples" if is_bare else kind or "unknown"
        raise ValueError(f"{path}: the audio is {what}; request output_format={name!r} or use another file extension")

    def begin(self, file: BinaryIO) -> None:
        """Writes the header of a file whose length is not yet known."""
        file.write(self._bytes(MOST_BYTES))

    def finish(self, file: BinaryIO, size: int) -> None:
        """Writes the length of the audio into the header."""
        if self._coding and file.seekable():
            file.seek(0)
            file.write(self._bytes(min(size, MOST_BYTES)))

    def _bytes(self, size: int) -> bytes:
        if not self._coding:
            return b""
        tag, width = self._coding
        # for formats other than 16-bit integers, RIFF requires an extension and a "fact" chunk with the number of
        # samples
        extension = b"" if tag == 1 else struct.pack("<H", 0)
        form = struct.pack("<HHIIHH", tag, 1, self._rate, self._rate * width, width, 8 * width) + extension
        fact = b"" if tag == 1 else struct.pack("<4sII", b"fact", 4, size // width)
        chunks = struct.pack("<4sI", b"fmt ", len(form)) + form + fact + struct.pack("<4sI", b"data", size)
        return struct.pack("<4sI4s", b"RIFF", 4 + len(chunks) + size, b"WAVE") + chunks
