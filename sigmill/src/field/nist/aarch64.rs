//! Assembly of the NIST primes on every 64-bit Arm: MUL and UMULH leave the flags alone, so that products and chains of carries
//! may alternate. A chain is in one block, since no flag survives between two.
//!
//! Operands are in registers, which have the names of words: `$name` stands for `{name}` in a block.

/// An instruction on three registers.
macro_rules! op {
    ($op:literal $to:ident $a:ident $b:ident) => {
        concat!($op, " {", stringify!($to), "}, {", stringify!($a), "}, {", stringify!($b), "}\n")
    };
}

/// Each word is the low or the high half (`mul`, `umulh`) of x times a word of y. The last one may be x itself.
macro_rules! products {
    ($op:literal $x:ident: $($word:ident $y:ident),+) => {
        concat!($(op!($op $word $x $y)),+)
    };
}

/// Adds to each word the one beside it, with carries, and leaves a carry in the flags.
macro_rules! add_words {
    ($word:ident $added:ident $(, $words:ident $all_added:ident)*) => {
        concat!(op!("adds" $word $word $added) $(, op!("adcs" $words $words $all_added))*)
    };
}

/// Adds the carry in the flags to a word that does not overflow.
macro_rules! add_carry_to {
    ($word:ident) => {
        concat!("adc {", stringify!($word), "}, {", stringify!($word), "}, xzr\n")
    };
}

/// A word becomes the one beside it where that was large enough to subtract from: the flags hold no borrow.
#[rustfmt::skip]
macro_rules! select_difference {
    ($($word:ident $difference:ident),+) => {
        concat!($("csel {", stringify!($word), "}, {", stringify!($difference), "}, {", stringify!($word), "}, hs\n"),+)
    };
}

/// `add`, `sub` and `halve` modulo p for $n words, the lowest first: of each the name of the word of x, of that of y and of the
/// next one of x; of the last the next is m.
///
/// Inputs: x and y below p. Output: the sum, difference or half, below p. Changes: flags, y and three registers, m, t and u.
/// `$add_p` adds p to x where m is all ones and nothing where it is 0; `$subtract_p` makes x − p in y. Both may change t and u.
#[rustfmt::skip]
macro_rules! sums {
    ($n:literal, $add_p:ident, $subtract_p:ident; $first:ident $y_first:ident $second:ident $(, $word:ident $y:ident $next:ident)+) => {
        /// `x + y` mod p for words below p.
        #[inline(always)]
        #[allow(unsafe_code)]
        pub(super) fn add(x: &[u64; $n], y: &[u64; $n]) -> [u64; $n] {
            let [mut $first, $(mut $word),+] = *x;
            let [$y_first, $($y),+] = *y;
            // SAFETY: all registers that change are named, and no memory is used.
            unsafe {
                asm!(
                    add_words!($first $y_first $(, $word $y)+),
                    "adc {m}, xzr, xzr",
                    $subtract_p!($y_first $first $(, $y $word)+),
                    "sbcs xzr, {m}, xzr",
                    select_difference!($first $y_first $(, $word $y)+),
                    $first = inout(reg) $first,
                    $($word = inout(reg) $word,)+
                    $y_first = inout(reg) $y_first => _,
                    $($y = inout(reg) $y => _,)+
                    m = out(reg) _, t = out(reg) _, u = out(reg) _,
                    options(pure, nomem, nostack),
                );
            }
            [$first, $($word),+]
        }

        /// `x − y` mod p for words below p.
        #[inline(always)]
        #[allow(unsafe_code)]
        pub(super) fn sub(x: &[u64; $n], y: &[u64; $n]) -> [u64; $n] {
            let [mut $first, $(mut $word),+] = *x;
            let [$y_first, $($y),+] = *y;
            // SAFETY: all registers that change are named, and no memory is used.
            unsafe {
                asm!(
                    op!("subs" $first $first $y_first),
                    $(op!("sbcs" $word $word $y),)+
                    "csetm {m}, lo",
                    $add_p!($first $(, $word)+),
                    $first = inout(reg) $first,
                    $($word = inout(reg) $word,)+
                    $y_first = in(reg) $y_first,
                    $($y = in(reg) $y,)+
                    m = out(reg) _, t = out(reg) _, u = out(reg) _,
                    options(pure, nomem, nostack),
                );
            }
            [$first, $($word),+]
        }

        /// `x/2` mod p for words below p.
        #[inline(always)]
        #[allow(unsafe_code)]
        pub(super) fn halve(x: &[u64; $n]) -> [u64; $n] {
            let [mut $first, $(mut $word),+] = *x;
            // SAFETY: all registers that change are named, and no memory is used.
            unsafe {
                asm!(
                    concat!("sbfx {m}, {", stringify!($first), "}, #0, #1"),
                    $add_p!($first $(, $word)+),
                    "adc {m}, xzr, xzr",
                    concat!("extr {", stringify!($first), "}, {", stringify!($second), "}, {", stringify!($first), "}, #1"),
                    $(concat!("extr {", stringify!($word), "}, {", stringify!($next), "}, {", stringify!($word), "}, #1"),)+
                    $first = inout(reg) $first,
                    $($word = inout(reg) $word,)+
                    m = out(reg) _, t = out(reg) _, u = out(reg) _,
                    options(pure, nomem, nostack),
                );
            }
            [$first, $($word),+]
        }
    };
}
