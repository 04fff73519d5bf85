//! Texts for aarch64: assembled by a cross compiler, where there is one.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kernels::image::Image;

/// The cross compiler.
const COMPILER: &str = "aarch64-linux-gnu-gcc";

/// Whether programs can be run; a test says loudly that it did not run.
pub fn has(test: &str, programs: &[&str]) -> bool {
    let runs = |name: &&&str| {
        let command = Command::new(**name).arg("--version").stdout(Stdio::null()).status();
        !command.is_ok_and(|status| status.success())
    };
    let absent: Vec<&&str> = programs.iter().filter(runs).collect();
    if !absent.is_empty() {
        eprintln!("NOT RUN: {test}: {absent:?} cannot be run here");
    }
    absent.is_empty()
}

/// Compiles a file to one in the folder of tests.
pub fn compile(source: &Path, arguments: &[&str], name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let out = folder.join(format!("{}-{name}", std::process::id()));
    let done = Command::new(COMPILER).args(arguments).arg("-o").arg(&out).arg(source).status();
    assert!(done.expect("the cross compiler runs").success(), "{COMPILER} failed on {source:?}");
    out
}

/// A file, assembled; the path is that from the repository's root.
pub fn image(path: &str) -> Image {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let name = path.replace(['/', '.'], "-");
    let object = compile(&root.join(path), &["-c"], &format!("{name}.o"));
    Image::parse(&std::fs::read(object).expect("the object file")).expect("an object file")
}

/// The shipped text; `None` without the cross compiler.
pub fn shipped(test: &str) -> Option<Image> {
    has(test, &[COMPILER]).then(|| image("go/internal/core/sigmill_linux_arm64.S"))
}
