#!/usr/bin/python3
"""Tests sd_shruti with a real Speech Dispatcher: its daemon, spd-say, and the python3-speechd calls that Orca makes.

usage: check.py SD_SHRUTI    the module's binary. Requires Debian's speech-dispatcher, speech-dispatcher-audio-plugins and
                             python3-speechd (run.sh installs them and builds the module)

The daemon has its own socket, configuration and runtime folder, and plays into a file. The test does not use any other
daemon or a sound card. It prints latencies but does not check them.
"""
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import speechd

PATIENCE = 30
RATE = 24_000


def fail(message):
    sys.exit(f"FAILED: {message}")


def expect(condition, message):
    if not condition:
        fail(message)
    print(f"ok: {message}", flush=True)


class Daemon:
    """Separate daemon with its own configuration."""

    def __init__(self, folder, module):
        self.folder = folder
        self.socket = folder / "speechd.sock"
        self.sound = folder / "sound.raw"
        (folder / "modules").mkdir()
        (folder / "clients").mkdir()
        (folder / "log").mkdir()
        (folder / "modules/shruti.conf").write_text('ShrutiVoiceEngine "rules"\n')
        (folder / "speechd.conf").write_text(
            f'LogLevel 5\nLogDir "{folder}/log"\nDefaultVolume 100\nDefaultLanguage "en"\nDefaultModule shruti\n'
            'AudioOutputMethod "alsa"\nAudioALSADevice "recorded"\n'
            f'AddModule "shruti" "{module}" "shruti.conf" "{folder}/log/shruti.log"\n')
        # write the audio to a file; the null device behind it accepts data without delay
        (folder / "asound.conf").write_text(
            "pcm.null { type null }\n"
            f'pcm.recorded {{ type file slave.pcm null file "{self.sound}" format raw }}\n'
            "ctl.recorded { type hw card 0 }\n")
        environment = dict(os.environ, HOME=str(folder), XDG_RUNTIME_DIR=str(folder), XDG_CONFIG_HOME=str(folder),
                           ALSA_CONFIG_PATH=str(folder / "asound.conf"), SPEECHD_ADDRESS=f"unix_socket:{self.socket}")
        self.environment = environment
        self.process = subprocess.Popen(
            ["speech-dispatcher", "--run-single", "--communication-method", "unix_socket", "--socket-path", str(self.socket),
             "--config-dir", str(folder), "--pid-file", str(folder / "pid"), "--timeout", "0", "--log-dir", str(folder / "log")],
            env=environment, stdout=(folder / "stdout").open("w"), stderr=subprocess.STDOUT)

    def client(self, name):
        """Waits until the daemon accepts clients. Returns a client."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return speechd.SSIPClient(name, socket_path=str(self.socket), autospawn=False,
                                          address=f"unix_socket:{self.socket}")
            except speechd.SpawnError as error:
                problem = error
            except speechd.SSIPCommunicationError as error:
                problem = error
            if self.process.poll() is not None or time.monotonic() > deadline:
                fail(f"the daemon accepts no clients: {problem}\n{(self.folder / 'stdout').read_text()}")
            # the daemon does not report when its socket is ready
            time.sleep(0.05)

    def end(self):
        self.process.terminate()
        self.process.wait(PATIENCE)


class Events:
    """Events of one message."""

    def __init__(self):
        self.changed = threading.Condition()
        self.events = []

    def __call__(self, event, index_mark=None):
        with self.changed:
            self.events.append((event, index_mark, time.monotonic()))
            self.changed.notify_all()

    def wait(self, *wanted):
        """Waits for one of the wanted events. Returns its kind and time."""
        deadline = time.monotonic() + PATIENCE
        with self.changed:
            while True:
                for event, _, moment in self.events:
                    if event in wanted:
                        return event, moment
                if not self.changed.wait(max(0.0, deadline - time.monotonic())):
                    fail(f"none of the events {wanted} in {self.events}")

    def marks(self):
        return [mark for event, mark, _ in self.events if event == speechd.CallbackType.INDEX_MARK]


def spoken(daemon, say):
    """Speaks a message to its end. Returns its events and the number of bytes played."""
    before = daemon.sound.stat().st_size if daemon.sound.exists() else 0
    events = Events()
    say(events)
    event, _ = events.wait(speechd.CallbackType.END, speechd.CallbackType.CANCEL)
    if event != speechd.CallbackType.END:
        fail(f"the message was cancelled: {events.events}")
    return events, (daemon.sound.stat().st_size if daemon.sound.exists() else 0) - before


def spd_say(daemon, *arguments):
    return subprocess.run(["spd-say", *arguments], env=daemon.environment, check=True, capture_output=True, text=True,
                          timeout=PATIENCE).stdout


def with_daemon(daemon):
    client = daemon.client("check")
    expect("shruti" in client.list_output_modules(), "the daemon loaded the module")
    client.set_output_module("shruti")
    voices = client.list_synthesis_voices()
    expect(("Ananya", "hi", "none") in [tuple(voice) for voice in voices], f"{len(voices)} voices are listed")

    client.set_language("hi")
    client.set_rate(0)
    _, slow = spoken(daemon, lambda events: client.speak("नमस्ते, आप कैसे हैं?", callback=events))
    expect(slow > RATE, f"a text is played: {slow / 2 / RATE:.2f} s")
    client.set_rate(100)
    _, fast = spoken(daemon, lambda events: client.speak("नमस्ते, आप कैसे हैं?", callback=events))
    expect(fast * 3 < slow, f"the rate +100 is faster: {fast / 2 / RATE:.2f} s")
    client.set_rate(0)

    # SSML as sent by Orca, with a mark for each word
    client.set_data_mode(speechd.DataMode.SSML)
    marked = "<speak><mark name=\"0:6\"/>नमस्ते, <mark name=\"8:10\"/>आप <mark name=\"11:15\"/>कैसे हैं?</speak>"
    events, _ = spoken(daemon, lambda events: client.speak(marked, callback=events))
    expect(events.marks() == ["0:6", "8:10", "11:15"], "index marks are reported in order")
    client.set_data_mode(speechd.DataMode.TEXT)

    # these messages have no callback, so wait for the callback of a text that follows them in the queue
    client.set_priority(speechd.Priority.MESSAGE)
    _, alone = spoken(daemon, lambda events: client.speak("और", callback=events))
    for name, say in [
        ("char", lambda: client.char("क")),
        ("punctuation character", lambda: client.char(",")),
        ("key", lambda: client.key("control_a")),
        ("sound icon", lambda: client.sound_icon("message")),
    ]:
        _, played = spoken(daemon, lambda events: (say(), client.speak("और", callback=events)))
        expect(played - alone > RATE / 10, f"{name} is played: {(played - alone) / 2 / RATE:.2f} s")
    client.set_priority(speechd.Priority.TEXT)
    client.set_punctuation(speechd.PunctuationMode.ALL)
    client.set_language("en")
    _, named = spoken(daemon, lambda events: client.speak("a, b", callback=events))
    client.set_punctuation(speechd.PunctuationMode.NONE)
    _, plain = spoken(daemon, lambda events: client.speak("a, b", callback=events))
    expect(named > plain, "punctuation is read by name")
    client.set_spelling(True)
    _, spelled = spoken(daemon, lambda events: client.speak("abcd", callback=events))
    client.set_spelling(False)
    _, word = spoken(daemon, lambda events: client.speak("abcd", callback=events))
    expect(spelled > 0 and word > 0, f"a spelled word lasts {spelled / 2 / RATE:.2f} s")

    events = Events()
    client.speak("A long text that continues. " * 400, callback=events)
    events.wait(speechd.CallbackType.BEGIN)
    asked = time.monotonic()
    client.stop()
    _, stopped = events.wait(speechd.CallbackType.CANCEL)
    print(f"stop to CANCEL through the daemon: {1000 * (stopped - asked):.1f} ms", flush=True)
    events, _ = spoken(daemon, lambda events: client.speak("Again", callback=events))
    expect(True, "the module is ready after a stop")
    client.close()

    expect("Ananya" in spd_say(daemon, "-o", "shruti", "-L"), "spd-say lists the voices")
    before = daemon.sound.stat().st_size
    spd_say(daemon, "-w", "-o", "shruti", "-l", "ta", "வணக்கம்")
    expect(daemon.sound.stat().st_size > before, "spd-say -w plays a text")


def main(module):
    with tempfile.TemporaryDirectory(prefix="shruti-speechd-") as folder:
        daemon = Daemon(Path(folder), Path(module).resolve())
        try:
            with_daemon(daemon)
        except BaseException:
            for log in (Path(folder) / "log").glob("*.log"):
                print(f"--- {log.name}", *log.read_text(errors="replace").splitlines()[-40:], sep="\n")
            raise
        finally:
            daemon.end()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
