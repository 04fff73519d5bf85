//! Σ [xᵢ]Pᵢ over many points, by buckets (Pippenger), with the lanes on buckets of similar size.
//!
//! Scalars are cut into windows of w bits. In each window a point goes into the bucket of its digit,
//! and the buckets' sums S_b give the window's sum Σ b·S_b. Points are sorted by bucket, buckets by
//! how many points they have, and LANES buckets of similar size are summed side by side: no two lanes
//! ever write the same bucket, and only points are loaded. The buckets of some windows are filled together:
//! the more there are, the closer in size are those side by side.
//!
//! The bucket sums are folded bit by bit: the sum of the buckets whose index has the top bit is one
//! result; the upper half is added to the lower half; and so on. The result is, for each bit k,
//! the sum of all points whose digit has bit k: for unsigned windows the *slices* of the scalars'
//! bits. They cost no more additions than the usual running sum. If as many windows as lanes are filled
//! together, each is folded in its lane; else the buckets of one are in the lanes, and what is left of it there takes
//! its lane in the end (`Slices`).
//!
//! Public scalars and points only: time and addresses depend on them.

use super::formulas::{AffineCached, Cached, Extended};
use super::packed::{SumInWords, SumOfWindows};
use crate::curve::tables::edwards25519::base_multiple_vartime;
use crate::field::algebra::{Algebra, LaneArray};
use crate::field::f25519::{Field, LaneField, Row, one_lane::Fe};
use crate::field::f25519::{run_in_words, run_packed, take_points, take_product_rows};
use crate::memory::Memory;
use crate::scalar::recode::Windows;
use crate::simd::{Instructions, Kernel, prefetch};
use crate::word::{load_le, store_le};

/// Buckets of one window. Bucket b of a signed window holds the digits ±(b + 1), of an unsigned one the digit b.
const fn buckets(windows: Windows) -> usize {
    1 << if windows.signed { windows.width - 1 } else { windows.width }
}

/// The magnitude of the first bucket of a window. The digit 0 has a bucket among unsigned
/// digits only, and it stays empty.
const fn first_bucket(windows: Windows) -> usize {
    windows.signed as usize
}

/// So many buckets of consecutive windows are filled together if there is memory for them: the more there are, the closer
/// in size are those side by side.
const TOGETHER: usize = 512;

/// How many windows are done together: a power of two, so that a vector of them is whole steps.
#[inline(always)]
fn windows_together<F: LaneField>(
    windows: Windows,
    rows: usize,
    reach: u32,
    memory: usize,
) -> usize {
    let mut together = F::LANES;
    while together > 1
        && (together * buckets(windows) > TOGETHER
            || needed::<F>(windows, rows, reach, together) > memory)
    {
        together /= 2;
    }
    together
}

/// Scalars for consecutive rows: each `stride` words, of which those from `start` on, up to the end
/// of the stride, are the scalar, lowest first.
#[derive(Clone, Copy)]
pub(crate) struct Scalars<'a> {
    pub(crate) words: &'a [u64],
    pub(crate) stride: usize,
    pub(crate) start: usize,
    /// The row of the first.
    pub(crate) first_row: u32,
    /// How many windows they reach. The last of signed windows takes the bit above it, too: where it is set and the
    /// window's own bits are not, the digit is 2^(width − 1), whose bucket is there for −2^(width − 1).
    pub(crate) windows: u32,
}

