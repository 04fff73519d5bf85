//! Σ [xᵢ]Pᵢ over many points, by buckets (Pippenger), with the lanes on buckets of similar size.
//!
//! Scalars are cut into windows of w bits. In each window a point goes into the bucket of its digit,
//! and the buckets' sums S_b give the window's sum Σ b·S_b. Points are sorted by bucket, buckets by
//! how many points they have, and LANES buckets of similar size are summed side by side: no two lanes
//! ever write the same bucket, and only points are loaded.
//!
//! The bucket sums are folded bit by bit: the sum of the buckets whose index has the top bit is one
//! result; the upper half is added to the lower half; and so on. What comes out is, for each bit k,
//! the sum of all points whose digit has bit k: for unsigned windows the *slices* of the scalars'
//! bits. They cost no more additions than the usual running sum.
//!
//! Public scalars and points only: time and addresses depend on them. Reach: `edwards`, `field`,
//! `memory`.

use super::edwards::{AffineCached, Extended};
use super::tables::base::BASE_MULTIPLES;
use crate::field::f25519::Fe;
use crate::field::{Field, Job, LaneArray, LaneField, Row};
use crate::memory::Memory;

/// How a scalar is cut: windows of `width` bits, signed (digits −2^(width−1) to 2^(width−1), from
/// scalars with [`Windows::offset`] added) or unsigned.
#[derive(Clone, Copy)]
pub(crate) struct Windows {
    pub(crate) width: u32,
    pub(crate) signed: bool,
}

impl Windows {
    /// Buckets of one window. Bucket b of a signed window holds the digits ±(b + 1), of an unsigned
    /// one the digit b.
    const fn buckets(self) -> usize {
        1 << if self.signed { self.width - 1 } else { self.width }
    }

    /// Σ 2^(width−1)·2^(width·i) over the windows: added to a scalar before it is cut.
    pub(crate) const fn offset(self, windows: u32) -> [u64; 4] {
        let mut offset = [0; 4];
        let mut i = 0;
        while i < windows {
            let bit = self.width * i + self.width - 1;
            if bit < 256 {
                offset[bit as usize / 64] |= 1 << (bit % 64);
            }
            i += 1;
        }
        offset
    }

    /// Twice the bucket of a window's bits, plus 1 where the digit is negative; [`NO_BUCKET`] for the
    /// digit 0.
    #[inline(always)]
    fn digit(self, bits: u32) -> u32 {
        if self.signed {
            let digit = bits as i32 - (1 << (self.width - 1));
            let minus = (digit < 0) as u32;
            // 0 becomes −1 and so the largest bucket there could be
            (digit.unsigned_abs().wrapping_sub(1) << 1) | minus
        } else if bits == 0 {
            NO_BUCKET
        } else {
            bits << 1
        }
    }
}

/// Above twice any bucket.
const NO_BUCKET: u32 = u32::MAX - 1;

/// Scalars for consecutive rows: each `stride` words, of which those from `start` on, up to the end
/// of the stride, are the scalar, lowest first.
#[derive(Clone, Copy)]
pub(crate) struct Scalars<'a> {
    pub(crate) words: &'a [u64],
    pub(crate) stride: usize,
    pub(crate) start: usize,
    /// The row of the first.
    pub(crate) first_row: u32,
    /// How many windows they reach.
    pub(crate) windows: u32,
}

impl Scalars<'_> {
    /// The rows of the scalars that reach a window.
    #[inline(always)]
    fn rows(&self, window: u32) -> core::ops::Range<u32> {
        let len = if window < self.windows { self.words.len() / self.stride } else { 0 };
        self.first_row..self.first_row + len as u32
    }

    /// The bits of a window of each scalar that reaches it.
    #[inline(always)]
    fn window(&self, windows: Windows, window: u32) -> impl Iterator<Item = u32> {
        let reached = if window < self.windows { self.words } else { &[] };
        let bit = window * windows.width;
        let (low, shift) = (self.start + bit as usize / 64, bit % 64);
        // the upper word is the lower one where the window ends in it
        let high = if shift + windows.width > 64 { low + 1 } else { low };
        let mask = (1_u64 << windows.width) - 1;
        reached.chunks_exact(self.stride).map(move |scalar| {
            let low = scalar.get(low).map_or(0, |word| word >> shift);
            let high = scalar.get(high).map_or(0, |word| word << 1 << (63 - shift));
            ((low | high) & mask) as u32
        })
    }
}

