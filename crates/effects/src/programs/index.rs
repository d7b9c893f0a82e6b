//! The index of programs by name: a table that the compiler makes, so that no process has to build it.

use super::{FAMILIES, Program, programs};

/// Many more than there are names, so that a search is short; a power of two.
const SLOTS: usize = 4096;

/// The number of a row from one, zero in an empty slot, and a part of the name's hash: no row is looked at for another's.
type Slot = (u16, u16);

/// Each name at the slot of its hash, or behind it.
static INDEX: [Slot; SLOTS] = index();

/// Returns the row in which a name stands whole: any but the other names of a verb.
pub(super) fn find(name: &str) -> Option<&'static Program> {
    let hash = name.bytes().fold(SEED, mixed);
    let slots = (0..SLOTS).map_while(|step| INDEX.get((hash as usize + step) % SLOTS).copied());
    let rows = slots.take_while(|(number, _)| *number != 0);
    let rows = rows.filter(|(_, of)| *of == part(hash));
    let rows = rows.filter_map(|(number, _)| programs().nth(usize::from(number) - 1));
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

/// Returns the half that says little about the slot.
const fn part(hash: u32) -> u16 {
    let [upper, lower, _, _] = hash.to_be_bytes();
    u16::from_be_bytes([upper, lower])
}

#[expect(
    clippy::indexing_slicing,
    reason = "the compiler runs it: what is out of bounds does not compile"
)]
const fn index() -> [Slot; SLOTS] {
    let mut index = [(0, 0); SLOTS];
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
const fn with_names(mut index: [Slot; SLOTS], names: &[u8], number: u16) -> [Slot; SLOTS] {
    let (mut at, mut hash, mut is_first, mut is_verb) = (0, SEED, true, false);
    while at <= names.len() {
        if at < names.len() && names[at] != b'|' {
            is_verb |= is_first && names[at] == b' ';
            hash = mixed(hash, names[at]);
        } else if is_first || !is_verb {
            let mut slot = hash as usize % SLOTS;
            while index[slot].0 != 0 {
                slot = (slot + 1) % SLOTS;
            }
            index[slot] = (number, part(hash));
            (hash, is_first) = (SEED, false);
        }
        at += 1;
    }
    index
}
