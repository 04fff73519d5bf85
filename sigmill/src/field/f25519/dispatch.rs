//! All doors to GF(2^255 − 19): a kernel runs in words, in lanes, with one point's coordinates side by side, by what the
//! build has and the CPU has.
//!
//! | door | backend | values |
//! |---|---|---|
//! | `run_in_words` | words; in four of them with MULX, ADCX and ADOX where the CPU has them | secret or public |
//! | `run`, `run_in_four_lanes`, `run_in_eight_lanes` | lanes of integers | secret or public |
//! | `run_public`, `run_public_in_lanes` | lanes of integers or of doubles | public |
//! | `run_packed`, `run_wide` | values of one formula side by side | secret or public |

use super::lanes::one_lane;
use super::words::Fe;
use crate::cpu::Backend;
use crate::simd::{Instructions, Kernel, Proven};

/// Words with two chains of carries, if the CPU has the instructions and the build is for them.
#[cfg(sigmill_adx)]
mod in_words {
    pub(super) use crate::cpu::adx as token;
    pub(super) type Words = super::super::words::u64x4::Fe<crate::cpu::Adx>;
}
/// There is nothing but the backend of the build.
#[cfg(not(sigmill_adx))]
mod in_words {
    pub(super) use super::super::words::Fe as Words;
    pub(super) fn token() -> Option<()> {
        None
    }
}

/// The backends in vectors, and whether the CPU has the instructions for them.
#[cfg(sigmill_lanes)]
mod vectors {
    pub(crate) use super::super::lanes::{
        avx2_x4::Fe as Four, fma_x4::Fe as FourPublic, ifma_x8::Fe as Eight,
    };
    pub(crate) use super::super::packed::{ifma_x4::Fe as Packed, ifma_x8::Fe as Wide};
    pub(super) use crate::cpu::{avx2 as four, ifma as eight, ifma as packed, ifma as wide};
    pub(crate) const FOUR: super::Backend = super::Backend::Avx2;
}
/// Four lanes at most.
#[cfg(not(sigmill_lanes))]
mod vectors {
    use super::super::lanes::absent::Absent;
    #[cfg(sigmill_lanes_128)]
    pub(crate) use super::super::lanes::u32_x4::{Fe as Four, Fe as FourPublic};
    use core::convert::Infallible;
    #[cfg(not(sigmill_lanes_128))]
    pub(crate) type Four = Absent<4>;
    #[cfg(not(sigmill_lanes_128))]
    pub(crate) type FourPublic = Absent<4>;
    pub(crate) type Packed = Absent<4>;
    pub(crate) type Wide = Absent<8>;
    pub(crate) type Eight = Absent<8>;
    pub(super) fn token() -> Option<Infallible> {
        None
    }
    #[cfg(sigmill_lanes_128)]
    pub(super) fn four() -> Option<()> {
        FOUR.is_available().then_some(())
    }
    #[cfg(not(sigmill_lanes_128))]
    pub(super) use self::token as four;
    pub(super) use self::{token as eight, token as packed, token as wide};
    pub(crate) const FOUR: super::Backend = super::Backend::Simd128;
}
use in_words::Words;
pub(crate) use vectors::FOUR;
use vectors::{Eight, Four, FourPublic, Packed, Wide};

/// Runs a kernel with one value at a time, in words: four with two chains of carries if the CPU has the instructions, else
/// those of the backend of the build. Whoever has several operations makes one kernel of them: what the CPU has is
/// asked once. What it gives are words or bytes.
#[inline(always)]
pub(crate) fn run_in_words<O>(
    kernel: impl Kernel<Fe, Output = O> + Kernel<Words, Output = O>,
) -> O {
    match in_words::token() {
        Some(token) => Kernel::<Words>::run(kernel, token),
        None => Kernel::<Fe>::run(kernel, ()),
    }
}

