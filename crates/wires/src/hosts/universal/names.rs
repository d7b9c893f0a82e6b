//! Turning camelCase into `snake_case` and back. Only names that survive both ways are turned.

use anyhook_core::event::Map;

use crate::DecodeError;

/// Turns `toolInput` into `tool_input`; nothing for a name that is not in camelCase.
pub(super) fn snake(name: &str) -> Option<String> {
    let mut turned = String::with_capacity(name.len() + 4);
    let mut is_camel = false;
    for letter in name.chars() {
        match letter {
            'a'..='z' => turned.push(letter),
            '0'..='9' if !turned.is_empty() => turned.push(letter),
            'A'..='Z' if !turned.is_empty() => {
                is_camel = true;
                turned.push('_');
                turned.push(letter.to_ascii_lowercase());
            }
            _ => return None,
        }
    }
    is_camel.then_some(turned)
}

/// Turns `tool_input` into `toolInput`; nothing for a name that is not in `snake_case`.
pub(super) fn camel(name: &str) -> Option<String> {
    let mut turned = String::with_capacity(name.len());
    let mut begins = false;
    for letter in name.chars() {
        match letter {
            'a'..='z' if begins => turned.push(letter.to_ascii_uppercase()),
            'a'..='z' => turned.push(letter),
            '0'..='9' if !begins && !turned.is_empty() => turned.push(letter),
            '_' if !begins && !turned.is_empty() => {
                begins = true;
                continue;
            }
            _ => return None,
        }
        begins = false;
    }
    let is_snake = !begins && turned.len() < name.len();
    is_snake.then_some(turned)
}

/// Joins twins under their `snake_case` name; refuses those that disagree.
pub(super) fn joined(data: Map) -> Result<Map, DecodeError> {
    let mut all = Map::new();
    for (key, value) in data {
        let name = snake(&key).unwrap_or_else(|| key.clone());
        if all.get(&name).is_some_and(|twin| *twin != value) {
            let twin = camel(&name).unwrap_or_default();
            return Err(DecodeError::new(format!(
                "`{twin}` and `{name}` hold different values"
            )));
        }
        all.insert(name, value);
    }
    Ok(all)
}

/// Adds its camelCase twin to each field; a field that already goes by that name gives way to the canonical one.
pub(super) fn twins(mut data: Map) -> Map {
    let twins: Vec<(String, serde_json::Value)> = data
        .iter()
        .filter_map(|(key, value)| Some((camel(key)?, value.clone())))
        .collect();
    data.extend(twins);
    data
}
