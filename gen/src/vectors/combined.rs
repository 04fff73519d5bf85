//! Rows in which two things meet: torsion and a variant, torsion and a large S, a small key and a
//! wrong length, several violations at once. They follow the rows of [`super::groups`], so that the
//! numbers of those stay.

use super::Row;
use super::groups::{add_to_s, chosen};
use super::inputs::{
    hex, non_canonical_encodings, off_curve_encodings, scalar, seed, small_order_encodings,
    stretch, torsion_index, with_torsion,
};
use crate::reference::{
    Point, Variant, bytes32, challenge, expand, order, public_key, sha512, sign, signature,
};
use num_bigint::BigUint;

/// Tries before a search for a message or an R gives up; one in eight fits.
const TRIES: u32 = 2000;

/// How a signature is made or checked.
#[derive(Clone)]
struct Mode {
    variant: Variant,
    context: Vec<u8>,
}

impl Mode {
    fn new(variant: Variant, context_len: usize) -> Mode {
        Mode { variant, context: stretch("combined context", context_len) }
    }

    fn name(&self) -> String {
        match self.variant {
            Variant::Pure => "pure".to_owned(),
            variant => format!("{} {}", variant.name(), self.context.len()),
        }
    }

    fn row(
        &self,
        group: &'static str,
        note: impl Into<String>,
        [key, message, signature]: [&[u8]; 3],
    ) -> Row {
        Row {
            variant: self.variant,
            context: self.context.clone(),
            ..Row::pure(group, note, key, message, signature)
        }
    }

    fn sign(&self, seed: &[u8; 32], message: &[u8]) -> [u8; 64] {
        sign(seed, self.variant, &self.context, message)
    }

    fn challenge(&self, r: &[u8; 32], a: &[u8; 32], message: &[u8]) -> BigUint {
        challenge(self.variant, &self.context, r, a, message)
    }

    /// S = r + k·a for A = [a]B + any torsion and any R of logarithm r up to torsion: the cofactored
    /// equation holds.
    fn respond(
        &self,
        (a_bytes, a): (&[u8; 32], &BigUint),
        (r_bytes, r): (&[u8; 32], &BigUint),
        message: &[u8],
    ) -> [u8; 64] {
        let k = self.challenge(r_bytes, a_bytes, message);
        signature(r_bytes, &((r + k * a) % order()))
    }
}

fn modes() -> [Mode; 5] {
    [
        Mode::new(Variant::Pure, 0),
        Mode::new(Variant::Ctx, 0),
        Mode::new(Variant::Ctx, 3),
        Mode::new(Variant::Ph, 0),
        Mode::new(Variant::Ph, 3),
    ]
}

/// Every group is asked for here, in the order in which its rows stand in the file.
pub(super) fn add(rows: &mut Vec<Row>) -> Result<(), String> {
    empty(rows)?;
    torsion_unsearched(rows);
    torsion_in_variants(rows);
    torsion_and_scalar(rows)?;
    torsion_and_encoding(rows)?;
    off_curve_in_variants(rows);
    lengths_and_more(rows);
    reasons(rows);
    boundaries_of_context(rows);
    small_key_in_variants(rows);
    bits_in_variants(rows);
    known_logarithms(rows);
    block_boundaries(rows);
    Ok(())
}

