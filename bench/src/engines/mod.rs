//! The contestants. An engine in the program is a file here or a crate below `peers/`; an engine
//! with compiler flags of its own is a library that `run` builds of a crate below `peers/`.

mod aws_lc;
mod columns;
mod commonware;
mod crrl;
mod entrant;
mod graviola;
mod library;
#[cfg(feature = "libsodium")]
mod libsodium;
#[cfg(feature = "openssl")]
mod openssl;
mod ring;
mod rustcrypto;
mod sigmill;
mod sigmill_c;
mod sigmill_ecdsa;

use ::sigmill::cpu::Feature;
use entrant::Loaded;
use sigmill_bench_abi::Engine;

pub(crate) use entrant::{Entrant, OURS};

/// An engine's name, how to get it, and what it uses of the CPU that cannot be hidden from it.
type Known = (&'static str, fn() -> Loaded, &'static [Feature]);

/// Engines that detect AVX2 at run time.
const AVX2: &[Feature] = &[Feature::Avx2];
/// Engines that detect MULX and ADX at run time; AVX2 may select from their tables.
const ADX: &[Feature] = &[Feature::Adx, Feature::Avx2];
/// Engines that are built for AVX-512 IFMA, or detect it at run time.
const IFMA: &[Feature] = &[Feature::Ifma];

/// All engines.
const ENGINES: &[Known] = &[
    (OURS, || Ok(sigmill::engine()), &[]),
    ("sigmill-lanes", sigmill::lanes, &[]),
    ("sigmill-c", sigmill_c::engine, &[]),
    ("dalek", || Ok(sigmill_bench_dalek::engine()), AVX2),
    ("dalek-serial", || library::load("dalek-serial"), &[]),
    ("dalek-ifma", || library::load("dalek-ifma"), IFMA),
    ("zebra", || Ok(sigmill_bench_zebra::engine()), AVX2),
    ("zebra-ifma", || library::load("zebra-ifma"), IFMA),
    ("solana", || Ok(sigmill_bench_solana::engine()), AVX2),
    ("solana-serial", || library::load("solana-serial"), &[]),
    ("commonware", || Ok(commonware::engine()), IFMA),
    ("ed25519-simd", || library::load("ed25519-simd"), IFMA),
    ("crypto_mb", || library::load("crypto_mb"), IFMA),
    ("rustcrypto", || Ok(rustcrypto::engine()), &[]),
    ("ring", || Ok(ring::engine()), ADX),
    ("aws-lc-rs", || Ok(aws_lc::engine()), &[]),
    ("graviola", graviola::engine, ADX),
    ("crrl", || Ok(crrl::engine()), &[]),
    #[cfg(feature = "libsodium")]
    ("libsodium", libsodium::engine, &[]),
    #[cfg(feature = "openssl")]
    ("openssl", openssl::engine, &[]),
];

/// The names of all engines.
pub(crate) fn names() -> Vec<&'static str> {
    ENGINES.iter().map(|engine| engine.0).collect()
}

/// The engines that were asked for, all if none was, on a CPU some of whose features are hidden.
pub(crate) fn load(asked: &[String], hidden: &[Feature]) -> Vec<Entrant> {
    let wanted = |name: &str| asked.is_empty() || asked.iter().any(|asked| asked == name);
    let entrant = |&(name, load, uses): &Known| {
        wanted(name).then(|| {
            let seen = uses.iter().find(|feature| hidden.contains(feature));
            let engine = match seen {
                Some(feature) => Err(format!("{feature} cannot be hidden from it")),
                None => load().and_then(usable),
            };
            Entrant { name, engine }
        })
    };
    ENGINES.iter().filter_map(entrant).collect()
}

fn usable(engine: &'static Engine) -> Loaded {
    if !engine.optimised {
        Err("it was built without optimisation".into())
    } else if engine.offers.get().is_empty() {
        Err("the library says that it does not run on this CPU".into())
    } else {
        Ok(engine)
    }
}
