//! Limbs of elements, for the tests of all backends in words.

use super::*;
use crate::field::f25519::tests::{Inspect, Kind};
use std::vec::Vec;

impl Inspect for Fe {
    const OFFSETS: &[usize] = &OFFSET;

    fn available() -> Option<()> {
        Some(())
    }

    fn limit(kind: Kind, i: usize) -> u64 {
        let units = if kind == Kind::Product { 1 } else { 3 };
        u64::from(limit(units, i))
    }

    fn operand((): (), limbs: &[u64]) -> Fe {
        Fe(core::array::from_fn(|i| limbs[i] as u32))
    }

    fn product((): (), limbs: &[u64]) -> Product {
        Product(core::array::from_fn(|i| limbs[i] as u32))
    }

    fn of_operand(&self) -> Vec<u64> {
        self.0.map(u64::from).to_vec()
    }

    fn of_product(product: &Product) -> Vec<u64> {
        product.0.map(u64::from).to_vec()
    }
}
