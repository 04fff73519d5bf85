//! Scalars of combinations in signed windows, for integers that an attacker chooses.

use super::{
    BASE_ROW, SIGNED_WIDTHS, UNSIGNED_WIDTHS, base_scalar, key_scalars, scalar_windows,
    with_offset, z_windows,
};
use crate::cpu::Backend;
use crate::curve::edwards::pippenger::{MultiScalar, Scalars, base_multiple, memory_needed};
use crate::curve::edwards::straus::double_base_vartime;
use crate::curve::edwards::{Extended, equal};
use crate::field::f25519::{self, LaneField, Row, one_lane::Fe};
use crate::memory::{Line, Memory, Scratch};
use crate::scalar::l25519::ORDER;
use crate::scalar::recode::Windows;
use crate::simd::Kernel;
use crate::tests::{Expander, proven};
use num_bigint::BigUint;
use std::vec;
use std::vec::Vec;

/// `[x]B` as combinations compute it: of B's scalar, and of that of a key, which is B.
struct Multiple {
    x: [u64; 4],
    windows: Windows,
}

impl<F: LaneField> Kernel<F> for &Multiple {
    type Output = [Extended<Fe>; 2];

    #[inline(always)]
    fn run(self, token: F::Token) -> Self::Output {
        let mut rows: Vec<Row> = vec![[Line([0; 8]); 2]; BASE_ROW + 1];
        for (multiple, row) in rows.chunks_mut(1).enumerate() {
            F::store_rows(&base_multiple::<F>(token, multiple as u32), row);
        }
        let cut = with_offset(&self.x, &self.windows.offset(scalar_windows(self.windows)));
        let [a, b, c, d] = cut;
        let key = [[0, 0, 0, 0, a, b, c, d]];
        let lists =
            [base_scalar(&cut, self.windows), key_scalars(&key, 0..1, BASE_ROW, self.windows)];
        // a loop: a closure would be compiled without the instructions of this backend
        let mut sums = [Extended::<Fe>::identity(()); 2];
        for (sum_of_list, scalars) in sums.iter_mut().zip(lists) {
            let reach = scalar_windows(self.windows);
            let needed = memory_needed::<F>(self.windows, rows.len(), reach);
            let mut scratch = vec![Scratch::new(); needed.div_ceil(size_of::<Scratch>())];
            let sum = MultiScalar {
                memory: Memory::new(&mut scratch),
                windows: self.windows,
                rows: &rows,
                scalars: &[scalars, Scalars::NONE, Scalars::NONE],
                slices: None::<&mut [F::ProductRow]>,
                done: &mut 0,
                work: &mut usize::MAX.clone(),
            };
            *sum_of_list = Kernel::<F>::run(sum, token).expect("memory").expect("work");
        }
        sums
    }
}

fn words(x: &BigUint) -> [u64; 4] {
    let digits = x.to_u64_digits();
    core::array::from_fn(|i| digits.get(i).copied().unwrap_or(0))
}

/// Integers around those whose windows are at an end: 0, ℓ, 2^252 and 2^252 less the offset, and so ℓ less it; the
/// multiples of 1/(2^w − 1) mod ℓ by 128 bits, of which one in 2^w − 1 has bit 252 set with the offset; any.
fn chosen(windows: Windows, expander: &mut Expander) -> Vec<BigUint> {
    let order = ORDER.iter().rev().fold(BigUint::ZERO, |x, word| (x << 64) + *word);
    let offset: [u64; 4] = windows.offset(scalar_windows(windows));
    let offset = offset.iter().rev().fold(BigUint::ZERO, |x, word| (x << 64) + *word);
    let top = BigUint::from(1_u8) << 252;
    let mut chosen = Vec::new();
    for edge in [BigUint::ZERO, order.clone(), &top + &order - &offset % &order] {
        for difference in 0..2_u8 {
            chosen.push((&edge + difference) % &order);
            chosen.push((&edge + &order - difference) % &order);
        }
    }
    // from 2^252 on with the offset, up to ℓ
    let first = (&top + &order - &offset % &order) % &order;
    for _ in 0..2 {
        let step = BigUint::from_bytes_le(&expander.bytes::<32>()) % (&order - &top);
        chosen.push((&first + step) % &order);
    }
    let part = BigUint::from((1_u32 << windows.width) - 1).modinv(&order).expect("prime");
    for _ in 0..4 {
        let z = BigUint::from_bytes_le(&expander.bytes::<16>());
        chosen.push(z * &part % &order);
        chosen.push(BigUint::from_bytes_le(&expander.bytes::<32>()) % &order);
    }
    chosen
}

#[test]
fn windows_hold_every_scalar_that_an_attacker_can_choose() {
    let mut expander = Expander::new("chosen scalars");
    let mut set = [0; SIGNED_WIDTHS.len()];
    for (windows, set) in SIGNED_WIDTHS.map(Windows::signed).into_iter().zip(&mut set) {
        let offset = windows.offset(scalar_windows(windows));
        for x in chosen(windows, &mut expander) {
            let x = words(&x);
            *set += usize::from(with_offset(&x, &offset)[3] >> 60 & 1 == 1);
            let expected = double_base_vartime(&[0; 4], &Extended::<Fe>::identity(()), &x);
            for backend in Backend::ALL.into_iter().filter(|backend| backend.is_available()) {
                for found in f25519::run_public(backend, &Multiple { x, windows }) {
                    let same = equal(&found.projective(), &expected.projective());
                    assert!(same.is_true_vartime(), "{backend}, width {}, {x:x?}", windows.width);
                }
            }
        }
    }
    // the case in question is among them, for each width
    assert!(set.iter().all(|set| *set >= 2), "{set:?}");
}

#[test]
fn offsets_and_widths_are_those_of_the_proof() {
    let mut widths = Vec::new();
    for row in proven::rows(0) {
        let windows = Windows::signed(proven::small(&row[0]) as u32);
        widths.push(windows.width);
        assert_eq!(row.len() - 3, scalar_windows(windows) as usize, "width {}", windows.width);
        let cut = with_offset(&proven::words(&row[1]), &windows.offset(scalar_windows(windows)));
        assert_eq!(cut, proven::words(&row[2]), "width {}, {}", windows.width, row[1]);
    }
    widths.dedup();
    assert_eq!(widths, SIGNED_WIDTHS);
    for (kind, expected) in [(1, &SIGNED_WIDTHS[..]), (2, &UNSIGNED_WIDTHS)] {
        let mut widths = Vec::new();
        for row in proven::rows(kind) {
            let windows = Windows { width: proven::small(&row[0]) as u32, signed: kind == 1 };
            widths.push(windows.width);
            assert_eq!(row.len() - 3, z_windows(windows).0 as usize, "width {}", windows.width);
        }
        widths.dedup();
        assert_eq!(widths, expected);
    }
}
