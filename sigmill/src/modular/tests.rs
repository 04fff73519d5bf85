//! Residues against big integers, for the four moduli, on extreme and random words; and each backend
//! against the portable one.

use super::fiat::{Fiat32, Fiat64};
use super::integer::{is_below, words_from_be_bytes, words_to_be_bytes};
use super::limbs29::Limbs29;
use super::modulus::{add, halve, product, reduced, square, sub};
use super::words32::Words32;
use super::{Arithmetic, Modulus, PrimeField, Residue};
use crate::field::nist::{p256, p384};
use crate::scalar::{n256, n384};
use alloc::string::ToString;
use alloc::vec::Vec;
use core::any::type_name;
use num_bigint::BigUint;
use proptest::prelude::*;

fn integer(words: &[u64]) -> BigUint {
    words.iter().rev().fold(BigUint::ZERO, |sum, word| (sum << 64) + word)
}

/// Words that are all zeros, all ones, one, near the modulus, or random.
fn words<const N: usize>(modulus: [u64; N]) -> impl Strategy<Value = [u64; N]> {
    let word = prop_oneof![Just(0), Just(1), Just(u64::MAX), Just(1 << 63), any::<u64>()];
    let near = (0_u64..4, any::<bool>()).prop_map(move |(distance, above)| {
        let mut words = modulus;
        words[0] =
            if above { words[0].wrapping_add(distance) } else { words[0].wrapping_sub(distance) };
        words
    });
    prop_oneof![4 => prop::array::uniform::<_, N>(word), 1 => near]
}

fn agree<M: Modulus<N>, const N: usize>(token: M::Token, a_words: &[u64; N], b_words: &[u64; N]) {
    let m = integer(&M::MODULUS);
    let (a, b) = (integer(a_words) % &m, integer(b_words) % &m);
    let of = |words| Residue::<M, N>::from_plain(token, &PrimeField::from_words(words));
    let (x, y) = (of(a_words), of(b_words));
    let is = |got: Residue<M, N>, expected: BigUint| {
        assert_eq!(integer(&got.plain().to_words()), expected, "{a:x} {b:x}");
    };
    is(x, a.clone());
    is(x.mul(&y), &a * &b % &m);
    is(x.square(), &a * &a % &m);
    is(x.add(&y), (&a + &b) % &m);
    is(x.sub(&y), (&m + &a - &b) % &m);
    is(x.neg(), (&m - &a) % &m);
    is(x.halve(), &a * ((&m + 1_u8) >> 1) % &m);
    let inverse = a.modinv(&m).unwrap_or_default();
    for found in [x.plain().invert(), x.plain().invert_vartime()] {
        is(Residue::from_plain(token, &found), inverse.clone());
    }
    is(x.power(b_words), a.modpow(&integer(b_words), &m));
    assert_eq!(x.is_zero().is_true_vartime(), a == BigUint::ZERO);
    assert_eq!(x.equal(&y).is_true_vartime(), a == b);
    assert_eq!(is_below(a_words, b_words).is_true_vartime(), integer(a_words) < integer(b_words));
    // a reduction of the largest products
    let largest = core::array::from_fn(|i| M::MODULUS[i] - u64::from(i == 0));
    let largest = Residue::<M, N>::from_plain(token, &Residue::from_montgomery(largest));
    let r_inverse = (BigUint::from(1_u8) << (64 * N)).modinv(&m).expect("2 has an inverse");
    is(largest.square(), &r_inverse * &r_inverse % &m);
    let mut bytes = [0; 72];
    let bytes = &mut bytes[..8 * N];
    words_to_be_bytes(a_words, bytes);
    assert_eq!(BigUint::from_bytes_be(bytes), integer(a_words));
    assert_eq!(words_from_be_bytes::<N>(bytes), *a_words);
}

/// A module for each modulus, with a test for each backend.
macro_rules! for_all_backends {
    ($($name:ident: $modulus:ty, $words:literal $(, $limbs:ident)?;)*) => {
        $(mod $name {
            use super::*;

            proptest! {
                #![proptest_config(ProptestConfig::with_cases(2000))]

                #[test]
                fn its_own(
                    a in words(<$modulus>::MODULUS),
                    b in words(<$modulus>::MODULUS),
                ) {
                    agree::<$modulus, $words>((), &a, &b);
                }
            }

            proptest! {
                #![proptest_config(ProptestConfig::with_cases(500))]

                #[test]
                fn words32(a in words(<$modulus>::MODULUS), b in words(<$modulus>::MODULUS)) {
                    agree::<Words32<$modulus>, $words>((), &a, &b);
                }

                $(#[test]
                fn $limbs(a in words(<$modulus>::MODULUS), b in words(<$modulus>::MODULUS)) {
                    agree::<Limbs29<$modulus>, $words>((), &a, &b);
                })?

                #[test]
                fn fiat64(a in words(<$modulus>::MODULUS), b in words(<$modulus>::MODULUS)) {
                    agree::<Fiat64<$modulus>, $words>((), &a, &b);
                }

                #[test]
                fn fiat32(a in words(<$modulus>::MODULUS), b in words(<$modulus>::MODULUS)) {
                    agree::<Fiat32<$modulus>, $words>((), &a, &b);
                }
            }

            #[test]
            fn all_backends_give_the_words_of_portable_code() {
                agrees_with_portable_code::<$modulus, $words>((), "its own");
                agrees_with_portable_code::<Words32<$modulus>, $words>((), "words32");
                $(agrees_with_portable_code::<Limbs29<$modulus>, $words>((), stringify!($limbs));)?
                agrees_with_portable_code::<Fiat64<$modulus>, $words>((), "fiat64");
                agrees_with_portable_code::<Fiat32<$modulus>, $words>((), "fiat32");
            }
        })*
    };
}

