//! Keys, signatures and shared secrets of many rows.

use super::column::{ColumnArg, with_column};
use super::outputs::Outputs;
use super::{Bulk, Plan, Problem, Report, reported};
use crate::ed25519::{VariantArg, sign_with_key, variant_in};
use crate::fault::{Fault, answer, done};
use crate::pointer::{Content, Extent, Handle, In, Out, Plain, Room};
use core::ffi::c_int;
use sigmill::bulk::{Column, Rows, SigningKeys};
use sigmill::ed25519::SigningKey;
use zeroize::Zeroize;

/// Rows of a column.
#[derive(Clone, Copy)]
struct Part<'a> {
    column: Column<'a>,
    first: usize,
    rows: usize,
}

impl Part<'_> {
    /// Cut into groups of so many rows.
    #[cfg(feature = "ecdsa")]
    fn groups(&self, rows: usize) -> impl Iterator<Item = Self> {
        (0..self.rows).step_by(rows).map(move |at| Part {
            first: self.first + at,
            rows: rows.min(self.rows - at),
            ..*self
        })
    }
}

impl Rows for Part<'_> {
    fn len(&self) -> usize {
        self.rows
    }

    fn get(&self, row: usize) -> Option<&[u8]> {
        if row < self.rows { self.column.get(self.first + row) } else { None }
    }
}

/// Input and output of the same number of rows, side by side.
fn pair<'call, A: Plain, B: Plain>(
    inputs: In<A>,
    outputs: Out<B>,
    rows: usize,
) -> Result<(&'call [A], &'call mut [B]), Fault> {
    Ok((inputs.slice_of_call(rows)?, outputs.slice_of_call(rows)?))
}

/// An error if outputs lie in each other, in inputs, or in what says how.
fn apart(how: In<Bulk>, results: Extent, other: Extent, inputs: &[Extent]) -> Result<(), Fault> {
    let mut outputs = Outputs::new(results, other, Out::NULL);
    Bulk::inputs(how, &mut outputs);
    inputs.iter().for_each(|input| outputs.input(*input));
    outputs.apart().map_err(|problem| problem.fault)
}

/// Public keys of seeds.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_bulk_ed25519_public_keys(
    how: In<Bulk>,
    rows: usize,
    seeds: In<[u8; 32]>,
    public_keys: Out<[u8; 32]>,
) -> c_int {
    done(|| {
        let plan = Plan::new(how)?;
        pair(seeds, public_keys, rows)?;
        apart(how, public_keys.extent(rows), Extent::NOWHERE, &[seeds.extent(rows)])?;
        plan.run(rows, |_, first, rows| {
            let (seeds, publics) = pair(seeds.skip(first), public_keys.skip(first), rows)?;
            Ok(plan.engine.public_keys_into(seeds, publics)?)
        })
        .map_err(|problem| problem.fault)
    })
}

/// Keys, messages and the place of their signatures.
#[derive(Clone, Copy)]
struct Signing<K> {
    keys: In<Handle<K>>,
    key_count: usize,
    messages: In<ColumnArg>,
    signatures: Out<u8>,
    signatures_size: usize,
}

