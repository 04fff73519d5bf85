//! Many signatures at once: the same verdicts as one at a time.
//!
//! `rules` decides, and `verify` finds the facts about one row; only the equation is checked
//! in lanes. Rows of a group share the inversion of their s (Montgomery 1987, section 10.3.1). Rows for
//! which lanes have no answer (`curve::weierstrass::lanes`) are verified alone.
//!
//! Public data only: time depends on it.

use super::curves::{Curve, Prehash, on_curve};
use super::rules::LowS;
use super::types::{verify_digest_bytes, verify_digest_der_bytes};
use crate::cpu::Backend;
use crate::curve::weierstrass::Curve as CurveOf;
use crate::error::Verdict;
use crate::field::nist::EightLanes;
use crate::hash::{Sha256, Sha384};
use crate::memory::Memory;
use sha2::Sha512;
use sha2::digest::Digest;

/// How a signature lies in its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// r ‖ s, each big-endian and as long as a coordinate.
    Fixed,
    /// Strict DER (RFC 3279 section 2.2.3).
    Der,
}

/// How rows of a table are verified. Keys are SEC1 bytes, compressed or not.
///
/// ```
/// use sigmill::ecdsa::{Curve, Encoding, LowS, Prehash, Scheme, p384::SigningKey};
///
/// let scheme = Scheme { encoding: Encoding::Der, ..Scheme::P384 };
/// let key = SigningKey::from_bytes(&[7; 48])?;
/// let (public, signature) = (key.verifying_key().to_sec1_bytes(), key.sign_message(b"hello").to_der());
/// assert!(scheme.verify(&public, b"hello", signature.as_bytes()).is_valid());
///
/// let attestation =
///     Scheme { curve: Curve::P256, prehash: Prehash::None, encoding: Encoding::Fixed, low_s: LowS::Any };
/// # assert!(!attestation.verify(&public, b"hello", signature.as_bytes()).is_valid());
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scheme {
    /// The curve.
    pub curve: Curve,
    /// The hash function that makes the digest.
    pub prehash: Prehash,
    /// How signatures are encoded.
    pub encoding: Encoding,
    /// The s that are accepted.
    pub low_s: LowS,
}

impl Scheme {
    /// P-256 with SHA-256, r ‖ s, any s.
    pub const P256: Scheme = Scheme::own(Curve::P256);
    /// P-384 with SHA-384, r ‖ s, any s.
    pub const P384: Scheme = Scheme::own(Curve::P384);

    /// A curve with the hash function of its own size, r ‖ s, any s.
    pub const fn own(curve: Curve) -> Self {
        Scheme { curve, prehash: curve.own_hash(), encoding: Encoding::Fixed, low_s: LowS::Any }
    }

    fn with_digest<O>(&self, message: &[u8], use_digest: impl FnOnce(&[u8]) -> O) -> O {
        match self.prehash {
            Prehash::Sha256 => use_digest(&Sha256::digest(message)),
            Prehash::Sha384 => use_digest(&Sha384::digest(message)),
            Prehash::Sha512 => use_digest(&Sha512::digest(message)),
            Prehash::None => use_digest(message),
        }
    }

    /// Verifies one row: a SEC1 key, a message and a signature.
    pub fn verify(&self, key: &[u8], message: &[u8], signature: &[u8]) -> Verdict {
        let verify = on_curve!(self.curve, C => match self.encoding {
            Encoding::Fixed => verify_digest_bytes::<C>,
            Encoding::Der => verify_digest_der_bytes::<C>,
        });
        self.with_digest(message, |digest| verify(self.low_s, key, digest, signature))
    }
}

/// A key, a message and a signature.
pub(crate) type Row<'a> = [&'a [u8]; 3];

