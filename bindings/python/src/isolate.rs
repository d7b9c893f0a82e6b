//! What keeps handlers apart: each has its own copy of everything in the data that can be changed in place.

use std::collections::HashMap;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::types::Types;

/// So many containers are copied for each handler without looking whether it reads them. Where no guard is registered, a
/// field with more of them is copied when it is read.
pub(crate) const AT_ONCE: usize = 64;

/// More than this is not compared.
const LARGEST: usize = 1_000_000;

/// Deeper than this Python copies by itself: it knows what refers to itself.
const DEEPEST: usize = 64;

/// Copies a value that a handler could change in place; nothing for one that it cannot.
pub(crate) fn copy<'py>(
    value: &Bound<'py, PyAny>,
    types: &Types,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    copy_of(value, is_large(value), types)
}

/// Copies a value of which it is known whether it is large.
pub(crate) fn copy_of<'py>(
    value: &Bound<'py, PyAny>,
    is_large: bool,
    types: &Types,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let made = is_large.then(HashMap::new);
    Copying { types, made }.value(value, 0)
}

struct Copying<'a, 'py> {
    types: &'a Types,
    /// The copies so far, by what they were made of: a large value may contain itself, or the same thing many times.
    made: Option<HashMap<*mut ffi::PyObject, Bound<'py, PyAny>>>,
}

impl<'py> Copying<'_, 'py> {
    fn value(
        &mut self,
        value: &Bound<'py, PyAny>,
        depth: usize,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        if is_scalar(value) {
            return Ok(None);
        }
        let made = self
            .made
            .as_ref()
            .and_then(|made| made.get(&value.as_ptr()));
        if let Some(made) = made {
            return Ok(Some(made.clone()));
        }
        if depth < DEEPEST {
            if let Ok(dict) = value.cast_exact::<PyDict>() {
                return self.dict(dict, depth).map(Some);
            }
            if let Ok(list) = value.cast_exact::<PyList>() {
                return self.list(list, depth).map(Some);
            }
            if let Ok(tuple) = value.cast_exact::<PyTuple>() {
                return self.tuple(tuple, depth);
            }
        }
        let made = self.types.isolated(value)?;
        Ok((!made.is(value)).then_some(made))
    }

    fn dict(&mut self, dict: &Bound<'py, PyDict>, depth: usize) -> PyResult<Bound<'py, PyAny>> {
        let copy = dict.copy()?;
        self.keep(dict, &copy);
        for (key, inner) in dict {
            if let Some(inner) = self.value(&inner, depth + 1)? {
                copy.set_item(key, inner)?;
            }
        }
        Ok(copy.into_any())
    }

    fn list(&mut self, list: &Bound<'py, PyList>, depth: usize) -> PyResult<Bound<'py, PyAny>> {
        let copy = list.get_slice(0, list.len());
        self.keep(list, &copy);
        for (at, inner) in list.iter().enumerate() {
            if let Some(inner) = self.value(&inner, depth + 1)? {
                copy.set_item(at, inner)?;
            }
        }
        Ok(copy.into_any())
    }

    /// A tuple cannot be changed, but what is in it can.
    fn tuple(
        &mut self,
        tuple: &Bound<'py, PyTuple>,
        depth: usize,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut items: Vec<Bound<'py, PyAny>> = tuple.iter().collect();
        let mut is_copied = false;
        for item in &mut items {
            if let Some(copy) = self.value(item, depth + 1)? {
                *item = copy;
                is_copied = true;
            }
        }
        if !is_copied {
            return Ok(None);
        }
        Ok(Some(PyTuple::new(tuple.py(), items)?.into_any()))
    }

    fn keep(&mut self, of: &Bound<'py, PyAny>, copy: &Bound<'py, PyAny>) {
        if let Some(made) = &mut self.made {
            made.insert(of.as_ptr(), copy.clone());
        }
    }
}

/// Tells whether a value has more containers than are copied at once, or one of them more items.
pub(crate) fn is_large(value: &Bound<'_, PyAny>) -> bool {
    !is_scalar(value) && !fits(value, &mut { AT_ONCE })
}

fn fits(value: &Bound<'_, PyAny>, room: &mut usize) -> bool {
    if is_scalar(value) {
        return true;
    }
    let Some(left) = room.checked_sub(1) else {
        return false;
    };
    *room = left;
    if let Ok(dict) = value.cast_exact::<PyDict>() {
        return dict.len() <= AT_ONCE && dict.iter().all(|(_, inner)| fits(&inner, room));
    }
    if let Ok(list) = value.cast_exact::<PyList>() {
        return list.len() <= AT_ONCE && list.iter().all(|inner| fits(&inner, room));
    }
    if let Ok(tuple) = value.cast_exact::<PyTuple>() {
        return tuple.len() <= AT_ONCE && tuple.iter().all(|inner| fits(&inner, room));
    }
    true
}

/// Tells whether two values are the same in type, content and order: a copy that was not changed is. What is too large to
/// compare counts as another one.
pub(crate) fn same(one: &Bound<'_, PyAny>, other: &Bound<'_, PyAny>) -> bool {
    alike(one, other, 0, &mut { LARGEST })
}

fn alike(one: &Bound<'_, PyAny>, other: &Bound<'_, PyAny>, depth: usize, room: &mut usize) -> bool {
    if one.is(other) {
        return true;
    }
    if !one.get_type().is(other.get_type()) || *room == 0 || depth >= DEEPEST {
        return false;
    }
    *room -= 1;
    let next = depth + 1;
    if let (Ok(one), Ok(other)) = (one.cast_exact::<PyDict>(), other.cast_exact::<PyDict>()) {
        return one.len() == other.len()
            && one.iter().zip(other.iter()).all(|(one, other)| {
                alike(&one.0, &other.0, next, room) && alike(&one.1, &other.1, next, room)
            });
    }
    if let (Ok(one), Ok(other)) = (one.cast_exact::<PyList>(), other.cast_exact::<PyList>()) {
        let mut pairs = one.iter().zip(other.iter());
        return one.len() == other.len() && pairs.all(|(a, b)| alike(&a, &b, next, room));
    }
    if let (Ok(one), Ok(other)) = (one.cast_exact::<PyTuple>(), other.cast_exact::<PyTuple>()) {
        let mut pairs = one.iter().zip(other.iter());
        return one.len() == other.len() && pairs.all(|(a, b)| alike(&a, &b, next, room));
    }
    one.eq(other).unwrap_or(false)
}

/// Tells whether a handler left its copy as it was given, and kept nothing of it.
pub(crate) fn is_untouched(copy: &Bound<'_, PyDict>, given: &Bound<'_, PyDict>) -> bool {
    #[expect(
        unsafe_code,
        reason = "PyO3's own iterators count references of each field"
    )]
    // SAFETY: both are dicts that are alive, and the interpreter is attached.
    unsafe {
        fields_untouched(copy.as_ptr(), given.as_ptr())
    }
}

