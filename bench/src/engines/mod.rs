//! Who takes part. An engine in the program is a file here or a crate below `peers/`; an engine
//! with compiler flags of its own is a library that `run` builds of a crate below `peers/`.

mod aws_lc;
mod crrl;
mod graviola;
mod library;
mod libsodium;
#[cfg(feature = "openssl")]
mod openssl;
mod ring;
mod rustcrypto;
mod sigmill;
mod sigmill_ecdsa;

use ::sigmill::bulk::Backend;
use sigmill_bench_abi::Engine;

/// Our engine; the names of its variants begin with it.
pub(crate) const OURS: &str = "sigmill";

/// An engine, or why there is none.
type Loaded = Result<&'static Engine, String>;

/// An engine's name and how to get it.
type Known = (&'static str, fn() -> Loaded);

/// An engine by name.
pub(crate) struct Entrant {
    pub(crate) name: &'static str,
    pub(crate) engine: Loaded,
}

#[cfg(not(feature = "openssl"))]
mod openssl {
    pub(crate) fn engine() -> super::Loaded {
        Err("OpenSSL's headers are not installed (Debian: libssl-dev, pkg-config)".into())
    }
}

/// All engines.
const ENGINES: &[Known] = &[
    (OURS, || Ok(sigmill::engine())),
    ("sigmill-lanes", sigmill::lanes),
    ("sigmill-avx2", || sigmill::on_backend(Backend::Avx2)),
    ("sigmill-portable", || sigmill::on_backend(Backend::Portable)),
    ("dalek", || Ok(sigmill_bench_dalek::engine())),
    ("dalek-serial", || library::load("dalek-serial")),
    ("dalek-ifma", || library::load("dalek-ifma")),
    ("zebra", || Ok(sigmill_bench_zebra::engine())),
    ("zebra-ifma", || library::load("zebra-ifma")),
    ("ed25519-simd", || library::load("ed25519-simd")),
    ("crypto_mb", || library::load("crypto_mb")),
    ("rustcrypto", || Ok(rustcrypto::engine())),
    ("ring", || Ok(ring::engine())),
    ("aws-lc-rs", || Ok(aws_lc::engine())),
    ("graviola", graviola::engine),
    ("crrl", || Ok(crrl::engine())),
    ("libsodium", libsodium::engine),
    ("openssl", openssl::engine),
];

/// The names of all engines.
pub(crate) fn names() -> Vec<&'static str> {
    ENGINES.iter().map(|engine| engine.0).collect()
}

/// The engines that were asked for; all if none was.
pub(crate) fn load(asked: &[String]) -> Vec<Entrant> {
    let wanted = |name: &str| asked.is_empty() || asked.iter().any(|asked| asked == name);
    let entrant = |&(name, load): &Known| {
        wanted(name).then(|| Entrant { name, engine: load().and_then(usable) })
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