impl Scalars<'_> {
    /// No rows.
    pub(crate) const NONE: Self =
        Scalars { words: &[], stride: 1, start: 0, first_row: 0, windows: 0 };

    /// Puts the rows whose scalar reaches a window into the chains of their digits. A function of its own: a few
    /// instructions a row, which need the registers.
    #[inline(never)]
    fn chain(&self, windows: Windows, window: u32, heads: &mut [u64], links: &mut [u32]) {
        if window >= self.windows || heads.is_empty() {
            return;
        }
        let bit = window * windows.width;
        let (word, shift) = (self.start + bit as usize / 64, bit % 64);
        let takes_one_more = windows.signed && window + 1 == self.windows;
        let cut = Windows { width: windows.width + u32::from(takes_one_more), ..windows };
        let (two_words, last) = (shift + cut.width > 64 && word + 1 < self.stride, heads.len() - 1);
        // twice a row
        let mut entry = 2 * u64::from(self.first_row);
        let mut add = |link: &mut u32, bits: u64| {
            let (magnitude, minus) = windows.digit(bits as u32);
            // a magnitude is at most 2^width − 1, which is `last`
            let head = &mut heads[magnitude as usize & last];
            *link = *head as u32;
            *head = (*head & COUNT) + ONE_MORE + (entry + u64::from(minus));
            entry += 2;
        };
        let links = links.get_mut(self.first_row as usize..).unwrap_or_default();
        let scalars = links.iter_mut().zip(self.words.chunks_exact(self.stride));
        if two_words {
            for (link, words) in scalars {
                add(link, cut.bits(words[word], words[word + 1], shift));
            }
        } else {
            for (link, words) in scalars {
                add(link, cut.bits(words[word], 0, shift));
            }
        }
    }
}

/// Buckets with this many points or more count as equally large when they are put side by side.
const SIZES: usize = 128;

/// The bits of a head that count the points of its bucket, and one point.
const COUNT: u64 = !0 << 32;
const ONE_MORE: u64 = 1 << 32;

/// The memory of the buckets of as many windows as are done together.
///
/// A bucket is a chain: its head names its last point, and the link of that point's row in that window the
/// one before. An entry, head or link, is 2·row, plus 1 where the digit is negative. Chains end in row 0, which is
/// the identity and its own successor: a lane whose bucket has come to its end may go on.
pub(crate) struct Buckets<'m, F: LaneField> {
    windows: Windows,
    /// 2^32·(number of points) + (first entry) of the digits 0, 1, 2 … by magnitude, 2^width in each window.
    heads: &'m mut [u64],
    /// How many rows there are.
    rows: usize,
    /// The next entry of each row, one window after the other.
    links: &'m mut [u32],
    /// The heads of the buckets, by falling size.
    order: &'m mut [u32],
    /// The position of the sum of a head's bucket: LANES·(element) + lane.
    positions: &'m mut [u32],
    /// Sums in the order in which they were made.
    sums: &'m mut [F::ProductRow],
    /// The same in bucket order: of as many windows as lanes each in its lane, else of one window, its buckets in the lanes.
    folded: &'m mut [[F::Product; 4]],
}

impl<'m, F: LaneField> Buckets<'m, F> {
    pub(crate) fn new(
        token: F::Token,
        memory: &mut Memory<'m>,
        windows: Windows,
        rows: usize,
        together: usize,
    ) -> Option<Self> {
        let buckets = buckets(windows);
        Some(Buckets {
            windows,
            heads: memory.take(together << windows.width)?,
            rows,
            links: memory.take(together * rows)?,
            order: memory.take(together * buckets)?,
            positions: memory.take(together << windows.width)?,
            sums: take_product_rows::<F>(token, memory, (together * buckets).div_ceil(F::LANES))?,
            folded: take_points::<F>(token, memory, points_to_fold::<F>(buckets, together))?,
        })
    }

