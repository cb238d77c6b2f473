//! Named and numeric entities of HTML and XML: `&amp;`, `&#x915;`.
//!
//! The table is handwritten because existing libraries decode only whole strings. Text arrives in pieces here, and the
//! result must not depend on where the pieces are split, so the cleaner decides about an `&` after a few characters.
//! HTML defines 2,231 entity names of up to 31 letters, some without a semicolon. Supporting all of them would delay
//! more text and would change text that only looks like an entity (`AT&times`). The table contains the entities that
//! people write in prose.

/// Named entities that occur in prose, with their characters.
const ENTITIES: [(&str, char); 38] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", ' '),
    ("ensp", ' '),
    ("emsp", ' '),
    ("thinsp", ' '),
    ("shy", '\u{ad}'),
    ("zwj", '\u{200d}'),
    ("zwnj", '\u{200c}'),
    ("ndash", '–'),
    ("mdash", '—'),
    ("hellip", '…'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("laquo", '«'),
    ("raquo", '»'),
    ("bull", '•'),
    ("middot", '·'),
    ("copy", '©'),
    ("reg", '®'),
    ("trade", '™'),
    ("times", '×'),
    ("divide", '÷'),
    ("plusmn", '±'),
    ("minus", '−'),
    ("deg", '°'),
    ("frac12", '½'),
    ("frac14", '¼'),
    ("frac34", '¾'),
    ("euro", '€'),
    ("pound", '£'),
    ("yen", '¥'),
    ("cent", '¢'),
];

/// Returns the character that an entity represents. `name` is the name of the entity without `&` and `;`.
pub(crate) fn entity_char(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => number.parse(),
        };
        return char::from_u32(code.ok()?);
    }
    ENTITIES.iter().find(|(entity, _)| *entity == name).map(|&(_, c)| c)
}
