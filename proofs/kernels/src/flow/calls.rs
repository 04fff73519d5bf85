//! Calls of functions that write to known places alone: those of one block, behind pointers that they are called with.
//!
//! Memory elsewhere, slots of the caller among it, is after such a call what it was before.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use iced_x86::{FlowControl, Instruction, Register};

use super::blocks;
use super::constants::Constants;
use super::graph::{Node, Origin, Value};
use super::lift::{Lifted, Lifter, lift};
use crate::image::Image;

/// Bytes of a function that is looked into, at most.
const SIZE: u64 = 4096;

/// Functions in a row that jump to one another, at most.
const JUMPS: usize = 2;

/// The number of the first word that a call leaves, among results of instructions.
pub(super) const RESULT: u32 = 3000;

/// Stores of a function: the pointer that it is called with, an offset, and bytes.
pub(super) type Stores = Rc<Vec<(Register, i64, usize)>>;

/// Functions by address, looked into once.
#[derive(Default)]
pub struct Calls(RefCell<HashMap<u64, Option<Stores>>>);

impl Calls {
    /// The stores of the function at an address; none if they are not known.
    pub(super) fn stores(&self, image: &Image, target: u64) -> Option<Stores> {
        if let Some(known) = self.0.borrow().get(&target) {
            return known.clone();
        }
        let found = stores(image, target, JUMPS).map(Rc::new);
        self.0.borrow_mut().insert(target, found.clone());
        found
    }
}

fn stores(image: &Image, target: u64, jumps: usize) -> Option<Vec<(Register, i64, usize)>> {
    let f = image.functions().iter().find(|f| f.start == target && f.size <= SIZE)?;
    let blocks = blocks::of_code(&image.code(f.start, f.size).ok()?, f).ok()?;
    let (block, true) = (blocks.get(&f.start)?, blocks.len() == 1) else { return None };
    match (block.code.last()?.flow_control(), &block.code[..]) {
        (FlowControl::Return, _) => {}
        // a function that is but another name
        (FlowControl::UnconditionalBranch, [jump]) if jumps > 0 => {
            return stores(image, jump.near_branch_target(), jumps - 1);
        }
        _ => return None,
    }
    let start = Lifted::new(&Constants::default());
    let lifted = lift(image, &Calls::default(), block, start);
    // a store, or a call, that may change anything
    if lifted.changes.contains(&None) {
        return None;
    }
    let pointer = |base: Node| match lifted.graph.value(base) {
        Value::Leaf(Origin::Entry(name)) => {
            Register::values().find(|r| r.is_gpr64() && format!("{r:?}") == *name)
        }
        _ => None,
    };
    let mut out = Vec::new();
    for s in &lifted.written {
        match (s.base, lifted.frames.contains(&s.base.0)) {
            // below the return address
            ((_, None), true) if s.at + (s.size as i64) <= 0 => {}
            ((base, None), false) => out.push((pointer(base)?, s.at, s.size)),
            _ => return None,
        }
    }
    Some(out)
}

impl Lifter<'_> {
    /// A call: what it may write is not known afterwards, nor what registers hold that it need not keep.
    pub(super) fn call(&mut self, i: &Instruction) {
        use Register::{R12, R13, R14, R15, RBP, RBX, RSP};
        let kept = [RBX, RBP, RSP, R12, R13, R14, R15];
        self.gpr(RSP);
        let stores = match i.flow_control() {
            FlowControl::Call => self.calls.stores(self.image, i.near_branch_target()),
            _ => None,
        };
        // a pointer that is not known to be one into the frame may be one all the same
        let into_frame = |l: &mut Self, (pointer, ..): &(Register, i64, usize)| {
            let n = l.gpr(*pointer);
            l.out.frames.contains(&l.out.graph.place(n).0)
        };
        let stores = stores.filter(|s| s.iter().all(|store| into_frame(self, store)));
        for (k, (pointer, at, size)) in stores.iter().flat_map(|s| s.iter()).enumerate() {
            let n = self.gpr(*pointer);
            let (base, offset) = self.out.graph.place(n);
            let n = self.fresh(i, RESULT + k as u32);
            self.store((base, None), offset + at, *size, Some(n));
        }
        for r in Register::values().filter(|r| r.is_gpr64() || r.is_zmm() || r.is_k()) {
            if !kept.contains(&r) {
                let n = self.fresh(i, r as u32);
                self.out.registers.insert(r, (n, if r.is_gpr64() { 1 } else { 8 }));
            }
        }
        if stores.is_none() {
            self.forget_but_constants();
        }
    }
}
