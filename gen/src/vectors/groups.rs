//! The groups of rows, each made for one question.

use super::inputs::{
    from_hex, hex, non_canonical_encodings, off_curve_encodings, scalar, seed,
    small_order_encodings, stretch, torsion_index, with_torsion,
};
use super::{Row, Signed};
use crate::reference::{
    Point, Variant, bytes32, challenge, expand, integer, order, p, public_key, sha512, sign,
    signature,
};
use num_bigint::BigUint;

/// Seed, variant, context, message and signature of RFC 8032 section 7, as published. The message
/// of TEST 1024 is read from the Go distribution, which carries the list it comes from.
pub(super) fn rfc8032() -> Result<Vec<(Signed, String)>, String> {
    let row =
        |note: &str, variant, context: &str, seed: &str, message: Vec<u8>, signature: &str| {
            let seed = from_hex(seed).try_into().expect("32 bytes");
            (
                Signed {
                    note: format!("RFC 8032 {note}"),
                    variant,
                    context: from_hex(context),
                    seed,
                    message,
                },
                signature.to_owned(),
            )
        };
    let abc = "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42";
    let foo_bar = "0305334e381af78f141cb666f6199f57bc3495335a256a95bd2a55bf546663f6";
    let (line_seed, line_message, line_signature) = line_1024()?;
    use Variant::{Ctx, Ph, Pure};
    Ok(vec![
        row(
            "7.1 TEST 1",
            Pure,
            "",
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            vec![],
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        ),
        row(
            "7.1 TEST 2",
            Pure,
            "",
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            from_hex("72"),
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        ),
        row(
            "7.1 TEST 3",
            Pure,
            "",
            "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            from_hex("af82"),
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
        ),
        row("7.1 TEST 1024", Pure, "", &line_seed, from_hex(&line_message), &line_signature),
        row(
            "7.1 TEST SHA(abc)",
            Pure,
            "",
            abc,
            sha512(&[b"abc"]).to_vec(),
            "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704",
        ),
        row(
            "7.2 foo",
            Ctx,
            "666f6f",
            foo_bar,
            from_hex("f726936d19c800494e3fdaff20b276a8"),
            "55a4cc2f70a54e04288c5f4cd1e45a7bb520b36292911876cada7323198dd87a8b36950b95130022907a7fb7c4e9b2d5f6cca685a587b4b21f4b888e4e7edb0d",
        ),
        row(
            "7.2 bar",
            Ctx,
            "626172",
            foo_bar,
            from_hex("f726936d19c800494e3fdaff20b276a8"),
            "fc60d5872fc46b3aa69f8b5b4351d5808f92bcc044606db097abab6dbcb1aee3216c48e8b3b66431b5b186d1d28f8ee15a5ca2df6668346291c2043d4eb3e90d",
        ),
        row(
            "7.2 foo2",
            Ctx,
            "666f6f",
            foo_bar,
            from_hex("508e9e6882b979fea900f62adceaca35"),
            "8b70c1cc8310e1de20ac53ce28ae6e7207f33c3295e03bb5c0732a1d20dc64908922a8b052cf99b7c4fe107a5abb5b2c4085ae75890d02df26269d8945f84b0b",
        ),
        row(
            "7.2 foo3",
            Ctx,
            "666f6f",
            "ab9c2853ce297ddab85c993b3ae14bcad39b2c682beabc27d6d4eb20711d6560",
            from_hex("f726936d19c800494e3fdaff20b276a8"),
            "21655b5f1aa965996b3f97b3c849eafba922a0a62992f73b3d1b73106a84ad85e9b86a7b6005ea868337ff2d20a7f5fbd4cd10b0be49a68da2b2e0dc0ad8960f",
        ),
        row(
            "7.3 TEST abc",
            Ph,
            "",
            abc,
            b"abc".to_vec(),
            "98a70222f0b8121aa9d30f813d683f809e462b469c7ff87639499bb94e6dae4131f85042463c2a355a2003d062adf5aaa10b8c61e636062aaad11c2a26083406",
        ),
    ])
}

