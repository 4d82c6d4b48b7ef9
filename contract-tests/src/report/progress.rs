//! Live progress on a terminal. Shown on stderr and removed when the run is over; the reports say the rest.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::counted;
use crate::event::Event;

/// A bar on stderr, where that is a terminal.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// On stderr, where a person looks at it; with colours unless `NO_COLOR` is set.
    #[must_use]
    pub fn on_stderr() -> Self {
        let target = match io::stderr().is_terminal() {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let colours = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Progress::on(target, if colours { COLOURED } else { PLAIN })
    }

    fn on(target: ProgressDrawTarget, template: &str) -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), target);
        let style = ProgressStyle::with_template(template).expect("a template that a test reads");
        bar.set_style(style.progress_chars("=> "));
        Progress { bar }
    }

    /// Shows what happened.
    pub fn take(&self, event: &Event) {
        match event {
            Event::RunStarted(started) => self.bar.set_length(started.cases as u64),
            Event::CheckStarted { check, cases } => {
                let cases = counted(*cases, "case");
                self.bar.set_message(format!("{check} ({cases})"));
            }
            Event::CaseFinished(_) => self.bar.inc(1),
            Event::CheckFinished(_) => {}
            Event::StaleDeviation(_) => {}
            Event::RunFinished(_) => self.bar.finish_and_clear(),
        }
    }

    /// Prints something while the bar is out of the way.
    pub fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }
}

const COLOURED: &str = "{bar:24.green} {pos}/{len} cases, {eta} left {wide_msg:.dim}";
const PLAIN: &str = "{bar:24} {pos}/{len} cases, {eta} left {wide_msg}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sample;
    use indicatif::InMemoryTerm;

    fn shown(template: &str, events: &[Event]) -> String {
        let term = InMemoryTerm::new(4, 72);
        let target = ProgressDrawTarget::term_like(Box::new(term.clone()));
        let progress = Progress::on(target, template);
        for event in events {
            progress.take(event);
        }
        progress.bar.force_draw();
        term.contents()
    }

    #[test]
    fn the_bar_shows_the_check_that_is_run_and_is_gone_in_the_end() {
        let events = sample::events();
        let begun = shown(PLAIN, &events[..6]);
        // How long it takes is the machine's business.
        let (before, after) = begun.split_once(", ").expect("what is left");
        assert_eq!(before.trim_start_matches(['=', '>', ' ']), "2/7 cases");
        assert!(after.ends_with("s left one.is-broken (2 cases)"), "{after}");
        assert_eq!(shown(PLAIN, &events), "");
        assert!(shown(COLOURED, &events[..6]).contains("2/7"));
    }
}
