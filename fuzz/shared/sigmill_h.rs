//! Structures and functions of `sigmill.h`, for the Rust programs that call the library as C does: the fuzzer and the
//! benchmark.

use core::ffi::{c_int, c_void};
use core::ptr::null;

/// `struct sigmill_variant`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Variant {
    pub(crate) kind: c_int,
    pub(crate) context: *const u8,
    pub(crate) context_size: usize,
}

/// `struct sigmill_spec`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Spec {
    pub(crate) algorithm: c_int,
    pub(crate) rule: c_int,
    pub(crate) variant: Variant,
    pub(crate) ecdsa: [c_int; 3],
}

/// `struct sigmill_column`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Column {
    pub(crate) layout: c_int,
    pub(crate) index_type: c_int,
    pub(crate) rows: usize,
    pub(crate) width: usize,
    pub(crate) values: *const u8,
    pub(crate) values_size: usize,
    pub(crate) offsets: *const c_void,
    pub(crate) pointers: *const *const c_void,
    pub(crate) sizes: *const usize,
    pub(crate) buffers: *const *const c_void,
    pub(crate) buffer_count: usize,
    pub(crate) dictionary: *const Column,
    pub(crate) validity: *const u8,
    pub(crate) validity_offset: usize,
}

impl Column {
    /// A column of no rows, all of whose pointers are null.
    pub(crate) const EMPTY: Column = Column {
        layout: 0,
        index_type: 0,
        rows: 0,
        width: 0,
        values: null(),
        values_size: 0,
        offsets: null(),
        pointers: null(),
        sizes: null(),
        buffers: null(),
        buffer_count: 0,
        dictionary: null(),
        validity: null(),
        validity_offset: 0,
    };
}

/// `struct sigmill_table`.
#[repr(C)]
pub(crate) struct Table {
    pub(crate) keys: Column,
    pub(crate) messages: Column,
    pub(crate) signatures: Column,
    pub(crate) specs: *const Spec,
    pub(crate) spec_count: usize,
    pub(crate) spec_index: *const u32,
}

unsafe extern "C" {
    pub(crate) fn sigmill_ed25519_verify(
        rule: c_int,
        variant: *const Variant,
        key: *const u8,
        key_size: usize,
        message: *const u8,
        message_size: usize,
        signature: *const u8,
        signature_size: usize,
    ) -> c_int;
    pub(crate) fn sigmill_ed25519_public_key(key: *mut u8, seed: *const u8) -> c_int;
    /// `how` is a `struct sigmill_bulk`, or null.
    pub(crate) fn sigmill_bulk_scratch_size(
        how: *const c_void,
        rows: usize,
        specs: *const Spec,
        spec_count: usize,
    ) -> usize;
    /// `how` is a `struct sigmill_bulk`, `report` a `struct sigmill_report`; both may be null.
    pub(crate) fn sigmill_bulk_verify(
        how: *const c_void,
        table: *const Table,
        codes: *mut u8,
        codes_size: usize,
        report: *mut c_void,
        scratch: *mut u8,
        scratch_size: usize,
    ) -> c_int;
}
