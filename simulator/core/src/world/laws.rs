//! What must hold of the population of the built-in rows, whatever the seed.

use super::*;

const SEEDS: [u64; 3] = [0, 1, 0xDEAD_BEEF];

/// Numbers of a kind, far apart.
fn some(world: &World, kind: KindIndex) -> impl Iterator<Item = u64> {
    let size = world.kinds[kind.0].size();
    let mut state = 12345_u64;
    std::iter::from_fn(move || {
        state = permutation::mixed(state.wrapping_add(1));
        Some(state % size)
    })
    .take(500)
}

#[test]
fn whoever_is_asked_for_by_their_own_identifier_is_found() {
    let world = World::built_in();
    for seed in SEEDS {
        for (at, identifier) in world.identifiers.iter().enumerate() {
            let mut some_have_one = false;
            for number in some(world, identifier.of) {
                let Some(text) = world.identifier_of(IdentifierIndex(at), number, seed) else {
                    continue;
                };
                some_have_one = true;
                let kind = &world.kinds[identifier.of.0];
                let mut forms = identifier.forms.iter();
                let read = forms.find_map(|form| form.read(kind, &text, seed));
                let read = read.map(|holder| holder.number);
                assert_eq!(
                    read,
                    Some(number),
                    "{}.{} {text}",
                    kind.name,
                    identifier.name
                );
            }
            let is_read_only = identifier.name.ends_with("_state");
            assert_ne!(some_have_one, is_read_only, "{}", identifier.name);
        }
    }
}

#[test]
fn another_seed_is_another_population() {
    let world = World::built_in();
    let of = |seed| world.subject_of(world.asked(&["mobile"]), "9876543210", seed);
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2));
}

#[test]
fn letters_say_where_and_what_a_subject_is() {
    let world = World::built_in();
    for (by, text, field, column, says) in [
        ("dl-number", "KL0720110012345", "home", "state", "KL"),
        ("dl-number", "kl-07 2011 0012345", "home", "state", "KL"),
        ("dl-number", "KL9920110012345", "home", "state", "KL"),
        ("dl-number", "MH01ABCDEFG", "home", "state", ""),
        ("pan", "ABCPR1234K", "home", "initial", "R"),
        ("pan", "ABCCN1234K", "first", "initial", "N"),
        ("pan", "ABCFN1234K", "class", "pan", "F"),
        ("gstin", "29ABCCN1234K1Z5", "first", "initial", "N"),
        ("cin", "L17110MH1973PLC019786", "place", "register", "MH"),
        ("cin", "U72200KA2010PTC123456", "class", "register", "PTC"),
        ("cin", "L74899DL1993GOI054155", "class", "register", "GOI"),
        ("cin", "L74899DL1993GOI054155", "class", "listing", "L"),
        ("cin", "L74899DL1993GOI054155", "age", "year", "1993"),
        ("cin", "U40109KA1999SGC025521", "class", "register", "SGC"),
        ("cin", "U40109KA1999SGC025521", "industry", "trade", "POWER"),
        ("cin", "L27100MH1907PLC000260", "age", "year", "1907"),
        ("cin", "U72900TZ2026FTC000001", "age", "year", "2026"),
        ("cin", "U72900TZ2026FTC000001", "place", "state", "TN"),
        ("cin", "U51909OD2012PTC000001", "place", "state", "OD"),
        ("cin", "U51909CG2012PTC000001", "place", "state", "CG"),
        ("cin", "U51909TS2012PTC000001", "place", "state", "TS"),
        ("cin", "U51909UK2012PTC000001", "place", "state", "UK"),
        // No registrar is there: a company all the same.
        ("cin", "U51909QQ2012PTC000001", "class", "holder", "Company"),
        ("cin-or-llpin", "AAB-1234", "class", "register", "LLP"),
        (
            "establishment-id",
            "KABNG1234567890",
            "place",
            "state",
            "KA",
        ),
        (
            "establishment-id",
            "KAXYZ1234567890",
            "place",
            "state",
            "KA",
        ),
        ("udyam", "UDYAM-TN-02-1234567", "place", "state", "TN"),
        ("udyam", "UDYAM-OR-02-1234567", "place", "state", "OD"),
        ("dl-number", "OR0220110012345", "home", "state", "OD"),
        ("dl-number", "TG9920110012345", "home", "state", "TS"),
        ("tan", "MUMS12345A", "first", "initial", "S"),
        ("tin", "27123456789", "place", "gst", "27"),
        ("rc-number", "DL08CAF5030", "office", "state", "DL"),
        ("rc-number", "MH12AB1234", "office", "state", "MH"),
        ("rc-number", "TG08AB1234", "office", "city", "HYDERABAD"),
        ("rc-number", "OR02AB1234", "office", "city", "BHUBANESWAR"),
        ("rc-number", "DN09AB1234", "office", "state", "DD"),
        ("gst_state", "25123456", "place", "state", "DD"),
        ("gst_state", "28123456", "place", "state", "AP"),
        ("ifsc", "HDFC0001234", "bank", "code", "HDFC"),
    ] {
        let subject = world.subject_of(world.asked(&[by]), text, 7);
        let known = world.known(subject.kind, field, Some(column));
        let known = known.unwrap_or_else(|| panic!("{text}: no {field}.{column}"));
        let fact = world.fact(&known, subject, 7);
        assert!(
            says.is_empty() || fact == Fact::Text(says),
            "{text}: {fact:?}"
        );
    }
    let licensed = world.subject_of(world.asked(&["dl-number"]), "KL0720110012345", 7);
    let year = world.known(licensed.kind, "licensed", None).unwrap();
    assert_eq!(world.fact(&year, licensed, 7), Fact::Number(2011));
}

