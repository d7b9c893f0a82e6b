//! Where the row of a name stands: a table that the compiler makes, so that a process of one event builds none.

use super::{FAMILIES, Program, programs};

/// More than twice as many as there are names, so that a search is short; a power of two.
const SLOTS: usize = 4096;

/// The numbers of rows from one, each at the hash of a name or behind it; zero is an empty slot.
static INDEX: [u16; SLOTS] = index();

/// Returns the row in which a name stands whole: any but the other names of a verb.
pub(super) fn find(name: &str) -> Option<&'static Program> {
    let start = name.bytes().fold(SEED, mixed);
    let slots = (0..SLOTS).map_while(|step| INDEX.get((start as usize + step) % SLOTS).copied());
    let rows = slots.take_while(|number| *number != 0);
    let rows = rows.filter_map(|number| programs().nth(usize::from(number) - 1));
    // A name that stands in two rows belongs to the later one.
    rows.filter(|row| is_named(row, name)).last()
}

fn is_named(row: &Program, name: &str) -> bool {
    let mut names = row.names.split('|');
    names.next().is_some_and(|first| {
        first == name || (!first.contains(' ') && names.any(|other| other == name))
    })
}

const SEED: u32 = 0x811c_9dc5;

const fn mixed(hash: u32, byte: u8) -> u32 {
    (hash ^ byte as u32).wrapping_mul(0x0100_0193)
}

#[expect(
    clippy::indexing_slicing,
    reason = "the compiler runs it: what is out of bounds does not compile"
)]
const fn index() -> [u16; SLOTS] {
    let mut index = [0; SLOTS];
    let (mut family, mut number) = (0, 0);
    while family < FAMILIES.len() {
        let mut row = 0;
        while row < FAMILIES[family].len() {
            number += 1;
            index = with_names(index, FAMILIES[family][row].names.as_bytes(), number);
            row += 1;
        }
        family += 1;
    }
    index
}

/// Adds the names of one row: of a verb's the first.
#[expect(
    clippy::indexing_slicing,
    reason = "the compiler runs it: what is out of bounds does not compile"
)]
const fn with_names(mut index: [u16; SLOTS], names: &[u8], number: u16) -> [u16; SLOTS] {
    let (mut at, mut hash, mut is_first, mut is_verb) = (0, SEED, true, false);
    while at <= names.len() {
        if at < names.len() && names[at] != b'|' {
            is_verb |= is_first && names[at] == b' ';
            hash = mixed(hash, names[at]);
        } else if is_first || !is_verb {
            let mut slot = hash as usize % SLOTS;
            while index[slot] != 0 {
                slot = (slot + 1) % SLOTS;
            }
            index[slot] = number;
            (hash, is_first) = (SEED, false);
        }
        at += 1;
    }
    index
}
