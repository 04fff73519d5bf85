//! Bulk verification.

use super::column::{ColumnArg, with_column};
use super::outputs::{Outputs, reported};
use super::plan::{Bulk, Plan};
use super::report::{Problem, Report};
use crate::fault::{Fault, NOT_ALL_VALID, NULL_ROW, UNFINISHED, done};
use crate::names::rule;
use crate::pointer::{
    Extent, Handle, In, Out, content, plain_struct, scratch, values_in, values_len,
};
use crate::scheme::{How, curve};
use crate::variant::{SignedInput, VariantArg};
use core::ffi::c_int;
use core::sync::atomic::{AtomicUsize, Ordering};
use sigmill::bulk::{self, FailureRate, NULL_SPEC, Progress, Scratch, Spec, Specs, Table};

content!(6: Progress = 128);

// the same number in the header
const _: () = assert!(NULL_SPEC == u32::MAX);

plain_struct! {
    /// `struct sigmill_spec`.
    pub struct SpecArg {
        algorithm: c_int,
        rule: c_int,
        variant: VariantArg,
        ecdsa: How,
    }
}

impl SpecArg {
    fn spec<'call>(&self) -> Result<Spec<'call>, Fault> {
        match self.algorithm {
            1 => {
                let rule = rule(self.rule)?;
                Ok(match self.variant.signed_input()? {
                    SignedInput::Message(variant) => Spec::ed25519(rule, variant),
                    SignedInput::Digest(context) => Spec::ed25519_prehashed(rule, context),
                })
            }
            #[cfg(feature = "ecdsa")]
            number => Ok(Spec::Ecdsa(self.ecdsa.scheme(curve(number)?)?)),
            #[cfg(not(feature = "ecdsa"))]
            _ => Err(Fault::Algorithm),
        }
    }
}

plain_struct! {
    /// `struct sigmill_table`.
    pub struct TableArg {
        keys: ColumnArg,
        messages: ColumnArg,
        signatures: ColumnArg,
        specs: In<SpecArg>,
        spec_count: usize,
        spec_index: In<u32>,
    }
}

impl TableArg {
    /// A table whose rows are all verified alike.
    pub(super) fn same(columns: [ColumnArg; 3], spec: In<SpecArg>) -> Self {
        let [keys, messages, signatures] = columns;
        TableArg { keys, messages, signatures, specs: spec, spec_count: 1, spec_index: In::NULL }
    }

    /// Tells of all memory that the table lies in.
    pub(super) fn inputs(&self, outputs: &mut Outputs) {
        self.keys.inputs(c"keys", outputs);
        self.messages.inputs(c"messages", outputs);
        self.signatures.inputs(c"signatures", outputs);
        let what = Some(c"specs");
        outputs.input_of(what, self.specs.extent(self.spec_count));
        outputs.input_of(what, self.spec_index.extent(self.keys.rows));
        for spec in self.specs.slice(self.spec_count).unwrap_or_default() {
            outputs.input_of(what, spec.variant.context_extent());
        }
    }
}

/// The outputs for a table.
pub(super) struct Place {
    pub(super) codes: Out<u8>,
    pub(super) codes_size: usize,
    pub(super) report: Out<Report>,
    pub(super) scratch: Out<u8>,
    pub(super) scratch_size: usize,
}

impl Place {
    /// The number of a result. `inputs` tells of all that is read: no code is written where any of it is. After another
    /// error no code says valid, whatever was there before.
    pub(super) fn conclude(
        &self,
        progress: Extent,
        inputs: impl FnOnce(&mut Outputs),
        compute: impl FnOnce() -> Result<(c_int, Report), Problem>,
    ) -> c_int {
        let codes = self.codes.extent(self.codes_size);
        let scratch = self.scratch.extent(self.scratch_size);
        let mut outputs = Outputs::in_steps(progress, codes, scratch, self.report);
        inputs(&mut outputs);
        let number = reported(self.report, &outputs, compute);
        if number < 0
            && outputs.results_are_apart()
            && let Ok(codes) = self.codes.slice_of_call(self.codes_size)
        {
            codes.fill(NULL_ROW as u8);
        }
        number
    }
}

