//! How one text differs from another, line by line.

use std::fmt;

use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::udiff::UnifiedHunkHeader;
use similar::{Change, ChangeTag, DiffOp, group_diff_ops};

/// So many equal lines are shown around what differs.
const AROUND: usize = 3;

/// Two texts, and what differs.
pub(crate) struct LineDiff<'t> {
    old: Vec<&'t str>,
    new: Vec<&'t str>,
    steps: Vec<DiffOp>,
}

impl<'t> LineDiff<'t> {
    /// Compares two texts.
    pub(crate) fn new(old: &'t str, new: &'t str) -> Self {
        let lines = |text: &'t str| text.split_inclusive('\n').collect::<Vec<_>>();
        let (old, new) = (lines(old), lines(new));
        // One algorithm by its name: the crate's front door brings all five, which are 0.7 MB of program.
        let mut found = Compact::new(Replace::new(Capture::new()), &old, &new);
        let Ok(()) = myers::diff(&mut found, &old, 0..old.len(), &new, 0..new.len());
        let steps = found.into_inner().into_inner().into_ops();
        LineDiff { old, new, steps }
    }

    /// Each line, with what becomes of it.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (ChangeTag, &'t str)> {
        self.changes(&self.steps)
    }

    fn changes(&self, steps: &[DiffOp]) -> impl Iterator<Item = (ChangeTag, &'t str)> {
        let changes = steps
            .iter()
            .flat_map(|step| step.iter_changes(&self.old, &self.new));
        changes.map(|change: Change<&'t str>| (change.tag(), change.value()))
    }

    /// What differs and the lines around it, as `diff -u` shows it.
    pub(crate) fn unified(&self, old: &str, new: &str) -> String {
        Unified(self, old, new).to_string()
    }
}

struct Unified<'d>(&'d LineDiff<'d>, &'d str, &'d str);

impl fmt::Display for Unified<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unified(diff, old, new) = self;
        for (at, steps) in group_diff_ops(diff.steps.clone(), AROUND)
            .iter()
            .enumerate()
        {
            if at == 0 {
                write!(out, "--- {old}\n+++ {new}\n")?;
            }
            writeln!(out, "{}", UnifiedHunkHeader::new(steps))?;
            for (tag, line) in diff.changes(steps) {
                write!(out, "{tag}{line}")?;
                if !line.ends_with('\n') {
                    out.write_str("\n\\ No newline at end of file\n")?;
                }
            }
        }
        Ok(())
    }
}
