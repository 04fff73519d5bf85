//! Sums over many points, and their slices, against doublings and additions, in every backend.

mod proven;

use super::{MultiScalar, Scalars, base_multiple, memory_needed};
use crate::cpu::Backend;
use crate::ct::Mask;
use crate::curve::edwards::{Extended, equal};
use crate::curve::tests::torsion_generator;
use crate::field::algebra::{Algebra, LaneArray};
use crate::field::f25519::{self, Field, LaneField, Row, one_lane::Fe, take_product_rows};
use crate::memory::{Line, Memory, Scratch};
use crate::scalar::recode::Windows;
use crate::simd::Kernel;
use crate::tests::Expander;
use std::vec;
use std::vec::Vec;

type Point = Extended<Fe>;

/// Points of the first list have scalars of four words, those of the second of three, as far as the windows reach.
struct Sum<'a> {
    points: &'a [[u8; 32]],
    words: &'a [u64],
    windows: Windows,
    reach: [u32; 2],
    /// So much more memory than is needed.
    scratch: usize,
    work: usize,
}

/// The scalars of the second list begin after so many rows.
const OTHERS: usize = 11;

impl Sum<'_> {
    fn lists(&self) -> [Scalars<'_>; 3] {
        let list = |row: usize, words, stride, start, windows| Scalars {
            words,
            stride,
            start,
            first_row: row as u32,
            windows,
        };
        let (first, second) = self.words.split_at(4 * OTHERS);
        let second = &second[..3 * (self.points.len() - OTHERS)];
        [
            list(1, first, 4, 0, self.reach[0]),
            list(1 + OTHERS, second, 3, 0, self.reach[1]),
            Scalars::NONE,
        ]
    }

    /// For each window the digits of all points; the last of signed windows takes the bit above it, too.
    fn digits(&self) -> Vec<Vec<i64>> {
        let bits_of = |words: &[u64], window: u32, last: bool| {
            let bit = (window * self.windows.width) as usize;
            let word = |i: usize| words.get(i).copied().unwrap_or(0);
            let all = u128::from(word(bit / 64)) | u128::from(word(bit / 64 + 1)) << 64;
            let width = self.windows.width + u32::from(last && self.windows.signed);
            (all >> (bit % 64)) as u32 & ((1 << width) - 1)
        };
        let digit = |words: &[u64], window, reach| match self.windows.digit(bits_of(
            words,
            window,
            window + 1 == reach,
        )) {
            _ if window >= reach => 0,
            (magnitude, 0) => i64::from(magnitude),
            (magnitude, _) => -i64::from(magnitude),
        };
        let [first, second, _] = self.lists();
        let windows = 0..self.reach[0].max(self.reach[1]);
        let all = |window| {
            let first = first.words.chunks(4).map(move |words| digit(words, window, self.reach[0]));
            first
                .chain(second.words.chunks(3).map(move |words| digit(words, window, self.reach[1])))
        };
        windows.map(|window| all(window).collect()).collect()
    }

    fn points(&self) -> Vec<Point> {
        self.points.iter().map(|encoding| Point::decode((), encoding).0).collect()
    }
}

impl<F: LaneField> Kernel<F> for Sum<'_> {
    /// The sum, and the slices in the order in which they lie, if windows are unsigned.
    type Output = (Point, Vec<Point>);

    #[inline(always)]
    fn run(self, token: F::Token) -> Self::Output {
        let mut rows: Vec<Row> = vec![[Line([0; 8]); 2]; 1 + self.points.len()];
        F::store_rows(&base_multiple::<F>(token, 0), &mut rows[..1]);
        for (encoding, row) in self.points.iter().zip(&mut rows[1..]) {
            let (point, _) = Extended::<F>::decode(token, &F::Bytes::all(*encoding));
            F::store_rows(&point.affine_cached(), core::slice::from_mut(row));
        }
        let mut place = vec![Scratch::new(); 4096];
        let lists = self.lists();
        let reach = self.reach[0].max(self.reach[1]);
        let needed = memory_needed::<F>(self.windows, rows.len(), reach);
        let len = needed.div_ceil(size_of::<Scratch>()) + self.scratch;
        let mut scratch = vec![Scratch::new(); len];
        let groups = reach.div_ceil(F::LANES as u32);
        let count = if self.windows.signed { 0 } else { groups * self.windows.width };
        let mut place = Memory::new(&mut place);
        let slices = take_product_rows::<F>(token, &mut place, count as usize).expect("memory");
        let mut done = 0;
        let sum = loop {
            let mut work = self.work;
            let sum = MultiScalar {
                memory: Memory::new(&mut scratch),
                windows: self.windows,
                rows: &rows,
                scalars: &lists,
                slices: (count > 0).then_some(&mut *slices),
                done: &mut done,
                work: &mut work,
            };
            if let Some(sum) = Kernel::<F>::run(sum, token).expect("enough memory") {
                break sum;
            }
        };
        let slices = slices.iter().map(|row| {
            let products = F::load_products_vartime(token, &F::PerLane::all(row));
            let coordinates = products.map(|product| {
                let bytes = F::times::<1>(&product).to_bytes(F::mask(token, 0));
                Fe::from_bytes((), &bytes.lanes()[0]).widen()
            });
            Point::from_products(coordinates)
        });
        (sum, slices.collect())
    }
}

fn same(a: &Point, b: &Point) -> bool {
    equal(&a.projective(), &b.projective()).is_true_vartime()
}

