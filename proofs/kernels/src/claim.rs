//! Goals of a segment, and their proofs at its end.

use std::collections::BTreeSet;

use crate::error::{Error, Result};
use crate::facts::{Fact, Pair};
use crate::number::{self, Int};
use crate::poly::{Poly, Var};
use crate::trace::{Determined, Effort as Search, Trace, Word};

/// Outputs by number, each shifted.
pub type Places = Vec<(usize, usize)>;

/// One statement about the outputs of a segment.
#[derive(Clone, Debug)]
pub enum Goal {
    /// factor * sum(out * 2^shift) - target is 0 modulo `modulus`; exactly, where that is 0.
    Zero {
        /// Its name in the certificate.
        name: String,
        /// The modulus, or 0.
        modulus: Int,
        /// The factor.
        factor: Int,
        /// A polynomial in inputs.
        target: Poly,
        /// Outputs and their shifts.
        places: Places,
    },
    /// lo <= out <= hi.
    Limb {
        /// Its name in the certificate.
        name: String,
        /// The output.
        output: usize,
        /// Least value.
        lo: Int,
        /// Greatest value.
        hi: Int,
    },
    /// lo <= sum(out * 2^shift) <= hi.
    Whole {
        /// Its name in the certificate.
        name: String,
        /// Least value.
        lo: Int,
        /// Greatest value.
        hi: Int,
        /// Outputs and their shifts.
        places: Places,
    },
}

fn shown(places: &Places) -> String {
    places.iter().map(|(i, s)| format!(" {i:x}:{s:x}")).collect()
}

impl Goal {
    /// Whether it holds of outputs that are numbers.
    pub fn holds(&self, outs: &[Word]) -> Result<bool> {
        let known = |p: Poly| p.as_constant().ok_or_else(|| Error::Unproven("no number".into()));
        match self {
            Self::Zero { modulus, factor, target, places, .. } => {
                let rest = known(total(outs, places)?.scale(factor).sub(target))?;
                let zero = modulus.is_zero() && rest.is_zero();
                Ok(zero || !modulus.is_zero() && number::modulo(&rest, modulus).is_zero())
            }
            Self::Limb { output, lo, hi, .. } => {
                let n = known(total(outs, &vec![(*output, 0)])?)?;
                Ok(*lo <= n && n <= *hi)
            }
            Self::Whole { lo, hi, places, .. } => {
                let n = known(total(outs, places)?)?;
                Ok(*lo <= n && n <= *hi)
            }
        }
    }

    /// Its line of the certificate.
    pub fn line(&self) -> String {
        let hex = number::hex;
        match self {
            Self::Zero { name, modulus, factor, target, places } => {
                let (m, c) = (hex(modulus), hex(factor));
                format!("goal zero {name} {m} {c} {target}{}", shown(places))
            }
            Self::Limb { name, output, lo, hi } => {
                format!("goal limb {name} {output:x} {} {}", hex(lo), hex(hi))
            }
            Self::Whole { name, lo, hi, places } => {
                format!("goal whole {name} {} {}{}", hex(lo), hex(hi), shown(places))
            }
        }
    }
}

/// The effort of a proof.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// Variables, at most in one case.
    pub variables: usize,
    /// Cases that end in proofs of goals or in a contradiction.
    pub cases: usize,
}

fn missing(i: usize) -> Error {
    Error::Unproven(format!("there is no output {i}"))
}

fn total(outs: &[Word], places: &Places) -> Result<Poly> {
    places.iter().try_fold(Poly::default(), |sum, (i, shift)| match outs.get(*i) {
        Some(w) => Ok(sum.add_scaled(&w.p, &number::power_of_two(*shift))),
        None => Err(missing(*i)),
    })
}

/// Up to a factor modulo m, the polynomial of least coefficients that a residue is.
fn smallest(residue: &Poly, m: &Int) -> Poly {
    let size = |p: &Poly| p.terms().iter().map(|(_, c)| number::magnitude(c)).max();
    let mut best = residue.map(|c| if m.is_zero() { c.clone() } else { number::symmetric(c, m) });
    if m.is_zero() {
        return best;
    }
    for (_, c) in residue.terms().iter().take(16) {
        if let Some(inverse) = number::inverse(c, m) {
            let p = residue.map(|c| number::symmetric(&(c * &inverse), m));
            if size(&p) < size(&best) {
                best = p;
            }
        }
    }
    best
}

