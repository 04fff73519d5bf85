//! The entry points of `sigmill.h` with arbitrary numbers, sizes, offsets and layouts over memory that is as large as the
//! header asks for and not a byte larger: no crash, nothing written outside, after an error no code that says valid, and
//! in bulk the verdicts of single verification.

#![no_main]

#[path = "../shared/sigmill_h.rs"]
mod sigmill_h;

use arbitrary::Arbitrary;
use core::ffi::{c_int, c_void};
use core::ptr::null;
use libfuzzer_sys::fuzz_target;
use sigmill_capi as _;
use sigmill_h::{
    Column, Spec, Table, Variant, sigmill_bulk_scratch_size, sigmill_bulk_verify,
    sigmill_ed25519_public_key, sigmill_ed25519_verify,
};

#[repr(C)]
struct Bulk {
    backend: c_int,
    strategy: c_int,
    deterministic: c_int,
    unused: c_int,
    entropy: *const u8,
    tasks: usize,
    run: Option<unsafe extern "C" fn(*mut c_void, Task, *mut c_void, usize) -> c_int>,
    context: *mut c_void,
}

type Task = unsafe extern "C" fn(*mut c_void, usize);

unsafe extern "C" {
    fn sigmill_ed25519_check_key(rule: c_int, key: *const u8, key_size: usize) -> c_int;
    fn sigmill_ed25519_verifier_init(
        verifier: *mut u64,
        rule: c_int,
        variant: *const Variant,
        key: *const u8,
        key_size: usize,
        signature: *const u8,
        signature_size: usize,
    ) -> c_int;
    fn sigmill_ed25519_verifier_update(verifier: *mut u64, piece: *const u8, size: usize) -> c_int;
    fn sigmill_ed25519_verifier_finish(verifier: *mut u64) -> c_int;
    fn sigmill_ed25519_sign(
        signature: *mut u8,
        seed: *const u8,
        variant: *const Variant,
        message: *const u8,
        message_size: usize,
    ) -> c_int;
    fn sigmill_ecdsa_verify(
        curve: c_int,
        how: *const [c_int; 3],
        key: *const u8,
        key_size: usize,
        message: *const u8,
        message_size: usize,
        signature: *const u8,
        signature_size: usize,
    ) -> c_int;
    fn sigmill_ecdsa_convert_key(
        curve: c_int,
        compressed: c_int,
        out: *mut u8,
        out_size: *mut usize,
        key: *const u8,
        key_size: usize,
    ) -> c_int;
    fn sigmill_ecdsa_convert_signature(
        curve: c_int,
        from: c_int,
        to: c_int,
        low_s: c_int,
        out: *mut u8,
        out_size: *mut usize,
        signature: *const u8,
        signature_size: usize,
    ) -> c_int;
    fn sigmill_key_read(
        algorithm: c_int,
        container: c_int,
        form: c_int,
        key: *mut u8,
        key_size: *mut usize,
        bytes: *const u8,
        size: usize,
    ) -> c_int;
    fn sigmill_message(result: c_int) -> *const u8;
}

/// Numbers of enumerations, mostly those that mean something.
fn number(wish: u8, most: c_int) -> c_int {
    match wish {
        250.. => c_int::from(wish as i8) * 1_000_003,
        wish => c_int::from(wish) % (most + 2),
    }
}

/// A column as the fuzzer wishes it.
#[derive(Arbitrary, Debug)]
struct Wish {
    layout: u8,
    index_type: u8,
    rows: u8,
    width: u16,
    values: Vec<u8>,
    offsets: Vec<u8>,
    sorted: bool,
    buffers: [Vec<u8>; 2],
    sizes: Vec<u8>,
    bits: Option<(Vec<u8>, u8)>,
    absent: u8,
    odd: bool,
    good: bool,
}

/// What a column points to. Rows are as many as the header lets the memory be asked for.
struct Memory {
    offsets: Vec<u64>,
    pointers: Vec<*const c_void>,
    sizes: Vec<usize>,
    buffers: [Box<[u8]>; 2],
    values: Box<[u8]>,
    bits: Box<[u8]>,
    words: Box<[u64]>,
}

/// A key, message or signature that is honest: what a table needs so that something is valid.
struct Honest {
    bytes: Vec<u8>,
}

