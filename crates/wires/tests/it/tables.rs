//! The text of the tables of the hosts, which the build takes apart.

#[path = "../../build/fields.rs"]
#[expect(dead_code, reason = "the build alone writes rows")]
mod fields;
#[path = "../../build/items.rs"]
mod items;
#[path = "../../build/types.rs"]
mod types;

use std::path::Path;

use fields::Types;
use items::{Item, sections};

#[test]
fn a_line_has_words_texts_pairs_and_fields_and_goes_on_in_the_next_one_that_is_indented() {
    let text = "# why\ncovers \"a \\\"b\\\"\" 3\n[cans]\nX Y rewrite(a b=\"c d\")\n\n  notify()\n";
    let all = sections(text).unwrap();
    let [first, cans] = &all[..] else {
        panic!("{} sections", all.len())
    };
    assert_eq!((&*first.name, &*cans.name), ("", "cans"));
    let [(_, covers)] = &first.lines[..] else {
        panic!("one line")
    };
    let [Item::Word(text), Item::Word(number)] = &covers[..] else {
        panic!("{covers:?}")
    };
    assert_eq!(text.literal(), r#""a \"b\"""#);
    assert!(number.is_number() && !text.is_number());
    let [(name, items)] = &cans.lines[..] else {
        panic!("one line")
    };
    let [
        Item::Word(base),
        Item::Field(field, inner),
        Item::Field(_, none),
    ] = &items[..]
    else {
        panic!("{items:?}")
    };
    assert_eq!((&**name, &**field, none.len()), ("X", "rewrite", 0));
    assert!(base.is_constant() && !number.is_constant());
    assert!(
        matches!(&inner[..], [Item::Word(_), Item::Pair(name, value)]
        if (&*name.text, &*value.text) == ("b", "c d"))
    );
}

#[test]
fn a_text_or_a_field_without_its_end_is_told_with_its_line() {
    for (text, wrong) in [
        ("a \"b", "line 1: a text without its second quote"),
        ("\na b(c", "line 2: a `(` without its `)`"),
    ] {
        assert_eq!(sections(text).err().as_deref(), Some(wrong));
    }
}

#[test]
fn a_table_that_is_altered_in_one_cell_is_an_error_that_names_the_cell() {
    let of_crate = Path::new(env!("CARGO_MANIFEST_DIR"));
    let types = Types(types::read(&of_crate.join("src")).unwrap());
    let text = std::fs::read_to_string(of_crate.join("hosts/claude-code.txt")).unwrap();
    let settings = |text: &str| {
        let all = sections(text).unwrap();
        let of = all
            .iter()
            .find(|section| section.name == "settings")
            .unwrap();
        types.one("SETTINGS", "Settings", &of.lines, "")
    };
    assert!(settings(&text).is_ok());
    for (cell, altered, wrong) in [
        (
            "\nshell Posix",
            "\nshel Posix",
            "`shel` is no field of `Settings`",
        ),
        ("(Timeout Seconds)", "(Timeout)", "is no `TimeUnit`"),
        (
            "\nfiles User ~/.claude/settings.json",
            "\nfiles User",
            "a column is missing",
        ),
    ] {
        assert!(text.contains(cell), "{cell}");
        let told = settings(&text.replacen(cell, altered, 1)).unwrap_err();
        assert!(told.contains(wrong), "{altered}: {told}");
    }
}
