//! Division steps on x86-64: conditional moves, of which the time does not depend on the condition. The compiler takes four
//! instructions a step more.

use core::arch::{asm, naked_asm};

/// One step: δ − 1/2 in rdi, f in rsi, g in rdx; r10 is 0, r11 is −1. rax, rcx and r8 change.
macro_rules! step {
    () => {
        // rax: −f where δ > 0, else f; 0 where g is even. rcx: negative where nothing is swapped
        "mov rax, rsi
        neg rax
        test rdi, rdi
        cmovs rax, rsi
        mov rcx, rdi
        test dl, 1
        cmovz rax, r10
        cmovz rcx, r11
        lea r8, [rdi + 1]
        neg rdi
        test rcx, rcx
        cmovns rsi, rdx
        cmovs rdi, r8
        add rdx, rax
        sar rdx, 1
        "
    };
}

macro_rules! five_steps {
    () => {
        concat!(step!(), step!(), step!(), step!(), step!())
    };
}

/// δ − 1/2, f and g after 20 steps.
#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn twenty_steps(mut delta: i64, mut f: i64, mut g: i64) -> (i64, i64, i64) {
    // SAFETY: the registers that change are named, and nothing is written but below the stack pointer.
    unsafe {
        asm!("call {}", sym stepped, inout("rdi") delta, inout("rsi") f, inout("rdx") g,
            out("rax") _, out("rcx") _, out("r8") _, out("r10") _, out("r11") _,
            options(pure, readonly));
    }
    (delta, f, g)
}

/// rdi, rsi and rdx after 20 steps. Changes rax, rcx, r8, r10 and r11.
///
/// # Safety
/// The caller expects these registers to change.
#[allow(unsafe_code)]
// SAFETY: `twenty_steps` alone calls it, and names what changes.
#[unsafe(naked)]
unsafe extern "C" fn stepped() {
    naked_asm!(
        "xor r10d, r10d",
        "mov r11, -1",
        five_steps!(),
        five_steps!(),
        five_steps!(),
        five_steps!(),
        "ret",
    )
}
