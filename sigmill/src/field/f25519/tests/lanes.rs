//! Backends in lanes, with different values in different lanes. A backend that the CPU cannot run is skipped, and the test says
//! so.

use super::*;
use crate::field::algebra::{Algebra, LaneArray};
#[cfg(sigmill_lanes_128)]
use crate::field::f25519::lanes::u32_x4;
#[cfg(sigmill_lanes)]
use crate::field::f25519::lanes::{avx2_x4, fma_x4, ifma_x8};
use crate::field::f25519::{
    Field, Row, SecretLanes, are_reduced, sqrt_ratios, take_points, take_product_rows, top_bits,
    twice_product,
};
use crate::memory::{Line, Memory, Scratch};
use std::vec;

macro_rules! for_lane_backends {
    ($($test:ident)*) => {
        $(mod $test {
            use super::*;

            #[cfg(sigmill_lanes_128)]
            #[test]
            fn u32_x4() {
                run::<u32_x4::Fe>(super::$test::<u32_x4::Fe>);
            }

            #[cfg(sigmill_lanes)]
            #[test]
            fn ifma_x8() {
                run::<ifma_x8::Fe>(super::$test::<ifma_x8::Fe>);
            }

            #[cfg(sigmill_lanes)]
            #[test]
            fn avx2_x4() {
                run::<avx2_x4::Fe>(super::$test::<avx2_x4::Fe>);
            }

            #[cfg(sigmill_lanes)]
            #[test]
            fn fma_x4() {
                run::<fma_x4::Fe>(super::$test::<fma_x4::Fe>);
            }
        })*
    };
}

tests_of_every_field! {
    for_lane_backends:
    selection_and_masks_are_by_lane
    tables_give_each_lane_its_own_entry
    rows_come_back_in_any_lane
    rows_of_points_come_back_in_any_lane
    points_get_whole_memory
    inverses_and_square_roots_of_several_elements_at_once
}

fn run<F: InspectLanes>(test: fn(F::Token)) {
    let Some(token) = F::available() else {
        std::eprintln!("SKIPPED: this CPU cannot run {}; nothing was tested", F::NAME);
        return;
    };
    test(token);
}

/// Runs a closure with the backend's instructions, as formulas run.
fn enter<F: InspectLanes, O>(token: F::Token, work: impl FnOnce() -> O) -> O {
    struct Closure<W>(W);
    impl<F: LaneField, O, W: FnOnce() -> O> Kernel<F> for Closure<W> {
        type Output = O;

        #[inline(always)]
        fn run(self, _: F::Token) -> O {
            self.0()
        }
    }
    token.enter::<F, _>(Closure(work))
}

fn residues<F: InspectLanes>(limbs: &Grid) -> Vec<BigUint> {
    assert_eq!(limbs.len(), F::LANES);
    limbs.iter().map(|lane| value_at(F::OFFSETS, lane) % p()).collect()
}

fn checked<F: InspectLanes>(kind: Kind, limbs: Grid) -> Vec<BigUint> {
    for lane in &limbs {
        for (i, limb) in lane.iter().enumerate() {
            assert!(*limb <= F::limit(kind, i), "limb {i} is {limb}, over its bound");
        }
    }
    residues::<F>(&limbs)
}

fn of_product<F: InspectLanes>(product: &F::Product) -> Vec<BigUint> {
    checked::<F>(Kind::Product, F::of_product(product))
}

fn of_operand<F: InspectLanes>(operand: &F) -> Vec<BigUint> {
    checked::<F>(Kind::Operand, operand.of_operand())
}

/// Grids in which each of the extreme limbs stands once in each lane, beside others; and grids
/// with the same limbs in all lanes.
fn extreme_grids<F: InspectLanes>(kind: Kind) -> Vec<Grid> {
    let list = extreme_limbs_at(F::OFFSETS, &F::limit, kind);
    let apart = list.len() / F::LANES + 1;
    let beside = |n: usize| {
        (0..F::LANES).map(|l| list[(n + l * apart) % list.len()].clone()).collect::<Grid>()
    };
    let same = list.iter().step_by(9).map(|limbs| vec![limbs.clone(); F::LANES]);
    (0..list.len()).map(beside).chain(same).collect()
}

fn zip(a: &[BigUint], b: &[BigUint], f: impl Fn(&BigUint, &BigUint) -> BigUint) -> Vec<BigUint> {
    a.iter().zip(b).map(|(a, b)| f(a, b) % p()).collect()
}

