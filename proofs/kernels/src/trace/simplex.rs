//! Contradictions that take several facts at once: multipliers by the simplex method, in exact integers.
//!
//! The result is a line `linear` of the certificate like any other, so nothing here has to be trusted.

use std::collections::{BTreeMap, BTreeSet};

use super::Trace;
use crate::error::Result;
use crate::facts::Fact;
use crate::number::{self, Int};
use crate::poly::{Monomial, Poly};

/// At most so many facts are looked at, and so many pivots are made.
const FACTS: usize = 160;
const PIVOTS: usize = 600;

impl Trace {
    /// A fact `-n >= 0`, a non-negative combination of facts about variables of the facts that cases made sharper.
    pub fn infeasible(&mut self) -> Result<Option<Fact>> {
        let mut facts = BTreeSet::new();
        let mut open: Vec<Fact> = self.sharpened.iter().chain(&self.relations).copied().collect();
        let mut seen = BTreeSet::new();
        while let Some(f) = open.pop() {
            let f = self.current(f)?;
            if self.facts.is_equation(f) || !facts.insert(f) {
                continue;
            }
            for v in self.facts.poly(f).variables() {
                if seen.insert(v) {
                    let range = self.ranges[v as usize].pair;
                    open.extend([range.low, range.high]);
                    open.extend(
                        self.definitions.get(&v).iter().flat_map(|d| [d.pair.low, d.pair.high]),
                    );
                }
            }
            if facts.len() > FACTS {
                return Ok(None);
            }
        }
        let facts: Vec<Fact> = facts.into_iter().collect();
        let polys: Vec<&Poly> = facts.iter().map(|f| self.facts.poly(*f)).collect();
        let Some((n, multipliers)) = combination(&polys) else { return Ok(None) };
        let terms: Vec<_> =
            multipliers.into_iter().zip(&facts).map(|(c, f)| (c, Some(*f))).collect();
        Ok(Some(self.derive(&Int::ONE, Poly::constant(-n), &terms)?))
    }
}

/// n > 0 and multipliers, none negative, by which the sum of polynomials is -n.
fn combination(polys: &[&Poly]) -> Option<(Int, Vec<Int>)> {
    let mut rows: BTreeMap<&Monomial, usize> = BTreeMap::new();
    for p in polys {
        for (m, _) in p.terms() {
            let next = rows.len();
            rows.entry(m).or_insert(next);
        }
    }
    // one row a monomial: the sum of multiplier * coefficient is 0, of the constant it is -1; each starts with a variable of its own
    let (height, width) = (rows.len(), polys.len());
    let constant = *rows.get(&Monomial::new())?;
    let mut table = vec![vec![Int::ZERO; width + 1]; height];
    for (j, p) in polys.iter().enumerate() {
        for (m, c) in p.terms() {
            let i = rows[m];
            table[i][j] = if i == constant { -c.clone() } else { c.clone() };
        }
    }
    table[constant][width] = Int::ONE;
    let mut basis: Vec<Option<usize>> = vec![None; height];
    let mut unit = Int::ONE;
    for _ in 0..PIVOTS {
        let own = |j: usize| {
            let rows = basis.iter().zip(&table).filter(|(b, _)| b.is_none());
            rows.fold(Int::ZERO, |sum, (_, row)| sum + &row[j])
        };
        if own(width).is_zero() {
            return Some(solution(&table, &basis, width, unit));
        }
        // rows of value 0 may be pivoted on entries of any sign
        let zero = |i: usize| basis[i].is_none() && table[i][width].is_zero();
        let mut pivot = None;
        for j in (0..width).filter(|j| !basis.contains(&Some(*j))) {
            if let Some(i) = (0..height).find(|&i| zero(i) && !table[i][j].is_zero()) {
                pivot = Some((i, j));
                break;
            }
            if own(j) <= Int::ZERO {
                continue;
            }
            let positive = (0..height).filter(|&i| table[i][j] > Int::ZERO);
            let least = positive.min_by(|&a, &b| {
                let (x, y) = (&table[a][width] * &table[b][j], &table[b][width] * &table[a][j]);
                x.cmp(&y).then(basis[a].cmp(&basis[b]))
            });
            if let Some(i) = least {
                pivot = Some((i, j));
                break;
            }
        }
        let (r, c) = pivot?;
        if number::is_negative(&table[r][c]) {
            table[r].iter_mut().for_each(|x| *x = -x.clone());
        }
        let row = table[r].clone();
        for (i, other) in table.iter_mut().enumerate().filter(|(i, _)| *i != r) {
            let factor = other[c].clone();
            for (x, y) in other.iter_mut().zip(&row) {
                *x = number::floor_div(&(&*x * &row[c] - &factor * y), &unit);
            }
            debug_assert!(other[c].is_zero(), "row {i}");
        }
        unit = row[c].clone();
        basis[r] = Some(c);
    }
    None
}

fn solution(
    table: &[Vec<Int>],
    basis: &[Option<usize>],
    width: usize,
    unit: Int,
) -> (Int, Vec<Int>) {
    let mut multipliers = vec![Int::ZERO; width];
    for (row, column) in table.iter().zip(basis) {
        if let Some(j) = column {
            multipliers[*j] = row[width].clone();
        }
    }
    let g = multipliers.iter().fold(unit.clone(), |g, c| number::gcd(&g, c));
    (number::floor_div(&unit, &g), multipliers.iter().map(|c| number::floor_div(c, &g)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn poly(a: i32, b: i32, c: i32) -> Poly {
        Poly::var(0)
            .scale(&Int::from(a))
            .add(&Poly::var(1).scale(&Int::from(b)))
            .plus(&Int::from(c))
    }

    #[test]
    fn three_facts_contradict_each_other_and_two_do_not() {
        // x + y <= 3, x >= 2, 2y >= 3
        let facts = [poly(-1, -1, 3), poly(1, 0, -2), poly(0, 2, -3), poly(1, 1, 0)];
        let all: Vec<&Poly> = facts.iter().collect();
        let (n, multipliers) = combination(&all).expect("a contradiction");
        assert!(n > Int::ZERO && multipliers.iter().all(|c| *c >= Int::ZERO));
        let sum = facts.iter().zip(&multipliers);
        let sum = sum.fold(Poly::default(), |sum, (p, c)| sum.add_scaled(p, c));
        assert_eq!(sum, Poly::constant(-n));
        assert!(combination(&all[..2]).is_none());
        assert!(combination(&[&facts[0], &facts[1], &facts[3]]).is_none());
    }
}
