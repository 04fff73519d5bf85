//! Do times differ between one secret and many? Two classes of secrets (Reparaz, Balasch and Verbauwhede 2017, "Dude,
//! is my code constant time?") are measured in pairs, one of each class in random order; `statistics` compares
//! the pairs, and `decision` says how many it takes and what they decide.
//!
//! Classes differ in values alone. Each measurement works on one place of memory, to which the secrets
//! come from the next slot of a ring; which class is in a slot is drawn anew for each round of the ring,
//! before its first measurement. So neither an address nor a branch on the way to a measurement says what
//! class it is of, and what disturbs the machine disturbs both alike: a neighbour makes times longer and
//! leaks harder to see, but no difference.

use crate::decision::{Decision, Sample, Share, Verdict, decide};
use crate::random::Random;
use crate::statistics::{LIMIT, Pair};
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
/// Pairs of a round: few enough that their secrets stay in the second cache.
const PAIRS: usize = 32;
/// One pair of so many has the planted leak.
const PLANTED: usize = 4;
/// The bar, as a part of the operation's time.
const BAR: f64 = 0.001;

/// The input of one measurement.
#[derive(Clone)]
struct Input<T> {
    secret: T,
    /// Bytes of the secrets, for the planted leak.
    bytes: [u8; 8],
}

/// Multiplications that wait for each other.
fn spend(steps: u32) {
    let product = (0..steps).fold(3_u64, |product, _| black_box(product).wrapping_mul(5));
    black_box(product);
}

/// Nanoseconds of a step, with the clock at its fastest.
fn step() -> f64 {
    const STEPS: u32 = 10_000;
    let time = |_| {
        let start = Instant::now();
        spend(STEPS);
        start.elapsed()
    };
    (0..32).map(time).min().unwrap_or_default().as_secs_f64() * 1e9 / f64::from(STEPS)
}

/// The planted leak: a branch on secret bytes, which those of class 0 do not take.
fn planted(bytes: [u8; 8], steps: u32) {
    if bytes != [0; 8] {
        spend(steps);
    }
}

/// One secret for all rows: differences of rows add up. Both classes have equal rows, since some processors need less
/// time for equal lanes than for different ones, with the same instructions at the same addresses (Intel's Rocket
/// Lake: 15 ns of 51 us for P-256). That time tells which rows have the same key, and nothing of the key.
fn rows<T: Clone>(random: &mut Random, mut make: impl FnMut(&mut Random) -> T) -> [T; ROWS] {
    let same = make(random);
    [(); ROWS].map(|()| same.clone())
}

/// Measures an operation on secrets of both classes, and decides.
fn observe<T: Clone>(
    plan: &Plan,
    random: &mut Random,
    mut make: impl FnMut(&mut Random) -> T,
    mut measured: impl FnMut(&T),
) -> Decision {
    let fixed = Input { secret: make(random), bytes: [0; 8] };
    let changing = (0..SECRETS)
        .map(|_| Input { secret: make(random), bytes: random.bytes() })
        .collect::<Vec<_>>();
    let classes = [vec![fixed; SECRETS], changing];
    let mut ring: Vec<_> =
        (0..PAIRS).map(|_| (0, [0, 1].map(|i: usize| classes[i][0].clone()))).collect();
    let mut place = Box::new(classes[0][0].clone());
    let mut time = |input: &Input<T>, leak: Option<u32>| {
        *place = input.clone();
        let input = black_box(&*place);
        let start = Instant::now();
        measured(&input.secret);
        let mut end = Instant::now();
        if let Some(steps) = leak {
            // after all else has ended: out of order, it would cost nothing
            planted(input.bytes, steps);
            end = Instant::now();
        }
        u32::try_from((end - start).as_nanos()).unwrap_or(u32::MAX)
    };
    let mut round = |sample: &mut Sample, steps: u32| {
        for (later, inputs) in &mut ring {
            let word = random.word() as usize;
            *later = word & 1;
            let classes =
                if *later == 1 { [&classes[0], &classes[1]] } else { [&classes[1], &classes[0]] };
            *inputs = classes.map(|class| class[(word >> 1) % SECRETS].clone());
        }
        for (i, (later, inputs)) in ring.iter().enumerate() {
            let leak = (plan.leak || i % PLANTED == 0).then_some(steps);
            let [earlier, other] = inputs;
            let pair = Pair { times: [time(earlier, leak), time(other, leak)], later: *later };
            if i % PLANTED == 0 { &mut sample.planted } else { &mut sample.plain }.push(pair);
        }
    };
    // until code and clock are warm
    let mut warm = Sample::default();
    for _ in 0..16 {
        round(&mut warm, 0);
    }
    let mut times: Vec<_> = warm.plain.iter().flat_map(|pair| pair.times).collect();
    times.sort_unstable();
    let time = f64::from(times[times.len() / 2]);
    let tolerated = plan.tolerated;
    let bar = tolerated + BAR * time;
    decide(plan.share, bar, tolerated, |sample, seconds| {
        let steps = (bar / step()).ceil() as u32;
        let start = Instant::now();
        while start.elapsed().as_secs_f64() < seconds {
            round(sample, steps);
        }
    })
}

/// Nanoseconds by which both classes may differ. SHA-512 of the crate sha2 takes some nanoseconds more
/// or less for some data on AMD's Zen 4, where no branch and no address depends on it (that is seen under Valgrind); a
/// P-384 signature hashes fourteen blocks and more to find its nonce, and up to 10 ns of its 26,000 were seen. P-256
/// finds its nonce in the same way.
fn tolerated(what: &str) -> f64 {
    if matches!(what, "P-256 signing" | "P-384 signing") { 20.0 } else { 0.0 }
}

