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

#[path = "../examples/05_softmax.rs"]
#[allow(dead_code)]
mod softmax;

#[path = "../examples/06_layer_norm.rs"]
#[allow(dead_code)]
mod layer_norm;

#[path = "../examples/07_auto_exposure.rs"]
#[allow(dead_code)]
mod auto_exposure;

#[path = "../examples/08_weather.rs"]
#[allow(dead_code)]
mod weather;

#[path = "../examples/09_particles.rs"]
#[allow(dead_code)]
mod particles;

#[path = "../examples/10_mapped.rs"]
#[allow(dead_code)]
mod mapped;

#[path = "../examples/11_own_element.rs"]
#[allow(dead_code)]
mod own_element;

use treefold::{Fold, Gpu};

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
fn mapped_runs() {
    mapped::main().expect("functions of elements");
}

#[test]
fn own_element_runs() {
    own_element::main().expect("an element type of a program's own");
}

#[test]
fn largest_prime_runs() {
    largest_prime::main().expect("the prime");
}

#[test]
fn softmax_runs() {
    softmax::main().expect("the probabilities");
}

#[test]
fn layer_norm_runs() {
    layer_norm::main().expect("the rows");
}

#[test]
fn auto_exposure_runs() {
    auto_exposure::main().expect("the frame");
}

#[test]
fn weather_runs() {
    weather::main().expect("the means");
}

#[test]
fn particles_runs() {
    particles::main().expect("the box");
}

#[test]
fn own_operator_is_right_on_the_adapter_at_every_length() {
    let gpu = Gpu::new().expect("an adapter");
    let mut state = 1u32;
    for n in [0, 1, 2, 63, 64, 65, 1000, 4097, 70_001] {
        let next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 31) as i32
        };
        let data: Vec<i32> = std::iter::repeat_with(next).take(n).collect();
        let fold = own_operator::LongestRun;
        let acc = data.iter().fold(fold.identity(), |acc, &x| fold.combine(acc, fold.lift(x, 0)));
        assert_eq!(gpu.reduce(own_operator::LongestRun, &data).expect("an answer"), acc.best, "{n}");
    }
    treefold::check::<i32, _>(&gpu, &own_operator::LongestRun).expect("two halves that agree");
}

#[test]
fn largest_prime_is_right_wherever_its_loop_is_longest() {
    // 999,983 takes all of its trips; what is not below a million is not looked at.
    let data = [999_983, 994_009, 1_000_003, 2, 0, 1, 4, u32::MAX];
    let gpu = Gpu::new().expect("an adapter");
    assert_eq!(gpu.reduce(largest_prime::LargestPrime, &data).expect("an answer"), 999_983);
    treefold::check::<u32, _>(&gpu, &largest_prime::LargestPrime).expect("two halves that agree");
}
