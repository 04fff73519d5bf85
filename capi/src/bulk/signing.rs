//! Signatures of a column of messages, whatever the algorithm.

use super::column::{ColumnArg, with_column};
use super::outputs::Outputs;
use super::plan::{Bulk, Plan};
use super::report::{Problem, Report};
use super::rows::Part;
use crate::fault::Fault;
use crate::pointer::{Content, Extent, Handle, In, Out, Plain};
use crate::variant::VariantArg;
use core::ffi::c_int;
use zeroize::Zeroize;

/// Keys, messages and the place of their signatures.
#[derive(Clone, Copy)]
pub(super) struct Signing<K> {
    pub(super) keys: In<Handle<K>>,
    pub(super) key_count: usize,
    pub(super) messages: In<ColumnArg>,
    pub(super) signatures: Out<u8>,
    pub(super) signatures_size: usize,
}

impl<K: Content + Sync> Signing<K> {
    /// The outputs, with all inputs told to them.
    pub(super) fn outputs(
        &self,
        how: In<Bulk>,
        variant: In<VariantArg>,
        report: Out<Report>,
    ) -> Outputs {
        let signatures = self.signatures.extent(self.signatures_size);
        let mut outputs = Outputs::new(signatures, Extent::NOWHERE, report);
        Bulk::inputs(how, &mut outputs);
        outputs.input_of(Some(c"keys"), self.keys.extent(self.key_count));
        for handle in self.keys.slice(self.key_count).unwrap_or_default() {
            outputs.input_of(Some(c"keys"), handle.extent());
        }
        outputs.input_of(Some(c"messages"), self.messages.extent(1));
        if let Ok(Some(messages)) = self.messages.optional() {
            messages.inputs(c"messages", &mut outputs);
        }
        outputs.input(variant.extent(1));
        if let Ok(Some(variant)) = variant.optional() {
            outputs.input(variant.context_extent());
        }
        outputs
    }

    fn handle(&self, row: usize) -> Result<Handle<K>, Fault> {
        Ok(*self.keys.skip(if self.key_count == 1 { 0 } else { row }).get()?)
    }

    /// Signs a column of messages with one key or as many as rows, part by part.
    pub(super) fn run<const N: usize>(
        &self,
        plan: &Plan,
        check: impl Fn(Handle<K>, &[u8]) -> Result<(), Fault>,
        sign: impl Fn(&Part<'_>) -> Result<(), Problem> + Sync,
    ) -> Result<(c_int, Report), Problem>
    where
        [u8; N]: Plain,
    {
        let named = |what, fault: Fault| Problem { what: Some(what), ..fault.into() };
        let messages = self.messages.get()?;
        let rows = messages.rows;
        if rows.checked_mul(N) != Some(self.signatures_size) {
            return Err(named(c"signatures", Fault::Rows));
        }
        if self.key_count != rows && self.key_count != 1 {
            return Err(named(c"keys", Fault::Rows));
        }
        self.signatures.cast::<[u8; N]>().slice_of_call(rows)?;
        let handles = self.keys.slice(self.key_count).map_err(|fault| named(c"keys", fault))?;
        for (row, handle) in handles.iter().enumerate() {
            handle.get().map_err(|fault| Problem { row, ..named(c"keys", fault) })?;
        }
        with_column(messages, c"messages", |column| {
            for row in 0..rows {
                let at = |fault| Problem { row, ..named(c"messages", fault) };
                let message = column.get(row).ok_or(at(Fault::NullMessage))?;
                check(self.handle(row)?, message).map_err(at)?;
            }
            plan.run(rows, |_, first, rows| sign(&Part { column, first, rows }))
        })?;
        Ok((0, Report::NOTHING))
    }

    /// Signs a group of rows. Its keys are gathered in one frame. Signatures leave it when all keys have been looked at
    /// again: one of a key that was wiped meanwhile gives it away.
    pub(super) fn sign_group<const N: usize, const GROUP: usize>(
        &self,
        group: &Part<'_>,
        sign: impl FnOnce(&[&K], &mut [[u8; N]]) -> Result<(), Problem>,
    ) -> Result<(), Problem>
    where
        [u8; N]: Plain,
    {
        let at = |i: usize| move |fault: Fault| Problem { row: group.first + i, ..fault.into() };
        let handle = |i: usize| self.handle(group.first + i);
        let (mut states, mut keys) = ([0; GROUP], [handle(0)?.content()?; GROUP]);
        // the others are the first
        let different = if self.key_count == 1 { 1 } else { group.rows };
        for (i, (state, key)) in states.iter_mut().zip(&mut keys).take(different).enumerate() {
            *state = handle(i)?.state().map_err(at(i))?;
            *key = handle(i)?.content()?;
        }
        let mut made = [[0; N]; GROUP];
        let made = &mut made[..group.rows];
        let signed = sign(&keys[..group.rows], made);
        for (i, state) in states.iter().take(different).enumerate() {
            if let Err(fault) = handle(i)?.still(*state) {
                made.as_flattened_mut().zeroize();
                return Err(at(i)(fault));
            }
        }
        signed.map_err(|problem| Problem { row: group.first + problem.row, ..problem })?;
        Ok(self.signatures.cast().skip(group.first).put_all(made)?)
    }
}