/// How an operation is measured.
struct Plan {
    /// Whether all pairs have the planted leak.
    leak: bool,
    share: Share,
    tolerated: f64,
}

/// One operation of each kind that handles secrets, each for its share of time. As many operations
/// are measured at a time as there are processors.
pub(crate) fn run(leak: bool, share: Share) -> ExitCode {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |now| now.as_nanos() as u64);
    let engine = Engine::new();
    let operations = operations();
    let next = AtomicUsize::new(0);
    // what each processor found wrong
    let measure = || {
        let mut wrong = Vec::new();
        while let Some((what, decide)) = operations.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut random = Random(now ^ what.len() as u64);
            let plan = Plan { leak, share, tolerated: tolerated(what) };
            let decision = decide(&plan, &engine, &mut random);
            let what = match what.strip_prefix("bulk ") {
                Some(_) => format!("{what}, {ROWS} rows, backend {}", engine.backend()),
                None => (*what).to_owned(),
            };
            wrong.extend(say(&what, &decision));
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
    eprintln!("clock: {} (first secret {now})", wrong.join("; "));
    ExitCode::from(1)
}

/// Prints what was decided, and returns what is wrong.
fn say(what: &str, decision: &Decision) -> Option<String> {
    let Decision { verdict, pairs, test, bar, planted } = decision;
    let again = match verdict {
        Verdict::Equal | Verdict::Undecided if test.beyond().next().is_some() => {
            " (not seen again in new measurements)"
        }
        _ => "",
    };
    println!(
        "clock: {what}: {pairs} pairs, largest t {:.1}{again}, limit {LIMIT}; sees {:.1} ns; planted {bar:.1} ns have t {:.1}",
        test.largest(),
        test.sees,
        planted.longest(),
    );
    match verdict {
        Verdict::Equal => None,
        Verdict::Undecided => {
            println!(
                "not run here: the clock did not decide {what}: this machine sees {:.1} ns of {bar:.1}",
                planted.sees
            );
            None
        }
        Verdict::Different => Some(format!("times depend on secrets in {what}: t {:.1?}", test.t)),
        Verdict::Broken => {
            Some(format!("the planted leak is not seen in {what}: the check is broken"))
        }
    }
}

type Operation = fn(&Plan, &Engine, &mut Random) -> Decision;

const MESSAGE: [u8; 32] = [0x5a; 32];
const MESSAGES: [u8; 32 * ROWS] = [0x5a; 32 * ROWS];

fn messages() -> Column<'static> {
    Column::fixed(&MESSAGES, 32, ROWS, None).expect("whole rows")
}

fn operations() -> [(&'static str, Operation); 9] {
    [
        ("Ed25519 signing", |plan, _, random| {
            let make = |random: &mut Random| SigningKey::from_bytes(&random.bytes());
            observe(plan, random, make, |secrets| {
                black_box(secrets.sign(&MESSAGE));
            })
        }),
        ("X25519", |plan, _, random| {
            let theirs = PublicKey::from(random.bytes());
            let make = |random: &mut Random| StaticSecret::from(random.bytes());
            observe(plan, random, make, |secrets| {
                black_box(secrets.diffie_hellman(&theirs));
            })
        }),
        ("P-256 signing", p256::single),
        ("P-384 signing", p384::single),
        ("bulk Ed25519 key generation", |plan, engine, random| {
            let make = |random: &mut Random| rows(random, Random::bytes);
            let mut publics = [[0; 32]; ROWS];
            observe(plan, random, make, |secrets| {
                assert!(engine.public_keys_into(secrets, &mut publics).is_ok());
            })
        }),
        ("bulk Ed25519 signing", |plan, engine, random| {
            let key = |random: &mut Random| SigningKey::from_bytes(&random.bytes());
            let make = |random: &mut Random| rows(random, key);
            let (messages, mut signatures) = (messages(), [[0; 64]; ROWS]);
            observe(plan, random, make, |secrets| {
                let keys = SigningKeys::Each(secrets);
                assert!(engine.sign_into(keys, Variant::Pure, &messages, &mut signatures).is_ok());
            })
        }),
        ("bulk X25519", |plan, engine, random| {
            let theirs = [(); ROWS].map(|()| PublicKey::from(random.bytes()));
            let key = |random: &mut Random| StaticSecret::from(random.bytes());
            let make = |random: &mut Random| rows(random, key);
            let mut shared = [const { None }; ROWS];
            observe(plan, random, make, |secrets| {
                let secrets = StaticSecrets::Each(secrets);
                assert!(engine.x25519_into(secrets, &theirs, &mut shared).is_ok());
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

            pub(super) fn single(plan: &Plan, _: &Engine, random: &mut Random) -> Decision {
                observe(plan, random, key, |secrets| {
                    black_box(secrets.sign_message(&MESSAGE));
                })
            }

            pub(super) fn bulk(plan: &Plan, engine: &Engine, random: &mut Random) -> Decision {
                let make = |random: &mut Random| rows(random, key);
                let (messages, mut signatures) = (messages(), [[0; 2 * $width]; ROWS]);
                observe(plan, random, make, |secrets| {
                    let keys = SigningKeys::Each(secrets);
                    let prehash = Prehash::$prehash;
                    let done = engine.sign_ecdsa_into(keys, prehash, &messages, &mut signatures);
                    assert!(done.is_ok());
                })
            }
        }
    };
}
sign_ecdsa!(p256, 32, Sha256);
sign_ecdsa!(p384, 48, Sha384);
