"""Checks every format of a running server with ffmpeg and sox: checks/formats/run.sh starts one and calls this.

usage: check.py ENCODE URL KEY FOLDER
"""

import array
import base64
import json
import math
import operator
import re
import shutil
import subprocess
import sys
import time
import urllib.request

encode, address, key, folder = sys.argv[1:]
TEXT = "The meeting is at 3 PM on Friday. She sells seashells. कल सुबह सवा चार बजे की गाड़ी है।"
# band-pass filter of sox for frequencies that every sample rate can represent
SPEECH_BAND = ["sinc", "-t", "100", "300-3000"]
NATIVE = 24_000
RATES = [8_000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
KBITS = [32, 48, 64, 96, 128, 192]
MP3_DELAY = 1_057  # delay of the encoder and the decoder, in samples

passed, failed = 0, []


def check(is_right, what):
    global passed
    if is_right:
        passed += 1
    else:
        failed.append(what)


def run(command, given=b""):
    return subprocess.run(command, input=given, capture_output=True, check=True)


def clip(name):
    """Returns a clip in a format, its headers, and the time to its first and to its last byte, in milliseconds."""
    # turn clarity off so that the formats can be compared: at 8,000 Hz, processing for telephones would amplify quiet
    # beginnings and ends
    body = json.dumps({"text": TEXT, "output_format": name, "clarity": "off"}).encode()
    head = {"authorization": f"Bearer {key}", "content-type": "application/json"}
    begun = time.perf_counter()
    with urllib.request.urlopen(urllib.request.Request(address + "/v1/tts", body, head)) as answer:
        first = answer.read(1)
        first_ms = (time.perf_counter() - begun) * 1e3
        return first + answer.read(), answer.headers, first_ms


def demuxer(name):
    """Returns the options that ffmpeg needs for bytes without a header."""
    kind, rate = re.fullmatch(r"(pcm|pcm_f32|mulaw|alaw)_(\d+)", name).groups()
    return ["-f", {"pcm": "s16le", "pcm_f32": "f32le"}.get(kind, kind), "-ar", rate, "-ac", "1"]


def decoded(name, data):
    """Returns the samples that ffmpeg decodes, at the rate of the format."""
    given = demuxer(name) if re.match("pcm|mulaw|alaw", name) else []
    out = run(["ffmpeg", "-v", "error", *given, "-i", "-", "-f", "s16le", "-ac", "1", "-"], data)
    check(not out.stderr, f"{name}: ffmpeg reports {out.stderr[:200]!r}")
    return array.array("h", out.stdout)


def heard_by_sox(path):
    """Returns the duration of the audio that sox decodes, in seconds."""
    out = run(["sox", path, "-n", "stat"]).stderr.decode()
    return float(re.search(r"Length \(seconds\):\s+([\d.]+)", out).group(1))


def heard_by_chromium(clips):
    """Returns the duration, in seconds, that a browser decodes for each clip, by the name of the format. The page
    finishes loading when its audio has loaded.
    """
    page = "".join(
        f"""<audio preload="auto" src="data:{kind};base64,{base64.b64encode(data).decode()}"
        onloadeddata="this.title = '{name} ' + this.duration" onerror="this.title = '{name} ' + this.error.message">"""
        for name, (data, kind) in clips.items())
    open(f"{folder}/page.html", "w").write(page)
    out = run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/chromium",
               "--dump-dom", f"file://{folder}/page.html"]).stdout.decode()
    return dict(title.split(" ", 1) for title in re.findall(r'title="([^"]*)"', out))


def level(samples, rate, *effects):
    """Returns the RMS level of the samples in dBFS, after the given SoX effects are applied."""
    raw = ["-t", "raw", "-e", "signed", "-b", "16", "-c", "1", "-r", str(rate)]
    out = run(["sox", "-D", *raw, "-", "-n", *effects, "stats"], bytes(samples)).stderr.decode()
    return float(re.search(r"RMS lev dB\s+(-?[\d.]+|-inf)", out).group(1))


