//! Overrides: a path into the payload, and the value to put there.
//!
//! `toolInput.file_path` is a path of keys; a number is an index of a list, `-` its end; `\.` is a dot inside a key; a path
//! that begins with `/` is a JSON Pointer. Objects that are missing are made. `{$delete: true}` removes.

use serde_json::{Map, Value};

/// Changes one place of a payload, or says why that cannot be.
///
/// ```
/// use serde_json::json;
/// let mut payload = json!({"toolInput": {"edits": [{"new": "x"}]}});
/// anyhook_testing::set(&mut payload, "toolInput.edits.0.new", &json!("y"))?;
/// assert_eq!(payload["toolInput"]["edits"][0]["new"], "y");
/// # Ok::<(), String>(())
/// ```
pub fn set(payload: &mut Value, path: &str, value: &Value) -> Result<(), String> {
    let keys = keys(path)?;
    let Some((name, way)) = keys.split_last() else {
        return Err("the path is empty".to_owned());
    };
    let mut at = payload;
    for (depth, key) in way.iter().enumerate() {
        at = step(at, key).map_err(|why| told(&keys, depth, &why))?;
    }
    let set = match at {
        Value::Object(map) if is_delete(value) => {
            let gone = map.shift_remove(name).map(|_| ());
            gone.ok_or_else(|| format!("has no `{name}` to delete"))
        }
        Value::Array(list) if is_delete(value) => index(name, list.len()).map(|at| {
            list.remove(at);
        }),
        Value::Array(list) if name == "-" => {
            list.push(value.clone());
            Ok(())
        }
        at => step(at, name).map(|place| *place = value.clone()),
    };
    set.map_err(|why| told(&keys, way.len(), &why))
}

/// Writes every text of a value anew.
pub fn texts(value: &Value, write: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => write(text).into(),
        Value::Array(list) => list.iter().map(|one| texts(one, write)).collect(),
        Value::Object(map) => {
            let map = map.iter();
            let written = map.map(|(name, one)| (name.clone(), texts(one, write)));
            Value::Object(written.collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn told(keys: &[String], depth: usize, why: &str) -> String {
    let way: Vec<&str> = keys.iter().take(depth).map(String::as_str).collect();
    if way.is_empty() {
        format!("the payload {why}")
    } else {
        format!("`{}` {why}", way.join("."))
    }
}

/// Reads a path, key by key.
///
/// ```
/// assert_eq!(anyhook_testing::keys(r"tool_input.a\.b").unwrap(), ["tool_input", "a.b"]);
/// ```
pub fn keys(path: &str) -> Result<Vec<String>, String> {
    if let Some(pointer) = path.strip_prefix('/') {
        let turned = |key: &str| key.replace("~1", "/").replace("~0", "~");
        return Ok(pointer.split('/').map(turned).collect());
    }
    let mut keys = vec![String::new()];
    let mut letters = path.chars();
    while let Some(letter) = letters.next() {
        let Some(last) = keys.last_mut() else { break };
        match letter {
            '.' => keys.push(String::new()),
            '\\' => last.push(letters.next().unwrap_or('\\')),
            other => last.push(other),
        }
    }
    if keys.iter().any(String::is_empty) {
        return Err(format!("`{path}` is no path: a key of it is empty"));
    }
    Ok(keys)
}

fn is_delete(value: &Value) -> bool {
    let object = value.as_object();
    object.is_some_and(|object| {
        object.len() == 1 && object.get("$delete") == Some(&Value::Bool(true))
    })
}

/// Goes one key deeper; an object that is missing is made.
fn step<'v>(at: &'v mut Value, key: &str) -> Result<&'v mut Value, String> {
    let kind = match at {
        Value::Object(map) => {
            return Ok(map.entry(key).or_insert_with(|| Value::Object(Map::new())));
        }
        Value::Array(list) => {
            let at = index(key, list.len())?;
            return list
                .get_mut(at)
                .ok_or_else(|| "is an empty list".to_owned());
        }
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
    };
    Err(format!("is {kind}, and nothing can stand below it"))
}

/// Reads an index of a list of this length; `-` is its end.
fn index(key: &str, long: usize) -> Result<usize, String> {
    let index = match key {
        "-" => long.checked_sub(1).ok_or("is an empty list")?,
        key => key
            .parse()
            .map_err(|_| format!("is a list, and `{key}` is no index"))?,
    };
    let is_there = (index < long).then_some(index);
    is_there.ok_or_else(|| format!("is a list of {long}, and has no index {index}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn after(path: &str, value: &Value) -> Result<Value, String> {
        let mut payload =
            json!({"a": {"b": 1, "x.y": 2}, "list": [{"n": 1}, 2], "text": "t", "s/t": 3});
        set(&mut payload, path, value).map(|()| payload)
    }

    #[test]
    fn every_form_of_a_path_reaches_its_place() {
        let base = json!({"a": {"b": 1, "x.y": 2}, "list": [{"n": 1}, 2], "text": "t", "s/t": 3});
        let changed = |pointer: &str, value: Value| {
            let mut base = base.clone();
            *base.pointer_mut(pointer).unwrap() = value;
            Ok(base)
        };
        assert_eq!(after("a.b", &json!(null)), changed("/a/b", json!(null)));
        assert_eq!(after(r"a.x\.y", &json!(9)), changed("/a/x.y", json!(9)));
        assert_eq!(after("/a/b", &json!(9)), changed("/a/b", json!(9)));
        assert_eq!(after("/s~1t", &json!(9)), changed("/s~1t", json!(9)));
        assert_eq!(after("list.0.n", &json!(9)), changed("/list/0/n", json!(9)));
        assert_eq!(
            after("list.-", &json!(9)),
            changed("/list", json!([{"n": 1}, 2, 9]))
        );
        assert_eq!(
            after("list.0", &json!({"$delete": true})),
            changed("/list", json!([2]))
        );
        assert_eq!(
            after("new.deep", &json!(1)).unwrap()["new"],
            json!({"deep": 1})
        );
        assert_eq!(
            after("a.b", &json!({"$delete": true})).unwrap()["a"],
            json!({"x.y": 2})
        );
    }

    #[test]
    fn a_path_that_leads_nowhere_says_where_it_ends() {
        let wrong = |path: &str, value: Value| after(path, &value).unwrap_err();
        assert_eq!(
            [
                wrong("text.b.c", json!(1)),
                wrong("a.b.c", json!(1)),
                wrong("list.7", json!(1)),
                wrong("list.x", json!(1)),
                wrong("a.none", json!({"$delete": true})),
                wrong("a..b", json!(1)),
            ],
            [
                "`text` is a string, and nothing can stand below it",
                "`a.b` is a number, and nothing can stand below it",
                "`list` is a list of 2, and has no index 7",
                "`list` is a list, and `x` is no index",
                "`a` has no `none` to delete",
                "`a..b` is no path: a key of it is empty",
            ]
        );
    }
}
