//! The rolled-up risk of a bundle: points for what its steps say.

use svc_fixtures::contract::RiskPart;
use svc_fixtures::json::Json;

use super::StepDrawn;
use super::draw::ends_with;

/// The score of a bundle's steps, 0 to 100: the points its row gives for what they say. A step
/// that said nothing adds nothing.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    reason = "a number from 0 to 100 is no larger than its type"
)]
pub fn risk_score(parts: &[RiskPart], steps: &[StepDrawn]) -> i64 {
    let points = |part: &RiskPart| {
        let mut steps = steps.iter();
        let step = steps.find(|step| *step.matter.endpoint == *part.step)?;
        let data = Json::parse(ends_with(&step.drawn)?).ok()?;
        let value = data.get(&part.member)?;
        let yes = f64::from(u8::from(value.as_bool() == Some(true)));
        Some(value.as_num().unwrap_or(yes) * part.points)
    };
    let sum: f64 = parts.iter().filter_map(points).sum();
    sum.clamp(0.0, 100.0).round() as i64
}

/// Which level a score is.
#[must_use]
pub fn risk_level(score: i64) -> &'static str {
    match score {
        ..40 => "LOW",
        40..70 => "MEDIUM",
        _ => "HIGH",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_begins_at_its_border() {
        let levels = [0, 39, 40, 69, 70, 100].map(risk_level);
        assert_eq!(levels, ["LOW", "LOW", "MEDIUM", "MEDIUM", "HIGH", "HIGH"]);
    }
}
