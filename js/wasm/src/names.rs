//! Names of rules and reasons, by which every language knows them.

use crate::arena::{call, put};
use crate::fault::Fault;
use sigmill::Reason;
use sigmill::ed25519::rules;

/// Writes the name of rule number `index`, of those in `rules::ALL`; 0 bytes after the last.
#[unsafe(no_mangle)]
pub extern "C" fn rule_name(index: usize) -> i32 {
    call([], |[], result| {
        put(result, rules::ALL.get(index).map_or("", |rule| rule.name()).as_bytes())
    })
}

/// Writes the name of the reason with this code; 0 bytes if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn reason_name(code: usize) -> i32 {
    call([], |[], result| put(result, name(code).as_bytes()))
}

/// Writes the version of the package, which is that of the library.
#[unsafe(no_mangle)]
pub extern "C" fn version() -> i32 {
    call([], |[], result| put(result, env!("CARGO_PKG_VERSION").as_bytes()))
}

fn name(code: usize) -> &'static str {
    let found = Reason::ALL.iter().find(|reason| usize::from(reason.code()) == code);
    found.map_or("", |reason| reason.name())
}

/// The rule with this number.
pub(crate) fn rule(index: usize) -> Result<&'static sigmill::ed25519::Rule, Fault> {
    rules::ALL.get(index).copied().ok_or(Fault::Call)
}
