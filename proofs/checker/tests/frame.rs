//! The frame, goals, names, composition of segments; texts of any bytes, and limits.

mod common;

use common::{HEAD, Random, certificate, check};

fn refused(text: &str, expected: &str) {
    let message = check(text).err().unwrap_or_else(|| panic!("accepted; {expected}"));
    assert!(message.contains(expected), "{message}\nexpected: {expected}");
}

const GOOD: &str = include_str!("certificates/loop.cert");

/// The certificate with one part exchanged for another.
fn with(old: &str, new: &str) -> String {
    assert_eq!(GOOD.matches(old).count(), 1, "{old}");
    GOOD.replace(old, new)
}

#[test]
fn frame() {
    let certificate = check(GOOD).unwrap();
    assert_eq!(
        (certificate.kernel.as_str(), certificate.segments(), certificate.goals),
        ("a loop", 3, 7)
    );
    check(&with("kernel a loop\n", "; comment\n\nkernel another ; comment\n\n")).unwrap();
    check(&format!("{GOOD}\n; comment\n")).unwrap();
    check(GOOD.trim_end()).unwrap();
    // Each line is needed, but for comments, splits, one of two lines of code, and a fact without use.
    for (i, dropped) in GOOD.lines().enumerate() {
        let text: Vec<_> = GOOD.lines().enumerate().filter(|x| x.0 != i).map(|x| x.1).collect();
        let free = ["split", "code", ";"].iter().any(|word| dropped.starts_with(word));
        let free = free || dropped.is_empty() || dropped.ends_with("; unused");
        assert_eq!(check(&text.join("\n")).is_ok(), free, "{dropped}");
    }
    for (old, new, expected) in [
        ("certificate 1\n", "certificate 2\n", "\"2\"; 1 is expected"),
        ("certificate 1\n", "certificate 1 1\n", "\"1\" follows"),
        (
            "certificate 1\n",
            "certificate 1\ncertificate 1\n",
            "2: certificate: follows Certificate",
        ),
        ("certificate 1\n", "", "kernel: follows Start"),
        ("kernel a loop\n", "", "code: follows Certificate"),
        ("kernel a loop\n", "kernel a\nkernel loop\n", "kernel: follows Kernel"),
        ("kernel a loop\n", "kernel\n", "the line ends"),
        ("ffeeddcc 0 1\n", "ffeeddc 0 1\n", "64 lower-case"),
        ("ffeeddcc 0 1\n", "Ffeeddcc 0 1\n", "64 lower-case"),
        ("ffeeddcc 0 1\n", "ffeeddcc 0 -1\n", "SIZE is -1"),
        ("ffeeddcc 0 1\n", "ffeeddcc 0\n", "the line ends; SIZE"),
        ("ffeeddcc 0 1\n", "ffeeddcc 0 1 1\n", "\"1\" follows"),
        (
            "state top 2 0 ff 0 1\n",
            "state top 2 0 ff 0 1\nstate top 2 0 ff 0 1\n",
            "the name top is in use",
        ),
        ("state top 2 0 ff 0 1\n", "state top 3 0 ff 0 1\n", "the line ends; LO"),
        ("state top 2 0 ff 0 1\n", "state top 1 0 ff 0 1\n", "\"0\" follows"),
        ("state top 2 0 ff 0 1\n", "state top 2 0 ff 1 0\n", "LO <= HI"),
        ("state top 2 0 ff 0 1\n", "state entry 2 0 ff 0 1\n", "entry is in use"),
        ("state top 2 0 ff 0 1\n", "state exit 2 0 ff 0 1\n", "exit is in use"),
        ("state top 2 0 ff 0 1\n", "state top 1001 0 ff 0 1\n", "at most 1000"),
        (
            "state top 2 0 ff 0 1\n",
            "state top 2 0 ff 0 1\nstate far 0\n",
            "no segment begins at far",
        ),
        ("state top 2 0 ff 0 1\n", "", "TO is top; exit or a state is expected"),
        // The bounds of a state are those that each side takes.
        (
            "state top 2 0 ff 0 1\n",
            "state top 2 0 fe 0 1\n",
            "no goal limb has the bounds of word 0",
        ),
        (
            "state top 2 0 ff 0 1\n",
            "state top 2 0 100 0 1\n",
            "no goal limb has the bounds of word 0",
        ),
        (
            "state top 2 0 ff 0 1\n",
            "state top 2 0 ff 0 2\n",
            "no goal limb has the bounds of word 1",
        ),
        (
            "state top 2 0 ff 0 1\n",
            "state top 3 0 ff 0 1 0 1\n",
            "no goal limb has the bounds of word 2",
        ),
        (
            "state top 2 0 ff 0 1\n",
            "state top 1 0 ff\n",
            "inputs with the bounds of the words of state top",
        ),
        (
            "segment begin entry top\n",
            "segment begin top top\n",
            "inputs with the bounds of the words",
        ),
        ("segment begin entry top\n", "segment begin exit top\n", "FROM is exit"),
        ("segment begin entry top\n", "segment begin else top\n", "FROM is else"),
        ("segment begin entry top\n", "segment begin entry entry\n", "TO is entry"),
        ("segment begin entry top\n", "segment begin entry\n", "the line ends; TO"),
        ("segment begin entry top\n", "segment begin entry top top\n", "\"top\" follows"),
        (
            "segment begin entry top\n",
            "segment begin entry top\nsegment more entry top\n",
            "no such statement in a segment",
        ),
        ("segment step top top\n", "segment begin top top\n", "the name begin is in use"),
        ("segment finish top exit\n", "segment finish top top\n", "no goal limb has the bounds"),
        (
            "input v1 0 ff f1 f2 ; step\n",
            "input v1 0 fe f1 f2\n",
            "inputs with the bounds of the words",
        ),
        (
            "input v2 0 1 f3 f4 ; step\n",
            "input v2 0 1 f3 f4\ninput v9 5 5 f90 f91\n",
            "inputs with the bounds of the words",
        ),
        (
            "input v2 0 1 f3 f4 ; step\n",
            "input v2 0 1 f3 f4\nassume f90 v2-1\n",
            "an assumption at state top",
        ),
        ("end certificate\n", "", "the text ends"),
        ("end certificate\n", "end certificate\nend certificate\n", "end: follows End"),
        ("end certificate\n", "end certificate\nsegment x entry exit\n", "segment: follows End"),
        ("end certificate\n", "end certificate 1\n", "\"1\" follows"),
        ("end certificate\n", "end\n", "the line ends"),
        ("end certificate\n", "end segment\n", "\"segment\"; certificate is expected"),
        ("end certificate\n", "end certificate\nx\n", "no such statement outside a segment"),
        ("end certificate\n", "end certificate\u{feff}\n", "certificate is expected"),
    ] {
        refused(&with(old, new), expected);
    }
    refused("", "1: end: the text ends");
    refused("\n\n;\n", "the text ends");
    refused(&format!("{HEAD}end certificate\n"), "follows Code");
    refused(&format!("{HEAD}state top 0\nend certificate\n"), "follows States");
    refused(
        &format!("{HEAD}segment s entry exit\nend certificate\n"),
        "\"certificate\"; case, cases or segment",
    );
    // States that the run never enters or leaves.
    let claim = "input v1 0 1 f1 f2\ngoal limb g 0 0 1\nout 0 v1\nlimb g f1 f2\nend segment\n";
    let around =
        |states: &str, segments: &str| format!("{HEAD}{states}{segments}end certificate\n");
    check(&around("", &format!("segment s entry exit\n{claim}"))).unwrap();
    for (states, segments, expected) in [
        ("state a 1 0 1\n", format!("segment s entry a\n{claim}"), "no segment begins at a"),
        ("state a 1 0 1\n", format!("segment s a exit\n{claim}"), "no segment begins at entry"),
        (
            "state a 1 0 1\n",
            format!("segment s entry a\n{claim}segment t a a\n{claim}"),
            "no segment ends at exit",
        ),
        (
            "state a 1 0 1\n",
            format!("segment s entry exit\n{claim}segment t a exit\n{claim}"),
            "no segment ends at a",
        ),
    ] {
        refused(&around(states, &segments), expected);
    }
}

