//! Structs that tables fill.

/// A struct that a table fills, whose fields say what they are where a row does not say it. Those in brackets behind its name
/// are the first ones, which a row says without their names.
macro_rules! bare {
    ($(#[$about:meta])* $seen:vis struct $name:ident $(($($column:ident),*))? {
        $($(#[$field_about:meta])* $field_seen:vis $field:ident: $ty:ty = $value:expr,)*
    }) => {
        $(#[$about])*
        $seen struct $name { $($(#[$field_about])* $field_seen $field: $ty,)* }

        impl $name {
            /// What most have in common: a row names what is its own.
            $seen const BARE: Self = Self { $($field: $value,)* };
        }
    };
}

pub(crate) use bare;