/// Seed, message and signature of the last line of `sign.input`: RFC 8032's TEST 1024.
pub(super) fn line_1024() -> Result<(String, String, String), String> {
    let run = |command: &mut std::process::Command| {
        let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
        if !output.status.success() {
            return Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)));
        }
        String::from_utf8(output.stdout).map_err(|error| format!("{command:?}: {error}"))
    };
    let root = run(std::process::Command::new("go").args(["env", "GOROOT"]))?;
    let file = format!("{}/src/crypto/ed25519/testdata/sign.input.gz", root.trim());
    let text = run(std::process::Command::new("gzip").args(["-dc", &file]))?;
    let line = text.lines().last().ok_or_else(|| format!("{file} is empty"))?;
    let fields: Vec<&str> = line.split(':').collect();
    let [secret, _, message, signed, ..] = fields[..] else {
        return Err(format!("{file}: the last line has no four fields"));
    };
    Ok((secret[..64].to_owned(), message.to_owned(), signed[..128].to_owned()))
}

pub(super) fn signed() -> Result<Vec<Signed>, String> {
    let mut list = Vec::new();
    for (row, published) in rfc8032()? {
        let made = hex(&sign(&row.seed, row.variant, &row.context, &row.message));
        if made != published {
            return Err(format!(
                "{}: the reference signs {made}, published is {published}",
                row.note
            ));
        }
        list.push(row);
    }
    let mut add = |note: String, variant, context: Vec<u8>, message: Vec<u8>| {
        let seed = seed(&note);
        list.push(Signed { note, variant, context, seed, message });
    };
    for len in (0..20)
        .chain([31, 32, 33, 63, 64, 65, 95, 96, 111, 112, 127, 128, 129, 191, 192, 255, 256, 260])
    {
        add(
            format!("length {len}"),
            Variant::Pure,
            vec![],
            stretch(&format!("message {len}"), len),
        );
        add(
            format!("ph length {len}"),
            Variant::Ph,
            vec![],
            stretch(&format!("message {len}"), len),
        );
    }
    for len in [0, 1, 2, 32, 63, 64, 65, 127, 128, 254, 255] {
        for variant in [Variant::Ctx, Variant::Ph] {
            let note = format!("{} context {len}", variant.name());
            let message = stretch(&note, 40);
            add(note, variant, stretch("context", len), message);
        }
    }
    Ok(list)
}

