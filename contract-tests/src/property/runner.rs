//! Tries properties on services that are made for one script each, and shrinks a script that breaks one.

use std::cell::RefCell;
use std::collections::BTreeMap;

use proptest::strategy::BoxedStrategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use svc_fixtures::contract::Operation;

use super::counterexample::{Counterexample, is_broken};
use super::definition::{Generator, Property, Script};
use super::replay::{ServiceFactory, judge, play};
use crate::capture::CapturedCase;
use crate::plan::Setting;
use crate::verdict;

/// How often a failing script is made smaller at most.
const MAX_SHRINKS: u32 = 1500;

/// How hard a law is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// So many times as many scripts as usual.
    pub times: u32,
    /// Which scripts: the same number gives the same ones.
    pub seed: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Effort { times: 1, seed: 0 }
    }
}

/// What was tried without a failure.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Trials {
    /// Scripts.
    pub scripts: usize,
    /// Calls in them.
    pub calls: usize,
    /// Scripts that ended early, since an identifier they were to carry was not issued.
    pub ended_early: usize,
    /// How the calls ended, and how many so: status and code, or status and what the envelope says.
    pub endings: BTreeMap<String, usize>,
}

impl Trials {
    fn count(&mut self, played: &[CapturedCase]) {
        self.scripts += 1;
        for case in played {
            self.calls += case.exchanges.len();
            self.ended_early += usize::from(case.stopped.is_some());
            for exchange in &case.exchanges {
                *self.endings.entry(verdict::ending(exchange)).or_default() += 1;
            }
        }
    }
}

/// Tries a law: with calls of one operation only, where one is named.
///
/// # Errors
/// The smallest script that was found to break it.
pub fn check_property<D: ServiceFactory>(
    property: &'static Property,
    setting: &Setting<'_>,
    services: &D,
    effort: Effort,
    only: Option<&str>,
) -> Result<Trials, Box<Counterexample>> {
    let mut attempt = Search {
        property,
        setting,
        services,
        effort,
        trials: Trials::default(),
    };
    match property.generator {
        Generator::Histories(strategy) => attempt.all(&strategy(setting), "")?,
        Generator::PerOperation(strategy) => {
            let wanted = |operation: &&Operation| only.is_none_or(|only| operation.id == only);
            for operation in setting.operations().filter(wanted) {
                attempt.all(&strategy(setting, operation), &operation.id)?;
            }
        }
    }
    Ok(attempt.trials)
}

struct Search<'a, D> {
    property: &'static Property,
    setting: &'a Setting<'a>,
    services: &'a D,
    effort: Effort,
    trials: Trials,
}

impl<D: ServiceFactory> Search<'_, D> {
    /// Tries the scripts of one strategy.
    fn all(
        &mut self,
        strategy: &BoxedStrategy<Script>,
        about: &str,
    ) -> Result<(), Box<Counterexample>> {
        let config = Config {
            cases: self.property.tries.saturating_mul(self.effort.times),
            failure_persistence: None,
            max_shrink_iters: MAX_SHRINKS,
            ..Config::default()
        };
        let seed = seed(self.property.id, about, self.effort.seed);
        let random = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        let mut runner = TestRunner::new_with_rng(config, random);
        let trials = RefCell::new(std::mem::take(&mut self.trials));
        let outcome = runner.run(strategy, |script| {
            let played = play(self.property.id, self.setting, self.services, &script);
            trials.borrow_mut().count(&played);
            let findings = judge(self.setting, Some(&script.case), &played);
            match findings.iter().find(|found| is_broken(found)) {
                None => Ok(()),
                Some(finding) => Err(TestCaseError::fail(format!("{:?}", finding.verdict))),
            }
        });
        self.trials = trials.into_inner();
        let Err(error) = outcome else { return Ok(()) };
        Err(Box::new(match error {
            TestError::Fail(_, script) => {
                let played = play(self.property.id, self.setting, self.services, &script);
                let findings = judge(self.setting, Some(&script.case), &played);
                Counterexample::new(self.property, self.setting, about, findings, played)
            }
            TestError::Abort(why) => {
                Counterexample::none_made(self.property, self.setting, about, why.message())
            }
        }))
    }
}

/// 32 bytes that depend on every letter and on the number.
fn seed(property: &str, about: &str, number: u64) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (lane, chunk) in bytes.chunks_mut(8).enumerate() {
        // FNV-1a, a lane each: all that is asked is that other names have other bytes.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ (lane as u64);
        let letters = property.bytes().chain([0]).chain(about.bytes()).chain([0]);
        for byte in letters.chain(number.to_le_bytes()) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        chunk.copy_from_slice(&hash.to_le_bytes());
    }
    bytes
}