/// Buckets with this many points or more count as equally large when they are put side by side.
const SIZES: usize = 128;

/// The memory of one window's buckets.
pub(crate) struct Buckets<'m, F: LaneField> {
    windows: Windows,
    /// How many points a bucket has, and where its points start in `list`.
    counts: &'m mut [u32],
    starts: &'m mut [u32],
    /// Buckets by falling size.
    order: &'m mut [u32],
    /// 2·bucket, plus 1 where the digit is negative, or [`NO_BUCKET`], of each scalar.
    digits: &'m mut [u32],
    /// 2·row, plus 1 where the digit is negative, sorted by bucket.
    list: &'m mut [u32],
    /// Where a bucket's sum lies: LANES·(element) + lane.
    positions: &'m mut [u32],
    /// Sums in the order in which they were made, and in bucket order.
    sums: &'m mut [[F::Product; 4]],
    folded: &'m mut [[F::Product; 4]],
}

impl<'m, F: LaneField> Buckets<'m, F> {
    pub(crate) fn new(
        token: F::Token,
        memory: &mut Memory<'m>,
        windows: Windows,
        points: usize,
    ) -> Option<Self> {
        let buckets = windows.buckets();
        Some(Buckets {
            windows,
            counts: memory.take(buckets)?,
            starts: memory.take(buckets)?,
            order: memory.take(buckets)?,
            digits: memory.take(points)?,
            list: memory.take(points)?,
            positions: memory.take(buckets)?,
            sums: F::take_points(token, memory, buckets.div_ceil(F::LANES))?,
            folded: F::take_points(token, memory, buckets.div_ceil(F::LANES))?,
        })
    }

