//! The library behind `include/sigmill.h`: checks pointers and lengths, makes views of the caller's memory, calls
//! `sigmill`, and turns the answer into a number. No rule and no arithmetic is here.
//!
//! `unsafe`: the caller's pointers. Each is checked for null and alignment before it is one of Rust's; that it points
//! to as many bytes as the header asks for is the caller's part of the contract.

#![cfg_attr(not(feature = "std"), no_std)]

#[cfg(not(feature = "std"))]
#[allow(unsafe_code)]
mod local;

/// What cannot happen has happened: nothing is unwound into a caller that knows nothing of it.
#[cfg(not(feature = "std"))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}

/// The version of the library, as in `SIGMILL_VERSION`.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_version() -> u32 {
    1
}