fn times(a: &[BigUint], b: &[BigUint]) -> Vec<BigUint> {
    zip(a, b, |a, b| a * b)
}

fn plus(a: &[BigUint], b: &[BigUint]) -> Vec<BigUint> {
    zip(a, b, |a, b| a + b)
}

fn minus(a: &[BigUint], b: &[BigUint]) -> Vec<BigUint> {
    zip(a, b, |a, b| a + p() - b)
}

/// The lanes in which something holds.
fn mask_of(lanes: impl IntoIterator<Item = bool>) -> u8 {
    lanes.into_iter().enumerate().fold(0, |mask, (l, is)| mask | u8::from(is) << l)
}

fn all_lanes<F: InspectLanes>() -> u8 {
    u8::MAX >> (8 - F::LANES)
}

fn encoded<F: InspectLanes>(element: &F, top_bit: u8) -> Vec<[u8; 32]> {
    element.to_bytes(top_bit).lanes().to_vec()
}

fn decoded<F: InspectLanes>(token: F::Token, bytes: &[[u8; 32]]) -> F {
    F::from_bytes(token, &per_lane::<F>(bytes))
}

fn per_lane<F: InspectLanes>(bytes: &[[u8; 32]]) -> F::Bytes {
    let mut lanes = F::Bytes::all([0; 32]);
    lanes.lanes_mut().copy_from_slice(bytes);
    lanes
}

fn words_of(value: &BigUint) -> [u64; 4] {
    crate::word::load_le(&bytes_of(value))
}

fn index<F: InspectLanes>(each: impl FnMut(usize) -> u32) -> F::PerLane<u32> {
    let mut index = F::PerLane::<u32>::all(0);
    let values: Vec<u32> = (0..F::LANES).map(each).collect();
    index.lanes_mut().copy_from_slice(&values);
    index
}

fn random_limbs<F: InspectLanes>(expander: &mut Expander, kind: Kind) -> Grid {
    let mut limb = |i| expander.word() % (F::limit(kind, i) + 1);
    (0..F::LANES).map(|_| (0..F::OFFSETS.len()).map(&mut limb).collect()).collect()
}

fn products_and_squares_of_extreme_operands_are_right_and_keep_their_bound<F: InspectLanes>(
    token: F::Token,
) {
    let grids = extreme_grids::<F>(Kind::Operand);
    let values: Vec<_> = grids.iter().map(residues::<F>).collect();
    let elements: Vec<F> = grids.iter().map(|limbs| F::operand(token, limbs)).collect();
    let of = of_product::<F>;
    for (n, (a, va)) in elements.iter().zip(&values).enumerate() {
        assert_eq!(of(&enter::<F, _>(token, || a.square())), times(va, va), "{:?}²", grids[n]);
        for m in (n % 23..elements.len()).step_by(23) {
            let (b, vb) = (&elements[m], &values[m]);
            let product = enter::<F, _>(token, || a.mul(b));
            assert_eq!(of(&product), times(va, vb), "{:?}·{:?}", grids[n], grids[m]);
        }
        let (m, k) = ((n + 31) % elements.len(), (3 * n + 7) % elements.len());
        let (b, c) = (&elements[m], &elements[k]);
        let (vb, vc) = (&values[m], &values[k]);
        let [ab, ca] = enter::<F, _>(token, || F::mul_pair([a, b], [c, a]));
        assert_eq!((of(&ab), of(&ca)), (times(va, vb), times(vc, va)));
        let [bb, cc] = enter::<F, _>(token, || [b.square(), c.square()]);
        assert_eq!((of(&bb), of(&cc)), (times(vb, vb), times(vc, vc)));
        let mut several = [*a, *b, *c];
        F::multiply(&mut several, &[*b, *c, *a]);
        let expected = [times(va, vb), times(vb, vc), times(vc, va)];
        assert_eq!(several.each_ref().map(of_operand::<F>), expected);
        let (three, four, crosswise) = enter::<F, _>(token, || {
            let three = F::mul_three([a, b], [b, c], [c, a]);
            (three, F::mul_four([[a, b], [b, c], [c, a], [a, a]]), F::mul_crosswise(a, b, c, a))
        });
        let [ab, bc, ca] = [times(va, vb), times(vb, vc), times(vc, va)];
        assert_eq!(three.each_ref().map(of), [&ab, &bc, &ca].map(Clone::clone), "mul_three");
        assert_eq!(
            four.each_ref().map(of),
            [&ab, &bc, &ca, &times(va, va)].map(Clone::clone),
            "mul_four"
        );
        assert_eq!(crosswise.each_ref().map(of), [ab, ca, bc, times(va, va)], "mul_crosswise");
        // short and long chains: a backend may have another radix for the long ones
        for (len, times) in (0..=3).flat_map(|len| [3, [5, 6, 13][n % 3]].map(|n| (len, n))) {
            let mut several = [*a, *b, *c];
            F::square_times(&mut several[..len], times);
            for (i, (element, before)) in several.iter().zip([va, vb, vc]).enumerate() {
                let power = |v: &BigUint| v.modpow(&BigUint::from(1_u32 << times), &p());
                let power: Vec<_> = before.iter().map(power).collect();
                let expected = if i < len { &power } else { before };
                assert_eq!(&of_operand(element), expected, "{times} squarings of {len}, {i}");
            }
        }
    }
}

