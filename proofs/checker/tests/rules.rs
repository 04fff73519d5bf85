//! Each rule: derivations that are right, and every way to cheat that is known, with the message.

mod common;

use common::{Random, certificate, check, walk};

/// A segment with v1 from 0 to ff (f1, f2) and v2 from -3 to 5 (f3, f4), and a goal that v1 satisfies.
fn segment(body: &str) -> String {
    certificate(&format!(
        "input v1 0 ff f1 f2\ninput v2 -3 5 f3 f4\ngoal limb g 0 0 ff\n{body}\nout 0 v1\nlimb g f1 f2"
    ))
}

fn accepted(bodies: &[&str]) {
    for body in bodies {
        let text = segment(body);
        check(&text).unwrap_or_else(|error| panic!("{body}: {error}"));
        // All is true at a thousand inputs.
        let mut random = Random(1);
        let samples = |ranges: &[_]| {
            let mut one = || ranges.iter().map(|(low, high)| random.within(low, high)).collect();
            (0..1000).map(|_| one()).collect()
        };
        let walked = walk(&text, samples).unwrap_or_else(|error| panic!("{body}: {error}"));
        assert_eq!(walked.proofs, 1000);
    }
}

fn refused(bodies: &[(&str, &str)]) {
    for (body, expected) in bodies {
        let message = check(&segment(body)).err().unwrap_or_else(|| panic!("{body}: accepted"));
        // The line at fault is the last of the body.
        let line = 7 + body.lines().count();
        assert!(message.starts_with(&format!("{line}: ")), "{body}: {message}");
        assert!(message.contains(expected), "{body}: {message}\nexpected: {expected}");
    }
}

#[test]
fn texts() {
    accepted(&[
        "",
        "; a comment",
        "linear f5 1 v1+5 1@f1 ; with a comment",
        "linear f5 1 5+v1 1@f1",
        "linear f5 1 1*v1 1@f1",
        "linear f5 1 0",
        "product f5 f3 f1\nlinear f6 1 v1*v2+3*v1 1@f5",
        "product f5 f3 f1\nlinear f6 1 v2*v1+3*v1 1@f5",
    ]);
    refused(&[
        (" ", "a statement is empty"),
        ("linear  f5 1 v1 1@f1", "f… is empty"),
        ("linear f5 1 v1 1@f1 ", "a multiplier is empty"),
        ("linear\tf5 1 v1 1@f1", "no such statement"),
        ("linear f5 1 v1 1@f1\r", "no name"),
        ("Linear f5 1 v1 1@f1", "no such statement"),
        ("linear", "the line ends"),
        ("linear f5", "the line ends; N"),
        ("linear f5 1", "the line ends; P"),
        ("linear f5 1 v1 f1", "P@F is expected"),
        ("linear f5 1 v1 1@", "no name"),
        ("linear f5 1 v1 @f1", "no number"),
        ("linear f5 1 v1 1@f1@f1", "no name"),
        ("linear f5 1 v1 1@v1", "no name"),
        ("linear g5 1 v1 1@f1", "no name"),
        ("linear f05 1 v1 1@f1", "no name"),
        ("linear f 1 v1 1@f1", "no name"),
        ("linear f-5 1 v1 1@f1", "no name"),
        ("linear f100000000 1 v1 1@f1", "below 2^32"),
        ("linear f5 01 v1 1@f1", "leading zeros"),
        ("linear f5 +1 v1 1@f1", "no number"),
        ("linear f5 1_0 v1 1@f1", "no number"),
        ("linear f5 0x1 v1 1@f1", "no number"),
        ("linear f5 F v1 1@f1", "no number"),
        ("linear f5 -0 v1 1@f1", "-0 is no number"),
        ("linear f5 1 +v1 1@f1", "\"\" is no number"),
        ("linear f5 1 --v1 1@f1", "\"\" is no number"),
        ("linear f5 1 v1+ 1@f1", "\"\" is no number"),
        ("linear f5 1 v1+-1 1@f1", "\"\" is no number"),
        ("linear f5 1 v1+0 1@f1", "coefficient 0"),
        ("linear f5 1 0*v2+v1 1@f1", "coefficient 0"),
        ("linear f5 1 -0 1@f1", "coefficient 0"),
        ("linear f5 1 v1*2 1@f1", "no name"),
        ("linear f5 1 v1* 1@f1", "no name"),
        ("linear f5 1 *v1 1@f1", "no number"),
        ("linear f5 1 2*3*v1 1@f1", "no name"),
        ("linear f5 1 v1+v1 1@f1", "second term"),
        ("linear f5 1 v1*v2-v2*v1+v1 1@f1", "second term"),
        ("linear f5 1 v1+1+1 1@f1", "second term"),
        ("linear f5 1 v3 1@f1", "v3 has not been introduced"),
        ("linear f5 1 v1 v3@f1", "v3 has not been introduced"),
        ("linear f5 1 v1 1@f9", "no fact f9 is in scope"),
        ("linear f5 1 v1 1@f5", "no fact f5 is in scope"),
        ("linear f1 1 v1 1@f1", "the name f1 is in use"),
    ]);
    let number = "1".repeat(0x401);
    refused(&[(&format!("linear f5 1 {number}"), "at most 1024")]);
    let monomial = vec!["v1"; 0x21].join("*");
    refused(&[(&format!("linear f5 1 {monomial}"), "at most 20")]);
    accepted(&[&format!("linear f5 1 {}", &number[1..])]);
}

