//! Turning camelCase into `snake_case` and back. Only names that survive both ways are turned.

use anyhook_core::event::Map;

use crate::DecodeError;

/// Turns `toolInput` into `tool_input`; nothing for a name that is not in camelCase.
pub(in crate::hosts) fn snake(name: &str) -> Option<String> {
    let mut turned = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        match letter {
            'A'..='Z' => turned.extend(['_', letter.to_ascii_lowercase()]),
            'a'..='z' | '0'..='9' => turned.push(letter),
            _ => return None,
        }
    }
    (camel(&turned)? == name).then_some(turned)
}

/// Turns `tool_input` into `toolInput`; nothing for a name that is not in `snake_case`.
pub(in crate::hosts) fn camel(name: &str) -> Option<String> {
    let (first, rest) = name.split_once('_')?;
    let mut turned = first.to_owned();
    for part in rest.split('_') {
        let begin = part.chars().next().filter(char::is_ascii_lowercase)?;
        turned.push(begin.to_ascii_uppercase());
        turned.push_str(part.get(1..)?);
    }
    let is_plain = |letter: char| matches!(letter, 'a'..='z' | '0'..='9' | '_');
    let is_name = first.starts_with(|letter: char| letter.is_ascii_lowercase());
    (is_name && name.chars().all(is_plain)).then_some(turned)
}

/// Joins twins under their `snake_case` name; refuses those that disagree.
pub(super) fn joined(data: Map) -> Result<Map, DecodeError> {
    let mut all = Map::new();
    for (key, value) in data {
        let name = snake(&key).unwrap_or(key);
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
    let twins = data.iter();
    let twins = twins.filter_map(|(key, value)| Some((camel(key)?, value.clone())));
    let twins: Vec<(String, serde_json::Value)> = twins.collect();
    data.extend(twins);
    data
}