/// The first goal that is not yet a congruence of coefficients, by what is left of it.
fn residue(t: &Trace, outs: &[Word], goals: &[Goal]) -> Result<Option<(String, Poly)>> {
    for goal in goals {
        if let Goal::Zero { name, modulus, factor, target, places } = goal {
            let p = total(outs, places)?.scale(factor).sub(&t.now(target));
            let p = if modulus.is_zero() { p } else { p.modulo(modulus) };
            if !p.is_zero() {
                return Ok(Some((name.clone(), smallest(&p, modulus))));
            }
        }
    }
    Ok(None)
}

/// Proves the goals of outputs, by cases where bounds leave several values of a carry. The text is that of the certificate.
pub fn settle(
    mut t: Trace,
    outs: &[Word],
    goals: &[Goal],
    effort: &mut Effort,
    depth: usize,
) -> Result<String> {
    loop {
        let outs: Vec<Word> = outs.iter().map(|w| t.refresh(w)).collect();
        let forced = t.forced()?;
        if fix_some(&mut t, &forced, Search::Thorough)? {
            continue;
        }
        let rest = residue(&t, &outs, goals)?;
        let failure = match &rest {
            None => {
                let mut end = t.clone();
                match conclude(&mut end, &outs, goals) {
                    Ok(()) => {
                        effort.cases += 1;
                        effort.variables = effort.variables.max(end.facts.variables() as usize);
                        return Ok(end.facts.take_text());
                    }
                    Err(e) => e,
                }
            }
            Some((name, rest)) => {
                let carries = carries(&t, rest.variables());
                if let Some(end) = decided(&mut t, rest, Search::Quick, effort)? {
                    match end {
                        Some(text) => return Ok(text),
                        None => continue,
                    }
                }
                if fix_some(&mut t, &carries, Search::Quick)? {
                    continue;
                }
                if let Some(end) = decided(&mut t, rest, Search::Thorough, effort)? {
                    match end {
                        Some(text) => return Ok(text),
                        None => continue,
                    }
                }
                Error::Unproven(format!("{name}: what is left is {rest}"))
            }
        };
        let mut candidates = match &rest {
            Some((_, rest)) => carries(&t, rest.variables()),
            None => Vec::new(),
        };
        let sharpened = t.sharpened_variables()?;
        candidates.extend(carries(&t, sharpened));
        let mut fixed = false;
        for search in [Search::Quick, Search::Thorough] {
            if let Some(f) = t.contradiction(search)? {
                return refuted(&mut t, f, effort);
            }
            fixed = fix_some(&mut t, &candidates, search)?;
            if fixed {
                break;
            }
        }
        if fixed {
            continue;
        }
        if let Some(f) = t.infeasible()? {
            return refuted(&mut t, f, effort);
        }
        let (Some(&v), true) = (candidates.first(), depth > 0) else { return Err(failure) };
        let word = t.variable(v);
        let bounds = t.bounds_of(&word)?;
        return by_cases(t, &word.p, bounds, |t| settle(t, &outs, goals, effort, depth - 1));
    }
}

/// One block for each value of a polynomial.
pub fn by_cases(
    mut t: Trace,
    p: &Poly,
    bounds: Pair,
    mut prove: impl FnMut(Trace) -> Result<String>,
) -> Result<String> {
    let (lo, hi) = t.facts.cases(p, bounds)?;
    let mut text = t.facts.take_text();
    let mut n = lo;
    while n <= hi {
        let mut case = t.clone();
        let equation = case.facts.case(p, &n);
        case.fix(equation)?;
        text.push_str(&prove(case)?);
        text.push_str("end case\n");
        n += 1;
    }
    text.push_str("end cases\n");
    Ok(text)
}

