//! Ed25519: public keys and signatures of many rows.

use super::column::ColumnArg;
use super::outputs::reported;
use super::plan::{Bulk, Plan};
use super::report::{Problem, Report};
use super::rows::{Part, apart, pair};
use super::signing::Signing;
use crate::fault::done;
use crate::pointer::{Extent, Handle, In, Out, Room};
use crate::variant::{VariantArg, variant_in};
use core::ffi::c_int;
use sigmill::bulk::{Column, SharedRows, SigningKeys};
use sigmill::ed25519::{SigningKey, Variant};

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

/// Rows of Ed25519 that are signed together, and bytes of their messages. With what the computation takes they are what
/// `SIGMILL_STACK_BULK` is for.
const GROUP: usize = 64;
const COPIED: usize = 64 * 1024;

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
            // a message of Ed25519ph is read once, for its hash
            |part| match variant {
                Variant::Ph(_) => sign_part::<0>(&signing, &plan, variant, part),
                _ => sign_part::<COPIED>(&signing, &plan, variant, part),
            },
        )
    })
}

/// Signs messages that other code may write to meanwhile: copies of so many bytes at a time or a long one as its type says,
/// or with room for none each message in its place.
#[inline(never)]
fn sign_part<const ROOM: usize>(
    signing: &Signing<SigningKey>,
    plan: &Plan,
    variant: Variant<'_>,
    part: &Part<'_>,
) -> Result<(), Problem> {
    let bytes = (0..part.rows).map(|row| part.message_len(row));
    let mut room = Room::<ROOM>::new();
    let buffer = room.zeros(bytes.fold(0, usize::saturating_add));
    part.groups(GROUP).try_for_each(|group| {
        signing.sign_group::<64, GROUP>(&group, |keys, out| {
            let keys = SigningKeys::Refs(keys);
            match ROOM {
                0 => plan.engine.sign_into(keys, variant, &Column::rows(&group), out)?,
                _ => plan.engine.sign_shared_into(keys, variant, &group, buffer, out)?,
            }
            Ok(())
        })
    })
}