    /// Chains the points of the windows from `first` on by bucket.
    #[inline(always)]
    fn sort(&mut self, first: u32, scalars: &[Scalars<'_>; 3]) {
        let Buckets { windows, heads, rows, links, order, .. } = self;
        let windows = *windows;
        heads.fill(0);
        let each = heads.chunks_exact_mut(1 << windows.width).zip(links.chunks_exact_mut(*rows));
        for (window, (heads, links)) in (first..).zip(each) {
            links[0] = 0;
            for scalars in scalars {
                scalars.chain(windows, window, heads, links);
            }
            heads[0] = 0;
        }
        let mut places = [0; SIZES];
        let place = |head: u64| SIZES - 1 - ((head >> 32) as usize).min(SIZES - 1);
        let of_buckets = (0..heads.len())
            .step_by(1 << windows.width)
            .flat_map(|first| (first + first_bucket(windows)..).take(buckets(windows)));
        for head in of_buckets.clone() {
            places[place(heads[head])] += 1;
        }
        let mut first = 0;
        for p in &mut places {
            first += core::mem::replace(p, first);
        }
        for head in of_buckets {
            let place = &mut places[place(heads[head])];
            if let Some(order) = order.get_mut(*place as usize) {
                *order = head as u32;
            }
            *place += 1;
        }
    }

    /// Sums each bucket.
    #[inline(always)]
    fn accumulate(&mut self, token: F::Token, rows: &[Row]) {
        for (element, (sums, group)) in
            self.sums.chunks_mut(F::LANES).zip(self.order.chunks(F::LANES)).enumerate()
        {
            let mut entries = F::PerLane::<u32>::all(0);
            let mut links = F::PerLane::<&[u32]>::all(&self.links[..self.rows]);
            let mut steps = 0;
            for (lane, bucket) in group.iter().enumerate() {
                let head = self.heads[*bucket as usize];
                let window = (*bucket >> self.windows.width) as usize;
                links.lanes_mut()[lane] = &self.links[window * self.rows..][..self.rows];
                steps = steps.max(head >> 32);
                entries.lanes_mut()[lane] = head as u32;
                self.positions[*bucket as usize] = (element * F::LANES + lane) as u32;
            }
            let mut ahead = entries;
            for (ahead, links) in ahead.lanes_mut().iter_mut().zip(links.lanes()) {
                *ahead = links[(*ahead >> 1) as usize];
                prefetch_row(rows, *ahead);
            }
            let mut acc = Extended::<F>::identity(token);
            for step in 0..steps {
                let mut index = F::PerLane::<u32>::all(0);
                let mut minus = 0;
                for lane in 0..F::LANES {
                    let entry = &mut entries.lanes_mut()[lane];
                    index.lanes_mut()[lane] = *entry >> 1;
                    minus |= (*entry & 1) << lane;
                    let ahead = &mut ahead.lanes_mut()[lane];
                    *entry = *ahead;
                    *ahead = links.lanes()[lane][(*ahead >> 1) as usize];
                    prefetch_row(rows, *ahead);
                }
                let (point, minus) =
                    (F::load_rows_vartime(token, rows, &index), F::mask(token, minus));
                acc = if step == 0 {
                    Extended::from_cached(&point, minus)
                } else {
                    acc.add_affine_signed(&affine(&point), minus).extended()
                };
            }
            F::store_products(&acc.products(), sums);
        }
    }

    /// The sums of the buckets, each window in its lane: element b is bucket b of each.
    #[inline(always)]
    fn by_windows(&mut self, token: F::Token) -> &mut [[F::Product; 4]] {
        for (bucket, folded) in self.folded.iter_mut().enumerate() {
            let mut rows = F::PerLane::all(&self.sums[0]);
            for (window, row) in rows.lanes_mut().iter_mut().enumerate() {
                let head = (window << self.windows.width) + first_bucket(self.windows) + bucket;
                *row = &self.sums[self.positions[head] as usize];
            }
            *folded = F::load_products_vartime(token, &rows);
        }
        self.folded
    }

    /// The sums of the buckets of one window: element e are the buckets from LANES·e on.
    #[inline(always)]
    fn of_window(&mut self, token: F::Token, window: usize) -> &mut [[F::Product; 4]] {
        let first = (window << self.windows.width) + first_bucket(self.windows);
        let positions = &self.positions[first..][..buckets(self.windows)];
        for (folded, positions) in self.folded.iter_mut().zip(positions.chunks(F::LANES)) {
            let mut rows = F::PerLane::all(&self.sums[0]);
            for (row, position) in rows.lanes_mut().iter_mut().zip(positions) {
                *row = &self.sums[*position as usize];
            }
            *folded = F::load_products_vartime(token, &rows);
        }
        self.folded
    }
}

/// How many points are folded at once.
const fn points_to_fold<F: LaneField>(buckets: usize, together: usize) -> usize {
    if together == F::LANES { buckets } else { buckets.div_ceil(F::LANES) }
}

/// For each bit k of their index the sum of the points that have it, from the highest on; returns the sum of all. The sum
/// of the upper half is a result, which is then added to the lower half, and so on.
#[inline(always)]
fn fold<F: LaneField>(
    token: F::Token,
    points: &mut [[F::Product; 4]],
    mut bit: impl FnMut(usize, &Extended<F>),
) -> Extended<F> {
    let mut len = points.len();
    while len > 1 {
        len /= 2;
        let (low, high) = points[..2 * len].split_at_mut(len);
        let mut sum = Extended::<F>::identity(token);
        for (i, (low, high)) in low.iter_mut().zip(&*high).enumerate() {
            let high = Extended::from_products(*high);
            let to_add = cached(token, &high);
            sum = if i == 0 { high } else { add(token, &sum, &to_add) };
            *low = add(token, &Extended::from_products(*low), &to_add).products();
        }
        bit(len.trailing_zeros() as usize, &sum);
    }
    Extended::from_products(points[0])
}

/// `sum + q`: a function of its own, because an addition is five kilobytes of code in some backends. The loop
/// over the points of a bucket, which is most of the work, has its own.
#[inline(always)]
fn add<F: LaneField>(token: F::Token, sum: &Extended<F>, q: &Cached<F>) -> Extended<F> {
    token.enter::<F, _>(Add { sum, q })
}

struct Add<'a, F: LaneField> {
    sum: &'a Extended<F>,
    q: &'a Cached<F>,
}

