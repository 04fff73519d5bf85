//! X25519: public keys and shared secrets of many rows.

use super::plan::{Bulk, Plan};
use super::rows::{apart, pair};
use crate::fault::{Fault, NOT_ALL_VALID, answer, done};
use crate::pointer::{Extent, In, Out};
use core::array::from_fn;
use core::ffi::c_int;
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
                let (secrets, publics) = pair(secrets.skip(first), public_keys.skip(first), rows)?;
                let secrets: [_; GROUP] =
                    from_fn(|i| StaticSecret::from(secrets.get(i).copied().unwrap_or_default()));
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
                let (publics, shared) = pair(public_keys.skip(first), shared.skip(first), rows)?;
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
