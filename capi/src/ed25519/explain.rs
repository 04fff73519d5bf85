//! All facts about one signature.

use crate::fault::{code, done};
use crate::pointer::{In, Out, plain_struct};
use crate::variant::{VariantArg, variant_of};
use core::ffi::c_int;
use sigmill::ed25519::{Explanation, PointReport, rules};

plain_struct! {
    /// `struct sigmill_point_facts`.
    pub struct PointFacts {
        decodes: u8,
        canonical: u8,
        small: u8,
        torsion_order: u8,
    }
}

impl From<PointReport> for PointFacts {
    fn from(report: PointReport) -> Self {
        let PointReport { decodes, canonical, small, torsion_order } = report;
        let [decodes, canonical, small] = [decodes, canonical, small].map(u8::from);
        PointFacts { decodes, canonical, small, torsion_order }
    }
}

plain_struct! {
    /// `struct sigmill_ed25519_facts`.
    pub struct Facts {
        key: PointFacts,
        r: PointFacts,
        s_below_order: u8,
        s_top_bits_clear: u8,
        exact: u8,
        cofactored: u8,
        has_residual: u8,
        residual_identity: u8,
        residual_small: u8,
        residual_torsion_order: u8,
        verdict: [u8; 9],
        unused: [u8; 7],
        k: [u8; 32],
    }
}

/// All facts about a signature.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_ed25519_explain(
    facts: Out<Facts>,
    variant: In<VariantArg>,
    public_key: In<[u8; 32]>,
    message: In<u8>,
    message_size: usize,
    signature: In<[u8; 64]>,
) -> c_int {
    done(|| {
        let place = facts.place()?;
        let variant = variant_of(variant)?;
        let message = message.slice(message_size)?;
        let about = Explanation::new(variant, public_key.get()?, message, signature.get()?);
        let mut verdict = [0; 9];
        for rule in rules::ALL {
            verdict[usize::from(rule.id())] = code(about.verdict(rule)) as u8;
        }
        let residual = about.residual.as_ref();
        place.put(Facts {
            key: about.a.into(),
            r: about.r.into(),
            s_below_order: about.facts.s_below_order.into(),
            s_top_bits_clear: about.facts.s_top_bits_clear.into(),
            exact: about.facts.exact.into(),
            cofactored: about.facts.cofactored.into(),
            has_residual: residual.is_some().into(),
            residual_identity: residual.is_some_and(|residual| residual.identity).into(),
            residual_small: residual.is_some_and(|residual| residual.small).into(),
            residual_torsion_order: residual.map_or(0, |residual| residual.torsion_order),
            verdict,
            unused: [0; 7],
            k: about.k,
        });
        Ok(())
    })
}
