//! Plans against a model of what the kernels read and write: every element once, within every limit. No GPU.

mod any;
mod budget;
mod cases;
mod groups;
mod kernels;
mod lists;
mod loops;
mod model;
#[path = "../common/parts.rs"]
mod parts;
mod rows;
mod runs;
mod segments;
mod shares;
mod textures;
mod tournament;
mod views;
mod whole;
mod wrong;

use cases::Case;
use model::check;
use treefold::Error;
use treefold::internals::{Plan, Planner};

/// Plans, and follows the plan.
fn checked(case: &Case, planner: &Planner) -> Plan {
    let plan = case.plan(planner).unwrap_or_else(|error| panic!("{error}: {case:?}"));
    check(case, planner, &plan);
    plan
}

/// The same where partials may outgrow a short binding.
fn checked_if_bound(case: &Case, planner: &Planner) {
    match case.plan(planner) {
        Err(Error::LimitTooSmall { limit, value, needs }) => {
            assert_eq!((limit, value), ("max_storage_buffer_binding_size", case.limits.binding_bytes_max));
            assert!(needs > value && value < 1 << 14, "{case:?}");
        }
        _ => drop(checked(case, planner)),
    }
}
