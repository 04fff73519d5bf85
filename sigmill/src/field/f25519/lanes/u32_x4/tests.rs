//! Limbs of elements, for the tests of all lanes.

use super::super::columns::limit;
use super::*;
use crate::field::f25519::tests::{Grid, InspectLanes, Kind};

impl InspectLanes for Fe {
    const NAME: &str = "u32_x4";
    const OFFSETS: &[usize] = &[0, 26, 51, 77, 102, 128, 153, 179, 204, 230];

    fn available() -> Option<()> {
        Some(())
    }

    fn limit(kind: Kind, i: usize) -> u64 {
        limit(if kind == Kind::Product { 1 } else { 2 }, i)
    }

    fn operand((): (), limbs: &Grid) -> Fe {
        Fe(of_grid(limbs))
    }

    fn product((): (), limbs: &Grid) -> Product {
        Product(of_grid(limbs))
    }

    fn of_operand(&self) -> Grid {
        grid_of(&self.0)
    }

    fn of_product(product: &Product) -> Grid {
        grid_of(&product.0)
    }
}

fn of_grid(grid: &Grid) -> Limbs {
    from_fn(|i| V::from_array(from_fn(|lane| grid[lane][i] as u32)))
}

fn grid_of(limbs: &Limbs) -> Grid {
    let limbs = limbs.map(V::to_array);
    (0..4).map(|lane| limbs.iter().map(|limb| u64::from(limb[lane])).collect()).collect()
}