impl Wish {
    fn build(
        &self,
        memory: &mut Memory,
        honest: &Honest,
        rows: usize,
        dictionary: *const Column,
    ) -> Column {
        let cycled =
            |bytes: &[u8], i: usize| bytes.get(i % bytes.len().max(1)).copied().unwrap_or(0);
        let layout = number(self.layout, 6);
        let mut width = usize::from(self.width);
        memory.values = self.values.clone().into_boxed_slice();
        if self.good && !honest.bytes.is_empty() {
            width = honest.bytes.len();
            memory.values = honest.bytes.repeat(rows + 1).into_boxed_slice();
        }
        memory.buffers = self.buffers.clone().map(Vec::into_boxed_slice);
        // offsets, indices, or views of 16 bytes, in memory that is aligned for all
        let mut raw: Vec<u8> = (0..(rows + 1) * 16).map(|i| cycled(&self.offsets, i)).collect();
        if layout == 1 || layout == 2 {
            let size = if layout == 1 { 4 } else { 8 };
            let mut at = 0usize;
            for i in 0..=rows {
                let step = usize::from(cycled(&self.offsets, i));
                let step = if self.good { honest.bytes.len() } else { step };
                if self.sorted || self.good {
                    let place = at as u64;
                    raw[i * size..(i + 1) * size].copy_from_slice(&place.to_le_bytes()[..size]);
                }
                at += step;
            }
        }
        if layout == 3 {
            for view in raw.chunks_exact_mut(16) {
                // lengths and positions that are often in their buffers
                view[1] = 0;
                view[9..12].fill(0);
                view[13..16].fill(0);
                let high = if view[2] == 255 { 255 } else { 0 };
                view[2..4].fill(high);
                if self.sorted {
                    view[8] &= 1;
                }
            }
        }
        memory.offsets =
            raw.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect();
        memory.sizes = (0..rows.max(2)).map(|i| usize::from(cycled(&self.sizes, i))).collect();
        memory.pointers = (0..rows)
            .map(|i| {
                let size = &mut memory.sizes[i];
                *size = (*size).min(memory.values.len());
                if self.good {
                    *size = honest.bytes.len();
                }
                let skipped = memory.values.len() - *size;
                match self.absent & 0x80 != 0 && i % 3 == 0 {
                    true => null(),
                    false => memory.values[skipped..].as_ptr().cast(),
                }
            })
            .collect();
        let mut column = Column {
            layout,
            index_type: number(self.index_type, 8),
            rows,
            width,
            values: memory.values.as_ptr(),
            values_size: memory.values.len(),
            offsets: memory.offsets.as_ptr().cast(),
            pointers: memory.pointers.as_ptr(),
            sizes: memory.sizes.as_ptr(),
            dictionary,
            ..Column::EMPTY
        };
        if layout == 3 {
            memory.sizes = memory.buffers.iter().map(|buffer| buffer.len()).collect();
            memory.pointers = memory.buffers.iter().map(|buffer| buffer.as_ptr().cast()).collect();
            column.sizes = memory.sizes.as_ptr();
            column.buffers = memory.pointers.as_ptr();
            column.buffer_count = 2;
        }
        if layout == 5 && self.absent & 0x40 != 0 {
            // all of one size
            column.sizes = null();
            column.width = memory.sizes.iter().take(rows).copied().min().unwrap_or(0);
        }
        if layout == 6 {
            // zeros, which are no object
            let object = memory.words.as_ptr().cast();
            memory.pointers = vec![if self.odd { null() } else { object }; rows];
            column.pointers = memory.pointers.as_ptr();
        }
        if let Some((bits, offset)) = &self.bits {
            let offset = usize::from(*offset);
            memory.bits = (0..(offset + rows).div_ceil(8)).map(|i| cycled(bits, i)).collect();
            column.validity = memory.bits.as_ptr();
            column.validity_offset = offset;
        }
        if self.absent & 0x3f == 4 {
            column.offsets = null();
        }
        if self.absent & 0x3f == 8 {
            column.pointers = null();
            column.buffers = null();
        }
        if self.absent & 0x3f == 16 {
            column.sizes = null();
            column.width = 0;
        }
        if self.absent & 0x3f == 32 {
            column.values = null();
        }
        if self.odd && matches!(layout, 1 | 2 | 4) && rows > 0 && !column.offsets.is_null() {
            column.offsets = column.offsets.wrapping_byte_add(1);
        }
        column
    }
}

#[derive(Arbitrary, Debug)]
struct Input {
    rule: u8,
    kind: u8,
    context: Vec<u8>,
    algorithm: u8,
    ecdsa: [u8; 3],
    key: Vec<u8>,
    message: Vec<u8>,
    signature: Vec<u8>,
    pieces: Vec<u8>,
    columns: [Wish; 3],
    values: Wish,
    rows: u8,
    same_rows: bool,
    how: [u8; 4],
    less_scratch: u8,
    index: Option<Vec<u8>>,
    null_specs: bool,
}