/// Own instances of the twelve properties of "Taming the many EdDSAs" (eprint 2020/1244).
pub(super) fn speccheck(rows: &mut Vec<Row>) -> Result<(), String> {
    let (a, r) = (scalar("speccheck a"), scalar("speccheck r"));
    let zero = BigUint::ZERO;
    // note, a, ta, r, tr, exact
    let cases = [
        ("0: small A, small R, S = 0", &zero, 4, &zero, 4, true),
        ("1: small A, mixed R", &zero, 1, &r, 5, true),
        ("2: mixed A, small R", &a, 2, &zero, 6, true),
        ("3: mixed A, mixed R", &a, 1, &r, 3, true),
        ("4: mixed A, mixed R, cofactored only", &a, 1, &r, 3, false),
        ("5: mixed A, prime-order R, cofactored only", &a, 3, &r, 0, false),
    ];
    for (note, a, ta, r, tr, exact) in cases {
        rows.push(with_message(note, |message| chosen(a, ta, r, tr, message, exact))?);
    }
    let key = seed("speccheck honest");
    let honest = |message: &[u8]| sign(&key, Variant::Pure, b"", message);
    let mut over = honest(b"S + l");
    add_to_s(&mut over, &order());
    rows.push(Row::pure("speccheck", "6: S + l", &public_key(&key), b"S + l", &over));
    let mut far = honest(b"S + 15 l");
    add_to_s(&mut far, &(order() * 14_u8));
    rows.push(Row::pure("speccheck", "7: S far above l", &public_key(&key), b"S + 15 l", &far));
    // R = the order-4 point with y = 0, encoded as p
    let r_bytes = bytes32(p());
    let canonical_r = Point::decode(&r_bytes).ok_or("y = p decodes")?.0.encode();
    let a_bytes = with_torsion(&a, 1).encode();
    for (note, hashed) in
        [("8: non-canonical R, hashed canonically", &canonical_r), ("9: non-canonical R", &r_bytes)]
    {
        let k = challenge(Variant::Pure, b"", hashed, &a_bytes, note.as_bytes());
        let s = k * &a % order();
        rows.push(Row::pure(
            "speccheck",
            note,
            &a_bytes,
            note.as_bytes(),
            &signature(&r_bytes, &s),
        ));
    }
    // A = the same encoding
    let canonical_a = canonical_r;
    let (a_point, _) = Point::decode(&r_bytes).ok_or("y = p decodes")?;
    let ta = torsion_index(&a_point).ok_or("y = 0 has small order")?;
    for (note, raw) in
        [("10: non-canonical A, hashed canonically", false), ("11: non-canonical A", true)]
    {
        let row = with_message(note, |message| {
            let tr = 2;
            let r_bytes = with_torsion(&r, tr).encode();
            let cancels = |a: &[u8; 32]| {
                let k = challenge(Variant::Pure, b"", &r_bytes, a, message);
                (k * ta + tr) % 8_u8 == BigUint::ZERO
            };
            let fits = cancels(&bytes32(p())) == raw && cancels(&canonical_a) != raw;
            fits.then(|| (bytes32(p()), signature(&r_bytes, &r)))
        })?;
        rows.push(row);
    }
    Ok(())
}

/// The first numbered message for which `make` gives a key and a signature.
pub(super) fn with_message(
    note: &str,
    make: impl Fn(&[u8]) -> Option<([u8; 32], [u8; 64])>,
) -> Result<Row, String> {
    for i in 0..2000 {
        let message = format!("{note}, try {i}").into_bytes();
        if let Some((key, signature)) = make(&message) {
            return Ok(Row::pure("speccheck", note, &key, &message, &signature));
        }
    }
    Err(format!("{note}: no message found"))
}

/// A signature with chosen torsion, if the exact equation holds for it as wanted.
pub(super) fn chosen(
    a: &BigUint,
    ta: u8,
    r: &BigUint,
    tr: u8,
    message: &[u8],
    exact: bool,
) -> Option<([u8; 32], [u8; 64])> {
    let (a_bytes, r_bytes) = (with_torsion(a, ta).encode(), with_torsion(r, tr).encode());
    let k = challenge(Variant::Pure, b"", &r_bytes, &a_bytes, message);
    let cancels = (&k * ta + tr) % 8_u8 == BigUint::ZERO;
    (cancels == exact).then(|| (a_bytes, signature(&r_bytes, &((r + k * a) % order()))))
}

pub(super) fn add_to_s(signature: &mut [u8; 64], n: &BigUint) {
    let s = integer(&signature[32..]) + n;
    signature[32..].copy_from_slice(&bytes32(&s));
}

pub(super) fn grid(rows: &mut Vec<Row>) {
    let encodings = small_order_encodings();
    for (i, key) in encodings.iter().enumerate() {
        for (j, r) in encodings.iter().enumerate() {
            let signature = signature(r, &BigUint::ZERO);
            rows.push(Row::pure("grid", format!("A {i} R {j}"), key, b"Zcash", &signature));
        }
    }
}

