//! The examples, run as they stand.

#[path = "../examples/01_sum.rs"]
#[allow(dead_code)]
mod sum;

#[path = "../examples/02_in_a_frame.rs"]
#[allow(dead_code)]
mod in_a_frame;

#[path = "../examples/03_own_operator.rs"]
#[allow(dead_code)]
mod own_operator;

#[path = "../examples/04_largest_prime.rs"]
#[allow(dead_code)]
mod largest_prime;

mod common;

#[test]
fn sum_runs() {
    sum::main().expect("the sum");
}

#[test]
fn in_a_frame_runs() {
    in_a_frame::main().expect("the frame");
}

#[test]
fn own_operator_runs() {
    own_operator::main().expect("the longest run");
}

#[test]
fn largest_prime_runs() {
    largest_prime::main().expect("the prime");
}

#[test]
fn own_operator_is_right_on_the_adapter_at_every_length() {
    for n in [0, 1, 2, 63, 64, 65, 1000, 4097, 70_001] {
        let data: Vec<i32> = common::Random(n as u64).elements::<u32>(n).iter().map(|x| (x % 2) as i32).collect();
        let want = common::plain_fold(&own_operator::LongestRun, &data).expect("a fold");
        assert_eq!(common::gpu().reduce(own_operator::LongestRun, &data).expect("an answer"), want, "{n}");
    }
}
