//! The values of one row, whatever its scheme.

/// The values of one row.
pub(crate) struct Row {
    pub(crate) secret: Vec<u8>,
    pub(crate) public: Vec<u8>,
    pub(crate) message: Vec<u8>,
    pub(crate) signature: Vec<u8>,
}