/// Runs a kernel in a backend, or in the portable one where the CPU does not have it.
pub(crate) fn run<O>(
    backend: Backend,
    kernel: impl Kernel<one_lane::Fe, Output = O> + Kernel<Four, Output = O> + Kernel<Eight, Output = O>,
) -> O {
    run_with::<Four, O>(backend, kernel)
}

/// All CPUs that run this build have four lanes: one lane would be a fifth of a WebAssembly module that nobody runs.
const ALWAYS_FOUR: bool =
    cfg!(all(target_arch = "wasm32", sigmill_lanes_128, not(sigmill_cpu = "portable")));

/// As [`run`], for a kernel of public values alone, whose time may depend on them. Where the build has them always, in four
/// lanes.
pub(crate) fn run_public<O>(
    backend: Backend,
    kernel: impl Kernel<one_lane::Fe, Output = O>
    + Kernel<FourPublic, Output = O>
    + Kernel<Eight, Output = O>,
) -> O {
    run_with::<FourPublic, O>(if ALWAYS_FOUR { FOUR } else { backend }, kernel)
}

/// [`run`], and [`run_public`], by their four lanes.
#[inline(always)]
fn run_with<F: Proven<Token = <Four as Proven>::Token>, O>(
    backend: Backend,
    kernel: impl Kernel<one_lane::Fe, Output = O> + Kernel<F, Output = O> + Kernel<Eight, Output = O>,
) -> O {
    match backend {
        FOUR => {
            if let Some(token) = vectors::four() {
                return token.enter::<F, _>(kernel);
            }
        }
        Backend::Ifma => {
            if let Some(token) = vectors::eight() {
                return token.enter::<Eight, _>(kernel);
            }
        }
        _ => {}
    }
    ().enter::<one_lane::Fe, _>(kernel)
}

/// The same in a backend that has more than one lane, if the CPU has it.
pub(crate) fn run_public_in_lanes<O>(
    backend: Backend,
    kernel: impl Kernel<FourPublic, Output = O> + Kernel<Eight, Output = O>,
) -> Option<O> {
    match backend {
        FOUR => vectors::four().map(|token| token.enter::<FourPublic, _>(kernel)),
        Backend::Ifma => run_in_eight_lanes(kernel),
        _ => None,
    }
}

/// Runs a kernel in eight lanes, if the CPU has a backend of as many.
pub(crate) fn run_in_eight_lanes<O>(kernel: impl Kernel<Eight, Output = O>) -> Option<O> {
    vectors::eight().map(|token| token.enter::<Eight, _>(kernel))
}

/// Runs a kernel in four lanes, if the CPU has a backend of as many.
pub(crate) fn run_in_four_lanes<O>(kernel: impl Kernel<Four, Output = O>) -> Option<O> {
    vectors::four().map(|token| token.enter::<Four, _>(kernel))
}

/// The same on a CPU that works on four at once: in halves they take longer than one value after the other.
pub(crate) fn run_in_four_at_once<O>(kernel: impl Kernel<Four, Output = O>) -> Option<O> {
    if FOUR.pays() { run_in_four_lanes(kernel) } else { None }
}

/// Runs a kernel on the four coordinates of one point side by side, if the CPU has a backend for that.
pub(crate) fn run_packed<O>(kernel: impl Kernel<Packed, Output = O>) -> Option<O> {
    vectors::packed().map(|token| token.enter::<Packed, _>(kernel))
}

/// Runs a kernel on eight values of one formula side by side, if the CPU has a backend for that and works on all of them at
/// once.
#[inline(always)]
pub(crate) fn run_wide<O>(kernel: impl Kernel<Wide, Output = O>) -> Option<O> {
    if crate::cpu::is_wide() {
        vectors::wide().map(|token| token.enter::<Wide, _>(kernel))
    } else {
        None
    }
}

/// The same on a CPU that works on halves, too.
#[cfg(test)]
pub(crate) fn run_wide_anywhere<O>(kernel: impl Kernel<Wide, Output = O>) -> Option<O> {
    vectors::wide().map(|token| token.enter::<Wide, _>(kernel))
}
