"""Tests of the driver with fakes of the NVDA modules and a real libshruti.

Usage: LIBSHRUTI=PATH python3 -m unittest discover integrations/nvda/tests
"""

import os
import sys
import threading
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "addon/synthDrivers")]
import fakes

HANDLER = fakes.install()

import shruti
from shruti.sequence import ssml

PATIENCE = 60


class Sequences(unittest.TestCase):
    def test_commands_become_markup(self):
        languages = {"hi", "en"}
        cases = [
            (["a < b & c\x01"], "<speak>a &lt; b &amp; c </speak>"),
            ([fakes.IndexCommand(3), "a"], '<speak><mark name="3"/>a</speak>'),
            (
                [fakes.CharacterModeCommand(True), "a<", fakes.CharacterModeCommand(False), "b"],
                '<speak><say-as interpret-as="characters">a</say-as> '
                '<say-as interpret-as="characters">&lt;</say-as> b</speak>',
            ),
            (
                [fakes.LangChangeCommand("hi_IN"), "a", fakes.LangChangeCommand("fr"), "b", fakes.LangChangeCommand(None)],
                '<speak><lang xml:lang="hi">a</lang>b</speak>',
            ),
            ([fakes.BreakCommand(250)], '<speak><break time="250ms"/></speak>'),
            (
                [fakes.RateCommand(1.5), fakes.PitchCommand(1.2), "a"],
                '<speak><prosody rate="150%" pitch="+20%">a</prosody></speak>',
            ),
        ]
        for sequence, expected in cases:
            self.assertEqual(ssml(sequence, languages), expected)

    def test_rates_reach_six_times(self):
        self.assertEqual([shruti.rate_of(percent) for percent in (0, 50, 100)], [0.5, 1.0, 6.0])


@unittest.skipUnless("LIBSHRUTI" in os.environ, "LIBSHRUTI is not set")
class Driver(unittest.TestCase):
    def setUp(self):
        shruti.LIBRARY = os.environ["LIBSHRUTI"]
        self.assertTrue(shruti.SynthDriver.check())
        self.driver = shruti.SynthDriver()
        self.done = threading.Semaphore(0)
        HANDLER.synthDoneSpeaking.on_notify = self.done.release
        HANDLER.synthIndexReached.calls.clear()

    def tearDown(self):
        self.driver.terminate()

    def spoken(self, *sequence):
        before = len(self.driver._player.played)
        self.driver.speak(list(sequence))
        self.assertTrue(self.done.acquire(timeout=PATIENCE))
        return len(self.driver._player.played) - before

    def test_texts_are_played_with_their_indexes(self):
        self.spoken(fakes.IndexCommand(1), "नमस्ते ", fakes.IndexCommand(2), "दुनिया", fakes.IndexCommand(3))
        reached = [call["index"] for call in HANDLER.synthIndexReached.calls]
        self.assertEqual(reached, [1, 2, 3])
        self.assertTrue(any(self.driver._player.played))

    def test_settings_change_the_sound(self):
        text = "The quick brown fox jumps over the lazy dog"
        slow = self.spoken(text)
        self.driver._set_rate(100)
        self.assertLess(self.spoken(text) * 4, slow)
        self.assertEqual(list(self.driver._getAvailableVoices()), ["Ananya", "Arjun"])
        self.driver._set_voice("nobody")
        self.assertEqual(self.driver._get_voice(), "Ananya")

    def test_a_cancel_ends_all_texts(self):
        fed = threading.Event()
        released = threading.Event()
        player = self.driver._player
        feed = player.feed

        def feed_slowly(data, onDone=None):
            feed(data, onDone)
            fed.set()
            released.wait(PATIENCE)

        player.feed = feed_slowly
        self.driver.speak(["A long text. " * 500])
        self.driver.speak(["another"])
        self.assertTrue(fed.wait(PATIENCE))
        self.driver.cancel()
        played = len(player.played)
        released.set()
        player.feed = feed
        self.driver.speak([fakes.IndexCommand(9)])
        self.assertTrue(self.done.acquire(timeout=PATIENCE))
        self.assertEqual(len(player.played), played)
        self.assertEqual(player.stops, 1)


if __name__ == "__main__":
    unittest.main()
