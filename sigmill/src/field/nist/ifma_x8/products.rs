//! Products and squares, and their reduction row by row.

use super::limbs::{LaneModulus, V};
use crate::cpu::Ifma;
use crate::simd::avx512::ifma_functions;

/// The columns without the lowest, and one more.
#[inline(always)]
pub(super) fn dropped<const N: usize>(columns: &[V; N], top: V) -> [V; N] {
    let mut rest = [top; N];
    let mut i = 1;
    while i < N {
        rest[i - 1] = columns[i];
        i += 1;
    }
    rest
}

/// Columns of one product, in the order in which their sums are not waited for: limb 0 of a row is
/// multiplied before the row's turn, so that only a multiple of p is missing in the lowest column then.
pub(super) struct Row<const N: usize>([V; N]);

impl<const N: usize> Row<N> {
    /// Adds what limb i of a has beside its product with limb 0 of b, and the low half of that of the
    /// next limb; gives the lowest column and makes the others the columns.
    #[inline(always)]
    fn add(&mut self, a: &[V; N], b: &[V; N], i: usize, top: V) -> V {
        let z = &mut self.0;
        let mut j = 1;
        while j < N {
            z[j] = z[j].madd_low(a[i], b[j]);
            j += 1;
        }
        let lowest = z[0];
        *z = dropped(z, top);
        j = 0;
        while j < N {
            z[j] = z[j].madd_high(a[i], b[j]);
            j += 1;
        }
        if i + 1 < N {
            z[0] = z[0].madd_low(a[i + 1], b[0]);
        }
        lowest
    }
}

/// The start of a product: columns that are added to it, or nothing.
#[inline(always)]
pub(super) fn start<M: LaneModulus<W, N>, const W: usize, const N: usize>(
    token: Ifma,
    addend: Option<&[[V; N]; 2]>,
) -> Row<N> {
    Row(match addend {
        Some([low, _]) => *low,
        None => M::start(token),
    })
}

/// Column N + i of what is added. Not from columns of zeros: the compiler orders products otherwise, and spills.
#[inline(always)]
pub(super) fn upper<const N: usize>(token: Ifma, addend: Option<&[[V; N]; 2]>, i: usize) -> V {
    match addend {
        Some([_, high]) => high[i],
        None => V::zero(token),
    }
}

/// `(a·b + c)/R`.
#[inline(always)]
pub(super) fn reduced_product<M: LaneModulus<W, N>, const W: usize, const N: usize>(
    [a, b]: [&[V; N]; 2],
    c: Option<&[[V; N]; 2]>,
) -> [V; N] {
    let token = a[0].token();
    let mut z = start::<M, W, N>(token, c);
    z.0[0] = z.0[0].madd_low(a[0], b[0]);
    let mut i = 0;
    while i < N {
        let lowest = z.add(a, b, i, upper(token, c, i));
        M::reduce(lowest, &mut z.0);
        i += 1;
    }
    M::finish(&mut z.0);
    z.0
}

/// `(a·b + c)/R` and `(d·e + f)/R`, row by row in turn.
#[inline(always)]
pub(super) fn reduced_products<M: LaneModulus<W, N>, const W: usize, const N: usize>(
    [a, b]: [&[V; N]; 2],
    c: Option<&[[V; N]; 2]>,
    [d, e]: [&[V; N]; 2],
    f: Option<&[[V; N]; 2]>,
) -> [[V; N]; 2] {
    let token = a[0].token();
    let (mut y, mut z) = (start::<M, W, N>(token, c), start::<M, W, N>(token, f));
    y.0[0] = y.0[0].madd_low(a[0], b[0]);
    z.0[0] = z.0[0].madd_low(d[0], e[0]);
    let mut i = 0;
    while i < N {
        let lowest = y.add(a, b, i, upper(token, c, i));
        M::reduce(lowest, &mut y.0);
        let lowest = z.add(d, e, i, upper(token, f, i));
        M::reduce(lowest, &mut z.0);
        i += 1;
    }
    M::finish(&mut y.0);
    M::finish(&mut z.0);
    [y.0, z.0]
}

/// Columns of `a·b`.
#[inline(always)]
pub(super) fn product_columns<const N: usize>(
    a: &[V; N],
    b: &[V; N],
    start: [V; N],
) -> [[V; N]; 2] {
    let mut columns = [start, [a[0].splat(0); N]];
    let z = columns.as_flattened_mut();
    for i in 0..N {
        for j in 0..N {
            z[i + j] = z[i + j].madd_low(a[i], b[j]);
        }
        for j in 0..N {
            z[i + j + 1] = z[i + j + 1].madd_high(a[i], b[j]);
        }
    }
    columns
}

/// The same, low halves and high halves in columns of their own: a column's sum is a chain of at most N instead of 2·N
/// instructions, for one product that everything waits for.
#[inline(always)]
pub(super) fn product_columns_apart<const N: usize>(
    a: &[V; N],
    b: &[V; N],
    start: [V; N],
) -> [[V; N]; 2] {
    let mut columns = [start, [a[0].splat(0); N]];
    let mut apart = [[a[0].splat(0); N]; 2];
    let (low, high) = (columns.as_flattened_mut(), apart.as_flattened_mut());
    for i in 0..N {
        for j in 0..N {
            low[i + j] = low[i + j].madd_low(a[i], b[j]);
            high[i + j + 1] = high[i + j + 1].madd_high(a[i], b[j]);
        }
    }
    for (low, high) in low.iter_mut().zip(high) {
        *low = *low + *high;
    }
    columns
}