/// The empty message: honest in every mode, taken for something else, and with torsion, where only R
/// can be searched.
fn empty(rows: &mut Vec<Row>) -> Result<(), String> {
    for i in 0..4 {
        let seed = seed(&format!("empty {i}"));
        let key = public_key(&seed);
        for mode in modes() {
            let signed = mode.sign(&seed, b"");
            rows.push(mode.row("empty", format!("{} key {i}", mode.name()), [&key, b"", &signed]));
        }
        let pure = Mode::new(Variant::Pure, 0);
        let signed = pure.sign(&seed, b"");
        for (note, message) in [
            ("signed empty; checked zero byte", vec![0]),
            ("signed empty; checked 128 zero bytes", vec![0; 128]),
            ("signed empty; checked its hash", sha512(&[b""]).to_vec()),
        ] {
            rows.push(pure.row("empty", format!("{note} key {i}"), [&key, &message, &signed]));
        }
        let signed = pure.sign(&seed, &[0]);
        rows.push(pure.row(
            "empty",
            format!("signed zero byte; checked empty key {i}"),
            [&key, b"", &signed],
        ));
        let ctx = Mode::new(Variant::Ctx, 0);
        let signed = pure.sign(&seed, b"");
        rows.push(ctx.row("empty", format!("pure as ctx 0 key {i}"), [&key, b"", &signed]));
        let signed = ctx.sign(&seed, b"");
        rows.push(pure.row("empty", format!("ctx 0 as pure key {i}"), [&key, b"", &signed]));
    }
    let a = scalar("empty a");
    for ta in 0..8 {
        for exact in [true, false] {
            if ta == 0 && !exact {
                continue; // no k makes torsion of A alone fail if there is none
            }
            let found = (0..TRIES).find_map(|i| {
                let r = scalar(&format!("empty r {i}"));
                chosen(&a, ta, &r, 0, b"", exact)
            });
            let what = if exact { "" } else { "; cofactored only" };
            let (key, signed) =
                found.ok_or_else(|| format!("empty, A +{ta}T{what}: no R found"))?;
            rows.push(Row::pure("empty", format!("A +{ta}T{what}"), &key, b"", &signed));
        }
    }
    Ok(())
}

/// All pairs of torsion with messages as they come: what k does to them is chance.
fn torsion_unsearched(rows: &mut Vec<Row>) {
    let (a, r) = (scalar("torsion a"), scalar("torsion r"));
    let pure = Mode::new(Variant::Pure, 0);
    for ta in 0..8 {
        let key = with_torsion(&a, ta).encode();
        for tr in 0..8 {
            let r_bytes = with_torsion(&r, tr).encode();
            for i in 0..4 {
                let message = stretch(&format!("torsion {ta} {tr} {i}"), 32);
                let signed = pure.respond((&key, &a), (&r_bytes, &r), &message);
                let note = format!("A +{ta}T; R +{tr}T; message {i}");
                rows.push(pure.row("torsion", note, [&key, &message, &signed]));
            }
        }
    }
}

fn torsion_in_variants(rows: &mut Vec<Row>) {
    let (a, r) = (scalar("torsion variant a"), scalar("torsion variant r"));
    for mode in [Mode::new(Variant::Ctx, 3), Mode::new(Variant::Ph, 3)] {
        for ta in 0..8 {
            let key = with_torsion(&a, ta).encode();
            for tr in 0..8 {
                let r_bytes = with_torsion(&r, tr).encode();
                let message = format!("{} {ta} {tr}", mode.name());
                let message = message.as_bytes();
                let signed = mode.respond((&key, &a), (&r_bytes, &r), message);
                let note = format!("{}: A +{ta}T; R +{tr}T", mode.name());
                rows.push(mode.row("torsion", note, [&key, message, &signed]));
            }
        }
    }
}

/// S + kℓ where an equation holds because of, or in spite of, torsion.
fn torsion_and_scalar(rows: &mut Vec<Row>) -> Result<(), String> {
    let (a, r) = (scalar("torsion scalar a"), scalar("torsion scalar r"));
    for (what, exact) in [("both equations", true), ("cofactored only", false)] {
        let found = (0..TRIES).find_map(|i| {
            let message = format!("S and torsion; {what}; try {i}").into_bytes();
            let (key, signed) = chosen(&a, 3, &r, 5, &message, exact)?;
            Some((key, message, signed))
        });
        let (key, message, signed) =
            found.ok_or_else(|| format!("S and torsion, {what}: no message found"))?;
        for n in 0_u8..16 {
            let mut signed = signed;
            add_to_s(&mut signed, &(order() * n));
            let note = format!("A +3T; R +5T; {what}; S + {n} l");
            rows.push(Row::pure("scalar_range", note, &key, &message, &signed));
        }
    }
    let identity = bytes32(&BigUint::from(1_u8));
    for n in 0_u8..16 {
        let signed = signature(&identity, &(order() * n));
        let note = format!("A and R identity; S = {n} l");
        rows.push(Row::pure("scalar_range", note, &identity, b"multiples of l", &signed));
    }
    Ok(())
}

