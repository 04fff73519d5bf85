//! The functions of `sigmill.h` that take secrets, called as C calls them, with every secret marked for Valgrind.
//!
//! `unsafe`: functions of C.

use sigmill::make_secret;
use std::ffi::c_int;
use std::hint::black_box;
use std::ptr::null;

// what is called by name below
use sigmill_capi as _;

/// `struct sigmill_ed25519_key`, `struct sigmill_ecdsa_key` and `struct sigmill_ed25519_signer`.
#[repr(C)]
struct Object([u64; 192]);

type In = *const u8;
type Out = *mut u8;

unsafe extern "C" {
    fn sigmill_ed25519_public_key(public: Out, seed: In) -> c_int;
    fn sigmill_ed25519_sign(out: Out, seed: In, variant: In, message: In, size: usize) -> c_int;
    fn sigmill_ed25519_sign_pair(out: Out, pair: In, variant: In, m: In, size: usize) -> c_int;
    fn sigmill_hazmat_ed25519_expand(out: Out, seed: In) -> c_int;
    fn sigmill_hazmat_ed25519_public_key(public: Out, expanded: In) -> c_int;
    fn sigmill_hazmat_ed25519_sign(out: Out, key: In, variant: In, m: In, size: usize) -> c_int;
    fn sigmill_ed25519_key_init(key: *mut Object, seed: In) -> c_int;
    fn sigmill_ed25519_key_sign(
        key: *const Object,
        out: Out,
        variant: In,
        message: In,
        size: usize,
    ) -> c_int;
    fn sigmill_ed25519_signer_init(
        signer: *mut Object,
        key: *const Object,
        variant: In,
        noise: In,
    ) -> c_int;
    fn sigmill_ed25519_signer_update(signer: *mut Object, piece: In, size: usize) -> c_int;
    fn sigmill_ed25519_signer_second_pass(signer: *mut Object) -> c_int;
    fn sigmill_ed25519_signer_finish(signer: *mut Object, out: Out) -> c_int;
    fn sigmill_ed25519_key_wipe(key: *mut Object) -> c_int;
    fn sigmill_x25519_public_key(public: Out, secret: In) -> c_int;
    fn sigmill_x25519(shared: Out, secret: In, public: In) -> c_int;
    fn sigmill_ecdsa_public_key(curve: c_int, public: Out, secret: In) -> c_int;
    fn sigmill_ecdsa_sign(
        curve: c_int,
        how: In,
        out: Out,
        size: *mut usize,
        secret: In,
        message: In,
        message_size: usize,
    ) -> c_int;
    fn sigmill_key_write(
        algorithm: c_int,
        container: c_int,
        form: c_int,
        out: Out,
        size: *mut usize,
        key: In,
        key_size: usize,
    ) -> c_int;
    fn sigmill_bulk_ed25519_public_keys(how: In, rows: usize, seeds: In, publics: Out) -> c_int;
    fn sigmill_bulk_x25519_public_keys(how: In, rows: usize, secrets: In, publics: Out) -> c_int;
}

/// Calls a function, with the sizes of the header, and looks at its result, which is public.
macro_rules! done {
    ($call:expr) => {
        // SAFETY: each pointer is that of an array at least as long as the header asks for, or null where it may be.
        assert_eq!(unsafe { $call }, 0)
    };
}

pub(crate) fn run() {
    let message = b"message";
    let (text, size) = (message.as_ptr(), message.len());
    let mut calls = 0;
    for round in 0..6_u8 {
        let mut seed = [round.wrapping_mul(51); 32];
        make_secret(&mut seed);
        let (mut public, mut signature) = ([0; 32], [0; 64]);
        done!(sigmill_ed25519_public_key(public.as_mut_ptr(), seed.as_ptr()));
        done!(sigmill_ed25519_sign(signature.as_mut_ptr(), seed.as_ptr(), null(), text, size));
        let mut pair = [0; 64];
        pair[..32].copy_from_slice(&seed);
        pair[32..].copy_from_slice(&public);
        let mut again = [0; 64];
        done!(sigmill_ed25519_sign_pair(again.as_mut_ptr(), pair.as_ptr(), null(), text, size));
        assert_eq!(signature, again);
        let mut expanded = [0; 64];
        done!(sigmill_hazmat_ed25519_expand(expanded.as_mut_ptr(), seed.as_ptr()));
        let at = expanded.as_ptr();
        done!(sigmill_hazmat_ed25519_public_key(public.as_mut_ptr(), at));
        done!(sigmill_hazmat_ed25519_sign(again.as_mut_ptr(), at, null(), text, size));
        assert_eq!(signature, again);
        let (mut key, mut signer) = (Object([0; 192]), Object([0; 192]));
        done!(sigmill_ed25519_key_init(&mut key, seed.as_ptr()));
        done!(sigmill_ed25519_key_sign(&key, again.as_mut_ptr(), null(), text, size));
        assert_eq!(signature, again);
        let mut noise = [round; 32];
        make_secret(&mut noise);
        for noise in [null(), noise.as_ptr()] {
            done!(sigmill_ed25519_signer_init(&mut signer, &key, null(), noise));
            done!(sigmill_ed25519_signer_update(&mut signer, text, size));
            done!(sigmill_ed25519_signer_second_pass(&mut signer));
            done!(sigmill_ed25519_signer_update(&mut signer, text, size));
            done!(sigmill_ed25519_signer_finish(&mut signer, again.as_mut_ptr()));
        }
        done!(sigmill_ed25519_key_wipe(&mut key));
        assert_eq!(key.0[..48], [0; 48]);
        done!(sigmill_x25519_public_key(public.as_mut_ptr(), seed.as_ptr()));
        done!(sigmill_x25519(again.as_mut_ptr(), seed.as_ptr(), public.as_ptr()));
        black_box(&again);
        calls += 21;
        for (curve, width) in [(2, 32), (3, 48)] {
            let mut secret = [round.wrapping_mul(51); 48];
            secret[0] = [0, 0xff, 0x7f, 0x80, 1, 0][usize::from(round)];
            secret[width - 1] |= 1;
            make_secret(&mut secret);
            let (secret, mut out, mut len) = (secret.as_ptr(), [0; 512], 512);
            done!(sigmill_ecdsa_public_key(curve, out.as_mut_ptr(), secret));
            done!(sigmill_ecdsa_sign(
                curve,
                null(),
                out.as_mut_ptr(),
                &mut len,
                secret,
                text,
                size
            ));
            for (container, form) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                len = 512;
                let out = out.as_mut_ptr();
                done!(sigmill_key_write(curve, container, form, out, &mut len, secret, width));
            }
            calls += 6;
        }
    }
    let mut seeds: Vec<[u8; 32]> = (0..19).map(|i: u8| [i.wrapping_mul(51); 32]).collect();
    seeds.iter_mut().for_each(|seed| make_secret(seed));
    let (mut publics, seeds) = ([[0; 32]; 19], seeds.as_flattened().as_ptr());
    let out = publics.as_flattened_mut().as_mut_ptr();
    done!(sigmill_bulk_ed25519_public_keys(null(), 19, seeds, out));
    done!(sigmill_bulk_x25519_public_keys(null(), 19, seeds, out));
    println!("constant time from C: {calls} calls alone, 2 in bulk");
}