pub(super) fn torsion(rows: &mut Vec<Row>) -> Result<(), String> {
    let mut add = |note: String, a: &BigUint, ta: u8, r: &BigUint, tr: u8| {
        for exact in [true, false] {
            let possible = match exact {
                true => {
                    ta == 0 && tr == 0
                        || ta != 0 && (0_u8..8).any(|k| (k * ta + tr).is_multiple_of(8))
                }
                false => ta != 0 || tr != 0,
            };
            if !possible {
                continue;
            }
            let note = format!("{note}{}", if exact { "" } else { "; cofactored only" });
            let mut row = with_message(&note, |message| chosen(a, ta, r, tr, message, exact))?;
            row.group = "torsion";
            // the same with S off by one: no equation holds
            let mut wrong = row.signature.clone();
            wrong[32] ^= 1;
            let invalid =
                Row::pure("torsion", format!("{note}; S changed"), &row.key, &row.message, &wrong);
            rows.push(row);
            rows.push(invalid);
        }
        Ok::<(), String>(())
    };
    let (a, r, zero) = (scalar("torsion a"), scalar("torsion r"), BigUint::ZERO);
    for ta in 0..8 {
        for tr in 0..8 {
            add(format!("A +{ta}T; R +{tr}T"), &a, ta, &r, tr)?;
        }
    }
    for ta in 0..8 {
        add(format!("A +{ta}T; R small order {ta}T"), &a, ta, &zero, (8 - ta) % 8)?;
        add(format!("A small order {ta}T; R +{ta}T"), &zero, ta, &r, (8 - ta) % 8)?;
    }
    Ok(())
}

/// Forgeries for keys of small order: S = r, which a key without a secret needs.
pub(super) fn small_key(rows: &mut Vec<Row>) {
    let r = scalar("small key r");
    let r_bytes = with_torsion(&r, 0).encode();
    for (i, key) in small_order_encodings().iter().enumerate() {
        for j in 0..6 {
            let message = format!("message {j} for a key without a secret");
            let note = format!("key {i} message {j}");
            rows.push(Row::pure(
                "small_key",
                note,
                key,
                message.as_bytes(),
                &signature(&r_bytes, &r),
            ));
        }
    }
}

pub(super) fn scalar_range(rows: &mut Vec<Row>) {
    for i in 0..4 {
        let seed = seed(&format!("scalar range {i}"));
        let message = stretch("scalar range message", 10 * i);
        let honest = sign(&seed, Variant::Pure, b"", &message);
        let s = integer(&honest[32..]);
        let one = BigUint::from(1_u8);
        let mut values = vec![
            ("0".to_owned(), BigUint::ZERO),
            ("1".to_owned(), one.clone()),
            ("l - 1".to_owned(), order() - 1_u8),
            ("l".to_owned(), order()),
            ("l + 1".to_owned(), order() + 1_u8),
            ("l - S".to_owned(), order() - &s),
            ("2^252".to_owned(), &one << 252),
            ("2^253 - 1".to_owned(), (&one << 253) - 1_u8),
            ("2^253".to_owned(), &one << 253),
            ("2^255".to_owned(), &one << 255),
            ("2^256 - 1".to_owned(), (&one << 256) - 1_u8),
            ("S + 2^253".to_owned(), &s + (&one << 253)),
            ("S + 2^254".to_owned(), &s + (&one << 254)),
            ("S + 2^255".to_owned(), &s + (&one << 255)),
        ];
        for k in 0_u8..16 {
            values.push((format!("S + {k} l"), &s + order() * k));
        }
        for (note, value) in values.into_iter().filter(|(_, value)| value.bits() <= 256) {
            let r: [u8; 32] = honest[..32].try_into().expect("32 bytes");
            rows.push(Row::pure(
                "scalar_range",
                note,
                &public_key(&seed),
                &message,
                &signature(&r, &value),
            ));
        }
        // R = identity: S = k·a is a valid signature by the owner of the key
        let (a, _) = expand(&seed);
        let identity = bytes32(&one);
        let k = challenge(Variant::Pure, b"", &identity, &public_key(&seed), &message);
        let signed = signature(&identity, &(k * a % order()));
        rows.push(Row::pure(
            "scalar_range",
            "R identity; S = k a",
            &public_key(&seed),
            &message,
            &signed,
        ));
    }
    // A = identity, R = −B, S = l − 1: the largest S there is
    let identity = bytes32(&BigUint::from(1_u8));
    let signed = signature(&Point::base().neg().encode(), &(order() - 1_u8));
    rows.push(Row::pure(
        "scalar_range",
        "A identity; R = -B; S = l - 1",
        &identity,
        b"largest S",
        &signed,
    ));
}

