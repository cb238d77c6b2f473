//! Data of a language, loaded from `data/<code>/normalize.toml`, and indexes that are built from it. `data/README.md`
//! describes the format.

mod calendar;
pub(crate) mod kept_marks;
pub(crate) mod keywords;
mod number;
pub(crate) mod prosody;
mod written;

use serde::Deserialize;
use shruti_lang::Language;

use self::prosody::Prosody;
use crate::akshara::is_virama;
use crate::chars::{lowercase, nfc};
use crate::english;
use crate::files::data_files;
use crate::per_language::PerLanguage;
use crate::script::Script;
use crate::table::{Set, Table};

pub(crate) use calendar::{Date, Time};
pub(crate) use number::{Fraction, Number, Ordinal, OrdinalForm, Scale};
pub(crate) use written::{Blood, Cricket, Currency, Money, Slash, UnitWord, Units, without_dots};

/// Normalisation tables of one language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Data {
    pub(crate) number: Number,
    pub(crate) fraction: Fraction,
    pub(crate) ordinal: Ordinal,
    pub(crate) money: Money,
    pub(crate) date: Date,
    pub(crate) time: Time,
    pub(crate) units: Units,
    pub(crate) abbreviations: Table<String, String>,
    /// Abbreviations of at least three ASCII characters in lower case or with only the first letter capitalised. The
    /// keys are in lower case.
    #[serde(skip)]
    titles: Table<String, String>,
    /// Abbreviations of an era or of a word for a year, with their expansions: ई., वि.सं.
    #[serde(skip)]
    pub(crate) year_abbreviations: Table<String, String>,
    /// Abbreviations of a part of the day, with their expansions: సా., ಬೆ.
    #[serde(skip)]
    pub(crate) day_abbreviations: Table<String, String>,
    #[serde(default)]
    pub(crate) address: Table<String, String>,
    #[serde(default)]
    pub(crate) address_labels: Table<String, String>,
    /// Address labels that may be joined to the next word by a hyphen. In the file, these labels end in `-`.
    #[serde(skip)]
    pub(crate) hyphened_labels: Set<String>,
    #[serde(default)]
    pub(crate) before_name: Table<String, String>,
    #[serde(default)]
    pub(crate) before_number: Table<String, String>,
    #[serde(default)]
    pub(crate) before_year: Table<String, String>,
    #[serde(default)]
    pub(crate) before_account: Table<String, String>,
    #[serde(default)]
    pub(crate) before_amount: Table<String, String>,
    #[serde(default)]
    pub(crate) before_date: Table<String, String>,
    #[serde(default)]
    pub(crate) before_dose: Table<String, String>,
    #[serde(default)]
    pub(crate) near_duration: Table<String, String>,
    #[serde(default)]
    pub(crate) near_train: Table<String, String>,
    #[serde(default)]
    pub(crate) between_names: Table<String, String>,
    #[serde(default)]
    pub(crate) between_players: Table<String, String>,
    #[serde(default)]
    pub(crate) before_stage: Table<String, String>,
    #[serde(default)]
    pub(crate) topics: Vec<Topic>,
    #[serde(default)]
    pub(crate) before_stems: Vec<BeforeStems>,
    #[serde(default)]
    pub(crate) in_brackets: Table<String, String>,
    #[serde(default)]
    pub(crate) near_firm: Table<String, String>,
    #[serde(default)]
    pub(crate) after_amount: Table<String, String>,
    pub(crate) slash: Slash,
    pub(crate) blood: Blood,
    pub(crate) cricket: Option<Cricket>,
    #[serde(default)]
    pub(crate) tokens: Table<String, String>,
    #[serde(default)]
    pub(crate) chat: Table<String, String>,
    #[serde(default)]
    pub(crate) chat_in_english: Table<String, String>,
    pub(crate) latin: Latin,
    pub(crate) symbols: Table<char, String>,
    pub(crate) electronic: Electronic,
    pub(crate) context: Context,
    pub(crate) prosody: Prosody,
}