/// Memory for one part, if some rows may be ECDSA's or none is.
fn part_len(plan: &Plan, rows: usize, ecdsa: bool) -> usize {
    let rows = plan.part_rows(rows).min(rows);
    match ecdsa {
        #[cfg(feature = "ecdsa")]
        true => plan
            .engine
            .scratch_len_for(rows, &Specs::Same(Spec::Ecdsa(sigmill::ecdsa::Scheme::P384))),
        _ => plan.engine.scratch_len(rows),
    }
}

/// Bytes for the specs and one part of each task, and for aligning them.
fn scratch_size(plan: &Plan, rows: usize, specs: &[SpecArg]) -> usize {
    let tasks = plan.tasks.min(rows.div_ceil(plan.part_rows(rows)));
    let parts = tasks.saturating_mul(part_len(plan, rows, have_ecdsa(specs)));
    let len = values_len::<Spec<'_>>(specs.len()).saturating_add(parts);
    len.saturating_mul(size_of::<Scratch>()).saturating_add(align_of::<Scratch>() - 1)
}

fn have_ecdsa(specs: &[SpecArg]) -> bool {
    specs.iter().any(|spec| spec.algorithm != 1)
}

/// Bytes of scratch for so many rows and these specs.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_bulk_scratch_size(
    how: In<Bulk>,
    rows: usize,
    specs: In<SpecArg>,
    spec_count: usize,
) -> usize {
    // what is wrong with these is told by the call that it is for
    match (Plan::new(how), specs.slice(spec_count)) {
        (Ok(plan), Ok(specs)) => scratch_size(&plan, rows, specs),
        _ => 0,
    }
}

/// Verifies every row.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_bulk_verify(
    how: In<Bulk>,
    table: In<TableArg>,
    codes: Out<u8>,
    codes_size: usize,
    report: Out<Report>,
    scratch: Out<u8>,
    scratch_size: usize,
) -> c_int {
    let place = Place { codes, codes_size, report, scratch, scratch_size };
    let inputs = |outputs: &mut Outputs| inputs(how, table, outputs);
    place.conclude(Extent::NOWHERE, inputs, || verify(how, table.get()?, &place))
}

/// Tells of all that is read.
fn inputs(how: In<Bulk>, table: In<TableArg>, outputs: &mut Outputs) {
    Bulk::inputs(how, outputs);
    outputs.input(table.extent(1));
    if let Ok(Some(table)) = table.optional() {
        table.inputs(outputs);
    }
}

/// Begins a verification in steps.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_progress_init(progress: Handle<Progress>) -> c_int {
    done(|| progress.set(Progress::new()))
}

/// Begins a verification in steps with the rate of another.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_progress_init_with_rate(progress: Handle<Progress>, rate: u64) -> c_int {
    done(|| progress.set(Progress::with_rate(rate)))
}

/// The rate of invalid rows by a verification in steps.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_progress_rate(progress: Handle<Progress>) -> u64 {
    progress.get().map_or(0, Progress::rate)
}

/// Does some of what there is to do.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_bulk_verify_step(
    how: In<Bulk>,
    table: In<TableArg>,
    codes: Out<u8>,
    codes_size: usize,
    report: Out<Report>,
    scratch: Out<u8>,
    scratch_size: usize,
    progress: Handle<Progress>,
    work: usize,
) -> c_int {
    let place = Place { codes, codes_size, report, scratch, scratch_size };
    let inputs = |outputs: &mut Outputs| inputs(how, table, outputs);
    place.conclude(progress.extent(), inputs, || {
        let (table, mut plan) = (table.get()?, Plan::new(how)?);
        plan.tasks = 1;
        with_table(&plan, table, &place, |table, memory| {
            let codes = place.codes.slice_of_call(table.len())?;
            let step = |progress: &mut Progress| {
                plan.engine.verify_codes_step(table, 0, codes, memory, progress, work)
            };
            match progress.change(step)?? {
                Some(report) => Ok(result(count(codes, &report))),
                None => Ok((UNFINISHED, Report::NOTHING)),
            }
        })
    })
}

