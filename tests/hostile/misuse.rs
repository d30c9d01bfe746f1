//! Ranges and answers that nobody should ask for.

use super::noop::{buffer, instance, plain};
use treefold::ops::{FastMean, Max};
use treefold::{Acc, DeviceAnswer, Error, Input, Op, Reducer, WordType};

#[test]
#[allow(clippy::reversed_empty_ranges)]
fn a_range_that_ends_before_it_begins() {
    let on = plain(&instance());
    let data = buffer(&on.0, 64);
    let max = Reducer::<f32, _>::new(&on.0, &on.1, Max).expect("a reducer");
    for (range, first, last) in [(5..3, 20, 12), (1 << 40..3, 1 << 42, 12), (u64::MAX..0, u64::MAX, 0)] {
        let error = max.reduce(Input::range(&data, range)).expect_err("an error");
        assert!(matches!(error, Error::Backwards { begin, end, .. } if (begin, end) == (first, last)), "{error:?}");
        let told = error.to_string();
        assert!(told.contains("order") && told.contains(&format!("byte {first}")), "{told}");
    }
}

#[derive(Clone, Debug)]
struct Own(DeviceAnswer);

impl Op<f32> for Own {
    type Fold = <FastMean as Op<f32>>::Fold;
    type Output = f32;

    fn name(&self) -> &'static str {
        "own"
    }
    fn fold(&self) -> Self::Fold {
        FastMean.fold()
    }
    fn finish(&self, _: Acc<f32, Self>, _: u64) -> treefold::Result<f32> {
        Ok(0.0)
    }
    fn answer(&self) -> Option<DeviceAnswer> {
        Some(self.0.clone())
    }
}

/// As many words as are declared, neither none nor fewer nor more.
#[test]
fn answers_of_the_wrong_number_of_words() {
    let on = plain(&instance());
    let words = |n: usize| (0..n).map(|_| ("word", WordType::U32));
    for declared in 0..4 {
        for given in 0..4 {
            let list = vec!["count.x"; given].join(", ");
            let answer = DeviceAnswer::new(words(declared), format!("return array<u32, {given}>({list});"));
            let made = Reducer::<f32, _>::new(&on.0, &on.1, Own(answer));
            match made {
                Ok(reducer) => {
                    assert!(declared == given && given > 0, "{declared} declared, {given} given");
                    assert_eq!(reducer.answer_words(), given);
                }
                Err(error) => {
                    assert!(declared != given || given == 0, "{error}");
                    match (declared, error) {
                        (0, Error::NoAnswerWords { operator: "own" }) => {}
                        (1.., Error::BadWgsl { message, .. } | Error::Refused { message, .. }) => {
                            assert!(message.contains("return") || message.contains("array"), "{message}");
                        }
                        (_, error) => panic!("{declared} declared, {given} given: {error:?}"),
                    }
                }
            }
        }
    }
}
