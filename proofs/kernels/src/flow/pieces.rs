//! Words put together of bits of input words: each piece is split off its word itself, so that pieces that overlap stay comparable.

use super::graph::Op;
use super::run::Run;
use super::slice::{Class, Part};
use crate::error::Result;
use crate::trace::Word;

/// Bits of a part, from one place to before another, that stand at a place.
#[derive(Clone, Copy)]
struct Piece {
    of: usize,
    from: usize,
    to: usize,
    at: usize,
}

/// The bits of pieces that a window shows.
fn within(pieces: Vec<Piece>, low: usize, high: usize) -> Vec<Piece> {
    let cut = |p: Piece| {
        let end = (p.at + p.to - p.from).min(high);
        let at = p.at.max(low);
        (at < end).then(|| Piece { from: p.from + at - p.at, to: p.from + end - p.at, at, ..p })
    };
    pieces.into_iter().filter_map(cut).collect()
}

impl Run<'_> {
    fn pieces(&self, i: usize) -> Option<Vec<Piece>> {
        let constant = |i: usize| match &self.slice.parts[i] {
            Part::Constant(c) => Some(c[self.lane]),
            _ => None,
        };
        match &self.slice.parts[i] {
            Part::Input(Class::Word) => Some(vec![Piece { of: i, from: 0, to: 64, at: 0 }]),
            Part::Lanes(Op::Srl(k), v) => {
                let k = usize::from(*k);
                let pieces = within(self.pieces(v[0])?, k, 64);
                Some(pieces.into_iter().map(|p| Piece { at: p.at - k, ..p }).collect())
            }
            Part::Lanes(Op::Sll(k), v) => {
                let k = usize::from(*k);
                let pieces = within(self.pieces(v[0])?, 0, 64 - k);
                Some(pieces.into_iter().map(|p| Piece { at: p.at + k, ..p }).collect())
            }
            Part::Lanes(Op::And, v) => {
                let (mask, x) = match (constant(v[0]), constant(v[1])) {
                    (Some(m), _) => (m, v[1]),
                    (_, Some(m)) => (m, v[0]),
                    _ => return None,
                };
                let (low, bits) = (mask.trailing_zeros() as usize, mask.count_ones() as usize);
                let in_a_row = mask != 0 && mask.leading_zeros() as usize + low + bits == 64;
                let pieces = self.pieces(x).filter(|_| in_a_row)?;
                Some(within(pieces, low, low + bits))
            }
            Part::Lanes(Op::Or, v) => {
                let mut all = self.pieces(v[0])?;
                all.extend(self.pieces(v[1])?);
                all.sort_by_key(|p| p.at);
                let apart = all.windows(2).all(|w| w[0].at + w[0].to - w[0].from <= w[1].at);
                apart.then_some(all)
            }
            _ => None,
        }
    }

    /// A part that is put together of bits of input words; none if it is not.
    pub(super) fn of_pieces(&mut self, i: usize) -> Result<Option<Word>> {
        let Some(pieces) = self.pieces(i) else { return Ok(None) };
        let mut parts = Vec::new();
        for p in pieces {
            let mut w = self.word(p.of)?;
            if p.to < 64 {
                w = self.trace.halves(&w, p.to)?.0;
            }
            if p.from > 0 {
                w = self.trace.halves(&w, p.from)?.1;
            }
            parts.push((p.at, w));
        }
        self.trace.joined(parts).map(Some)
    }
}
