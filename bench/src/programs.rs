//! The output of other programs, for records: those of this benchmark, and of that of rustls.

use std::process::Command;

/// The commit that is built, and whether more was changed.
pub(crate) fn commit() -> String {
    let folder = env!("CARGO_MANIFEST_DIR");
    output("git", &["-C", folder, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"])
}

/// The output of a program; `unknown` where it prints nothing, or is not there.
pub(crate) fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    text.ok().filter(|text| !text.is_empty()).unwrap_or_else(|| "unknown".into())
}