impl<F: LaneField> Kernel<F> for Add<'_, F> {
    type Output = Extended<F>;

    #[inline(always)]
    fn run(self, _: F::Token) -> Extended<F> {
        self.sum.add(self.q).extended()
    }
}

/// The point as the second operand of an addition.
struct ToCached<'a, F: LaneField>(&'a Extended<F>);

impl<F: LaneField> Kernel<F> for ToCached<'_, F> {
    type Output = Cached<F>;

    #[inline(always)]
    fn run(self, _: F::Token) -> Cached<F> {
        self.0.cached()
    }
}

#[inline(always)]
fn cached<F: LaneField>(token: F::Token, point: &Extended<F>) -> Cached<F> {
    token.enter::<F, _>(ToCached(point))
}

/// Asks for the row that an entry names.
#[inline(always)]
fn prefetch_row(rows: &[Row], entry: u32) {
    if let Some(row) = rows.get((entry >> 1) as usize) {
        prefetch(row);
    }
}

/// Windows that are folded one by one: as many as lanes, one in each lane in the end, and the sums over each bit of
/// their digits.
pub(crate) struct Slices<'m, F: LaneField> {
    /// For each bit from log2(LANES) on, and for the lanes' rest: one window's lanes after the other.
    parts: &'m mut [F::ProductRow],
    width: u32,
}

const MAX_WIDTH: usize = 10;

impl<'m, F: LaneField> Slices<'m, F> {
    const LANE_BITS: u32 = F::LANES.trailing_zeros();

    pub(crate) fn new(
        token: F::Token,
        memory: &mut Memory<'m>,
        windows: Windows,
        together: usize,
    ) -> Option<Self> {
        // bits of a bucket's index
        let width = buckets(windows).trailing_zeros();
        let parts = rows_of_parts::<F>(width, together);
        Some(Slices { parts: take_product_rows::<F>(token, memory, parts)?, width })
    }

