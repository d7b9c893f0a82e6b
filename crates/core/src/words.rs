//! The words of enums without values.

/// Gives an enum its words: a row says what a `match` of each enum would.
macro_rules! words {
    ($type:ty { $($variant:ident = $word:literal),* }) => {
        impl $type {
            /// Every one, in the order of their declaration.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Returns the word for it.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }
        }
    };
}

pub(crate) use words;

/// Lists names as "a, b and c", or with another word before the last one.
pub(crate) fn joined(names: &[String], word: &str) -> String {
    match names {
        [rest @ .., last] if !rest.is_empty() => format!("{} {word} {last}", rest.join(", ")),
        all => all.concat(),
    }
}
