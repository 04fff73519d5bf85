//! Claims of tokens that are valid, as columns of text.

use crate::arrow::{Buffer, Export};
use crate::memory::{self, NoMemory};
use std::ffi::CString;
use std::mem;
use std::sync::Arc;

/// Texts of some rows, some of them null.
#[derive(Default)]
struct Texts {
    bytes: Vec<u8>,
    /// The end of each row among the bytes.
    ends: Vec<usize>,
    is_null: Vec<bool>,
}

impl Texts {
    fn push(&mut self, text: Option<&str>) -> Result<(), NoMemory> {
        if let Some(text) = text {
            memory::grow(&mut self.bytes, text.len())?.copy_from_slice(text.as_bytes());
        }
        memory::push(&mut self.ends, self.bytes.len())?;
        memory::push(&mut self.is_null, text.is_none())
    }
}

/// The claims of a part of the rows: of each name a text or null a row.
#[derive(Default)]
pub(crate) struct PartClaims(Vec<Texts>);

impl PartClaims {
    /// One row more: a value for each of `names` names, or none of any.
    pub(crate) fn push(
        &mut self,
        names: usize,
        values: Option<&[Option<String>]>,
    ) -> Result<(), NoMemory> {
        self.0.resize_with(names, Texts::default);
        for (i, texts) in self.0.iter_mut().enumerate() {
            texts.push(values.and_then(|values| values.get(i)?.as_deref()))?;
        }
        Ok(())
    }
}

/// The claims of all rows.
pub(crate) struct Claims {
    rows: usize,
    columns: Vec<Column>,
}

struct Column {
    name: CString,
    nulls: usize,
    validity: Arc<Vec<u8>>,
    offsets: Arc<Vec<i64>>,
    bytes: Arc<Vec<u8>>,
}

impl Claims {
    /// Those of parts that follow each other.
    pub(crate) fn of(
        names: Vec<CString>,
        rows: usize,
        mut parts: Vec<PartClaims>,
    ) -> Result<Self, NoMemory> {
        let mut columns = memory::vec(names.len())?;
        for (i, name) in names.into_iter().enumerate() {
            // each part gives its memory back as soon as it is copied
            let texts = parts.iter_mut().filter_map(|part| part.0.get_mut(i).map(mem::take));
            columns.push(Column::of(name, rows, texts)?);
        }
        Ok(Claims { rows, columns })
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// A struct a row, with one text a claim.
    pub(crate) fn export(&self) -> Export {
        let column = |column: &Column| Export {
            format: c"U".into(),
            name: column.name.clone().into(),
            nullable: true,
            rows: self.rows,
            nulls: column.nulls,
            buffers: vec![
                Buffer::Shared(Arc::clone(&column.validity)),
                Buffer::SharedOffsets(Arc::clone(&column.offsets)),
                Buffer::Shared(Arc::clone(&column.bytes)),
            ],
            children: Vec::new(),
        };
        Export {
            format: c"+s".into(),
            name: c"".into(),
            nullable: false,
            rows: self.rows,
            nulls: 0,
            buffers: vec![Buffer::None],
            children: self.columns.iter().map(column).collect(),
        }
    }
}

impl Column {
    fn of(
        name: CString,
        rows: usize,
        parts: impl Iterator<Item = Texts>,
    ) -> Result<Self, NoMemory> {
        let mut validity = memory::filled(0_u8, rows.div_ceil(8))?;
        let (mut offsets, mut bytes, mut nulls) = (memory::vec(rows + 1)?, Vec::new(), 0);
        offsets.push(0);
        for texts in parts {
            let begin = bytes.len();
            memory::grow(&mut bytes, texts.bytes.len())?.copy_from_slice(&texts.bytes);
            for (end, is_null) in texts.ends.into_iter().zip(texts.is_null) {
                let row = offsets.len() - 1;
                nulls += usize::from(is_null);
                validity[row / 8] |= u8::from(!is_null) << (row % 8);
                offsets.push((begin + end) as i64);
            }
        }
        let (validity, offsets, bytes) = (Arc::new(validity), Arc::new(offsets), Arc::new(bytes));
        Ok(Column { name, nulls, validity, offsets, bytes })
    }
}
