//! Nothing: its tests are what there is.