/// Columns over R: what is above N of them, after so many rows.
#[inline(always)]
pub(super) fn reduced_columns<M: LaneModulus<W, N>, const W: usize, const N: usize>(
    [mut z, high]: [[V; N]; 2],
) -> [V; N] {
    let mut i = 0;
    while i < N {
        let lowest = z[0];
        z = dropped(&z, high[i]);
        M::reduce(lowest, &mut z);
        i += 1;
    }
    M::finish(&mut z);
    z
}

/// Columns of `2^SHIFT·a²`: the products of different limbs once and doubled.
#[inline(always)]
pub(super) fn square_columns<const SHIFT: u32, const N: usize>(
    a: &[V; N],
    start: [V; N],
) -> [[V; N]; 2] {
    let mut columns = [[a[0].splat(0); N]; 2];
    let z = columns.as_flattened_mut();
    for i in 0..N {
        for j in i + 1..N {
            z[i + j] = z[i + j].madd_low(a[i], a[j]);
            z[i + j + 1] = z[i + j + 1].madd_high(a[i], a[j]);
        }
    }
    for column in z.iter_mut() {
        *column = *column + *column;
    }
    for i in 0..N {
        z[2 * i] = z[2 * i].madd_low(a[i], a[i]);
        z[2 * i + 1] = z[2 * i + 1].madd_high(a[i], a[i]);
    }
    if SHIFT > 0 {
        for column in z.iter_mut() {
            *column = (*column).shift_left::<SHIFT>();
        }
    }
    for i in 0..N {
        columns[0][i] = columns[0][i] + start[i];
    }
    columns
}

ifma_functions! { always
    /// `a·b/R`.
    pub(super) fn mul [M: LaneModulus<W, N>, const W: usize, const N: usize] [M, W, N]
        (a: &[V; N], b: &[V; N]) -> [V; N]
    {
        reduced_product::<M, W, N>([a, b], None)
    }

    /// `a·b/R` and `c·d/R`.
    pub(super) fn mul_pair [M: LaneModulus<W, N>, const W: usize, const N: usize] [M, W, N]
        (ab: [&[V; N]; 2], cd: [&[V; N]; 2]) -> [[V; N]; 2]
    {
        reduced_products::<M, W, N>(ab, None, cd, None)
    }

    /// `(a·b + c)/R`, where c is columns.
    pub(super) fn mul_add [M: LaneModulus<W, N>, const W: usize, const N: usize] [M, W, N]
        (ab: [&[V; N]; 2], c: &[[V; N]; 2]) -> [V; N]
    {
        reduced_product::<M, W, N>(ab, Some(c))
    }

    /// `(a·b + c)/R` and `(d·e + f)/R`, where c and f are columns.
    pub(super) fn mul_add_pair [M: LaneModulus<W, N>, const W: usize, const N: usize] [M, W, N]
        (ab: [&[V; N]; 2], c: &[[V; N]; 2], de: [&[V; N]; 2], f: &[[V; N]; 2]) -> [[V; N]; 2]
    {
        reduced_products::<M, W, N>(ab, Some(c), de, Some(f))
    }

    /// `(a·b + c)/R`, where c is columns, and `d·e/R`.
    pub(super) fn mul_add_and_mul [M: LaneModulus<W, N>, const W: usize, const N: usize] [M, W, N]
        (ab: [&[V; N]; 2], c: &[[V; N]; 2], de: [&[V; N]; 2]) -> [[V; N]; 2]
    {
        reduced_products::<M, W, N>(ab, Some(c), de, None)
    }

    /// `a²/R`.
    pub(super) fn square [M: LaneModulus<W, N>, const W: usize, const N: usize] [M, W, N](a: &[V; N]) -> [V; N] {
        reduced_columns::<M, W, N>(square_columns::<0, N>(a, M::start(a[0].token())))
    }

    /// `a·b/R`, sooner than `mul` but by more instructions, where there are vectors enough for that.
    pub(super) fn mul_alone [M: LaneModulus<W, N>, const W: usize, const N: usize] [M, W, N]
        (a: &[V; N], b: &[V; N]) -> [V; N]
    {
        if N > 5 {
            // two products' columns and two operands are more than the vectors that there are
            reduced_product::<M, W, N>([a, b], None)
        } else {
            reduced_columns::<M, W, N>(product_columns_apart(a, b, M::start(a[0].token())))
        }
    }

    /// `a²/R` and `b²/R`, reduced in turn.
    pub(super) fn square_pair [M: LaneModulus<W, N>, const W: usize, const N: usize] [M, W, N](a: &[V; N], b: &[V; N]) -> [[V; N]; 2] {
        let [mut y, high_y] = square_columns::<0, N>(a, M::start(a[0].token()));
        let [mut z, high_z] = square_columns::<0, N>(b, M::start(a[0].token()));
        let mut i = 0;
        while i < N {
            let lowest = [y[0], z[0]];
            (y, z) = (dropped(&y, high_y[i]), dropped(&z, high_z[i]));
            M::reduce(lowest[0], &mut y);
            M::reduce(lowest[1], &mut z);
            i += 1;
        }
        M::finish(&mut y);
        M::finish(&mut z);
        [y, z]
    }
}
