//! Division steps on x86-64: conditional moves, of which the time does not depend on the condition.

use core::arch::{asm, naked_asm};

/// One step: δ − 1/2 in rdi, f in rsi, g in rdx. rax, rcx, r8 and r9 change. Values that depend on δ alone are selected before g is
/// known, so that g waits for g of the step before by three instructions, and for that of two before by seven.
macro_rules! step {
    () => {
        // rax: g − f where δ > 0, else g + f. rcx and r8: f and δ − 1/2 where g is odd; r9: where it is even
        "mov rcx, rsi
        mov rax, rsi
        mov r8, rdi
        neg rax
        neg r8
        lea r9, [rdi + 1]
        test rdi, rdi
        cmovs rax, rsi
        cmovns rcx, rdx
        cmovs r8, r9
        add rax, rdx
        mov rdi, r9
        test dl, 1
        cmovz rax, rdx
        cmovnz rsi, rcx
        cmovnz rdi, r8
        sar rax, 1
        mov rdx, rax
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
            out("rax") _, out("rcx") _, out("r8") _, out("r9") _,
            options(pure, readonly));
    }
    (delta, f, g)
}

/// rdi, rsi and rdx after 20 steps. Changes rax, rcx, r8 and r9.
///
/// # Safety
/// The caller expects these registers to change.
#[allow(unsafe_code)]
// SAFETY: `twenty_steps` alone calls it, and names the registers that change.
#[unsafe(naked)]
unsafe extern "C" fn stepped() {
    naked_asm!(five_steps!(), five_steps!(), five_steps!(), five_steps!(), "ret",)
}
