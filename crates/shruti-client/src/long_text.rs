//! Speech synthesis for texts of any length. A text is spoken in turns, and resumed after a connection loss.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::{Buf, Bytes};
use shruti_lang::{Language, SAMPLE_RATE};
use shruti_protocol::stream::{ConfigPatch, Text, WordTime};
use tokio::time::{Instant, sleep_until, timeout};

use crate::turn_cutter::TurnCutter;
use crate::{Client, Conversation, Done, Error, Event};

/// Number of bytes of buffered or unsent text at which no more text is accepted.
const READ_AHEAD: usize = 16 * 1_024;
/// Maximum length of the text of one message, in characters.
const MESSAGE: usize = 4_000;
/// Number of sent but unspoken characters at which a turn stops sending text. The last message may exceed it by
/// [`MESSAGE`] characters; the server buffers up to 20,000. Only SSML reaches this limit.
const UNSPOKEN: usize = 16_000 - MESSAGE;
/// Maximum wait for an event while the limit [`UNSPOKEN`] is reached. After that, the client assumes that the
/// unspoken characters produce no word timestamps, and flushes the turn.
const UNHEARD: Duration = Duration::from_secs(4);
/// Time without text after which a turn accepts no more text. The server ends a turn after a minute without text,
/// and text that arrives at that moment would be lost.
const PAUSE: Duration = Duration::from_secs(10);
/// Initial and maximum delay between attempts to resume, if the server specifies none.
const DELAYS: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));
/// Maximum time without new audio before the text fails.
const PATIENCE: Duration = Duration::from_mins(10);
/// Samples per millisecond.
const SAMPLES_PER_MS: u64 = SAMPLE_RATE as u64 / 1_000;

/// Long text that a server speaks. The text can be pushed in pieces, and its audio is returned in order, each
/// sample once.
///
/// The text is sent in turns ([`TurnCutter`]). If the connection is lost, or the server restarts or has no capacity,
/// the incomplete turn is spoken again on a new connection, and the audio that was already received is skipped. With a
/// deterministic voice, the samples are the same as without the interruption; with any other voice, the audio resumes
/// within the same word. A repeated turn is charged again. Memory use does not grow with the text, only with its
/// longest SSML document.
///
/// ```no_run
/// use shruti_client::{Client, LongText, Spoken};
/// use shruti_protocol::stream::ConfigPatch;
///
/// # async fn run(mut chapters: impl Iterator<Item = String>) -> Result<(), shruti_client::Error> {
/// let client = Client::new("http://127.0.0.1:8080", "sk_…")?;
/// let mut book = LongText::connect(client, ConfigPatch::default()).await?;
/// loop {
///     while book.takes_text() {
///         match chapters.next() {
///             Some(chapter) => book.push(&chapter),
///             None => book.finish(),
///         }
///     }
///     match book.next().await.transpose()? {
///         Some(Spoken::Audio(samples)) => { /* write them */ }
///         Some(Spoken::Interrupted { cause, wait }) => eprintln!("{cause}; retrying in {wait:?}"),
///         Some(_) => {}
///         None => break,
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct LongText {
    client: Client,
    config: ConfigPatch,
    conversation: Option<Conversation>,
    cutter: TurnCutter,
    /// Text that does not belong to a turn yet.
    waiting: String,
    finished: bool,
    turn: Option<Turn>,
    /// Events that [`LongText::next`] returns before it reads more events.
    told: VecDeque<Spoken>,
    /// Language for the rest of the text, as determined by [`language_of_the_rest`] from the first turn.
    language: Option<Language>,
    turns: u64,
    /// Number of characters of the finished turns and of the white space between them. `samples` is the
    /// number of samples of these turns.
    chars: u64,
    samples: u64,
    trouble: Option<Trouble>,
}

/// Event of a long text.
#[derive(Clone, Debug)]
pub enum Spoken {
    /// Audio, at 24,000 samples per second.
    Audio(Vec<i16>),
    /// Words whose audio has begun. Their times and positions are relative to the whole text.
    Words(Vec<WordTime>),
    /// A turn has been received completely.
    Turn(Done),
    /// The synthesis was interrupted and will be resumed.
    Interrupted {
        /// Reason for the interruption.
        cause: Error,
        /// Delay before the next attempt.
        wait: Duration,
    },
    /// Human-readable warning from the server.
    Warning(String),
    /// Text can be pushed again. It could not be pushed when [`LongText::next`] was called.
    WantsText,
}

