//! Limbs of elements, for the tests of all lanes.

use super::*;
use crate::field::f25519::tests::{Grid, InspectLanes, Kind};

impl InspectLanes for Fe {
    const NAME: &str = "ifma_x8";
    const OFFSETS: &[usize] = &[0, 52, 104, 156, 208];

    fn available() -> Option<Ifma> {
        crate::cpu::ifma()
    }

    fn limit(kind: Kind, i: usize) -> u64 {
        match kind {
            Kind::Product => (PRODUCT_MAX << 52) - 1,
            Kind::Operand if i < 4 => LOW_52,
            Kind::Operand => LIMB_4_MAX - 1,
        }
    }

    /// With all the bits set that mean nothing.
    fn operand(token: Ifma, limbs: &Grid) -> Fe {
        let mut limbs = of_grid(token, limbs);
        for limb in &mut limbs[..4] {
            *limb = *limb | V::all(token, !LOW_52);
        }
        Fe(limbs)
    }

    fn product(token: Ifma, limbs: &Grid) -> Product {
        Product(of_grid(token, limbs))
    }

    fn of_operand(&self) -> Grid {
        grid_of(&clean(&self.0))
    }

    fn of_product(product: &Product) -> Grid {
        grid_of(&product.0)
    }
}

fn of_grid(token: Ifma, grid: &Grid) -> [V; 5] {
    each!(|k| V::from_array(token, core::array::from_fn(|l| grid[l][k])))
}

fn grid_of(limbs: &[V; 5]) -> Grid {
    let limbs = limbs.map(V::to_array);
    (0..8).map(|l| limbs.iter().map(|limb| limb[l]).collect()).collect()
}
