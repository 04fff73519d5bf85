//! Segments: the theorem, and the blocks that prove it. Each statement reads its operands, applies its rule, and names what the rule derives.

use crate::polynomial::{BITS, Polynomial};
use crate::rules::{self, Fact};
use crate::text::{self, Fields};
use num_bigint::BigInt;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};

/// Most bytes that the facts in scope may take.
const MEMORY: u64 = 1 << 30;
/// Most terms that a certificate may multiply, add or evaluate, besides those that its lines state.
const WORK: u64 = 1 << 28;

/// LO and HI.
pub(crate) type Range = (BigInt, BigInt);

/// The part of a segment that the last line was of, in order.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    #[default]
    Inputs,
    Goals,
    Proof,
}

/// A segment, as far as its lines have been read.
#[derive(Clone, Default)]
pub(crate) struct Segment {
    part: Part,
    /// Bounds of the inputs, in order.
    pub(crate) inputs: Vec<Range>,
    /// Whether an assumption stands beside the bounds.
    pub(crate) assumes: bool,
    pub(crate) goals: HashMap<String, Goal>,
    /// Outputs that goals name.
    outputs: HashSet<u32>,
    /// Variables in scope.
    variables: HashSet<u32>,
    /// Facts in scope; each holds in the innermost block.
    pub(crate) facts: HashMap<u32, Fact>,
    /// Bytes that `facts` takes.
    memory: u64,
    /// The block of the segment, and the blocks of cases around the next line, outermost first.
    blocks: Vec<Block>,
    /// Whether a block has ended in proofs of the goals.
    pub(crate) proven: bool,
    /// Facts so far, and case blocks so far.
    pub(crate) counts: (u64, u64),
    /// Terms that the certificate has multiplied, added and evaluated so far.
    pub(crate) work: Cell<u64>,
}

/// A claim about outputs.
#[derive(Clone)]
pub(crate) struct Goal {
    kind: &'static str,
    /// Outputs, each with the exponent of the power of two that multiplies it.
    sum: Vec<(u32, u32)>,
    claim: Claim,
}

#[derive(Clone)]
enum Claim {
    /// `factor * sum - target` is zero modulo the modulus.
    Zero { modulus: BigInt, factor: BigInt, target: Polynomial },
    /// The sum lies in the range.
    Within(Range),
}

/// The statements of a segment, or of one case.
#[derive(Clone, Default)]
struct Block {
    /// Variables and facts that leave the scope with the block.
    variables: Vec<u32>,
    facts: Vec<u32>,
    /// Outputs given in the block, and names of the goals proved of them.
    outputs: HashMap<u32, Polynomial>,
    proved: HashSet<String>,
    /// The cases being read.
    cases: Option<Cases>,
    /// Whether the block has ended in a contradiction or in cases.
    ended: bool,
}

#[derive(Clone)]
struct Cases {
    polynomial: Polynomial,
    next: BigInt,
    last: BigInt,
}

impl Segment {
    /// A segment of a certificate that has done so much work.
    pub(crate) fn new(work: u64) -> Segment {
        Segment { blocks: vec![Block::default()], work: Cell::new(work), ..Segment::default() }
    }

    /// Counts terms, and refuses more than [`WORK`].
    fn spend(&self, terms: usize) -> Result<(), String> {
        self.work.set(self.work.get().saturating_add(terms as u64));
        match self.work.get() {
            0..=WORK => Ok(()),
            work => Err(format!("{work} terms so far; at most {WORK} are allowed")),
        }
    }

    /// Whether a goal says that output i lies in the range.
    pub(crate) fn bounds_output(&self, i: u32, range: &Range) -> bool {
        let bounds =
            |goal: &Goal| matches!(&goal.claim, Claim::Within(claimed) if claimed == range);
        self.goals.values().any(|goal| goal.sum == [(i, 0)] && bounds(goal))
    }

    pub(crate) fn statement(&mut self, word: &str, mut fields: Fields<'_>) -> Result<(), String> {
        let latest = match word {
            "input" | "assume" => Part::Inputs,
            "goal" => Part::Goals,
            _ => Part::Proof,
        };
        if self.part > latest {
            return Err("inputs and assumptions stand first, then goals, then derivations".into());
        }
        self.part = latest;
        let block = self.block()?;
        if block.ended {
            return Err("the block has ended; end is expected".into());
        }
        if block.cases.is_some() != (word == "case") {
            return Err("case stands in cases, and any other statement in a block".into());
        }
        let begun = !block.outputs.is_empty();
        if begun && matches!(word, "cases" | "contradiction") {
            return Err("the block has outputs; proofs of the goals are expected".into());
        }
        let fields = &mut fields;
        match word {
            "input" => self.input(fields),
            "assume" => self.assume(fields),
            "goal" => self.goal(fields),
            "floor" => self.floor(fields),
            "linear" => self.linear(fields),
            "equal" => self.equal(fields),
            "equation" => self.equation(fields),
            "product" => self.product(fields),
            "table" => self.table(fields),
            "split" => self.split(fields),
            "cases" => self.cases(fields),
            "case" => self.case(fields),
            "contradiction" => self.contradiction(fields),
            "out" => self.output(fields),
            "zero" => self.zero(fields),
            "limb" => self.within("limb", fields),
            "whole" => self.within("whole", fields),
            _ => Err("no such statement in a segment".into()),
        }?;
        fields.end()
    }

