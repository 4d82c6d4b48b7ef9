//! Forms of small kinds, every subject of them.

use std::sync::Arc;

use super::*;
use crate::world::table::{Column, Table};

fn table(columns: &[(&str, &[&str])]) -> Domain {
    let columns = columns
        .iter()
        .map(|(name, texts)| ((*name).to_owned(), Column::new(texts.iter().copied())));
    Domain::Rows(Arc::new(Table::new(columns)))
}

fn field(name: &str, domain: Domain) -> Field {
    Field::new(name, domain)
}

fn person() -> Kind {
    let home = table(&[
        ("state", &["KA", "KA", "KL", "KL", "KL"]),
        ("rto", &["01", "19", "07", "07", "01"]),
        ("initial", &["R", "S", "M", "N", "R"]),
    ]);
    let serial = Domain::Numbers { from: 0, count: 50 };
    let licensed = Domain::Numbers {
        from: 1965,
        count: 61,
    };
    Kind::new(
        "person",
        vec![
            field("home", home),
            field("licensed", licensed),
            field("serial", serial),
        ],
        &Ranges::new(),
    )
}

fn company() -> Kind {
    let numbers = |from, count| Domain::Numbers { from, count };
    let words = table(&[("word", &["NEEL", "SURYA", "HIM", "MAYUR"])]);
    let trades = table(&[("trade", &["FOODS", "TEXTILES"]), ("code", &["10", "13"])]);
    Kind::new(
        "company",
        vec![
            field("year", numbers(1990, 3)),
            field("d", numbers(0, 5)),
            field("industry", trades),
        ],
        &Ranges::new(),
    )
    .with_alias(
        2,
        vec![field("first", words.clone()), field("second", words)],
        None,
    )
}

fn every(kind: &Kind, form: &Form) -> Vec<String> {
    let texts: Vec<_> = (0..kind.size())
        .filter_map(|number| {
            let text = form.write(kind, number, 7)?;
            assert_eq!(
                form.read(kind, &text, 7),
                Some(Holder { number, own: true }),
                "{text}"
            );
            Some(text)
        })
        .collect();
    let distinct: std::collections::BTreeSet<_> = texts.iter().collect();
    assert_eq!(distinct.len(), texts.len());
    texts
}

#[test]
fn every_subject_is_found_by_each_of_its_identifiers() {
    let person = person();
    let form = |text, only: &[_]| {
        let only = only
            .iter()
            .map(|(name, range)| (String::from(*name), *range))
            .collect();
        Form::new(&person, text, &only, (false, true)).expect("a form")
    };
    assert_eq!(every(&person, &form("{[6-9]9999}", &[])).len(), 15_250);
    assert_eq!(
        every(&person, &form("{AA}P{home.initial}{99}{A}", &[])).len(),
        15_250
    );
    let licences = every(&person, &form("{home.state}{home.rto}{licensed}{999}", &[]));
    assert!(
        licences
            .iter()
            .all(|text| text.starts_with("KA") || text.starts_with("KL"))
    );
    assert_eq!(
        every(&person, &form("0{9999}", &[("serial", (0, 4))])).len(),
        5 * 61 * 4
    );
}

#[test]
fn a_name_finds_its_company_and_so_does_its_number() {
    let company = company();
    let form = |text| Form::new(&company, text, &Ranges::new(), (true, true)).expect("a form");
    assert_eq!(every(&company, &form("{industry.code}{year}{9}")).len(), 30);
    let names = every(
        &company,
        &form("{first.word} {second.word} {industry.trade}"),
    );
    assert_eq!(names.len(), 30);
}

#[test]
fn only_digits_that_stand_for_somebody_have_a_holder() {
    let company = company();
    let all = (0..4 * 4 * 3).map(|at| [at / 12, at / 3 % 4, at % 3, 0, 0, 0, 0, 0]);
    let holders: Vec<u64> = all
        .filter_map(|digits| {
            let holder = company.holder(&digits, View::Alias, 7)?;
            assert_eq!(company.digits(holder, View::Alias, 7), digits);
            assert_eq!(company.number(&digits, View::Alias, 7), holder);
            Some(holder)
        })
        .collect();
    // Of sixteen pairs of words one stands for nobody; there are two trades.
    assert_eq!(holders.len() as u64, company.size());

    for number in 0..company.size() {
        let own = company.digits(number, View::Own, 7);
        assert_eq!(company.holder(&own, View::Own, 7), Some(number));
        for (field, digit) in own.iter().enumerate().take(3) {
            assert_eq!(company.digit(number, field), *digit);
        }
    }
    assert_eq!(
        company.holder(&[3, 0, 0, 0, 0, 0, 0, 0], View::Own, 7),
        None
    );
}

#[test]
fn what_is_nobodys_own_is_somebodys_with_these_letters() {
    let person = person();
    let form = Form::new(
        &person,
        "{home.state}{home.rto}{licensed}{999}",
        &Ranges::new(),
        (false, true),
    )
    .expect("a form");
    let read = |text: &str| form.read(&person, text, 7);
    let holder = read("KL072001999").expect("somebody");
    let digits = person.digits(holder.number, View::Own, 7);
    assert!([2, 3].contains(&digits[0]) && digits[1] == 36, "{digits:?}");
    for text in [
        "KL992001999",
        "XX072001999",
        "KL071901999",
        "KL0720019990",
        "KL07200199",
        "",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn a_form_with_too_little_room_is_refused() {
    let why =
        |text| Form::new(&person(), text, &Ranges::new(), (false, true)).expect_err("too small");
    assert_eq!(
        why("{999}"),
        "{999}: 15250 subjects do not fit into 1000 texts"
    );
    assert_eq!(
        why("{home.city}{9999}"),
        "{home.city}{9999}: home has no such columns"
    );
    assert_eq!(why("{q}"), "{q}: there is no field q");
}
