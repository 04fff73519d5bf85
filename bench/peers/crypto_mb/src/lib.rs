//! Intel's crypto_mb: eight lanes of AVX-512 IFMA, a verdict for each row. Its functions take
//! exactly eight rows, so that only multiples of eight are offered. Single calls are not: they
//! would cost as much as eight. Its key objects are the bytes of both keys.
//!
//! Its verdicts are those of no rule of ours: they are near `common`, but most signatures with S + kℓ
//! are accepted, and keys with y = 0 are refused. `rule` is its own name.
//!
//! Its ECDSA takes digests, which RustCrypto makes here, keys as words, and the nonces: they are made
//! beforehand, so that its signing does less than that of others.

use sha2::{Digest, Sha256, Sha384};
use sigmill_bench_abi::{Engine, Offer, Rows};
use std::ffi::{CStr, c_char, c_int};
use std::ops::Range;
use std::ptr;

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

/// A number of one of the curves, the lowest word first; P-256 has four of these words.
type Words = [u64; 6];

/// A digest of at most that many bytes.
type Hashed = [u8; 48];

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
    fn mbx_x25519_mb8(
        shared: *const *mut Half,
        secrets: *const *const Half,
        publics: *const *const Half,
    ) -> u32;
    fn mbx_x25519_public_key_mb8(publics: *const *mut Half, secrets: *const *const Half) -> u32;
}

/// Declares the functions of ECDSA on one curve.
macro_rules! ecdsa {
    ($verify:ident, $sign:ident) => {
        unsafe extern "C" {
            fn $verify(
                r: *const *const u8,
                s: *const *const u8,
                digests: *const *const u8,
                x: *const *const Words,
                y: *const *const Words,
                z: *const *const Words,
                buffer: *mut u8,
            ) -> u32;
            fn $sign(
                r: *const *mut u8,
                s: *const *mut u8,
                digests: *const *const u8,
                nonces: *const *const Words,
                secrets: *const *const Words,
                buffer: *mut u8,
            ) -> u32;
        }
    };
}

ecdsa!(mbx_nistp256_ecdsa_verify_mb8, mbx_nistp256_ecdsa_sign_mb8);
ecdsa!(mbx_nistp384_ecdsa_verify_mb8, mbx_nistp384_ecdsa_sign_mb8);

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
    let curve25519 = [
        Offer::batch("ed25519.batch_raw", "crypto_mb", whole, verify),
        Offer::batch("ed25519.batch_onekey", "crypto_mb", whole, verify),
        Offer::batch("ed25519.sign_bulk", "", whole, sign),
        Offer::batch("ed25519.keygen_bulk", "", whole, keygen),
        Offer::batch("x25519.base_bulk", "", whole, x25519_base),
        Offer::batch("x25519.shared_bulk", "", whole, x25519_shared),
    ];
    let offers = curve25519.into_iter().chain(P256.offers()).chain(P384.offers());
    let offers = offers.filter(|_| applicable).collect();
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
        let keys = starts_of(keys);
        let secrets = lanes(first).map(|row| &raw const *rows.secrets.row::<32>(row));
        // SAFETY: eight pointers each, to 32 bytes to write and 32 to read that outlive the call.
        let status = unsafe { mbx_ed25519_public_key_mb8(keys.as_ptr(), secrets.as_ptr()) };
        assert_eq!(status, 0, "all lanes have a key");
    }
}

fn x25519_base(_: &mut (), rows: &Rows<'_>, range: Range<usize>, answers: &mut [u8]) {
    let publics = answers.as_chunks_mut::<32>().0.chunks_exact_mut(LANES);
    for (first, publics) in range.step_by(LANES).zip(publics) {
        let publics = starts_of(publics);
        let secrets = lanes(first).map(|row| &raw const *rows.secrets.row::<32>(row));
        // SAFETY: eight pointers each, to 32 bytes to write and 32 to read that outlive the call.
        let status = unsafe { mbx_x25519_public_key_mb8(publics.as_ptr(), secrets.as_ptr()) };
        assert_eq!(status, 0, "all lanes have a public key");
    }
}

fn x25519_shared(_: &mut (), rows: &Rows<'_>, range: Range<usize>, answers: &mut [u8]) {
    let shared = answers.as_chunks_mut::<32>().0.chunks_exact_mut(LANES);
    for (first, shared) in range.step_by(LANES).zip(shared) {
        let shared = starts_of(shared);
        let secrets = lanes(first).map(|row| &raw const *rows.secrets.row::<32>(row));
        let other = |row| <&Half>::try_from(rows.messages.row(row)).expect("32 bytes");
        let publics = lanes(first).map(|row| &raw const *other(row));
        let (shared, secrets, publics) = (shared.as_ptr(), secrets.as_ptr(), publics.as_ptr());
        // SAFETY: eight pointers each, to 32 bytes to write, 32 and 32 to read that outlive the call.
        let status = unsafe { mbx_x25519_mb8(shared, secrets, publics) };
        assert_eq!(status, 0, "all lanes have a shared secret");
    }
}

type Bytes = *const *const u8;
type Numbers = *const *const Words;
type Verify = unsafe extern "C" fn(Bytes, Bytes, Bytes, Numbers, Numbers, Numbers, *mut u8) -> u32;
type Sign =
    unsafe extern "C" fn(*const *mut u8, *const *mut u8, Bytes, Numbers, Numbers, *mut u8) -> u32;

/// The functions of ECDSA on one curve.
struct Curve {
    name: &'static str,
    /// Bytes of a coordinate and of a scalar.
    width: usize,
    hash: fn(&[u8]) -> Hashed,
    verify: Verify,
    sign: Sign,
}

