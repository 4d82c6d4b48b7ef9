//! Finding the PIN of an address: six digits, the first not 0, together or three and three.

use std::ops::Range;

/// Where the first PIN of the text is, and its six digits.
pub(super) fn find(text: &str) -> Option<(Range<usize>, String)> {
    let runs = digit_runs(text);
    for (at, run) in runs.iter().enumerate() {
        if text[run.start..].starts_with('0') {
            continue;
        }
        if run.len() == 6 {
            return Some((run.clone(), text[run.clone()].to_owned()));
        }
        // Two numbers of three digits with a space between them; of three such the last two.
        let follows = |run: &Range<usize>, next: Option<&Range<usize>>| {
            next.filter(|next| next.len() == 3 && &text[run.end..next.start] == " ")
                .cloned()
        };
        if run.len() == 3
            && let Some(next) = follows(run, runs.get(at + 1))
            && follows(&next, runs.get(at + 2)).is_none()
        {
            let digits = [&text[run.clone()], &text[next.clone()]].concat();
            return Some((run.start..next.end, digits));
        }
    }
    None
}

fn digit_runs(text: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        match runs.last_mut() {
            _ if !byte.is_ascii_digit() => {}
            Some(run) if run.end == at => run.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pin_is_six_digits_that_do_not_begin_with_zero() {
        for (text, pin) in [
            ("BENGALURU 560038", Some("560038")),
            ("BENGALURU-560 038.", Some("560038")),
            ("560038, 560039", Some("560038")),
            ("FLAT 101 560 038", Some("560038")),
            ("PHONE 9876543210, 560038", Some("560038")),
            ("060038", None),
            ("056 038", None),
            ("56003", None),
            ("5600381", None),
            ("560  038", None),
            ("५६००३८", None),
            ("é560038é", Some("560038")),
            ("", None),
        ] {
            assert_eq!(find(text).map(|(_, pin)| pin).as_deref(), pin, "{text}");
        }
    }
}
