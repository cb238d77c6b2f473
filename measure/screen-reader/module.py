#!/usr/bin/env python3
"""Measures latencies of sd_shruti at its standard input and output, which Speech Dispatcher uses.

usage: module.py SD_SHRUTI [TIMES]

  first audio       from the end of the message to the first 705 event that is not silent
  stop              from the STOP command to the 703 event
  audio after stop  duration of the audio sent after the STOP command
Prints the median, the 95th percentile and the maximum, in milliseconds.
"""
import statistics
import struct
import subprocess
import sys
import time

TEXTS = [("hi", "नमस्ते, आप कैसे हैं?"), ("en", "Save changes button"), ("ta", "வணக்கம், எப்படி இருக்கிறீர்கள்?")]
LONG = "A long text that continues, with several clauses, and does not end. " * 300


class Module:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.send("INIT\nAUDIO\naudio_output_method=server\n.\n")
        self.until(b"203 OK AUDIO INITIALIZED")

    def send(self, text):
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def line(self):
        return self.process.stdout.readline().rstrip(b"\n")

    def until(self, *wanted):
        sound = 0
        while (line := self.line()) not in wanted:
            if line.startswith(b"705-num_samples="):
                sound += int(line.split(b"=")[1])
        return sound

    def first_sound(self):
        while True:
            line = self.line()
            if line.startswith(b"705-AUDIO\0"):
                data, at, plain = line[10:], 0, bytearray()
                while at < len(data):
                    escaped = data[at] == 0x7D
                    plain.append(data[at + 1] ^ 0x20 if escaped else data[at])
                    at += 2 if escaped else 1
                if any(abs(sample) > 30 for sample in struct.unpack(f"<{len(plain) // 2}h", plain)):
                    return


def figures(name, seconds):
    times = sorted(1000 * second for second in seconds)
    print(f"{name}: median {statistics.median(times):.1f} ms, 95 % {times[int(0.95 * (len(times) - 1))]:.1f} ms, "
          f"maximum {times[-1]:.1f} ms")


def main(program, times):
    module = Module(program)
    # speak a text in each language first, to load its tables
    for language, text in TEXTS:
        module.send(f"SET\nlanguage={language}\n.\nSPEAK\n{text}\n.\n")
        module.until(b"702 END")
    first, stops, after = [], [], []
    for count in range(times):
        language, text = TEXTS[count % len(TEXTS)]
        module.send(f"SET\nlanguage={language}\nrate={[0, 50, 100][count % 3]}\n.\n")
        module.until(b"203 OK SETTINGS RECEIVED")
        began = time.monotonic()
        module.send(f"SPEAK\n{text}\n.\n")
        module.first_sound()
        first.append(time.monotonic() - began)
        module.until(b"702 END")
        module.send("SET\nlanguage=en\n.\nSPEAK\n" + LONG + "\n.\n")
        module.first_sound()
        module.until(b"705 AUDIO")
        began = time.monotonic()
        module.send("STOP\n")
        after.append(module.until(b"703 STOP") / 24_000)
        stops.append(time.monotonic() - began)
    figures("first audio", first)
    figures("stop", stops)
    figures("audio after stop", after)
    module.send("QUIT\n")
    module.process.wait()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 60)
