//! Computed tables are those of the files, word for word.

use super::edwards25519 as ed;
#[cfg(feature = "ecdsa")]
use super::{p256, p384};

#[test]
fn computed_multiples_of_edwards25519_are_those_of_the_files() {
    assert_eq!(*ed::odd_multiples(), ed::ODD_MULTIPLES);
    assert_eq!(*ed::odd_multiples_between(), ed::ODD_MULTIPLES_BETWEEN);
    assert_eq!(*ed::even_multiples(), ed::EVEN_MULTIPLES);
    for (i, (computed, row)) in ed::radix_32().iter().zip(&ed::RADIX_32).enumerate() {
        assert_eq!(computed.0, row.0, "row {i}");
    }
}

#[cfg(feature = "ecdsa")]
#[test]
fn computed_multiples_of_nist_curves_are_those_of_the_files() {
    macro_rules! compare {
        ($computed:expr, $file:expr) => {
            let (computed, file) = ($computed, $file);
            assert_eq!(computed.len(), file.len());
            for (i, (computed, entry)) in computed.iter().zip(file).enumerate() {
                assert_eq!(computed.x.words(), entry.x.words(), "x of entry {i}");
                assert_eq!(computed.y.words(), entry.y.words(), "y of entry {i}");
            }
        };
    }
    compare!(p256::rows(), p256::BASE_ROWS.as_flattened());
    compare!(p256::odd_multiples(), &p256::BASE_ODD_MULTIPLES);
    compare!(p384::rows(), p384::BASE_ROWS.as_flattened());
    compare!(p384::odd_multiples(), &p384::BASE_ODD_MULTIPLES);
}
