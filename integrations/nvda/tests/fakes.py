"""Fakes of the NVDA modules, with the members that the driver uses."""

import sys
import types
from dataclasses import dataclass


@dataclass
class IndexCommand:
    index: int


@dataclass
class CharacterModeCommand:
    state: bool


@dataclass
class LangChangeCommand:
    lang: str


@dataclass
class BreakCommand:
    time: int


@dataclass
class PitchCommand:
    multiplier: float


@dataclass
class RateCommand:
    multiplier: float


@dataclass
class VolumeCommand:
    multiplier: float


class Notification:
    def __init__(self):
        self.calls = []
        self.on_notify = None

    def notify(self, **arguments):
        self.calls.append(arguments)
        if self.on_notify:
            self.on_notify()


class WavePlayer:
    """Player that finishes immediately."""

    def __init__(self, **arguments):
        self.arguments = arguments
        self.played = bytearray()
        self.stops = 0

    def feed(self, data, onDone=None):
        self.played.extend(data)
        if onDone:
            onDone()

    def stop(self):
        self.stops += 1

    def pause(self, switch):
        pass

    def idle(self):
        pass

    def close(self):
        pass


class SynthDriver:
    VoiceSetting = RateSetting = PitchSetting = VolumeSetting = staticmethod(lambda: None)


class VoiceInfo:
    def __init__(self, id, displayName, language=None):
        self.id = id


class Log:
    @staticmethod
    def exception(message):
        raise AssertionError(message)


def install():
    """Installs the fakes in sys.modules. Returns the module synthDriverHandler, which contains the notifications."""
    commands = types.ModuleType("speech.commands")
    for command in (IndexCommand, CharacterModeCommand, LangChangeCommand, BreakCommand, PitchCommand, RateCommand, VolumeCommand):
        setattr(commands, command.__name__, command)
    handler = types.ModuleType("synthDriverHandler")
    handler.SynthDriver, handler.VoiceInfo = SynthDriver, VoiceInfo
    handler.synthIndexReached, handler.synthDoneSpeaking = Notification(), Notification()
    nvwave = types.ModuleType("nvwave")
    nvwave.WavePlayer = WavePlayer
    config = types.ModuleType("config")
    config.conf = {"audio": {"outputDevice": "default"}}
    log_handler = types.ModuleType("logHandler")
    log_handler.log = Log
    modules = {"speech": types.ModuleType("speech"), "speech.commands": commands, "synthDriverHandler": handler,
               "nvwave": nvwave, "config": config, "logHandler": log_handler}
    sys.modules.update(modules)
    return handler
