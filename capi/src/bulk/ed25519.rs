//! Ed25519: public keys and signatures of many rows.

use super::column::ColumnArg;
use super::outputs::reported;
use super::plan::{Bulk, Plan};
use super::report::Report;
use super::rows::{Part, apart, pair};
use super::signing::Signing;
use crate::ed25519::sign::sign_with_key;
use crate::fault::{Fault, done};
use crate::pointer::{Extent, Handle, In, Out, Room};
use crate::variant::{VariantArg, variant_in};
use core::ffi::c_int;
use sigmill::bulk::{Column, Rows, SigningKeys};
use sigmill::ed25519::SigningKey;

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