    /// Sorts the points of a window by bucket.
    #[inline(always)]
    fn sort(&mut self, window: u32, scalars: &[Scalars<'_>; 3]) {
        self.counts.fill(0);
        let mut digits = self.digits.iter_mut();
        for scalars in scalars {
            for (bits, digit) in scalars.window(self.windows, window).zip(&mut digits) {
                *digit = self.windows.digit(bits);
                if let Some(count) = self.counts.get_mut((*digit >> 1) as usize) {
                    *count += 1;
                }
            }
        }
        let mut start = 0;
        for (s, count) in self.starts.iter_mut().zip(&*self.counts) {
            *s = start;
            start += count;
        }
        let mut digits = self.digits.iter();
        for scalars in scalars {
            for (row, digit) in scalars.rows(window).zip(&mut digits) {
                if let Some(start) = self.starts.get_mut((digit >> 1) as usize)
                    && let Some(entry) = self.list.get_mut(*start as usize)
                {
                    *entry = 2 * row + (digit & 1);
                    *start += 1;
                }
            }
        }
        let mut places = [0; SIZES];
        let place = |count: u32| SIZES - 1 - (count as usize).min(SIZES - 1);
        for count in &*self.counts {
            places[place(*count)] += 1;
        }
        let mut first = 0;
        for p in &mut places {
            first += core::mem::replace(p, first);
        }
        for (bucket, count) in self.counts.iter().enumerate() {
            let place = &mut places[place(*count)];
            if let Some(order) = self.order.get_mut(*place as usize) {
                *order = bucket as u32;
            }
            *place += 1;
        }
    }

    /// Sums each bucket. Row 0 of `rows` is the identity.
    #[inline(always)]
    fn accumulate(&mut self, token: F::Token, rows: &[Row]) {
        for (element, (sum, group)) in
            self.sums.iter_mut().zip(self.order.chunks(F::LANES)).enumerate()
        {
            let mut first = F::PerLane::<u32>::all(0);
            let mut count = F::PerLane::<u32>::all(0);
            let mut steps = 0;
            for (lane, bucket) in group.iter().enumerate() {
                let (bucket, points) = (*bucket as usize, self.counts[*bucket as usize]);
                steps = steps.max(points);
                count.lanes_mut()[lane] = points;
                // placing has moved the start to the end
                first.lanes_mut()[lane] = self.starts[bucket] - points;
                self.positions[bucket] = (element * F::LANES + lane) as u32;
            }
            let mut acc = Extended::<F>::identity(token);
            for step in 0..steps {
                let mut index = F::PerLane::<u32>::all(0);
                let mut minus = 0;
                for lane in 0..F::LANES {
                    let at = (first.lanes()[lane] + step) as usize;
                    let entry = if step < count.lanes()[lane] { self.list[at] } else { 0 };
                    index.lanes_mut()[lane] = entry >> 1;
                    minus |= (entry & 1) << lane;
                }
                let (point, minus) =
                    (F::load_rows_vartime(token, rows, &index), F::mask(token, minus));
                acc = if step == 0 {
                    Extended::from_cached(&point, minus)
                } else {
                    acc.add_affine_signed(&affine(&point), minus).extended()
                };
            }
            *sum = acc.products();
        }
    }

    /// The sums over each bit of the digits: `bit(k, sum)`, for bits from log2(LANES) on, still apart
    /// in lanes by the lower bits; returns what those lanes hold in all.
    #[inline(always)]
    fn fold(&mut self, token: F::Token, mut bit: impl FnMut(u32, &Extended<F>)) -> Extended<F> {
        let buckets = self.positions.len();
        for (element, folded) in self.folded.iter_mut().enumerate() {
            let mut positions = F::PerLane::<u32>::all(0);
            for lane in 0..F::LANES.min(buckets) {
                positions.lanes_mut()[lane] = self.positions[element * F::LANES + lane];
            }
            *folded = F::pick_products_vartime(token, self.sums, &positions);
        }
        let mut len = self.folded.len();
        while len > 1 {
            let (low, high) = self.folded[..len].split_at_mut(len / 2);
            let mut sum = Extended::<F>::from_products(high[0]);
            let mut lower = Extended::from_products(low[0]);
            low[0] = lower.add(&sum.cached()).extended().products();
            for (low, high) in low.iter_mut().zip(&*high).skip(1) {
                let high = Extended::from_products(*high).cached();
                sum = sum.add(&high).extended();
                lower = Extended::from_products(*low);
                *low = lower.add(&high).extended().products();
            }
            len /= 2;
            bit((len * F::LANES).trailing_zeros(), &sum);
        }
        Extended::from_products(self.folded[0])
    }
}

/// The sum of some windows, as many as lanes, one in each lane, and the sums over each bit of their
/// digits.
pub(crate) struct Slices<'m, F: LaneField> {
    /// For each bit from log2(LANES) on, and for the lanes' rest: one window's vector in each element.
    parts: &'m mut [[F::Product; 4]],
    width: u32,
}

const MAX_WIDTH: usize = 16;

impl<'m, F: LaneField> Slices<'m, F> {
    const LANE_BITS: u32 = F::LANES.trailing_zeros();

    pub(crate) fn new(token: F::Token, memory: &mut Memory<'m>, windows: Windows) -> Option<Self> {
        // bits of a bucket's index
        let width = windows.buckets().trailing_zeros();
        let parts = (width - Self::LANE_BITS + 1) as usize * F::LANES;
        Some(Slices { parts: F::take_points(token, memory, parts)?, width })
    }

