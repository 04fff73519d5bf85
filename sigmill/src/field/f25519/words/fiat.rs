//! GF(2^255 − 19), one lane, on the arithmetic of the `fiat-crypto` crate, which was generated
//! together with a proof that it computes what it says: five 64-bit or ten 32-bit limbs.
//!
//! Fiat's two types are ours: a *tight* element is a `Product`, a *loose* one an
//! operand. Its bounds are in the types, so nothing is to be asserted here.
//!
//! All operations are constant time.

macro_rules! backend {
    ($(#[$doc:meta])* $name:ident, $module:ident, $limb:ty, $limbs:literal) => {
        $(#[$doc])*
        pub(crate) mod $name {
            use crate::ct::Mask;
            use crate::field::algebra::Algebra;
            use crate::field::f25519::field::Field;
            use crate::simd::Proven;
            use crate::word;
            use fiat_crypto::$module::{
                fiat_25519_add, fiat_25519_carry, fiat_25519_carry_mul, fiat_25519_carry_square,
                fiat_25519_from_bytes, fiat_25519_loose_field_element as Loose, fiat_25519_relax,
                fiat_25519_sub, fiat_25519_tight_field_element as Tight, fiat_25519_to_bytes,
            };

            pub(in crate::field::f25519) const NAME: &str = stringify!($name);

            /// An operand.
            #[derive(Clone, Copy)]
            pub(crate) struct Fe(pub(super) Loose);

            fn tight(loose: &Loose) -> Tight {
                let mut tight = Tight([0; $limbs]);
                fiat_25519_carry(&mut tight, loose);
                tight
            }

            fn relaxed(tight: &Tight) -> Loose {
                let mut loose = Loose([0; $limbs]);
                fiat_25519_relax(&mut loose, tight);
                loose
            }

            fn add(a: &Tight, b: &Tight) -> Loose {
                let mut sum = Loose([0; $limbs]);
                fiat_25519_add(&mut sum, a, b);
                sum
            }

            fn sub(a: &Tight, b: &Tight) -> Loose {
                let mut difference = Loose([0; $limbs]);
                fiat_25519_sub(&mut difference, a, b);
                difference
            }

            impl Fe {
                /// The residue below p.
                fn canonical(&self) -> [u64; 4] {
                    let mut bytes = [0; 32];
                    fiat_25519_to_bytes(&mut bytes, &tight(&self.0));
                    word::load_le(&bytes)
                }
            }

            impl Proven for Fe {
                type Token = ();
            }

            impl Algebra for Fe {
                type Product = Tight;

                fn mul(&self, other: &Fe) -> Tight {
                    let mut product = Tight([0; $limbs]);
                    fiat_25519_carry_mul(&mut product, &self.0, &other.0);
                    product
                }

                fn square(&self) -> Tight {
                    let mut square = Tight([0; $limbs]);
                    fiat_25519_carry_square(&mut square, &self.0);
                    square
                }

                fn widen(&self) -> Tight {
                    tight(&self.0)
                }

                fn sum<const A: i32, const B: i32, const C: i32>(
                    a: &Tight,
                    b: &Tight,
                    c: &Tight,
                ) -> Fe {
                    let a = if A == 2 { tight(&add(a, a)) } else { *a };
                    Fe(match (B, C) {
                        (0, _) => relaxed(&a),
                        (1, 0) => add(&a, b),
                        (1, 1) => add(&a, &tight(&add(b, c))),
                        (1, _) => add(&a, &tight(&sub(b, c))),
                        (_, 0) => sub(&a, b),
                        (_, 1) => sub(&a, &tight(&sub(b, c))),
                        _ => sub(&a, &tight(&add(b, c))),
                    })
                }
            }

            impl Field for Fe {
                type Mask = Mask;
                type Bytes = [u8; 32];

                fn token(&self) {}

                fn splat((): (), words: &[u64; 4]) -> Fe {
                    Self::from_bytes((), &word::store_le(words))
                }

                fn from_bytes((): (), bytes: &[u8; 32]) -> Fe {
                    let mut bytes = *bytes;
                    bytes[31] &= 0x7f;
                    let mut tight = Tight([0; $limbs]);
                    fiat_25519_from_bytes(&mut tight, &bytes);
                    Fe(relaxed(&tight))
                }

                fn to_bytes(&self, top_bit: Mask) -> [u8; 32] {
                    let mut words = self.canonical();
                    words[3] |= top_bit.word() << 63;
                    word::store_le(&words)
                }

                fn select(mask: Mask, if_true: &Fe, if_false: &Fe) -> Fe {
                    let mask = mask.word() as $limb;
                    let (a, b) = (&if_true.0.0, &if_false.0.0);
                    Fe(Loose(core::array::from_fn(|i| b[i] ^ (mask & (a[i] ^ b[i])))))
                }

                fn equal(&self, other: &Fe) -> Mask {
                    let (a, b) = (self.canonical(), other.canonical());
                    Mask::is_zero(a.iter().zip(&b).fold(0, |acc, (x, y)| acc | (x ^ y)))
                }

                fn is_zero(&self) -> Mask {
                    Mask::is_zero(self.canonical().iter().fold(0, |acc, word| acc | word))
                }

                fn is_odd(&self) -> Mask {
                    Mask::from_bit(self.canonical()[0] & 1)
                }
            }
        }
    };
}

#[cfg(any(test, sigmill_words = "fiat64"))]
backend!(
    /// Five 64-bit limbs, radix 2^51.
    fiat64, curve25519_64, u64, 5
);

#[cfg(any(test, sigmill_words = "fiat32"))]
backend!(
    /// Ten 32-bit limbs, radix 2^25.5.
    fiat32, curve25519_32, u32, 10
);

#[cfg(test)]
mod tests;
