//! Features of the CPU, detected once, without the help of an operating system.
//!
//! On x86-64 CPUID says what the CPU has and XGETBV whether the operating system saves the
//! registers; the answer is kept in an atomic. On other targets, and on x86-64 without SSE2 (kernels),
//! there is nothing to find. No instruction that a CPU lacks can be reached on it.
//!
//! A library built without optimisation (`opt-level = 0`) has no lanes, and finds no features for them: without
//! it they would be slower than everything else.
//!
//! [`force`] takes features away for tests and for people who compare backends; it never adds any,
//! and no verdict depends on it. A library built with `--cfg sigmill_cpu="portable"` looks for none. One built with
//! `--cfg sigmill_cpu="given"` keeps nothing: it asks the program that it is part of, by the function
//! `sigmill_cpu_given`, and `features` tells that program which it may state.
//!
//! ```
//! use sigmill::cpu::{Feature, has};
//!
//! println!("AVX-512 IFMA: {}", has(Feature::Ifma));
//! ```

use core::fmt;

/// Instructions that a backend may need beyond the baseline of the target.
///
/// ```
/// use sigmill::cpu::{Feature, has};
///
/// for feature in Feature::ALL {
///     println!("{feature}: {}", has(feature));
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Feature {
    /// MULX and ADCX/ADOX (BMI2 and ADX).
    Adx = 1 << 0,
    /// AVX2, with FMA, BMI1, BMI2, LZCNT and POPCNT, which nearly every CPU with AVX2 has.
    Avx2 = 1 << 1,
    /// AVX-512 F, VL, BW, DQ, CD and IFMA, with AVX2, FMA, BMI1, BMI2, LZCNT and POPCNT.
    Ifma = 1 << 2,
}

impl Feature {
    /// Every feature that is looked for.
    pub const ALL: [Feature; 3] = [Feature::Adx, Feature::Avx2, Feature::Ifma];

    /// The name, such as `avx2`.
    pub const fn name(self) -> &'static str {
        match self {
            Feature::Adx => "adx",
            Feature::Avx2 => "avx2",
            Feature::Ifma => "avx512ifma",
        }
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The code that computes many signatures at once. Every backend gives the same verdicts.
///
/// ```
/// use sigmill::bulk::{Backend, BulkError, Engine};
///
/// let backend = Backend::from_name("portable").unwrap();
/// assert!(backend.is_available() && Backend::best().is_available());
/// let engine = Engine::new().with_backend(backend)?;
/// # assert_eq!(engine.backend(), backend);
/// # Ok::<(), BulkError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// One after the other, each as the single operation does it, which may use what the CPU has; combinations in
    /// portable code, or in the lanes of WebAssembly that is built for them.
    Portable,
    /// Four lanes in vectors of 128 bits: NEON on 64-bit Arm, simd128 in WebAssembly that is built for it.
    Simd128,
    /// Four lanes of AVX2.
    Avx2,
    /// Eight in AVX-512 IFMA lanes.
    Ifma,
}

impl Backend {
    /// Every backend, the fastest last.
    pub const ALL: [Backend; 4] =
        [Backend::Portable, Backend::Simd128, Backend::Avx2, Backend::Ifma];

    /// The fastest backend that this CPU can run and that [`force`] allows. On CPUs whose AVX2 units are 128 bits wide
    /// (AMD before Zen 2), words are faster than lanes.
    pub fn best() -> Backend {
        Backend::ALL.into_iter().rfind(|backend| backend.pays()).unwrap_or(Backend::Portable)
    }

    /// Whether the CPU has it, and its lanes are faster than one value after the other.
    pub(crate) fn pays(self) -> bool {
        let slow = self == Backend::Avx2 && state::get() & AVX2_IN_HALVES != 0;
        self.is_available() && !slow
    }

    /// How many rows it works on side by side; 0 where there are no lanes.
    pub(crate) const fn lanes(self) -> usize {
        match self {
            Backend::Portable => 0,
            Backend::Simd128 | Backend::Avx2 => 4,
            Backend::Ifma => 8,
        }
    }

