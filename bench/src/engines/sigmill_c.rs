//! Our own library through `sigmill.h`: what a call from C costs on top of one from Rust. Each function is called
//! through a pointer that the optimiser cannot look behind, as it could not behind a library's.

#[path = "../../../fuzz/shared/sigmill_h.rs"]
mod sigmill_h;

use super::entrant::{Loaded, OURS};
use sigmill::bulk::Engine as Bulk;
use sigmill_bench_abi::{Engine, Offer, Rows, locked_version};
// nothing else names the crate whose functions are linked
use sigmill_capi as _;
use sigmill_h::{
    Column, Spec, Table, Variant, sigmill_bulk_scratch_size, sigmill_bulk_verify,
    sigmill_ed25519_public_key, sigmill_ed25519_verify,
};
use std::ffi::{c_int, c_void};
use std::hint::black_box;
use std::ops::Range;
use std::ptr::{null, null_mut};

/// `struct sigmill_ed25519_key`.
#[repr(C)]
struct Key([u64; 48]);

/// `SIGMILL_RULE_COMMON`, `SIGMILL_ED25519`, `SIGMILL_COLUMN_FIXED` and `SIGMILL_COLUMN_BINARY`.
const COMMON: c_int = 1;
const ED25519: c_int = 1;
const FIXED: c_int = 0;
const BINARY: c_int = 1;

type Verify = unsafe extern "C" fn(
    c_int,
    *const Variant,
    *const u8,
    usize,
    *const u8,
    usize,
    *const u8,
    usize,
) -> c_int;
type Sign = unsafe extern "C" fn(*const Key, *mut u8, *const c_void, *const u8, usize) -> c_int;
type Two = unsafe extern "C" fn(*mut u8, *const u8) -> c_int;
type Three = unsafe extern "C" fn(*mut u8, *const u8, *const u8) -> c_int;
type BulkVerify = unsafe extern "C" fn(
    *const c_void,
    *const Table,
    *mut u8,
    usize,
    *mut c_void,
    *mut u8,
    usize,
) -> c_int;

unsafe extern "C" {
    fn sigmill_ed25519_key_init(key: *mut Key, seed: *const u8) -> c_int;
    fn sigmill_ed25519_key_sign(
        key: *const Key,
        signature: *mut u8,
        variant: *const c_void,
        message: *const u8,
        message_size: usize,
    ) -> c_int;
    fn sigmill_x25519_public_key(key: *mut u8, secret: *const u8) -> c_int;
    fn sigmill_x25519(shared: *mut u8, secret: *const u8, public_key: *const u8) -> c_int;
}

pub(crate) fn engine() -> Loaded {
    let state = |_: &Rows<'_>, n| {
        // SAFETY: no table is read; one spec is given.
        let size = unsafe { sigmill_bulk_scratch_size(null(), n, &spec(), 1) };
        Some((vec![0; n], vec![0; size]))
    };
    let offers = vec![
        Offer::each("ed25519.keygen", "", public_key),
        Offer::prepared("ed25519.sign32", "", signing_key, sign),
        Offer::each("ed25519.verify_raw", "common", verify),
        Offer::each("x25519.base", "", x25519_base),
        Offer::each("x25519.shared", "", x25519_shared),
        Offer::batch("ed25519.batch_raw", "common", state, verify_table),
    ];
    let backend = format!("as {OURS}, bulk {}", Bulk::new().backend().name());
    Ok(Engine::new(locked_version("sigmill"), &backend, offers))
}

fn two(function: Two, answer: &mut [u8], secret: &[u8; 32]) {
    assert_eq!(answer.len(), 32, "32 bytes");
    // SAFETY: pointers to 32 bytes to write and 32 to read.
    assert_eq!(unsafe { black_box(function)(answer.as_mut_ptr(), secret.as_ptr()) }, 0);
}

fn public_key(rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    two(sigmill_ed25519_public_key, answer, rows.secrets.row(row));
}

