//! Integers modulo n, the prime orders of P-256 and P-384 (SP 800-186 sections 3.2.1.3 and 3.2.1.4).
//!
//! All operations are constant time.

/// The types of an order of $n words, with the functions that fiat has for it.
macro_rules! order {
    ($(#[$doc:meta])* $module:ident, $name:ident, $n:literal, $modulus:expr, $fiat64:ident, $fiat32:ident, $functions:tt) => {
        $(#[$doc])*
        pub(crate) mod $module {
            use crate::modular::{Chosen, Modulus, Residue};

            /// The modulus, and its arithmetic in 64-bit words.
            #[derive(Clone, Copy)]
            pub(crate) struct Order;

            /// The modulus with the arithmetic of this build.
            pub(crate) type $name = Chosen<Order>;

            /// An integer mod n.
            pub(crate) type Scalar = Residue<$name, $n>;

            impl Modulus<$n> for Order {
                type Token = ();
                type Plain = Self;
                const MODULUS: [u64; $n] = $modulus;
            }

            #[cfg(any(test, sigmill_words = "fiat64", sigmill_words = "fiat32"))]
            crate::modular::fiat::backends!(Order, $n, $fiat64, $fiat32, $functions);
        }
    };
}

order!(
    /// The order of P-256, in four words.
    n256, N256, 4,
    [0xf3b9cac2fc632551, 0xbce6faada7179e84, 0xffffffffffffffff, 0xffffffff00000000],
    p256_scalar_64, p256_scalar_32,
    (
        fiat_p256_scalar_montgomery_domain_field_element,
        fiat_p256_scalar_non_montgomery_domain_field_element,
        fiat_p256_scalar_mul,
        fiat_p256_scalar_square,
        fiat_p256_scalar_add,
        fiat_p256_scalar_sub,
        fiat_p256_scalar_from_montgomery
    )
);

order!(
    /// The order of P-384, in six words.
    n384, N384, 6,
    [0xecec196accc52973, 0x581a0db248b0a77a, 0xc7634d81f4372ddf, u64::MAX, u64::MAX, u64::MAX],
    p384_scalar_64, p384_scalar_32,
    (
        fiat_p384_scalar_montgomery_domain_field_element,
        fiat_p384_scalar_non_montgomery_domain_field_element,
        fiat_p384_scalar_mul,
        fiat_p384_scalar_square,
        fiat_p384_scalar_add,
        fiat_p384_scalar_sub,
        fiat_p384_scalar_from_montgomery
    )
);