fn sums_of_products_are_right_and_keep_their_bound<F: InspectLanes>(token: F::Token) {
    let grids = extreme_grids::<F>(Kind::Product);
    for (n, a) in grids.iter().enumerate() {
        let (b, c) = (&grids[(n * 7 + 1) % grids.len()], &grids[(n * 5 + 3) % grids.len()]);
        let [fa, fb, fc] = [a, b, c].map(|grid| F::product(token, grid));
        let [va, vb, vc] = [a, b, c].map(|grid| residues::<F>(grid));
        let twice = plus(&va, &va);
        let (f, e) = enter::<F, _>(token, || {
            (F::sum::<2, -1, 1>(&fa, &fb, &fc), F::sum::<1, -1, -1>(&fa, &fb, &fc))
        });
        assert_eq!(of_operand(&f), plus(&minus(&twice, &vb), &vc));
        assert_eq!(of_operand(&e), minus(&minus(&va, &vb), &vc));
        let [more, less, two] = enter::<F, _>(token, || {
            let (more, less) = (F::sum_of_two::<2, 1>(&fa, &fb), F::sum_of_two::<2, -1>(&fa, &fb));
            [more, less, F::times::<2>(&fa)]
        });
        assert_eq!(of_operand(&more), plus(&twice, &vb));
        assert_eq!(of_operand(&less), minus(&twice, &vb));
        assert_eq!(of_operand(&two), twice);
        let [swapped, as_they_are] = enter::<F, _>(token, || {
            [!0, 0].map(|lanes| F::sum_and_difference(F::mask(token, lanes), &fa, &fb))
        });
        assert_eq!(as_they_are.each_ref().map(of_operand), [plus(&va, &vb), minus(&va, &vb)]);
        assert_eq!(swapped.each_ref().map(of_operand), [minus(&va, &vb), plus(&va, &vb)]);
        let minus_b = enter::<F, _>(token, || F::negate_where(F::mask(token, !0), &fb));
        assert_eq!(of_operand(&minus_b), minus(&minus(&vb, &vb), &vb));
        let three = enter::<F, _>(token, || F::sum::<1, 1, -1>(&fa, &fb, &fc));
        assert_eq!(of_operand(&three), minus(&plus(&va, &vb), &vc));
    }
}

fn twice_product_is_twice_the_product<F: InspectLanes>(token: F::Token) {
    let grids = extreme_grids::<F>(Kind::Product);
    for (x, y) in grids.iter().zip(grids.iter().rev()) {
        let (px, py) = (F::product(token, x), F::product(token, y));
        let twice = enter::<F, _>(token, || {
            let (x, y) = (F::times::<1>(&px), F::times::<1>(&py));
            twice_product((&x, &y), (&px, &py), (&x.square(), &y.square()))
        });
        let xy = times(&residues::<F>(x), &residues::<F>(y));
        assert_eq!(of_operand(&twice), plus(&xy, &xy), "2·{x:?}·{y:?}");
    }
}

fn products_with_small_integers_are_right_and_keep_their_bound<F: InspectLanes>(token: F::Token) {
    for a in extreme_grids::<F>(Kind::Operand) {
        for n in SMALL {
            let product = enter::<F, _>(token, || F::operand(token, &a).mul_small(n));
            let expected: Vec<_> = residues::<F>(&a).iter().map(|a| a * n % p()).collect();
            assert_eq!(of_product::<F>(&product), expected, "{a:?}·{n}");
        }
    }
}

