//! The text of the tables of the hosts, which the build takes apart.

#[path = "../../build/items.rs"]
mod items;

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
