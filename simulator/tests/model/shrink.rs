//! Cuts a life that fails down to the steps that matter.

use crate::step::Step;

/// So many lives are lived to find a shorter one.
const TRIES: usize = 600;

/// The shortest life found that still fails, printed, and how it fails.
pub(crate) fn shortest(
    steps: &[Step],
    fails: impl Fn(&[Step]) -> Option<(usize, String)>,
) -> String {
    let (mut steps, mut why) = (steps.to_vec(), String::new());
    let (mut chunk, mut tries) = (steps.len().div_ceil(2), 0);
    while chunk > 0 && tries < TRIES {
        let (mut at, mut cut) = (0, false);
        while at < steps.len() && tries < TRIES {
            let mut shorter = steps.clone();
            shorter.drain(at..(at + chunk).min(steps.len()));
            tries += 1;
            match fails(&shorter).filter(|_| !shorter.is_empty()) {
                Some((last, failure)) => {
                    shorter.truncate(last + 1);
                    (steps, why, cut) = (shorter, failure, true);
                }
                None => at += chunk,
            }
        }
        chunk = match (chunk, cut) {
            (1, true) => 1,
            (chunk, _) => chunk / 2,
        };
    }
    let printed = steps.iter().map(|step| format!("  {step:?}\n"));
    format!(
        "{} steps of it fail so: {why}\n{}",
        steps.len(),
        printed.collect::<String>()
    )
}