    /// This one for several rows: one alone does not fill lanes.
    pub(crate) fn for_rows(self, rows: usize) -> Backend {
        if rows > 1 { self } else { Backend::Portable }
    }

    /// Whether it can be used.
    pub fn is_available(self) -> bool {
        match self {
            Backend::Portable => true,
            Backend::Simd128 => cfg!(all(sigmill_lanes_128, not(sigmill_cpu = "portable"))),
            Backend::Avx2 => has(Feature::Avx2),
            Backend::Ifma => has(Feature::Ifma),
        }
    }

    /// The name, such as `avx2`.
    pub const fn name(self) -> &'static str {
        match self {
            Backend::Portable => "portable",
            Backend::Simd128 => "simd128",
            Backend::Avx2 => "avx2",
            Backend::Ifma => "ifma",
        }
    }

    /// The backend with this name.
    pub fn from_name(name: &str) -> Option<Backend> {
        Backend::ALL.into_iter().find(|backend| backend.name() == name)
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Kept beside the bits of features: vectors of 256 bits are worked on in halves.
const AVX2_IN_HALVES: u8 = 1 << 6;

/// The same: vectors of 512 bits are worked on at once, two multiplications and two other operations at a time.
const IFMA_IN_WHOLE: u8 = 1 << 5;
const WIDTHS: u8 = AVX2_IN_HALVES | IFMA_IN_WHOLE;

/// Whether eight values of one formula are as soon ready as four.
#[inline]
pub(crate) fn is_wide() -> bool {
    has(Feature::Ifma) && state::get() & IFMA_IN_WHOLE != 0
}

/// Whether the CPU and the operating system offer a feature and [`force`] has not taken it away.
#[inline]
pub fn has(feature: Feature) -> bool {
    // known when it is compiled: code that needs features is then left out
    if cfg!(sigmill_cpu = "portable") || cfg!(not(sigmill_lanes)) && feature != Feature::Adx {
        return false;
    }
    state::get() & feature as u8 != 0
}

/// Uses only the given features from now on, as far as the CPU has them. For tests and comparisons:
/// every backend gives the same answers.
#[cfg(not(sigmill_cpu = "given"))]
pub fn force(features: &[Feature]) {
    let wanted = features.iter().fold(WIDTHS, |acc, feature| acc | *feature as u8);
    state::set(detect() & wanted);
}

/// The features of the CPU and the operating system, one bit each, and two bits for the width of its units.
#[cfg(sigmill_cpu = "given")]
pub fn features() -> u8 {
    detect()
}

#[cfg(not(sigmill_cpu = "given"))]
mod state {
    //! The features, once detected.

    use core::sync::atomic::{AtomicU8, Ordering};

    /// Set when detection has run, so that 0 means "not yet".
    const DETECTED: u8 = 1 << 7;
    static STATE: AtomicU8 = AtomicU8::new(0);

    #[inline]
    pub(super) fn get() -> u8 {
        let state = STATE.load(Ordering::Relaxed);
        if state != 0 {
            return state;
        }
        // read again: `tools/inspect-object` sees that the tested word comes from here
        first();
        STATE.load(Ordering::Relaxed)
    }

    pub(super) fn set(features: u8) {
        STATE.store(features | DETECTED, Ordering::Relaxed);
    }

    #[cold]
    #[inline(never)]
    fn first() {
        set(super::detect());
    }
}

#[cfg(sigmill_cpu = "given")]
mod state {
    //! The features that the program states.

    #[allow(unsafe_code)]
    unsafe extern "C" {
        fn sigmill_cpu_given() -> u32;
    }

    #[inline]
    #[allow(unsafe_code)]
    pub(super) fn get() -> u8 {
        // SAFETY: whoever builds a library so links this function, which says nothing that `features` has not found.
        unsafe { sigmill_cpu_given() as u8 }
    }
}

/// Proof that MULX and ADCX/ADOX may be used.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(sigmill_adx), allow(dead_code))]
pub(crate) struct Adx(());

/// The proof, if the CPU has it.
#[cfg_attr(not(sigmill_adx), allow(dead_code))]
#[inline]
pub(crate) fn adx() -> Option<Adx> {
    has(Feature::Adx).then_some(Adx(()))
}

/// Proof that AVX-512 IFMA may be used.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(sigmill_lanes), allow(dead_code))]
pub(crate) struct Ifma(());

/// The proof, if the CPU has it.
#[cfg_attr(not(sigmill_lanes), allow(dead_code))]
pub(crate) fn ifma() -> Option<Ifma> {
    has(Feature::Ifma).then_some(Ifma(()))
}

/// Proof that AVX2, FMA, BMI1, BMI2, LZCNT and POPCNT may be used.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(sigmill_lanes), allow(dead_code))]
pub(crate) struct Avx2(());

/// The proof, if the CPU has it.
#[cfg_attr(not(sigmill_lanes), allow(dead_code))]
pub(crate) fn avx2() -> Option<Avx2> {
    has(Feature::Avx2).then_some(Avx2(()))
}

#[cfg(any(sigmill_cpu = "portable", not(sigmill_x86_64)))]
fn detect() -> u8 {
    0
}

#[cfg(all(not(sigmill_cpu = "portable"), sigmill_x86_64))]
fn detect() -> u8 {
    let bit = |word: u32, n: u32| word >> n & 1 == 1;
    if cpuid(0).eax < 7 {
        return 0;
    }
    let leaf_1 = cpuid(1);
    let leaf_7 = cpuid(7);
    let mut features = 0;
    if bit(leaf_7.ebx, 8) && bit(leaf_7.ebx, 19) {
        features |= Feature::Adx as u8;
    }
    // OSXSAVE: XGETBV exists. XCR0: 1 = SSE, 2 = AVX, 5 to 7 = AVX-512 state is saved.
    if bit(leaf_1.ecx, 27) {
        let saved = saved_state();
        let ymm = saved & 0b110 == 0b110 && bit(leaf_1.ecx, 28);
        // BMI1, AVX2, BMI2, FMA, POPCNT, LZCNT
        let avx2 = ymm
            && [3, 5, 8].into_iter().all(|n| bit(leaf_7.ebx, n))
            && [12, 23].into_iter().all(|n| bit(leaf_1.ecx, n))
            && cpuid(0x8000_0000).eax > 0x8000_0000
            && bit(cpuid(0x8000_0001).ecx, 5);
        if avx2 {
            features |= Feature::Avx2 as u8;
            if works_in_halves(&vendor(), leaf_1.eax) {
                features |= AVX2_IN_HALVES;
            }
        }
        // F, DQ, IFMA, CD, BW, VL, and those above, which came before them
        let zmm = avx2 && saved & 0b1110_0000 == 0b1110_0000;
        if zmm && [16, 17, 21, 28, 30, 31].into_iter().all(|n| bit(leaf_7.ebx, n)) {
            features |= Feature::Ifma as u8;
            if works_in_whole(&vendor(), leaf_1.eax) {
                features |= IFMA_IN_WHOLE;
            }
        }
    }
    features
}

/// The twelve bytes that name the maker of the CPU.
#[cfg(all(not(sigmill_cpu = "portable"), sigmill_x86_64))]
fn vendor() -> [u8; 12] {
    let leaf = cpuid(0);
    let mut name = [0; 12];
    for (part, word) in name.as_chunks_mut::<4>().0.iter_mut().zip([leaf.ebx, leaf.edx, leaf.ecx]) {
        *part = word.to_le_bytes();
    }
    name
}

/// Family and model of a CPU: `signature` is EAX of leaf 1.
#[cfg(all(not(sigmill_cpu = "portable"), sigmill_x86_64))]
fn family_and_model(signature: u32) -> (u32, u32) {
    let (base, more) = (signature >> 8 & 15, signature >> 20 & 255);
    let family = if base == 15 { base + more } else { base };
    (family, signature >> 4 & 15 | signature >> 12 & 0xf0)
}

/// Whether a CPU with AVX2 has units of 128 bits: AMD's Excavator, Zen and Zen+, and Hygon's Zen.
#[cfg(all(not(sigmill_cpu = "portable"), sigmill_x86_64))]
fn works_in_halves(vendor: &[u8; 12], signature: u32) -> bool {
    let (family, model) = family_and_model(signature);
    match vendor {
        b"AuthenticAMD" => family == 0x15 || family == 0x17 && model < 0x30,
        b"HygonGenuine" => family == 0x18,
        _ => false,
    }
}

/// Whether a CPU with IFMA has four units of 512 bits: AMD's Zen 5 in servers, desktops and Strix Halo. In other
/// laptops (Strix Point, Krackan) they have 256; CPUs of Intel have two. Hypervisors hide the bit that says it (FP512).
#[cfg(all(not(sigmill_cpu = "portable"), sigmill_x86_64))]
fn works_in_whole(vendor: &[u8; 12], signature: u32) -> bool {
    let (family, model) = family_and_model(signature);
    vendor == b"AuthenticAMD" && family == 0x1a && matches!(model >> 4, 0 | 1 | 4 | 7)
}

#[cfg(all(test, not(sigmill_cpu = "portable"), sigmill_x86_64))]
#[test]
fn cpus_that_work_in_halves_are_known() {
    // Naples, Raven Ridge (Zen+), Excavator; Rome (Zen 2), Zen 3, Zen 4, Zen 5; Dhyana
    for (signature, halves) in [
        (0x0080_0f12, true),
        (0x0081_0f81, true),
        (0x0066_0f51, true),
        (0x0083_0f10, false),
        (0x00a2_0f10, false),
        (0x00a1_0f11, false),
        (0x00b0_0f21, false),
    ] {
        assert_eq!(works_in_halves(b"AuthenticAMD", signature), halves, "{signature:x}");
        assert!(!works_in_halves(b"GenuineIntel", signature));
    }
    assert!(works_in_halves(b"HygonGenuine", 0x0090_0f02));
}

#[cfg(all(test, not(sigmill_cpu = "portable"), sigmill_x86_64))]
#[test]
fn cpus_that_work_on_512_bits_are_known() {
    // Turin, Turin Dense, Granite Ridge, Strix Halo; Strix Point, Krackan, Zen 4
    for (signature, whole) in [
        (0x00b0_0f21, true),
        (0x00b1_0f10, true),
        (0x00b4_0f40, true),
        (0x00b7_0f00, true),
        (0x00b2_0f40, false),
        (0x00b6_0f00, false),
        (0x00a1_0f11, false),
    ] {
        assert_eq!(works_in_whole(b"AuthenticAMD", signature), whole, "{signature:x}");
        assert!(!works_in_whole(b"GenuineIntel", signature));
    }
}

/// CPUID of a leaf; of leaves with subleaves, the first.
#[cfg(all(not(sigmill_cpu = "portable"), sigmill_x86_64))]
#[allow(unsafe_code)]
#[allow(unused_unsafe)] // newer versions of Rust call it safe
fn cpuid(leaf: u32) -> core::arch::x86_64::CpuidResult {
    // SAFETY: every x86-64 CPU has CPUID.
    unsafe { core::arch::x86_64::__cpuid_count(leaf, 0) }
}

/// XCR0: which registers the operating system saves. Only called where CPUID reports OSXSAVE.
#[cfg(all(not(sigmill_cpu = "portable"), sigmill_x86_64))]
#[allow(unsafe_code)]
fn saved_state() -> u64 {
    let (low, high): (u32, u32);
    // SAFETY: XGETBV with ecx = 0 reads XCR0 and exists because the caller has seen OSXSAVE.
    unsafe {
        core::arch::asm!("xgetbv", in("ecx") 0, out("eax") low, out("edx") high,
            options(nomem, nostack, preserves_flags));
    }
    u64::from(high) << 32 | u64::from(low)
}