#[test]
fn goals() {
    let base = |top: &str, end: &str| {
        certificate(&format!("input v1 0 f f1 f2\ninput v2 0 f f3 f4\n{top}\n{end}"))
    };
    let add = "floor v3 4 v1+v2 f5 f6\nlinear f7 10 v3 1@f6 1@f1 1@f3\nlinear f8 10 1-v3 1@f5 1@f2 1@f4\nlinear f9 1 v1+v2-10*v3 1@f5\nlinear fa 1 f-v1-v2+10*v3 1@f6\nlinear fb 1 v1+v2 1@f1 1@f3\nlinear fc 1 1e-v1-v2 1@f2 1@f4\nout 0 v1+v2-10*v3\nout 1 v3\n";
    let all = "goal zero z 0 1 v1+v2 0:0 1:4\ngoal zero m f 1 v1+v2 0:0 1:0\ngoal limb l 0 0 f\ngoal whole w 0 1e 0:0 1:4\n";
    let proofs = "zero z\nzero m\nlimb l f9 fa\nwhole w fb fc";
    let good = base(all, &format!("{add}{proofs}"));
    check(&good).unwrap();
    for (old, new, expected) in [
        ("goal zero z 0 1", "goal zero z 1 1", "M is 1"),
        ("goal zero z 0 1", "goal zero z -2 1", "M is -2"),
        ("goal zero z 0 1", "goal zero z 0 0", "C is 0"),
        ("goal zero m f 1", "goal zero m f -1e", "C is -1e"),
        ("goal zero z 0 1", "goal zero z 0 2", "0 modulo 0 is expected"),
        ("goal zero m f 1 v1", "goal zero m 10 1 v1", "0 modulo 10 is expected"),
        ("goal zero m f 1 v1+v2 0:0 1:0", "goal zero m f 1 v1+v2 0:0", "0 modulo f is expected"),
        ("goal zero m f 1 v1+v2 0:0 1:0", "goal zero m f 1 v1+v2", "the line ends; I:S"),
        ("goal whole w 0 1e 0:0 1:4", "goal whole w 0 1e", "the line ends; I:S"),
        ("0:0 1:4\ngoal zero m", "0:0 1:1001\ngoal zero m", "at most 1000"),
        ("0:0 1:4\ngoal zero m", "0:0 1\ngoal zero m", "I:S is expected"),
        ("0:0 1:4\ngoal zero m", "0:0 -1:4\ngoal zero m", "no number"),
        ("0:0 1:4\ngoal zero m", "0:0 2:4\ngoal zero m", "output 2 is not given"),
        ("goal zero z 0 1 v1+v2", "goal zero z 0 1 v1+v2+1", "0 modulo 0"),
        ("goal zero z 0 1 v1+v2", "goal zero z 0 1 v1+v3", "v3 has not been introduced"),
        ("goal zero z", "goal zero m", "the name m is in use"),
        ("goal limb l", "goal limb w", "the name w is in use"),
        ("goal limb l", "goal big l", "zero, limb or whole"),
        ("goal limb l 0 0 f", "goal limb l 0 0 e", "G says"),
        ("goal limb l 0 0 f", "goal limb l 0 1 f", "F says"),
        ("goal limb l 0 0 f", "goal limb l 1 0 f", "F says"),
        ("goal limb l 0 0 f", "goal limb l 0 f 0", "LO <= HI"),
        ("goal limb l 0 0 f", "goal limb l 0 0 f 0:0", "\"0:0\" follows"),
        ("goal whole w 0 1e", "goal whole w 0 1d", "G says"),
        ("1e 0:0 1:4", "1e 0:0 1:3", "F says"),
        ("goal limb l 0 0 f\n", "goal limb l 0 0 f\ngoal limb x 0 0 f\n", "goal x is not proved"),
        ("goal limb l 0 0 f\n", "goal limb l 0 0 f\ngoal limb x 2 0 f\n", "goal x is not proved"),
        (
            "goal limb l 0 0 f\n",
            "goal limb l 0 0 f\ninput v9 0 1 f90 f91\n",
            "inputs and assumptions stand first",
        ),
        (
            "goal limb l 0 0 f\n",
            "goal limb l 0 0 f\nassume f90 v1-f\n",
            "inputs and assumptions stand first",
        ),
        (
            "goal limb l 0 0 f\n",
            "goal limb l 0 0 f\nlinear f90 1 0\ngoal limb x 0 0 f\n",
            "inputs and assumptions stand first",
        ),
        ("out 0 v1+v2-10*v3\n", "", "output 0 is not given"),
        ("out 0 v1+v2-10*v3\n", "out 0 v1+v2-10*v3\nout 0 v1\n", "output 0 has been given"),
        ("out 0 v1+v2-10*v3\n", "out 0 v1\n", "0 modulo 0"),
        ("out 1 v3\n", "out 1 v3\nout 2 v3\n", "no goal names output 2"),
        ("zero z\n", "", "goal z is not proved"),
        ("zero z\n", "zero z\nzero z\n", "goal z has been proved"),
        ("zero z\n", "zero y\n", "no goal zero is called y"),
        ("zero z\n", "zero l\n", "no goal zero is called l"),
        ("zero z\n", "zero z 1@f1\n", "is an inequality; only equations"),
        ("zero z\n", "zero z f1\n", "P@F is expected"),
        ("limb l f9 fa", "limb w f9 fa", "no goal limb is called w"),
        ("limb l f9 fa", "whole l f9 fa", "no goal whole is called l"),
        ("limb l f9 fa", "limb l fa f9", "F says"),
        ("limb l f9 fa", "limb l f1 f2", "F says v1 >= 0"),
        ("limb l f9 fa", "limb l f9 fa fa", "\"fa\" follows"),
        ("whole w fb fc", "whole w fb fb", "G says"),
        ("whole w fb fc", "whole w fb", "the line ends"),
        ("whole w fb fc", "whole w fb fc\nend", "the line ends"),
        ("whole w fb fc", "whole w fb fc\nend block", "\"block\"; case, cases or segment"),
        ("whole w fb fc", "whole w fb fc\nend segment 1", "\"1\" follows"),
        ("input v1 0 f f1 f2", "input v1 f 0 f1 f2", "LO <= HI"),
        ("input v1 0 f f1 f2", "input v1 0 f f1 f1", "f1 is in use"),
        ("input v2 0 f f3 f4", "input v1 0 f f3 f4", "v1 is in use"),
        ("input v2 0 f f3 f4", "input v2 0 f f1 f4", "f1 is in use"),
        ("input v2 0 f f3 f4", "input v2 0 f f3 f4\nassume f90 v3", "v3 has not been introduced"),
        ("input v2 0 f f3 f4", "input v2 0 f f3 f4\nassume f1 v2", "f1 is in use"),
    ] {
        assert_eq!(good.matches(old).count(), 1, "{old}");
        refused(&good.replace(old, new), expected);
    }
    // An equation takes the place of a variable.
    let copy = "goal zero z 0 1 v1 0:0\n";
    let body = "floor v3 0 v1 f5 f6\nequal f7 v1-v3 f5 f6\nout 0 v3\nzero z 1@f7";
    check(&base(copy, body)).unwrap();
    refused(&base(copy, &body.replace("1@f7", "-1@f7")), "the claim is 2*v3-2*v1; 0 modulo 0");
    refused(&base(copy, &body.replace(" 1@f7", "")), "0 modulo 0");
    // Inputs and assumptions that exclude each other, and a segment that claims nothing.
    let none = "assume f90 -1\ngoal limb g 0 5 5\ncontradiction f90";
    refused(&base(none, ""), "every block ends in a contradiction");
    refused(&base("linear f90 1 0", ""), "a segment to exit has no goal");
    refused(&base("", ""), "a segment to exit has no goal");
    check(&base(
        "assume f90 v1-v2\ngoal limb g 0 0 f",
        "linear f91 1 v1-v2 1@f90\nlinear f92 1 f-v1+v2 1@f2 1@f3\nout 0 v1-v2\nlimb g f91 f92",
    ))
    .unwrap();
}