/// Runs the tasks as one after the other, or as the fuzzer says: wrongly.
unsafe extern "C" fn run(
    context: *mut c_void,
    task: Task,
    state: *mut c_void,
    tasks: usize,
) -> c_int {
    // SAFETY: the byte that the context was made of.
    let mistake = unsafe { *context.cast::<u8>() };
    for i in 0..tasks {
        if mistake & 1 != 0 && i == 0 {
            continue;
        }
        // SAFETY: the function and the state of this call.
        unsafe { task(state, i) };
        if mistake & 2 != 0 {
            // SAFETY: a function that the library gave with the state, and which looks at the number.
            unsafe { task(state, i * 7) };
        }
    }
    c_int::from(mistake & 4 != 0)
}

fn single(input: &Input, variant: &Variant) {
    let (key, message, signature) = (&input.key[..], &input.message[..], &input.signature[..]);
    let rule = number(input.rule, 8);
    // SAFETY: every pointer has the size that is given with it, and objects are as large as the header says.
    unsafe {
        let (k, m, s) = (key.as_ptr(), message.as_ptr(), signature.as_ptr());
        let verified = sigmill_ed25519_verify(
            rule,
            variant,
            k,
            key.len(),
            m,
            message.len(),
            s,
            signature.len(),
        );
        sigmill_ed25519_check_key(rule, k, key.len());
        let mut verifier = [0u64; 96];
        let begun = sigmill_ed25519_verifier_init(
            verifier.as_mut_ptr(),
            rule,
            variant,
            k,
            key.len(),
            s,
            signature.len(),
        );
        let mut rest = message;
        for piece in &input.pieces {
            let (piece, after) = rest.split_at(rest.len().min(usize::from(*piece)));
            sigmill_ed25519_verifier_update(verifier.as_mut_ptr(), piece.as_ptr(), piece.len());
            rest = after;
        }
        sigmill_ed25519_verifier_update(verifier.as_mut_ptr(), rest.as_ptr(), rest.len());
        let finished = sigmill_ed25519_verifier_finish(verifier.as_mut_ptr());
        if begun == 0 {
            assert_eq!(finished, verified);
        }
        let how =
            [number(input.ecdsa[0], 2) * 128, number(input.ecdsa[1], 1), number(input.ecdsa[2], 1)];
        let curve = 2 + c_int::from(input.algorithm & 1);
        let one =
            sigmill_ecdsa_verify(curve, &how, k, key.len(), m, message.len(), s, signature.len());
        assert!((-28..=15).contains(&one) && !sigmill_message(one).is_null());
        for room in [0, 33, 65, 104] {
            let mut out = vec![0u8; room].into_boxed_slice();
            let mut size = room;
            sigmill_ecdsa_convert_key(curve, how[2], out.as_mut_ptr(), &mut size, k, key.len());
            size = room;
            sigmill_ecdsa_convert_signature(
                curve,
                how[1],
                how[2],
                1,
                out.as_mut_ptr(),
                &mut size,
                s,
                signature.len(),
            );
            size = room;
            let (container, form) = (number(input.ecdsa[1], 2), number(input.ecdsa[2], 1));
            let algorithm = number(input.algorithm, 4);
            sigmill_key_read(
                algorithm,
                container,
                form,
                out.as_mut_ptr(),
                &mut size,
                m,
                message.len(),
            );
        }
    }
}