fn x25519_base(rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    two(sigmill_x25519_public_key, answer, rows.secrets.row(row));
}

fn x25519_shared(rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    let (secret, other) = (rows.secrets.row::<32>(row), rows.messages.row(row));
    assert_eq!((answer.len(), other.len()), (32, 32), "a shared secret and a public key");
    let function: Three = black_box(sigmill_x25519);
    // SAFETY: pointers to 32 bytes to write, 32 and 32 to read.
    let status = unsafe { function(answer.as_mut_ptr(), secret.as_ptr(), other.as_ptr()) };
    assert_eq!(status, 0, "the shared secret is not zero");
}

fn signing_key(rows: &Rows<'_>, row: usize) -> Key {
    let mut key = Key([0; 48]);
    // SAFETY: the object, which is ours, and 32 bytes to read.
    let status =
        unsafe { sigmill_ed25519_key_init(&mut key, rows.secrets.row::<32>(row).as_ptr()) };
    assert_eq!(status, 0, "a key");
    key
}

fn sign(key: &Key, rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    assert_eq!(answer.len(), 64, "a signature");
    let (message, function): (_, Sign) =
        (rows.messages.row(row), black_box(sigmill_ed25519_key_sign));
    let (place, message, size) = (answer.as_mut_ptr(), message.as_ptr(), message.len());
    // SAFETY: a key that was made, 64 bytes to write, and the message with its length.
    assert_eq!(unsafe { function(key, place, null(), message, size) }, 0);
}

fn verify(rows: &Rows<'_>, row: usize, answer: &mut [u8]) {
    let (key, message) = (rows.publics.row::<32>(row), rows.messages.row(row));
    let signature = rows.signatures.row::<64>(row);
    let function: Verify = black_box(sigmill_ed25519_verify);
    // SAFETY: three pointers, each with the length of what it points to; no variant means the pure one.
    let verdict = unsafe {
        function(
            COMMON,
            null(),
            key.as_ptr(),
            key.len(),
            message.as_ptr(),
            message.len(),
            signature.as_ptr(),
            signature.len(),
        )
    };
    answer[0] = (verdict == 0).into();
}

fn spec() -> Spec {
    let variant = Variant { kind: 0, context: null(), context_size: 0 };
    Spec { algorithm: ED25519, rule: COMMON, variant, ecdsa: [0; 3] }
}

fn column(rows: usize, values: &[u8]) -> Column {
    Column {
        layout: FIXED,
        rows,
        width: values.len() / rows,
        values: values.as_ptr(),
        values_size: values.len(),
        ..Column::EMPTY
    }
}

fn verify_table(
    (codes, scratch): &mut (Vec<u8>, Vec<u8>),
    rows: &Rows<'_>,
    range: Range<usize>,
    answers: &mut [u8],
) {
    let (n, spec) = (range.len(), spec());
    let messages = rows.messages;
    let offsets = messages.offsets(range.clone());
    let table = Table {
        keys: column(n, rows.publics.bytes(range.clone())),
        messages: Column {
            layout: BINARY,
            offsets: offsets.as_ptr().cast(),
            ..column(n, messages.all_bytes())
        },
        signatures: column(n, rows.signatures.bytes(range)),
        specs: &spec,
        spec_count: 1,
        spec_index: null(),
    };
    let function: BulkVerify = black_box(sigmill_bulk_verify);
    let (place, memory) = (codes.as_mut_ptr(), scratch.as_mut_ptr());
    // SAFETY: the table's columns have as many rows and bytes as they say; codes and scratch have their lengths.
    let result =
        unsafe { function(null(), &table, place, codes.len(), null_mut(), memory, scratch.len()) };
    assert!(result >= 0, "sigmill_bulk_verify gives {result}");
    for (answer, code) in answers.iter_mut().zip(codes) {
        *answer = (*code == 0).into();
    }
}