/// Names live in their segment.
#[test]
fn scopes() {
    refused(
        &with("linear f10 1 v1 1@f1 ; unused", "linear f10 1 v5 1@f1"),
        "v5 has not been introduced",
    );
    refused(
        &with("linear f10 1 v1 1@f1 ; unused", "linear f10 1 v1 1@f5"),
        "no fact f5 is in scope",
    );
}

#[test]
fn limits() {
    let base = |body: &str| {
        certificate(&format!("input v1 2 3 f1 f2\ngoal limb g 0 2 3\n{body}out 0 v1\nlimb g f1 f2"))
    };
    // Squares of squares: each line doubles the length.
    let squares = |first: &str| {
        let lines = (1..60).map(|i| format!("product f{:x} f{i:x}0 f{i:x}0\n", (i + 1) << 4));
        base(&format!("{first}{}", lines.collect::<String>()))
    };
    refused(&squares("linear f10 1 2\n"), "a coefficient has 8193 bits; at most 8192");
    refused(&squares("linear f10 1 v1-1 1@f1\n"), "degree");
    // A sum of 513 terms, and its square.
    let variables: String =
        (2..515).map(|i| format!("floor v{i:x} 1 v1 f{i:x}0 f{i:x}1\n")).collect();
    let sum: Vec<_> = (2..515).map(|i| format!("v{i:x}")).collect();
    let square = format!("{variables}floor v1000 0 {} f3 f4\nproduct f5 f3 f3\n", sum.join("+"));
    refused(&base(&square), "a product or sum has 264196 terms; at most 262144");
    // A line without an end, blocks without an end.
    refused(&format!("{HEAD}{}", "1".repeat(1 << 24)), "16777216 bytes or more");
    let deep: String =
        (0..100_000).map(|i| format!("cases v1 2 3 f1 f2\ncase 2 f{:x}\n", 0x10 + i)).collect();
    refused(
        &base(&deep).replace("out", ";out").replace("limb g f1", ";limb"),
        "a case has not ended",
    );
}

