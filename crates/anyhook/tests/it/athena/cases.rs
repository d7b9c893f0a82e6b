//! Random tables of `ex_athena`, as JSON that both sides can play, and random patterns.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::{Map, Value, json};

/// What cases are made of: `cases.json`. The first `patterns` are those that people write, and some `names` are of no tool.
pub(super) fn all(list: &str) -> &'static [&'static str] {
    static LISTS: LazyLock<BTreeMap<&str, Vec<&str>>> = LazyLock::new(|| {
        let text: BTreeMap<&str, Vec<String>> =
            serde_json::from_str(include_str!("cases.json")).unwrap();
        let kept = text.into_iter().map(|(name, all)| {
            let all = all.into_iter().map(|one| &*one.leak());
            (name, all.collect())
        });
        kept.collect()
    });
    &LISTS[list]
}

/// A generator that gives the same cases everywhere.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// A pattern that hardly anybody wrote.
pub(super) fn pattern(dice: &mut Dice) -> String {
    let length = 1 + dice.below(7);
    (0..length).map(|_| dice.of(all("pieces"))).collect()
}

fn text(dice: &mut Dice) -> Value {
    Value::from(dice.of(all("texts")))
}

fn value(dice: &mut Dice) -> Value {
    match dice.below(9) {
        0 => Value::Null,
        1 => json!(false),
        2 => json!(7),
        3 => json!({"path": "a", "tool_use_id": "inner", "list": [1, null, "x"]}),
        4 => json!([]),
        _ => text(dice),
    }
}

fn payload(dice: &mut Dice) -> Value {
    let fields = (0..dice.below(7)).map(|_| (dice.of(all("keys")).to_owned(), value(dice)));
    Value::Object(fields.collect::<Map<_, _>>())
}

fn function(dice: &mut Dice, index: &mut usize) -> Value {
    let at = *index;
    *index += 1;
    let message = |dice: &mut Dice| {
        let name = dice.of(&[None, Some("ticket-context")]);
        json!([dice.of(&["system", "user", "assistant"]), text(dice), name])
    };
    match dice.of(all("words")) {
        "ok" => json!([at, "ok"]),
        "inject" => {
            let all: Vec<Value> = (0..dice.below(3)).map(|_| message(dice)).collect();
            json!([at, "inject", all])
        }
        "inject_one" => json!([at, "inject_one", message(dice)]),
        "raise" => json!([at, "raise", "no disk"]),
        "other" => json!([at, "other", value(dice)]),
        word => json!([at, word, text(dice)]),
    }
}

fn group(dice: &mut Dice, index: &mut usize) -> Value {
    let hooks: Vec<Value> = (0..dice.below(3)).map(|_| function(dice, index)).collect();
    match dice.below(4) {
        0 => json!({"hooks": hooks}),
        1 => json!({"matcher": null, "hooks": hooks}),
        // The first ones are those that people write.
        2 => json!({"matcher": dice.of(&all("patterns")[..22]), "hooks": hooks}),
        _ => json!({"matcher": dice.of(all("patterns")), "hooks": hooks}),
    }
}

/// One call of one of the four functions, with a table of its own.
pub(super) fn case(dice: &mut Dice) -> Value {
    let ask = dice.of(&["pre", "post", "life", "outputs", "outputs"]);
    let event = match ask {
        "pre" => "PreToolUse",
        "post" => "PostToolUse",
        _ => dice.of(all("flat")),
    };
    let is_flat = ask == "life" || ask == "outputs";
    let mut index = 0;
    let entries = (0..dice.below(5)).map(|_| {
        if is_flat || dice.below(3) == 0 {
            function(dice, &mut index)
        } else {
            group(dice, &mut index)
        }
    });
    let table: Vec<Value> = entries.collect();
    json!({
        "ask": ask, "event": event, "table": table, "tool": dice.of(all("tools")), "payload": payload(dice),
        "id": dice.of(&[None, Some(""), Some("c1")]),
    })
}