#[test]
fn floor() {
    accepted(&[
        "floor v3 4 v1 f5 f6\nlinear f7 10 v3 1@f6 1@f1",
        // E is below zero: the floor of v2 / 4 is -1 or more, not 0.
        "floor v3 2 v2 f5 f6\nlinear f7 4 v3+1 1@f6 1@f3",
        "floor v3 2 -v1 f5 f6",
        "floor v3 0 v1 f5 f6\nequal f7 v1-v3 f5 f6",
        "floor v3 4 v1*v2-v1 f5 f6\nfloor v4 3 v3 f7 f8",
        "floor v3 1000 v1 f5 f6",
        "floor v3 1 7 f5 f6",
    ]);
    refused(&[
        ("floor v3 2 v2 f5 f6\nlinear f7 4 v3 1@f6 1@f3", "6; less than N = 4"),
        ("floor v3 4 v1+v3 f5 f6", "v3 has not been introduced"),
        ("floor v1 0 v1+1 f5 f6", "v1 is in use"),
        ("floor v1 4 v2 f5 f6", "v1 is in use"),
        ("floor v3 4 v1 f5 f5", "f5 is in use"),
        ("floor v3 4 v1 f5 f1", "f1 is in use"),
        ("floor v3 -1 v1 f5 f6", "no number"),
        ("floor v3 1001 v1 f5 f6", "at most 1000"),
        ("floor v3 ffffffffffffffffffff v1 f5 f6", "too large"),
        ("floor v3 4 v1 f5", "the line ends"),
        ("floor v3 4 v1 f5 f6 f7", "\"f7\" follows"),
        ("floor f3 4 v1 f5 f6", "no name"),
    ]);
}

