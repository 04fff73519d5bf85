//! The exact torsion test of `docs/exact-batch.md`, section 9, in big integers: its constants, and that
//! it says of a point what multiplication by ℓ says. It pins the mathematics; no code is shared with
//! the library.

#[path = "../reference/torsion.rs"]
mod exact;

use crate::reference::{Point, integer, order, p, sha512};
use exact::{
    Constants, Finding, finding, in_prime_order_subgroup, is_nonzero_square, torsion_test,
};
use num_bigint::BigUint;

/// k·B for k below this, plus every torsion point.
const MULTIPLES: u32 = 40;

/// An integer mod p that only the label determines.
fn pseudorandom(label: &str) -> BigUint {
    integer(&sha512(&[label.as_bytes()])) % p()
}

/// A point that decodes, of unknown torsion.
fn pseudorandom_point(label: u32) -> Point {
    (0..)
        .find_map(|i| {
            let hash = sha512(&[format!("point {label} {i}").as_bytes()]);
            Point::decode(hash.first_chunk().expect("64 bytes"))
        })
        .expect("half of all strings decode")
        .0
}

/// The points 0·T to 7·T for a point T of order 8.
fn torsion_points() -> [Point; 8] {
    let t = (0..)
        .map(|label| pseudorandom_point(label).times(&order()))
        .find(|t| t.torsion_order() == 8)
        .expect("half of all points have torsion of order 8");
    std::array::from_fn(|i| t.times(&BigUint::from(i)))
}

/// X, Y, Z with a Z that only the label determines.
fn scaled(point: &Point, label: &str) -> [BigUint; 3] {
    let (x, y) = point.coordinates();
    let z = pseudorandom(label);
    [x * &z % p(), y * &z % p(), z]
}

/// What the formula says, with every choice of signs and two values of Z.
fn findings(point: &Point, label: &str) -> Vec<Finding> {
    let (x, y) = point.coordinates();
    let ours = Constants::derived();
    let mut all = Vec::new();
    for [x, y, z] in [[x, y, BigUint::from(1_u8)], scaled(point, label)] {
        for constants in [&ours, &ours.with_other_c()] {
            for other_w in [false, true] {
                all.push(finding(constants, other_w, [&x, &y, &z]));
            }
        }
    }
    all
}

#[test]
fn the_constants_meet_their_conditions() {
    let a_plus_2 = BigUint::from(486_664_u32);
    let Constants { c, r } = Constants::derived();
    assert_eq!((&c * &c + &a_plus_2) % p(), BigUint::ZERO);
    assert_eq!(&r * &r % p(), a_plus_2);
    assert!(!is_nonzero_square(&(&r * (p() + 2_u8 - &r))));
    assert!(is_nonzero_square(&((p() - &r) * (2_u8 + &r))));
    // what the proof uses of A
    assert!(!is_nonzero_square(&BigUint::from(486_660_u32)));
    let text = include_str!("../../../docs/exact-batch.md");
    for (name, value) in [("c", c), ("r", r)] {
        let line = format!("    {name} = 0x{value:064x}\n");
        assert!(text.contains(&line), "docs/exact-batch.md lacks {line}");
    }
}

#[test]
fn agrees_with_multiplication_by_the_order() {
    let torsion = torsion_points();
    for k in 0..MULTIPLES {
        let multiple = Point::base().times(&BigUint::from(k));
        for (t, torsion_point) in torsion.iter().enumerate() {
            let point = multiple.add(torsion_point);
            let (x, y) = point.coordinates();
            let member = in_prime_order_subgroup(&x, &y);
            assert_eq!(member, t == 0, "{k}·B + {t}·T");
            for finding in findings(&point, &format!("{k} {t}")) {
                assert_eq!(finding.is_member(), member, "{k}·B + {t}·T: {finding:?}");
            }
        }
    }
}

#[test]
fn says_which_coset_up_to_sign() {
    let torsion = torsion_points();
    let minus_1 = p() - 1_u8;
    for k in 1..MULTIPLES {
        let multiple = Point::base().times(&BigUint::from(k));
        for (t, torsion_point) in torsion.iter().enumerate() {
            for finding in findings(&multiple.add(torsion_point), "coset") {
                match (t, finding) {
                    (1 | 3 | 5 | 7, finding) => assert_eq!(finding, Finding::Odd, "{k}·B + {t}·T"),
                    (0, Finding::Symbol(symbol)) => assert_eq!(symbol, BigUint::from(1_u8)),
                    (4, Finding::Symbol(symbol)) => assert_eq!(symbol, minus_1),
                    (_, Finding::Symbol(symbol)) => assert_eq!(&symbol * &symbol % p(), minus_1),
                    (_, finding) => panic!("{k}·B + {t}·T: {finding:?}"),
                }
            }
        }
    }
}

#[test]
fn the_torsion_points_themselves() {
    let mut zeros = 0;
    for (t, point) in torsion_points().iter().enumerate() {
        for finding in findings(point, "torsion") {
            match (t, finding) {
                (0, finding) => assert_eq!(finding, Finding::Axis { identity: true }),
                (4, finding) => assert_eq!(finding, Finding::Axis { identity: false }),
                (2 | 6, Finding::Symbol(symbol)) => {
                    // one root of one of the two points leads to the zero of the pairing's function
                    if symbol == BigUint::ZERO {
                        zeros += 1;
                    } else {
                        assert_eq!(&symbol * &symbol % p(), p() - 1_u8);
                    }
                }
                (_, finding) => assert_eq!(finding, Finding::Odd, "{t}·T"),
            }
        }
    }
    // for each c and each Z
    assert_eq!(zeros, 4);
}

#[test]
fn agrees_on_points_of_unknown_torsion() {
    let mut members = 0;
    for label in 100..164 {
        let point = pseudorandom_point(label);
        let (x, y) = point.coordinates();
        let member = in_prime_order_subgroup(&x, &y);
        members += u32::from(member);
        let [x, y, z] = scaled(&point, "unknown");
        assert_eq!(torsion_test(&x, &y, &z), member, "point {label}");
    }
    assert!((1..32).contains(&members), "{members} of 64 points are in the subgroup");
}

#[test]
fn the_other_r_does_not_do() {
    // r·(2−r) a square: the two roots w then give opposite signs, and a member passes for one of them
    let wrong = Constants::derived().with_other_r();
    for k in 1..MULTIPLES {
        let (x, y) = Point::base().times(&BigUint::from(k)).coordinates();
        let one = BigUint::from(1_u8);
        let passes = [false, true].map(|w| finding(&wrong, w, [&x, &y, &one]).is_member());
        assert_ne!(passes[0], passes[1], "{k}·B");
    }
}