/// State of the attempts to resume since the last audio was received.
#[derive(Debug)]
struct Trouble {
    since: Instant,
    delay: Duration,
    /// Earliest time of the next attempt.
    until: Instant,
}

/// Turn that is being spoken.
#[derive(Debug)]
struct Turn {
    name: String,
    /// Text so far. It is kept so that it can be sent again on another connection. `chars` is its length in
    /// characters.
    text: String,
    chars: usize,
    ended: bool,
    is_document: bool,
    language: Option<Language>,
    last_text: Instant,
    /// Number of samples that have been returned.
    given: u64,
    /// Last word that has begun in the returned audio, with its position in the turn and its time in this audio.
    last_word: Option<WordTime>,
    said: Saying,
}

/// State of a turn on one connection.
#[derive(Debug, Default)]
struct Saying {
    /// Number of bytes of the text that were sent. `sent_chars` is the same in characters, and `end_sent`
    /// indicates whether the end of the turn was sent.
    sent: usize,
    sent_chars: usize,
    end_sent: bool,
    /// Number of characters that are known to have been spoken. `flushing` is the number that will have been
    /// spoken when the pending flush is answered.
    spoken_chars: usize,
    flushing: Option<usize>,
    /// Number of samples received.
    came: u64,
    /// Delay of the words on this connection relative to the same words in the returned audio, in
    /// milliseconds; 0 if the samples are the same.
    later_ms: i64,
    /// Words that have not begun, with their times in the returned audio.
    ahead: VecDeque<WordTime>,
}

impl LongText {
    /// Begins a text with these settings for all turns; a `max_lead_ms` of 0 is recommended. Returns an error if
    /// the server cannot be reached. After a refusal that can be retried, such as an overload, [`LongText::next`]
    /// retries.
    pub async fn connect(client: Client, config: ConfigPatch) -> Result<Self, Error> {
        let mut long = Self {
            client,
            config,
            conversation: None,
            cutter: TurnCutter::default(),
            waiting: String::new(),
            finished: false,
            turn: None,
            told: VecDeque::new(),
            language: None,
            turns: 0,
            chars: 0,
            samples: 0,
            trouble: None,
        };
        match long.client.converse_with(long.config.clone()).await {
            Ok(conversation) => long.conversation = Some(conversation),
            Err(refused @ Error::Refused { .. }) => long.wait(refused)?,
            Err(error) => return Err(error),
        }
        Ok(long)
    }

    /// Speaks the whole text in one turn. The server limits the length of a turn, so use this only for short texts.
    #[must_use]
    pub fn in_one_turn(mut self) -> Self {
        self.cutter = TurnCutter::that_never_cuts();
        self
    }

    /// Returns whether more text can be pushed. If not, [`Spoken::WantsText`] reports when it can.
    pub fn takes_text(&self) -> bool {
        let unsent = self.turn.as_ref().map_or(0, |turn| turn.text.len() - turn.said.sent);
        !self.finished && self.waiting.len() < READ_AHEAD && unsent < READ_AHEAD
    }

    /// Adds the next piece of the text.
    pub fn push(&mut self, piece: &str) {
        self.waiting.push_str(piece);
    }

    /// Marks the text as complete.
    pub fn finish(&mut self) {
        self.finished = true;
    }

    /// Returns the number of characters that have been spoken. If the text fails, it can be resumed from this position.
    pub fn spoken_chars(&self) -> u64 {
        let of_turn = self.turn.as_ref().filter(|turn| !turn.is_document);
        self.chars + of_turn.map_or(0, |turn| turn.last_word.as_ref().map_or(0, |word| word.char_end.into()))
    }