fn add_times(sum: Point, point: &Point, times: i64) -> Point {
    let minus = Mask::from_bit(u64::from(times < 0));
    let [x, y, z, t] = point.products().map(|product| Fe::times::<1>(&product));
    let negative = |a: &Fe| Fe::select(minus, &f25519::neg(a), a).widen();
    let point = Point::from_products([negative(&x), y.widen(), z.widen(), negative(&t)]).cached();
    (0..times.unsigned_abs()).fold(sum, |sum, _| sum.add(&point).extended())
}

/// Points, some of small order, and words for their scalars.
fn points_and_words() -> (Vec<[u8; 32]>, Vec<u64>) {
    let mut expander = Expander::new("sums over many points");
    let torsion = torsion_generator::<Fe>(()).projective().encode();
    let mut points = vec![torsion, torsion, Point::identity(()).projective().encode()];
    while points.len() < 29 {
        let encoding = expander.bytes();
        if Point::decode((), &encoding).1.decodes.is_true_vartime() {
            points.push(encoding);
        }
    }
    let mut words: Vec<u64> = (0..4 * points.len()).map(|_| expander.word()).collect();
    // the lowest and the highest digits, and rows that share all of theirs
    words[..4].fill(0);
    words[4..8].fill(u64::MAX);
    words.copy_within(8..24, 24);
    (points, words)
}

/// The words as scalars of so many windows: without the bits above, but for the one next to the last window in every
/// third scalar, whose last window is 0 then.
fn within(words: &[u64], windows: Windows, reach: [u32; 2]) -> Vec<u64> {
    let mut words = words.to_vec();
    let (first, second) = words.split_at_mut(4 * OTHERS);
    let cut = |scalars: &mut [u64], stride, windows_of: u32| {
        let end = (windows_of * windows.width) as usize;
        let begin = end.saturating_sub(windows.width as usize);
        for (i, scalar) in scalars.chunks_mut(stride).enumerate() {
            let above = i % 3 == 0 && windows.signed;
            for bit in if above { begin } else { end }..64 * stride {
                if let Some(word) = scalar.get_mut(bit / 64) {
                    *word &= !(1 << (bit % 64));
                    *word |= u64::from(above && bit == end) << (bit % 64);
                }
            }
        }
    };
    cut(first, 4, reach[0]);
    cut(second, 3, reach[1]);
    words
}

#[test]
fn sums_and_slices_are_those_of_doublings_and_additions() {
    let (points, words) = points_and_words();
    let widths = [4, 5, 6, 7, 8];
    let signed = widths.map(Windows::signed);
    let unsigned = widths.map(|width| Windows { width, signed: false });
    for backend in Backend::ALL {
        if !backend.is_available() {
            std::eprintln!("SKIPPED: this CPU cannot run {}; nothing was tested", backend.name());
            continue;
        }
        for windows in signed.into_iter().chain(unsigned) {
            let all = 192 / windows.width;
            for reach in [[all, all], [all, 1], [3, all], [9, 0]] {
                // with little memory windows are filled one by one
                for (scratch, work) in [(4096, usize::MAX), (4096, 1), (0, 1)] {
                    let words = within(&words, windows, reach);
                    let sum = |words| {
                        let points = &points;
                        Sum { points, words, windows, reach, scratch, work }
                    };
                    let note = std::format!(
                        "{}, {} bits, signed {}, {reach:?}, {scratch}",
                        backend.name(),
                        windows.width,
                        windows.signed
                    );
                    let (found, slices) = f25519::run_public(backend, sum(&words));
                    let (digits, points) = (sum(&words).digits(), sum(&words).points());
                    let mut expected = Point::identity(());
                    for digits in digits.iter().rev() {
                        let shifted = expected.projective().double_times(windows.width);
                        expected = points
                            .iter()
                            .zip(digits)
                            .fold(shifted.extended(), |sum, (point, times)| {
                                add_times(sum, point, *times)
                            });
                    }
                    assert!(same(&found, &expected), "{note}");
                    let (lanes, width) = (backend.lanes().max(1), windows.width as usize);
                    for (i, slice) in slices.iter().enumerate() {
                        let (window, bit) =
                            (i / lanes / width * lanes + i % lanes, i / lanes % width);
                        let has = |digit: &i64| i64::from(digit >> bit & 1 == 1);
                        let expected = points
                            .iter()
                            .zip(digits.get(window).unwrap_or(&Vec::new()))
                            .fold(Point::identity(()), |sum, (point, digit)| {
                                add_times(sum, point, has(digit))
                            });
                        assert!(same(slice, &expected), "{note}, window {window}, bit {bit}");
                    }
                }
            }
        }
    }
}

/// What is needed is enough, and so is anything above: what is left over goes into windows that are filled together, and
/// nothing that comes after these may lack it.
#[test]
fn as_much_memory_as_is_needed_is_enough() {
    let (points, words) = points_and_words();
    let (points, words) = (&points, &words);
    for backend in Backend::ALL.into_iter().filter(|backend| backend.is_available()) {
        for windows in [Windows::signed(5), Windows::signed(7), Windows { width: 4, signed: false }]
        {
            let reach = [192 / windows.width; 2];
            for scratch in (0..240).step_by(3) {
                let sum = Sum { points, words, windows, reach, scratch, work: usize::MAX };
                f25519::run_public(backend, sum);
            }
        }
    }
}
