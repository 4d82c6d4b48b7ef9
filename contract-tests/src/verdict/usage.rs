//! What the usage says, judged: by how much it grew, or what it is.

use std::collections::BTreeMap;

use svc_fixtures::contract::Paise;
use svc_fixtures::json::Json;

use super::answer::Answer;
use super::finding::Findings;
use crate::plan::{UsageFigures, UsageRow};

/// The rows of a usage answer, where it is one.
pub(crate) fn rows(data: &Json<'_>) -> Option<BTreeMap<String, UsageFigures>> {
    let rows = data.get("endpoints")?.as_list()?.iter();
    rows.map(|row| Some((row.get("endpoint")?.as_text()?.to_owned(), figures(row)?)))
        .collect()
}

/// The figures of one row, or of the totals.
fn figures(row: &Json<'_>) -> Option<UsageFigures> {
    let count = |name: &str| row.get(name)?.as_int();
    Some(UsageFigures {
        row: UsageRow {
            calls: count("calls")?,
            completed: count("completed")?,
            no_record: count("noRecord")?,
            failed: count("failed")?,
        },
        billed: count("billed")?,
        amount: Paise::from_rupees(row.get("amount")?.as_num()?)?,
    })
}

/// Judges whether the usage has just these rows, and totals that are their sum.
pub(super) fn is(
    findings: &mut Findings<'_>,
    clause: &str,
    answer: &Answer<'_>,
    expected: &BTreeMap<String, UsageFigures>,
) {
    let data = answer.at(&["data"]);
    let found = data.and_then(rows).unwrap_or_default();
    let shown = |row: Option<&UsageFigures>| row.map_or("nothing".to_owned(), ToString::to_string);
    for endpoint in expected.keys().chain(found.keys()) {
        let (expected, found) = (expected.get(endpoint), found.get(endpoint));
        let about = format!("the usage of {endpoint}");
        findings.equal(clause, &about, shown(expected), shown(found));
    }
    let mut sum = UsageFigures::default();
    expected.values().for_each(|row| sum.add(row));
    let totals = data.and_then(|data| data.get("totals")).and_then(figures);
    findings.equal(
        clause,
        "`data.totals`",
        shown(Some(&sum)),
        shown(totals.as_ref()),
    );
}

/// Judges by how much the usage has grown.
pub(super) fn grew(
    findings: &mut Findings<'_>,
    clause: &str,
    before: &Answer<'_>,
    between: &[Result<Answer<'_>, String>],
    after: &Answer<'_>,
    endpoint: &str,
    by: &UsageRow,
) {
    let figure = |answer: &Answer<'_>, name: &str| {
        usage_row(answer, endpoint).and_then(|row| row.get(name)?.as_num())
    };
    let grown = |name: &str| {
        let grown =
            figure(after, name).unwrap_or(f64::NAN) - figure(before, name).unwrap_or_default();
        (grown * 100.0).round()
    };
    let charged = |answer: &&Answer<'_>| answer.text(&["endpoint"]) == endpoint && answer.charged();
    let mine = between.iter().flatten().filter(charged);
    let (billed, amount) = mine.fold((0, Paise::ZERO), |(count, sum), answer| {
        let amount = answer.paise(&["billing", "amount"]).unwrap_or_default();
        (count + 1, sum.checked_add(amount).unwrap_or(sum))
    });
    for (name, expected) in [
        ("calls", by.calls * 100),
        ("completed", by.completed * 100),
        ("noRecord", by.no_record * 100),
        ("failed", by.failed * 100),
        ("billed", billed * 100),
        ("amount", amount.0),
    ] {
        #[expect(clippy::cast_precision_loss, reason = "these are small figures")]
        let fits = (grown(name) - expected as f64).abs() < 0.5;
        let about = format!("the growth of `{name}` of {endpoint}");
        findings.must(clause, fits, &about, Paise(expected), grown(name) / 100.0);
    }
}

fn usage_row<'j>(answer: &'j Answer<'_>, endpoint: &str) -> Option<&'j Json<'j>> {
    let rows = answer.at(&["data", "endpoints"])?.as_list()?;
    rows.iter()
        .find(|row| row.get("endpoint").and_then(Json::as_text) == Some(endpoint))
}
