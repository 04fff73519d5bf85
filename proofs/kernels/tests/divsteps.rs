//! Division steps are proven, and copies of the code with one instruction changed are not.

mod text;

use std::collections::BTreeSet;

use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic as M, OpKind};
use kernels::divsteps;

/// Bytes of an instruction that does something else: another mnemonic, or another count.
fn changed(i: &Instruction, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = bytes.to_vec();
    let prefix = usize::from(bytes[0] & 0xf0 == 0x40);
    let last = out.len() - 1;
    match i.mnemonic() {
        // add, and the reverse
        M::Adc | M::Add if bytes[prefix] & 0xed == 0x01 => out[prefix] ^= 0x10,
        // mul, and the reverse
        M::Imul | M::Mul if i.op_count() == 1 => out[prefix + 1] ^= 0x08,
        // of larger counts some change nothing: all upper bits are the sign, or all bits of a modulus are ones
        M::Shld | M::Sar | M::Shl | M::Shr
            if i.op_kind(i.op_count() - 1) == OpKind::Immediate8 && out[last] < 0x2c =>
        {
            out[last] ^= 1;
        }
        // not, and the reverse
        M::Neg => out[prefix + 1] ^= 0x08,
        _ => return None,
    }
    Some(out)
}

#[test]
fn changed_copies_are_not_proven() {
    let image = text::image();
    let (mut tried, mut proven) = (0, Vec::new());
    let stride = if cfg!(debug_assertions) { 61 } else { 17 };
    for f in divsteps::functions(&image) {
        let proofs = divsteps::prove(&image, f).expect("the function is proven");
        let code = image.code(f.start, f.size).expect("code");
        let bytes = image.constant(f.start, f.size as usize).expect("bytes");
        let ran: BTreeSet<u64> = proofs.iter().flat_map(|p| p.ran.clone()).collect();
        let with_changes = code.values().filter(|i| ran.contains(&i.ip())).filter_map(|i| {
            let from = (i.ip() - f.start) as usize;
            Some((i, changed(i, &bytes[from..from + i.len()])?))
        });
        for (i, new) in with_changes.step_by(stride) {
            let mut copy = code.clone();
            let other = Decoder::with_ip(64, &new, i.ip(), DecoderOptions::NONE).decode();
            assert_eq!((other.len(), other == *i), (i.len(), false), "{i}");
            copy.insert(i.ip(), other);
            tried += 1;
            if divsteps::prove_code(&image, f, &copy).is_ok() {
                proven.push(format!("{}: {:x} {i}: {other}", f.name, i.ip()));
            }
        }
    }
    println!("{tried} changed copies");
    assert!(tried > 20, "{tried} copies are too few to say anything");
    assert!(proven.is_empty(), "proven: {proven:#?}");
}