    /// Sorts, sums and folds window `first` + lane for each lane, where there is one.
    #[inline(always)]
    fn collect(
        &mut self,
        token: F::Token,
        buckets: &mut Buckets<'_, F>,
        rows: &[Row],
        scalars: &[Scalars<'_>; 3],
        first: u32,
    ) {
        let rest = (self.width - Self::LANE_BITS) as usize * F::LANES;
        let identity = Extended::<F>::identity(token).products();
        for lane in 0..F::LANES {
            if first + lane as u32 >= reach(scalars) {
                for part in self.parts.iter_mut().skip(lane).step_by(F::LANES) {
                    *part = identity;
                }
                continue;
            }
            buckets.sort(first + lane as u32, scalars);
            buckets.accumulate(token, rows);
            let parts = &mut *self.parts;
            let total = buckets.fold(token, |bit, sum| {
                parts[(bit - Self::LANE_BITS) as usize * F::LANES + lane] = sum.products();
            });
            parts[rest + lane] = total.products();
        }
    }

    /// Row of parts `part` with windows and lanes exchanged: element l holds lane l of each window.
    #[inline(always)]
    fn transposed(&self, token: F::Token, part: usize, l: usize) -> Extended<F> {
        let table = &self.parts[part * F::LANES..][..F::LANES];
        let mut positions = F::PerLane::<u32>::all(0);
        for (window, position) in positions.lanes_mut().iter_mut().enumerate() {
            *position = (window * F::LANES + l) as u32;
        }
        Extended::from_products(F::pick_products_vartime(token, table, &positions))
    }

    /// For each bit k of the windows' digits the sum of the points that have it, windows in lanes;
    /// and the sum of all points.
    #[inline(always)]
    fn bits(&self, token: F::Token, mut bit: impl FnMut(usize, &Extended<F>)) -> Extended<F> {
        let rest = (self.width - Self::LANE_BITS) as usize;
        for k in 0..rest {
            let mut sum = self.transposed(token, k, 0);
            for l in 1..F::LANES {
                sum = sum.add(&self.transposed(token, k, l).cached()).extended();
            }
            bit(k + Self::LANE_BITS as usize, &sum);
        }
        // what the lanes hold in all: halves of them, as in `fold`
        let mut sums = F::PerLane::all(Extended::<F>::identity(token));
        for (l, sum) in sums.lanes_mut().iter_mut().enumerate() {
            *sum = self.transposed(token, rest, l);
        }
        for k in (0..Self::LANE_BITS).rev() {
            let (low, high) = sums.lanes_mut().split_at_mut(1 << k);
            let mut sum = high[0];
            low[0] = low[0].add(&sum.cached()).extended();
            for l in 1..1 << k {
                let high = high[l].cached();
                sum = sum.add(&high).extended();
                low[l] = low[l].add(&high).extended();
            }
            bit(k as usize, &sum);
        }
        sums.lanes()[0]
    }
}

/// How many windows the longest scalars reach.
#[inline(always)]
fn reach(scalars: &[Scalars<'_>; 3]) -> u32 {
    scalars[0].windows.max(scalars[1].windows).max(scalars[2].windows)
}

/// `Σ [x]P` over the rows that the scalars name, or none if there is not enough memory. Row 0 is the
/// identity. With `slices`, the sums of the points whose scalar has a bit: bit k of window
/// LANES·g + l in lane l of element width·g + k.
#[inline(always)]
pub(crate) fn multi_scalar_vartime<F: LaneField>(
    token: F::Token,
    memory: Memory<'_>,
    windows: Windows,
    rows: &[Row],
    scalars: &[Scalars<'_>; 3],
    slices: Option<&mut [[F::Product; 4]]>,
) -> Option<Extended<Fe>> {
    F::enter(token, MultiScalar { memory, windows, rows, scalars, slices })
}

struct MultiScalar<'a, 'm, P> {
    memory: Memory<'m>,
    windows: Windows,
    rows: &'a [Row],
    scalars: &'a [Scalars<'a>; 3],
    slices: Option<&'a mut [[P; 4]]>,
}

impl<F: LaneField> Job<F> for MultiScalar<'_, '_, F::Product> {
    type Output = Option<Extended<Fe>>;

    #[inline(always)]
    fn run(self, token: F::Token) -> Option<Extended<Fe>> {
        let MultiScalar { mut memory, windows, rows, scalars, mut slices } = self;
        let points = scalars.iter().map(|scalars| scalars.words.len() / scalars.stride).sum();
        let mut buckets = Buckets::<F>::new(token, &mut memory, windows, points)?;
        let mut sums = Slices::<F>::new(token, &mut memory, windows)?;
        let width = sums.width as usize;
        let mut result = Extended::<Fe>::identity(());
        for group in (0..reach(scalars).div_ceil(F::LANES as u32)).rev() {
            sums.collect(token, &mut buckets, rows, scalars, group * F::LANES as u32);
            let mut bits = [Extended::<F>::identity(token); MAX_WIDTH];
            let total = sums.bits(token, |k, bit| bits[k] = *bit);
            if let Some(slices) = &mut slices {
                for (slice, bit) in slices[group as usize * width..].iter_mut().zip(&bits[..width])
                {
                    *slice = bit.products();
                }
            }
            let mut window = bits[width - 1];
            for bit in bits[..width - 1].iter().rev() {
                window = window.double().extended().add(&bit.cached()).extended();
            }
            if windows.signed {
                window = window.add(&total.cached()).extended();
            }
            let window_sums = lanes(token, &window);
            for window in window_sums.lanes().iter().rev() {
                let mut shifted = result.projective();
                for _ in 1..windows.width {
                    shifted = shifted.double().projective();
                }
                result = shifted.double().extended().add(&window.cached()).extended();
            }
        }
        Some(result)
    }
}

/// The point of each lane.
#[inline(always)]
fn lanes<F: LaneField>(token: F::Token, point: &Extended<F>) -> F::PerLane<Extended<Fe>> {
    let mut points = F::PerLane::all(Extended::<Fe>::identity(()));
    let mut coordinates = [F::PerLane::<[u8; 32]>::all([0; 32]); 4];
    for (coordinate, product) in coordinates.iter_mut().zip(&point.products()) {
        *coordinate = F::per_lane(F::carry(product).to_bytes(F::mask(token, 0)));
    }
    for (lane, point) in points.lanes_mut().iter_mut().enumerate() {
        let product = |i: usize| Fe::from_bytes((), &coordinates[i].lanes()[lane]).widen();
        *point = Extended::from_products([product(0), product(1), product(2), product(3)]);
    }
    points
}

/// Bytes of memory that [`multi_scalar_vartime`] needs.
#[inline(always)]
pub(crate) fn memory_needed<F: LaneField>(windows: Windows, points: usize) -> usize {
    let buckets = windows.buckets();
    let elements = buckets.div_ceil(F::LANES);
    let width = buckets.trailing_zeros() as usize;
    let parts = (width + 1).saturating_sub(F::LANES.trailing_zeros() as usize) * F::LANES;
    let point = F::LANES * 160;
    // six slices and two more, each of whole lines
    buckets * 16 + points * 8 + (2 * elements + parts) * point + 8 * 64
}

/// `multiple`·B in each lane, for a multiple of at most 128.
#[inline(always)]
pub(crate) fn base_multiple<F: LaneField>(token: F::Token, multiple: u32) -> [F; 3] {
    F::load_words_vartime(token, &F::PerLane::all(&BASE_MULTIPLES[multiple as usize]))
}

/// A row's triple as the second operand of an addition.
#[inline(always)]
pub(crate) fn affine<F: Field>(triple: &[F; 3]) -> AffineCached<F> {
    let [y_plus_x, y_minus_x, xy_2d] = *triple;
    AffineCached { y_plus_x, y_minus_x, xy_2d }
}