/// Work that a few lines could ask for without end.
#[test]
fn work() {
    let base = |body: &str| {
        certificate(&format!("input v1 2 3 f1 f2\ngoal limb g 0 2 3\n{body}out 0 v1\nlimb g f1 f2"))
    };
    let variables: String =
        (2..302).map(|i| format!("floor v{i:x} 1 v1 f{i:x}0 f{i:x}1\n")).collect();
    let sum: Vec<_> = (2..302).map(|i| format!("v{i:x}")).collect();
    let square = format!("{variables}floor v1000 0 {} f3 f4\nproduct f5 f3 f3\n", sum.join("+"));
    let expected = "terms so far; at most 268435456 are allowed";
    // The same 45000 terms 10000 times.
    let line = format!("{square}linear f6 1 0{}\n", " 1@f5".repeat(10_000));
    refused(&base(&line), expected);
    // A table of 4096 points and 66000 terms.
    let bits: String = (2..14)
        .map(|i| format!("floor v{i:x} 0 v1 f{i:x}0 f{i:x}1\nlinear f{i:x}2 1 v{i:x}-2 1@f{i:x}1 1@f1\nlinear f{i:x}3 1 3-v{i:x} 1@f{i:x}0 1@f2\n"))
        .collect();
    let term = |n: u32| {
        let power = |i: u32| format!("*v{:x}", i + 2).repeat((n / 3u32.pow(i) % 3) as usize);
        format!("1{}", (0..12).map(power).collect::<String>())
    };
    let terms: Vec<String> = (1..66_001).map(|n| term(3u32.pow(11) + n)).collect();
    let pairs: String = (2..14).map(|i| format!(" f{i:x}2 f{i:x}3")).collect();
    refused(&base(&format!("{bits}table f1000 {}{pairs}\n", terms.join("+"))), expected);
    // A goal that names one output often, a name of many words, a long field.
    let goal = base(&square).replace(
        "goal limb g 0 2 3",
        &format!("goal limb g 0 2 3\ngoal whole h 2 3{}", " 0:0".repeat(10_000)),
    );
    let long = sum.join("+");
    refused(
        &goal
            .replace("out 0 v1", &format!("out 0 {long}"))
            .replace("\nlimb g", "\nwhole h f1 f2\nlimb g"),
        "F says",
    );
    let name = "a ".repeat(1_000_000);
    assert!(
        check(&GOOD.replace("kernel a loop", &format!("kernel a {}", name.trim_end()))).is_ok()
    );
    let message = check(&"x".repeat(1 << 20)).err().unwrap();
    assert!(message.len() < 2000 && message.ends_with('…'), "{}", message.len());
}