    /// Returns the next event, or `None` when the finished text has been spoken. No event follows an error. This
    /// method is cancel safe: dropping the future loses no event.
    pub async fn next(&mut self) -> Option<Result<Spoken, Error>> {
        let took_text = self.takes_text();
        loop {
            if let Some(told) = self.told.pop_front() {
                return Some(Ok(told));
            }
            self.fill();
            if self.finished && self.turn.is_none() && self.waiting.is_empty() {
                return None;
            }
            let outcome = match self.send().await {
                Ok(()) if !took_text && self.takes_text() => return Some(Ok(Spoken::WantsText)),
                // if the conversation has ended, its events contain the reason
                Ok(()) | Err(Error::Ended) => self.hear().await,
                Err(error) => Err(error),
            };
            if let Err(error) = outcome.or_else(|error| self.wait(error)) {
                return Some(Err(error));
            }
        }
    }

    /// Moves buffered text into the turn until the turn is complete.
    fn fill(&mut self) {
        if let Some(turn) = self.turn.as_mut().filter(|turn| !turn.ended && !turn.is_document)
            && !self.waiting.is_empty()
            && turn.last_text.elapsed() > PAUSE
        {
            turn.ended = true;
            self.cutter.end_turn();
        }
        while !self.waiting.is_empty() && self.turn.as_ref().is_none_or(|turn| !turn.ended) {
            let cut = self.cutter.take(&self.waiting);
            let behind = self.waiting.len() - cut.rest.len();
            if cut.text.is_empty() {
                self.chars += cut.skipped as u64;
            } else {
                if self.turn.is_none() {
                    self.chars += cut.skipped as u64;
                    self.turns += 1;
                }
                let turn = self.turn.get_or_insert_with(|| Turn::new(self.turns, self.language));
                turn.text.push_str(cut.text);
                turn.chars += cut.text.chars().count();
                turn.is_document = self.cutter.is_document();
                turn.ended = cut.ends;
                turn.last_text = Instant::now();
            }
            self.waiting.drain(..behind);
        }
        if self.finished
            && self.waiting.is_empty()
            && let Some(turn) = &mut self.turn
        {
            turn.ended = true;
        }
    }

    /// Sends the available text of the turn, over a new connection if there is none.
    async fn send(&mut self) -> Result<(), Error> {
        let Some(turn) = &mut self.turn else { return Ok(()) };
        let conversation = match &mut self.conversation {
            Some(conversation) => conversation,
            none => {
                if let Some(trouble) = &self.trouble {
                    sleep_until(trouble.until).await;
                }
                none.insert(self.client.converse_with(self.config.clone()).await?)
            }
        };
        while turn.said.sent < turn.text.len() && !turn.is_full() {
            let rest = &turn.text[turn.said.sent..];
            let end = rest.char_indices().nth(MESSAGE).map_or(rest.len(), |(at, _)| at);
            let text = &rest[..end];
            if turn.said.sent == 0 {
                let language = turn.language.map(Some);
                let config = ConfigPatch { language, ..ConfigPatch::default() };
                let turn_id = Some(turn.name.clone());
                let text = Text { text: text.to_owned(), turn_id, config, ..Text::default() };
                conversation.begin_with(text).await?;
            } else {
                conversation.append(&turn.name, text).await?;
            }
            turn.said.sent_chars += text.chars().count();
            turn.said.sent += end;
        }
        if turn.ended && turn.said.sent == turn.text.len() && !turn.said.end_sent {
            conversation.end(&turn.name).await?;
            turn.said.end_sent = true;
        }
        Ok(())
    }

    /// Waits for an event and handles it.
    async fn hear(&mut self) -> Result<(), Error> {
        let Some(conversation) = &mut self.conversation else {
            // without a conversation there is no turn, and more text will follow
            return std::future::pending().await;
        };
        let full = self.turn.as_mut().filter(|turn| turn.is_full() && turn.said.flushing.is_none());
        let event = if let Some(turn) = full {
            let Ok(event) = timeout(UNHEARD, conversation.next()).await else {
                conversation.flush(&turn.name).await?;
                turn.said.flushing = Some(turn.said.sent_chars);
                return Ok(());
            };
            event
        } else {
            conversation.next().await
        };
        let event = event.unwrap_or_else(|| Err(Error::Broken("the conversation ended".to_owned())))?;
        self.on_event(event)
    }

