//! The version of the library.

/// `SIGMILL_VERSION` of the library.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_version() -> u32 {
    const fn number(text: &str) -> u32 {
        let (mut number, mut i) = (0, 0);
        while i < text.len() {
            number = number * 10 + (text.as_bytes()[i] - b'0') as u32;
            i += 1;
        }
        number
    }
    const MAJOR: u32 = number(env!("CARGO_PKG_VERSION_MAJOR"));
    const MINOR: u32 = number(env!("CARGO_PKG_VERSION_MINOR"));
    const PATCH: u32 = number(env!("CARGO_PKG_VERSION_PATCH"));
    MAJOR * 1_000_000 + MINOR * 1000 + PATCH
}
