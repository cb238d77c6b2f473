"""Tests of the formats that `save` writes, by file extension."""

import io
import pathlib
import wave

import pytest

from shruti_tts import Clip, ClipInfo
from shruti_tts._files import Header

NATIVE = "audio/L16; rate=24000; channels=1"


def clip(content_type: str, encoding: str, audio: bytes) -> Clip:
    info = ClipInfo(None, None, None, None, None, None, content_type, encoding)
    return Clip(audio, info)


def test_raw_samples_become_a_valid_wav_file(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.wav"
    clip(NATIVE, "pcm_s16le", b"\1\0\2\0").save(path)
    with wave.open(str(path)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (24000, 1, 2)
        assert file.readframes(9) == b"\1\0\2\0"
    path = tmp_path / "a.pcm"
    clip(NATIVE, "pcm_s16le", b"\1\0").save(path)
    assert path.read_bytes() == b"\1\0"


def test_g711_is_declared_in_the_header() -> None:
    file = io.BytesIO()
    header = Header("a.WAV", "audio/basic", "pcm_mulaw")
    header.begin(file)
    file.write(b"\xff" * 10)
    header.finish(file, 10)
    written = file.getvalue()
    assert written[20:22] == b"\7\0" and written[24:28] == (8000).to_bytes(4, "little")
    assert int.from_bytes(written[4:8], "little") == len(written) - 8
    assert written.endswith((10).to_bytes(4, "little") + b"\xff" * 10)


@pytest.mark.parametrize(
    ("name", "content_type", "encoding", "advice"),
    [
        ("a.mp3", NATIVE, "pcm_s16le", "output_format='mp3'"),
        ("a.ogg", NATIVE, "pcm_s16le", "output_format='opus'"),
        ("a.wav", "audio/mpeg", "mp3", "output_format='wav'"),
        ("a.mp3", "audio/wav", "pcm_s16le", "output_format='mp3'"),
    ],
)
def test_a_suffix_of_another_format_is_rejected_before_a_file_is_created(
    tmp_path: pathlib.Path, name: str, content_type: str, encoding: str, advice: str
) -> None:
    with pytest.raises(ValueError, match=advice):
        clip(content_type, encoding, b"abcd").save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_the_format_of_the_suffix_is_written_unchanged(tmp_path: pathlib.Path) -> None:
    for name, content_type, encoding in [("a.mp3", "audio/mpeg", "mp3"), ("a.wav", "audio/wav", "pcm_s16le")]:
        clip(content_type, encoding, b"abcd").save(tmp_path / name)
        assert (tmp_path / name).read_bytes() == b"abcd"
