//! SHA-512 in lanes against the `sha2` crate, each backend by name.

use super::lanes::{Lanes, sha512_rows_with};
use super::tables::SHA_512;
use super::{Function, Sha384, Sha512, Sha512Pair, digest_rows, hash_rows};
use crate::cpu::Backend;
use crate::tests::Expander;
use sha2::Digest;
use std::cell::Cell;
use std::eprintln;
use std::vec::Vec;

/// A message in four parts.
type Parts<'a> = [&'a [u8]; 4];

/// The bytes between three cuts, in whatever order the cuts are.
fn split(bytes: &[u8], mut cuts: [usize; 3]) -> Parts<'_> {
    cuts.sort_unstable();
    let [a, b, c] = cuts.map(|cut| cut.min(bytes.len()));
    [&bytes[..a], &bytes[a..b], &bytes[b..c], &bytes[c..]]
}

/// The results of `run` for n messages, in the order of the messages.
fn collect<'a>(
    messages: &[Parts<'a>],
    run: impl FnOnce(usize, &dyn Fn(usize) -> Parts<'a>, &mut dyn FnMut(usize, &[u8; 64])),
) -> Vec<[u8; 64]> {
    let asked = Cell::new(0);
    let parts = |i: usize| {
        assert_eq!(asked.replace(i + 1), i, "each message is asked for once, in order");
        messages[i]
    };
    let mut digests = std::vec![None; messages.len()];
    run(messages.len(), &parts, &mut |i, digest| {
        assert!(digests[i].replace(*digest).is_none(), "a second digest of message {i}");
    });
    digests.into_iter().map(|digest| digest.expect("a digest of each message")).collect()
}

/// Every backend that this CPU has, by its token and by its name, against `sha2`.
fn check(messages: &[Parts<'_>]) {
    fn with(messages: &[Parts<'_>], backend: impl Lanes) -> Vec<[u8; 64]> {
        collect(messages, |n, parts, digest| sha512_rows_with(backend, &SHA_512, n, parts, digest))
    }
    let mut found = std::vec![("one lane", with(messages, ()))];
    #[cfg(sigmill_lanes)]
    {
        found.extend(crate::cpu::avx2().map(|token| ("AVX2", with(messages, token))));
        found.extend(crate::cpu::ifma().map(|token| ("AVX-512", with(messages, token))));
    }
    for backend in Backend::ALL {
        let run = |n, parts: &dyn Fn(usize) -> _, digest: &mut dyn FnMut(usize, &[u8; 64])| {
            hash_rows(backend, n, parts, digest);
        };
        found.push((backend.name(), collect(messages, run)));
    }
    for backend in Backend::ALL {
        let run = |n, parts: &dyn Fn(usize) -> _, digest: &mut dyn FnMut(usize, &[u8; 64])| {
            digest_rows(backend, Function::Sha384, n, parts, digest);
        };
        for (parts, found) in messages.iter().zip(collect(messages, run)) {
            let expected = Sha384::digest(parts.concat());
            assert!(expected[..] == found[..Function::Sha384.len()], "SHA-384, {backend}");
        }
    }
    for (i, parts) in messages.iter().enumerate() {
        let expected = parts.iter().fold(Sha512::new(), |hash, part| hash.chain(part)).finish();
        for (backend, digests) in &found {
            let lens = parts.map(<[u8]>::len);
            assert!(digests[i] == expected, "{backend}: {i} of {}, parts {lens:?}", messages.len());
        }
    }
}

#[test]
fn backends_that_are_missing_are_named() {
    for backend in Backend::ALL {
        if !backend.is_available() {
            eprintln!("NOT TESTED: SHA-512 in the lanes of {backend}, which this CPU lacks");
        }
    }
}

#[test]
fn abc() {
    // the example of FIPS 180-4 for SHA-512
    let words: [u64; 8] = [
        0xddaf35a193617aba,
        0xcc417349ae204131,
        0x12e6fa4e89a97ea2,
        0x0a9eeee64b55d39a,
        0x2192992a274fc1a8,
        0x36ba3c23a3feebbd,
        0x454d4423643ce80e,
        0x2a9ac94fa54ca49f,
    ];
    for n in 0..20 {
        let mut told = 0;
        hash_rows(
            Backend::best(),
            n,
            |_| [b"a", b"", b"bc", b""],
            |_, digest| {
                assert_eq!(digest.as_chunks().0, words.map(u64::to_be_bytes));
                told += 1;
            },
        );
        assert_eq!(told, n);
    }
    check(&[[b"a".as_slice(), b"", b"bc", b""]; 20]);
}

#[test]
fn every_length_in_many_splits() {
    let mut random = Expander::new("SHA-512 in lanes: lengths");
    let bytes: [u8; 800] = random.bytes();
    for len in 0..=400 {
        let mut messages = Vec::new();
        let mut add = |cuts| {
            let start = messages.len();
            messages.push(split(&bytes[start..start + len], cuts));
        };
        // all in the first part, in the last, in the one between
        add([len, len, len]);
        add([0, 0, 0]);
        add([0, len, len]);
        add([0, 0, len]);
        // as the engine has it, without and with dom
        add([0, 32, 64]);
        add([34, 66, 98]);
        add([289, 321, 353]);
        // around the ends of blocks and of what leaves room for padding
        for end in [111, 112, 119, 127, 128, 129, 239, 240, 255, 256, 257] {
            add([1, end, len.saturating_sub(1)]);
            add([end, end, end]);
            add([end.saturating_sub(64), end, end + 1]);
            add([end - 1, end, len - len.min(end)]);
        }
        for _ in 0..8 {
            add([(); 3].map(|()| random.word() as usize % (len + 1)));
        }
        check(&messages);
    }
}

#[test]
fn companies_of_ragged_lengths() {
    let mut random = Expander::new("SHA-512 in lanes: companies");
    let bytes: [u8; 2048] = random.bytes();
    let mut below = |n: usize| random.word() as usize % n;
    for n in 1..=40 {
        for longest in [1, 112, 300, 1024] {
            for _ in 0..3 {
                let messages: Vec<_> = (0..n)
                    .map(|_| {
                        let (start, len) = (below(1024), below(longest));
                        split(&bytes[start..start + len], [(); 3].map(|()| below(len + 1)))
                    })
                    .collect();
                check(&messages);
            }
        }
    }
}

#[test]
fn long_messages_beside_short_ones() {
    let mut random = Expander::new("SHA-512 in lanes: long");
    let bytes: Vec<u8> = (0..20_000).map(|_| random.byte()).collect();
    let mut below = |n: usize| random.word() as usize % n;
    for n in 1..=20 {
        for one_in in [1, 2, 5] {
            let messages: Vec<_> = (0..n)
                .map(|i| {
                    // the last one is always long, so that a lane is alone at the end
                    let is_long = i + 1 == n || below(one_in) == 0;
                    let (start, len) = (below(10_000), below(if is_long { 10_000 } else { 200 }));
                    split(&bytes[start..start + len], [(); 3].map(|()| below(len + 1)))
                })
                .collect();
            check(&messages);
        }
    }
}

#[test]
fn two_hashes_of_the_same_bytes() {
    fn check(name: &str, update: impl Fn(&mut Sha512Pair, &[u8])) {
        let mut expander = Expander::new("two hashes");
        for i in 0..2000 {
            let mut lens = [0; 6];
            for len in &mut lens {
                let [a, b, ..] = expander.bytes::<8>();
                *len = [a as usize % 3, a as usize, 8 * a as usize][b as usize % 3];
            }
            let bytes: Vec<u8> = (0..lens.iter().sum()).map(|_| expander.bytes::<1>()[0]).collect();
            let (mut pair, mut hashes) = (Sha512Pair::new(), [Sha512::new(), Sha512::new()]);
            let mut rest = &bytes[..];
            for (step, len) in lens.into_iter().enumerate() {
                let (piece, later) = rest.split_at(len);
                rest = later;
                // beginnings of each alone, then what both take
                match hashes.get_mut(step) {
                    Some(hash) => {
                        pair.update_one(step, piece);
                        hash.update(piece);
                    }
                    None => {
                        update(&mut pair, piece);
                        hashes.iter_mut().for_each(|hash| hash.update(piece));
                    }
                }
            }
            assert_eq!(pair.finish(), hashes.map(Sha512::finish), "{name}, {i}: {lens:?}");
        }
    }
    check("as the CPU has it", |pair, bytes| pair.update(bytes));
    check("one lane", |pair, bytes| pair.update_in((), bytes));
    #[cfg(sigmill_lanes)]
    {
        if let Some(token) = crate::cpu::avx2() {
            check("AVX2", |pair, bytes| pair.update_in(token, bytes));
        }
        if let Some(token) = crate::cpu::ifma() {
            check("AVX-512", |pair, bytes| pair.update_in(token, bytes));
        }
    }
}
