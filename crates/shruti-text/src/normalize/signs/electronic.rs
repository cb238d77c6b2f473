//! URLs, email addresses, domains, file paths, IP addresses, versions, hashtags and mentions.

use super::name_parts::{
    after_initials, as_words, before_initials, before_word, camel_words, has_syllables, is_company,
    is_sayable, is_versus, name_and_word, with_indian_name,
};
use crate::class::Class;
use crate::data::keywords::Kinds;
use crate::english;
use crate::item::Kind;
use crate::normalize::number;
use crate::normalize::scan::{Reading, Scan};
use crate::normalize::spelling;

/// Top-level domains that are recognised without `www.` or a scheme.
const DOMAINS: [&str; 41] = [
    "com", "org", "net", "in", "edu", "gov", "info", "io", "co", "uk", "us", "ai", "app", "dev", "biz", "me",
    "tv", "xyz", "online", "shop", "site", "store", "tech", "de", "fr", "it", "jp", "au", "ca", "nic", "mil",
    "int", "eu", "cn", "ru", "lk", "bd", "np", "pk", "ac", "ly",
];

/// File extensions that identify a file name.
const FILES: [&str; 38] = [
    "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "txt", "csv", "json", "xml", "html", "htm", "php",
    "py", "js", "ts", "rs", "java", "cpp", "jpg", "jpeg", "png", "gif", "svg", "mp3", "mp4", "wav", "avi",
    "mkv", "zip", "rar", "apk", "exe", "dll", "md", "toml", "yaml",
];

/// Minimum length of an English word or an Indian name that is not spelled out, in letters.
const SHORTEST_WORD: usize = 4;
/// Minimum length of an unknown but pronounceable name that is read as one word in every language, in letters.
const TOO_LONG_TO_SPELL: usize = 12;

/// Reads a hashtag, a mention, an address or a version as people dictate it. In an address, known words are read as
/// words, other names are spelled out, digits are read one by one, and signs by name.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    if let Some(tag) = hashtag_or_mention(scan, at) {
        return Some(tag);
    }
    let begins = at == 0
        || scan.spaced(at)
        || matches!(scan.sign(at - 1), Some('(' | '[' | '<' | '"' | '“' | '\'' | ':'))
        || scan.is_sign(at - 1, '.') && scan.spaced(at - 1);
    // a full stop ends the previous sentence and does not start an address
    if !begins || scan.is_sign(at, '.') {
        return None;
    }
    let token_end = scan.token_end(at);
    // a case ending of the language may follow directly: kumar@infosys.com-க்கு
    let native = |&place: &usize| scan.is_word(place) && scan.latin(place).is_none();
    let mut end = (at..token_end).find(native).unwrap_or(token_end);
    // only a path ends in a slash; a final bracket or full stop belongs to the sentence
    while end > at && scan.sign(end - 1).is_some_and(|c| !matches!(c, '/' | '\\')) {
        end -= 1;
    }
    if end <= at + 1 {
        return None;
    }
    if let Some(stop) = sentence_in(scan, at, end) {
        end = stop;
    }
    // the slash of a network address may have spaces around it: 10.0.0.0 / 8
    let length_of_network = || scan.number(end + 1).is_some_and(|bits| bits.len() <= 2);
    if end - at == 7 && is_numeric_address(scan, at, end) && scan.is_sign(end, '/') && length_of_network() {
        end += 2;
    }
    let raw = scan.raw(at, end);
    if !raw.is_ascii() && !is_numeric_address(scan, at, end) {
        return None;
    }
    let class = if is_address(raw) {
        Class::Address
    } else if is_numeric_address(scan, at, end) {
        // three numbers are a version, and more numbers are an IP address
        if end - at == 5 { Class::Version } else { Class::Address }
    } else {
        return None;
    };
    let words = if class == Class::Version {
        let parts: Vec<_> = (at..end).filter_map(|place| scan.number(place)).collect();
        number::version(scan.data, &parts)
    } else {
        spell(scan, at, end)
    };
    Some(Reading::new(words, end - at).of(class))
}