    /// Sorts, sums and folds the windows from `first` on that are done together, each for its lane; past the end they are
    /// empty.
    #[inline(always)]
    fn collect(
        &mut self,
        token: F::Token,
        buckets: &mut Buckets<'_, F>,
        rows: &[Row],
        scalars: &[Scalars<'_>; 3],
        first: u32,
    ) {
        let rest = (self.width - Self::LANE_BITS) as usize;
        let together = buckets.heads.len() >> buckets.windows.width;
        let first_lane = first as usize % F::LANES;
        if first >= reach(scalars) {
            let identity = Extended::<F>::identity(token);
            for part in 0..=rest {
                for lane in first_lane..first_lane + together {
                    self.store(part, lane, &identity);
                }
            }
            return;
        }
        buckets.sort(first, scalars);
        buckets.accumulate(token, rows);
        for window in 0..together {
            let (points, lane) = (buckets.of_window(token, window), first_lane + window);
            let total = fold::<F>(token, points, |k, sum| self.store(k, lane, sum));
            self.store(rest, lane, &total);
        }
    }

    /// Writes a part of the window in a lane.
    #[inline(always)]
    fn store(&mut self, part: usize, window: usize, sum: &Extended<F>) {
        let first = (part * F::LANES + window) * F::LANES;
        F::store_products(&sum.products(), &mut self.parts[first..]);
    }

    /// Row of parts `part` with windows and lanes exchanged: element l holds lane l of each window.
    #[inline(always)]
    fn transposed(&self, token: F::Token, part: usize, l: usize) -> Extended<F> {
        let table = &self.parts[part * F::LANES * F::LANES..][..F::LANES * F::LANES];
        let mut rows = F::PerLane::all(&table[0]);
        for (window, row) in rows.lanes_mut().iter_mut().enumerate() {
            *row = &table[window * F::LANES + l];
        }
        Extended::from_products(F::load_products_vartime(token, &rows))
    }

    /// For each bit k of the windows' digits the sum of the points that have it, windows in lanes;
    /// and the sum of all points.
    #[inline(always)]
    fn bits(&self, token: F::Token, mut bit: impl FnMut(usize, &Extended<F>)) -> Extended<F> {
        let rest = (self.width - Self::LANE_BITS) as usize;
        for k in 0..rest {
            let mut sum = self.transposed(token, k, 0);
            for l in 1..F::LANES {
                sum = add(token, &sum, &cached(token, &self.transposed(token, k, l)));
            }
            bit(k + Self::LANE_BITS as usize, &sum);
        }
        let mut sums = F::PerLane::all(Extended::<F>::identity(token).products());
        for (l, sum) in sums.lanes_mut().iter_mut().enumerate() {
            *sum = self.transposed(token, rest, l).products();
        }
        fold::<F>(token, sums.lanes_mut(), bit)
    }
}

/// How many rows the parts of a vector of windows are: none where windows are in lanes from the beginning.
fn rows_of_parts<F: LaneField>(width: u32, together: usize) -> usize {
    if together == F::LANES {
        return 0;
    }
    (width - F::LANES.trailing_zeros() + 1) as usize * F::LANES
}

/// How many windows the longest scalars reach.
#[inline(always)]
fn reach(scalars: &[Scalars<'_>; 3]) -> u32 {
    scalars[0].windows.max(scalars[1].windows).max(scalars[2].windows)
}

/// Goes on with `Σ [x]P` over the rows that the scalars name: `done` windows have been dealt with, 0 before the first
/// call, and as many more are as `work` is left for, which counts additions of points. Gives the sum in the end; all
/// else is the same in each call, what it left in memory too. None if there is not enough memory. Row 0 is the identity.
/// With `slices`, the sums of the points whose scalar has a bit: bit k of window LANES·g + l in row
/// (width·g + k)·LANES + l.
pub(crate) struct MultiScalar<'a, 'm, R> {
    pub(crate) memory: Memory<'m>,
    pub(crate) windows: Windows,
    pub(crate) rows: &'a [Row],
    pub(crate) scalars: &'a [Scalars<'a>; 3],
    pub(crate) slices: Option<&'a mut [R]>,
    pub(crate) done: &'a mut u32,
    pub(crate) work: &'a mut usize,
}

impl<F: LaneField> Kernel<F> for MultiScalar<'_, '_, F::ProductRow> {
    type Output = Option<Option<Extended<Fe>>>;

