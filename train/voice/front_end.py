"""Reads text with the front end of Shruti, through the example `utterances` of `shruti-text`."""
import re
import subprocess
import unicodedata
from dataclasses import dataclass

LANGUAGES = ("hi", "bn", "ta", "te", "gu", "kn", "ml", "mr", "pa", "or", "en")

UTTERANCE = re.compile(r"  \d+ \d+\.\.\d+ (\w+) (\w+) (true|false)$")
WORD = re.compile(r"    (.*) \d+\.\.\d+ (\w+) /(.*)/((?: \d+\.\.\d+:\w+:(?:None|Some\(\w+\)))*) (\w+) (\w+)$")
SYLLABLE = re.compile(r"(\d+)\.\.(\d+):(\w+):(?:None|Some\((\w+)\))")


@dataclass
class Word:
    """A spoken word: phones in IPA, syllables as (first, end, stress, tone) over these phones."""

    language: str
    phones: list
    syllables: list
    weight: str
    break_after: str


@dataclass
class Utterance:
    """The words spoken with one intonation contour."""

    contour: str
    words: list


@dataclass
class Sentence:
    """An input line as read by the front end."""

    text: str
    utterances: list

    @property
    def phones(self):
        return [phone for utterance in self.utterances for word in utterance.words for phone in word.phones]


def read_sentences(program, language, lines):
    """Returns a `Sentence` for each line."""
    command = [str(program), "-l", language]
    output = subprocess.run(command, input="".join(line + "\n" for line in lines), capture_output=True, text=True, check=True).stdout
    sentences = []
    for line in output.split("\n")[:-1]:
        word, utterance = WORD.match(line), UTTERANCE.match(line)
        if word and sentences:
            syllables = [(int(first), int(end), stress, tone or None) for first, end, stress, tone in SYLLABLE.findall(word[4])]
            phones = unicodedata.normalize("NFC", word[3]).split()
            sentences[-1].utterances[-1].words.append(Word(word[2], phones, syllables, word[5], word[6]))
        elif utterance and sentences:
            sentences[-1].utterances.append(Utterance(utterance[2], []))
        else:
            sentences.append(Sentence(line, []))
    if [sentence.text for sentence in sentences] != list(lines):
        raise RuntimeError(f"{program} printed {len(sentences)} sentences for {len(lines)} lines of {language}")
    return sentences
