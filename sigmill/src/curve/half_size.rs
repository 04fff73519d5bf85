//! Verification of one signature with scalars of half the length.
//!
//! `scalar/halve` finds (u, c) with u = c·k (mod 8ℓ), c odd and positive, both near 2^127.5. With
//! b = c·S mod ℓ the signature is judged by D = \[b\]B − \[u\]A − \[c\]R: the equation without a cofactor holds
//! exactly if D is the identity and R is encoded canonically, the one with a cofactor exactly if
//! \[8\]D is (`docs/exact-batch.md`). D takes some 130 doublings where \[S\]B − \[k\]A takes 253.
//!
//! Public inputs only: time depends on them.

/// Scalars of half the length that verify one signature.
#[derive(Clone, Copy)]
pub(crate) struct HalfSize {
    /// |u|, the lowest word first, below 2^140.
    pub(crate) u: [u64; 3],
    pub(crate) u_negative: bool,
    /// c, positive, odd, below 2^140.
    pub(crate) c: [u64; 3],
    /// c·S mod ℓ.
    pub(crate) b: [u64; 4],
}

/// What decoding 32 bytes gives: affine coordinates in canonical words, the lowest first. They mean
/// nothing where nothing decodes, and `canonical` neither.
#[derive(Clone, Copy)]
pub(crate) struct Decoded {
    pub(crate) x: [u64; 4],
    pub(crate) y: [u64; 4],
    /// There is a point with this y.
    pub(crate) decodes: bool,
    /// y is below p, and the sign bit is 0 if x is 0.
    pub(crate) canonical: bool,
}
