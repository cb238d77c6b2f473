"""Synthesizer driver for NVDA, based on libshruti."""

import os
import queue
import threading
from collections import OrderedDict

import config
import nvwave
from logHandler import log
from speech.commands import (
    BreakCommand,
    CharacterModeCommand,
    IndexCommand,
    LangChangeCommand,
    PitchCommand,
    RateCommand,
    VolumeCommand,
)
from synthDriverHandler import SynthDriver as BaseDriver
from synthDriverHandler import VoiceInfo, synthDoneSpeaking, synthIndexReached

from .library import MAX_TEXT_BYTES, SAMPLE_RATE, Engine
from .sequence import ssml

LIBRARY = os.path.join(os.path.dirname(__file__), "shruti.dll")
# speech rates that correspond to NVDA's rates 0 and 100, relative to the voice's normal rate (NVDA's rate 50)
SLOWEST, FASTEST = 0.5, 6.0
PIECE = SAMPLE_RATE // 25 * 2


class SynthDriver(BaseDriver):
    name = "shruti"
    description = "Shruti"
    supportedSettings = (
        BaseDriver.VoiceSetting(),
        BaseDriver.RateSetting(),
        BaseDriver.PitchSetting(),
        BaseDriver.VolumeSetting(),
    )
    supportedCommands = {
        BreakCommand,
        CharacterModeCommand,
        IndexCommand,
        LangChangeCommand,
        PitchCommand,
        RateCommand,
        VolumeCommand,
    }
    supportedNotifications = {synthIndexReached, synthDoneSpeaking}

    @classmethod
    def check(cls):
        return os.path.isfile(LIBRARY)

    def __init__(self):
        super().__init__()
        self._engine = Engine(LIBRARY)
        self._languages = set(self._engine.languages())
        self._player = nvwave.WavePlayer(
            channels=1,
            samplesPerSec=SAMPLE_RATE,
            bitsPerSample=16,
            outputDevice=config.conf["audio"]["outputDevice"],
        )
        self._values = {"voice": self._engine.voices()[0], "rate": 50, "pitch": 50, "volume": 100}
        self._texts = queue.Queue()
        # number of cancels; a text that was queued before the latest cancel has a lower number and is not spoken
        self._cancels = 0
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="shruti", daemon=True)
        self._thread.start()

    def terminate(self):
        self.cancel()
        self._texts.put(None)
        self._thread.join()
        self._player.close()
        self._engine.close()

    def speak(self, speechSequence):
        with self._lock:
            number = self._cancels
        self._texts.put((number, ssml(speechSequence, self._languages), dict(self._values)))

    def cancel(self):
        with self._lock:
            self._cancels += 1
        self._engine.stop()
        self._player.stop()

    def pause(self, switch):
        self._player.pause(switch)

    def _is_cancelled(self, number):
        with self._lock:
            return number != self._cancels

    def _run(self):
        while (item := self._texts.get()) is not None:
            number, text, values = item
            if self._is_cancelled(number):
                continue
            try:
                self._read(number, text, values)
            except Exception:
                log.exception("Shruti failed to speak a text")
                synthDoneSpeaking.notify(synth=self)

    def _read(self, number, text, values):
        if len(text.encode("utf-8")) > MAX_TEXT_BYTES:
            raise ValueError("the text is longer than 100000 bytes")
        self._engine.set_voice(values["voice"])
        self._engine.set_rate(rate_of(values["rate"]))
        self._engine.set_pitch((values["pitch"] - 50) * 6 / 50)
        self._engine.set_volume(values["volume"] / 100)
        pending = bytearray()

        def play(done=None):
            if self._is_cancelled(number):
                raise Cancelled
            self._player.feed(bytes(pending), onDone=done)
            pending.clear()

        def on_audio(samples):
            pending.extend(samples)
            if len(pending) >= PIECE:
                play()

        def on_mark(name):
            index = int(name)
            # report the mark after the audio before it has been played
            if pending:
                play(lambda: synthIndexReached.notify(synth=self, index=index))
            else:
                synthIndexReached.notify(synth=self, index=index)

        try:
            whole = self._engine.speak(text, on_audio, on_mark)
            if whole and pending:
                play()
        except Cancelled:
            whole = False
        if whole and not self._is_cancelled(number):
            self._player.idle()
            synthDoneSpeaking.notify(synth=self)

    def _getAvailableVoices(self):
        return OrderedDict((name, VoiceInfo(name, name, None)) for name in self._engine.voices())

    def _get_voice(self):
        return self._values["voice"]

    def _set_voice(self, value):
        if value in self._engine.voices():
            self._values["voice"] = value

    def _get_rate(self):
        return self._values["rate"]

    def _set_rate(self, value):
        self._values["rate"] = value

    def _get_pitch(self):
        return self._values["pitch"]

    def _set_pitch(self, value):
        self._values["pitch"] = value

    def _get_volume(self):
        return self._values["volume"]

    def _set_volume(self, value):
        self._values["volume"] = value


class Cancelled(Exception):
    """The text in progress was cancelled."""


def rate_of(percent):
    """Returns the speech rate for NVDA's rate from 0 to 100, on a geometric scale on each side of 50."""
    base = FASTEST if percent >= 50 else 1 / SLOWEST
    return min(FASTEST, max(SLOWEST, base ** ((percent - 50) / 50)))