    fn input(&mut self, fields: &mut Fields<'_>) -> Result<(), String> {
        let v = fields.name('v')?;
        let range = fields.range()?;
        let [a, b] = [fields.name('f')?, fields.name('f')?];
        self.introduce(v)?;
        self.keep([a, b], rules::bounds(&Polynomial::variable(v), &range.0, &range.1))?;
        self.inputs.push(range);
        Ok(())
    }

    fn assume(&mut self, fields: &mut Fields<'_>) -> Result<(), String> {
        let a = fields.name('f')?;
        let p = fields.polynomial("P", &self.variables)?;
        self.assumes = true;
        self.keep([a], [Fact::inequality(p)])
    }

    fn goal(&mut self, fields: &mut Fields<'_>) -> Result<(), String> {
        let word = fields.field("zero, limb or whole")?;
        let name = fields.field("name")?;
        let goal = match word {
            "zero" => {
                let [modulus, factor] = [fields.number("M")?, fields.number("C")?];
                let target = fields.polynomial("T", &self.variables)?;
                // A multiple of M times the outputs says nothing of them; modulo 1 all is one.
                if modulus < BigInt::ZERO
                    || Polynomial::constant(factor.clone()).is_divisible_by(&modulus)
                {
                    return Err(format!(
                        "M is {modulus:x} and C is {factor:x}; M = 0 or M > 1, and C not 0 modulo M, are expected"
                    ));
                }
                Goal {
                    kind: "zero",
                    sum: outputs(fields)?,
                    claim: Claim::Zero { modulus, factor, target },
                }
            }
            "limb" => {
                let output = fields.count("I")?;
                Goal { kind: "limb", sum: vec![(output, 0)], claim: Claim::Within(fields.range()?) }
            }
            "whole" => {
                let claim = Claim::Within(fields.range()?);
                Goal { kind: "whole", sum: outputs(fields)?, claim }
            }
            other => return Err(format!("{other:?}; zero, limb or whole is expected")),
        };
        self.outputs.extend(goal.sum.iter().map(|output| output.0));
        match self.goals.insert(name.into(), goal) {
            Some(_) => Err(format!("the name {name} is in use")),
            None => Ok(()),
        }
    }

    fn floor(&mut self, fields: &mut Fields<'_>) -> Result<(), String> {
        let v = fields.name('v')?;
        let k = fields.count("K")?;
        // V is no variable yet, so that E cannot hold it.
        let e = fields.polynomial("E", &self.variables)?;
        let names = [fields.name('f')?, fields.name('f')?];
        self.introduce(v)?;
        self.keep(names, rules::floor(v, k, &e))
    }

    fn linear(&mut self, fields: &mut Fields<'_>) -> Result<(), String> {
        let a = fields.name('f')?;
        let n = fields.number("N")?;
        let p = fields.polynomial("P", &self.variables)?;
        let fact = rules::linear(&n, p, &self.combination(fields)?)?;
        self.keep([a], [fact])
    }

    fn equal(&mut self, fields: &mut Fields<'_>) -> Result<(), String> {
        let a = fields.name('f')?;
        let p = fields.polynomial("P", &self.variables)?;
        let fact = rules::equal(p, self.fact(fields)?, self.fact(fields)?)?;
        self.keep([a], [fact])
    }

    fn equation(&mut self, fields: &mut Fields<'_>) -> Result<(), String> {
        let a = fields.name('f')?;
        let p = fields.polynomial("P", &self.variables)?;
        let fact = rules::equation(p, &self.combination(fields)?)?;
        self.keep([a], [fact])
    }

    fn product(&mut self, fields: &mut Fields<'_>) -> Result<(), String> {
        let a = fields.name('f')?;
        let (f, g) = (self.fact(fields)?, self.fact(fields)?);
        self.spend(f.polynomial.size().saturating_mul(g.polynomial.size()))?;
        let fact = rules::product(f, g)?;
        self.keep([a], [fact])
    }