pub(super) fn non_canonical(rows: &mut Vec<Row>) {
    let key = seed("non-canonical");
    let (a, _) = expand(&key);
    let r = scalar("non-canonical r");
    let r_bytes = with_torsion(&r, 0).encode();
    for (i, encoding) in non_canonical_encodings().iter().enumerate() {
        for j in 0..3 {
            let message = format!("message {j}");
            let message = message.as_bytes();
            // as A: S = r is what a small-order A asks for; nobody can sign for the others
            rows.push(Row::pure(
                "non_canonical",
                format!("A {i}"),
                encoding,
                message,
                &signature(&r_bytes, &r),
            ));
            // as R: S = k·a is right for a small-order R
            let k = challenge(Variant::Pure, b"", encoding, &public_key(&key), message);
            let signed = signature(encoding, &(k * &a % order()));
            rows.push(Row::pure(
                "non_canonical",
                format!("R {i}"),
                &public_key(&key),
                message,
                &signed,
            ));
        }
    }
}

pub(super) fn off_curve(rows: &mut Vec<Row>) {
    let key = seed("off curve");
    let honest = sign(&key, Variant::Pure, b"", b"off curve");
    let r: [u8; 32] = honest[..32].try_into().expect("32 bytes");
    for (i, encoding) in off_curve_encodings(8).iter().enumerate() {
        let s = integer(&honest[32..]);
        let mut add = |note: String, key: &[u8; 32], r: &[u8; 32], s: &BigUint| {
            rows.push(Row::pure("off_curve", note, key, b"off curve", &signature(r, s)));
        };
        add(format!("A {i}"), encoding, &r, &s);
        add(format!("R {i}"), &public_key(&key), encoding, &s);
        add(format!("A and R {i}"), encoding, encoding, &s);
        add(
            format!("R {i} and S out of range"),
            &public_key(&key),
            encoding,
            &(s.clone() + order()),
        );
        add(format!("small A and R {i}"), &bytes32(&BigUint::from(1_u8)), encoding, &BigUint::ZERO);
    }
}

pub(super) fn lengths(rows: &mut Vec<Row>) {
    let seed = seed("lengths");
    let (key, message) = (public_key(&seed), b"lengths");
    let honest = sign(&seed, Variant::Pure, b"", message);
    let resized = |bytes: &[u8], len: usize| {
        let mut bytes = bytes.to_vec();
        bytes.resize(len, 0);
        bytes
    };
    for len in [0, 1, 16, 31, 33, 63, 64, 65, 128] {
        rows.push(Row::pure(
            "lengths",
            format!("key of {len} bytes"),
            &resized(&key, len),
            message,
            &honest,
        ));
    }
    for len in [0, 1, 32, 63, 65, 66, 96, 128, 200] {
        rows.push(Row::pure(
            "lengths",
            format!("signature of {len} bytes"),
            &key,
            message,
            &resized(&honest, len),
        ));
    }
    rows.push(Row::pure("lengths", "both empty", b"", message, b""));
    rows.push(Row::pure(
        "lengths",
        "zero byte before the signature",
        &key,
        message,
        &[&[0][..], &honest].concat(),
    ));
}