/// Non-canonical encodings of small order beside a mixed point, searched so that the equation of
/// points holds, which a comparison of bytes refuses, and so that only the cofactored one does.
fn torsion_and_encoding(rows: &mut Vec<Row>) -> Result<(), String> {
    let n = scalar("torsion encoding");
    let zero = BigUint::ZERO;
    let pure = Mode::new(Variant::Pure, 0);
    for (i, small) in non_canonical_encodings().iter().enumerate() {
        let Some((point, _)) = Point::decode(small).filter(|(point, _)| point.is_small()) else {
            continue;
        };
        let index = torsion_index(&point).ok_or("a small point is a multiple of T")?;
        let mixed = with_torsion(&n, 1).encode();
        for exact in [true, false] {
            let what = if exact { "equation of points" } else { "cofactored only" };
            // as R: k + index is 0 mod 8 or not; as A: k·index + 1, which needs an odd index
            let sides = [
                ("R", (&mixed, &n, 1), (small, &zero, index)),
                ("A", (small, &zero, index), (&mixed, &n, 1)),
            ];
            for (side, (a_bytes, a, ta), (r_bytes, r, tr)) in sides {
                if exact && !(0_u8..8).any(|k| (k * ta + tr).is_multiple_of(8)) {
                    continue;
                }
                let note = format!("{side} {i} with a mixed point; {what}");
                let found = (0..TRIES).find_map(|j| {
                    let message = format!("{note}; try {j}").into_bytes();
                    let k = pure.challenge(r_bytes, a_bytes, &message);
                    let holds = (k * ta + tr) % 8_u8 == BigUint::ZERO;
                    (holds == exact).then_some(message)
                });
                let message = found.ok_or_else(|| format!("{note}: no message found"))?;
                let signed = pure.respond((a_bytes, a), (r_bytes, r), &message);
                rows.push(pure.row("non_canonical", note, [a_bytes, &message, &signed]));
            }
        }
    }
    Ok(())
}

fn off_curve_in_variants(rows: &mut Vec<Row>) {
    let seed = seed("off curve");
    for mode in modes().into_iter().skip(1) {
        let honest = mode.sign(&seed, b"off curve");
        for (i, encoding) in off_curve_encodings(2).iter().enumerate() {
            let as_r = [&encoding[..], &honest[32..]].concat();
            let key = public_key(&seed);
            let note = |side| format!("{}: {side} {i}", mode.name());
            rows.push(mode.row("off_curve", note("A"), [encoding, b"off curve", &honest]));
            rows.push(mode.row("off_curve", note("R"), [&key, b"off curve", &as_r]));
        }
    }
}

/// A wrong length beside something else that is wrong: the length is the reason.
fn lengths_and_more(rows: &mut Vec<Row>) {
    let seed = seed("lengths");
    let key = public_key(&seed).to_vec();
    let mut long_key = key.clone();
    long_key.push(0);
    for mode in modes() {
        let signed = mode.sign(&seed, b"lengths").to_vec();
        let mut long = signed.clone();
        long.push(0);
        for (note, key, signed) in [
            ("key of 31 bytes", &key[..31], &signed[..]),
            ("key with a zero byte more", &long_key, &signed),
            ("signature of 63 bytes", &key, &signed[..63]),
            ("signature with a zero byte more", &key, &long),
            ("both one byte longer", &long_key, &long),
        ] {
            let note = format!("{}: {note}", mode.name());
            rows.push(mode.row("lengths", note, [key, b"lengths", signed]));
        }
    }
    let off_curve = off_curve_encodings(1).concat();
    let short = [0; 63];
    rows.push(Row::pure("lengths", "A no point; signature of 63 bytes", &off_curve, b"", &short));
    rows.push(Row::pure("lengths", "A small; signature of 63 bytes", &[0; 32], b"", &short));
    rows.push(Row::pure("lengths", "key of 33 bytes; signature of 63", &[0; 33], b"", &short));
}