#[test]
fn directors_lead_to_their_companies_and_back() {
    let world = World::built_in();
    let company = world.kind("company").unwrap();
    let mut directed = 0;
    for seat in ["director", "second_director"] {
        let seat = world.relation(company, seat).unwrap();
        let relation = &world.relations[seat.0];
        let cin = world.identifier(company, "cin").unwrap();
        for number in some(world, company) {
            let of = Subject {
                kind: company,
                number,
            };
            let director = world.related(seat, number, 3);
            assert_eq!(director.kind, relation.to());
            if world.identifier_of(cin, number, 3).is_none() {
                continue;
            }
            let companies = world.relating(seat, director.number, 3);
            assert!(companies.contains(&of));
            assert!(companies.len() <= 3, "{}", companies.len());
            directed += 1;
        }
    }
    assert!(directed > 100, "{directed}");
}

#[test]
fn a_couple_has_one_surname_and_one_home() {
    let world = World::built_in();
    let person = world.kind("person").unwrap();
    let spouse = world.relation(person, "spouse").unwrap();
    let home = world.known(person, "home", Some("surname")).unwrap();
    for number in some(world, person) {
        let of = Subject {
            kind: person,
            number,
        };
        let other = world.related(spouse, number, 3);
        assert_ne!(other, of);
        assert_eq!(world.related(spouse, other.number, 3), of);
        assert_eq!(world.fact(&home, other, 3), world.fact(&home, of, 3));
    }
}

#[test]
fn whoever_owns_a_vehicle_was_of_age_before_any_was_registered() {
    let world = World::built_in();
    let vehicle = world.kind("vehicle").unwrap();
    let owner = world.relation(vehicle, "owner").unwrap();
    let person = world.kind("person").unwrap();
    let licensed = world.known(person, "licensed", None).unwrap();
    for number in some(world, vehicle) {
        let owner = world.related(owner, number, 3);
        // They came of age in that year, or before it.
        let year = world.fact(&licensed, owner, 3);
        assert!(matches!(year, Fact::Number(..2012)), "{year:?}");
    }
}

#[test]
fn people_work_where_they_live() {
    let world = World::built_in();
    let (person, company) = (
        world.kind("person").unwrap(),
        world.kind("company").unwrap(),
    );
    let employer = world.relation(person, "employer").unwrap();
    let lives = world.known(person, "home", Some("city")).unwrap();
    let works = world.known(company, "place", Some("city")).unwrap();
    for number in some(world, person) {
        let at = world.related(employer, number, 3);
        let of = Subject {
            kind: person,
            number,
        };
        assert_eq!(world.fact(&works, at, 3), world.fact(&lives, of, 3));
    }
}

#[test]
fn a_pan_has_one_holder_wherever_it_stands() {
    let world = World::built_in();
    let of = |by: &str, text: &str| world.subject_of(world.asked(&[by]), text, 7);
    for (fourth, fifth) in ('A'..='Z').flat_map(|it| ('A'..='Z').map(move |fifth| (it, fifth))) {
        let pan = format!("BNZ{fourth}{fifth}2501F");
        let holder = of("pan", &pan);
        assert_eq!(of("gstin", &format!("29{pan}1Z5")), holder, "{pan}");
        assert_eq!(of("gstin", &format!("07{pan}2Z9")), holder, "{pan}");
        assert_eq!(of("iec", &pan), holder, "{pan}");
        let is_company = "CGFHTABLJ".contains(fourth);
        assert_eq!(world.name(holder.kind) == "company", is_company, "{pan}");
    }
}

#[test]
fn the_year_and_the_class_of_a_cin_hold_whatever_the_registrar() {
    let world = World::built_in();
    for (cin, class, year) in [
        ("U51101XX2013FLC021475", "FLC", "2013"),
        ("U17110LK2008PTC184321", "PTC", "2008"),
        ("U17110LH2008OPC184321", "OPC", "2008"),
    ] {
        let subject = world.subject_of(world.asked(&["cin"]), cin, 7);
        let says = |field, column| {
            let known = world.known(subject.kind, field, Some(column));
            known.map(|known| format!("{:?}", world.fact(&known, subject, 7)))
        };
        let text = |text| Some(format!("{:?}", Fact::Text(text)));
        assert_eq!(says("class", "register"), text(class), "{cin}");
        assert_eq!(says("age", "year"), text(year), "{cin}");
    }
}