    #[inline(always)]
    fn run(self, token: F::Token) -> Option<Option<Extended<Fe>>> {
        let MultiScalar { mut memory, windows, rows, scalars, mut slices, done, work } = self;
        let (lanes, reach) = (F::LANES as u32, reach(scalars));
        let groups = reach.div_ceil(lanes);
        let together = windows_together::<F>(windows, rows.len(), reach, memory.len());
        let weighted = take_points::<F>(token, &mut memory, groups as usize)?;
        let mut buckets = Buckets::<F>::new(token, &mut memory, windows, rows.len(), together)?;
        let mut slices_of_windows = Slices::<F>::new(token, &mut memory, windows, together)?;
        let width = slices_of_windows.width as usize;
        while *done < groups * lanes {
            if *work == 0 {
                return Some(None);
            }
            let (first, group) = (*done, (*done / lanes) as usize);
            *done += together as u32;
            for window in first..*done {
                *work = work.saturating_sub(additions(windows, scalars, window));
            }
            let mut bits = [Extended::<F>::identity(token); MAX_WIDTH];
            let total = if together == F::LANES {
                buckets.sort(first, scalars);
                buckets.accumulate(token, rows);
                fold::<F>(token, buckets.by_windows(token), |k, bit| bits[k] = *bit)
            } else {
                slices_of_windows.collect(token, &mut buckets, rows, scalars, first);
                if *done % lanes != 0 {
                    continue;
                }
                slices_of_windows.bits(token, |k, bit| bits[k] = *bit)
            };
            if let Some(slices) = &mut slices {
                let slices = slices[group * width * F::LANES..].chunks_mut(F::LANES);
                for (slice, bit) in slices.zip(&bits[..width]) {
                    F::store_products(&bit.products(), slice);
                }
            }
            let mut window = bits[width - 1];
            for bit in bits[..width - 1].iter().rev() {
                window = add(token, &window.double().extended(), &cached(token, bit));
            }
            if windows.signed {
                window = add(token, &window, &cached(token, &total));
            }
            weighted[group] = window.products();
        }
        let points = memory.take(groups as usize * F::LANES)?;
        for (group, points) in weighted.iter().zip(points.chunks_exact_mut(F::LANES)) {
            let coordinates =
                group.each_ref().map(|product| F::times::<1>(product).to_bytes(F::mask(token, 0)));
            for (lane, point) in points.iter_mut().enumerate() {
                *point = coordinates.map(|bytes| load_le(&bytes.lanes()[lane]));
            }
        }
        let sum = SumOfWindows { width: windows.width, points: &points[..reach as usize] };
        // eight lanes are those of the CPUs on which one point's values are soonest ready in lanes
        let in_lanes = if F::LANES == 8 { run_packed(sum) } else { None };
        let sum = in_lanes.unwrap_or_else(|| run_in_words(SumInWords(sum)));
        let product = |words| Fe::from_bytes((), &store_le(&words)).widen();
        Some(Some(Extended::from_products(sum.map(product))))
    }
}

/// How many additions a window takes: a little more than its points and twice its buckets.
#[inline(always)]
fn additions(windows: Windows, scalars: &[Scalars<'_>; 3], window: u32) -> usize {
    let reached = scalars.iter().filter(|scalars| window < scalars.windows);
    2 * buckets(windows) + reached.map(|s| s.words.len() / s.stride + 1).sum::<usize>()
}

/// Bytes of memory that [`MultiScalar`] needs at least for so many rows of points and scalars of so many windows.
#[inline(always)]
pub(crate) fn memory_needed<F: LaneField>(windows: Windows, rows: usize, reach: u32) -> usize {
    needed::<F>(windows, rows, reach, 1)
}

/// The same for so many windows together.
#[inline(always)]
fn needed<F: LaneField>(windows: Windows, rows: usize, reach: u32, together: usize) -> usize {
    let buckets = buckets(windows);
    let elements = (together * buckets).div_ceil(F::LANES) + points_to_fold::<F>(buckets, together);
    let parts = rows_of_parts::<F>(buckets.trailing_zeros(), together);
    let point = F::LANES * 160;
    let groups = (reach as usize).div_ceil(F::LANES);
    // sums of windows in words, and nine slices in all, each of whole lines
    together * (buckets * 4 + (12 << windows.width) + rows * 4)
        + (elements + parts + groups) * point
        + groups * F::LANES * size_of::<[[u64; 4]; 4]>()
        + 9 * 64
}

/// `multiple`·B in each lane, for a multiple of at most 128.
#[inline(always)]
pub(crate) fn base_multiple<F: LaneField>(token: F::Token, multiple: u32) -> [F; 3] {
    F::load_words_vartime(token, &F::PerLane::all(base_multiple_vartime(0, multiple)))
}

/// A row's triple as the second operand of an addition.
#[inline(always)]
pub(crate) fn affine<F: Field>(triple: &[F; 3]) -> AffineCached<F> {
    let [y_plus_x, y_minus_x, xy_2d] = *triple;
    AffineCached { y_plus_x, y_minus_x, xy_2d }
}

#[cfg(test)]
mod tests;
