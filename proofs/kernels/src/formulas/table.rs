//! The table of formulas that a text's functions compute, as `formulas.txt` has it.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Formulas, chains};
use crate::error::Result;
use crate::flow::program::Program;
use crate::image::{Function, Image};

/// Lines of the table, and counts.
pub struct Table {
    formulas: Formulas,
    /// A line for each function, block and formula.
    pub text: String,
    products: usize,
    named: usize,
    single: usize,
    blocks: usize,
    whole: usize,
}

impl Table {
    /// The empty table.
    pub fn new() -> Result<Self> {
        let formulas = Formulas::new()?;
        Ok(Self {
            formulas,
            text: String::new(),
            products: 0,
            named: 0,
            single: 0,
            blocks: 0,
            whole: 0,
        })
    }

    /// Adds a function's formulas, here and to the text of its programs.
    pub fn add(
        &mut self,
        image: &Image,
        f: &Function,
        programs: &[Program],
        text: &mut String,
    ) -> Result<()> {
        let names = self.formulas.names(programs);
        let mut lines: BTreeMap<(u64, &str), usize> = BTreeMap::new();
        for n in &names.named {
            *lines.entry((n.block - f.start, n.name)).or_default() += 1;
        }
        for ((block, what), times) in chains::decodings(image, f)? {
            lines.insert((block - f.start, what), times);
        }
        for ((block, name), times) in &lines {
            let _ = writeln!(self.text, "{} {block:x} {times} {name}", f.name);
            let _ = writeln!(text, "formula: block {block:x}, {name}, {times} times");
        }
        let is_named = |made: &Vec<u64>| names.named.iter().any(|n| n.products.contains(made));
        let named = names.products.iter().filter(|made| is_named(made)).count();
        self.products += names.products.len();
        self.named += named;
        self.single += names.single.len();
        self.blocks += names.blocks.len();
        for (block, made) in &names.blocks {
            let rest: Vec<&str> =
                made.iter().filter(|m| !is_named(m.0)).map(|m| m.1.as_str()).collect();
            self.whole += usize::from(rest.is_empty());
            if !rest.is_empty() {
                let _ =
                    writeln!(text, "no formula: block {:x}, {}", block - f.start, rest.join(" "));
            }
        }
        Ok(())
    }

    /// One line about all.
    pub fn count(&self) -> String {
        let Self { products, named, single, blocks, whole, .. } = self;
        format!(
            "{named} of {products} products belong to formulas, {single} are products alone; {whole} of {blocks} blocks with products have no other"
        )
    }
}
