//! The CPU: what it is called, and which of its instructions are hidden, so that one machine shows what
//! others would do. sigmill is told by `sigmill::cpu::force`, OpenSSL and aws-lc-rs by the environment.

use serde_json::{Value, json};
use sigmill::cpu::{Feature, force, has};
use std::env;
#[cfg(target_arch = "x86_64")]
use std::fs;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Names by vendor, family and model; `report/record.py` reads the same file.
const NAMES: &str = include_str!("../cpus.txt");

/// The variable from which OpenSSL and aws-lc-rs take bits of CPUID to clear.
const CLEARED: &str = "OPENSSL_ia32cap";

/// The instructions of the CPU that are used, and those that are hidden.
pub(crate) struct Instructions {
    used: Vec<Feature>,
    pub(crate) hidden: Vec<Feature>,
}

impl Instructions {
    /// Hides from sigmill what was not asked for; everything is used if nothing was.
    pub(crate) fn hide(asked: Option<&[Feature]>) -> Instructions {
        let all: Vec<Feature> = Feature::ALL.into_iter().filter(|&feature| has(feature)).collect();
        if let Some(asked) = asked {
            force(asked);
        }
        let (used, hidden) = all.into_iter().partition(|&feature| has(feature));
        Instructions { used, hidden }
    }

    /// The kind of CPU that computes as this one does now; nothing if it is of none that records are kept for.
    pub(crate) fn class(&self) -> Option<&'static str> {
        match self.used[..] {
            [.., Feature::Ifma] => Some("ifma"),
            [Feature::Adx, Feature::Avx2] => Some("avx2"),
            [] if cfg!(target_arch = "aarch64") => Some("aarch64"),
            [] => Some("portable"),
            _ => None,
        }
    }

    /// The entry for the header of a record.
    pub(crate) fn about(&self) -> Value {
        let names = |features: &[Feature]| -> Vec<&str> {
            features.iter().map(|feature| feature.name()).collect()
        };
        json!({ "class": self.class(), "used": names(&self.used), "hidden": names(&self.hidden) })
    }

    /// Starts the program again if libraries that read the environment when they are loaded have not been
    /// told what is hidden.
    pub(crate) fn tell_libraries(&self) -> Result<(), String> {
        let bits = self.hidden.iter().fold(0, |bits, &feature| bits | leaf_7(feature));
        let wanted = format!("~0x0:~{bits:#x}");
        if bits == 0 || env::var(CLEARED).is_ok_and(|value| value == wanted) {
            return Ok(());
        }
        let program = env::current_exe().map_err(|error| error.to_string())?;
        let error = Command::new(program).args(env::args_os().skip(1)).env(CLEARED, wanted).exec();
        Err(format!("cannot start again without some instructions: {error}"))
    }
}

/// The bits of EBX in leaf 7 of CPUID that a CPU without the feature has not. AVX is older than all of them.
fn leaf_7(feature: Feature) -> u64 {
    let bits: &[u32] = match feature {
        Feature::Adx => &[19],
        // BMI1, AVX2, BMI2
        Feature::Avx2 => &[3, 5, 8],
        // F, DQ, IFMA, CD, BW, VL
        Feature::Ifma => &[16, 17, 21, 28, 30, 31],
    };
    bits.iter().fold(0, |all, bit| all | 1 << bit)
}

/// The CPU as it describes itself.
pub(crate) struct Cpu {
    name: String,
    vendor: String,
    family: u32,
    model: u32,
    stepping: u32,
    /// Nothing where the CPU does not say it.
    is_virtual: Option<bool>,
}

impl Cpu {
    /// This one, as Linux has found it.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn this() -> Cpu {
        let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let field = |name: &str| {
            let fields = text.lines().filter_map(|line| line.split_once(':'));
            let mut values = fields.filter(|(key, _)| key.trim() == name);
            values.next().map_or("?", |(_, value)| value.trim())
        };
        let number = |name: &str| field(name).parse().unwrap_or_default();
        Cpu {
            name: field("model name").to_owned(),
            vendor: field("vendor_id").to_owned(),
            family: number("cpu family"),
            model: number("model"),
            stepping: number("stepping"),
            is_virtual: Some(field("flags").split(' ').any(|flag| flag == "hypervisor")),
        }
    }

    /// This one, by its main identification register.
    #[cfg(target_arch = "aarch64")]
    pub(crate) fn this() -> Cpu {
        let id = arm::main_id().unwrap_or_default();
        let bits = |from: u32, count: u32| id >> from & ((1 << count) - 1);
        let vendor = format!("{:#04x}", bits(24, 8));
        Cpu {
            name: format!("Arm, implementer {vendor}"),
            vendor,
            family: bits(16, 4),
            model: bits(4, 12),
            stepping: bits(20, 4) << 4 | bits(0, 4),
            is_virtual: None,
        }
    }

    /// The microarchitecture, if it is a known one.
    fn microarchitecture(&self) -> Option<&'static str> {
        let rows = NAMES.lines().filter(|line| !line.starts_with('#'));
        rows.filter_map(|line| {
            let mut fields = line.splitn(5, ' ');
            let vendor = fields.next()?;
            let [family, first, last] = [fields.next()?, fields.next()?, fields.next()?]
                .map(|number| number.parse::<u32>().expect("cpus.txt has numbers here"));
            let models = first..=last;
            let is_this = (vendor, family) == (&*self.vendor, self.family);
            fields.next().filter(|_| is_this && models.contains(&self.model))
        })
        .next()
    }

    /// The name in one line.
    pub(crate) fn name(&self) -> String {
        let Cpu { name, family, model, stepping, .. } = self;
        let known = self.microarchitecture().map_or(String::new(), |name| format!(" {name}"));
        format!("{name}{known} family {family} model {model} stepping {stepping}")
    }

    /// The entry for the header of a record.
    pub(crate) fn about(&self) -> Value {
        json!({
            "vendor": self.vendor,
            "family": self.family,
            "model": self.model,
            "stepping": self.stepping,
            "microarchitecture": self.microarchitecture(),
            "virtual": self.is_virtual,
        })
    }
}

#[cfg(target_arch = "aarch64")]
mod arm {
    //! The register that names implementer and part.

    use std::arch::asm;
    use std::ffi::c_ulong;

    const AT_HWCAP: c_ulong = 16;
    const HWCAP_CPUID: c_ulong = 1 << 11;

    unsafe extern "C" {
        safe fn getauxval(kind: c_ulong) -> c_ulong;
    }

    /// MIDR_EL1, if Linux lets programs read it.
    pub(super) fn main_id() -> Option<u32> {
        if getauxval(AT_HWCAP) & HWCAP_CPUID == 0 {
            return None;
        }
        let id: u64;
        // SAFETY: with HWCAP_CPUID Linux answers for the register, which changes nothing.
        unsafe { asm!("mrs {}, midr_el1", out(reg) id, options(nomem, nostack, preserves_flags)) };
        Some(id as u32)
    }
}