#[test]
fn linear() {
    accepted(&[
        "linear f5 1 2*v1+3*v2+9 2@f1 3@f3",
        // c = -1: P is one more than the sum.
        "linear f5 1 v1+1 1@f1",
        // c = 1, below N = 2.
        "floor v3 1 v1 f5 f6\nlinear f7 2 v3 1@f1 1@f6",
        "linear f5 1 5",
        "linear f5 1 v1 1@f1 0@f3",
        "linear f5 3 0 0@f1",
    ]);
    refused(&[
        // Rounding: 1 is no less than N.
        ("linear f5 1 v1-1 1@f1", "sum - N*P is 1; less than N = 1"),
        ("linear f5 2 v1-1 2@f1", "sum - N*P is 2; less than N = 2"),
        ("linear f5 1 v1+v2+2 1@f1 1@f3", "sum - N*P is 1; less than"),
        ("linear f5 1 -1", "sum - N*P is 1"),
        ("linear f5 0 v1-5", "N is 0; at least 1"),
        ("linear f5 0 v1-5 0@f1", "N is 0"),
        ("linear f5 -1 v1-100 1@f2", "N is -1"),
        ("linear f5 1 -v1 -1@f1", "multiplier -1; a constant >= 0"),
        ("linear f5 1 v1*v2 v2@f1", "multiplier v2; a constant >= 0"),
        ("linear f5 1 v1*v1 v1@f1", "multiplier v1; a constant >= 0"),
        ("linear f5 1 v1 1@f3", "a constant is expected"),
        ("linear f5 1 v1", "sum - N*P is -v1; a constant"),
        ("linear f5 2 v1 1@f1", "a constant is expected"),
        // floor(v1 / 2) >= 0, and no more.
        ("floor v3 1 v1 f5 f6\nlinear f7 2 v3-1 1@f1 1@f6", "sum - N*P is 3; less than N = 2"),
    ]);
}

#[test]
fn equations() {
    let copy = "floor v3 0 v1 f5 f6\nequal f7 v1-v3 f5 f6\n";
    let with = |body: &str| format!("{copy}{body}");
    for body in [
        "",
        "linear f8 1 v3 1@f1 -1@f7",
        "linear f8 1 v1*v2-v2*v3 v2@f7",
        "linear f8 1 v2*v3-v1*v2 -v2@f7",
        "equation f8 v1*v1-v3*v3 v1+v3@f7",
        "equation f8 0",
        "equation f8 v1-v3 v2@f7 1-v2@f7",
    ] {
        accepted(&[&with(body)]);
    }
    for (body, expected) in [
        ("equation f8 v1-v3 1@f5", "v1 >= 0 is an inequality; only equations"),
        ("equation f8 v1-v3 1@f7 0@f5", "is an inequality; only equations"),
        ("equation f8 v1+v3 1@f7", "is expected"),
        ("equation f8 2*v1-2*v3 1@f7", "2*v1 is expected"),
        ("equation f8 v1-v3+1 1@f7", "is expected"),
        ("equation f8 1", "the sum is 0; P = 1 is expected"),
        ("equation f8 v1", "the sum is 0; P = v1"),
        ("equal f8 v1-v3 f5 f5", "G says"),
        ("equal f8 v1-v3 f6 f5", "F says"),
        ("equal f8 v1-v3 f7 f7", "F says"),
        ("equal f8 v1 f1 f2", "G says -v1+ff >= 0; -v1 >= 0 is expected"),
        ("equal f8 v1-v3 f5", "the line ends"),
        ("equal f7 v1-v3 f5 f6", "f7 is in use"),
        ("product f8 f1 f7", "a factor is an equation"),
        ("product f8 f7 f1", "a factor is an equation"),
        ("product f8 f7 f7", "a factor is an equation"),
    ] {
        refused(&[(&with(body), expected)]);
    }
}

#[test]
fn product() {
    accepted(&[
        "product f5 f1 f1",
        "product f5 f1 f2\nproduct f6 f5 f3\nlinear f7 1 ff*v1-v1*v1 1@f5",
    ]);
    refused(&[
        ("product f1 f1 f2", "f1 is in use"),
        ("product f5 f1 f9", "no fact f9"),
        ("product f5 f1", "the line ends"),
        ("product f5 f1 f2 f3", "\"f3\" follows"),
        ("product f5 f1 f2\nlinear f6 1 v1*v1-ff*v1 1@f5", "a constant is expected"),
    ]);
}

