use super::*;

fn clean(text: &str) -> String {
    let mut cleaner = Cleaner::default();
    for (offset, c) in text.chars().enumerate() {
        cleaner.push(c, offset as u32);
    }
    std::iter::from_fn(|| cleaner.next_char(true)).map(|kept| kept.c).collect()
}

#[test]
fn removes_markup_and_keeps_its_text() {
    let cases = [
        ("# शीर्षक\nपाठ", " शीर्षक\nपाठ", "a heading"),
        ("- one\n* two\n+ three", " one\n two\n three", "bullets"),
        ("a **bold** and _soft_ word", "a bold and soft word", "emphasis"),
        ("snake_case and 2*3", "snake_case and 2*3", "signs inside words and numbers"),
        ("see [the page](https://a.b/c_(d)) now", "see [the page] now", "a link"),
        ("see [the page](https://a.b \"Its title\") now", "see [the page] now", "a link with a title"),
        ("![a cat](cat.png)!", "[a cat]!", "an image"),
        ("f(x) [1] (see)", "f(x) [1] (see)", "brackets that are not a link"),
        ("fact[^1].", "fact.", "a footnote's mark"),
        ("`code` and ```more```", "code and more", "code"),
        ("```rust\nlet x", "\nlet x", "a code fence"),
        ("a<br>b<b>c</b> d", "a\nbc d", "tags"),
        ("go<noise/>home", "go home", "an unknown tag parts words"),
        (
            "<a href=\"https://a.in/b@c\">here</a> <a@b.in>",
            "here <a@b.in>",
            "addresses in tags and in brackets",
        ),
        ("5 < 6 and a<b", "5 < 6 and a<b", "comparisons"),
        ("<script>let x = '<p>';</script>text", "  text", "a script"),
        ("<STYLE type=x>b {}</Style >text", "  text", "a style"),
        ("Use the <script> tag. Then go on.", "Use the   tag. Then go on.", "a script that does not end"),
        ("a <script>b<style>c</script>d<style>e", "a   d e", "one in another, and one that does not end"),
        ("Write `<script>` and `a < b`, <b>so</b>", "Write <script> and a < b, so", "tags in code"),
        ("a<!-- b > c -->d", "ad", "a comment"),
        ("Tom &amp; Jerry &#2325; &#x915; &bogus; R&D", "Tom & Jerry क क &bogus; R&D", "entities"),
        ("\\*not bold\\*", "*not bold*", "escapes"),
        ("| a | b |\n|---|---|\n| c | d |", " a , b ,\n—,—,\n c , d ,", "a table"),
        ("वह गया |", "वह गया ।", "a bar for a danda"),
        ("---\nafter", "\nafter", "a rule"),
        ("> quoted", " quoted", "a quotation"),
        ("~~gone~~ ~5", "gone ~5", "struck through"),
        ("a - [ ] b", "a -  b", "a check box"),
    ];
    for (text, wanted, why) in cases {
        assert_eq!(clean(text), wanted, "{why}: {text}");
    }
}

#[test]
fn removes_unspeakable_text() {
    let cases = [
        ("नमस्ते🙏🏽 दुनिया", "नमस्ते  दुनिया", "emoji"),
        ("a\u{202e}b\u{200b}c\u{0}d\u{ad}e", "abcde", "bidi marks, zero width space, NUL, soft hyphen"),
        ("क्\u{200d}ष न\u{200d}", "क्\u{200d}ष न\u{200d}", "joiners of Indian scripts stay"),
        ("👨\u{200d}👩 x\u{200d}y", "  xy", "joiners elsewhere go"),
        ("１２３ ⑤ Ⅳ ﬁ ٣", "123 5 IV fi 3", "other forms of digits and letters"),
        ("a\r\nb\rc\u{2028}d", "a\nb\nc\nd", "line ends"),
        ("\u{202b}س\u{640}لام\u{202c} \u{200f}دوست", "سلام دوست", "tatweel and direction marks"),
        ("٪۵۰ ۱٫۵ ۱٬۰۰۰؛", "%50 1.5 1,000;", "Arabic signs and digits"),
        ("ﺳﻼم", "سلام", "Arabic presentation forms"),
    ];
    for (text, wanted, why) in cases {
        let squeezed = clean(text).replace("   ", "  ");
        assert_eq!(squeezed, wanted, "{why}");
    }
}

#[test]
fn replaces_signs_that_stand_for_words() {
    for (text, wanted) in
        [("ॐ नमः", "ओम् नमः"), ("ૐ", "ઓમ્"), ("ௐ", "ஓம்"), ("ੴ", "ਇੱਕ ਓਅੰਕਾਰ"), ("Nº ĳſ", "No ijs")]
    {
        assert_eq!(clean(text), wanted);
    }
}

#[test]
fn limits_combining_marks() {
    let text = format!("क{}", "्".repeat(10_000));
    assert_eq!(clean(&text).chars().count(), 1 + MAX_MARKS as usize);
}

/// Returns the characters of a text that are emphasised.
fn emphasised(text: &str) -> String {
    let mut cleaner = Cleaner::default();
    for (offset, c) in text.chars().enumerate() {
        cleaner.push(c, offset as u32);
    }
    let cleaned = std::iter::from_fn(|| cleaner.next_char(true));
    cleaned.filter(|cleaned| cleaned.emphasis).map(|cleaned| cleaned.c).collect()
}

#[test]
fn emphasis_lasts_until_the_line_ends() {
    assert_eq!(emphasised("a **b** *c\nd"), "bc");
}

#[test]
fn masks_are_no_emphasis() {
    assert_eq!(emphasised("A/c **7093 is debited by Rs 500. **Not** you?"), "Not");
    assert_eq!(emphasised("Pay **500 rupees** now"), "500 rupees");
    assert_eq!(emphasised("Pay **500** now"), "500");
}

#[test]
fn releases_held_back_text() {
    for opening in ["<a ", "[y](", "<!-- "] {
        let mut cleaner = Cleaner::default();
        let text = opening.chars().chain(std::iter::repeat_n('a', LOOK_AHEAD));
        for (offset, c) in text.enumerate() {
            cleaner.push(c, offset as u32);
        }
        let cleaned: String =
            std::iter::from_fn(|| cleaner.next_char(false)).map(|cleaned| cleaned.c).collect();
        assert!(cleaned.starts_with(&opening[..1]) && cleaned.len() > LOOK_AHEAD / 2, "{opening}: {cleaned}");
    }
}

#[test]
fn unclosed_elements_hold_back_limited_text() {
    let mut cleaner = Cleaner::default();
    let text = "<script>".chars().chain(std::iter::repeat_n('a', 6_000));
    for (offset, c) in text.enumerate() {
        cleaner.push(c, offset as u32);
    }
    let cleaned = std::iter::from_fn(|| cleaner.next_char(false)).count();
    assert_eq!(cleaned, 6_000 + 1, "all of it, after the space for the tag");
}

#[test]
fn kept_characters_have_source_positions() {
    let text = "a &amp; <b>b</b>";
    let mut cleaner = Cleaner::default();
    for (offset, c) in text.chars().enumerate() {
        cleaner.push(c, offset as u32);
    }
    let places: Vec<(char, u32, u32)> =
        std::iter::from_fn(|| cleaner.next_char(true)).map(|kept| (kept.c, kept.start, kept.end)).collect();
    assert_eq!(places, [('a', 0, 1), (' ', 1, 2), ('&', 2, 7), (' ', 7, 8), ('b', 11, 12)]);
}