static P256: Curve = Curve {
    name: "p256",
    width: 32,
    hash: |message| {
        let mut digest = [0; 48];
        digest[..32].copy_from_slice(&Sha256::digest(message));
        digest
    },
    verify: mbx_nistp256_ecdsa_verify_mb8,
    sign: mbx_nistp256_ecdsa_sign_mb8,
};

static P384: Curve = Curve {
    name: "p384",
    width: 48,
    hash: |message| Sha384::digest(message).into(),
    verify: mbx_nistp384_ecdsa_verify_mb8,
    sign: mbx_nistp384_ecdsa_sign_mb8,
};

/// The inputs of signing for one row, made beforehand.
struct SigningKey {
    secret: Words,
    nonce: Words,
}

impl Curve {
    fn offers(&'static self) -> [Offer; 2] {
        let whole = |n: usize| n.is_multiple_of(LANES);
        // the next row's secret is as random as a nonce has to be
        let key = |rows: &Rows<'_>, row: usize| SigningKey {
            secret: words(rows.secrets.get(row)),
            nonce: words(rows.secrets.get((row + 1) % rows.count)),
        };
        let keys = move |rows: &Rows<'_>, n| {
            whole(n).then(|| (0..rows.count).map(|row| key(rows, row)).collect())
        };
        [
            Offer::batch(
                &format!("{}.verify_bulk", self.name),
                "",
                move |_, n| whole(n).then_some(()),
                |(), rows, range, answers| self.verify(rows, range, answers),
            ),
            Offer::batch(
                &format!("{}.sign_bulk", self.name),
                "",
                keys,
                |keys: &mut Vec<SigningKey>, rows, range, answers| {
                    self.sign(keys, rows, range, answers);
                },
            ),
        ]
    }

    fn digests(&self, rows: &Rows<'_>, lanes: [usize; LANES]) -> [Hashed; LANES] {
        lanes.map(|row| (self.hash)(rows.messages.row(row)))
    }

    fn verify(&self, rows: &Rows<'_>, range: Range<usize>, answers: &mut [u8]) {
        for (first, answers) in range.step_by(LANES).zip(answers.chunks_exact_mut(LANES)) {
            let lanes = lanes(first);
            let digests = self.digests(rows, lanes);
            let digests = digests.each_ref().map(|digest| digest.as_ptr());
            let signatures = lanes.map(|row| rows.signatures.get(row).split_at(self.width));
            let (r, s) = (signatures.map(|it| it.0.as_ptr()), signatures.map(|it| it.1.as_ptr()));
            // after the 4 of an uncompressed key
            let keys = lanes.map(|row| rows.publics.get(row)[1..].split_at(self.width));
            let (x, y) = (keys.map(|key| words(key.0)), keys.map(|key| words(key.1)));
            let (x, y) = (x.each_ref().map(ptr::from_ref), y.each_ref().map(ptr::from_ref));
            let (r, s, digests) = (r.as_ptr(), s.as_ptr(), digests.as_ptr());
            let (x, y) = (x.as_ptr(), y.as_ptr());
            // SAFETY: eight pointers each, to as many bytes and words as the curve has, which outlive
            // the call; no z says that it is 1, and no buffer is needed.
            let status =
                unsafe { (self.verify)(r, s, digests, x, y, ptr::null(), ptr::null_mut()) };
            for (lane, answer) in answers.iter_mut().enumerate() {
                *answer = (status >> (4 * lane) & 15 == 0).into();
            }
        }
    }

    fn sign(&self, keys: &[SigningKey], rows: &Rows<'_>, range: Range<usize>, answers: &mut [u8]) {
        let signatures = answers.chunks_exact_mut(2 * self.width * LANES);
        for (first, signatures) in range.step_by(LANES).zip(signatures) {
            let lanes = lanes(first);
            let digests = self.digests(rows, lanes);
            let digests = digests.each_ref().map(|digest| digest.as_ptr());
            let start = signatures.as_mut_ptr();
            let half = |which: usize| {
                std::array::from_fn(|lane| start.wrapping_add((2 * lane + which) * self.width))
            };
            let (r, s): ([*mut u8; LANES], [*mut u8; LANES]) = (half(0), half(1));
            let nonces = lanes.map(|row| &raw const keys[row].nonce);
            let secrets = lanes.map(|row| &raw const keys[row].secret);
            let (r, s, digests) = (r.as_ptr(), s.as_ptr(), digests.as_ptr());
            let (nonces, secrets) = (nonces.as_ptr(), secrets.as_ptr());
            // SAFETY: eight pointers each; r and s to the halves of eight signatures, the others to as
            // many bytes and words as the curve has; all outlive the call, which needs no buffer.
            let status = unsafe { (self.sign)(r, s, digests, nonces, secrets, ptr::null_mut()) };
            assert_eq!(status, 0, "all lanes have signed");
        }
    }
}

/// The words of a big-endian number.
fn words(bytes: &[u8]) -> Words {
    let mut words = [0; 6];
    for (word, bytes) in words.iter_mut().zip(bytes.as_rchunks::<8>().1.iter().rev()) {
        *word = u64::from_be_bytes(*bytes);
    }
    words
}

/// The beginnings of eight values.
fn starts_of(values: &mut [Half]) -> [*mut Half; LANES] {
    let start = values.as_mut_ptr();
    std::array::from_fn(|lane| start.wrapping_add(lane))
}

fn lanes(first: usize) -> [usize; LANES] {
    std::array::from_fn(|lane| first + lane)
}
