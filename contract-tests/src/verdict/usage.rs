//! What the usage says, judged: by how much it grew, or what it is.

use std::collections::{BTreeMap, BTreeSet};

use svc_fixtures::contract::Paise;
use svc_fixtures::json::Json;

use super::answer::{Answer, Answers, NOTHING_BEFORE, earlier};
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

const NOT_TOLD: &str =
    "the usage does not show just these calls of the endpoint: its shape is not specified";

/// Judges whether the numbers that stand beside an endpoint show what its calls were charged: some member grew by that
/// from the first usage to the second, and from there to the last. What is not told yet, or of others, too, is not judged.
pub(super) fn spend(
    findings: &mut Findings<'_>,
    clause: &str,
    answers: &Answers<'_>,
    steps: [usize; 3],
    endpoint: &str,
) {
    let Some([first, second, last]) = usages(answers, steps) else {
        return findings.skip(NOTHING_BEFORE);
    };
    let [first, second, last] = [first, second, last].map(|it| numbers(it, endpoint));
    let growths = [grown(&first, &second), grown(&second, &last)];
    let charged = [[steps[0], steps[1]], [steps[1], steps[2]]].map(|[from, to]| {
        let between = answers.get(from + 1..to).unwrap_or_default();
        let ids = between
            .iter()
            .flatten()
            .map(|it| it.text(&["verificationId"]));
        let executed = ids.collect::<BTreeSet<_>>().len();
        let refused = |it: &&Answer<'_>| {
            (400..500).contains(&it.response.status) && it.response.status != 422
        };
        let refused = between.iter().flatten().filter(refused).count();
        // Whether a replay is a call is not specified, nor whether what was refused is one.
        let calls = [executed, between.len(), executed - refused].map(whole);
        (calls, Answer::sum(between.iter().flatten(), 0))
    });
    let shows_them = growths
        .iter()
        .zip(&charged)
        .all(|(growth, (calls, _))| growth.values().any(|grown| calls.contains(grown)));
    if !shows_them {
        return findings.skip(NOT_TOLD);
    }
    // Whether amounts are in rupees or in paise is not specified, neither of answers nor of the usage.
    let fits = |[billed, told]: [i64; 2], name: &String| {
        let grew = |at: usize| growths[at].get(name).copied().unwrap_or_default();
        (0..2).all(|at| grew(at).0 * billed == charged[at].1.0 * told)
    };
    let mut names = growths.iter().flat_map(BTreeMap::keys);
    let told = names.any(|name| {
        [[1, 1], [1, 100], [100, 1]]
            .iter()
            .any(|units| fits(*units, name))
    });
    let shown = |growth: &BTreeMap<String, Paise>| {
        let all: Vec<_> = growth
            .iter()
            .map(|(name, by)| format!("{name} {by}"))
            .collect();
        all.join(", ")
    };
    let found = format!("by {}, then by {}", shown(&growths[0]), shown(&growths[1]));
    let expected = format!(
        "a member that grew by {} INR, then by {} INR",
        charged[0].1, charged[1].1
    );
    findings.must(
        clause,
        told,
        format_args!("what the usage tells of {endpoint}"),
        expected,
        found,
    );
}

/// Judges whether calls made elsewhere, in the other environment or by another account, are counted here, too, or in place
/// of those here: one was made here from the first usage to the second, and from there to the last two elsewhere. What is
/// told late is told by one.
pub(super) fn apart(
    findings: &mut Findings<'_>,
    clause: &str,
    answers: &Answers<'_>,
    steps: [usize; 3],
    endpoint: &str,
) {
    let Some([first, second, last]) = usages(answers, steps) else {
        return findings.skip(NOTHING_BEFORE);
    };
    let [first, second, last] = [first, second, last].map(|it| numbers(it, endpoint));
    let (here, there) = (grown(&first, &second), grown(&second, &last));
    let (none, one, two) = (Paise::ZERO, Paise(100), Paise(200));
    let spent = answers.get(steps[0] + 1..steps[1]).unwrap_or_default();
    let spent = Answer::sum(spent.iter().flatten(), 0);
    let told = there.iter().find_map(|(name, there)| {
        let here = here.get(name).copied().unwrap_or_default();
        let mixed = *there == two && [none, one].contains(&here) && spent != two;
        (mixed || (here, *there) == (one, none)).then_some((name, *there))
    });
    let Some((name, there)) = told else {
        return findings.skip(NOT_TOLD);
    };
    let what =
        format!("by how much `{name}` of {endpoint} grew over two calls that were made elsewhere");
    findings.equal(clause, &what, none, there);
}

/// A count, as the numbers of the usage are read.
fn whole(count: usize) -> Paise {
    Paise(i64::try_from(count).unwrap_or(i64::MAX).saturating_mul(100))
}

/// The numbers that stand beside an endpoint.
fn numbers(answer: &Answer<'_>, endpoint: &str) -> BTreeMap<String, Paise> {
    let mut found = BTreeMap::new();
    let data = answer.at(&["data"]);
    data.into_iter()
        .for_each(|data| beside(data, endpoint, &mut found));
    found
}

fn usages<'x, 'a>(answers: &'x Answers<'a>, steps: [usize; 3]) -> Option<[&'x Answer<'a>; 3]> {
    let [first, second, last] = steps.map(|step| earlier(answers, step));
    Some([first?, second?, last?])
}

/// By how much each number grew.
fn grown(
    before: &BTreeMap<String, Paise>,
    after: &BTreeMap<String, Paise>,
) -> BTreeMap<String, Paise> {
    let grown = after.iter().map(|(name, now)| {
        let then = before.get(name).copied().unwrap_or_default();
        (name.clone(), Paise(now.0 - then.0))
    });
    grown.collect()
}

/// The numbers of the object that names an endpoint, or that stands under its name.
fn beside(json: &Json<'_>, endpoint: &str, into: &mut BTreeMap<String, Paise>) {
    let members = json.as_object().unwrap_or_default();
    let names_it = members
        .iter()
        .any(|(_, value)| value.as_text() == Some(endpoint));
    for (name, value) in members {
        // What sums of fractions leave behind the paise is no money.
        let rounded = |number: f64| (number * 1e6).round() / 1e6;
        // Whether amounts are numbers is not specified.
        let text = |value: &Json<'_>| {
            value
                .as_text()?
                .parse()
                .ok()
                .filter(|it: &f64| it.is_finite())
        };
        let number = |value: &Json<'_>| value.as_num().or_else(|| text(value));
        let amount = |value: &Json<'_>| Paise::from_rupees(rounded(number(value)?));
        let own = if names_it {
            members
        } else {
            value.as_object().unwrap_or_default()
        };
        if names_it || name == endpoint {
            let own = own
                .iter()
                .filter_map(|(name, value)| Some((name.to_string(), amount(value)?)));
            into.extend(own);
        }
        beside(value, endpoint, into);
    }
    json.as_list()
        .unwrap_or_default()
        .iter()
        .for_each(|item| beside(item, endpoint, into));
}

fn usage_row<'j>(answer: &'j Answer<'_>, endpoint: &str) -> Option<&'j Json<'j>> {
    let rows = answer.at(&["data", "endpoints"])?.as_list()?;
    rows.iter()
        .find(|row| row.get("endpoint").and_then(Json::as_text) == Some(endpoint))
}
