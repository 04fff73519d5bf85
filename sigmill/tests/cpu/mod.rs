//! `SIGMILL_TEST_CPU` limits all tests of a program to what some CPUs have: `none`, or names of CPU features with
//! commas between them. A program that includes this module has read it before its first test begins.

#![allow(unsafe_code)]

use sigmill::cpu::{self, Feature};
use std::env;

const VARIABLE: &str = "SIGMILL_TEST_CPU";

/// The features that may be used, if the variable says so.
fn allowed() -> Option<Vec<Feature>> {
    let text = env::var(VARIABLE).ok()?;
    let names = text.split(',').filter(|name| *name != "none");
    let feature = |name| Feature::ALL.into_iter().find(|feature| feature.name() == name);
    Some(names.map(|name| feature(name).unwrap_or_else(|| panic!("no feature {name}"))).collect())
}

extern "C" fn limit() {
    if let Some(features) = allowed() {
        cpu::force(&features);
    }
}

// What tests have in common has no other place that runs before them, whichever comes first.
// SAFETY: the loader calls what stands in this section once, before `main`; the variables of the environment
// are readable then, and `limit` touches nothing else but one atomic number.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static LIMIT: extern "C" fn() = limit;

#[test]
fn the_cpu_is_limited_as_the_variable_says() {
    #[cfg(not(target_os = "linux"))]
    limit();
    let Some(features) = allowed() else { return };
    for feature in Feature::ALL {
        assert!(features.contains(&feature) || !cpu::has(feature), "{VARIABLE}, {feature:?}");
    }
}
