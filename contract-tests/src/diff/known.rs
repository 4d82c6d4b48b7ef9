//! Differences that are known: a list with a reason for each, and the day until which it holds. Reads the list and
//! marks differences by it; knows no clock.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::civil::Date;
use svc_fixtures::reading::{Location, Problems, Source, Table};

use super::finding::{Comparison, Difference, Kind};

/// The known differences.
#[derive(Debug, Clone, Default)]
pub struct KnownDifferences {
    entries: Vec<KnownDifference>,
}

#[derive(Debug, Clone)]
struct KnownDifference {
    kind: Kind,
    what: String,
    /// The operations it is known of; none for all.
    operations: Vec<String>,
    left: Option<String>,
    right: Option<String>,
    reason: String,
    until: Date,
    place: Location,
}

impl KnownDifferences {
    /// Reads a list.
    ///
    /// # Errors
    /// Every mistake of the file.
    pub fn read(source: &Arc<Source>) -> Result<Self, Problems> {
        let (entries, problems) = Table::of_source(source, |root| {
            let tables = root.tables("known").into_iter();
            let entries = tables.filter_map(|table| {
                let entry = entry(&table);
                table.done();
                entry
            });
            entries.collect::<Vec<_>>()
        });
        problems.or(KnownDifferences { entries })
    }

    /// Marks what is known on this day; answers what is to be said of the list: entries that are over, and those that
    /// nothing fits any more where everything was compared.
    #[must_use]
    pub fn mark(&self, comparison: &mut Comparison, today: Date, everything: bool) -> Vec<String> {
        let mut notes = Vec::new();
        let mut found = BTreeSet::new();
        for difference in &mut comparison.differences {
            let entries = self.entries.iter().enumerate();
            let entries = entries.filter(|(_, entry)| entry.is_about(difference));
            let (places, entries): (Vec<usize>, Vec<_>) = entries.unzip();
            found.extend(places);
            notes.extend(judge(&entries, difference, today));
        }
        let entries = self.entries.iter().enumerate();
        let unused = entries.filter(|(place, _)| everything && !found.contains(place));
        notes.extend(unused.map(|(_, entry)| {
            entry.note(
                "this difference is known, and is there no more",
                "take the entry out",
            )
        }));
        notes
    }
}

/// Marks a difference as known where these entries, which are about it, name all of its operations between them.
/// Answers what is to be said of the entries where they do not.
fn judge(entries: &[&KnownDifference], difference: &mut Difference, today: Date) -> Vec<String> {
    let Some(first) = entries.first() else {
        return Vec::new();
    };
    let (holding, over): (Vec<&KnownDifference>, Vec<_>) =
        entries.iter().partition(|entry| entry.until >= today);
    let unnamed = |entries: &[&KnownDifference]| {
        let all = difference.operations.iter();
        let unnamed = all.filter(|id| !entries.iter().any(|entry| entry.names(id)));
        unnamed.cloned().collect::<Vec<_>>()
    };
    let others = unnamed(entries);
    if !others.is_empty() {
        let message = format!(
            "this was known of fewer operations: it is in {}, too",
            listed(&others)
        );
        let hint = "name these as well, or have it put right";
        return vec![first.note(&message, hint)];
    }
    if holding.is_empty() || !unnamed(&holding).is_empty() {
        let notes = over.iter().map(|entry| {
            entry.note(
                &format!("this was known until {}, and counts again", entry.until),
                "give it a later day, or have it put right",
            )
        });
        return notes.collect();
    }
    let reasons = holding.iter();
    let reasons: Vec<_> = reasons
        .map(|entry| format!("{}, until {}", entry.reason, entry.until))
        .collect();
    difference.known = Some(reasons.join("; "));
    Vec::new()
}

impl KnownDifference {
    /// Whether it is known of this operation.
    fn names(&self, operation: &String) -> bool {
        self.operations.is_empty() || self.operations.contains(operation)
    }

    /// Whether it is this difference that is known, of any of its operations.
    fn is_about(&self, difference: &Difference) -> bool {
        let known = |side: &Option<String>, found: &str| side.as_ref().is_none_or(|it| it == found);
        let mut all = difference.operations.iter();
        self.kind == difference.kind
            && self.what == difference.what
            && known(&self.left, &difference.left)
            && known(&self.right, &difference.right)
            && (difference.operations.is_empty() || all.any(|id| self.names(id)))
    }

    fn note(&self, message: &str, hint: &str) -> String {
        self.place.problem(message).hint(hint).to_string()
    }
}