    fn on_event(&mut self, event: Event) -> Result<(), Error> {
        match event {
            Event::Audio { samples, .. } => self.on_audio(samples),
            Event::Words(words) => {
                if let Some(turn) = &mut self.turn {
                    turn.on_words(words.words);
                }
            }
            Event::Started { language, .. } => {
                let document = self.turn.as_ref().is_some_and(|turn| turn.is_document);
                if self.turns == 1 && !document {
                    self.language = language_of_the_rest(language);
                }
            }
            Event::Flushed { .. } => {
                if let Some(turn) = &mut self.turn {
                    turn.said.spoken_chars = turn.said.flushing.take().unwrap_or(turn.said.spoken_chars);
                }
            }
            Event::Done(done) => self.on_done(done),
            Event::Failed(failed) => {
                return Err(Error::Refused { status: None, detail: Box::new(failed.error) });
            }
            Event::Rejected { error, .. } => {
                return Err(Error::Refused { status: None, detail: Box::new(error) });
            }
            Event::Lost(lost) => return Err(lost.cause),
            Event::Cancelled(_) => {
                return Err(Error::Protocol("the server cancelled a turn without a request".to_owned()));
            }
            Event::Warning { message, .. } => self.told.push_back(Spoken::Warning(message)),
            Event::Reconnected | Event::Config(_) => {}
        }
        Ok(())
    }

    fn on_audio(&mut self, samples: Bytes) {
        let Some(turn) = &mut self.turn else { return };
        let new = turn.on_audio(samples);
        if new.is_empty() {
            return;
        }
        self.trouble = None;
        self.told.push_back(Spoken::Audio(new));
        let words = turn.words_begun();
        self.tell_words(words);
    }

    fn on_done(&mut self, done: Done) {
        let Some(mut turn) = self.turn.take_if(|turn| turn.name == done.turn) else { return };
        self.trouble = None;
        let words: Vec<WordTime> = turn.said.ahead.drain(..).collect();
        self.tell_words(words);
        self.told.push_back(Spoken::Turn(done));
        self.chars += turn.chars as u64;
        self.samples += turn.given;
        if !turn.ended {
            // the server ended a turn that was open for too long
            self.cutter.end_turn();
        }
    }

    fn tell_words(&mut self, mut words: Vec<WordTime>) {
        let before_ms = (self.samples / SAMPLES_PER_MS) as u32;
        for word in &mut words {
            word.start_ms = word.start_ms.saturating_add(before_ms);
            word.end_ms = word.end_ms.saturating_add(before_ms);
            word.char_start = word.char_start.saturating_add(self.chars as u32);
            word.char_end = word.char_end.saturating_add(self.chars as u32);
        }
        if !words.is_empty() {
            self.told.push_back(Spoken::Words(words));
        }
    }

    /// Prepares another attempt after an error. Returns the error if it cannot be retried, or if nothing was
    /// spoken for too long.
    fn wait(&mut self, cause: Error) -> Result<(), Error> {
        self.conversation = None;
        if !cause.is_retryable() {
            return Err(cause);
        }
        match &mut self.turn {
            Some(turn) => turn.said = Saying::default(),
            // without a turn, the client reconnects when it has more text; only a delay that the server specified
            // must be observed
            None if cause.retry_after().is_none() => return Ok(()),
            None => {}
        }
        let now = Instant::now();
        let (since, delay) =
            self.trouble.as_ref().map_or((now, DELAYS.0), |trouble| (trouble.since, trouble.delay));
        // random delay, so that the clients of a restarted server do not all reconnect at the same time
        let wait = cause.retry_after().unwrap_or_else(|| delay.mul_f64(0.5 + fastrand::f64() / 2.0));
        if now + wait > since + PATIENCE {
            return Err(cause);
        }
        self.trouble = Some(Trouble { since, delay: DELAYS.1.min(delay * 2), until: now + wait });
        self.told.push_back(Spoken::Interrupted { cause, wait });
        Ok(())
    }
}

/// Returns the language for the rest of a text whose first turn was detected to be in `found`, so that all turns have
/// the same language, as a single turn would. For English it returns `None`, and the language of each following
/// turn is detected separately, because romanised words of other languages may be mistaken for English.
pub fn language_of_the_rest(found: Language) -> Option<Language> {
    Some(found).filter(|&found| found != Language::English)
}

impl Turn {
    fn new(number: u64, language: Option<Language>) -> Self {
        Self {
            name: format!("part-{number}"),
            text: String::new(),
            chars: 0,
            ended: false,
            is_document: false,
            language,
            last_text: Instant::now(),
            given: 0,
            last_word: None,
            said: Saying::default(),
        }
    }

