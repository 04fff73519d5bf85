//! A program as a user of `p256` and `p384` writes it, run with those crates and with this one. It is the
//! same file (`programs/ecdsa.rs`); the lines that differ are the `use` here. It gives an account of
//! everything it saw, and the two accounts must be equal.

// `random` is deprecated there, and still what programs call; `into` makes arrays of another crate;
// `DerSignature` is not `Copy` there
#![allow(clippy::clone_on_copy, clippy::duplicate_mod, clippy::useless_conversion, deprecated)]

macro_rules! program {
    ($module:ident, $ecdsa:path, $pkcs8:path, $width:literal) => {
        #[path = "."]
        mod $module {
            use $ecdsa as ecdsa;
            use $pkcs8 as pkcs8;

            const SECRETS: [[u8; $width]; 3] = [[1; $width], [0x77; $width], [0xc3; $width]];
            const DIGEST: [u8; $width] = [0xa5; $width];

            #[path = "../programs/ecdsa.rs"]
            pub(super) mod program;
        }
    };
}

program!(p256_theirs, ::p256::ecdsa, ::p256::pkcs8, 32);
program!(p256_ours, ::sigmill::ecdsa::p256, ::sigmill::ecdsa::pkcs8, 32);
program!(p384_theirs, ::p384::ecdsa, ::p384::pkcs8, 48);
program!(p384_ours, ::sigmill::ecdsa::p384, ::sigmill::ecdsa::pkcs8, 48);

/// The same for a program that takes everything by the crate's root: here `use` is that one line.
macro_rules! whole_program {
    ($module:ident, $root:path, $generate:path, $width:literal) => {
        #[path = "."]
        mod $module {
            use $generate;
            use $root as root;

            const WIDTH: usize = $width;

            #[path = "../programs/ecdh.rs"]
            pub(super) mod program;
        }
    };
}

whole_program!(p256_whole_theirs, ::p256, ::p256::elliptic_curve::Generate, 32);
whole_program!(p256_whole_ours, ::sigmill::ecdsa::p256, ::sigmill::ecdsa::p256::Generate, 32);
whole_program!(p384_whole_theirs, ::p384, ::p384::elliptic_curve::Generate, 48);
whole_program!(p384_whole_ours, ::sigmill::ecdsa::p384, ::sigmill::ecdsa::p384::Generate, 48);

#[test]
fn a_program_for_ecdh_on_p256() {
    compare(&p256_whole_theirs::program::account(), &p256_whole_ours::program::account());
}

#[test]
fn a_program_for_ecdh_on_p384() {
    compare(&p384_whole_theirs::program::account(), &p384_whole_ours::program::account());
}

fn compare(theirs: &[String], ours: &[String]) {
    assert!(theirs.len() > 1000, "the program says little");
    for (ours, theirs) in ours.iter().zip(theirs) {
        assert_eq!(ours, theirs, "left: sigmill, right: the other crate");
    }
    assert_eq!(ours.len(), theirs.len());
}

#[test]
fn a_program_for_p256() {
    compare(&p256_theirs::program::account(), &p256_ours::program::account());
}

#[test]
fn a_program_for_p384() {
    compare(&p384_theirs::program::account(), &p384_ours::program::account());
}
