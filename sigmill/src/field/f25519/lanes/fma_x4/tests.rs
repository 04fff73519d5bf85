//! Limbs of elements, for the tests of all lanes.

use super::*;
use crate::field::f25519::tests::{Grid, InspectLanes, Kind};

impl InspectLanes for Fe {
    const NAME: &str = "fma_x4";
    const OFFSETS: &[usize] = &[0, 51, 102, 153, 204];

    fn available() -> Option<Avx2> {
        crate::cpu::avx2()
    }

    fn limit(kind: Kind, _: usize) -> u64 {
        match kind {
            Kind::Product => (PRODUCT_MAX << 51) - 1,
            Kind::Operand => LIMB_MAX - 1,
        }
    }

    fn operand(token: Avx2, limbs: &Grid) -> Fe {
        Fe(doubles(&of_grid(token, limbs)))
    }

    fn product(token: Avx2, limbs: &Grid) -> Product {
        Product(of_grid(token, limbs))
    }

    fn of_operand(&self) -> Grid {
        grid_of(&integers(&self.0))
    }

    fn of_product(product: &Product) -> Grid {
        grid_of(&product.0)
    }
}

fn of_grid(token: Avx2, grid: &Grid) -> Limbs {
    each!(|k| V::from_array(token, core::array::from_fn(|l| grid[l][k])))
}

fn grid_of(limbs: &Limbs) -> Grid {
    let limbs = limbs.map(V::to_array);
    (0..4).map(|l| limbs.iter().map(|limb| limb[l]).collect()).collect()
}