/// Verifies rows, side by side where the backend has lanes for them; returns how many went there.
/// `verdict` is called once for each row.
pub(crate) fn verify<'a>(
    backend: Backend,
    scheme: &Scheme,
    rows: usize,
    memory: Memory<'_>,
    row: impl Fn(usize) -> Row<'a>,
    mut verdict: impl FnMut(usize, Verdict),
) -> usize {
    if backend.for_rows(rows) == Backend::Ifma {
        on_curve!(scheme.curve, C => {
            if let Some(token) = <C as CurveOf>::LaneFe::detected() {
                return groups::verify::<C, <C as CurveOf>::LaneFe>(
                    token, scheme, rows, memory, row, verdict,
                );
            }
        });
    }
    for i in 0..rows {
        let [key, message, signature] = row(i);
        verdict(i, scheme.verify(key, message, signature));
    }
    0
}

/// Bytes of memory with which as many of these rows go side by side as ever do.
pub(crate) const fn memory_needed(rows: usize) -> usize {
    // of the wider curve: eight lanes, seven vectors
    const VECTOR: usize = 16 * (3 * 8 * 64 + 8 * 128);
    let vectors = rows.div_ceil(8);
    if vectors < 7 { vectors * VECTOR } else { 7 * VECTOR }
}

mod groups {
    //! Groups of rows.

    use super::super::rules::{Facts, SignatureFault, decide, of_bytes, refusal_without_equation};
    use super::super::verify::{is_low, point_of_sec1, scalar_in_range, scalar_of_digest};
    use super::{Encoding, LowS, Row, Scheme};
    use crate::curve::weierstrass::fixed_base::BaseTables;
    use crate::curve::weierstrass::lanes::{self, Tables};
    use crate::curve::weierstrass::{Affine, Curve as CurveOf, MAX_WIDTH, sum_has_x_vartime};
    use crate::encoding::signature_der;
    use crate::error::Verdict;
    use crate::field::nist::Field;
    use crate::memory::Memory;
    use crate::modular::{Arithmetic, PrimeField, Products};

    /// A row whose equation is all that is left to find out.
    struct Open<C: CurveOf> {
        /// With e and s in the place of u1 and u2.
        values: lanes::Row<C>,
        /// But for the equation.
        facts: Facts,
    }

    impl<C: CurveOf> Open<C> {
        /// A row, or the verdict that it has whatever its equation says.
        fn new(scheme: &Scheme, [key, message, signature]: Row<'_>) -> Result<Self, Verdict> {
            let mut bytes = [[0; MAX_WIDTH]; 2];
            let [r, s] = &mut bytes;
            let (r, s) = (&mut r[..C::WIDTH], &mut s[..C::WIDTH]);
            let read = match scheme.encoding {
                Encoding::Fixed if signature.len() != 2 * C::WIDTH => Err(SignatureFault::Length),
                Encoding::Fixed => {
                    let (first, second) = signature.split_at(C::WIDTH);
                    r.copy_from_slice(first);
                    s.copy_from_slice(second);
                    Ok(())
                }
                Encoding::Der => {
                    signature_der::parse(signature, r, s).map_err(|_| SignatureFault::Der)
                }
            };
            let (q, ()) = of_bytes(point_of_sec1::<C>(key), read)?;
            let ((r, r_in_range), (s, s_in_range)) =
                (scalar_in_range::<C>(r), scalar_in_range::<C>(s));
            let (e, digest_empty) = scheme
                .with_digest(message, |digest| (scalar_of_digest::<C>(digest), digest.is_empty()));
            let facts = Facts {
                digest_empty,
                r_in_range: r_in_range.is_true_vartime(),
                s_in_range: s_in_range.is_true_vartime(),
                s_low: is_low::<C>(&s).is_true_vartime(),
                equation: false,
            };
            match refusal_without_equation(scheme.low_s, &facts) {
                Some(refused) => Err(refused),
                None => Ok(Open { values: lanes::Row { u1: e, u2: s, q, r }, facts }),
            }
        }
    }

