#!/usr/bin/env python3
"""Records `shruti chat` on a terminal and writes the recording as an animated SVG.

    docs/img/record_chat.py target/release/shruti docs/img/chat.svg

Plays two turns without sound and interrupts the second by a key, as a caller does. Reads the few control sequences that
`chat` writes (crates/shruti/src/chat/screen.rs); any other sequence is an error. Standard library only.
"""

from __future__ import annotations

import fcntl
import html
import os
import pty
import re
import select
import struct
import sys
import tempfile
import termios
import time
from dataclasses import dataclass, replace

COLUMNS, ROWS = 76, 13
TURNS = (
    "आपका order आज सुबह 9:30 बजे निकल चुका है, कल शाम तक घर पहुँच जाएगा।\n"
    "Your EMI of ₹12,500 is due on 5 August. You have paid 14 of 36 instalments. Shall I set a reminder?\n"
)
#: Seconds from the first audio of the second turn to the key that interrupts it, and the longest recording.
INTERRUPT_AFTER_S, LIMIT_S = 5.4, 40
#: Frames nearer to each other than this are one.
FRAME_S = 0.08
#: Seconds that the last frame stays before the animation repeats.
REST_S = 3.0
SEQUENCE = re.compile(r"\x1b\[(\??)([\d;]*)([A-Za-z])|\r\n|\r|\n")
FONT_SIZE, LINE, MARGIN = 14, 21, 16


#: Lines of runs: text and the classes of its style.
Line = tuple[tuple[str, str], ...]
Frame = tuple[Line, ...]


@dataclass(frozen=True)
class Style:
    """Style of text, as the classes of the style sheet."""

    colour: str = ""
    bold: bool = False
    dim: bool = False
    reverse: bool = False
    struck: bool = False

    def select(self, code: int) -> Style:
        """Returns the style after a code of `CSI … m`."""
        named = {1: "bold", 2: "dim", 7: "reverse", 9: "struck"}
        if code == 0:
            return Style()
        if code in named:
            return replace(self, **{named[code]: True})
        return replace(self, colour={39: "", 32: "green", 31: "red", 33: "yellow", 36: "cyan"}.get(code, self.colour))

    @property
    def classes(self) -> str:
        flags = [name for name in ("bold", "dim", "reverse", "struck") if getattr(self, name)]
        return " ".join([self.colour, *flags]).strip()


class Screen:
    """The lines of a terminal, as runs of styled text."""

    def __init__(self) -> None:
        self.lines: list[list[tuple[str, str]]] = [[]]
        self.row, self.style = 0, Style()

    def write(self, text: str) -> bool:
        """Applies output. Returns whether a synchronized update ended in it, which completes a frame."""
        at, is_complete = 0, False
        for found in SEQUENCE.finditer(text):
            self._print(text[at : found.start()])
            at = found.end()
            if found[0] in ("\r\n", "\n"):
                self.row += 1
                if self.row == len(self.lines):
                    self.lines.append([])
            elif found[3]:
                is_complete |= self._control(found[1], found[2], found[3])
        self._print(text[at:])
        return is_complete

    def _print(self, text: str) -> None:
        if text:
            self.lines[self.row].append((text, self.style.classes))

    def _control(self, private: str, numbers: str, letter: str) -> bool:
        values = [int(number) for number in numbers.split(";") if number]
        if private:
            return (values, letter) == ([2026], "l")
        if letter == "m":
            skip = values[:1] == [38]  # an indexed colour: crossterm writes 38;5;n
            for value in [{2: 32, 10: 32}.get(values[2], 39)] if skip else values or [0]:
                self.style = self.style.select(value)
        elif letter == "A":
            self.row = max(0, self.row - (values or [1])[0])
        elif letter == "J":
            self.lines[self.row :] = [[]]
        elif letter not in "GK":
            raise SystemExit(f"unknown control sequence {numbers}{letter}")
        return False

    def speaks(self, word: str) -> bool:
        """Returns whether the word that is spoken now, which is in reverse video, contains `word`."""
        return any(word in text and "reverse" in classes for line in self.lines for text, classes in line)

    def frame(self) -> Frame:
        """Returns the last lines that fit on the terminal."""
        return tuple(tuple(line) for line in self.lines[-ROWS:])


