//! Roman numerals.

/// Returns the value of a Roman numeral in capitals, or `None` if it is not a valid one.
pub(crate) fn value_of(word: &str) -> Option<u128> {
    const STEPS: [(u128, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    let mut rest = word;
    let mut value = 0;
    for (step, letters) in STEPS {
        let mut times = 0;
        while let Some(shorter) = rest.strip_prefix(letters) {
            rest = shorter;
            value += step;
            times += 1;
            if times > 3 {
                return None;
            }
        }
    }
    (rest.is_empty() && value > 0).then_some(value)
}
