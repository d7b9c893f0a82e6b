//! Random tables of `ex_athena`, as JSON that both sides can play, and random patterns.

use serde_json::{Map, Value, json};

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

pub(super) const TOOLS: &[&str] = &["write", "edit", "bash", "Bash", "read", "mcp__files__write"];

const FLAT: &[&str] = &[
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "ChatParams",
    "PreIteration",
    "Stop",
    "StopFailure",
    "PostToolUseFailure",
    "PermissionRequest",
    "PermissionDenied",
    "ToolDenied",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PreCompactStage",
    "PostCompact",
    "Notification",
];

const KEYS: &[&str] = &[
    "session_id",
    "parent_session_id",
    "tool_use_id",
    "prompt",
    "original_prompt",
    "task",
    "arguments",
    "tool_input",
    "path",
    "file_path",
    "timestamp",
    "result",
    "tool_result",
    "cwd",
    "reason",
    "error",
    "request",
    "agent",
    "agent_type",
    "subagent_id",
    "isolation",
    "message",
    "estimate",
    "metadata",
    "finish_reason",
    "outcome",
];

const TEXTS: &[&str] = &[
    "",
    "x",
    "s1",
    "/deploy now",
    "priv/secrets/key",
    "two\nlines",
    "héé",
];

const WORDS: &[&str] = &[
    "ok",
    "ok",
    "halt",
    "deny",
    "inject",
    "inject_one",
    "transform",
    "augment",
    "augment",
    "raise",
    "other",
];

/// Patterns that people write, each with the reason why it is here.
pub(super) const PATTERNS: &[&str] = &[
    "",
    "write",
    "Write|Edit",
    "write|edit",
    "^bash$",
    "^(write|edit)$",
    "(?i)^WRITE$",
    "(?i:b)ash",
    "(?-i)bash",
    "mcp__.*",
    r"^mcp__\w+__write$",
    "[a-z]+",
    "[^a-z]",
    "[[:upper:]]",
    "[]w]",
    "[a-]",
    r"[\w-]+",
    r"\bwrite\b",
    r"\Abash\z",
    r"bash\Z",
    "b?ash",
    "wr.te",
    "w{1}rite",
    "a{x",
    "a{,2}",
    "}",
    "]",
    "a++",
    "a**",
    "a*?",
    "a{2}?",
    "*",
    "+a",
    "(",
    ")",
    "[",
    "[z-a]",
    "(?!bash).*",
    "^(?!bash$)",
    "(?=b)bash",
    "(?<=m)cp",
    "(?<!m)cp",
    "(?>a)b",
    r"(a)\1",
    r"(?P<x>b)ash",
    r"(?<x>b)ash",
    "(?'x'b)ash",
    "(?P=x)",
    "(?<x>a)(?<x>b)",
    r"\p{L}",
    r"\h",
    r"\H",
    r"\v",
    r"\Qa.b\E",
    r"\Q(",
    r"\E",
    r"\<write\>",
    r"\u0077",
    "(?u)write",
    "(?R)",
    "(?1)",
    "(?#note)bash",
    "ba(?#x)*sh",
    "(?x)b a s h",
    "(?m)^bash$",
    "(?s).",
    "(?U)a+",
    "(?)",
    "(?i-s)BASH",
    "(?ii)BASH",
    r"\x77rite",
    r"\x{77}rite",
    r"\x7",
    r"\xe9",
    r"\e",
    r"\a",
    r"\b{start}bash",
    r"\b+",
    "^*bash",
    "$a",
    "bash$|x",
    "(bash$)",
    "(?:bash$)+",
    "é",
    "é+",
    "[é]",
    r"\é",
    r"\/",
    r"\-",
    "[[:foo:]]",
    "[[.a.]]",
    "[:alpha:]",
    "[[:^alpha:]]",
    r"[\d-z]",
    r"[a-\d]",
    r"[\b]",
    r"[\Q]\E]",
    "a|",
    "|",
    "()",
    "(|a)",
    "(?:)",
    "(*UTF8)a",
    r"\0",
    r"\o{1}",
    r"\cA",
    r"\R",
    r"\X",
    r"\N",
    r"\K",
    r"\G",
    r"\y",
    r"\",
    "a{1,2}{2}",
    "a{2,1}",
    "a{65536}",
    "(?i)straße",
    "(?(1)a)",
    "(?|a)",
    "(?C1)",
    "[a&&b]",
    "[a--b]",
    "[a[b]]",
    "[~~]",
    "[^]]",
    "[]",
    r"[\]]",
    "#bash",
    "b ash",
    r"a\ b",
    "(?i)(bash)?$",
    "^$",
    "^",
    "$",
];

