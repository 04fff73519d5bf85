//! The Python face: what is under `sigmill._native`. Keys, signatures and columns of Python become those of the
//! library and back; nothing is decided or computed here.
//!
//! - `arrow`: columns of others, where they lie, and columns of our own (Arrow PyCapsule protocol)
//! - `bytes`: bytes and names as arguments
//! - `containers`: columns of keys as SubjectPublicKeyInfo
//! - `errors`: exceptions that name the argument and the row
//! - `memory`: allocations whose size an argument states
//! - `run`: parts of a table on threads, while the interpreter is free
//! - `request`: the arguments of a call on columns, as columns and specs
//! - `verdicts`: its results
//! - `verify`, `sign`: columns
//! - `trusted`: the keys of a verifier, from a file, a JWK set or keys of ours
//! - `envelopes`, `claims`: columns of JSON Web Signatures, COSE_Sign1, DSSE and SSHSIG
//! - `ed25519`, `ecdsa`, `x25519`: keys, one operation at a time

mod arrow;
mod bytes;
mod claims;
mod containers;
mod ecdsa;
mod ed25519;
mod envelopes;
mod errors;
mod memory;
mod request;
mod run;
mod sign;
mod trusted;
mod verdicts;
mod verify;
mod x25519;

use pyo3::prelude::*;
use std::io::{self, Write};
use std::panic;

/// The compiled part of the package `sigmill`.
#[pymodule]
#[pyo3(name = "_native")]
fn native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    memory::reserve()?;
    // that of this library alone: a backtrace takes memory, and waits for ever where there is none
    panic::set_hook(Box::new(|panic| {
        let _ = writeln!(io::stderr(), "sigmill: {panic}");
    }));
    let py = module.py();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("InvalidSignature", py.get_type::<errors::InvalidSignature>())?;
    module.add("backend", sigmill::bulk::Backend::best().name())?;
    module.add_class::<verdicts::Verdicts>()?;
    module.add_class::<verdicts::ArrowColumn>()?;
    module.add_class::<sign::PySigningKeys>()?;
    module.add_function(wrap_pyfunction!(verify::verify_columns, module)?)?;
    module.add_function(wrap_pyfunction!(verify::report_columns, module)?)?;
    module.add_function(wrap_pyfunction!(envelopes::verify_jws, module)?)?;
    module.add_function(wrap_pyfunction!(envelopes::verify_cose, module)?)?;
    module.add_function(wrap_pyfunction!(envelopes::verify_dsse, module)?)?;
    module.add_function(wrap_pyfunction!(envelopes::verify_sshsig, module)?)?;
    module.add_function(wrap_pyfunction!(sign::sign_columns, module)?)?;
    module.add_function(wrap_pyfunction!(sign::generate_keys, module)?)?;
    module.add_function(wrap_pyfunction!(errors::what_is, module)?)?;
    module.add_submodule(&ed25519::module(py)?)?;
    module.add_submodule(&x25519::module(py)?)?;
    module.add_submodule(&ecdsa::p256::module(py)?)?;
    module.add_submodule(&ecdsa::p384::module(py)?)?;
    Ok(())
}