fn encoding_comparison_and_parity_see_the_residue<F: InspectLanes>(token: F::Token) {
    for (n, limbs) in extreme_grids::<F>(Kind::Operand).iter().enumerate() {
        let (element, expected) = (F::operand(token, limbs), residues::<F>(limbs));
        let top = n as u8 & all_lanes::<F>();
        let bytes = enter::<F, _>(token, || element.to_bytes(top));
        assert_eq!(top_bits::<F>(&bytes) & all_lanes::<F>(), top);
        for (l, (bytes, value)) in bytes.lanes().iter().zip(&expected).enumerate() {
            let mut with_top = bytes_of(value);
            with_top[31] |= (top >> l & 1) << 7;
            assert_eq!(*bytes, with_top, "{limbs:?}");
        }
        assert_eq!(of_product::<F>(&enter::<F, _>(token, || element.widen())), expected);
        let (odd, zero) = enter::<F, _>(token, || (element.is_odd(), element.is_zero()));
        assert_eq!(odd & all_lanes::<F>(), mask_of(expected.iter().map(|v| v.bit(0))));
        let is_zero = |value: &BigUint| *value == BigUint::ZERO;
        assert_eq!(zero & all_lanes::<F>(), mask_of(expected.iter().map(is_zero)));
        // equal in some lanes, different in the others
        let differs = (n / 3) as u8 & all_lanes::<F>();
        let other = |(l, value): (usize, &BigUint)| bytes_of(&((value + (differs >> l & 1)) % p()));
        let other: Vec<_> = expected.iter().enumerate().map(other).collect();
        let other = decoded::<F>(token, &other);
        let equal = enter::<F, _>(token, || [element.equal(&other), other.equal(&element)]);
        assert_eq!(equal.map(|mask| mask & all_lanes::<F>()), [!differs & all_lanes::<F>(); 2]);
    }
}

fn values_from_p_up_are_reduced_and_the_top_bit_is_not_read<F: InspectLanes>(token: F::Token) {
    // from p − 9 to 2^255 − 1 = p + 18, at most 2^255 − 1 with the top bit; others anywhere
    let mut values: Vec<BigUint> = (0..28_u8).map(|k| p() - 9_u8 + k).collect();
    values.extend([0, 1, 18, 19, 20].map(|small: u8| BigUint::from(small)));
    values.extend(
        (0..255).map(|bit| (BigUint::from(1_u8) << 255) - 1_u8 - (BigUint::from(1_u8) << bit)),
    );
    for n in 0..values.len() {
        let value = |l: usize| &values[(n + 5 * l) % values.len()];
        let top = (n * 37) as u8 & all_lanes::<F>();
        let bytes = |l: usize| {
            let mut bytes = bytes_of(value(l));
            bytes[31] |= (top >> l & 1) << 7;
            bytes
        };
        let bytes = per_lane::<F>(&(0..F::LANES).map(bytes).collect::<Vec<_>>());
        let (element, reduced) =
            enter::<F, _>(token, || (F::from_bytes(token, &bytes), are_reduced::<F>(&bytes)));
        assert_eq!(reduced & all_lanes::<F>(), mask_of((0..F::LANES).map(|l| *value(l) < p())));
        assert_eq!(top_bits::<F>(&bytes) & all_lanes::<F>(), top);
        let expected: Vec<_> = (0..F::LANES).map(|l| value(l) % p()).collect();
        assert_eq!(of_operand(&element), expected);
        assert_eq!(encoded(&element, 0), expected.iter().map(bytes_of).collect::<Vec<_>>());
        let splat = enter::<F, _>(token, || F::splat(token, &words_of(value(0))));
        assert_eq!(of_operand(&splat), vec![value(0) % p(); F::LANES]);
    }
}