/// Quotients of few values, the latest first.
fn carries(t: &Trace, vs: BTreeSet<Var>) -> Vec<Var> {
    let few = |v: &Var| !t.facts.is_input(*v) && t.width(*v) <= Int::from(3);
    vs.into_iter().rev().filter(few).collect()
}

/// Fixes those of these variables of which bounds leave one value; whether there is one.
fn fix_some(t: &mut Trace, candidates: &[Var], search: Search) -> Result<bool> {
    let mut fixed = false;
    for &v in candidates {
        let p = t.now(&Poly::var(v));
        if p != Poly::var(v) {
            continue;
        }
        if let Determined::Equation(f) = t.determined(&p, search)? {
            t.fix(f)?;
            fixed = true;
            if search == Search::Thorough {
                break;
            }
        }
    }
    Ok(fixed)
}

/// If bounds leave one value of what is left: a variable is fixed by it. If they leave none: the text of the case, which cannot be.
fn decided(
    t: &mut Trace,
    rest: &Poly,
    search: Search,
    effort: &mut Effort,
) -> Result<Option<Option<String>>> {
    if rest.as_constant().is_some() {
        return Ok(None);
    }
    match t.determined(rest, search)? {
        Determined::Equation(f) if Trace::unit(t.facts.poly(f)).is_some() => {
            t.fix(f)?;
            Ok(Some(None))
        }
        Determined::Impossible(f) => Ok(Some(Some(refuted(t, f, effort)?))),
        _ => Ok(None),
    }
}

/// The text of a case that cannot be.
fn refuted(t: &mut Trace, f: Fact, effort: &mut Effort) -> Result<String> {
    t.facts.contradiction(f)?;
    effort.cases += 1;
    Ok(t.facts.take_text())
}

/// lo <= w <= hi: by the word's own bounds, or by a search for better ones.
pub(crate) fn within(t: &mut Trace, goal: &str, w: &Word, lo: &Int, hi: &Int) -> Result<()> {
    let own = t.bounds_of(w)?;
    let (mut least, mut below, mut most, mut above) =
        (w.lo.clone(), own.low, w.hi.clone(), own.high);
    if least < *lo {
        (least, below) = t.lower(&w.p, Some(lo), Search::Thorough)?;
    }
    if most > *hi {
        (most, above) = t.upper(&w.p, Some(hi), Search::Thorough)?;
    }
    if least < *lo || most > *hi {
        let (l, h) = (number::hex(&least), number::hex(&most));
        return Err(Error::Unproven(format!("{goal}: it lies between {l} and {h}")));
    }
    let low = t.weaker(below, w.p.plus(&-lo.clone()))?;
    let high = t.weaker(above, Poly::constant(hi.clone()).sub(&w.p))?;
    t.facts.within(goal, &w.p, lo, hi, Pair { low, high })
}

fn conclude(t: &mut Trace, outs: &[Word], goals: &[Goal]) -> Result<()> {
    t.facts.set_note(String::new());
    for (i, w) in outs.iter().enumerate() {
        t.facts.line(&format!("out {i:x} {}", w.p));
    }
    for goal in goals {
        match goal {
            Goal::Zero { name, modulus, factor, target, places } => {
                let p = total(outs, places)?.scale(factor).sub(target);
                let multiples = t.rewriting(target, &Int::ONE);
                t.facts.zero(name, modulus, &p, &multiples)?;
            }
            Goal::Limb { name, output, lo, hi } => match outs.get(*output) {
                Some(w) => within(t, &format!("limb {name}"), w, lo, hi)?,
                None => return Err(missing(*output)),
            },
            Goal::Whole { name, lo, hi, places } => {
                let mut terms = Vec::new();
                for (i, shift) in places {
                    let w = outs.get(*i).ok_or_else(|| missing(*i))?;
                    terms.push((number::power_of_two(*shift), w));
                }
                let sum = t.sum(&terms)?;
                t.set_weights(places.iter().map(|(_, shift)| *shift).collect());
                within(t, &format!("whole {name}"), &sum, lo, hi)?;
                t.set_weights(Vec::new());
            }
        }
    }
    Ok(())
}
