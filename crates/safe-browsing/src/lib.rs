#![doc = include_str!("../README.md")]
#![cfg_attr(test, allow(clippy::too_many_lines, reason = "tables of examples"))]

pub mod hash_prefixes;
pub mod protocol;
pub mod rice_coding;
pub mod url_expressions;
