//! The binary killed at any moment, and gone on with, by a service that tells the truth or lies about every
//! charge: what the service itself counts stays within the budget.

use std::io::Read as _;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use svc_fixtures::contract::Environment;

use crate::server::{Bank, Reply, Server, both, fresh_file, lying, run};

const BUDGET_PAISE: i64 = 12_050;

/// When a process is killed: at which request, and whether that one was executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    BeforeExecution,
    AfterExecution,
}

/// A number that depends on nothing but those before it.
fn draw(state: &mut u64) -> usize {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*state >> 40).expect("24 bits")
}

/// What the service says of its charges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Honesty {
    Honest,
    Lying,
}

struct Killer {
    honesty: Honesty,
    lies: Mutex<u64>,
    child: Mutex<Option<Child>>,
    requests_left: AtomicUsize,
    moment: Mutex<Moment>,
}

impl Killer {
    fn kill(&self) {
        let mut child = self.child.lock().expect("nobody panicked");
        let child = child.as_mut().expect("it sent this request");
        child.kill().expect("it can be killed");
    }

    fn answer(&self, bank: &Bank, sent: &svc_test_support::Request) -> Reply {
        let left = self.requests_left.fetch_sub(1, Ordering::SeqCst);
        if left != 1 {
            return self.told(bank.answer(Environment::Live, sent));
        }
        let moment = *self.moment.lock().expect("nobody panicked");
        if moment == Moment::BeforeExecution {
            self.kill();
            return Reply::IsSilent;
        }
        let answer = bank.answer(Environment::Live, sent);
        self.kill();
        // The answer of a call that was executed gets lost with the process.
        drop(answer);
        Reply::HangsUp
    }

    /// What the service says of it.
    fn told(&self, answer: Reply) -> Reply {
        if self.honesty == Honesty::Honest {
            return answer;
        }
        let lie = draw(&mut self.lies.lock().expect("nobody panicked")) % 6;
        match lie {
            0 => answer,
            1 => lying(answer, None, false, "0"),
            2 => lying(answer, None, true, "0.01"),
            3 => lying(answer, Some("failed"), false, "0"),
            4 => lying(answer, Some("pending"), false, "0"),
            _ => lying(answer, Some("odd"), false, "-5"),
        }
    }

    /// Runs to the end or to the kill; answers what it said.
    fn run(&self, mut command: std::process::Command, after: usize, moment: Moment) -> String {
        *self.moment.lock().expect("nobody panicked") = moment;
        self.requests_left.store(after, Ordering::SeqCst);
        let mut stderr = {
            let mut child = self.child.lock().expect("nobody panicked");
            let command = command.stdout(Stdio::null()).stderr(Stdio::piped());
            let child = child.insert(command.spawn().expect("the binary starts"));
            child.stderr.take().expect("it is piped")
        };
        let mut problems = String::new();
        stderr.read_to_string(&mut problems).expect("text");
        let child = self.child.lock().expect("nobody panicked").take();
        child.expect("it was started").wait().expect("it ends");
        problems
    }
}

fn killed_and_resumed(seed: u64, honesty: Honesty) {
    let bank = Bank::new();
    let sandbox = both(&bank).0;
    let killer = Arc::new(Killer {
        honesty,
        lies: Mutex::new(seed),
        child: Mutex::new(None),
        requests_left: AtomicUsize::new(0),
        moment: Mutex::new(Moment::AfterExecution),
    });
    let (behind, watch) = (Arc::clone(&bank), Arc::clone(&killer));
    let live = Server::start(move |sent| watch.answer(&behind, sent));
    let file = fresh_file(&format!("killed-{honesty:?}-{seed}"));
    let mut state = seed;
    let mut last = String::new();
    for round in 0..10 {
        let mut command = run(&sandbox, &live);
        command.args(["--tag", "live", "--jobs", "3", "--budget-inr", "120.50"]);
        command.args(["--spend-file", &file]);
        if round > 0 {
            command.arg("--resume");
        }
        let moments = [Moment::BeforeExecution, Moment::AfterExecution];
        let moment = moments[draw(&mut state) % moments.len()];
        // The last round is left alone, so that it comes to its own end.
        let after = if round == 9 {
            usize::MAX
        } else {
            1 + draw(&mut state) % 9
        };
        let problems = killer.run(command, after, moment);
        let charged = bank.charged();
        assert!(
            charged <= BUDGET_PAISE,
            "{charged} paise, round {round}: {problems}"
        );
        last = problems;
    }
    assert!(bank.charged() > 0, "something was sent");
    assert!(last.contains(" INR of 120.5 INR"), "{last}");
}

#[test]
fn a_run_that_is_killed_and_gone_on_with_never_spends_more_than_its_budget() {
    // Processes start and end: they leave time for each other.
    std::thread::scope(|scope| {
        for (seed, honesty) in [
            (1, Honesty::Honest),
            (20, Honesty::Lying),
            (300, Honesty::Lying),
            (4000, Honesty::Lying),
        ] {
            scope.spawn(move || killed_and_resumed(seed, honesty));
        }
    });
}