def envelope(samples, rate):
    """Returns the amplitude in each millisecond."""
    energies = [0.0] * (len(samples) * 1_000 // rate + 1)
    for n, sample in enumerate(samples):
        energies[n * 1_000 // rate] += sample * sample
    return [math.sqrt(energy) for energy in energies]


def lag(envelope, reference):
    """Returns the delay of an envelope relative to another, in ms: the shift with the best overall match."""
    def alike(ms):
        return sum(map(operator.mul, envelope[max(ms, 0):], reference[max(-ms, 0):]))
    return max(range(-50, 200), key=alike)


def g711():
    """Compares every possible sample with the output of ffmpeg, bit for bit."""
    every = array.array("h", range(-32_768, 32_768)).tobytes()
    for law in ["mulaw", "alaw"]:
        ours = run([encode, f"{law}_24000"], every).stdout
        theirs = run(["ffmpeg", "-v", "error", "-f", "s16le", "-ar", "24000", "-i", "-", "-f", law, "-"], every).stdout
        check(ours == theirs and len(ours) == 65_536, f"{law}: differs from ffmpeg")


def sines():
    """Measures the images and aliases of the resampler: the level where the input has none, relative to the sine.
    Returns the worst level by rate.
    """
    worst = {}
    for rate in RATES:
        if rate == NATIVE:
            continue
        half = min(rate, NATIVE) / 2
        for hertz in [1_000, 0.8 * half, 11_300]:
            made = run(["sox", "-D", "-n", "-t", "raw", "-r", str(NATIVE), "-e", "signed", "-b", "16", "-c", "1", "-",
                        "synth", "2", "sine", str(hertz), "gain", "-1"]).stdout
            out = run([encode, f"pcm_{rate}"], made).stdout
            without = ["sinc", "-a", "140", "-t", "100", f"{hertz + 300:.0f}-{hertz - 300:.0f}"] if hertz < half else []
            left = level(out, rate, *without, "trim", "0.5", "1") - level(made, NATIVE)
            worst[rate] = max(worst.get(rate, -math.inf), left)
        check(worst[rate] <= -90, f"{rate} Hz: {worst[rate]:.1f} dB of images or aliases")
    return worst


def main():
    g711()
    worst = sines()
    sox_reads_mp3 = b" mp3 " in run(["sox", "--help"]).stdout
    native, _, native_ms = clip("pcm_24000")
    reference = array.array("h", native)
    seconds = len(reference) / NATIVE
    shape, speech_level = envelope(reference, NATIVE), level(reference, NATIVE, *SPEECH_BAND)
    names = [f"{kind}_{rate}" for kind in ["pcm", "pcm_f32", "mulaw", "alaw"] for rate in RATES]
    names += [f"wav_{rate}" for rate in RATES] + ["wav_f32_44100", "wav_mulaw_8000", "wav_alaw_8000"]
    mp3 = [(rate, kbit) for rate in RATES for kbit in KBITS
           if kbit <= (64 if rate < 16_000 else 128 if rate < 32_000 else 192)]
    names += [f"mp3_{rate}_{kbit}" for rate, kbit in mp3] + [f"opus_48000_{kbit}" for kbit in KBITS]

    long = native * math.ceil(10 / seconds)
    speeds = {}
    for line in run([encode, "--speed", *names], long).stdout.decode().splitlines():
        name, *figures = line.split()
        speeds[name] = figures
    print(f"{seconds:.2f} s of speech, first byte at {native_ms:.1f} ms; one core:\n")
    print(f"{'format':18} {'x real time':>11} {'held back ms':>12} {'codec delay ms':>14} {'sound ms later':>14} "
          f"{'first byte ms':>13} {'bytes/s':>8} {'images dB':>9}")
    for name in names:
        data, headers, first_ms = clip(name)
        samples = decoded(name, data)
        rate = int(re.search(r"_(\d+)(_\d+)?$", name).group(1))
        expected = (len(reference) * rate + NATIVE // 2) // NATIVE
        if name.startswith("mp3"):
            frame = 1_152 if rate >= 32_000 else 576
            beyond = len(samples) - expected - MP3_DELAY
            check(0 <= beyond < frame, f"{name}: {beyond} samples more than the sound and the delay")
        else:
            check(len(samples) == expected, f"{name}: {len(samples)} samples, expected {expected}")
        later = lag(envelope(samples, rate), shape)
        speed, size, held, delay = speeds[name]
        check(abs(later - float(delay)) < 4, f"{name}: the sound starts {later:.1f} ms late, expected {delay}")
        apart = level(samples, rate, *SPEECH_BAND) - speech_level
        check(abs(apart) < 0.5, f"{name}: {apart:.2f} dB from the native clip")
        check(headers["content-type"].startswith("audio/"), f"{name}: {headers['content-type']}")
        if re.match("wav" if not sox_reads_mp3 else "wav|mp3", name):
            path = f"{folder}/clip.{name.split('_')[0]}"
            open(path, "wb").write(data)
            length = heard_by_sox(path)
            # sox omits the last frame of an MP3, which is up to 72 ms long
            apart = len(samples) / rate - length
            check(-0.001 < apart < (0.073 if name.startswith("mp3") else 0.001), f"{name}: {apart:.3f} s shorter in sox")
        images = f"{worst[rate]:.1f}" if rate in worst and not name.startswith("opus") else ""
        print(f"{name:18} {speed:>11} {held:>12} {delay:>14} {later:14.1f} {first_ms:13.1f} {size:>8} {images:>9}")

    told = run(["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", "-"],
               clip("wav_24000")[0]).stdout.decode().strip()
    check(told == "N/A" or abs(float(told) - seconds) < 0.001, f"wav_24000: ffprobe reports {told} s")
    if shutil.which("chromium"):
        played = ["wav_24000", "wav_f32_44100", "wav_mulaw_8000", "mp3_24000_64", "mp3_44100_128", "opus_48000_32"]
        clips = {name: clip(name)[:2] for name in played}
        told = heard_by_chromium({name: (data, headers["content-type"]) for name, (data, headers) in clips.items()})
        print("\nduration in chromium, in s: " + ", ".join(f"{name} {told.get(name)}" for name in played))
        for name in played:
            says = told.get(name, "nothing")
            check(re.fullmatch(r"[\d.]+", says) and abs(float(says) - seconds) < 0.1, f"{name}: chromium reports {says}")
    for what in failed:
        print(f"FAILED {what}")
    print(f"\nformats: {passed} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)


main()
