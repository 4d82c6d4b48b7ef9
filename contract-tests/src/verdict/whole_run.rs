//! What is judged over a whole run, whatever case shows it.

use super::again::AnsweredInputs;
use super::finding::Finding;
use super::issued::IssuedIds;
use super::standing_clock::StandingClock;
use crate::capture::{Capture, CapturedCase};
use crate::plan::Setting;

/// What a run has shown so far.
#[derive(Debug, Default)]
pub struct WholeRun {
    ids: IssuedIds,
    inputs: AnsweredInputs,
    clock: StandingClock,
}

impl WholeRun {
    /// That of a saved capture.
    #[must_use]
    pub fn of_saved(capture: &Capture) -> Self {
        WholeRun {
            inputs: AnsweredInputs::of_saved(capture),
            ..WholeRun::default()
        }
    }

    /// Takes in what was captured of a case; answers what it shows beside what came before.
    pub fn take(&mut self, setting: &Setting<'_>, captured: &CapturedCase) -> Vec<Finding> {
        let mut found = self.ids.take(setting.contract, captured);
        found.extend(self.inputs.take(setting, captured));
        found.extend(self.clock.take(setting, captured));
        found
    }
}
