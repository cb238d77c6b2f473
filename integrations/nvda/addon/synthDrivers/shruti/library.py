"""ctypes bindings of libshruti: the functions of shruti.h that the driver calls."""

import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_bool, c_char_p, c_float, c_int16, c_int32, c_size_t, c_uint32, c_uint64, c_void_p

ABI_VERSION = 1
SAMPLE_RATE = 24_000
MAX_TEXT_BYTES = 100_000
STOPPED = 1
AUDIO, WORD, MARK = 0, 1, 2


class Event(Structure):
    """The struct ShrutiEvent of shruti.h."""

    _fields_ = [
        ("kind", c_int32),
        ("sample", c_uint64),
        ("samples", POINTER(c_int16)),
        ("sample_count", c_size_t),
        ("text_offset", c_size_t),
        ("text_length", c_size_t),
        ("mark_name", c_char_p),
    ]


CALLBACK = CFUNCTYPE(c_int32, POINTER(Event), c_void_p)

_SIGNATURES = {
    "shruti_abi_version": (c_uint32, []),
    "shruti_last_error": (c_size_t, [c_void_p, c_size_t]),
    "shruti_engine_new": (c_int32, [c_char_p, POINTER(c_void_p)]),
    "shruti_engine_free": (None, [c_void_p]),
    "shruti_voice_count": (c_size_t, [c_void_p]),
    "shruti_voice_name": (c_char_p, [c_void_p, c_size_t]),
    "shruti_language_count": (c_size_t, []),
    "shruti_language_code": (c_char_p, [c_size_t]),
    "shruti_set_voice": (c_int32, [c_void_p, c_char_p]),
    "shruti_set_language": (c_int32, [c_void_p, c_char_p]),
    "shruti_set_rate": (c_int32, [c_void_p, c_float]),
    "shruti_set_pitch": (c_int32, [c_void_p, c_float]),
    "shruti_set_volume": (c_int32, [c_void_p, c_float]),
    "shruti_set_spelling": (c_int32, [c_void_p, c_bool, c_bool]),
    "shruti_speak": (c_int32, [c_void_p, c_char_p, c_size_t, CALLBACK, c_void_p]),
    "shruti_stop": (c_int32, [c_void_p]),
}


class ShrutiError(Exception):
    """A call to the library failed."""


class Engine:
    """Engine of the library."""

    def __init__(self, path):
        self._library = ctypes.CDLL(str(path))
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(self._library, name)
            function.restype, function.argtypes = result, arguments
        version = self._library.shruti_abi_version()
        if version != ABI_VERSION:
            raise ShrutiError(f"the library has ABI version {version}; the driver requires {ABI_VERSION}")
        self._engine = c_void_p()
        self._check(self._library.shruti_engine_new(b"rules", ctypes.byref(self._engine)))

    def _check(self, status):
        if status < 0:
            message = ctypes.create_string_buffer(256)
            self._library.shruti_last_error(message, len(message))
            raise ShrutiError(message.value.decode("utf-8", "replace"))
        return status

    def voices(self):
        count = self._library.shruti_voice_count(self._engine)
        return [self._library.shruti_voice_name(self._engine, index).decode() for index in range(count)]

    def languages(self):
        return [self._library.shruti_language_code(index).decode() for index in range(self._library.shruti_language_count())]

    def set_voice(self, name):
        self._check(self._library.shruti_set_voice(self._engine, name.encode()))

    def set_rate(self, rate):
        self._check(self._library.shruti_set_rate(self._engine, rate))

    def set_pitch(self, semitones):
        self._check(self._library.shruti_set_pitch(self._engine, semitones))

    def set_volume(self, volume):
        self._check(self._library.shruti_set_volume(self._engine, volume))

    def speak(self, text, on_audio, on_mark):
        """Speaks a text. Calls on_audio with 16-bit samples as bytes and on_mark with names of marks.

        Returns False if the speech was stopped.
        """
        problems = []

        def on_event(event, _):
            event = event.contents
            try:
                if event.kind == AUDIO:
                    on_audio(ctypes.string_at(event.samples, 2 * event.sample_count))
                elif event.kind == MARK:
                    on_mark(event.mark_name.decode("utf-8", "replace"))
            except Exception as problem:  # an exception must not propagate into the library
                problems.append(problem)
                return 1
            return 0

        text = text.encode("utf-8")
        status = self._check(self._library.shruti_speak(self._engine, text, len(text), CALLBACK(on_event), None))
        if problems:
            raise problems[0]
        return status != STOPPED

    def stop(self):
        self._library.shruti_stop(self._engine)

    def close(self):
        """Frees the engine. No speech may be in progress."""
        self._library.shruti_engine_free(self._engine)
        self._engine = c_void_p()
