//! Stands in for C's library in builds that are one text: `capi/dist/assembly` gives the compiler's own calls of NAME to
//! `sigmill_local_NAME`, so that a program need not bring it.

use core::slice::from_raw_parts;

/// `memcmp`, and `bcmp`, of which it is a case. Not of secrets.
#[unsafe(no_mangle)]
unsafe extern "C" fn sigmill_local_memcmp(a: *const u8, b: *const u8, size: usize) -> i32 {
    // SAFETY: the compiler calls this for two slices of this size.
    let a = unsafe { from_raw_parts(a, size) };
    // SAFETY: and the second of them is of this size, too.
    let b = unsafe { from_raw_parts(b, size) };
    for (x, y) in a.iter().zip(b) {
        if x != y {
            return i32::from(*x) - i32::from(*y);
        }
    }
    0
}

/// Ends the process, as `__builtin_trap` of C does.
pub fn stop() -> ! {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    // SAFETY: an instruction that the processor refuses; nothing comes after it.
    unsafe {
        core::arch::asm!("ud2", options(noreturn))
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: a breakpoint that nobody waits for; nothing comes after it.
    unsafe {
        core::arch::asm!("brk #1", options(noreturn))
    }
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
    loop {
        core::hint::spin_loop();
    }
}
