//! Renders the verdict on a signature as text for people and as JSON for programs.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::signature_diagnosis::{Certainty, Verdict};

/// The verdict as text; further lines begin with this indentation.
pub(in crate::cli) fn render_text(verdict: &Verdict, indent: &str) -> String {
    let diagnoses = match verdict {
        Verdict::Valid { age_s: age_s @ 0.. } => return format!("valid, signed {age_s} s ago"),
        Verdict::Valid { age_s } => {
            let ahead_s = age_s.unsigned_abs();
            return format!("valid, signed {ahead_s} s ahead of this clock");
        }
        Verdict::NotValid(diagnoses) => diagnoses,
    };
    let mut text = "NOT VALID".to_owned();
    for diagnosis in diagnoses {
        let certainty = match diagnosis.certainty {
            Certainty::Proven => "",
            Certainty::Suspected => "perhaps: ",
        };
        // Writing to a String does not fail.
        let _ = write!(
            text,
            "\n{indent}  {certainty}{}\n{indent}    why  {}\n{indent}    do   {}",
            diagnosis.seen, diagnosis.why, diagnosis.advice
        );
    }
    text
}

/// The verdict as JSON.
pub(in crate::cli) fn render_json(verdict: &Verdict) -> Value {
    match verdict {
        Verdict::Valid { age_s } => json!({"valid": true, "ageS": age_s, "diagnoses": []}),
        Verdict::NotValid(diagnoses) => {
            json!({"valid": false, "ageS": null, "diagnoses": diagnoses})
        }
    }
}

/// One line of JSON in ASCII, so that it stays JSON when the terminal's control characters are escaped.
pub(in crate::cli) fn json_line(value: &Value) -> String {
    let mut line = String::new();
    for character in value.to_string().chars() {
        match (' '..='~').contains(&character) {
            true => line.push(character),
            false => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    let _ = write!(line, "\\u{unit:04x}");
                }
            }
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_json_stays_json_whatever_it_says() {
        let value = json!({"a": "\u{1b}[31m\u{7f}\u{9b}\u{202e}\n\u{1f600}\u{e9}"});
        let line = json_line(&value);
        assert!(
            line.bytes().all(|byte| (b' '..=b'~').contains(&byte)),
            "{line}"
        );
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), value);
    }
}