fn selection_and_masks_are_by_lane<F: InspectLanes>(token: F::Token) {
    let mut expander = Expander::new("selection");
    for bits in 0..=u32::from(all_lanes::<F>()) {
        let mask = F::mask(token, bits);
        assert_eq!(F::bits(mask) & u32::from(all_lanes::<F>()), bits);
        let (a, b) = (
            random_limbs::<F>(&mut expander, Kind::Operand),
            random_limbs::<F>(&mut expander, Kind::Operand),
        );
        let (fa, fb) = (F::operand(token, &a), F::operand(token, &b));
        let chosen = enter::<F, _>(token, || F::select(mask, &fa, &fb)).of_operand();
        for (l, limbs) in chosen.iter().enumerate() {
            assert_eq!(*limbs, if bits >> l & 1 == 1 { a[l].clone() } else { b[l].clone() });
        }
        let inverse = enter::<F, _>(token, || F::select(!mask, &fa, &fb)).of_operand();
        let opposite = enter::<F, _>(token, || F::select(mask, &fb, &fa)).of_operand();
        assert_eq!(inverse, opposite);
    }
}

fn tables_give_each_lane_its_own_entry<F: InspectLanes>(token: F::Token) {
    let mut expander = Expander::new("tables");
    let words: Vec<[[u64; 4]; 3]> = (0..130)
        .map(|_| {
            core::array::from_fn(|_| {
                words_of(&(BigUint::from_bytes_le(&expander.bytes::<32>()) % p()))
            })
        })
        .collect();
    for _ in 0..500 {
        let entries = index::<F>(|_| expander.word() as u32 % words.len() as u32);
        let mut references = F::PerLane::all(&words[0]);
        for (reference, entry) in references.lanes_mut().iter_mut().zip(entries.lanes()) {
            *reference = &words[*entry as usize];
        }
        let loaded = enter::<F, _>(token, || F::load_words_vartime(token, &references));
        for (c, element) in loaded.iter().enumerate() {
            let expected = |entry: &u32| crate::word::store_le(&words[*entry as usize][c]);
            let expected: Vec<_> = entries.lanes().iter().map(expected).collect();
            assert_eq!(encoded(element, 0), expected);
            of_operand(element);
        }
    }
}

/// In a program that has set another rounding mode, and zeros in place of subnormal numbers.
#[cfg(sigmill_lanes)]
#[test]
fn products_of_doubles_are_the_same_however_they_are_rounded() {
    run::<fma_x4::Fe>(|token| {
        // to nearest, down, up, to zero; flush to zero and denormals are zero
        for rounding in 0..4 {
            for subnormal in [0, 0x8040] {
                crate::simd::avx2::with_control(rounding << 13 | subnormal, || {
                    products_and_squares_of_extreme_operands_are_right_and_keep_their_bound::<
                        fma_x4::Fe,
                    >(token);
                    products_with_small_integers_are_right_and_keep_their_bound::<fma_x4::Fe>(
                        token,
                    );
                    sums_of_products_are_right_and_keep_their_bound::<fma_x4::Fe>(token);
                });
            }
        }
    });
}

/// The lanes of `values` written to rows one after the other, each vector by `store`; what comes back by `load`
/// from the rows that a lane each names.
fn points_come_back<F: InspectLanes, V, R: Copy>(
    kind: Kind,
    empty: &[R],
    store: impl Fn(&[Grid; 4], &mut [R]),
    load: impl Fn(&F::PerLane<&R>) -> [V; 4],
    limbs: impl Fn(&V) -> Grid,
) {
    let mut rows = empty.to_vec();
    let mut written: Vec<[Vec<u64>; 4]> = Vec::new();
    let mut grids = extreme_grids::<F>(kind).into_iter().step_by(5);
    for chunk in rows.chunks_mut(F::LANES) {
        let point: [Grid; 4] = core::array::from_fn(|_| grids.next().expect("enough grids"));
        // the last chunk is shorter than the lanes: what does not fit is left out
        store(&point, chunk);
        let lanes = 0..chunk.len();
        written.extend(lanes.map(|l| point.each_ref().map(|limbs| limbs[l].clone())));
    }
    let mut expander = Expander::new("points");
    for _ in 0..500 {
        let index = index::<F>(|_| expander.word() as u32 % rows.len() as u32);
        let mut places = F::PerLane::all(&rows[0]);
        for (place, index) in places.lanes_mut().iter_mut().zip(index.lanes()) {
            *place = &rows[*index as usize];
        }
        for (c, value) in load(&places).iter().enumerate() {
            for (l, limbs) in limbs(value).iter().enumerate() {
                assert_eq!(*limbs, written[index.lanes()[l] as usize][c]);
            }
        }
    }
}

