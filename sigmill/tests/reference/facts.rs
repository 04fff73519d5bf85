//! The facts about a signature by their numbers, in the order of the type.

use super::Facts;

pub(crate) fn facts<M>(bit: impl Fn(usize) -> M) -> Facts<M> {
    Facts {
        a_decodes: bit(0),
        a_canonical: bit(1),
        a_small: bit(2),
        r_decodes: bit(3),
        r_canonical: bit(4),
        r_small: bit(5),
        s_below_order: bit(6),
        s_top_bits_clear: bit(7),
        exact: bit(8),
        cofactored: bit(9),
    }
}
