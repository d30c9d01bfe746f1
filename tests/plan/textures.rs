//! Textures: every texel once, whatever the width; loops; textures beside buffers; the largest there are.

use crate::cases::{BYTES_MAX, Case, limits, one, plain, roomy, some_limits, some_tunings, texels, with_bins};
use crate::parts::every_other;
use crate::{checked, checked_if_bound};
use treefold::internals::{Cost, Load, Resource, Store, Texel};
use treefold::{Order, Tuning};

const WIDTHS: [u32; 9] = [1, 2, 3, 4, 5, 7, 16, 63, 301];

/// Operators over elements of four bytes, and over whole texels.
fn costs() -> Vec<Cost> {
    plain().into_iter().chain(with_bins()).filter(|cost| [4, 16].contains(&cost.element_bytes)).collect()
}

fn whole_or(texel: Texel, cost: &Cost) -> Texel {
    if cost.element_bytes == 16 { Texel::Whole } else { texel }
}

#[test]
fn every_width_and_height() {
    for (number, limits) in some_limits().into_iter().enumerate() {
        for tuning in some_tunings() {
            for cost in costs() {
                let mut case = Case::new(roomy(limits), tuning, cost);
                let planner = case.planner();
                for (turn, width) in WIDTHS.into_iter().enumerate() {
                    for height in [1, 2, 9, 40, 601 / u64::from(width) + 1] {
                        let texel = if turn % 2 == 0 { Texel::Weighted } else { Texel::Number(turn as u8 % 4) };
                        case.pieces = texels(2, (width, height), whole_or(texel, &case.cost));
                        case.direct = (turn + number) % 3 > 0;
                        case.start = if height % 2 == 0 { 0 } else { (1 << 32) - 5 };
                        case.store =
                            if turn % 3 == 0 { Store::Sealed } else { Store::Answer { counted: turn % 3 == 1 } };
                        checked_if_bound(&case, &planner);
                    }
                }
            }
        }
    }
}

#[test]
fn no_binding_is_too_short() {
    // Texels are not bound by the byte: one window, where a buffer has many.
    let mut case = Case::new(limits(512, 256, None, 16384), Tuning::GPU, Cost::plain(1, true));
    case.pieces = texels(0, (64, 64), Texel::Number(0));
    assert_eq!(checked(&case, &case.planner()).passes.len(), 1);
    case.pieces = one(0, 0, 4096);
    assert!(checked(&case, &case.planner()).passes.len() > 32);
}

#[test]
fn texels_one_by_one_where_loops_leave_no_trips() {
    let cost = Cost { element_trips: 3000, longest: ("lift", 3000), ..Cost::plain(1, true) };
    for order in [Order::Striped, Order::Blocked] {
        let tuning = Tuning::GPU.with(|tuning| tuning.order = order);
        let mut case = Case::new(limits(BYTES_MAX, 256, None, 16384), tuning, cost.clone());
        for texel in [Texel::Number(2), Texel::Weighted] {
            case.pieces = texels(1, (77, 50), texel);
            let plan = checked(&case, &case.planner());
            assert_eq!(plan.passes[0].variant.load, Load::OneTexel(texel));
        }
    }
}

#[test]
fn textures_beside_buffers() {
    for limits in some_limits() {
        for tuning in some_tunings() {
            let mut case = Case::new(limits, tuning, Cost::plain(3, false));
            let parts = [
                texels(0, (31, 17), Texel::Weighted),
                one(1, 3, 500),
                texels(2, (3, 301), Texel::Number(1)),
                texels(3, (1, 1), Texel::Number(0)),
            ];
            case.pieces = parts.concat();
            checked_if_bound(&case, &case.planner());
        }
    }
}

#[test]
fn the_largest_textures() {
    let real = [(Tuning::GPU, (32, 32)), (Tuning::NVIDIA, (32, 32)), (Tuning::CPU, (8, 8))];
    for (turn, (tuning, lanes)) in real.into_iter().enumerate() {
        for (number, cost) in every_other(turn, &costs()).into_iter().enumerate() {
            let mut case = Case::new(limits(1 << 27, 256, Some(lanes), 32768), tuning, cost);
            // Each texel of a screen for some of them, of a small one for all.
            let screen = if number % 5 == 0 { (960, 540) } else { (320, 180) };
            for size in [screen, (16_384, 16_384), (32_768, 32_768), (32_768, 1), (1, 32_768)] {
                case.pieces = texels(0, size, whole_or(Texel::Number(0), &case.cost));
                let plan = checked(&case, &case.planner());
                let bound = |pass: &treefold::internals::Pass| {
                    pass.bindings.iter().any(|binding| binding.resource == Resource::Texture { number: 0 })
                };
                assert!(plan.passes.iter().all(|pass| bound(pass) == pass.variant.kernel.reads()), "{plan:?}");
            }
        }
    }
}
