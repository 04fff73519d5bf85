//! Do times differ between one secret and many? Welch's t-test on two classes of secrets that are measured
//! in random order (Reparaz, Balasch and Verbauwhede 2017, "Dude, is my code constant time?").
//!
//! Classes differ in values alone. Each measurement works on one place of memory, to which the secrets
//! come from the next slot of a ring; which class is in a slot is drawn anew for each round of the ring,
//! before its first measurement. So neither an address nor a branch on the way to a measurement says what
//! class it is of, and what disturbs the machine disturbs both alike: a neighbour makes times longer and
//! leaks harder to see, but no difference.

use crate::random::Random;
use crate::statistics::{self, Difference, LIMIT, PARTS, Time};
use sigmill::bulk::{Backend, Column, Engine, SigningKeys, StaticSecrets};
use sigmill::ed25519::{Signer as _, SigningKey, Variant};
use sigmill::x25519::{PublicKey, StaticSecret};
use std::hint::black_box;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Rows of one measurement of a bulk operation: the lanes of a vector.
const ROWS: usize = 8;
/// Secrets of each class, of which those of the first are equal.
const SECRETS: usize = 1024;
/// Slots of the ring: few enough to stay in the second cache.
const SLOTS: usize = 64;

/// What one measurement works on.
#[derive(Clone)]
struct Input<T> {
    secret: T,
    /// Bytes of the secrets, for the planted leak.
    bytes: [u8; 8],
}

/// A branch on each of 64 bits of secrets, twice, which jumps over one multiplication. With this the slowest operation, a
/// single P-384 signature of 30 to 70 us, takes about a hundredth longer or shorter; of many rows each has it.
fn planted(bytes: [u8; 8]) {
    for byte in [bytes, bytes].into_iter().flatten() {
        for bit in 0..8 {
            if byte >> bit & 1 == 1 {
                black_box(black_box(3_u64).wrapping_mul(5));
            }
        }
    }
}

/// Times of `count` measurements of both classes.
fn measure<T: Clone>(
    random: &mut Random,
    count: usize,
    mut make: impl FnMut(&mut Random) -> T,
    mut measured: impl FnMut(&Input<T>),
) -> Vec<Time> {
    let fixed = Input { secret: make(random), bytes: [0; 8] };
    let changing = (0..SECRETS)
        .map(|_| Input { secret: make(random), bytes: random.bytes() })
        .collect::<Vec<_>>();
    let classes = [vec![fixed; SECRETS], changing];
    let mut ring: Vec<_> = (0..SLOTS).map(|i| (0, classes[0][i].clone())).collect();
    let mut place = Box::new(classes[0][0].clone());
    let mut round = |times: &mut Vec<Time>| {
        for slot in &mut ring {
            let word = random.word() as usize;
            let class = word & 1;
            *slot = (class, classes[class][(word >> 1) % SECRETS].clone());
        }
        for (class, input) in &ring {
            *place = input.clone();
            let input = black_box(&*place);
            let start = Instant::now();
            measured(input);
            times.push(Time::new(start.elapsed().as_nanos(), *class));
        }
    };
    let rounds = count.div_ceil(SLOTS);
    let mut times = Vec::with_capacity(rounds * SLOTS);
    // until code and clock are warm
    for _ in 0..16 {
        round(&mut times);
    }
    times.clear();
    for _ in 0..rounds {
        round(&mut times);
    }
    times
}

/// Whether the times of both classes are the same, as far as can be seen, but for so many nanoseconds.
fn judge(what: &str, mut times: Vec<Time>, tolerated: f64) -> bool {
    times.sort_unstable();
    let parts = statistics::of_parts(&times);
    let list = |number: fn(&Difference) -> f64| {
        parts.iter().map(|part| format!("{:.1}", number(part))).collect::<Vec<_>>().join(", ")
    };
    let median = times[times.len() / 2].nanoseconds();
    let equal = statistics::are_equal(&parts, tolerated);
    let tolerance = match equal && !statistics::are_equal(&parts, 0.0) {
        true => {
            format!("; seen: [{}] ns, tolerated: {tolerated} ns", list(|part| part.nanoseconds))
        }
        false => String::new(),
    };
    println!(
        "clock: {what}: {} measurements, median {median} ns, t of the fastest {PARTS:?} = [{}], limit {LIMIT}{tolerance}",
        times.len(),
        list(|part| part.t),
    );
    equal
}

/// Nanoseconds by which both classes may differ though t says so. SHA-512 of the crate sha2 takes some nanoseconds more
/// or less for some data on AMD's Zen 4, where no branch and no address depends on it (that is seen under Valgrind); a
/// P-384 signature hashes fourteen blocks and more to find its nonce, and up to 10 ns of its 26,000 were seen. P-256
/// finds its nonce in the same way. A branch on eight bytes, the planted leak, makes more than a hundred.
fn tolerated(what: &str) -> f64 {
    if matches!(what, "P-256 signing" | "P-384 signing") { 20.0 } else { 0.0 }
}

/// How many measurements of each operation, and whether a leak is planted.
struct Plan {
    leak: bool,
    single: usize,
    bulk: usize,
}