pub(super) fn variants(rows: &mut Vec<Row>) {
    let seed = seed("variants");
    let modes = [
        (Variant::Pure, 0),
        (Variant::Ctx, 0),
        (Variant::Ctx, 1),
        (Variant::Ctx, 254),
        (Variant::Ctx, 255),
        (Variant::Ph, 0),
        (Variant::Ph, 1),
        (Variant::Ph, 255),
    ];
    let context = |len| stretch("variant context", len);
    for (made, made_len) in modes {
        let message = b"the same message";
        let signature = sign(&seed, made, &context(made_len), message);
        for (checked, checked_len) in modes {
            rows.push(Row {
                group: "variants",
                note: format!("{} {made_len} as {} {checked_len}", made.name(), checked.name()),
                variant: checked,
                context: context(checked_len),
                key: public_key(&seed).to_vec(),
                message: message.to_vec(),
                signature: signature.to_vec(),
            });
        }
    }
    // what ph signs is not the pure signature of the digest, nor of the prefixed digest
    let digest = sha512(&[b"the same message"]);
    let signature = sign(&seed, Variant::Ph, b"", b"the same message");
    rows.push(Row::pure(
        "variants",
        "ph as pure of the digest",
        &public_key(&seed),
        &digest,
        &signature,
    ));
}

pub(super) fn bits(rows: &mut Vec<Row>) {
    let seed = seed("bits");
    let (key, message) = (public_key(&seed), stretch("bits", 32));
    let honest = sign(&seed, Variant::Pure, b"", &message);
    let flipped = |bytes: &[u8], bit: usize| {
        let mut bytes = bytes.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        bytes
    };
    for bit in (0..512).step_by(7).chain([252, 253, 254, 255, 508, 509, 510, 511]) {
        let what = if bit < 256 { "R" } else { "S" };
        rows.push(Row::pure(
            "bits",
            format!("{what} bit {}", bit % 256),
            &key,
            &message,
            &flipped(&honest, bit),
        ));
    }
    for bit in (0..256).step_by(11).chain([255]) {
        rows.push(Row::pure(
            "bits",
            format!("key bit {bit}"),
            &flipped(&key, bit),
            &message,
            &honest,
        ));
        rows.push(Row::pure(
            "bits",
            format!("message bit {bit}"),
            &key,
            &flipped(&message, bit),
            &honest,
        ));
    }
}

pub(super) fn all_zero(rows: &mut Vec<Row>) {
    let seed = seed("all zero");
    let (key, identity) = (public_key(&seed), bytes32(&BigUint::from(1_u8)));
    for i in 0..12 {
        let message = format!("message {i}");
        let message = message.as_bytes();
        rows.push(Row::pure("all_zero", "zero key; zero signature", &[0; 32], message, &[0; 64]));
        rows.push(Row::pure("all_zero", "honest key; zero signature", &key, message, &[0; 64]));
        let s_zero = signature(&identity, &BigUint::ZERO);
        rows.push(Row::pure("all_zero", "honest key; R identity; S = 0", &key, message, &s_zero));
        rows.push(Row::pure(
            "all_zero",
            "identity key; R identity; S = 0",
            &identity,
            message,
            &s_zero,
        ));
    }
    rows.push(Row::pure("all_zero", "all ones", &[0xff; 32], b"", &[0xff; 64]));
    let empty = sign(&seed, Variant::Pure, b"", b"");
    rows.push(Row::pure("all_zero", "empty message", &key, b"", &empty));
    rows.push(Row::pure(
        "all_zero",
        "empty message; another signed",
        &key,
        b"",
        &sign(&seed, Variant::Pure, b"", b"x"),
    ));
}

pub(super) fn honest(rows: &mut Vec<Row>) {
    for i in 0..120 {
        let seed = seed(&format!("honest {i}"));
        let message = stretch(&format!("honest message {i}"), i * 5 / 2);
        let signature = sign(&seed, Variant::Pure, b"", &message);
        rows.push(Row::pure(
            "honest",
            format!("key {i}"),
            &public_key(&seed),
            &message,
            &signature,
        ));
    }
}