/// Verifies a table.
pub(super) fn verify(
    how: In<Bulk>,
    arg: &TableArg,
    place: &Place,
) -> Result<(c_int, Report), Problem> {
    let plan = Plan::new(how)?;
    with_table(&plan, arg, place, |table, memory| {
        place.codes.slice_of_call(table.len())?.fill(NULL_ROW as u8);
        let part = part_len(&plan, table.len(), have_ecdsa(arg.specs.slice(arg.spec_count)?));
        verify_table(&plan, table, (memory, part), place.codes)
    })
}

/// Calls `with` with the table and the memory that is left for it. Outputs lie apart from all else.
fn with_table<T>(
    plan: &Plan,
    arg: &TableArg,
    place: &Place,
    with: impl FnOnce(&Table<'_>, &mut [Scratch]) -> Result<T, Problem>,
) -> Result<T, Problem> {
    let rows = arg.keys.rows;
    if place.codes_size != rows {
        return Err(Problem { what: Some(c"codes"), ..Fault::Rows.into() });
    }
    let named = |fault: Fault| Problem { what: Some(c"specs"), ..fault.into() };
    let specs = arg.specs.slice(arg.spec_count).map_err(named)?;
    if place.scratch_size < scratch_size(plan, rows, specs) {
        return Err(Problem { what: Some(c"scratch"), ..Fault::Scratch.into() });
    }
    let memory = scratch(place.scratch, place.scratch_size)?;
    with_column(&arg.keys, c"keys", |keys| {
        with_column(&arg.messages, c"messages", |messages| {
            with_column(&arg.signatures, c"signatures", |signatures| {
                with_specs(arg, rows, memory, |specs, memory| {
                    with(&Table::new(keys, messages, signatures, specs)?, memory)
                })
            })
        })
    })
}

fn with_specs<T>(
    arg: &TableArg,
    rows: usize,
    memory: &mut [Scratch],
    with: impl FnOnce(Specs<'_>, &mut [Scratch]) -> Result<T, Problem>,
) -> Result<T, Problem> {
    let named = |fault: Fault| Problem { what: Some(c"specs"), ..fault.into() };
    let args = arg.specs.slice(arg.spec_count).map_err(named)?;
    if rows > 0 && args.is_empty() {
        return Err(named(Fault::Rows));
    }
    let (specs, memory) = values_in(memory, args.len(), |i| args[i].spec().map_err(named))?;
    match (specs.first(), arg.spec_index.is_null()) {
        (Some(spec), true) => with(Specs::Same(*spec), memory),
        _ => {
            let index = arg.spec_index.slice(rows).map_err(named)?;
            with(Specs::PerRow { distinct: specs, index }, memory)
        }
    }
}

fn verify_table(
    plan: &Plan,
    table: &Table<'_>,
    (memory, each): (&mut [Scratch], usize),
    codes: Out<u8>,
) -> Result<(c_int, Report), Problem> {
    let (rows, rate) = (table.len(), FailureRate::new());
    let table = &table.with_failure_rate(&rate);
    let places = Out::first_of(memory);
    let counts: [AtomicUsize; 6] = [const { AtomicUsize::new(0) }; 6];
    plan.run(rows, |task, first, rows| {
        let codes = codes.skip(first).slice_of_call(rows)?;
        let scratch = places.skip(task * each).slice_of_call(each)?;
        let report = plan.engine.verify_codes_of(table, first, codes, scratch)?;
        for (count, added) in counts.iter().zip(count(codes, &report)) {
            count.fetch_add(added, Ordering::Relaxed);
        }
        Ok(())
    })?;
    Ok(result(counts.map(AtomicUsize::into_inner)))
}

/// How many rows are valid, invalid and null, and were verified in each way.
fn count(codes: &[u8], report: &bulk::Report) -> [usize; 6] {
    let valid = codes.iter().filter(|code| **code == 0).count();
    let null = codes.iter().filter(|code| **code == NULL_ROW as u8).count();
    [valid, codes.len() - valid - null, null, report.single, report.lanes, report.combined]
}

fn result([valid, invalid, null, single, lanes, combined]: [usize; 6]) -> (c_int, Report) {
    let number = if invalid + null == 0 { 0 } else { NOT_ALL_VALID };
    (number, Report { valid, invalid, null, single, lanes, combined, ..Report::NOTHING })
}