fn rows_of_points_come_back_in_any_lane<F: InspectLanes>(token: F::Token) {
    let len = 4 * F::LANES + F::LANES / 2;
    points_come_back::<F, F, _>(
        Kind::Operand,
        &vec![F::OperandRow::default(); len],
        |point, rows| {
            let point = point.each_ref().map(|limbs| F::operand(token, limbs));
            enter::<F, _>(token, || F::store_operands(&point, rows));
        },
        |rows| enter::<F, _>(token, || F::load_operands_vartime(token, rows)),
        |value| value.of_operand(),
    );
    let mut scratch = [Scratch::new(); 32];
    let mut memory = Memory::new(&mut scratch);
    let empty = take_product_rows::<F>(token, &mut memory, 5).expect("enough memory");
    assert_eq!(empty.len(), 5 * F::LANES);
    points_come_back::<F, F::Product, _>(
        Kind::Product,
        &empty[..len],
        |point, rows| {
            let point = point.each_ref().map(|limbs| F::product(token, limbs));
            enter::<F, _>(token, || F::store_products(&point, rows));
        },
        |rows| enter::<F, _>(token, || F::load_products_vartime(token, rows)),
        |value| F::of_product(value),
    );
    assert!(take_product_rows::<F>(token, &mut memory, usize::MAX / 2).is_none());
}

fn rows_come_back_in_any_lane<F: InspectLanes>(token: F::Token) {
    let mut rows: Vec<Row> = vec![[Line([u64::MAX; 8]); 2]; 4 * F::LANES + 3];
    let mut written: Vec<[Vec<u64>; 3]> = Vec::new();
    let mut grids = extreme_grids::<F>(Kind::Operand).into_iter().step_by(7);
    for chunk in rows.chunks_mut(F::LANES) {
        let triple: [Grid; 3] = core::array::from_fn(|_| grids.next().expect("enough grids"));
        let elements = triple.each_ref().map(|limbs| F::operand(token, limbs));
        // the last chunk is shorter than the lanes: what does not fit is left out
        let before = chunk.len();
        enter::<F, _>(token, || F::store_rows(&elements, chunk));
        written.extend((0..before).map(|l| triple.each_ref().map(|limbs| limbs[l].clone())));
    }
    let mut expander = Expander::new("rows");
    for _ in 0..500 {
        let index = index::<F>(|_| expander.word() as u32 % rows.len() as u32);
        let loaded = enter::<F, _>(token, || F::load_rows_vartime(token, &rows, &index));
        for (c, element) in loaded.iter().enumerate() {
            for (l, limbs) in element.of_operand().iter().enumerate() {
                assert_eq!(*limbs, written[index.lanes()[l] as usize][c]);
            }
        }
    }
    // more rows than lanes: the others stay as they are
    let elements = [F::splat(token, &[1, 2, 3, 4]); 3];
    let last = rows[F::LANES];
    F::store_rows(&elements, &mut rows[..F::LANES + 1]);
    assert_eq!(rows[F::LANES].map(|line| line.0), last.map(|line| line.0));
    let past = index::<F>(|l| rows.len() as u32 + l as u32);
    F::load_rows_vartime(token, &rows, &past).iter().for_each(|element| {
        of_operand(element);
    });
}

#[test]
fn four_lanes_come_in_another_order() {
    #[cfg(sigmill_lanes_128)]
    run::<u32_x4::Fe>(each_four_are_arranged::<u32_x4::Fe>);
    #[cfg(sigmill_lanes)]
    run::<ifma_x8::Fe>(each_four_are_arranged::<ifma_x8::Fe>);
    #[cfg(sigmill_lanes)]
    run::<avx2_x4::Fe>(each_four_are_arranged::<avx2_x4::Fe>);
}

fn each_four_are_arranged<F: InspectLanes + SecretLanes>(token: F::Token) {
    const FROM: i32 = 2 | 3 << 4 | 1 << 6;
    for limbs in extreme_grids::<F>(Kind::Product) {
        let lanes = of_product::<F>(&F::product(token, &limbs));
        let product = F::product(token, &limbs);
        let arranged = of_product::<F>(&enter::<F, _>(token, || F::arrange::<FROM>(&product)));
        for (l, lane) in arranged.iter().enumerate() {
            let (four, i) = (l & !3, l & 3);
            assert_eq!(*lane, lanes[four + [2, 0, 3, 1][i]], "lane {l}");
        }
    }
}