impl<K: Content + Sync> Signing<K> {
    /// The outputs, with all inputs told to them.
    fn outputs(&self, how: In<Bulk>, variant: In<VariantArg>, report: Out<Report>) -> Outputs {
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
    fn run<const N: usize>(
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
    fn sign_group<const N: usize, const GROUP: usize>(
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

/// Rows of Ed25519 that are signed together, and bytes of their messages. Together with what the computation takes they
/// are what `SIGMILL_STACK_BULK` is for.
const GROUP: usize = 64;
const COPIED: usize = 48 * 1024;

/// Signatures of messages.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_bulk_ed25519_sign(
    how: In<Bulk>,
    keys: In<Handle<SigningKey>>,
    key_count: usize,
    variant: In<VariantArg>,
    messages: In<ColumnArg>,
    signatures: Out<u8>,
    signatures_size: usize,
    report: Out<Report>,
) -> c_int {
    let signing = Signing { keys, key_count, messages, signatures, signatures_size };
    reported(report, &signing.outputs(how, variant, report), || {
        let (plan, mut room) = (Plan::new(how)?, Room::new());
        let variant = variant_in(variant, &mut room)?;
        signing.run::<64>(
            &plan,
            |_, _| Ok(()),
            |part| {
                let mut room = Room::<COPIED>::new();
                let mut done = 0;
                while done < part.rows {
                    // other code may write to the messages: copies are signed, or a long one as its type says
                    let rest = Part { first: part.first + done, rows: part.rows - done, ..*part };
                    let mut copies: [&[u8]; GROUP] = [&[]; GROUP];
                    let messages = (0..rest.rows).map(|row| rest.get(row).unwrap_or_default());
                    let mut count = room.copies(messages, &mut copies);
                    if count > 8 && count < rest.rows {
                        count -= count % 8; // as many lanes as there are
                    }
                    let group = Part { rows: count.max(1), ..rest };
                    signing.sign_group::<64, GROUP>(&group, |keys, out| {
                        if count > 0 {
                            let messages = Column::slices(&copies[..count]);
                            let keys = SigningKeys::Refs(keys);
                            return Ok(plan.engine.sign_into(keys, variant, &messages, out)?);
                        }
                        let message = group.get(0).unwrap_or_default();
                        let signature = sign_with_key(keys[0], variant, message);
                        out[0] = signature.map_err(Fault::from)?.to_bytes();
                        Ok(())
                    })?;
                    done += group.rows;
                }
                Ok(())
            },
        )
    })
}

#[cfg(feature = "x25519")]
mod x25519 {
    //! Agreement.

    use super::{Bulk, Extent, Fault, In, Out, Plan, answer, apart, c_int, done, pair};
    use crate::fault::NOT_ALL_VALID;
    use core::array::from_fn;
    use core::sync::atomic::{AtomicBool, Ordering};
    use sigmill::bulk::StaticSecrets;
    use sigmill::x25519::{PublicKey, StaticSecret};

    /// Rows whose keys are gathered in one frame.
    const GROUP: usize = 64;

    /// Cuts rows into groups.
    fn groups(first: usize, rows: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..rows).step_by(GROUP).map(move |at| (first + at, GROUP.min(rows - at)))
    }

    /// Public keys of secret keys.
    #[unsafe(no_mangle)]
    pub extern "C" fn sigmill_bulk_x25519_public_keys(
        how: In<Bulk>,
        rows: usize,
        secrets: In<[u8; 32]>,
        public_keys: Out<[u8; 32]>,
    ) -> c_int {
        done(|| {
            let plan = Plan::new(how)?;
            pair(secrets, public_keys, rows)?;
            apart(how, public_keys.extent(rows), Extent::NOWHERE, &[secrets.extent(rows)])?;
            plan.run(rows, |_, first, rows| {
                for (first, rows) in groups(first, rows) {
                    let (secrets, publics) =
                        pair(secrets.skip(first), public_keys.skip(first), rows)?;
                    let secrets: [_; GROUP] = from_fn(|i| {
                        StaticSecret::from(secrets.get(i).copied().unwrap_or_default())
                    });
                    let mut made: [_; GROUP] = from_fn(|_| PublicKey::from([0; 32]));
                    plan.engine.x25519_public_keys_into(&secrets[..rows], &mut made[..rows])?;
                    for (public, made) in publics.iter_mut().zip(&made) {
                        *public = made.to_bytes();
                    }
                }
                Ok(())
            })
            .map_err(|problem| problem.fault)
        })
    }

    /// Shared secrets.
    #[unsafe(no_mangle)]
    pub extern "C" fn sigmill_bulk_x25519(
        how: In<Bulk>,
        rows: usize,
        secrets: In<[u8; 32]>,
        secret_count: usize,
        public_keys: In<[u8; 32]>,
        shared: Out<[u8; 32]>,
        codes: Out<u8>,
    ) -> c_int {
        answer(|| {
            let plan = Plan::new(how)?;
            if secret_count != rows && secret_count != 1 {
                return Err(Fault::Rows);
            }
            let all = secrets.slice(secret_count)?;
            public_keys.slice(rows)?;
            let inputs = [secrets.extent(secret_count), public_keys.extent(rows)];
            apart(how, shared.extent(rows), codes.extent(rows), &inputs)?;
            shared.slice_of_call(rows)?;
            codes.slice_of_call(rows)?;
            let zero = AtomicBool::new(false);
            let secret = |row: usize| all[if secret_count == 1 { 0 } else { row }];
            plan.run(rows, |_, first, rows| {
                for (first, rows) in groups(first, rows) {
                    let (publics, shared) =
                        pair(public_keys.skip(first), shared.skip(first), rows)?;
                    let codes = codes.skip(first).slice_of_call(rows)?;
                    let secrets: [_; GROUP] =
                        from_fn(|i| StaticSecret::from(secret(first + i.min(rows - 1))));
                    let publics: [_; GROUP] =
                        from_fn(|i| PublicKey::from(publics.get(i).copied().unwrap_or_default()));
                    let mut made = [const { None }; GROUP];
                    let secrets = StaticSecrets::Each(&secrets[..rows]);
                    plan.engine.x25519_into(secrets, &publics[..rows], &mut made[..rows])?;
                    for ((place, code), made) in shared.iter_mut().zip(codes).zip(&made) {
                        *code = u8::from(made.is_none());
                        *place = made.as_ref().map_or([0; 32], |made| *made.as_bytes());
                        if made.is_none() {
                            zero.store(true, Ordering::Relaxed);
                        }
                    }
                }
                Ok(())
            })
            .map_err(|problem| {
                // what was left out must not be taken for a secret
                if let Ok(shared) = shared.slice_of_call(rows) {
                    shared.fill([0; 32]);
                }
                if let Ok(codes) = codes.slice_of_call(rows) {
                    codes.fill(1);
                }
                problem.fault
            })?;
            Ok(if zero.into_inner() { NOT_ALL_VALID } else { 0 })
        })
    }
}

#[cfg(feature = "ecdsa")]
mod ecdsa {
    //! ECDSA.

    use super::{
        Bulk, ColumnArg, Extent, Fault, Handle, In, Out, Outputs, Part, Plain, Plan, Problem,
        Report, Signing, SigningKeys, c_int, pair, reported,
    };
    use crate::ecdsa::Key;
    use crate::scheme::{curve, prehash};
    use sigmill::bulk::Column;
    use sigmill::ecdsa::{Curve, CurveKey, Prehash, p256, p384};

    /// Rows whose keys are gathered in one frame.
    const GROUP: usize = 64;

    fn public_keys_of<K, const S: usize, const P: usize>(
        how: In<Bulk>,
        rows: usize,
        secrets: In<[u8; S]>,
        public_keys: Out<[u8; P]>,
        report: Out<Report>,
    ) -> c_int
    where
        K: CurveKey<Secret = [u8; S], Public = [u8; P]>,
        [u8; S]: Plain,
        [u8; P]: Plain,
    {
        let mut outputs = Outputs::new(public_keys.extent(rows), Extent::NOWHERE, report);
        Bulk::inputs(how, &mut outputs);
        outputs.input(secrets.extent(rows));
        reported(report, &outputs, || {
            let plan = Plan::new(how)?;
            pair(secrets, public_keys, rows)?;
            plan.run(rows, |_, first, rows| {
                let (secrets, publics) = pair(secrets.skip(first), public_keys.skip(first), rows)?;
                plan.engine.ecdsa_public_keys_into::<K>(secrets, publics).map_err(|error| {
                    let problem = Problem::from(error);
                    Problem { row: problem.row + first, ..problem }
                })
            })?;
            Ok((0, Report::NOTHING))
        })
    }

    /// Public keys of secret keys.
    #[unsafe(no_mangle)]
    pub extern "C" fn sigmill_bulk_ecdsa_public_keys(
        how: In<Bulk>,
        curve_number: c_int,
        rows: usize,
        secrets: In<u8>,
        public_keys: Out<u8>,
        report: Out<Report>,
    ) -> c_int {
        match curve(curve_number) {
            Ok(Curve::P256) => {
                let (secrets, public_keys) = (secrets.cast(), public_keys.cast());
                public_keys_of::<p256::SigningKey, 32, 65>(how, rows, secrets, public_keys, report)
            }
            Ok(Curve::P384) => {
                let (secrets, public_keys) = (secrets.cast(), public_keys.cast());
                public_keys_of::<p384::SigningKey, 48, 97>(how, rows, secrets, public_keys, report)
            }
            _ => {
                let mut outputs = Outputs::new(Extent::NOWHERE, Extent::NOWHERE, report);
                Bulk::inputs(how, &mut outputs);
                reported(report, &outputs, || Err(Fault::Algorithm.into()))
            }
        }
    }

    /// Signatures of messages.
    #[unsafe(no_mangle)]
    pub extern "C" fn sigmill_bulk_ecdsa_sign(
        how: In<Bulk>,
        keys: In<Handle<Key>>,
        key_count: usize,
        hash: c_int,
        messages: In<ColumnArg>,
        signatures: Out<u8>,
        signatures_size: usize,
        report: Out<Report>,
    ) -> c_int {
        let signing = Signing { keys, key_count, messages, signatures, signatures_size };
        reported(report, &signing.outputs(how, In::NULL, report), || {
            let plan = Plan::new(how)?;
            if messages.get()?.rows == 0 {
                return if signatures_size == 0 {
                    Ok((0, Report::NOTHING))
                } else {
                    Err(Fault::Rows.into())
                };
            }
            let first = keys.slice(key_count)?.first().ok_or(Fault::Rows)?;
            let of = first.using(|key| Ok(key.curve()))?;
            let prehash = prehash(of, hash)?;
            let check =
                |key: Handle<Key>, message: &[u8]| match key.using(|key| Ok(key.curve()))? == of {
                    false => Err(Fault::Algorithm),
                    true if prehash == Prehash::None && message.is_empty() => Err(Fault::Digest),
                    true => Ok(()),
                };
            match of {
                Curve::P256 => {
                    let sign = |group: Part<'_>| {
                        signing.sign_group::<64, GROUP>(&group, |keys, out| {
                            let mut list = [keys[0].p256().ok_or(Fault::Internal)?; GROUP];
                            for (place, key) in list.iter_mut().zip(keys) {
                                *place = key.p256().ok_or(Fault::Internal)?;
                            }
                            let list = SigningKeys::Refs(&list[..keys.len()]);
                            let messages = Column::rows(&group);
                            Ok(plan.engine.sign_ecdsa_into(list, prehash, &messages, out)?)
                        })
                    };
                    signing.run::<64>(&plan, check, |part| part.groups(GROUP).try_for_each(sign))
                }
                Curve::P384 => {
                    let sign = |group: Part<'_>| {
                        signing.sign_group::<96, GROUP>(&group, |keys, out| {
                            let mut list = [keys[0].p384().ok_or(Fault::Internal)?; GROUP];
                            for (place, key) in list.iter_mut().zip(keys) {
                                *place = key.p384().ok_or(Fault::Internal)?;
                            }
                            let list = SigningKeys::Refs(&list[..keys.len()]);
                            let messages = Column::rows(&group);
                            Ok(plan.engine.sign_ecdsa_into(list, prehash, &messages, out)?)
                        })
                    };
                    signing.run::<96>(&plan, check, |part| part.groups(GROUP).try_for_each(sign))
                }
                _ => Err(Fault::Algorithm.into()),
            }
        })
    }
}