/// A certificate of 100 MB.
#[test]
fn large() {
    let comments = "; nothing\n".repeat(10_000_000);
    assert!(check(&format!("{comments}{GOOD}{comments}")).is_ok());
    let splits: String = "split 1 v1 v2 v1-2*v2 f3 f4\n".repeat(1_000_000);
    let body = format!(
        "input v1 2 3 f1 f2\ngoal limb g 0 2 3\nfloor v2 1 v1 f3 f4\n{splits}out 0 v1\nlimb g f1 f2"
    );
    assert!(check(&certificate(&body)).is_ok());
}

/// Any bytes give a certificate or an error.
#[test]
fn any_bytes() {
    let words: Vec<&str> = "certificate kernel code state segment end case cases goal zero limb whole input assume floor linear equal equation product table split contradiction out entry exit top 0 1 2 ff -1 v1 v2 v3 f1 f2 f3 f10 v1*v2 v1-v2 1@f1 -1@f5 v1@f9 0:0 1:4 @ : * + - ; \u{ff} \r ffffffffffffffffffff".split(' ').collect();
    let mut random = Random(7);
    let mut accepted = 0;
    for _ in 0..20_000 {
        let mut lines: Vec<String> = GOOD.lines().map(String::from).collect();
        for _ in 0..=random.below(2) {
            let i = random.below(lines.len());
            match random.below(4) {
                0 => drop(lines.remove(i)),
                1 => {
                    lines[i] = (0..random.below(8))
                        .map(|_| words[random.below(words.len())])
                        .collect::<Vec<_>>()
                        .join(" ")
                }
                2 => {
                    let mut fields: Vec<&str> = lines[i].split(' ').collect();
                    let at = random.below(fields.len());
                    fields[at] = words[random.below(words.len())];
                    lines[i] = fields.join(" ");
                }
                _ => {
                    let mut bytes = lines[i].clone().into_bytes();
                    if !bytes.is_empty() {
                        let at = random.below(bytes.len());
                        bytes[at] = random.next() as u8;
                    }
                    let text = [lines[..i].join("\n").into_bytes(), bytes].join(&b'\n');
                    accepted += usize::from(check::check(text.as_slice()).is_ok());
                }
            }
        }
        accepted += usize::from(check(&lines.join("\n")).is_ok());
    }
    assert!(accepted < 4000, "{accepted}");
    for length in 0..GOOD.len() - 2 {
        assert!(check::check(&GOOD.as_bytes()[..length]).is_err(), "{length}");
    }
    let bytes: Vec<u8> = (0..100_000).map(|_| random.next() as u8).collect();
    assert!(
        check::check(bytes.as_slice())
            .is_err_and(|error| error == "1: line: not UTF-8; text is expected")
    );
}