    fn table(&mut self, fields: &mut Fields<'_>) -> Result<(), String> {
        let a = fields.name('f')?;
        let p = fields.polynomial("P", &self.variables)?;
        let mut pairs = Vec::new();
        while !fields.is_empty() {
            pairs.push((self.fact(fields)?, self.fact(fields)?));
        }
        let fact = rules::table(p, &pairs, |terms| self.spend(terms))?;
        self.keep([a], [fact])
    }

    fn split(&mut self, fields: &mut Fields<'_>) -> Result<(), String> {
        let k = fields.count("K")?;
        let e = fields.polynomial("E", &self.variables)?;
        let q = fields.polynomial("Q", &self.variables)?;
        let r = fields.polynomial("R", &self.variables)?;
        rules::split(k, [&e, &q, &r], self.fact(fields)?, self.fact(fields)?)
    }

    /// `cases`: P is an integer from LO to HI, so it is one of those numbers, and one of the blocks applies. Each block proves all goals.
    fn cases(&mut self, fields: &mut Fields<'_>) -> Result<(), String> {
        let polynomial = fields.polynomial("P", &self.variables)?;
        let (next, last) = fields.range()?;
        rules::within(&polynomial, [&next, &last], self.fact(fields)?, self.fact(fields)?)?;
        self.block()?.cases = Some(Cases { polynomial, next, last });
        Ok(())
    }

    fn case(&mut self, fields: &mut Fields<'_>) -> Result<(), String> {
        let n = fields.number("N")?;
        let a = fields.name('f')?;
        let Some(cases) = &mut self.block()?.cases else { return Err("no cases".into()) };
        if n != cases.next || n > cases.last {
            return Err(format!("N is {n:x}; {:x} is next, {:x} is last", cases.next, cases.last));
        }
        cases.next += 1;
        let fact = Fact::equation(cases.polynomial.above(&n));
        self.spend(fact.polynomial.size())?;
        self.counts.1 += 1;
        self.blocks.push(Block::default());
        self.keep([a], [fact])
    }

    pub(crate) fn end_case(&mut self) -> Result<(), String> {
        if self.blocks.len() < 2 {
            return Err("no case has begun".into());
        }
        self.end_block()
    }

    pub(crate) fn end_cases(&mut self) -> Result<(), String> {
        let block = self.block()?;
        let cases = block.cases.take().ok_or("a case or a segment has not ended")?;
        if cases.next <= cases.last {
            return Err(format!("cases end before {:x}; {:x} is last", cases.next, cases.last));
        }
        block.ended = true;
        Ok(())
    }

    pub(crate) fn end(&mut self) -> Result<(), String> {
        if self.blocks.len() > 1 {
            return Err("a case has not ended; end case is expected".into());
        }
        self.end_block()?;
        if !self.proven {
            return Err(
                "every block ends in a contradiction: inputs and assumptions exclude each other"
                    .into(),
            );
        }
        Ok(())
    }

    /// Ends a block, if it has proved all goals, or contradicts itself, or ends in cases. What it introduced leaves the scope.
    fn end_block(&mut self) -> Result<(), String> {
        let block = self.blocks.last().ok_or("no block")?;
        if block.cases.is_some() {
            return Err("cases have not ended; end cases is expected".into());
        }
        if !block.ended {
            if let Some(name) = self.goals.keys().find(|name| !block.proved.contains(*name)) {
                return Err(format!("goal {name} is not proved"));
            }
            self.proven = true;
        }
        let block = self.blocks.pop().unwrap_or_default();
        for v in block.variables {
            self.variables.remove(&v);
        }
        for name in block.facts {
            let fact = self.facts.remove(&name);
            self.memory -= fact.map_or(0, |fact| fact.polynomial.bytes());
        }
        Ok(())
    }

    fn contradiction(&mut self, fields: &mut Fields<'_>) -> Result<(), String> {
        rules::contradiction(self.fact(fields)?)?;
        self.block()?.ended = true;
        Ok(())
    }

    fn output(&mut self, fields: &mut Fields<'_>) -> Result<(), String> {
        let i = fields.count("I")?;
        let p = fields.polynomial("P", &self.variables)?;
        if !self.outputs.contains(&i) {
            return Err(format!("no goal names output {i:x}"));
        }
        match self.block()?.outputs.insert(i, p) {
            Some(_) => Err(format!("output {i:x} has been given")),
            None => Ok(()),
        }
    }