def record(binary: str) -> list[tuple[float, Frame]]:
    """Runs the conversation and returns its frames with their times in seconds."""
    script = tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8")
    script.write(TURNS)
    script.flush()
    child, terminal = pty.fork()
    if child == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execv(binary, [binary, "chat", "--mute", "--tokens-per-second", "60", "--text", script.name])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS + 20, COLUMNS, 0, 0))
    screen, frames, begun = Screen(), [], time.monotonic()
    interrupt_s: float | None = None
    while (now := time.monotonic() - begun) < LIMIT_S:
        if interrupt_s is None and screen.speaks("EMI"):
            interrupt_s = now + INTERRUPT_AFTER_S
        elif interrupt_s and now > interrupt_s:
            os.write(terminal, b" ")
            interrupt_s = 0.0
        if not select.select([terminal], [], [], 0.05)[0]:
            continue
        try:
            output = os.read(terminal, 65536).decode("utf-8", errors="replace")
        except OSError:  # the program has ended
            break
        if screen.write(output) and (not frames or now - frames[-1][0] >= FRAME_S):
            frames.append((now, screen.frame()))
    os.waitpid(child, 0)
    frames.append((time.monotonic() - begun, screen.frame()))
    return frames


def svg(frames: list[tuple[float, Frame]]) -> str:
    """Returns an animated SVG: the frames lie below each other, and the view moves from one to the next."""
    ids: dict[Line, str] = {}
    width, height = 660, 2 * MARGIN + ROWS * LINE
    total = frames[-1][0] - frames[0][0] + REST_S
    steps, groups = [], []
    for number, (when, frame) in enumerate(frames):
        uses = []
        for row, line in enumerate(frame):
            if line:
                name = ids.setdefault(line, f"l{len(ids)}")
                uses.append(f'<use href="#{name}" y="{row * LINE}"/>')
        groups.append(f'<g transform="translate(0 {number * height})">{"".join(uses)}</g>')
        steps.append(f"{(when - frames[0][0]) / total * 100:.2f}%{{transform:translateY({-number * height}px)}}")
    texts = []
    for line, name in ids.items():
        runs = "".join(f'<tspan class="{classes}">{html.escape(text)}</tspan>' for text, classes in line)
        texts.append(f'<text id="{name}" x="{MARGIN}" y="{MARGIN + FONT_SIZE}" xml:space="preserve">{runs}</text>')
    last = -(len(frames) - 1) * height
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">
<title>shruti chat: words light up as they are spoken; a key interrupts, and the rest is reported as not heard</title>
<style>
text{{font:{FONT_SIZE}px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d8dee9}}
.green{{fill:#8fd19e}}.red{{fill:#e58a8a}}.yellow{{fill:#e5c07b}}.cyan{{fill:#7fc8d8}}.bold{{font-weight:700}}
.dim{{opacity:.55}}.struck{{text-decoration:line-through}}.reverse{{fill:#ffd479;text-decoration:underline}}
.film{{animation:film {total:.2f}s step-end infinite}}
@keyframes film{{{"".join(steps)}}}
@media(prefers-reduced-motion:reduce){{.film{{animation:none;transform:translateY({last}px)}}}}
</style>
<defs>{"".join(texts)}</defs>
<rect width="{width}" height="{height}" rx="8" fill="#1b1f27"/>
<g class="film">{"".join(groups)}</g>
</svg>
"""


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit("usage: record_chat.py target/release/shruti docs/img/chat.svg")
    frames = record(os.path.realpath(sys.argv[1]))
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(svg(frames))
    print(f"{len(frames)} frames, {os.path.getsize(sys.argv[2]) / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