    /// Returns whether the limit of unspoken characters is reached.
    fn is_full(&self) -> bool {
        self.said.sent_chars.saturating_sub(self.said.spoken_chars) >= UNSPOKEN
    }

    /// Adds words whose audio follows. Words that have already begun in the returned audio are skipped.
    fn on_words(&mut self, words: Vec<WordTime>) {
        for mut word in words {
            self.said.spoken_chars = self.said.spoken_chars.max(word.char_end as usize);
            if let Some(last) = self.last_word.as_ref().filter(|last| word.char_start <= last.char_start) {
                if word.char_start == last.char_start {
                    self.said.later_ms = i64::from(word.start_ms) - i64::from(last.start_ms);
                }
                continue;
            }
            let earlier = |ms: u32| u32::try_from(i64::from(ms) - self.said.later_ms).unwrap_or(0);
            (word.start_ms, word.end_ms) = (earlier(word.start_ms), earlier(word.end_ms));
            self.said.ahead.push_back(word);
        }
    }

    /// Adds audio. Returns the part that had not been received before.
    fn on_audio(&mut self, mut bytes: Bytes) -> Vec<i16> {
        let samples = (bytes.len() / 2) as u64;
        // position in the audio of this connection up to which the audio was already returned
        let known = self.given.saturating_add_signed(self.said.later_ms * SAMPLES_PER_MS.cast_signed());
        let skip = known.saturating_sub(self.said.came).min(samples);
        self.said.came += samples;
        self.given += samples - skip;
        bytes.advance(2 * skip as usize);
        bytes.chunks_exact(2).map(|sample| i16::from_le_bytes([sample[0], sample[1]])).collect()
    }

    /// Returns the words whose audio has begun.
    fn words_begun(&mut self) -> Vec<WordTime> {
        let begun = |word: &WordTime| u64::from(word.start_ms) * SAMPLES_PER_MS < self.given;
        let begun = self.said.ahead.iter().take_while(|word| begun(word)).count();
        let words: Vec<WordTime> = self.said.ahead.drain(..begun).collect();
        self.last_word = words.last().cloned().or(self.last_word.take());
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(char_start: u32, start_ms: u32) -> WordTime {
        let (text, end_ms, char_end) = ("अब".to_owned(), start_ms + 100, char_start + 2);
        WordTime { text, start_ms, end_ms, char_start, char_end, spoken: None }
    }

    /// Returns `ms` milliseconds of audio. Its samples start at `first` and increase by one per millisecond.
    fn sound(first: i16, ms: i16) -> Bytes {
        (first..first + ms).flat_map(|sample| sample.to_le_bytes().repeat(24)).collect()
    }

    fn ms_of(samples: &[i16]) -> Vec<i16> {
        samples.chunks(24).map(|ms| ms[0]).collect()
    }

    #[test]
    fn a_resumed_voice_with_other_timing_continues_in_the_same_word() {
        let mut turn = Turn::new(1, None);
        turn.on_words(vec![word(0, 0), word(3, 100), word(6, 200)]);
        assert_eq!(turn.on_audio(sound(0, 130)).len(), 130 * 24);
        assert_eq!(turn.words_begun(), [word(0, 0), word(3, 100)]);
        // the turn is repeated with words 50 ms later, then 20 ms earlier; `new` is the range of the audio that was
        // not received before
        for (later, sounds, new) in [(50, 240, 180..240), (-20, 179, 170..179)] {
            turn.said = Saying::default();
            let at = |ms: u32| ms.saturating_add_signed(later);
            turn.on_words(vec![word(0, 0), word(3, at(100))]);
            assert!(turn.on_audio(sound(0, 80)).is_empty());
            turn.on_words(vec![word(6, at(200))]);
            assert_eq!(ms_of(&turn.on_audio(sound(80, sounds - 80))), new.collect::<Vec<_>>(), "{later}");
            assert!(turn.words_begun().is_empty(), "the third begins at 200");
        }
        assert_eq!(turn.given, 199 * 24);
        turn.on_audio(sound(179, 2));
        assert_eq!(turn.words_begun(), [word(6, 200)]);
    }
}
