//! Parts that the tests share: an adapter that must be there, elements, operators that tell every index and every order apart, and
//! the comparison of kernels with a plain fold.
#![allow(dead_code, unused_imports)]

mod adapter;
mod alternating;
mod compare;
mod counts;
mod cover;
mod elements;
pub mod exactly;
mod groups;
pub mod histograms;
mod keys;
mod lists;
mod moments;
pub mod noop;
pub mod oracle;
mod own;
mod parts;
mod relations;
mod rows;
mod segments;
pub mod sets;
mod shapes;
pub mod textures;
mod views;

pub use adapter::{
    Change, Patch, adapter, answers, assert_noticed, download, gpu, limited_gpu, notices, notices_within, patched_gpu,
    recorded, short_bindings, small_gpu, tell, upload,
};
pub use alternating::Alternating;
pub use compare::{Compare, coverage, plain_fold, same, some};
pub use counts::{Room, counts};
pub use cover::{is_long, on_devices, stands_for_others};
pub use elements::{Random, extremes, from_bits, numbers, one};
pub use groups::{Spread, groups, special_groups};
pub use keys::runs;
pub use lists::{digits_of_both_words, list_bits, lists, short_parts};
pub use own::{OwnAnswer, SetHash, TextHash, WeightedSum};
pub use parts::{all, every_other, one_in, one_way, ways};
pub use rows::rows;
pub use segments::{Lengths, segments};
pub use shapes::{
    Shape, by_all_shapes, by_few_shapes, by_odd_shapes, by_shapes, lengths, none, odd_shapes, shapes, small,
};
pub use views::{View, views};
