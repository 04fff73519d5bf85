//! Programs as a user of `ed25519-dalek` and `x25519-dalek` writes them, run with those libraries and with
//! this one. The programs are the same files (`programs/`); the lines that differ are the `use` in
//! `programs/with_dalek.rs` and `programs/with_sigmill.rs`. Each program gives an account of
//! everything it saw, and the two accounts must be equal.

// secret scalars are `Copy` there, and `into` makes another type of them here
#[allow(clippy::clone_on_copy, clippy::useless_conversion)]
#[path = "../programs/with_dalek.rs"]
mod with_dalek;
#[path = "../programs/with_sigmill.rs"]
mod with_sigmill;

macro_rules! compare {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            let (dalek, sigmill) = (with_dalek::$name::account(), with_sigmill::$name::account());
            assert!(dalek.len() > 3, "the program says little");
            for (ours, theirs) in sigmill.iter().zip(&dalek) {
                assert_eq!(ours, theirs, "left: sigmill, right: dalek");
            }
            assert_eq!(sigmill.len(), dalek.len());
        })*
    };
}

compare! { sign batch prehash hazmat containers serde convert x25519 }
#[cfg(feature = "curve25519-dalek")]
compare! { points }