/// Compares two dicts field by field, by address.
///
/// # Safety
///
/// Both are dicts that are alive, and the interpreter is attached. Nothing here runs Python code that could change them.
#[expect(
    unsafe_code,
    reason = "PyO3's own iterators count references of each field"
)]
unsafe fn fields_untouched(copy: *mut ffi::PyObject, given: *mut ffi::PyObject) -> bool {
    let null = std::ptr::null_mut();
    let (mut at, mut other_at) = (0, 0);
    let (mut key, mut value, mut other_key, mut other) = (null, null, null, null);
    // SAFETY: what the caller promises; what is borrowed from the dicts is looked at before the next step only.
    unsafe {
        if ffi::PyDict_Size(copy) != ffi::PyDict_Size(given) {
            return false;
        }
        while ffi::PyDict_Next(copy, &raw mut at, &raw mut key, &raw mut value) != 0 {
            if ffi::PyDict_Next(given, &raw mut other_at, &raw mut other_key, &raw mut other) == 0
                || key != other_key
                || !(value == other || untouched(value, other))
            {
                return false;
            }
        }
    }
    true
}

/// Tells whether a copy inside of a copy is still what it was, and the only reference to it is the one of its place.
///
/// # Safety
///
/// Both are objects that are alive, and the interpreter is attached.
#[expect(
    unsafe_code,
    reason = "PyO3's own iterators count references of each item"
)]
unsafe fn untouched(copy: *mut ffi::PyObject, given: *mut ffi::PyObject) -> bool {
    // SAFETY: what the caller promises; the items are borrowed from lists that nothing here changes.
    unsafe {
        if ffi::Py_REFCNT(copy) != 1 || ffi::Py_TYPE(copy) != ffi::Py_TYPE(given) {
            return false;
        }
        if ffi::PyDict_CheckExact(copy) != 0 {
            return fields_untouched(copy, given);
        }
        if ffi::PyList_CheckExact(copy) == 0 {
            return false;
        }
        let length = ffi::PyList_Size(copy);
        length == ffi::PyList_Size(given)
            && (0..length).all(|at| {
                let (one, other) = (
                    ffi::PyList_GetItem(copy, at),
                    ffi::PyList_GetItem(given, at),
                );
                one == other || untouched(one, other)
            })
    }
}

fn is_scalar(value: &Bound<'_, PyAny>) -> bool {
    value.is_exact_instance_of::<PyString>()
        || value.is_none()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyBool>()
        || value.is_exact_instance_of::<PyFloat>()
        || value.is_exact_instance_of::<PyBytes>()
}
