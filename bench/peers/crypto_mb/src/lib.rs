//! Intel's crypto_mb: eight lanes of AVX-512 IFMA, a verdict for each row. Its functions take
//! exactly eight rows, so that only multiples of eight are offered. Single calls are not: they
//! would cost as much as eight.
//!
//! Its verdicts are those of no rule of ours: they are near `common`, but most signatures with S + kℓ
//! are accepted, and keys with y = 0 are refused. `rule` is its own name.

use sigmill_bench_abi::{Engine, Offer, Rows};
use std::ffi::{CStr, c_char, c_int};
use std::ops::Range;

sigmill_bench_abi::export!(engine);

const LANES: usize = 8;

#[repr(C)]
struct Version {
    major: c_int,
    minor: c_int,
    patch: c_int,
    target_cpu: [c_char; 4],
    name: *const c_char,
    build_date: *const c_char,
    text: *const c_char,
}

type Half = [u8; 32];

unsafe extern "C" {
    fn mbx_getversion() -> *const Version;
    fn mbx_is_crypto_mb_applicable(features: u64) -> c_int;
    fn mbx_ed25519_verify_mb8(
        r: *const *const Half,
        s: *const *const Half,
        messages: *const *const u8,
        lengths: *const u32,
        keys: *const *const Half,
    ) -> u32;
}

/// The engine; it offers nothing on a CPU that the library does not run on.
pub fn engine() -> &'static Engine {
    // SAFETY: it has no arguments.
    let version = unsafe { mbx_getversion() };
    // SAFETY: the answer points to constant data of the library.
    let version = unsafe { &*version };
    // SAFETY: the library's own text, which ends in a zero.
    let text = unsafe { CStr::from_ptr(version.text) }.to_string_lossy();
    // SAFETY: 0 asks about the CPU that runs this.
    let applicable = unsafe { mbx_is_crypto_mb_applicable(0) } != 0;
    let ops = if applicable { &["ed25519.batch_raw", "ed25519.batch_onekey"][..] } else { &[] };
    let whole = |_: &Rows<'_>, n: usize| n.is_multiple_of(LANES).then_some(());
    let offers = ops.iter().map(|op| Offer::batch(op, "crypto_mb", whole, batch)).collect();
    Engine::new(text.into_owned(), "avx512ifma", offers)
}

fn batch(_: &mut (), rows: &Rows<'_>, range: Range<usize>, answers: &mut [u8]) {
    for (first, answers) in range.step_by(LANES).zip(answers.chunks_exact_mut(LANES)) {
        let lanes: [usize; LANES] = std::array::from_fn(|lane| first + lane);
        let halves = lanes.map(|row| rows.signatures.row::<64>(row).as_chunks::<32>().0);
        let messages = lanes.map(|row| rows.messages.row(row));
        let r = halves.map(|half| &raw const half[0]);
        let s = halves.map(|half| &raw const half[1]);
        let starts = messages.map(<[u8]>::as_ptr);
        let lengths = messages.map(|message| message.len() as u32);
        let keys = lanes.map(|row| &raw const *rows.publics.row::<32>(row));
        let (r, s, starts) = (r.as_ptr(), s.as_ptr(), starts.as_ptr());
        // SAFETY: eight pointers each to 32, 32, `lengths` and 32 bytes that outlive the call.
        let status =
            unsafe { mbx_ed25519_verify_mb8(r, s, starts, lengths.as_ptr(), keys.as_ptr()) };
        for (lane, answer) in answers.iter_mut().enumerate() {
            *answer = (status >> (4 * lane) & 15 == 0).into();
        }
    }
}