/// Context in which an abbreviation has a special reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AbbreviationContext {
    AloneInBrackets,
    NearDuration,
    BeforeAccount,
    BeforeYear,
    BeforeStage,
    BeforeNumber,
    BeforeAmount,
    NearTrain,
    NearFirm,
    BeforeDate,
    BetweenPlayers,
    BeforeDose,
    BetweenNames,
    AfterAmount,
    BeforeName,
}

impl AbbreviationContext {
    /// Returns whether the context takes precedence over the topic of the sentence.
    pub(crate) const fn outranks_topic(self) -> bool {
        matches!(self, Self::AloneInBrackets | Self::NearDuration | Self::BeforeAccount)
    }
}

impl Data {
    /// Returns the tables of the abbreviations that have a special reading in a context, in the order in which the
    /// contexts are checked.
    pub(crate) fn abbreviations_by_context(&self) -> [(AbbreviationContext, &Table<String, String>); 15] {
        use AbbreviationContext as Context;
        [
            (Context::AloneInBrackets, &self.in_brackets),
            (Context::NearDuration, &self.near_duration),
            (Context::BeforeAccount, &self.before_account),
            (Context::BeforeYear, &self.before_year),
            (Context::BeforeStage, &self.before_stage),
            (Context::BeforeNumber, &self.before_number),
            (Context::BeforeAmount, &self.before_amount),
            (Context::NearTrain, &self.near_train),
            (Context::NearFirm, &self.near_firm),
            (Context::BeforeDate, &self.before_date),
            (Context::BetweenPlayers, &self.between_players),
            (Context::BeforeDose, &self.before_dose),
            (Context::BetweenNames, &self.between_names),
            (Context::AfterAmount, &self.after_amount),
            (Context::BeforeName, &self.before_name),
        ]
    }

    /// Builds the indexes for lookups by forms that differ from the keys of the tables.
    fn index(&mut self) {
        let title = |written: &str| {
            let (first, rest) = written.split_at_checked(1)?;
            let long = written.len() >= 3 && first.is_ascii();
            let only = rest.is_ascii() && !rest.bytes().any(|b| b.is_ascii_uppercase());
            (long && only).then(|| written.to_ascii_lowercase())
        };
        for table in [&mut self.abbreviations, &mut self.before_name, &mut self.before_number] {
            add_dots_after_visarga(table);
        }
        let abbreviations = self.abbreviations.iter();
        let titles = abbreviations.filter_map(|(written, said)| Some((title(written)?, said.clone())));
        self.titles = titles.collect();
        self.latin.keys = self.latin.letters.iter().map(|name| letter_key(name)).collect();
        self.index_letter_names();
        self.index_labels();
        self.index_calendar_abbreviations();
        self.money.index();
        self.date.name_months();
        self.number.inflect_scales();
        self.context.add_stems();
        self.units.index();
        self.prosody.index();
    }

    /// Collects the abbreviations of eras, words for years and parts of the day from the tables of abbreviations.
    fn index_calendar_abbreviations(&mut self) {
        let tables = [&self.abbreviations, &self.before_number, &self.before_year];
        let of = |is_meant: &dyn Fn(&str) -> bool| {
            let all = tables.into_iter().flatten().filter(|(_, words)| is_meant(words));
            all.map(|(written, words)| (written.clone(), words.clone())).collect()
        };
        let years = of(&|words| words.split(' ').any(|word| self.date.is_year_word(word)));
        let days = of(&|words| is_in(&self.time.day_words, words));
        self.year_abbreviations = years;
        self.day_abbreviations = days;
    }

    /// Removes the final hyphens of address labels and lists these labels in `hyphened_labels`.
    fn index_labels(&mut self) {
        let labels = std::mem::take(&mut self.address_labels);
        for (mut written, said) in labels {
            if written.ends_with('-') {
                written.pop();
                self.hyphened_labels.insert(written.clone());
            }
            self.address_labels.insert(written, said);
        }
    }