    fn zero(&mut self, fields: &mut Fields<'_>) -> Result<(), String> {
        let name = fields.field("name")?;
        let (goal, sum) = self.claimed("zero", name)?;
        let Claim::Zero { modulus, factor, target } = &goal.claim else {
            return Err("bounds".into());
        };
        let mut claim = Polynomial::default();
        claim.add_scaled(&sum, factor);
        claim.add_scaled(target, &BigInt::from(-1));
        rules::vanishes(claim, modulus, &self.combination(fields)?)?;
        self.proved(name)
    }

    fn within(&mut self, kind: &str, fields: &mut Fields<'_>) -> Result<(), String> {
        let name = fields.field("name")?;
        let (goal, sum) = self.claimed(kind, name)?;
        let Claim::Within((low, high)) = &goal.claim else { return Err("no bounds".into()) };
        rules::within(&sum, [low, high], self.fact(fields)?, self.fact(fields)?)?;
        self.proved(name)
    }

    /// The goal of this kind and name, and the sum that it is about, of the outputs of this block.
    fn claimed(&self, kind: &str, name: &str) -> Result<(&Goal, Polynomial), String> {
        let goal = self.goals.get(name).filter(|goal| goal.kind == kind);
        let goal = goal.ok_or_else(|| format!("no goal {kind} is called {name}"))?;
        let mut sum = Polynomial::default();
        for (i, exponent) in &goal.sum {
            let output = self.blocks.last().and_then(|block| block.outputs.get(i));
            let output =
                output.ok_or_else(|| format!("output {i:x} is not given in this block"))?;
            self.spend(output.size())?;
            sum.add_scaled(output, &(BigInt::from(1) << *exponent));
        }
        Ok((goal, sum))
    }

    fn proved(&mut self, name: &str) -> Result<(), String> {
        match self.block()?.proved.insert(name.into()) {
            true => Ok(()),
            false => Err(format!("goal {name} has been proved in this block")),
        }
    }

    /// The innermost block.
    fn block(&mut self) -> Result<&mut Block, String> {
        self.blocks.last_mut().ok_or_else(|| "no block".into())
    }

    /// The fact in scope that the next field names.
    fn fact(&self, fields: &mut Fields<'_>) -> Result<&Fact, String> {
        self.named(fields.name('f')?)
    }

    fn named(&self, name: u32) -> Result<&Fact, String> {
        self.facts.get(&name).ok_or_else(|| format!("no fact f{name:x} is in scope"))
    }

    /// The fields that are left, each a multiplier: `P@F`.
    fn combination(&self, fields: &mut Fields<'_>) -> Result<Vec<(Polynomial, &Fact)>, String> {
        let mut combination = Vec::new();
        while !fields.is_empty() {
            let field = fields.field("a multiplier")?;
            let (p, f) =
                field.split_once('@').ok_or_else(|| format!("{field:?}; P@F is expected"))?;
            let multiplier = text::polynomial(p, &self.variables)?;
            let fact = self.named(text::name(f, 'f')?)?;
            self.spend(multiplier.size().saturating_mul(fact.polynomial.size()))?;
            combination.push((multiplier, fact));
        }
        Ok(combination)
    }

    /// Takes a new variable into the scope.
    fn introduce(&mut self, v: u32) -> Result<(), String> {
        if !self.variables.insert(v) {
            return Err(format!("the name v{v:x} is in use"));
        }
        self.block()?.variables.push(v);
        Ok(())
    }

    /// Takes new facts into the scope.
    fn keep<const N: usize>(&mut self, names: [u32; N], facts: [Fact; N]) -> Result<(), String> {
        for (name, fact) in names.into_iter().zip(facts) {
            let bits = fact.polynomial.bits();
            if bits > 2 * BITS {
                return Err(format!(
                    "a coefficient has {bits} bits; at most {} are allowed",
                    2 * BITS
                ));
            }
            self.memory += fact.polynomial.bytes();
            if self.memory > MEMORY {
                return Err(format!(
                    "facts in scope take {} bytes; at most {MEMORY} are allowed",
                    self.memory
                ));
            }
            if self.facts.insert(name, fact).is_some() {
                return Err(format!("the name f{name:x} is in use"));
            }
            self.block()?.facts.push(name);
            self.counts.0 += 1;
        }
        Ok(())
    }
}

/// The fields that are left, each an output and an exponent: `I:S`; at least one.
fn outputs(fields: &mut Fields<'_>) -> Result<Vec<(u32, u32)>, String> {
    let mut sum = Vec::new();
    while sum.is_empty() || !fields.is_empty() {
        let field = fields.field("I:S")?;
        let (i, s) = field.split_once(':').ok_or_else(|| format!("{field:?}; I:S is expected"))?;
        sum.push((text::count(i)?, text::count(s)?));
    }
    Ok(sum)
}