/// Reads the extension of a file whose name is in an Indian script, with its dot at `at`: फोटो.jpg.
pub(crate) fn extension(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let named = at > 0 && scan.is_word(at - 1) && scan.latin(at - 1).is_none();
    let joined = scan.is_sign(at, '.') && scan.joined(at) && scan.joined(at + 1);
    let extension = scan.latin(at + 1).filter(|word| FILES.contains(word))?;
    let dot = &scan.data.electronic.dot;
    (named && joined).then(|| Reading::new(format!("{dot} {}", name(scan, extension)), 2).of(Class::Address))
}

/// Returns the index of the full stop that ends a sentence after a domain, although no space follows it:
/// `NETFLIX.COM.Not you?`
fn sentence_in(scan: &Scan<'_>, at: usize, end: usize) -> Option<usize> {
    let titled = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_uppercase())
            && word[1..].contains(|c: char| c.is_ascii_lowercase())
    };
    let stops = |&stop: &usize| {
        scan.is_sign(stop, '.')
            && scan.latin(stop + 1).is_some_and(titled)
            && is_domain(&scan.raw(at, stop).to_ascii_lowercase())
    };
    (at + 1..end).find(stops)
}

fn is_address(raw: &str) -> bool {
    let lower = raw.to_ascii_lowercase();
    let scheme = lower.split_once("://").is_some_and(|(name, rest)| {
        !rest.is_empty() && !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric())
    });
    let path = lower.starts_with('/')
        && lower.chars().skip(1).any(|c| c == '/')
        && lower.chars().nth(1).is_some_and(char::is_alphabetic);
    let drive = {
        let mut chars = lower.chars();
        chars.next().is_some_and(|c| c.is_ascii_alphabetic())
            && chars.next() == Some(':')
            && chars.next() == Some('\\')
    };
    scheme
        || path
        || drive
        || lower.starts_with("www.")
        || is_mail(&lower)
        || is_domain(&lower)
        || is_file(&lower)
}

/// Returns whether the text is a name with a file extension (`report.pdf`), or `localhost` with a port.
fn is_file(lower: &str) -> bool {
    let name =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    lower.rsplit_once('.').is_some_and(|(before, ending)| name(before) && FILES.contains(&ending))
        || lower.strip_prefix("localhost:").is_some_and(|port| port.chars().all(|c| c.is_ascii_digit()))
}

fn is_mail(lower: &str) -> bool {
    lower.split_once('@').is_some_and(|(name, host)| is_name(name) && is_host(host))
}

/// Returns whether the text may precede the at sign of an email or payment address.
fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric()) && !name.contains([':', '/'])
}

/// Returns whether the text may follow the at sign: a domain, or a bank name in a payment address such as
/// `murugan.k@okhdfcbank`.
fn is_host(host: &str) -> bool {
    let bank = host.len() > 1
        && host.starts_with(|c: char| c.is_ascii_alphabetic())
        && host.bytes().all(|byte| byte.is_ascii_alphanumeric());
    bank || host.contains('.') && !host.starts_with('.')
}

fn is_domain(lower: &str) -> bool {
    let host = lower.split(['/', '?', '#']).next().unwrap_or_default();
    let mut labels = host.split('.').rev();
    let top = labels.next().unwrap_or_default();
    let mut rest = labels.peekable();
    let named = |label: &str| label.len() > 1 && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    rest.peek().is_some()
        && DOMAINS.contains(&top)
        && rest.all(named)
        && host.chars().any(|c| c.is_ascii_alphabetic())
}

/// Returns whether the items are an IP address with an optional port or prefix length (`192.168.1.1`, `10.0.0.0/8`), or
/// a version (`1.2.3`).
fn is_numeric_address(scan: &Scan<'_>, at: usize, end: usize) -> bool {
    let port = end - at == 9 && matches!(scan.sign(end - 2), Some(':' | '/'));
    let parts = at..end - if port { 2 } else { 0 };
    let length = parts.len();
    let alternates = parts.enumerate().all(|(place, item)| {
        if place % 2 == 0 {
            scan.number(item).is_some_and(|digits| digits.len() <= 3)
        } else {
            scan.is_sign(item, '.')
        }
    });
    length >= 5 && length % 2 == 1 && alternates
}

