//! Rows whose first candidate for a nonce is out of range, one in 2^32 at random on P-256: signed alone.

use super::{LaneSigner, Row};
use crate::cpu::Backend;
use crate::curve::weierstrass::fixed_base::BaseTables;
use crate::curve::weierstrass::{NistP256, NistP384};
use crate::ecdsa::curves::{ByteArray, EcdsaCurve, Prehash};
use crate::ecdsa::sign_lanes::KeyOperations;
use crate::ecdsa::verify::scalar_of_digest;
use crate::ecdsa::{p256, p384};
use crate::field::nist::{EightLanes, Field, p256::Lanes as Lanes256, p384::Lanes as Lanes384};
use crate::modular::PrimeField;
use std::vec::Vec;

fn check<C, F: Field, K: KeyOperations<Signature = C::SignatureBytes>>(
    token: F::Token,
    keys: &[K],
    scalar: impl Fn(&K) -> &C::Scalar,
) where
    C: BaseTables<F> + EcdsaCurve,
{
    let digests: Vec<[u8; 32]> = (1..=keys.len() as u8).map(|i| [i; 32]).collect();
    let mut expected = std::vec![C::SignatureBytes::ZERO; keys.len()];
    K::sign(Backend::Portable, Prehash::None, |i| (&keys[i], &digests[i]), &mut expected);
    let row = |i: usize| -> Row<'_, C> { (scalar(&keys[i]), &digests[i]) };
    let e: Vec<C::Scalar> = digests.iter().map(|digest| scalar_of_digest::<C>(digest)).collect();
    let signer = LaneSigner::<F> { backend: Backend::Portable, token, prehash: Prehash::None };
    let mut k = std::vec![C::Scalar::ONE; keys.len()];
    let mut in_range = std::vec![true; keys.len()];
    signer.nonces::<C>(&row, &e, &mut k, &mut in_range);
    assert!(in_range.iter().all(|it| *it));
    for out_of_range in 0..keys.len() {
        let (mut k, mut in_range) = (k.clone(), in_range.clone());
        (k[out_of_range], in_range[out_of_range]) = (C::Scalar::ONE, false);
        let mut signatures = std::vec![C::SignatureBytes::ZERO; keys.len()];
        signer.finish::<C, 64, 8>(&row, &e, &k, &in_range, &mut signatures);
        assert!(signatures == expected, "row {out_of_range}");
    }
}

#[test]
fn rows_without_a_nonce_are_signed_alone() {
    let Some(token) = Lanes256::detected() else { return };
    let keys =
        [3, 4, 5, 6, 7, 8, 9, 10, 11].map(|i| p256::SigningKey::from_bytes(&[i; 32]).unwrap());
    check::<NistP256, Lanes256, _>(token, &keys, p256::SigningKey::scalar);
    let keys = [3, 4, 5].map(|i| p384::SigningKey::from_bytes(&[i; 48]).unwrap());
    check::<NistP384, Lanes384, _>(token, &keys, p384::SigningKey::scalar);
}