    pub(super) fn verify<'a, C: BaseTables<F>, F: Field>(
        token: F::Token,
        scheme: &Scheme,
        rows: usize,
        mut memory: Memory<'_>,
        row: impl Fn(usize) -> Row<'a>,
        mut verdict: impl FnMut(usize, Verdict),
    ) -> usize {
        let Some(tables) = Tables::<F>::new(rows, &mut memory) else {
            for i in 0..rows {
                let [key, message, signature] = row(i);
                verdict(i, scheme.verify(key, message, signature));
            }
            return 0;
        };
        let nothing = lanes::Row {
            u1: C::Scalar::ZERO,
            u2: C::Scalar::ZERO,
            q: Affine { x: C::Fe::ZERO, y: C::Fe::ZERO },
            r: C::Scalar::ZERO,
        };
        let facts = Facts {
            digest_empty: false,
            r_in_range: false,
            s_in_range: false,
            s_low: false,
            equation: false,
        };
        let mut group = Group::<C, F> {
            low_s: scheme.low_s,
            tables,
            values: [nothing; MOST_ROWS],
            rows: [(0, facts); MOST_ROWS],
            len: 0,
        };
        let mut in_lanes = 0;
        for i in 0..rows {
            match Open::new(scheme, row(i)) {
                Ok(open) => group.push(i, &open),
                Err(refused) => verdict(i, refused),
            }
            if group.len == group.tables.group().min(MOST_ROWS) || i + 1 == rows {
                in_lanes += group.close(token, &mut verdict);
            }
        }
        in_lanes
    }

    /// Rows of the largest group that any backend has.
    const MOST_ROWS: usize = 56;

    /// Rows that are verified together, and memory for it.
    struct Group<'m, C: BaseTables<F>, F: Field> {
        low_s: LowS,
        tables: Tables<'m, F>,
        values: [lanes::Row<C>; MOST_ROWS],
        /// The numbers of these rows, and the facts about them.
        rows: [(usize, Facts); MOST_ROWS],
        len: usize,
    }

    impl<C: BaseTables<F>, F: Field> Group<'_, C, F> {
        fn push(&mut self, row: usize, open: &Open<C>) {
            self.values[self.len] = open.values;
            self.rows[self.len] = (row, open.facts);
            self.len += 1;
        }

        /// Verifies all that is open; returns how many lanes had an answer for.
        #[inline(never)]
        fn close(&mut self, token: F::Token, verdict: &mut impl FnMut(usize, Verdict)) -> usize {
            const { assert!(Tables::<F>::GROUP <= MOST_ROWS) };
            let len = core::mem::take(&mut self.len);
            let values = &mut self.values[..len];
            // the products of all s before each
            let (mut products, mut before) = (Products::new(()), [C::Scalar::ZERO; MOST_ROWS]);
            for (before, row) in before.iter_mut().zip(&*values) {
                *before = products.push(&row.u2);
            }
            let mut inverses = products.invert_vartime();
            for (row, before) in values.iter_mut().zip(&before[..len]).rev() {
                let w = inverses.pop(&row.u2, before);
                (row.u1, row.u2) = (row.u1.mul(&w), row.r.mul(&w));
            }
            // a last vector of one or two rows takes more time than these one by one
            let in_lanes = match len % F::LANES {
                few @ 1..=2 => len - few,
                _ => len,
            };
            let mut answers = [None; MOST_ROWS];
            self.tables.have_x_vartime::<C>(token, &values[..in_lanes], &mut answers[..in_lanes]);
            let mut known = 0;
            for (((row, facts), values), answer) in self.rows.iter().zip(&*values).zip(&answers) {
                known += usize::from(answer.is_some());
                let equation = answer.unwrap_or_else(|| {
                    sum_has_x_vartime::<C>(&values.u1, &values.u2, &values.q, &values.r)
                });
                verdict(*row, decide(self.low_s, &Facts { equation, ..*facts }));
            }
            known
        }
    }
}
