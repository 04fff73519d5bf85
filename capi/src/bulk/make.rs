//! Keys, signatures and shared secrets of many rows.

use super::column::{ColumnArg, with_column};
use super::{Bulk, Plan, Problem, Report, reported};
use crate::ed25519::{VariantArg, variant_of};
use crate::fault::{Fault, answer, done};
use crate::pointer::{Content, Extent, Handle, In, Out, Plain};
use core::ffi::c_int;
use sigmill::bulk::{Column, Rows, SigningKeys};
use sigmill::ed25519::SigningKey;

/// Rows of a column.
struct Part<'a> {
    column: Column<'a>,
    first: usize,
    rows: usize,
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
    let inputs = inputs.slice_of_call(rows)?;
    outputs.extent(rows).apart(Extent::of(inputs))?;
    Ok((inputs, outputs.slice_of_call(rows)?))
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
        plan.run(rows, |_, first, rows| {
            let (seeds, publics) = pair(seeds.skip(first), public_keys.skip(first), rows)?;
            Ok(plan.engine.public_keys_into(seeds, publics)?)
        })
        .map_err(|problem| problem.fault)
    })
}

/// Signs a column of messages with one key or as many as rows, group by group: `sign(keys, messages, out)`. The keys of a
/// group are gathered in one frame.
fn sign_rows<K: Content + Sync, const N: usize, const GROUP: usize>(
    plan: &Plan,
    keys: (In<Handle<K>>, usize),
    messages: &ColumnArg,
    signatures: (Out<u8>, usize),
    check: impl Fn(&K, &[u8]) -> Result<(), Fault>,
    sign: impl Fn(&[&K], &Column<'_>, &mut [[u8; N]]) -> Result<(), Problem> + Sync,
) -> Result<(c_int, Report), Problem> {
    let named = |what, fault: Fault| Problem { what: Some(what), ..fault.into() };
    let rows = messages.rows;
    if rows.checked_mul(N) != Some(signatures.1) {
        return Err(named(c"signatures", Fault::Rows));
    }
    if keys.1 != rows && keys.1 != 1 {
        return Err(named(c"keys", Fault::Rows));
    }
    let outputs = signatures.0.cast::<[u8; N]>();
    let handles = keys.0.slice(keys.1).map_err(|fault| named(c"keys", fault))?;
    outputs.extent(rows).apart(Extent::of(handles))?;
    for (row, handle) in handles.iter().enumerate() {
        let at = |fault| Problem { row, ..named(c"keys", fault) };
        handle.get().map_err(at)?;
        outputs.extent(rows).apart(handle.extent()).map_err(at)?;
    }
    let key = |row: usize| handles[if keys.1 == 1 { 0 } else { row }].get();
    with_column(messages, c"messages", &[outputs.extent(rows)], |column| {
        for row in 0..rows {
            let at = |fault| Problem { row, ..named(c"messages", fault) };
            let message = column.get(row).ok_or(at(Fault::NullMessage))?;
            check(key(row)?, message).map_err(at)?;
        }
        plan.run(rows, |_, first, rows| {
            for first in
                (first..first + rows).step_by(GROUP).map(|at| (at, (first + rows - at).min(GROUP)))
            {
                let (first, rows) = first;
                let mut gathered = [key(first)?; GROUP];
                for (i, place) in gathered[..rows].iter_mut().enumerate() {
                    *place = key(first + i)?;
                }
                let part = Part { column, first, rows };
                let out = outputs.skip(first).slice_of_call(rows)?;
                sign(&gathered[..rows], &Column::rows(&part), out)?;
            }
            Ok(())
        })
    })?;
    Ok((0, Report::NOTHING))
}

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
    let made = || {
        let (plan, variant) = (Plan::new(how)?, variant_of(variant)?);
        let sign = |keys: &[&SigningKey], messages: &Column<'_>, out: &mut [[u8; 64]]| {
            Ok(plan.engine.sign_into(SigningKeys::Refs(keys), variant, messages, out)?)
        };
        let (keys, signatures) = ((keys, key_count), (signatures, signatures_size));
        sign_rows::<_, 64, 128>(&plan, keys, messages.get()?, signatures, |_, _| Ok(()), sign)
    };
    reported(report, made)
}

#[cfg(feature = "x25519")]
mod x25519 {
    //! Agreement.