/// Spells the items one by one: names as words or letters, numbers digit by digit, signs by name.
fn spell(scan: &Scan<'_>, at: usize, end: usize) -> String {
    let mut spoken: Vec<String> = Vec::new();
    for item in &scan.items[at..end] {
        match item.kind {
            Kind::Number | Kind::Power => spoken.push(number::one_by_one(&scan.data.number, &item.text)),
            Kind::Word(_) => spoken.push(name(scan, &item.text)),
            Kind::Sign(c) => spoken.extend(spelling::sign(scan, c).map(str::to_owned)),
        }
    }
    spoken.join(" ")
}

/// Returns the words for a name inside an address.
fn name(scan: &Scan<'_>, word: &str) -> String {
    let lower = word.to_lowercase();
    if let Some(known) = scan.data.electronic.words.get(&lower) {
        return known.clone();
    }
    let initials = matches!(lower.as_str(), "www" | "http" | "https" | "html" | "php" | "pdf" | "ftp");
    if scan.data.electronic.spell_unknown
        && let Some((initials, rest)) = after_initials(&lower)
    {
        return format!("{} {rest}", spelling::letters(scan, initials));
    }
    let is_name =
        lower.len() >= SHORTEST_WORD && (english::is_indian_name(&lower) || english::looks_indian(&lower));
    let is_said = is_name && has_syllables(&lower) || is_company(&lower);
    if scan.data.electronic.say_names && is_said && !initials {
        return word.to_owned();
    }
    if let Some((head, tail)) = with_indian_name(&lower).filter(|_| !scan.data.electronic.spell_unknown) {
        return format!("{head} {tail}");
    }
    if lower.len() >= SHORTEST_WORD
        && (english::is_word(&lower) || english::is_indian_name(&lower))
        && !initials
    {
        return word.to_owned();
    }
    if scan.data.electronic.spell_unknown
        && let Some(words) = as_words(word)
    {
        return words;
    }
    let known = &scan.data.electronic.words;
    if scan.data.electronic.spell_unknown
        && let Some((word, initials)) = before_initials(&lower, |word| known.contains_key(word))
    {
        let word = known.get(word).map_or(word, String::as_str);
        return format!("{word} {}", spelling::letters(scan, initials));
    }
    if word.len() >= TOO_LONG_TO_SPELL && is_sayable(&lower) {
        return lower;
    }
    let parts = before_word(&lower, |word| known.contains_key(word)).filter(|_| !initials);
    if scan.data.electronic.say_names
        && !initials
        && parts.is_none()
        && let Some((first, last)) = name_and_word(&lower)
    {
        return format!("{first} {last}");
    }
    if scan.data.electronic.spell_unknown || initials && !scan.data.latin.letters[0].is_ascii() {
        return parts.map_or_else(
            || spelling::letters(scan, &lower),
            |(first, word)| {
                let first = known.get(first).cloned().unwrap_or_else(|| spelling::letters(scan, first));
                format!("{first} {}", known.get(word).map_or(word, String::as_str))
            },
        );
    }
    word.to_owned()
}

/// Minimum length of the word after the number of a hashtag, in letters.
const SHORTEST_TAG: usize = 4;
/// Minimum length of the capitals before the number of a hashtag, in letters.
const SHORTEST_CAPITALS: usize = 3;

/// Reads a hashtag that starts with a number: `#75HardChallenge`, `#100daysofcode`.
fn numbered_hashtag(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let digits = scan.number(at + 1).filter(|_| scan.is_sign(at, '#'))?;
    let word = scan.latin(at + 2).filter(|word| scan.joined(at + 2) && word.len() >= SHORTEST_TAG)?;
    let count = number::cardinal(&scan.data.number, digits, number::System::Indian);
    let words = format!("{} {count} {}", scan.data.electronic.hashtag, camel_words(word));
    Some(Reading::new(words, 3).of(Class::Tag))
}

/// Range of years that may end a hashtag: `#IPL2026`.
const TAGGED_YEARS: std::ops::Range<u32> = 1990..2100;