for_all_backends! {
    p256_is_arithmetic_modulo_p: p256::Prime, 4, limbs29;
    p384_is_arithmetic_modulo_p: p384::Prime, 6, limbs29;
    n256_is_arithmetic_modulo_n: n256::Order, 4;
    n384_is_arithmetic_modulo_n: n384::Order, 6;
}

/// With MULX, ADCX and ADOX.
#[cfg(sigmill_x86_64)]
mod adx {
    use super::*;
    use crate::field::nist::with_adx::WithAdx;
    use std::eprintln;

    #[test]
    fn assembly_gives_the_words_of_portable_code() {
        let Some(token) = crate::cpu::adx() else {
            eprintln!("not run here: products with MULX, ADCX and ADOX");
            return;
        };
        agrees_with_portable_code::<WithAdx<p256::Prime>, 4>(token, "adx");
        agrees_with_portable_code::<WithAdx<p384::Prime>, 6>(token, "adx");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn p256_is_arithmetic_modulo_p(
            a in words(p256::Prime::MODULUS),
            b in words(p256::Prime::MODULUS),
        ) {
            if let Some(token) = crate::cpu::adx() {
                agree::<WithAdx<p256::Prime>, 4>(token, &a, &b);
            }
        }

        #[test]
        fn p384_is_arithmetic_modulo_p(
            a in words(p384::Prime::MODULUS),
            b in words(p384::Prime::MODULUS),
        ) {
            if let Some(token) = crate::cpu::adx() {
                agree::<WithAdx<p384::Prime>, 6>(token, &a, &b);
            }
        }
    }
}

/// A modulus that leaves most of its highest word empty: 2^521 − 1.
#[derive(Clone, Copy)]
struct Short;

impl Modulus<9> for Short {
    type Token = ();
    type Plain = Self;
    const MODULUS: [u64; 9] = {
        let mut words = [u64::MAX; 9];
        words[8] = (1 << 9) - 1;
        words
    };
}

proptest! {
    #[test]
    fn a_modulus_need_not_fill_its_words(a in words(Short::MODULUS), b in words(Short::MODULUS)) {
        agree::<Short, 9>((), &a, &b);
    }
}

/// The moduli of this build have the backend that goes with that of Ed25519.
#[test]
fn the_build_has_one_backend() {
    let name = match crate::field_backend() {
        "u64x4" => "Prime",
        "u32x10" => "Limbs29<",
        "fiat64" => "Fiat64<",
        "fiat32" => "Fiat32<",
        other => panic!("{other}"),
    };
    for modulus in [type_name::<p256::P256>(), type_name::<p384::P384>()] {
        let start = modulus.split_inclusive('<').next().unwrap_or_default();
        assert!(start.ends_with(name), "{modulus}");
    }
}

/// The moduli are the numbers of SP 800-186.
#[test]
fn the_moduli_are_those_of_the_standard() {
    let two = |exponent: u32| BigUint::from(1_u8) << exponent;
    let p384 = two(384) - two(128) - two(96) + two(32) - 1_u8;
    assert_eq!(integer(&p384::P384::MODULUS), p384);
    assert_eq!(integer(&p256::P256::MODULUS), two(256) - two(224) + two(192) + two(96) - 1_u8);
    let n384 = "39402006196394479212279040100143613805079739270465446667946905279627659399113263569398956308152294913554433653942643";
    assert_eq!(integer(&n384::N384::MODULUS).to_string(), n384);
    let n256 = "115792089210356248762697446949407573529996955224135760342422259061068512044369";
    assert_eq!(integer(&n256::N256::MODULUS).to_string(), n256);
}

/// The operations of a backend against portable code, on words of every kind below m and beside m.
fn agrees_with_portable_code<M: Modulus<N>, const N: usize>(token: M::Token, backend: &str) {
    let m = M::MODULUS;
    let mut operands: Vec<[u64; N]> = (0..3_usize.pow(N as u32))
        .map(|kinds| core::array::from_fn(|i| [0, 1, u64::MAX][kinds / 3_usize.pow(i as u32) % 3]))
        .collect();
    for i in 0..N {
        for word in [0, 1, u64::MAX, 1 << 63, u64::from(u32::MAX), u64::MAX << 32, m[i] ^ 1] {
            operands.push(core::array::from_fn(|j| if i == j { word } else { m[j] }));
            operands.push(core::array::from_fn(|j| if i == j { word } else { 0 }));
        }
    }
    operands.extend([Residue::<M::Plain, N>::ONE.0, Residue::<M::Plain, N>::R_SQUARED.0]);
    operands
        .extend((1..4).map(|less| core::array::from_fn(|i| m[i] - if i == 0 { less } else { 0 })));
    // random words: a generator of Marsaglia's
    let mut state = 88_172_645_463_325_252_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    operands.extend((0..400).map(|_| core::array::from_fn(|_| random())));
    operands.retain(|words| is_below(words, &m).is_true_vartime());
    assert!(operands.len() > 400);
    for a in &operands {
        assert_eq!(M::square(token, a), square::<M, N>(a), "{backend}: {a:x?}");
        assert_eq!(M::halve(a), halve::<M, N>(a), "{backend}: {a:x?}");
        assert_eq!(M::canonical(a), reduced::<M, N>(a, &[0; N]), "{backend}: {a:x?}");
        for b in &operands {
            assert_eq!(M::product(token, a, b), product::<M, N>(a, b), "{backend}: {a:x?} {b:x?}");
            assert_eq!(M::add(a, b), add::<M, N>(a, b), "{backend}: {a:x?} {b:x?}");
            assert_eq!(M::sub(a, b), sub::<M, N>(a, b), "{backend}: {a:x?} {b:x?}");
        }
    }
}
