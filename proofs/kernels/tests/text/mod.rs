//! The shipped text, assembled by `gcc`, or the object file that `KERNELS_TEXT` names.

use std::path::PathBuf;
use std::process::Command;

use kernels::image::Image;

pub fn image() -> Image {
    let object = std::env::var_os("KERNELS_TEXT").map(PathBuf::from).unwrap_or_else(|| {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let object = folder.join(format!("core-{}.o", std::process::id()));
        let done = Command::new("gcc")
            .args(["-c", "-o"])
            .arg(&object)
            .arg(root.join("go/internal/core/sigmill_linux_amd64.S"))
            .status()
            .expect("gcc assembles the text");
        assert!(done.success(), "gcc failed on the text");
        object
    });
    Image::parse(&std::fs::read(object).expect("the object file")).expect("an object file")
}
