//! Putting our entries into the settings of a host, and taking them out.
//!
//! An input is a line `HOST NUMBER`, which names one of its files, and the text of the file.

use std::sync::LazyLock;

use anyhook::wires::Host;
use anyhook::wires::hosts::HOSTS;
use anyhook::wires::native_files::Syntax;
use anyhook::wires::settings::command::Program;
use anyhook::wires::settings::edit::{
    EditError, Form, Found, add, find, is_empty, remove, standing,
};
use anyhook::wires::settings::{Entry, Settings, Shape, entries};

use serde_json::{Value, json};

use super::case::{head, number};
use crate::corpus::files;

/// A host that keeps its hooks in JSON.
struct Keeper {
    id: &'static str,
    settings: &'static Settings,
    entries: Vec<Entry>,
}

static KEEPERS: LazyLock<Vec<Keeper>> = LazyLock::new(|| {
    let keeper = |wire: &&'static dyn Host| {
        let settings = wire
            .facts()
            .settings
            .filter(|settings| settings.shape != Shape::Scripts)?;
        let mut entries = entries(*wire, settings, Program::At("/opt/anyhook"));
        // A few are enough: each is one more walk through the text.
        entries.truncate(3);
        Some(Keeper {
            id: wire.id(),
            settings,
            entries,
        })
    };
    HOSTS.iter().filter_map(keeper).collect()
});

pub(super) fn run(bytes: &[u8]) {
    let (words, body) = head(bytes);
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let named = KEEPERS.iter().find(|keeper| keeper.id == word(0));
    let Some(keeper) = named.or_else(|| KEEPERS.get(number(word(0)) % KEEPERS.len())) else {
        return;
    };
    let files = keeper.settings.files;
    let Some(file) = files.get(word(1).parse().unwrap_or_else(|_| number(word(1))) % files.len())
    else {
        return;
    };
    let form = Form {
        settings: keeper.settings,
        file,
    };
    let text = String::from_utf8_lossy(body);
    let before = match find(&text, form) {
        Ok(before) => before,
        Err(error) => return refused(&text, form, &keeper.entries, &error),
    };
    assert_eq!(standing(&text, form).map(|all| all.len()), Ok(before.len()));
    added(&text, form, keeper, &before);
}

/// A text that is not understood is refused as it is, by everybody, with a place in it.
fn refused(text: &str, form: Form<'_>, entries: &[Entry], error: &EditError) {
    let lines = text.split(['\n', '\r']).count();
    assert!(
        (1..=lines).contains(&error.line) && error.column >= 1,
        "{error}"
    );
    assert!(!error.what.contains('\n'), "{error}");
    assert!(add(text, form, entries).is_err(), "{error}");
    assert!(remove(text, form).is_err(), "{error}");
    assert!(!is_empty(text, form), "{error}");
}

/// Ours go in once, foreign ones stay in their order, and taking ours out gives back the bytes.
fn added(text: &str, form: Form<'_>, keeper: &Keeper, before: &[Found]) {
    // The hooks may be a list where an object must stand and the like: then nothing was done.
    let Ok(with) = add(text, form, &keeper.entries) else {
        return;
    };
    assert_eq!(
        add(&with, form, &keeper.entries).as_ref(),
        Ok(&with),
        "adding twice"
    );
    let after = find(&with, form).unwrap_or_else(|error| panic!("{error} in what was added to"));
    let foreign = |all: &[Found]| -> Vec<Found> {
        let mut foreign: Vec<Found> = all
            .iter()
            .filter(|found| !found.is_ours())
            .cloned()
            .collect();
        foreign.sort_by(|a, b| (&a.event, &a.commands).cmp(&(&b.event, &b.commands)));
        foreign
    };
    assert_eq!(foreign(&after), foreign(before), "what somebody else wrote");
    for entry in &keeper.entries {
        let own = after
            .iter()
            .filter(|found| found.is_ours() && found.event == entry.event);
        assert_eq!(own.count(), 1, "{}", entry.event);
    }
    let without =
        remove(&with, form).unwrap_or_else(|error| panic!("{error} in what was added to"));
    let left =
        find(&without, form).unwrap_or_else(|error| panic!("{error} in what was taken out of"));
    assert_eq!(foreign(&left), foreign(before), "after taking out");
    assert_eq!(foreign(&left).len(), left.len(), "ours are gone");
    let is_blank = text.trim_matches('\u{feff}').trim().is_empty();
    if !is_blank && before.iter().all(|found| !found.is_ours()) {
        let json = |text: &str| pruned(&Syntax::Json.as_json(text).unwrap_or_default());
        assert_eq!(json(&without), json(text), "there and back");
        // What is empty may be written otherwise, or go.
        let bare: String = text.split_whitespace().collect();
        let empty = ["{}", "[]", "{/", "[/"];
        let has_empty = empty.iter().any(|empty| bare.contains(empty));
        assert!(has_empty || without == text, "there and back: {without:?}");
    }
}

/// Everything but lists and objects with nothing in them.
fn pruned(value: &Value) -> Value {
    let is_empty = |value: &Value| *value == json!({}) || *value == json!([]);
    match value {
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(key, value)| (key.clone(), pruned(value)));
            Value::Object(fields.filter(|(_, value)| !is_empty(value)).collect())
        }
        Value::Array(items) => items
            .iter()
            .map(pruned)
            .filter(|value| !is_empty(value))
            .collect(),
        scalar => scalar.clone(),
    }
}

pub(super) fn fixtures() -> Vec<Vec<u8>> {
    const BODIES: &[&str] = &[
        "",
        "{}",
        "{\n  // mine\n  \"model\": \"opus\", /* why */\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"./a.sh\"}]} // a\n    ]\n  }\n}\n",
        "{\"version\": 1, \"hooks\": {\"preToolUse\": [{\"command\": \"./a.sh\", \"matcher\": \"Shell\"}], \"stop\": []}}",
        "{\"hooks\": [{\"name\": \"x\", \"trigger\": \"preToolUse\", \"action\": {\"type\": \"command\", \"command\": \"./a\"}}]}",
        "{\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"anyhook run Stop --host devin-cli\", \"timeout\": 60}]}]}",
        "{\r\n\t\"a\": [1, 2],\r\n\t\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"prompt\", \"prompt\": \"x\"}, {\"type\": \"command\", \"command\": \"./b\"},]},],},\r\n}",
    ];
    let mut all: Vec<Vec<u8>> = Vec::new();
    for keeper in KEEPERS.iter() {
        for (at, body) in BODIES.iter().enumerate() {
            all.push(format!("{} {at}\n{body}", keeper.id).into_bytes());
        }
        let form = Form {
            settings: keeper.settings,
            file: match keeper.settings.files {
                [first, ..] => first,
                [] => continue,
            },
        };
        all.extend(
            add("", form, &keeper.entries)
                .map(|text| format!("{} 0\n{text}", keeper.id).into_bytes()),
        );
    }
    for file in files("fixtures/broken") {
        let bytes = std::fs::read(file).unwrap_or_default();
        all.push([b"claude-code 4\n".as_slice(), &bytes].concat());
    }
    all
}
