//! Bounds of sums of two products, which the matrix of a batch makes of two numbers.

use super::values::{Value, Values};
use crate::error::Result;
use crate::facts::{Fact, Pair};
use crate::number::{self, Int};
use crate::poly::Poly;

/// A row (a, b) with |a| + |b| <= n: the facts n - a - b, n - a + b, n + a - b, n + a + b >= 0.
pub struct Row {
    /// a and b.
    pub entries: [Poly; 2],
    /// n.
    pub most: Int,
    /// The facts.
    pub facts: [Fact; 4],
}

/// A number x, -most <= x <= most.
pub struct Number {
    /// x.
    pub p: Poly,
    /// Facts most + x >= 0 and most - x >= 0.
    pub pair: Pair,
}

/// -n*most <= a*x + b*y <= n*most. Where |a| + |b| <= n, and |x| and |y| are at most `most`, the sum of
/// (most + s*x)*(most + t*y)*(n - s*a - t*b) over signs s and t is 4*most*(n*most - a*x - b*y).
pub fn combination(
    values: &mut Values,
    row: &Row,
    x: &Number,
    y: &Number,
    most: &Int,
) -> Result<Pair> {
    let [a, b] = &row.entries;
    let sum = a.mul(&x.p).add(&b.mul(&y.p));
    let bound = Poly::constant(&row.most * most);
    let side = |n: &Number, s: usize| if s == 0 { n.pair.low } else { n.pair.high };
    let mut pairs = Vec::new();
    for s in 0..2 {
        for t in 0..2 {
            pairs.push(values.facts.product(side(x, s), side(y, t))?);
        }
    }
    let mut ends = Vec::new();
    for (flip, p) in [(3, bound.add(&sum)), (0, bound.sub(&sum))] {
        let mut terms = Vec::new();
        for (i, pair) in pairs.iter().enumerate() {
            // the i-th pair has signs s, t; fact 0 of the row has -a - b, fact 3 has a + b
            terms.push((Int::ONE, values.facts.product(*pair, row.facts[i ^ flip])?));
        }
        ends.push(values.derive(&(most * Int::from(4)), p, &terms)?);
    }
    Ok(Pair { low: ends[0], high: ends[1] })
}

/// d less m where s = -1, for s = floor(d / 2^k) of the top limb of d: from -2m + 1..m - 1 to -m + 1..m - 1.
///
/// `limbs` are those of d, of 60 bits; `range` says that d lies between -2m + 1 and m - 1; `sign` is s, `floor` its definition.
pub fn lifted(
    values: &mut Values,
    (limbs, range): (&[Value], Pair),
    (s, floor, k): (&Value, Pair, usize),
    m: &Int,
) -> Result<Number> {
    let one = || Int::ONE;
    let Some(v) = s.p.as_var() else {
        return Err(crate::error::Error::Unproven(format!("{} is no sign", s.p)));
    };
    let b = values.pair(s)?;
    let Some((top, low)) = limbs.split_last() else {
        return Err(crate::error::Error::Unproven("a number without limbs".into()));
    };
    let unit = number::power_of_two(k);
    let square = s.p.mul(&s.p);
    let integer = values.facts.table(square.add(&s.p), &[(v, b)])?; // s^2 + s >= 0
    // b.low: s + 1 >= 0; b.high: -s >= 0
    let negative = values.facts.product(b.high, floor.high)?; // -s*(2^k - 1 - top + 2^k*s)
    let positive = values.facts.product(b.low, floor.low)?; // (1 + s)*(top - 2^k*s)
    let st = s.p.mul(&top.p);
    let at = number::power_of_two(60 * low.len());
    // s + s*top >= 0 and (1 + s)*top >= 0
    let f = values.derive(&one(), s.p.add(&st), &[(one(), negative), (unit.clone(), integer)])?;
    let g = values.derive(&one(), top.p.add(&st), &[(one(), positive), (unit, integer)])?;
    let (mut below, mut above) = (vec![(at.clone(), f)], vec![(at, g)]);
    let mut d = top.p.scale(&number::power_of_two(60 * low.len()));
    for (i, limb) in low.iter().enumerate() {
        let (pair, at) = (values.pair(limb)?, number::power_of_two(60 * i));
        below.push((at.clone(), values.facts.product(b.high, pair.high)?)); // -s*(2^60 - 1 - limb)
        above.push((at.clone(), values.facts.product(b.low, pair.low)?)); // (1 + s)*limb
        d = d.add_scaled(&limb.p, &at);
    }
    let sd = s.p.mul(&d);
    let below = values.derive(&one(), sd.add(&s.p), &below)?; // s*d + s >= 0
    let above = values.derive(&one(), sd.add(&d), &above)?; // d + s*d >= 0
    let p = d.add_scaled(&s.p, &-m.clone());
    let most = Poly::constant(m - 1);
    let high = values.facts.product(b.low, range.high)?; // (1 + s)*(m - 1 - d)
    let low = values.facts.product(b.high, range.low)?; // -s*(d + 2m - 1)
    let high = values.derive(&one(), most.sub(&p), &[(one(), high), (one(), below)])?;
    let low =
        values.derive(&one(), most.add(&p), &[(one(), low), (one(), above), (m - 1, b.low)])?;
    Ok(Number { p, pair: Pair { low, high } })
}
