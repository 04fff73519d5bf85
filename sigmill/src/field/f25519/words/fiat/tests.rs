//! Limbs of elements, for the tests of all backends in words.

use crate::field::f25519::tests::{Inspect, Kind};
use std::vec::Vec;

macro_rules! inspect {
    ($name:ident, $module:ident, $limb:ty, $offsets:expr) => {
        const _: () = {
            use fiat_crypto::$module::{
                fiat_25519_loose_field_element as Loose, fiat_25519_tight_field_element as Tight,
            };

            impl Inspect for super::$name::Fe {
                const OFFSETS: &[usize] = &$offsets;

                fn available() -> Option<()> {
                    Some(())
                }

                fn limit(kind: Kind, i: usize) -> u64 {
                    let top = Self::OFFSETS.get(i + 1).copied().unwrap_or(255);
                    let unit = 1 << (top - Self::OFFSETS[i]);
                    if kind == Kind::Product { unit } else { 3 * unit }
                }

                fn operand((): (), limbs: &[u64]) -> Self {
                    super::$name::Fe(Loose(core::array::from_fn(|i| limbs[i] as $limb)))
                }

                fn product((): (), limbs: &[u64]) -> Tight {
                    Tight(core::array::from_fn(|i| limbs[i] as $limb))
                }

                #[allow(clippy::unnecessary_cast)]
                fn of_operand(&self) -> Vec<u64> {
                    self.0.0.iter().map(|limb| *limb as u64).collect()
                }

                #[allow(clippy::unnecessary_cast)]
                fn of_product(product: &Tight) -> Vec<u64> {
                    product.0.iter().map(|limb| *limb as u64).collect()
                }
            }
        };
    };
}

inspect!(fiat64, curve25519_64, u64, [0, 51, 102, 153, 204]);
inspect!(fiat32, curve25519_32, u32, [0, 26, 51, 77, 102, 128, 153, 179, 204, 230]);