/// Returns whether capitals and the number at `at` are a hashtag with a year or a short number (`#IPL2026`, `#NEET25`),
/// as opposed to the code of an order (`#MX58214`).
fn ends_tag(scan: &Scan<'_>, capitals: &str, at: usize) -> bool {
    let Some(digits) = scan.number(at) else { return false };
    let year = tagged_year(scan, at).is_some();
    scan.spaced(at + 1) && capitals.len() >= SHORTEST_CAPITALS && (year || digits.len() <= 2)
}

/// Returns the words of a hashtag. In a hashtag for a match, abbreviations of the opponents are expanded and
/// initialisms are spelled out: `#INDvsPAK`.
fn tag_words(scan: &Scan<'_>, tag: &str) -> String {
    let words = camel_words(tag);
    let parts: Vec<&str> = words.split(' ').collect();
    let is_match =
        parts.iter().enumerate().any(|(at, part)| at > 0 && at + 1 < parts.len() && is_versus(part));
    if !is_match {
        return words;
    }
    let said = |part: &&str| {
        let written = if is_versus(part) { "vs" } else { part };
        let spelt = || {
            let initials = spelling::is_capitals(part) && !english::is_spoken_in_capitals(part);
            if initials { spelling::spelt(scan, part) } else { (*part).to_owned() }
        };
        scan.data.abbreviation(written).map_or_else(spelt, str::to_owned)
    };
    parts.iter().map(said).collect::<Vec<_>>().join(" ")
}

/// Returns the digits at `at` if they are a year at the end of a hashtag.
fn tagged_year<'a>(scan: &'a Scan<'_>, at: usize) -> Option<&'a str> {
    let is_year =
        |digits: &&str| digits.len() == 4 && digits.parse().is_ok_and(|year| TAGGED_YEARS.contains(&year));
    let ends = scan.spaced(at + 1) || scan.sign(at + 1).is_some();
    scan.number(at).filter(is_year).filter(|_| ends)
}

/// Reads a hashtag or a mention: `#SwachhBharat`, `@name`.
fn hashtag_or_mention(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    if !scan.spaced(at) || !scan.joined(at + 1) {
        return None;
    }
    if let Some(numbered) = numbered_hashtag(scan, at) {
        return Some(numbered);
    }
    let word = scan.word(at + 1)?;
    let number_at = spelling::after_hyphen(scan, at + 2);
    let ordered = at > 0 && scan.names(at - 1).has(Kinds::REFERENCE.and(Kinds::CODE));
    let coded = scan.is_sign(at, '#')
        && spelling::is_capitals(word)
        && scan.joined(number_at)
        && scan.number(number_at).is_some();
    if coded && (ordered || !ends_tag(scan, word, at + 2)) {
        return None;
    }
    let electronic = &scan.data.electronic;
    let (head, mention) = match scan.sign(at)? {
        '#' => (&electronic.hashtag, false),
        '@' => (&electronic.mention, true),
        _ => return None,
    };
    let mut words = format!("{head} {}", tag_words(scan, word));
    let mut end = at + 2;
    // a mention may contain dots, underscores and digits: @virat.kohli, @user_name42
    while mention && scan.joined(end) && end < scan.items.len() {
        let next = if matches!(scan.sign(end), Some('.' | '_')) { end + 1 } else { end };
        let part = match (scan.latin(next).filter(|_| scan.joined(next)), scan.number(next)) {
            (Some(word), _) => camel_words(word),
            (None, Some(digits)) if scan.joined(next) => number::one_by_one(&scan.data.number, digits),
            _ => break,
        };
        if let Some(name) = scan.sign(end).filter(|&c| c == '.').and_then(|c| spelling::sign(scan, c)) {
            words = format!("{words} {name}");
        }
        words = format!("{words} {part}");
        end = next + 1;
    }
    // a year may end the hashtag: #IPL2026
    if let Some(year) = tagged_year(scan, end).filter(|_| !mention && scan.joined(end)) {
        words = format!("{words} {}", number::year(scan.data, year));
        end += 1;
    }
    Some(Reading::new(words, end - at).of(Class::Tag))
}
