//! Default sounds of the consonant letters; each language defines only its differences.

use crate::akshara::Consonant;
use crate::phone::{Phone, Symbol};

/// Returns the usual sound of a consonant letter.
pub(crate) fn consonant(letter: Consonant) -> Symbol {
    use Consonant as C;
    match letter {
        C::Ka => Symbol::K,
        C::Qa => Symbol::Q,
        C::Kha => Symbol::Kh,
        C::Khha => Symbol::X,
        C::Ga => Symbol::G,
        C::Gha => Symbol::Gh,
        C::Ghha => Symbol::Gamma,
        C::Nga => Symbol::Ng,
        C::Ca => Symbol::C,
        C::Cha => Symbol::Ch,
        C::Ja => Symbol::J,
        C::Jha => Symbol::Jh,
        C::Nya => Symbol::Ny,
        C::Tta => Symbol::Tt,
        C::Ttha => Symbol::Tth,
        C::Dda => Symbol::Dd,
        C::Ddha => Symbol::Ddh,
        C::Nna => Symbol::Nn,
        C::Ta => Symbol::T,
        C::Tha => Symbol::Th,
        C::Da => Symbol::D,
        C::Dha => Symbol::Dh,
        C::Na | C::Nnna => Symbol::N,
        C::Pa => Symbol::P,
        C::Pha => Symbol::Ph,
        C::Ba => Symbol::B,
        C::Bha => Symbol::Bh,
        C::Ma => Symbol::M,
        C::Ya | C::Yya => Symbol::Y,
        C::Ra => Symbol::R,
        C::Rra => Symbol::Rr,
        C::La => Symbol::L,
        C::Lla => Symbol::Ll,
        C::Llla => Symbol::Zr,
        C::Va | C::Wa => Symbol::V,
        C::Sha => Symbol::Sh,
        C::Ssa => Symbol::Ss,
        C::Sa | C::DottedSa => Symbol::S,
        C::Ha => Symbol::H,
        C::Za => Symbol::Z,
        C::Rda => Symbol::Rd,
        C::Rdha => Symbol::Rdh,
        C::Fa => Symbol::F,
        C::Tsa => Symbol::Ts,
        C::Dza => Symbol::Dz,
    }
}

/// Appends a consonant. If it repeats the last phone, or is the aspirated counterpart of it (क्ख), the result is one
/// long consonant.
pub(crate) fn push(phones: &mut Vec<Phone>, symbol: Symbol) {
    if let Some(last) = phones.last_mut()
        && !last.long
        && !symbol.is_vowel()
        && (last.symbol == symbol || aspirated(last.symbol) == Some(symbol))
    {
        *last = Phone::new(symbol).long();
        return;
    }
    phones.push(Phone::new(symbol));
}

/// Returns the aspirated counterpart of a plain stop or affricate.
pub(crate) fn aspirated(symbol: Symbol) -> Option<Symbol> {
    Some(match symbol {
        Symbol::P => Symbol::Ph,
        Symbol::B => Symbol::Bh,
        Symbol::T => Symbol::Th,
        Symbol::D => Symbol::Dh,
        Symbol::Tt => Symbol::Tth,
        Symbol::Dd => Symbol::Ddh,
        Symbol::C => Symbol::Ch,
        Symbol::J => Symbol::Jh,
        Symbol::K => Symbol::Kh,
        Symbol::G => Symbol::Gh,
        _ => return None,
    })
}