fn bulk(input: &Input, variant: &Variant) {
    let empty = || Memory {
        offsets: Vec::new(),
        pointers: Vec::new(),
        sizes: Vec::new(),
        buffers: Default::default(),
        values: Box::default(),
        bits: Box::default(),
        words: vec![0; 960].into_boxed_slice(),
    };
    let rows = usize::from(input.rows) % 20;
    let seed = [input.rule; 32];
    let (mut public, mut signature) = ([0u8; 32], [0u8; 64]);
    let message = b"honest";
    // SAFETY: arrays of the sizes that the header names.
    unsafe {
        sigmill_ed25519_public_key(public.as_mut_ptr(), seed.as_ptr());
        sigmill_ed25519_sign(
            signature.as_mut_ptr(),
            seed.as_ptr(),
            variant,
            message.as_ptr(),
            message.len(),
        );
    }
    let honest =
        [public.to_vec(), message.to_vec(), signature.to_vec()].map(|bytes| Honest { bytes });
    let mut memories = [empty(), empty(), empty()];
    let mut of_values = [empty(), empty(), empty()];
    let values_rows = usize::from(input.values.rows) % 9;
    let mut columns = Vec::new();
    let mut dictionaries = Vec::with_capacity(3);
    for i in 0..3 {
        dictionaries.push(input.values.build(&mut of_values[i], &honest[i], values_rows, null()));
        let rows = if input.same_rows { rows } else { usize::from(input.columns[i].rows) % 20 };
        let dictionary = &raw const dictionaries[i];
        columns.push(input.columns[i].build(&mut memories[i], &honest[i], rows, dictionary));
    }
    let algorithm = number(input.algorithm, 3);
    let ecdsa =
        [number(input.ecdsa[0], 2) * 128, number(input.ecdsa[1], 1), number(input.ecdsa[2], 1)];
    let spec = Spec { algorithm, rule: number(input.rule, 8), variant: *variant, ecdsa };
    let specs = [spec, Spec { algorithm: 1, rule: 4, variant: *variant, ecdsa: [0; 3] }];
    let index: Option<Vec<u32>> = input.index.as_ref().map(|index| {
        let at = |i: usize| {
            index.get(i).map_or(0, |one| match one {
                255 => u32::MAX,
                one => u32::from(*one) % 3,
            })
        };
        (0..rows).map(at).collect()
    });
    let mut mistake = input.how[3];
    let how = Bulk {
        backend: number(input.how[0], 3),
        strategy: number(input.how[1], 3),
        deterministic: number(input.how[2] & 1, 1),
        unused: 0,
        entropy: if input.how[2] & 2 != 0 { seed.as_ptr() } else { null() },
        tasks: usize::from(input.how[2] >> 2),
        run: if input.how[3] & 8 != 0 { Some(run) } else { None },
        context: (&raw mut mistake).cast(),
    };
    let table = Table {
        keys: columns[0],
        messages: columns[1],
        signatures: columns[2],
        specs: if input.null_specs { null() } else { specs.as_ptr() },
        spec_count: 2,
        spec_index: index.as_ref().map_or(null(), |index| index.as_ptr()),
    };
    // SAFETY: every pointer of the table has the memory that the header asks for.
    unsafe {
        let size = sigmill_bulk_scratch_size((&raw const how).cast(), rows, table.specs, 2);
        let mut scratch =
            vec![0u8; size - usize::from(input.less_scratch / 128).min(size)].into_boxed_slice();
        // no code: sizes of columns may claim this memory, too, and then it is not written
        const UNTOUCHED: u8 = 0xaa;
        let mut codes = vec![UNTOUCHED; rows].into_boxed_slice();
        let mut report = [0usize; 8];
        let result = sigmill_bulk_verify(
            (&raw const how).cast(),
            &table,
            codes.as_mut_ptr(),
            rows,
            (&raw mut report).cast(),
            scratch.as_mut_ptr(),
            scratch.len(),
        );
        match result {
            0 => assert!(codes.iter().all(|code| *code == 0)),
            100 => {
                assert!(codes.iter().any(|code| *code != 0));
                assert!(codes.iter().all(|code| *code != UNTOUCHED));
            }
            result => {
                assert!((-28..0).contains(&result), "{result}");
                assert!(codes.iter().all(|code| *code != 0));
            }
        }
        if result >= 0 {
            assert_eq!(report[0] + report[1] + report[2], rows);
            // fixed columns of honest values, whose width was not taken away
            let all_good =
                input.columns.iter().zip(&columns).zip(&honest).all(|((wish, column), honest)| {
                    wish.good && column.layout == 0 && column.width == honest.bytes.len()
                });
            let one = specs[0];
            if all_good && one.algorithm == 1 && index.is_none() {
                let single = sigmill_ed25519_verify(
                    one.rule,
                    variant,
                    public.as_ptr(),
                    32,
                    message.as_ptr(),
                    message.len(),
                    signature.as_ptr(),
                    64,
                );
                for (row, code) in codes.iter().enumerate() {
                    let agrees = c_int::from(*code) == single || *code == 255;
                    let (rule, kind) = (one.rule, variant.kind);
                    assert!(
                        agrees,
                        "row {row} of {rows}: {code}, one at a time {single}; rule {rule}, variant {kind}, \
                         context of {}, backend {}, strategy {}",
                        variant.context_size, how.backend, how.strategy
                    );
                }
            }
        }
    }
}

fuzz_target!(|input: Input| {
    let context = input.context.clone().into_boxed_slice();
    let variant = Variant {
        kind: number(input.kind, 3),
        context: context.as_ptr(),
        context_size: context.len(),
    };
    single(&input, &variant);
    bulk(&input, &variant);
});