    /// Adds a variant of each token with digits in which the Latin letters are replaced by their names: 5जी for 5g.
    fn index_letter_names(&mut self) {
        let name = |c: char| {
            let place = (c as u32).checked_sub('a' as u32).filter(|_| c.is_ascii_lowercase())?;
            self.latin.letters.get(place as usize).map(|name| letter_key(name))
        };
        let named = |written: &str| -> String {
            if !written.is_ascii() {
                return letter_key(written);
            }
            written.chars().map(|c| name(c).unwrap_or_else(|| c.to_string())).collect()
        };
        let tokens = self
            .tokens
            .iter()
            .filter(|(written, _)| written.chars().filter(char::is_ascii_digit).count() > 0);
        let named: Vec<_> = tokens.map(|(written, said)| (named(written), said.clone())).collect();
        for (written, said) in named {
            self.tokens.entry(written).or_insert(said);
        }
    }

    /// Returns the expansion of an abbreviation. `DR.` and `dr.` match `Dr.`, `Estt.` matches `estt.`; `A/C` and `A/c`
    /// match `a/c`.
    pub(crate) fn abbreviation(&self, written: &str) -> Option<&str> {
        // an English word in capitals is not an abbreviation: CAT. is not read as "category"
        let word = |lower: &str| {
            let capitals = written.bytes().all(|byte| !byte.is_ascii_lowercase());
            capitals
                && (lower.len() > 3 && english::is_word(lower.trim_end_matches('.'))
                    // an initialism is not an abbreviation either: ORS is not read as "others"
                    || english::is_listed_initialism(written))
        };
        let titled = || {
            let lower = lowercase(written);
            self.titles.get(lower.as_ref()).filter(|_| written.is_ascii() && !word(&lower))
        };
        let slashed =
            || self.abbreviations.get(lowercase(written).as_ref()).filter(|_| written.contains('/'));
        self.abbreviations.get(written).or_else(titled).or_else(slashed).map(String::as_str)
    }
}

/// Topic of a sentence: the words that indicate the topic, and the abbreviations that are read differently in a
/// sentence about the topic. For example, `c/o` is "complains of" near `cough`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Topic {
    /// Words in lower case, each of which indicates the topic.
    pub(crate) words: Set<String>,
    /// Abbreviations in lower case, with or without a final dot. An entry in capitals, such as BAN, applies only to the
    /// form in capitals, because the form in lower case is a word.
    pub(crate) abbreviations: Table<String, String>,
}

/// Abbreviations that have the given reading only before a word that begins with one of the stems: the द. of `द.
/// अफ्रीका`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BeforeStems {
    /// Whether the abbreviation must be the first word of its segment.
    #[serde(default)]
    pub(crate) first: bool,
    pub(crate) stems: Vec<String>,
    pub(crate) abbreviations: Table<String, String>,
}

/// Adds a form with a final dot for each abbreviation that ends in a visarga, because some writers add one: ডাঃ.
fn add_dots_after_visarga(table: &mut Table<String, String>) {
    let is_marked = |written: &str| written.ends_with(['ঃ', 'ଃ']) && !written.contains(' ');
    let dotted: Vec<_> = table
        .iter()
        .filter(|(written, _)| is_marked(written))
        .map(|(written, said)| (format!("{written}."), said.clone()))
        .collect();
    table.extend(dotted);
}

/// Returns the name of a letter in lower case, normalised so that spellings that differ only in vowel length, viramas,
/// joiners or the Gurmukhi addak become equal.
pub(crate) fn letter_key(name: &str) -> String {
    /// Offsets of long vowels in the Brahmic blocks, with the offsets of the short vowels that replace them.
    const LONG_VOWELS: [(u32, u32); 6] =
        [(0x40, 0x3F), (0x42, 0x41), (0x08, 0x07), (0x0A, 0x09), (0x47, 0x46), (0x0F, 0x0E)];
    let key = |c: char| {
        let block = Script::of(c).and_then(Script::block)?;
        let place = (c as u32).checked_sub(block)?;
        let short = LONG_VOWELS.iter().find(|&&(long, _)| long == place).map_or(place, |&(_, short)| short);
        let silent = place == 0x71 && block == GURMUKHI || is_virama(c);
        if silent { None } else { char::from_u32(block + short) }
    };
    let brahmic = |c: &char| Script::of(*c).and_then(Script::block).is_some();
    let letters = name.chars().filter(|c| !matches!(c, '\u{200c}' | '\u{200d}'));
    letters.filter_map(|c| if brahmic(&c) { key(c) } else { Some(c) }).collect::<String>().to_lowercase()
}