#[test]
fn table() {
    accepted(&[
        // A square of an integer is at least the integer; no other rule says so.
        "table f5 v2*v2-v2 f3 f4",
        "table f5 v2*v2*v2+1b f3 f4",
        "table f5 v1*v2+2fd f1 f2 f3 f4",
        "table f5 v2*v1+2fd f3 f4 f1 f2",
        "linear f5 1 v2+a 1@f3\nlinear f6 1 f-v2 1@f4\ntable f7 v2*v2-v2 f5 f6",
        "table f5 7",
        "linear f5 1 v1+f01 1@f1\ntable f6 v1+f01 f1 f2",
    ]);
    refused(&[
        ("table f5 v2*v2-v2-1 f3 f4", "P is -1 at v2=0"),
        ("table f5 v2+2 f3 f4", "P is -1 at v2=-3; >= 0"),
        ("table f5 4-v2 f3 f4", "P is -1 at v2=5"),
        ("table f5 v1*v2+2fc f1 f2 f3 f4", "P is -1 at v1=ff v2=-3"),
        ("table f5 -1", "P is -1"),
        ("table f5 v1*v2+2fd f3 f4", "no pair bounds v1"),
        ("table f5 v2+3", "no pair bounds v2"),
        ("table f5 v2+3 f3", "the line ends"),
        ("table f5 v2+3 f4 f3", "V - LO >= 0 is expected"),
        ("table f5 v2+3 f3 f3", "HI - V >= 0 is expected"),
        ("table f5 v2+3 f3 f2", "a pair is of v2 and v1"),
        ("table f5 v2+3 f3 f4 f3 f4", "once, is expected"),
        ("table f5 v2+3 f3 f4 f1 f2", "a pair bounds v1, which P does not hold"),
        ("linear f5 1 2*v2+6 2@f3\ntable f6 v2+3 f5 f4", "2*v2+6 >= 0; V - LO"),
        ("linear f5 1 v2+v1+3 1@f1 1@f3\ntable f6 v2+3 f5 f4", "V - LO"),
        ("product f5 f1 f1\ntable f6 v1 f5 f2", "v1*v1 >= 0; V - LO"),
        ("linear f5 1 3\ntable f6 v2+3 f5 f4", "3 >= 0; V - LO"),
        (
            "floor v3 0 0 f5 f6\nequal f7 -v3 f5 f6\nequation f8 v3 -1@f7\ntable f9 v3 f8 f5",
            "v3 = 0; V - LO",
        ),
        ("linear f5 1 v1+f01 1@f1\ntable f6 v1+f01 f5 f2", "1 to 1000 points"),
        ("linear f5 1 v1+10000000000000000 1@f1\ntable f6 v1 f5 f2", "1 to 1000 points"),
    ]);
}

#[test]
fn split() {
    let floor = "floor v3 4 v1 f5 f6\n";
    for body in ["split 4 v1 v3 v1-10*v3 f5 f6", "split 8 v1 0 v1 f1 f2", "split 0 v1 v1 0 f7 f7"] {
        accepted(&[&format!("{floor}linear f7 1 0\n{body}")]);
    }
    for (body, expected) in [
        ("split 4 v1 v3 v1-f*v3 f5 f6", "2^K*Q + R is v3+v1; E = v1"),
        ("split 4 v1+1 v3 v1-10*v3 f5 f6", "E = v1+1 is expected"),
        ("split 3 v1 v3 v1-10*v3 f5 f6", "2^K*Q + R"),
        ("split 4 v1 v3 v1-10*v3 f6 f5", "F says"),
        ("split 4 v1 v3 v1-10*v3 f5 f5", "G says"),
        ("split 4 v1 0 v1 f1 f2", "G says -v1+ff >= 0; -v1+f >= 0 is expected"),
        ("split 4 v1 v3-1 v1-10*v3+10 f5 f6", "F says"),
    ] {
        refused(&[(&format!("{floor}{body}"), expected)]);
    }
}

