//! Values that are computed once for each language, on first use.

use std::sync::OnceLock;

use shruti_lang::Language;

/// One value per language, built on first use.
pub(crate) struct PerLanguage<T>([OnceLock<T>; Language::ALL.len()]);

impl<T> PerLanguage<T> {
    /// Creates an instance without any values.
    pub(crate) const fn new() -> Self {
        Self([const { OnceLock::new() }; Language::ALL.len()])
    }

    /// Returns the value of a language; calls `make` to build it on first use.
    pub(crate) fn get(&self, language: Language, make: impl FnOnce() -> T) -> &T {
        self.0[language as usize].get_or_init(make)
    }
}

/// Value that is built from the tables of all finished languages, and of at most one language in beta.
///
/// The segmenter does not know the language of every word, so it consults the tables of all languages. The tables of a
/// language in beta only apply to texts in that language, so that they cannot change how other texts are read.
pub(crate) struct Joined<T>(PerLanguage<T>);

impl<T> Joined<T> {
    /// Creates an instance without any values.
    pub(crate) const fn new() -> Self {
        Self(PerLanguage::new())
    }

    /// Returns the value for texts in a language. On first use, calls `make` with the languages whose tables apply.
    pub(crate) fn get(&self, text: Option<Language>, make: impl FnOnce(&[Language]) -> T) -> &T {
        let beta = text.filter(|language| language.is_beta());
        // all other languages share one value
        self.0.get(beta.unwrap_or(Language::FINISHED[0]), || make(&joined(beta).collect::<Vec<_>>()))
    }
}

/// Returns the languages whose tables apply to texts in a language: all finished languages and, if it is in beta, the
/// language itself.
pub(crate) fn joined(text: Option<Language>) -> impl Iterator<Item = Language> + Clone {
    Language::FINISHED.into_iter().chain(text.filter(|language| language.is_beta()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_a_language_in_beta_apply_to_its_own_texts_only() {
        let lists: Joined<Vec<Language>> = Joined::new();
        for text in [None, Some(Language::Hindi), Some(Language::English)] {
            assert_eq!(*lists.get(text, <[Language]>::to_vec), Language::FINISHED, "{text:?}");
        }
        for text in [Language::Nepali, Language::Urdu] {
            let list = lists.get(Some(text), <[Language]>::to_vec);
            assert_eq!(list[..11], Language::FINISHED);
            assert_eq!(list[11..], [text]);
        }
    }
}