/// The first few of many names, and how many more there are.
fn listed(names: &[String]) -> String {
    let first = names.len().min(3);
    let rest = names.len() - first;
    let shown = names[..first].join(", ");
    match rest {
        0 => shown,
        _ => format!("{shown} and {rest} more"),
    }
}

fn entry(table: &Table<'_>) -> Option<KnownDifference> {
    let kinds = Kind::ALL.into_iter();
    let kind = table.required("kind")?;
    let kind = kind.one_of("kind of difference", kinds.map(|kind| (kind.word(), kind)));
    let what = table.text("what");
    let reason = table.text("reason");
    let until = table.required("until");
    let until = until.and_then(|item| {
        let day = item.text()?.parse::<Date>();
        if day.is_err() {
            item.problem_with_hint("`until` is a day", "such as \"2027-03-31\"");
        }
        day.ok()
    });
    let texts = |name| table.optional_text(name).map(str::to_owned);
    let operations = table.texts("operations").into_iter().map(str::to_owned);
    let (left, right, operations) = (texts("left"), texts("right"), operations.collect());
    if reason.is_some_and(|reason| reason.trim().is_empty()) {
        table.problem("`reason` is empty: say why it is known");
    }
    Some(KnownDifference {
        kind: kind?,
        what: what?.to_owned(),
        operations,
        left,
        right,
        reason: reason?.to_owned(),
        until: until?,
        place: table.location(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: &str = "[[known]]\nkind = \"member\"\nwhat = \"data.photo\"\noperations = [\"a.b\"]\n\
                         reason = \"asked for\"\nuntil = \"2027-03-31\"\n";

    fn found(text: &str, day: &str, operations: &[&str]) -> (bool, Vec<String>) {
        let known = KnownDifferences::read(&Source::new("known.toml", text));
        let known = known.unwrap_or_else(|problems| panic!("{problems}"));
        let mut difference =
            Difference::new(Kind::Member, "data.photo", "is there", "is not there");
        difference.operations = operations.iter().map(|id| (*id).to_owned()).collect();
        let mut comparison = Comparison {
            differences: vec![difference],
            ..Comparison::default()
        };
        let notes = known.mark(&mut comparison, day.parse().expect("a day"), true);
        (comparison.news().next().is_none(), notes)
    }

    #[test]
    fn what_is_known_does_not_count_until_its_day_is_over_or_it_is_elsewhere_too() {
        assert_eq!(found(ENTRY, "2027-03-31", &["a.b"]), (true, vec![]));
        let (known, notes) = found(ENTRY, "2027-04-01", &["a.b"]);
        assert!(
            !known && notes[0].contains("known until 2027-03-31, and counts again"),
            "{notes:?}"
        );
        for (operations, said) in [
            (&["a.b", "a.c"][..], "it is in a.c, too"),
            (
                &["a.b", "a.c", "a.d", "a.e", "a.f"],
                "it is in a.c, a.d, a.e and 1 more, too",
            ),
            (&["a.c"], "is there no more"),
        ] {
            let (known, notes) = found(ENTRY, "2027-03-31", operations);
            assert!(!known && notes[0].contains(said), "{notes:?}");
        }
    }

    #[test]
    fn what_several_entries_name_between_them_is_known_while_all_of_them_hold() {
        let other = ENTRY.replace("a.b", "a.c").replace("asked for", "accepted");
        let both = format!("{ENTRY}{other}");
        assert_eq!(found(&both, "2027-03-31", &["a.b", "a.c"]), (true, vec![]));
        let (known, notes) = found(&both, "2027-03-31", &["a.b", "a.c", "a.d"]);
        assert!(
            !known && notes.len() == 1 && notes[0].contains("it is in a.d, too"),
            "{notes:?}"
        );
        let sooner = other.replace("2027", "2026");
        let (known, notes) = found(&format!("{ENTRY}{sooner}"), "2027-03-31", &["a.b", "a.c"]);
        assert!(
            !known && notes.len() == 1 && notes[0].contains("known until 2026-03-31"),
            "{notes:?}"
        );
    }

    #[test]
    fn a_list_with_mistakes_says_where() {
        let text = ENTRY
            .replace("member", "membr")
            .replace("2027-03-31", "soon");
        let problems = KnownDifferences::read(&Source::new("known.toml", text.as_str()));
        let text = problems.err().map(|it| it.to_string()).unwrap_or_default();
        assert!(text.contains("--> known.toml:2:8"), "{text}");
        assert!(text.contains("did you mean `member`?"), "{text}");
        assert!(text.contains("`until` is a day"), "{text}");
    }
}
