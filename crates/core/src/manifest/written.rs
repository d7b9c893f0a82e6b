//! The stored form of a manifest that was read and checked, so that the next event need not read it again.
//!
//! What is a row of a table of ours is written as its place there, so only a program of the same version reads it. A host's
//! own file also names rows of hosts, which are unknown here: writing it down is an error, and such a file is read each time.
#![allow(
    clippy::ref_option,
    clippy::trivially_copy_pass_by_ref,
    reason = "the signatures that serde asks for"
)]

/// Writes the place of a value in its table.
fn place<T: PartialEq, E: serde::ser::Error>(table: &[T], value: &T) -> Result<usize, E> {
    let place = table.iter().position(|known| known == value);
    place.ok_or_else(|| E::custom("it is in no table"))
}

/// Finds the value at a place of its table.
fn at<T, E: serde::de::Error>(table: &[T], place: usize) -> Result<&T, E> {
    let value = table.get(place);
    value.ok_or_else(|| E::custom("the table has no such row"))
}

/// The row of an event, by its name.
pub(super) mod event {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    use crate::taxonomy::{EventSpec, find};

    pub(in crate::manifest) fn serialize<S: Serializer>(
        row: &Option<&'static EventSpec>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        row.map(|row| row.name).serialize(to)
    }

    pub(in crate::manifest) fn deserialize<'d, D: Deserializer<'d>>(
        from: D,
    ) -> Result<Option<&'static EventSpec>, D::Error> {
        let name = Option::<&str>::deserialize(from)?;
        let row = |name| find(name).ok_or_else(|| D::Error::custom("there is no such event"));
        name.map(row).transpose()
    }
}

/// A matcher, by its text and whether that is a pattern whatever it looks like.
pub(super) mod matcher {
    use serde::de::Error as _;
    use serde::ser::Error as _;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    use crate::matcher::Matcher;

    pub(in crate::manifest) fn serialize<S: Serializer>(
        matcher: &Matcher,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let written = matcher.written();
        let written = written.ok_or_else(|| S::Error::custom("it is of a host"))?;
        written.serialize(to)
    }

    pub(in crate::manifest) fn deserialize<'d, D: Deserializer<'d>>(
        from: D,
    ) -> Result<Matcher, D::Error> {
        let (text, is_pattern) = <(&str, bool)>::deserialize(from)?;
        let read = if is_pattern {
            Matcher::unanchored(text)
        } else {
            Matcher::parse(text)
        };
        read.map_err(D::Error::custom)
    }
}

/// Effects of calls.
pub(super) mod effects {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    use super::{at, place};
    use crate::manifest::EFFECTS;

    pub(in crate::manifest) fn serialize<S: Serializer>(
        effects: &[&'static str],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let places = effects.iter().map(|effect| place(EFFECTS, effect));
        let places: Result<Vec<usize>, S::Error> = places.collect();
        places?.serialize(to)
    }

    pub(in crate::manifest) fn deserialize<'d, D: Deserializer<'d>>(
        from: D,
    ) -> Result<Vec<&'static str>, D::Error> {
        let places = Vec::<usize>::deserialize(from)?;
        places
            .into_iter()
            .map(|place| at(EFFECTS, place).copied())
            .collect()
    }
}

/// A shell.
pub(super) mod shell {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    use super::{at, place};
    use crate::manifest::{SHELLS, Shell};

    pub(in crate::manifest) fn serialize<S: Serializer>(
        shell: &Option<&'static Shell>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let place = shell
            .map(|shell| place::<_, S::Error>(SHELLS, shell))
            .transpose()?;
        place.serialize(to)
    }

    pub(in crate::manifest) fn deserialize<'d, D: Deserializer<'d>>(
        from: D,
    ) -> Result<Option<&'static Shell>, D::Error> {
        let place = Option::<usize>::deserialize(from)?;
        place.map(|place| at(SHELLS, place)).transpose()
    }
}

/// A system.
pub(super) mod os {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    use super::{at, place};
    use crate::manifest::OSES;

    pub(in crate::manifest) fn serialize<S: Serializer>(
        os: &&'static str,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        place::<_, S::Error>(&OSES, os)?.serialize(to)
    }

    pub(in crate::manifest) fn deserialize<'d, D: Deserializer<'d>>(
        from: D,
    ) -> Result<&'static str, D::Error> {
        at(&OSES, usize::deserialize(from)?).copied()
    }
}

/// What is JSON, or is written otherwise for people: as a text of JSON, which is empty for most hooks.
pub(super) mod json {
    use serde::de::{DeserializeOwned, Error as _};
    use serde::ser::Error as _;
    use serde::{Deserialize as _, Deserializer, Serialize, Serializer};

    pub(in crate::manifest) fn serialize<T, S>(value: &T, to: S) -> Result<S::Ok, S::Error>
    where
        T: Serialize + Default + PartialEq,
        S: Serializer,
    {
        if *value == T::default() {
            return "".serialize(to);
        }
        let text = serde_json::to_string(value).map_err(S::Error::custom)?;
        text.serialize(to)
    }

    pub(in crate::manifest) fn deserialize<'d, T, D>(from: D) -> Result<T, D::Error>
    where
        T: DeserializeOwned + Default,
        D: Deserializer<'d>,
    {
        match <&str>::deserialize(from)? {
            "" => Ok(T::default()),
            text => serde_json::from_str(text).map_err(D::Error::custom),
        }
    }
}

/// What only a host's own file has.
pub(super) mod of_host {
    use serde::ser::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(in crate::manifest) fn serialize<T, S: Serializer>(
        value: &Option<T>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            None => to.serialize_unit(),
            Some(_) => Err(S::Error::custom("it is of a host")),
        }
    }

    pub(in crate::manifest) fn deserialize<'d, T, D: Deserializer<'d>>(
        from: D,
    ) -> Result<Option<T>, D::Error> {
        <()>::deserialize(from).map(|()| None)
    }
}
