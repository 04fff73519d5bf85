//! ECDSA: public keys and signatures of many rows.

use super::column::ColumnArg;
use super::outputs::{Outputs, reported};
use super::plan::{Bulk, Plan};
use super::report::{Problem, Report};
use super::rows::{Part, pair};
use super::signing::Signing;
use crate::ecdsa::Key;
use crate::fault::Fault;
use crate::pointer::{Extent, Handle, In, Out, Plain};
use crate::scheme::{curve, prehash};
use core::ffi::c_int;
use sigmill::bulk::{Column, SigningKeys};
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
        let check = |key: Handle<Key>, message: &[u8]| match key.using(|key| Ok(key.curve()))? == of
        {
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