/// Several violations at once: which reason is reported is part of the rule.
fn reasons(rows: &mut Vec<Row>) {
    let secret = seed("reasons");
    let honest = sign(&secret, Variant::Pure, b"", b"reasons");
    let honest_r: [u8; 32] = std::array::from_fn(|i| honest[i]);
    let small = small_order_encodings();
    let large_non_canonical = non_canonical_encodings()
        .into_iter()
        .find(|bytes| Point::decode(bytes).is_some_and(|(point, _)| !point.is_small()));
    let off_curve = off_curve_encodings(1);
    let mixed = with_torsion(&scalar("reasons"), 1).encode();
    let mut points = vec![
        ("mixed", mixed),
        ("small", small[1]),
        ("small non-canonical", small[small.len() - 1]),
    ];
    points.extend(large_non_canonical.map(|bytes| ("large non-canonical", bytes)));
    points.extend(off_curve.first().map(|bytes| ("no point", *bytes)));
    let values = [
        ("below l", order() - 2_u8),
        ("l", order()),
        ("2^253", BigUint::from(1_u8) << 253),
        ("2^255", BigUint::from(1_u8) << 255),
    ];
    let keys = [("honest", public_key(&secret))].into_iter().chain(points.clone());
    for (a_name, a) in keys {
        for (r_name, r) in [("honest", honest_r)].into_iter().chain(points.clone()) {
            for (s_name, s) in &values {
                let note = format!("A {a_name}; R {r_name}; S {s_name}");
                rows.push(Row::pure("reasons", note, &a, b"reasons", &signature(&r, s)));
            }
        }
    }
}

/// The context ends where its length byte says, not where the bytes of both together would allow.
fn boundaries_of_context(rows: &mut Vec<Row>) {
    let seed = seed("boundaries");
    let key = public_key(&seed);
    let splits: [(&[u8], &[u8]); 5] =
        [(b"", b"abc"), (b"a", b"bc"), (b"ab", b"c"), (b"abc", b""), (b"abc\0", b"")];
    for variant in [Variant::Ctx, Variant::Ph] {
        for (made_context, made) in splits {
            let signed = sign(&seed, variant, made_context, made);
            for (context, message) in splits {
                let mode = Mode { variant, context: context.to_vec() };
                let note = format!(
                    "{}: context {} message {} as context {}",
                    variant.name(),
                    hex(made_context),
                    hex(made),
                    hex(context)
                );
                rows.push(mode.row("variants", note, [&key, message, &signed]));
            }
        }
    }
    // the prefix of ctx as the start of a pure message is another signature
    let prefixed = [b"SigEd25519 no Ed25519 collisions", &[0, 1, b'a'][..], b"bc"].concat();
    let signed = sign(&seed, Variant::Ctx, b"a", b"bc");
    rows.push(Row::pure("variants", "ctx as pure of prefix and message", &key, &prefixed, &signed));
    let signed = sign(&seed, Variant::Pure, b"", &prefixed);
    let mode = Mode { variant: Variant::Ctx, context: b"a".to_vec() };
    rows.push(mode.row("variants", "pure of prefix and message as ctx", [&key, b"bc", &signed]));
}

fn small_key_in_variants(rows: &mut Vec<Row>) {
    let r = scalar("small key r");
    let signed = signature(&with_torsion(&r, 0).encode(), &r);
    for mode in modes().into_iter().skip(1) {
        for (i, key) in small_order_encodings().iter().enumerate() {
            let note = format!("{}: key {i}", mode.name());
            rows.push(mode.row("small_key", note, [key, b"no secret", &signed]));
        }
    }
}

