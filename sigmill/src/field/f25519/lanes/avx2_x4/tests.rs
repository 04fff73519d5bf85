//! Limbs of elements, for the tests of all lanes.

use super::super::columns::limit;
use super::*;
use crate::field::f25519::tests::{Grid, InspectLanes, Kind};

impl InspectLanes for Fe {
    const NAME: &str = "avx2_x4";
    const OFFSETS: &[usize] = &[0, 26, 51, 77, 102, 128, 153, 179, 204, 230];

    fn available() -> Option<Avx2> {
        crate::cpu::avx2()
    }

    fn limit(kind: Kind, i: usize) -> u64 {
        limit(if kind == Kind::Product { 1 } else { 2 }, i)
    }

    fn operand(token: Avx2, limbs: &Grid) -> Fe {
        Fe(of_grid(token, limbs))
    }

    fn product(token: Avx2, limbs: &Grid) -> Product {
        Product(of_grid(token, limbs))
    }

    fn of_operand(&self) -> Grid {
        grid_of(&self.0)
    }

    fn of_product(product: &Product) -> Grid {
        grid_of(&product.0)
    }
}

fn of_grid(token: Avx2, grid: &Grid) -> Limbs {
    each!(|k| V::from_array(
        token,
        core::array::from_fn(|l| grid[l][2 * k] | grid[l][2 * k + 1] << 32)
    ))
}

fn grid_of(limbs: &Limbs) -> Grid {
    let pairs = limbs.map(V::to_array);
    let limb = |l: usize, i: usize| pairs[i / 2][l] >> (32 * (i % 2)) & u64::from(u32::MAX);
    (0..4).map(|l| (0..10).map(|i| limb(l, i)).collect()).collect()
}