/// One operation of each kind that handles secrets. With a leak, each must be seen to have it. As many operations
/// are measured at a time as there are processors.
pub(crate) fn run(leak: bool, single: usize, bulk: usize) -> ExitCode {
    let plan = Plan { leak, single, bulk };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |now| now.as_nanos() as u64);
    let engine = Engine::new();
    let operations = operations();
    let next = AtomicUsize::new(0);
    // what each processor found wrong
    let measure = || {
        let mut wrong = Vec::new();
        while let Some((what, times)) = operations.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut random = Random(now ^ what.len() as u64);
            let times = times(&plan, &engine, &mut random);
            let tolerated = tolerated(what);
            let what = match what.strip_prefix("bulk ") {
                Some(_) => format!("{what}, {ROWS} rows, backend {}", engine.backend()),
                None => (*what).to_owned(),
            };
            if judge(&what, times, tolerated) == leak {
                wrong.push(what);
            }
        }
        wrong
    };
    let processors = std::thread::available_parallelism().map_or(1, |processors| processors.get());
    let wrong = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..processors).map(|_| scope.spawn(measure)).collect();
        let found = |thread: ScopedJoinHandle<'_, _>| {
            thread.join().expect("it measures or ends the program")
        };
        threads.into_iter().flat_map(found).collect::<Vec<_>>()
    });
    if !Backend::Ifma.is_available() {
        println!("not run here: the clock, backend {} (this CPU has none)", Backend::Ifma);
    }
    if wrong.is_empty() {
        return ExitCode::SUCCESS;
    }
    let fault = if leak { "the planted leak is not seen in" } else { "times depend on secrets in" };
    eprintln!("clock: {fault}: {} (first secret {now})", wrong.join("; "));
    ExitCode::from(1)
}

type Operation = fn(&Plan, &Engine, &mut Random) -> Vec<Time>;

const MESSAGE: [u8; 32] = [0x5a; 32];
const MESSAGES: [u8; 32 * ROWS] = [0x5a; 32 * ROWS];

fn messages() -> Column<'static> {
    Column::fixed(&MESSAGES, 32, ROWS, None).expect("whole rows")
}

fn operations() -> [(&'static str, Operation); 9] {
    [
        ("Ed25519 signing", |plan, _, random| {
            let make = |random: &mut Random| SigningKey::from_bytes(&random.bytes());
            measure(random, plan.single, make, |input| {
                black_box(input.secret.sign(&MESSAGE));
                plan.leak.then(|| planted(input.bytes));
            })
        }),
        ("X25519", |plan, _, random| {
            let theirs = PublicKey::from(random.bytes());
            let make = |random: &mut Random| StaticSecret::from(random.bytes());
            measure(random, plan.single, make, |input| {
                black_box(input.secret.diffie_hellman(&theirs));
                plan.leak.then(|| planted(input.bytes));
            })
        }),
        ("P-256 signing", p256::single),
        ("P-384 signing", p384::single),
        ("bulk Ed25519 key generation", |plan, engine, random| {
            let make = |random: &mut Random| [(); ROWS].map(|()| random.bytes());
            let mut publics = [[0; 32]; ROWS];
            measure(random, plan.bulk, make, |input| {
                assert!(engine.public_keys_into(&input.secret, &mut publics).is_ok());
                plan.leak.then(|| (0..ROWS).for_each(|_| planted(input.bytes)));
            })
        }),
        ("bulk Ed25519 signing", |plan, engine, random| {
            let key = |random: &mut Random| SigningKey::from_bytes(&random.bytes());
            let make = |random: &mut Random| [(); ROWS].map(|()| key(random));
            let (messages, mut signatures) = (messages(), [[0; 64]; ROWS]);
            measure(random, plan.bulk, make, |input| {
                let keys = SigningKeys::Each(&input.secret);
                assert!(engine.sign_into(keys, Variant::Pure, &messages, &mut signatures).is_ok());
                plan.leak.then(|| (0..ROWS).for_each(|_| planted(input.bytes)));
            })
        }),
        ("bulk X25519", |plan, engine, random| {
            let theirs = [(); ROWS].map(|()| PublicKey::from(random.bytes()));
            let make =
                |random: &mut Random| [(); ROWS].map(|()| StaticSecret::from(random.bytes()));
            let mut shared = [const { None }; ROWS];
            measure(random, plan.bulk, make, |input| {
                let secrets = StaticSecrets::Each(&input.secret);
                assert!(engine.x25519_into(secrets, &theirs, &mut shared).is_ok());
                plan.leak.then(|| (0..ROWS).for_each(|_| planted(input.bytes)));
            })
        }),
        ("bulk P-256 signing", p256::bulk),
        ("bulk P-384 signing", p384::bulk),
    ]
}

/// A module with `single` and `bulk`, for a curve, the length of its secrets, and the hash it signs with.
macro_rules! sign_ecdsa {
    ($curve:ident, $width:literal, $prehash:ident) => {
        mod $curve {
            use super::*;
            use sigmill::ecdsa::{Prehash, $curve::SigningKey};

            fn key(random: &mut Random) -> SigningKey {
                let mut bytes = random.bytes::<$width>();
                bytes[0] &= 0x7f; // below n
                SigningKey::from_bytes(&bytes).expect("1 to n - 1")
            }

            pub(super) fn single(plan: &Plan, _: &Engine, random: &mut Random) -> Vec<Time> {
                measure(random, plan.single, key, |input| {
                    black_box(input.secret.sign_message(&MESSAGE));
                    plan.leak.then(|| planted(input.bytes));
                })
            }

            pub(super) fn bulk(plan: &Plan, engine: &Engine, random: &mut Random) -> Vec<Time> {
                let make = |random: &mut Random| [(); ROWS].map(|()| key(random));
                let (messages, mut signatures) = (messages(), [[0; 2 * $width]; ROWS]);
                measure(random, plan.bulk, make, |input| {
                    let keys = SigningKeys::Each(&input.secret);
                    let prehash = Prehash::$prehash;
                    let done = engine.sign_ecdsa_into(keys, prehash, &messages, &mut signatures);
                    assert!(done.is_ok());
                    plan.leak.then(|| (0..ROWS).for_each(|_| planted(input.bytes)));
                })
            }
        }
    };
}
sign_ecdsa!(p256, 32, Sha256);
sign_ecdsa!(p384, 48, Sha384);