fn bits_in_variants(rows: &mut Vec<Row>) {
    let seed = seed("bits");
    let (key, message) = (public_key(&seed), stretch("bits", 32));
    let flipped = |bytes: &[u8], bit: usize| {
        let mut bytes = bytes.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        bytes
    };
    for mode in modes().into_iter().skip(1) {
        let honest = mode.sign(&seed, &message);
        let note = |what: &str, bit| format!("{}: {what} bit {bit}", mode.name());
        for bit in [0, 255] {
            let bad = flipped(&message, bit);
            rows.push(mode.row("bits", note("message", bit), [&key, &bad, &honest]));
            let bad = flipped(&key, bit);
            rows.push(mode.row("bits", note("key", bit), [&bad, &message, &honest]));
            let bad = flipped(&honest, bit);
            rows.push(mode.row("bits", note("R", bit), [&key, &message, &bad]));
            let bad = flipped(&honest, 256 + bit);
            rows.push(mode.row("bits", note("S", bit), [&key, &message, &bad]));
        }
        for bit in 0..mode.context.len() * 8 {
            let other = Mode { context: flipped(&mode.context, bit), ..mode.clone() };
            rows.push(other.row("bits", note("context", bit), [&key, &message, &honest]));
        }
    }
}

/// Keys and R that are multiples of B or of each other: sums in which an addition formula that is
/// not complete meets equal or opposite points.
fn known_logarithms(rows: &mut Vec<Row>) {
    let pure = Mode::new(Variant::Pure, 0);
    let logarithms = [
        ("0", BigUint::ZERO),
        ("1", BigUint::from(1_u8)),
        ("2", BigUint::from(2_u8)),
        ("3", BigUint::from(3_u8)),
        ("8", BigUint::from(8_u8)),
        ("l - 1", order() - 1_u8),
        ("l - 2", order() - 2_u8),
        ("(l + 1)/2", (order() + 1_u8) / 2_u8),
    ];
    for (a_name, a) in &logarithms {
        let key = with_torsion(a, 0).encode();
        for (r_name, r) in &logarithms {
            let r_bytes = with_torsion(r, 0).encode();
            let signed = pure.respond((&key, a), (&r_bytes, r), b"logarithms");
            let note = format!("A = {a_name} B; R = {r_name} B");
            rows.push(pure.row("all_zero", note, [&key, b"logarithms", &signed]));
        }
    }
    let seed = seed("all zero");
    let (key, (a, _)) = (public_key(&seed), expand(&seed));
    let opposite = with_torsion(&(order() - &a % order()), 0).encode();
    for (note, r_bytes, r) in
        [("R = A", key, a.clone() % order()), ("R = -A", opposite, order() - &a % order())]
    {
        let signed = pure.respond((&key, &a), (&r_bytes, &r), b"R and A");
        rows.push(pure.row("all_zero", note, [&key, b"R and A", &signed]));
    }
    for (i, small) in small_order_encodings().iter().enumerate() {
        let signed = signature(small, &BigUint::ZERO);
        let note = format!("honest key; R of small order {i}; S = 0");
        rows.push(pure.row("all_zero", note, [&key, b"S = 0", &signed]));
    }
}

/// Messages whose hash input ends around the end of a block of SHA-512, and long ones.
fn block_boundaries(rows: &mut Vec<Row>) {
    let pure = Mode::new(Variant::Pure, 0);
    // 17 bytes of padding at least; 32 bytes before the message for r, 64 for k
    let ends = [46, 47, 48, 63, 64, 65, 78, 79, 80, 95, 96, 97, 174, 175, 176, 191, 192, 193];
    for len in ends.into_iter().chain([206, 207, 208, 302, 303, 304, 1000, 1024, 4096, 10_000]) {
        let note = format!("message of {len} bytes");
        let (seed, message) = (seed(&note), stretch(&note, len));
        let signed = pure.sign(&seed, &message);
        rows.push(pure.row("honest", note, [&public_key(&seed), &message, &signed]));
    }
    for variant in [Variant::Ctx, Variant::Ph] {
        for (context_len, len) in
            [(0, 12), (0, 13), (0, 14), (14, 0), (13, 0), (94, 47), (255, 300)]
        {
            let mode = Mode::new(variant, context_len);
            let note = format!("{}: message of {len} bytes", mode.name());
            let (seed, message) = (seed(&note), stretch(&note, len));
            let signed = mode.sign(&seed, &message);
            rows.push(mode.row("honest", note, [&public_key(&seed), &message, &signed]));
        }
    }
}