/// Three values of v3, the floor of v1 / 80, cut down to what `blocks` says of them.
fn cases(blocks: &str) -> String {
    certificate(&format!(
        "input v1 0 ff f1 f2\ngoal limb g 0 0 1\nfloor v2 7 v1 f5 f6\nlinear f3 80 v2 1@f6 1@f1\nlinear f4 80 1-v2 1@f5 1@f2\n{blocks}"
    ))
}

#[test]
fn case_blocks() {
    let zero = "case 0 f7\nout 0 v2\nlimb g f3 f4\nend case\n";
    let one = "case 1 f7\nout 0 v2\nlimb g f3 f4\nend case\n";
    let good = format!("cases v2 0 1 f3 f4\n{zero}{one}end cases");
    let text = cases(&good);
    let every = |_: &[_]| (0..0x100).map(|x| vec![x.into()]).collect();
    assert_eq!(walk(&text, every).unwrap().proofs, 0x100);
    let nested = "case 0 f7\ncases v2 0 1 f3 f4\ncase 0 f8\nout 0 v2\nlimb g f3 f4\nend case\ncase 1 f8\nequation f9 1 1@f7 -1@f8\ncontradiction f9\nend case\nend cases\nend case\n";
    assert_eq!(
        walk(&cases(&format!("cases v2 0 1 f3 f4\n{nested}{one}end cases")), every).unwrap().proofs,
        0x100
    );

    let wide = "linear f8 1 v2+1 1@f3\nlinear f9 1 2-v2 1@f4\n";
    for (blocks, expected) in [
        (format!("cases v2 0 1 f3 f4\n{zero}end cases"), "cases end before 1"),
        (format!("cases v2 0 1 f3 f4\n{one}{zero}end cases"), "N is 1; 0 is next"),
        (format!("cases v2 0 1 f3 f4\n{zero}{zero}{one}end cases"), "N is 0; 1 is next"),
        (format!("cases v2 0 1 f3 f4\n{zero}{one}case 2 f7\n"), "N is 2; 2 is next, 1 is last"),
        ("cases v2 0 1 f3 f4\nend cases".into(), "cases end before 0"),
        ("cases v2 1 0 f3 f4\nend cases".into(), "LO <= HI is expected"),
        (format!("cases v2 0 0 f3 f4\n{zero}end cases"), "G says -v2+1 >= 0; -v2 >= 0"),
        (format!("cases v2 1 1 f3 f4\n{one}end cases"), "F says"),
        (format!("{wide}cases v2 0 1 f8 f9\n{zero}{one}end cases"), "F says v2+1 >= 0; v2 >= 0"),
        (format!("cases v1 0 1 f3 f4\n{zero}{one}end cases"), "F says"),
        (format!("cases v2 0 1 f4 f3\n{zero}{one}end cases"), "F says"),
        (format!("case 0 f7\n{zero}"), "case stands in cases"),
        (format!("cases v2 0 1 f3 f4\nout 0 v2\n{zero}"), "case stands in cases"),
        (format!("cases v2 0 1 f3 f4\n{zero}cases v2 0 1 f3 f4\n"), "case stands in cases"),
        (format!("cases v2 0 1 f3 f4\n{zero}{one}end case"), "no case has begun"),
        (format!("cases v2 0 1 f3 f4\n{zero}{one}end segment"), "end cases is expected"),
        ("cases v2 0 1 f3 f4\ncase 0 f7\nend cases".into(), "a case or a segment has not ended"),
        ("cases v2 0 1 f3 f4\ncase 0 f7\nend segment".into(), "a case has not ended"),
        ("cases v2 0 1 f3 f4\ncase 0 f7\nend case".into(), "goal g is not proved"),
        ("cases v2 0 1 f3 f4\ncase 0 f7\nout 0 v2\nend case".into(), "goal g is not proved"),
        ("cases v2 0 1 f3 f4\ncase 0 f3".into(), "f3 is in use"),
        ("end cases".into(), "a case or a segment has not ended"),
        ("end case".into(), "no case has begun"),
        // Nothing of a block outlives it: neither the equation of its case, nor a variable, nor an output, nor a proof.
        (format!("cases v2 0 1 f3 f4\n{zero}case 1 f8\nlinear f9 1 -v2 -1@f7"), "no fact f7"),
        ("cases v2 0 1 f3 f4\ncase 0 f7\nfloor v3 0 v2 f8 f9\nout 0 v2\nlimb g f3 f4\nend case\ncase 1 f7\nout 0 v3".into(), "v3 has not been introduced"),
        (format!("cases v2 0 1 f3 f4\n{zero}case 1 f7\nlimb g f3 f4"), "output 0 is not given"),
        (format!("cases v2 0 1 f3 f4\n{zero}case 1 f7\nend case"), "goal g is not proved"),
        (format!("{good}\nlinear f9 1 0"), "the block has ended"),
        (format!("{good}\nout 0 v2"), "the block has ended"),
        (format!("{good}\ncases v2 0 1 f3 f4"), "the block has ended"),
        (format!("{good}\ncase 0 f7"), "the block has ended"),
        // Outputs before cases count for none of them.
        ("out 0 v2\ncases v2 0 1 f3 f4".into(), "the block has outputs"),
        ("cases v2 0 1 f3 f4\ncase 0 f7\ninput v4 0 1 f8 f9".into(), "inputs and assumptions stand first"),
        ("cases v2 0 1 f3 f4\ncase 0 f7\ngoal limb h 0 0 1".into(), "inputs and assumptions stand first"),
        ("cases v2 0 1 f3 f4\ncase 0 f7\nassume f8 v1-ff".into(), "inputs and assumptions stand first"),
    ] {
        let message = check(&cases(&blocks)).err().unwrap_or_else(|| panic!("{blocks}: accepted"));
        assert!(message.contains(expected), "{blocks}: {message}\nexpected: {expected}");
    }
}