#[test]
fn lanes_that_are_not_there_are_zero() {
    use crate::field::f25519::one_lane::Fe;
    let one = Fe::splat((), &[1, 0, 0, 0]);
    let is =
        |a: &Fe, expected: u64| a.equal(&Fe::splat((), &[expected, 0, 0, 0])).is_true_vartime();
    // lane 0 from itself, and from lane 1
    assert!(is(&Fe::times::<1>(&Fe::arrange::<0b1110_0100>(&one.widen())), 1));
    assert!(is(&Fe::times::<1>(&Fe::arrange::<0b1110_0001>(&one.widen())), 0));
}

fn points_get_whole_memory<F: InspectLanes>(token: F::Token) {
    let size = size_of::<[F::Product; 4]>();
    let mut scratch = vec![Scratch::new(); (5 * size).div_ceil(512)];
    let mut memory = Memory::new(&mut scratch);
    let whole = memory.len();
    let (a, b) = (F::splat(token, &[5, 6, 7, 8]).widen(), F::splat(token, &[9; 4]).widen());
    let first = take_points::<F>(token, &mut memory, 2).expect("room for two");
    let second = take_points::<F>(token, &mut memory, 3).expect("room for three");
    assert_eq!((first.len(), second.len(), memory.len()), (2, 3, whole - 5 * size));
    first.fill([a, b, a, b]);
    second.fill([b; 4]);
    for [c, d, e, f] in first {
        let found = [c, d, e, f].map(|product| of_product::<F>(product));
        assert_eq!(found, [a, b, a, b].map(|product| of_product::<F>(&product)));
    }
    assert_eq!(of_product::<F>(&second[2][3]), of_product::<F>(&b));
    let mut scratch = vec![Scratch::new(); 5 * size / 512 - 1];
    assert!(take_points::<F>(token, &mut Memory::new(&mut scratch), 5).is_none());
    assert!(take_points::<F>(token, &mut Memory::new(&mut scratch), usize::MAX / 256).is_none());
}

fn inverses_and_square_roots_of_several_elements_at_once<F: InspectLanes>(token: F::Token) {
    several::<F, 2>(token);
    several::<F, 4>(token);
}

fn several<F: InspectLanes, const N: usize>(token: F::Token) {
    let mut expander = Expander::new("several");
    let half = (p() - 1_u8) >> 1;
    let mut squares = 0;
    for round in 0..10 {
        let mut random = || BigUint::from_bytes_le(&expander.bytes::<32>()) % p();
        let us: Vec<BigUint> = (0..N * F::LANES)
            .map(|n| if n % 7 == round { BigUint::ZERO } else { random() })
            .collect();
        let vs: Vec<BigUint> = (0..N * F::LANES).map(|_| random()).collect();
        let wide = |values: &[BigUint]| {
            let bytes: Vec<[u8; 32]> = values.iter().map(bytes_of).collect();
            let part = |i: usize| decoded::<F>(token, &bytes[i * F::LANES..][..F::LANES]);
            core::array::from_fn::<F, N, _>(part)
        };
        let (u, v) = (wide(&us), wide(&vs));
        let (inverses, exist, squared, negatives) = enter::<F, _>(token, || {
            let (roots, exist) = sqrt_ratios(&u, &v);
            let squared = roots.map(|root| root.square());
            (u.map(|u| invert(&u)), exist, squared, u.map(|u| neg(&u)))
        });
        let inverses: Vec<_> = inverses.iter().flat_map(of_operand).collect();
        let squared: Vec<_> = squared.iter().flat_map(of_product::<F>).collect();
        let negatives: Vec<_> = negatives.iter().flat_map(of_operand).collect();
        for n in 0..N * F::LANES {
            let exists = exist[n / F::LANES] >> (n % F::LANES) & 1 == 1;
            assert_eq!(inverses[n], us[n].modpow(&(p() - 2_u8), &p()));
            assert_eq!(negatives[n], (p() - &us[n]) % p());
            let ratio = &us[n] * vs[n].modpow(&(p() - 2_u8), &p()) % p();
            let expected =
                us[n] == BigUint::ZERO || ratio.modpow(&half, &p()) == BigUint::from(1_u8);
            assert_eq!(exists, expected, "{} / {}", us[n], vs[n]);
            if expected {
                squares += 1;
                assert_eq!(squared[n], ratio);
            }
        }
    }
    let all = 10 * N * F::LANES;
    assert!((all / 3..all * 4 / 5).contains(&squares), "{squares} of {all} ratios are squares");
}
