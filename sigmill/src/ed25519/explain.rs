//! Everything that can be said about one signature, for people who want to know why two programs
//! disagree.
//!
//! Public inputs only: time depends on them.

use super::bytes::halves;
use super::rules::{self, Facts, Order, PointFacts, Rule};
use super::variant::{Variant, challenge_hash};
use super::verify::{self, all_facts, facts_of_vartime, full_sum_vartime, torsion_order_vartime};
use crate::error::Verdict;
use crate::field::f25519::Fe;
use crate::scalar::l25519::Scalar;

/// 32 bytes as a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointReport {
    /// There is a point with this encoding. If not, the other fields mean nothing.
    pub decodes: bool,
    /// The encoding is the canonical one.
    pub canonical: bool,
    /// The order is 1, 2, 4 or 8.
    pub small: bool,
    /// The order of the torsion part: 1 for a point of the prime-order group, else 2, 4 or 8.
    pub torsion_order: u8,
}

/// All facts about one signature.
///
/// ```
/// use sigmill::ed25519::{Explanation, Variant, rules};
///
/// // the neutral point as the key and as R, and S = 0: a signature of every message, if anybody accepts it
/// let mut signature = [0; 64];
/// signature[0] = 1;
/// let key = *signature.first_chunk().unwrap();
/// let explanation = Explanation::new(Variant::Pure, &key, b"hello", &signature);
/// assert!(explanation.a.small && explanation.residual.unwrap().identity);
/// let accepting: Vec<_> = rules::ALL.into_iter().filter(|rule| explanation.verdict(rule).is_valid()).collect();
/// assert!(accepting.contains(&&rules::ZIP215) && !accepting.contains(&&rules::STRICT));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Explanation {
    /// The public key.
    pub a: PointReport,
    /// The first half of the signature.
    pub r: PointReport,
    /// The residual [S]B − [k]A − R: the identity exactly if R is the point that the key and the
    /// message ask for. `None` if A or R does not decode.
    pub residual: Option<ResidualReport>,
    /// The facts that rules judge. If A does not decode, the equations count as not holding.
    pub facts: Facts<bool>,
    /// SHA-512(dom ‖ R ‖ A ‖ PH(M)) mod ℓ, little-endian.
    pub k: [u8; 32],
}

/// The residual [S]B − [k]A − R.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResidualReport {
    /// It is the identity.
    pub identity: bool,
    /// Its order is 1, 2, 4 or 8: the cofactored equation holds.
    pub small: bool,
    /// The order of its torsion part.
    pub torsion_order: u8,
}

impl Explanation {
    /// Looks at a signature. Time depends on the inputs.
    pub fn new(variant: Variant<'_>, key: &[u8; 32], message: &[u8], signature: &[u8; 64]) -> Self {
        let [r_bytes, s] = halves(signature);
        let mut hash = challenge_hash(variant, r_bytes, key);
        hash.update(message);
        let k = Scalar::reduce_wide(&hash.finish());
        let points = verify::decode([key, r_bytes]);
        let [a, r] = points.map(|point| facts_of_vartime(&point, Order::RejectSmall));
        let [a_point, r_point] = points.map(|point| point.extended::<Fe>(()));
        let sum = full_sum_vartime(&points[0], &k, &Scalar::reduce_narrow(s));
        let (mut facts, residual) = all_facts(a, &points[1], &sum, [r_bytes, s]);
        facts.exact &= a.decodes;
        facts.cofactored &= a.decodes && r.decodes;
        let report = |point, facts: PointFacts<bool>| PointReport {
            decodes: facts.decodes,
            canonical: facts.decodes && facts.canonical,
            small: facts.decodes && facts.small,
            torsion_order: if facts.decodes { torsion_order_vartime(point) } else { 0 },
        };
        let residual = (a.decodes && r.decodes).then(|| ResidualReport {
            identity: residual.projective().is_identity().is_true_vartime(),
            small: residual.projective().is_small().is_true_vartime(),
            torsion_order: torsion_order_vartime(&residual),
        });
        Explanation {
            a: report(&a_point, a),
            r: report(&r_point, r),
            residual,
            facts,
            k: k.to_bytes(),
        }
    }

    /// The verdict of a rule.
    pub fn verdict(&self, rule: &Rule) -> Verdict {
        rules::verdict(&rules::decide(rule, &self.facts))
    }
}
