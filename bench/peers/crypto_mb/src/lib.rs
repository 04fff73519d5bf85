//! Intel's crypto_mb: eight lanes of AVX-512 IFMA, a verdict for each row. Its functions take
//! exactly eight rows, so that only multiples of eight are offered. Single calls are not: they
//! would cost as much as eight. Its key objects are the bytes of both keys.
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
    fn mbx_ed25519_sign_mb8(
        r: *const *mut Half,
        s: *const *mut Half,
        messages: *const *const u8,
        lengths: *const u32,
        secrets: *const *const Half,
        keys: *const *const Half,
    ) -> u32;
    fn mbx_ed25519_public_key_mb8(keys: *const *mut Half, secrets: *const *const Half) -> u32;
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
    let whole = |_: &Rows<'_>, n: usize| n.is_multiple_of(LANES).then_some(());
    let offers = [
        Offer::batch("ed25519.batch_raw", "crypto_mb", whole, verify),
        Offer::batch("ed25519.batch_onekey", "crypto_mb", whole, verify),
        Offer::batch("ed25519.sign_bulk", "", whole, sign),
        Offer::batch("ed25519.keygen_bulk", "", whole, keygen),
    ];
    let offers = offers.into_iter().filter(|_| applicable).collect();
    Engine::new(text.into_owned(), "avx512ifma", offers)
}

fn verify(_: &mut (), rows: &Rows<'_>, range: Range<usize>, answers: &mut [u8]) {
    for (first, answers) in range.step_by(LANES).zip(answers.chunks_exact_mut(LANES)) {
        let lanes = lanes(first);
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

fn sign(_: &mut (), rows: &Rows<'_>, range: Range<usize>, answers: &mut [u8]) {
    let signatures = answers.as_chunks_mut::<32>().0.chunks_exact_mut(2 * LANES);
    for (first, signatures) in range.step_by(LANES).zip(signatures) {
        let lanes = lanes(first);
        let start = signatures.as_mut_ptr();
        let half = |which: usize| std::array::from_fn(|lane| start.wrapping_add(2 * lane + which));
        let (r, s): ([*mut Half; LANES], [*mut Half; LANES]) = (half(0), half(1));
        let messages = lanes.map(|row| rows.messages.row(row));
        let starts = messages.map(<[u8]>::as_ptr);
        let lengths = messages.map(|message| message.len() as u32);
        let secrets = lanes.map(|row| &raw const *rows.secrets.row::<32>(row));
        let keys = lanes.map(|row| &raw const *rows.publics.row::<32>(row));
        let (r, s, starts) = (r.as_ptr(), s.as_ptr(), starts.as_ptr());
        let (lengths, secrets, keys) = (lengths.as_ptr(), secrets.as_ptr(), keys.as_ptr());
        // SAFETY: eight pointers each; r and s to the halves of eight signatures, the others to
        // `lengths`, 32 and 32 bytes; all outlive the call.
        let status = unsafe { mbx_ed25519_sign_mb8(r, s, starts, lengths, secrets, keys) };
        assert_eq!(status, 0, "all lanes have signed");
    }
}

fn keygen(_: &mut (), rows: &Rows<'_>, range: Range<usize>, answers: &mut [u8]) {
    let keys = answers.as_chunks_mut::<32>().0.chunks_exact_mut(LANES);
    for (first, keys) in range.step_by(LANES).zip(keys) {
        let start = keys.as_mut_ptr();
        let keys: [*mut Half; LANES] = std::array::from_fn(|lane| start.wrapping_add(lane));
        let secrets = lanes(first).map(|row| &raw const *rows.secrets.row::<32>(row));
        // SAFETY: eight pointers each, to 32 bytes to write and 32 to read that outlive the call.
        let status = unsafe { mbx_ed25519_public_key_mb8(keys.as_ptr(), secrets.as_ptr()) };
        assert_eq!(status, 0, "all lanes have a key");
    }
}

fn lanes(first: usize) -> [usize; LANES] {
    std::array::from_fn(|lane| first + lane)
}