/// First code point of the Gurmukhi block.
const GURMUKHI: u32 = 0xA00;

/// The `[latin]` table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Latin {
    pub(crate) letters: Vec<String>,
    /// Names of the letters in the form that [`letter_key`] returns.
    #[serde(skip)]
    pub(crate) keys: Set<String>,
    #[serde(default)]
    pub(crate) digits: Vec<String>,
    #[serde(default)]
    pub(crate) initials: Set<String>,
}

/// The `[electronic]` table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Electronic {
    pub(crate) dot: String,
    pub(crate) star: String,
    pub(crate) at: String,
    pub(crate) slash: String,
    pub(crate) backslash: String,
    pub(crate) colon: String,
    pub(crate) hyphen: String,
    pub(crate) underscore: String,
    pub(crate) hash: String,
    pub(crate) question: String,
    pub(crate) equals: String,
    pub(crate) ampersand: String,
    pub(crate) percent: String,
    pub(crate) plus: String,
    pub(crate) tilde: String,
    pub(crate) hashtag: String,
    pub(crate) mention: String,
    #[serde(default)]
    pub(crate) spell_unknown: bool,
    /// Words for pressing a key, next to which an asterisk is spoken.
    #[serde(default)]
    pub(crate) pressing: Set<String>,
    /// Names of command-line programs that take options: `ls -a`.
    #[serde(default)]
    pub(crate) commands: Set<String>,
    #[serde(default)]
    pub(crate) say_names: bool,
    #[serde(default)]
    pub(crate) words: Table<String, String>,
}

/// The `[context]` table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Context {
    pub(crate) address: Set<String>,
    /// Abbreviations of `before_amount` that are also romanised words.
    #[serde(default)]
    pub(crate) amount_in_pairs: Set<String>,
    pub(crate) durations: Set<String>,
    #[serde(default)]
    pub(crate) dates: Set<String>,
    #[serde(default)]
    pub(crate) firms: Set<String>,
    pub(crate) roman: Set<String>,
    #[serde(default)]
    pub(crate) roman_before: Set<String>,
    #[serde(default)]
    pub(crate) regnal: Set<String>,
    #[serde(default)]
    pub(crate) regnal_ordinals: Vec<String>,
    #[serde(default)]
    pub(crate) never_dotted: Set<String>,
    /// Abbreviations and initials that are also words at the end of a sentence.
    #[serde(default)]
    pub(crate) final_words: Set<String>,
    /// Abbreviations with which no sentence ends, and those with which sentences often end.
    #[serde(default)]
    pub(crate) never_final: Set<String>,
    #[serde(default)]
    pub(crate) often_final: Set<String>,
    /// Words that start a sentence after an abbreviation, because they are not part of a name.
    #[serde(default)]
    pub(crate) sentence_starters: Set<String>,
    /// Words before a "no." that is an answer, not the word for "number".
    #[serde(default)]
    pub(crate) before_refusal: Set<String>,
    /// Words after a "no." that is not an answer.
    #[serde(default)]
    pub(crate) after_number_sign: Set<String>,
    /// Words before the limit of an income.
    #[serde(default)]
    pub(crate) before_limit: Set<String>,
    #[serde(default)]
    pub(crate) before_letters: Set<String>,
    #[serde(default)]
    pub(crate) after_letters: Set<String>,
    #[serde(default)]
    pub(crate) labels: Set<String>,
    #[serde(default)]
    pub(crate) after_score: Set<String>,
    #[serde(default)]
    pub(crate) pairs_after: Set<String>,
    /// Endings and words after the result of a match, and the verbs after them: 14-11 से हराया.
    #[serde(default)]
    pub(crate) result_by: Set<String>,
    #[serde(default)]
    pub(crate) result_verbs: Set<String>,
    #[serde(default)]
    pub(crate) matrimony: Set<String>,
    #[serde(default)]
    pub(crate) numbered: Set<String>,
    #[serde(default)]
    pub(crate) score: Set<String>,
    #[serde(default)]
    pub(crate) marks: Set<String>,
    #[serde(default)]
    pub(crate) scripture: Set<String>,
}

