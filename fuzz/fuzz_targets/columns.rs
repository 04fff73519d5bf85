//! Hostile offsets, indices and bitmaps: an error, or exactly the values that they describe, never a
//! panic; and a table of such columns has no verdict exactly where something is null.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sigmill::bulk::{Bitmap, Column, Indices, Spec, Specs, Table, verify};
use sigmill::ed25519::{Variant, rules};

/// Tables with more rows are not verified, for speed.
const VERIFIED_ROWS: usize = 16;

/// Bit `row` of a bitmap that begins at bit `offset`; all ones if there is none.
fn is_valid(bitmap: Option<(&[u8], usize)>, row: usize) -> bool {
    bitmap.is_none_or(|(bits, offset)| {
        let bit = offset + row;
        bits[bit / 8] & (1 << (bit % 8)) != 0
    })
}

/// Compares a column that was let in with what its buffers say.
fn check<'a>(
    column: &Column<'a>,
    bitmap: Option<(&[u8], usize)>,
    value: impl Fn(usize) -> &'a [u8],
) {
    for row in 0..column.len().min(1000) {
        let wanted = is_valid(bitmap, row).then(|| value(row));
        assert_eq!(column.get(row), wanted, "row {row}");
    }
    assert_eq!(column.get(column.len()), None);
}

fuzz_target!(|input: (Vec<i32>, Vec<i64>, Vec<u8>, Vec<u8>, usize, Vec<i16>)| {
    let (offsets, large, bytes, bits, offset, indices) = input;
    let (bitmap, bits_at) = (Some(Bitmap::new(&bits, offset)), Some((&bits[..], offset)));
    let mut columns = Vec::new();
    if let Ok(column) = Column::binary(&offsets, &bytes, bitmap) {
        check(&column, bits_at, |i| &bytes[offsets[i] as usize..offsets[i + 1] as usize]);
        columns.push(column);
    }
    if let Ok(column) = Column::large_binary(&large, &bytes, None) {
        check(&column, None, |i| &bytes[large[i] as usize..large[i + 1] as usize]);
        columns.push(column);
    }
    for (width, len) in [(offset, bits.len()), (32, bytes.len() / 32), (64, bytes.len() / 64)] {
        let fitting = &bytes[..width.saturating_mul(len).min(bytes.len())];
        if let Ok(column) = Column::fixed(fitting, width, len, bitmap) {
            check(&column, bits_at, |i| &bytes[i * width..(i + 1) * width]);
            columns.push(column);
        }
    }
    for values in &columns {
        if let Ok(column) = Column::dictionary(Indices::I16(&indices), values, bitmap) {
            for row in 0..column.len().min(1000) {
                let index = usize::try_from(indices[row]);
                let wanted = index.ok().filter(|_| is_valid(bits_at, row));
                assert_eq!(column.get(row), wanted.and_then(|index| values.get(index)));
                assert!(wanted.is_some() || !is_valid(bits_at, row), "an index of nothing");
            }
        }
    }
    let spec = Spec::ed25519(&rules::ZIP215, Variant::Pure);
    for (keys, signatures) in columns.iter().flat_map(|a| columns.iter().map(move |b| (a, b))) {
        let Ok(table) = Table::new(*keys, *signatures, *signatures, Specs::Same(spec)) else {
            assert_ne!(keys.len(), signatures.len());
            continue;
        };
        if table.len() <= VERIFIED_ROWS {
            for (row, outcome) in verify(&table).expect("random bytes").into_iter().enumerate() {
                let is_null = keys.get(row).is_none() || signatures.get(row).is_none();
                assert_eq!(outcome.is_none(), is_null, "row {row}");
            }
        }
    }
});