/// Names that tools may have, and some that they do not.
pub(super) const NAMES: &[&str] = &[
    "write",
    "Write",
    "edit",
    "bash",
    "Bash",
    "BASH",
    "read",
    "",
    "mcp__files__write",
    "multi_edit",
    "bash\n",
    "bash\nx",
    "\nbash",
    "a b",
    "a\tb",
    "a.b",
    "a{x",
    "aa",
    "aaaa",
    "a{,2}",
    "<write>",
    "start",
    "x<write>y",
    "b-z",
    "\\",
    "]",
    "}",
    "[",
    "&",
    "~",
    "-",
    "(",
    "#bash",
    "u0077",
    "7",
    "\u{1}",
    "\u{1b}",
    "\u{7}",
    "\u{8}",
    "\u{b}",
    "a*",
    "/",
];

const PIECES: &[&str] = &[
    "a",
    "b",
    "w",
    "bash",
    ".",
    "*",
    "+",
    "?",
    "|",
    "(",
    ")",
    "(?:",
    "(?i)",
    "(?-i)",
    "(?s:",
    "[ab]",
    "[^b]",
    "[",
    "]",
    "^",
    "$",
    r"\b",
    r"\B",
    r"\d",
    r"\w",
    r"\s",
    r"\S",
    "{2}",
    "{1,}",
    "{",
    "}",
    ",",
    "-",
    r"\.",
    r"\\",
    r"\Z",
    r"\z",
    r"\A",
    r"\h",
    "(?#c)",
    r"\Qa*\E",
    r"\x61",
    "[a-c]",
    r"[\]\-]",
    "[[:alpha:]_]",
    "(?=",
    "(?!",
    "(?<n>",
    "\n",
    "#",
    " ",
    "&&",
    "[a&&b]",
    "[a[b]",
    "(?u)",
    "(?x)",
    "++",
    "*?",
    "(?P<m>",
    "'",
    "_",
    "<",
    r"\<",
    r"\n",
    r"\t",
    "[\\t]",
];

/// A pattern that hardly anybody wrote.
pub(super) fn pattern(dice: &mut Dice) -> String {
    let length = 1 + dice.below(7);
    (0..length).map(|_| dice.of(PIECES)).collect()
}

fn text(dice: &mut Dice) -> Value {
    Value::from(dice.of(TEXTS))
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
    let fields = (0..dice.below(7)).map(|_| (dice.of(KEYS).to_owned(), value(dice)));
    Value::Object(fields.collect::<Map<_, _>>())
}

fn function(dice: &mut Dice, index: &mut usize) -> Value {
    let at = *index;
    *index += 1;
    let message = |dice: &mut Dice| {
        let name = dice.of(&[None, Some("ticket-context")]);
        json!([dice.of(&["system", "user", "assistant"]), text(dice), name])
    };
    match dice.of(WORDS) {
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
        2 => json!({"matcher": dice.of(&PATTERNS[..22]), "hooks": hooks}),
        _ => json!({"matcher": dice.of(PATTERNS), "hooks": hooks}),
    }
}

/// One call of one of the four functions, with a table of its own.
pub(super) fn case(dice: &mut Dice) -> Value {
    let ask = dice.of(&["pre", "post", "life", "outputs", "outputs"]);
    let event = match ask {
        "pre" => "PreToolUse",
        "post" => "PostToolUse",
        _ => dice.of(FLAT),
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
        "ask": ask, "event": event, "table": table, "tool": dice.of(TOOLS), "payload": payload(dice),
        "id": dice.of(&[None, Some(""), Some("c1")]),
    })
}
