//! Hostile offsets, indices and bitmaps: an error or values inside the buffers, never a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sigmill::bulk::{Bitmap, Column, Indices};

fuzz_target!(|input: (Vec<i32>, Vec<i64>, Vec<u8>, Vec<u8>, usize, Vec<i16>)| {
    let (offsets, large, bytes, bits, offset, indices) = input;
    let validity = Some(Bitmap::new(&bits, offset));
    let columns = [
        Column::binary(&offsets, &bytes, validity),
        Column::large_binary(&large, &bytes, None),
        Column::fixed(&bytes, offset, bits.len(), validity),
    ];
    for column in columns.iter().flatten() {
        for row in 0..column.len().min(1000) + 1 {
            let _ = column.get(row);
        }
        if let Ok(dictionary) = Column::dictionary(Indices::I16(&indices), column, validity) {
            for row in 0..dictionary.len() + 1 {
                let _ = dictionary.get(row);
            }
        }
    }
});
