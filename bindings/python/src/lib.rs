//! The native half of the Python package `anyhook`.
//!
//! It translates and never decides: every emit is an emit of the engine's own registry, whose handlers happen to be Python
//! callables. They run on the calling thread, inside the coroutine that awaits the emit, so they see the caller's event
//! loop and context variables. Nothing here has a thread, a runtime or a queue of its own.

use pyo3::prelude::*;

mod answer;
mod awaited;
mod cases;
mod data;
mod emission;
mod handler;
mod isolate;
mod json;
mod output;
mod outside;
mod project;
mod registry;
mod sources;
mod turn;
mod types;

/// The native half of `anyhook`; import from `anyhook` instead.
#[pymodule(gil_used = false)]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::cases::Cases;
    #[pymodule_export]
    use crate::emission::Emission;
    #[pymodule_export]
    use crate::output::Output;
    #[pymodule_export]
    use crate::outside::{Composite, Package, clean, cut, decode, encode, hosts};
    #[pymodule_export]
    use crate::registry::{Module, Registry, Unregister, canonical_name, event_rows, meant_event};
    #[pymodule_export]
    use crate::sources::source;
    #[pymodule_export]
    use crate::types::install;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