#[test]
fn contradiction() {
    let two = |end: &str| {
        let zero = "case 0 f7\nout 0 v2\nlimb g f3 f4\nend case\n";
        cases(&format!(
            "linear f9 1 2-v2 1@f4\ncases v2 0 2 f3 f9\n{zero}case 1 f7\nout 0 v2\nlimb g f3 f4\nend case\ncase 2 f7\n{end}\nend case\nend cases"
        ))
    };
    // v2 = 2 and 1 - v2 >= 0.
    for end in [
        "linear f8 1 -1 1@f4 1@f7\ncontradiction f8",
        "linear f8 1 -1 1@f4 1@f7\nlinear fa 1 1 1@f8\nlinear fb 1 0 1@f8 1@fa\nlinear fc 1 -2 2@f8\nproduct fd fa f8\ncontradiction fd",
    ] {
        check(&two(end)).unwrap_or_else(|error| panic!("{end}: {error}"));
    }
    for (end, expected) in [
        ("contradiction f4", "F says -v2+1 >= 0; a false statement"),
        ("contradiction f7", "F says v2-2 = 0; a false statement"),
        ("linear f8 1 1\ncontradiction f8", "F says 1 >= 0"),
        ("linear f8 1 0\ncontradiction f8", "F says 0 >= 0"),
        ("equation f8 0\ncontradiction f8", "F says 0 = 0"),
        ("contradiction f9 f9", "F says"),
        ("linear f8 1 -1 1@f4 1@f7\ncontradiction f8\nlinear fa 1 0", "the block has ended"),
        ("linear f8 1 -1 1@f4 1@f7\ncontradiction f8\nout 0 v2", "the block has ended"),
        ("linear f8 1 -1 1@f4 1@f7\nout 0 v2\ncontradiction f8", "the block has outputs"),
        ("linear f8 1 -1 1@f4 1@f7\ncontradiction f8 f8", "\"f8\" follows"),
    ] {
        let message = check(&two(end)).err().unwrap_or_else(|| panic!("{end}: accepted"));
        assert!(message.contains(expected), "{end}: {message}\nexpected: {expected}");
    }
}