impl Context {
    /// Adds the stems of the words in `labels`, `numbered`, `score` and `marks`. A stem is the form of a word before an
    /// ending, without the final u or virama: കാർഡ of കാർഡ്, కార్డ of కార్డు.
    fn add_stems(&mut self) {
        let lists = [&mut self.labels, &mut self.numbered, &mut self.score, &mut self.marks];
        for list in lists {
            let stem = |word: &String| {
                let last =
                    word.chars().next_back().filter(|&c| is_virama(c) || matches!(c, 'ு' | 'ు' | 'ು'))?;
                let stem = word.strip_suffix(last)?;
                (stem.chars().count() >= SHORTEST_STEM).then(|| stem.to_owned())
            };
            let stems: Vec<String> = list.iter().filter_map(stem).collect();
            list.extend(stems);
        }
    }
}

/// Minimum length of the stem by which a word with an ending is recognised, in characters.
pub(crate) const SHORTEST_STEM: usize = 3;

/// Returns the tables of a language. They are parsed only once.
pub(crate) fn of(language: Language) -> &'static Data {
    static TABLES: PerLanguage<Data> = PerLanguage::new();
    TABLES.get(language, || {
        // a test parses every table, so this cannot fail in a release
        let own = data_files(language).normalize;
        // if the files of a language are not loaded, the English tables are used instead
        let source = if own.is_empty() { data_files(Language::English).normalize } else { own };
        parse(source).unwrap_or_else(|error| panic!("data/{}/normalize.toml: {error}", language.code()))
    })
}

/// Returns whether a word of `language`, in its own script, is a function word.
pub(crate) fn is_function_word(word: &str, language: Language) -> bool {
    is_in(&of(language).prosody.function, word)
}

/// Returns the form of an ending after a vowel or after a consonant, or `None` if the ending has no special forms.
pub(crate) fn linked_ending(ending: &str, language: Language, after_vowel: bool) -> Option<&'static str> {
    let (consonant, vowel) = of(language).number.endings.linked.get(ending)?;
    Some(if after_vowel { vowel } else { consonant })
}

/// Returns whether a list of lower-case words contains a word, ignoring case.
pub(crate) fn is_in(list: &Set<String>, word: &str) -> bool {
    list.contains(lowercase(word).as_ref())
}

fn parse(source: &str) -> Result<Data, toml::de::Error> {
    let mut data: Data = toml::from_str(&nfc(source))?;
    let named = std::mem::take(&mut data.money.named);
    data.money.currencies.extend(named.into_iter().map(|(written, name)| {
        let (one, many) = match name {
            UnitWord::Same(name) => (name.clone(), name),
            UnitWord::Both(one, many) => (one, many),
        };
        let written = written.split(' ').map(str::to_owned).collect();
        Currency {
            written,
            one,
            many,
            minor: None,
            minor_one: None,
            stems: Vec::new(),
            oblique: None,
            western: true,
        }
    }));
    for table in [&mut data.tokens, &mut data.chat, &mut data.chat_in_english] {
        let each = |(written, said): (String, String)| {
            let ways: Vec<String> = written.split(' ').map(str::to_owned).collect();
            ways.into_iter().map(move |way| (way, said.clone()))
        };
        *table = std::mem::take(table).into_iter().flat_map(each).collect();
    }
    data.index();
    Ok(data)
}

#[cfg(test)]
mod tests;