    use super::{Bulk, Extent, Fault, In, Out, Plan, answer, c_int, done, pair};
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
            for output in [shared.extent(rows), codes.extent(rows)] {
                output.apart(Extent::of(all))?;
                output.apart(Extent::of(public_keys.slice(rows)?))?;
            }
            shared.extent(rows).apart(codes.extent(rows))?;
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
        Bulk, ColumnArg, Fault, Handle, In, Out, Plain, Plan, Problem, Report, SigningKeys, c_int,
        pair, reported, sign_rows,
    };
    use crate::ecdsa::Key;
    use crate::scheme::{curve, prehash};
    use sigmill::bulk::Column;
    use sigmill::ecdsa::{Curve, CurveKey, Prehash, p256, p384};

    /// Rows whose keys are gathered in one frame.
    const GROUP: usize = 64;

    fn public_keys_of<K, const S: usize, const P: usize>(
        plan: &Plan,
        rows: usize,
        secrets: In<[u8; S]>,
        public_keys: Out<[u8; P]>,
    ) -> Result<(), Problem>
    where
        K: CurveKey<Secret = [u8; S], Public = [u8; P]>,
        [u8; S]: Plain,
        [u8; P]: Plain,
    {
        pair(secrets, public_keys, rows)?;
        plan.run(rows, |_, first, rows| {
            let (secrets, publics) = pair(secrets.skip(first), public_keys.skip(first), rows)?;
            plan.engine.ecdsa_public_keys_into::<K>(secrets, publics).map_err(|error| {
                let problem = Problem::from(error);
                Problem { row: problem.row + first, ..problem }
            })
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
        let made = || {
            let plan = Plan::new(how)?;
            match curve(curve_number)? {
                Curve::P256 => public_keys_of::<p256::SigningKey, 32, 65>(
                    &plan,
                    rows,
                    secrets.cast(),
                    public_keys.cast(),
                )?,
                Curve::P384 => public_keys_of::<p384::SigningKey, 48, 97>(
                    &plan,
                    rows,
                    secrets.cast(),
                    public_keys.cast(),
                )?,
                _ => return Err(Fault::Algorithm.into()),
            }
            Ok((0, Report::NOTHING))
        };
        reported(report, made)
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
        let made = || {
            let plan = Plan::new(how)?;
            let messages = messages.get()?;
            if messages.rows == 0 {
                return if signatures_size == 0 {
                    Ok((0, Report::NOTHING))
                } else {
                    Err(Fault::Rows.into())
                };
            }
            let of = keys.slice(key_count)?.first().ok_or(Fault::Rows)?.get()?.curve();
            let prehash = prehash(of, hash)?;
            let check = |key: &Key, message: &[u8]| match key.curve() == of {
                false => Err(Fault::Algorithm),
                true if prehash == Prehash::None && message.is_empty() => Err(Fault::Digest),
                true => Ok(()),
            };
            let (keys, signatures) = ((keys, key_count), (signatures, signatures_size));
            match of {
                Curve::P256 => {
                    let sign = |keys: &[&Key], messages: &Column<'_>, out: &mut [[u8; 64]]| {
                        let mut list = [keys[0].p256().ok_or(Fault::Internal)?; GROUP];
                        for (place, key) in list.iter_mut().zip(keys) {
                            *place = key.p256().ok_or(Fault::Internal)?;
                        }
                        let list = SigningKeys::Refs(&list[..keys.len()]);
                        Ok(plan.engine.sign_ecdsa_into(list, prehash, messages, out)?)
                    };
                    sign_rows::<_, 64, GROUP>(&plan, keys, messages, signatures, check, sign)
                }
                Curve::P384 => {
                    let sign = |keys: &[&Key], messages: &Column<'_>, out: &mut [[u8; 96]]| {
                        let mut list = [keys[0].p384().ok_or(Fault::Internal)?; GROUP];
                        for (place, key) in list.iter_mut().zip(keys) {
                            *place = key.p384().ok_or(Fault::Internal)?;
                        }
                        let list = SigningKeys::Refs(&list[..keys.len()]);
                        Ok(plan.engine.sign_ecdsa_into(list, prehash, messages, out)?)
                    };
                    sign_rows::<_, 96, GROUP>(&plan, keys, messages, signatures, check, sign)
                }
                _ => Err(Fault::Algorithm.into()),
            }
        };
        reported(report, made)
    }
}
