//! Between Python objects and JSON: only for hooks outside of this process, and for what Rust itself says.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde_json::{Map, Number, Value};

use crate::types::Types;

/// Deeper than this nothing is shown: what is made to be endless has to end.
const DEEPEST: usize = 100;
/// More values than this are not shown: what contains itself many times has to end too.
const MOST: usize = 200_000;

/// Shows a Python object as JSON. What JSON has no form for becomes text, and nothing fails: a gate asks about it.
pub(crate) fn shown(object: &Bound<'_, PyAny>) -> Value {
    value(object, 0, &mut 0)
}

/// Shows a mapping as a JSON object.
pub(crate) fn shown_map(dict: &Bound<'_, PyDict>) -> Map<String, Value> {
    map(dict, 0, &mut 0)
}

/// Reads text as Rust has it. A lone surrogate becomes the replacement character.
pub(crate) fn text(string: &Bound<'_, PyString>) -> String {
    string.to_string_lossy().into_owned()
}

fn map(dict: &Bound<'_, PyDict>, depth: usize, seen: &mut usize) -> Map<String, Value> {
    let mut all = Map::with_capacity(dict.len());
    // Of a copy: showing a value may run Python code, and that code may change the mapping.
    let fields = dict.copy().unwrap_or_else(|_| PyDict::new(dict.py()));
    for (key, field) in fields {
        all.insert(key_text(&key), value(&field, depth + 1, seen));
    }
    all
}

fn key_text(key: &Bound<'_, PyAny>) -> String {
    match key.cast::<PyString>() {
        Ok(key) => text(key),
        Err(_) => described(key),
    }
}

fn value(object: &Bound<'_, PyAny>, depth: usize, seen: &mut usize) -> Value {
    *seen += 1;
    if *seen > MOST {
        return Value::String("too many values".to_owned());
    }
    if depth > DEEPEST {
        return Value::String("nested too deeply".to_owned());
    }
    if object.is_none() {
        return Value::Null;
    }
    if let Ok(string) = object.cast::<PyString>() {
        return Value::String(text(string));
    }
    if let Ok(flag) = object.cast::<PyBool>() {
        return Value::Bool(flag.is_true());
    }
    if object.is_instance_of::<PyInt>() || object.is_instance_of::<PyFloat>() {
        return number(object);
    }
    if let Ok(dict) = object.cast::<PyDict>() {
        return Value::Object(map(dict, depth, seen));
    }
    if let Ok(list) = object.cast::<PyList>() {
        let items = list.iter();
        return items.map(|item| value(&item, depth + 1, seen)).collect();
    }
    if let Ok(tuple) = object.cast::<PyTuple>() {
        let items = tuple.iter();
        return items.map(|item| value(&item, depth + 1, seen)).collect();
    }
    let plain = Types::get(object.py()).and_then(|types| types.plain(object));
    match plain {
        Ok(plain) if !plain.is(object) => value(&plain, depth + 1, seen),
        Ok(_) | Err(_) => Value::String(described(object)),
    }
}

fn number(object: &Bound<'_, PyAny>) -> Value {
    if let Ok(whole) = object.extract::<i64>() {
        return whole.into();
    }
    if let Ok(whole) = object.extract::<u64>() {
        return whole.into();
    }
    if object.is_instance_of::<PyFloat>() {
        let number = object.extract::<f64>().ok().and_then(Number::from_f64);
        return number.map_or_else(|| Value::String(described(object)), Value::Number);
    }
    Value::String(described(object))
}

fn described(object: &Bound<'_, PyAny>) -> String {
    match object.str() {
        Ok(string) => text(&string),
        Err(_) => "an object that cannot describe itself".to_owned(),
    }
}

/// Makes a Python object of JSON.
pub(crate) fn object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(flag) => PyBool::new(py, *flag).to_owned().into_any(),
        Value::String(text) => PyString::new(py, text).into_any(),
        Value::Array(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(object(py, item)?)?;
            }
            list.into_any()
        }
        Value::Object(map) => dict(py, map)?.into_any(),
        Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(whole), _, _) => whole.into_pyobject(py)?.into_any(),
            (None, Some(whole), _) => whole.into_pyobject(py)?.into_any(),
            (None, None, float) => PyFloat::new(py, float.unwrap_or(f64::NAN)).into_any(),
        },
    })
}

/// Makes a Python dict of a JSON object.
pub(crate) fn dict<'py>(py: Python<'py>, map: &Map<String, Value>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (field, value) in map {
        dict.set_item(field, object(py, value)?)?;
    }
    Ok(dict)
}
