//! Taking an address apart at its commas and naming the parts by the words in them. Keeps the case
//! as sent.

use super::pin;

/// More parts than any address has; what follows stays together.
const MAX_PARTS: usize = 48;

const STREET: [&str; 16] = [
    "STREET", "ROAD", "LANE", "CROSS", "MAIN", "MARG", "SALAI", "AVENUE", "ST", "STR", "RD", "LN",
    "CRS", "MN", "AVE", "AV",
];
const BUILDING: [&str; 22] = [
    "APT",
    "SOCIETY",
    "CHS",
    "ARCADE",
    "MANSION",
    "VILLA",
    "CHAMBERS",
    "BHAVAN",
    "TOWER",
    "TOWERS",
    "BUILDING",
    "BLDG",
    "APARTMENT",
    "APARTMENTS",
    "APTS",
    "COMPLEX",
    "PLAZA",
    "RESIDENCY",
    "HEIGHTS",
    "ENCLAVE",
    "BUILDINGS",
    "APPARTMENT",
];
const LANDMARK: [&str; 11] = [
    "NEAR", "NR", "OPP", "OPPOSITE", "BEHIND", "BHD", "BESIDE", "ADJ", "ADJACENT", "ABOVE", "OFF",
];
const FLOOR: [&str; 5] = ["FLOOR", "FLR", "GF", "BASEMENT", "MEZZANINE"];
const NUMBER_MARKS: [&str; 8] = ["NO", "NUMBER", "HOUSE", "H", "D", "DOOR", "FLAT", "PLOT"];
/// A state's name after one of these is a town's or a district's: `NEW DELHI`.
const OF_A_TOWN: [&str; 9] = [
    "NEW",
    "OLD",
    "NORTH",
    "SOUTH",
    "EAST",
    "WEST",
    "CENTRAL",
    "NORTHEAST",
    "NORTHWEST",
];

/// The parts of an address; empty where it has none.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) pin: String,
    pub(super) state: String,
    pub(super) floor: String,
    pub(super) landmark: String,
    pub(super) building: String,
    pub(super) street: String,
    pub(super) house: String,
    pub(super) city: String,
    pub(super) locality: String,
    pub(super) line: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Floor,
    Landmark,
    Building,
    Street,
    Other,
}

pub(super) fn split(address: &str, states: &[String]) -> Parts {
    let mut parts = Parts::default();
    let mut rest = address.to_owned();
    if let Some((range, pin)) = pin::find(address) {
        parts.pin = pin;
        let before = without_pin_word(&address[..range.start]);
        rest = format!("{before} {}", &address[range.end..]);
    }
    let mut pieces: Vec<String> = rest
        .splitn(MAX_PARTS, ',')
        .map(|piece| tidied(piece).to_owned())
        .filter(|piece| !piece.is_empty() && !is_care(piece))
        .collect();
    parts.state = take_state(&mut pieces, states);
    name(&mut parts, &pieces);
    parts
}

/// Puts each piece where it belongs.
fn name(parts: &mut Parts, pieces: &[String]) {
    let mut left = Vec::new();
    let kinds: Vec<Kind> = pieces.iter().map(|piece| kind(piece)).collect();
    for (at, (piece, kind)) in pieces.iter().zip(&kinds).enumerate() {
        match kind {
            Kind::Floor => append(&mut parts.floor, piece),
            Kind::Landmark => append(&mut parts.landmark, piece),
            Kind::Building => append(&mut parts.building, piece),
            Kind::Street => append(&mut parts.street, piece),
            Kind::Other if parts.house.is_empty() && has_digit(piece) => {
                parts.house.clone_from(piece);
            }
            Kind::Other => left.push(at),
        }
    }
    if parts.house.is_empty() {
        // No part of its own: it may stand before the name of the street or the building.
        for named in [&mut parts.street, &mut parts.building] {
            if let Some((house, rest)) = leading_number(named) {
                (parts.house, *named) = (house.to_owned(), rest.to_owned());
                break;
            }
        }
    }
    let city = left.pop();
    let joined = |places: &mut dyn Iterator<Item = usize>| {
        let named: Vec<&str> = places.map(|at| pieces[at].as_str()).collect();
        named.join(", ")
    };
    parts.line = joined(&mut (0..city.unwrap_or(pieces.len())));
    parts.city = joined(&mut city.into_iter());
    parts.locality = match left.is_empty() {
        true => parts.city.clone(),
        false => joined(&mut left.into_iter()),
    };
}

/// Whether it says in whose care somebody lives: a person, no place.
fn is_care(piece: &str) -> bool {
    let mark = piece.get(..3).map(str::to_ascii_uppercase);
    mark.is_some_and(|mark| ["C/O", "S/O", "D/O", "W/O"].contains(&mark.as_str()))
}

fn append(part: &mut String, piece: &str) {
    if !part.is_empty() {
        part.push_str(", ");
    }
    part.push_str(piece);
}

fn tidied(piece: &str) -> &str {
    piece.trim_matches(|c: char| c.is_whitespace() || matches!(c, '.' | '-' | '–' | ':' | ';'))
}

fn words(piece: &str) -> Vec<String> {
    piece
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_uppercase)
        .collect()
}

fn has_digit(piece: &str) -> bool {
    piece.contains(|c: char| c.is_ascii_digit())
}

/// `RESIDENCY ROAD` is a street and `PARK STREET TOWER` a building: the last of such words counts.
fn kind(piece: &str) -> Kind {
    let words = words(piece);
    let is = |at: usize, known: &[&str]| {
        words
            .get(at)
            .is_some_and(|word| known.contains(&word.as_str()))
    };
    let spelt = words.windows(2).any(|pair| pair == ["G", "F"]);
    if spelt || words.iter().any(|word| FLOOR.contains(&word.as_str())) {
        return Kind::Floor;
    }
    if is(0, &LANDMARK) || (is(0, &["NEXT"]) && is(1, &["TO"])) {
        return Kind::Landmark;
    }
    // `ST` before a name is a saint.
    let street = |at: &usize| is(*at, &STREET) && (*at > 0 || !is(0, &["ST"]));
    let building = |at: &usize| is(*at, &BUILDING);
    let last = |found: &dyn Fn(&usize) -> bool| (0..words.len()).rfind(found);
    match (last(&street), last(&building)) {
        (None, None) => Kind::Other,
        (street, building) if street > building => Kind::Street,
        _ => Kind::Building,
    }
}

/// The number a street or a building begins with, and the name after it: `No. 12/A, MG Road`
/// without the comma. Not the number that is the name: `4TH CROSS`, `2 MAIN`, `100 FEET ROAD`.
fn leading_number(named: &str) -> Option<(&str, &str)> {
    let mut end = 0;
    let mut words = named.split_inclusive(char::is_whitespace);
    let number = loop {
        let word = words.next()?;
        end += word.len();
        let plain = word
            .trim_matches(|c: char| !c.is_alphanumeric())
            .to_uppercase();
        if !NUMBER_MARKS.contains(&plain.as_str()) {
            break plain;
        }
    };
    let digits = number.trim_start_matches(|c: char| c.is_ascii_digit());
    let ordinal = ["ST", "ND", "RD", "TH"].contains(&digits);
    let is_number = digits.len() < number.len() && !ordinal;
    let rest = named[end..].trim_start_matches(|c: char| !c.is_alphanumeric());
    let first = rest.split_whitespace().next()?.to_uppercase();
    let is_name =
        rest.contains(char::is_whitespace) && !["FEET", "FT", "FEETS"].contains(&first.as_str());
    (is_number && is_name).then(|| (tidied(&named[..end]), rest))
}

/// Leaves out `PIN`, `PINCODE` and `PIN CODE` before the number.
fn without_pin_word(before: &str) -> &str {
    let mut kept = tidied(before);
    for word in ["CODE", "PINCODE", "PIN"] {
        let Some(at) = kept.len().checked_sub(word.len()) else {
            continue;
        };
        let ends = kept
            .get(at..)
            .is_some_and(|end| end.eq_ignore_ascii_case(word));
        if ends && !kept[..at].ends_with(char::is_alphanumeric) {
            kept = tidied(&kept[..at]);
        }
    }
    kept
}

/// Takes the state out of the pieces, and the country with it.
fn take_state(pieces: &mut Vec<String>, states: &[String]) -> String {
    pieces.retain(|piece| !piece.eq_ignore_ascii_case("INDIA"));
    for at in (0..pieces.len()).rev() {
        let Some((start, end)) = state_within(&pieces[at], states) else {
            continue;
        };
        let state = pieces[at][start..end].to_owned();
        let before = tidied(&pieces[at][..start]).to_owned();
        if OF_A_TOWN
            .iter()
            .any(|word| before.eq_ignore_ascii_case(word))
        {
            pieces[at].truncate(end);
        } else if before.is_empty() {
            pieces.remove(at);
        } else {
            pieces[at] = before;
        }
        return state;
    }
    String::new()
}

/// Where a piece has a state's name at its end, before the country's perhaps.
fn state_within(piece: &str, states: &[String]) -> Option<(usize, usize)> {
    let mut spans = word_spans(piece);
    let text = |&(start, end): &(usize, usize)| &piece[start..end];
    if spans
        .last()
        .is_some_and(|last| text(last).eq_ignore_ascii_case("INDIA"))
    {
        spans.pop();
    }
    let last = |text: &str| {
        text.bytes()
            .next_back()
            .map(|byte| byte.to_ascii_uppercase())
    };
    let end = spans.last().and_then(|span| last(text(span)));
    let mut found = None;
    for state in states.iter().filter(|state| last(state) == end) {
        // From the end: nearly every name differs in its last word.
        let mut tail = spans.iter().rev();
        let mut is = |wanted: &str| {
            tail.next()
                .filter(|span| text(span).eq_ignore_ascii_case(wanted))
        };
        let mut wanted = state.split_whitespace().rev();
        let first = wanted.try_fold(None, |_, wanted| is(wanted).map(Some));
        if let (Some(Some(first)), Some(last)) = (first, spans.last()) {
            // Of two names that fit, the longer.
            let span = (first.0, last.1);
            found = Some(found.map_or(span, |best: (usize, usize)| best.min(span)));
        }
    }
    found
}

fn word_spans(piece: &str) -> Vec<(usize, usize)> {
    let mut spans: Vec<(usize, usize)> = Vec::new();
    for (at, c) in piece.char_indices().filter(|(_, c)| c.is_alphanumeric()) {
        match spans.last_mut() {
            Some(span) if span.1 == at => span.1 += c.len_utf8(),
            _ => spans.push((at, at + c.len_utf8())),
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(address: &str) -> String {
        let states = [
            "KARNATAKA",
            "TAMIL NADU",
            "DELHI",
            "UTTAR PRADESH",
            "JAMMU AND KASHMIR",
        ];
        format!("{:#?}", split(address, &states.map(str::to_owned)))
    }

    #[test]
    fn the_sample_address_has_all_its_parts() {
        insta::assert_snapshot!(show("12, 4TH CROSS, INDIRANAGAR, BENGALURU, KARNATAKA 560038"), @r#"
        Parts {
            pin: "560038",
            state: "KARNATAKA",
            floor: "",
            landmark: "",
            building: "",
            street: "4TH CROSS",
            house: "12",
            city: "BENGALURU",
            locality: "INDIRANAGAR",
            line: "12, 4TH CROSS, INDIRANAGAR",
        }
        "#);
    }

    #[test]
    fn every_part_has_its_words() {
        insta::assert_snapshot!(show("Flat 4B, 2nd Floor, Prestige Towers, Opp. City Mall, 100 Feet Road, HAL Stage, Indiranagar, Bengaluru - 560 038, Karnataka, India"), @r#"
        Parts {
            pin: "560038",
            state: "Karnataka",
            floor: "2nd Floor",
            landmark: "Opp. City Mall",
            building: "Prestige Towers",
            street: "100 Feet Road",
            house: "Flat 4B",
            city: "Bengaluru",
            locality: "HAL Stage, Indiranagar",
            line: "Flat 4B, 2nd Floor, Prestige Towers, Opp. City Mall, 100 Feet Road, HAL Stage, Indiranagar",
        }
        "#);
    }

    #[test]
    fn short_forms_and_roman_numbers_are_named_too() {
        let address =
            "C/o Mohan Rao, Flat 4B, II Flr, Sai Apts, Nr. Temple, V Main, Bangalore 560038";
        let parts = split(address, &[]);
        let named = [
            parts.house,
            parts.floor,
            parts.building,
            parts.landmark,
            parts.street,
            parts.city,
        ];
        let wanted = [
            "Flat 4B",
            "II Flr",
            "Sai Apts",
            "Nr. Temple",
            "V Main",
            "Bangalore",
        ];
        assert_eq!(named, wanted);
        for (address, floor) in [
            ("7, G.F., Ring Road, SURAT", "G.F."),
            ("7, Basement, Ring Road, SURAT", "Basement"),
            ("7, Ground Floor, Ring Road, SURAT", "Ground Floor"),
            ("7, GF, Ring Road, SURAT", "GF"),
        ] {
            assert_eq!(
                split(address, &[]).floor.trim_end_matches('.'),
                floor.trim_end_matches('.')
            );
        }
    }

    #[test]
    fn a_number_before_the_street_is_the_house() {
        insta::assert_snapshot!(show("No. 12/A Residency Road, Bengaluru, PIN Code: 560025"), @r#"
        Parts {
            pin: "560025",
            state: "",
            floor: "",
            landmark: "",
            building: "",
            street: "Residency Road",
            house: "No. 12/A",
            city: "Bengaluru",
            locality: "Bengaluru",
            line: "No. 12/A Residency Road",
        }
        "#);
        for (address, house) in [
            ("2 MAIN, JAYANAGAR, BENGALURU", ""),
            ("4TH CROSS ROAD, BENGALURU", ""),
            ("100 FEET ROAD, BENGALURU", ""),
            ("101 SUNRISE APARTMENTS, PUNE", "101"),
            ("#7 Park Lane, KOLKATA", "#7"),
            ("7, 12 PARK LANE, KOLKATA", "7"),
        ] {
            assert_eq!(split(address, &[]).house, house, "{address}");
        }
    }

    #[test]
    fn the_last_telling_word_decides() {
        for (piece, wanted) in [
            ("RESIDENCY ROAD", Kind::Street),
            ("PARK STREET TOWER", Kind::Building),
            ("ST. MARY COLONY", Kind::Other),
            ("M G RD", Kind::Street),
            ("NEAR TOWER ROAD", Kind::Landmark),
            ("GROUND FLOOR TOWER", Kind::Floor),
            ("MAINLAND", Kind::Other),
        ] {
            assert!(kind(piece) == wanted, "{piece}");
        }
    }

    #[test]
    fn a_state_is_found_at_the_end_of_a_part() {
        let states = ["DELHI", "TAMIL NADU"].map(str::to_owned);
        for (address, state, city) in [
            ("RING ROAD, NEW DELHI, DELHI 110024", "DELHI", "NEW DELHI"),
            ("RING ROAD, NEW DELHI 110024", "DELHI", "NEW DELHI"),
            (
                "ADYAR, CHENNAI TAMIL  NADU 600020 INDIA",
                "TAMIL  NADU",
                "CHENNAI",
            ),
            ("ADYAR, Chennai, Tamil Nadu.", "Tamil Nadu", "Chennai"),
            ("DELHI ROAD, MEERUT", "", "MEERUT"),
            ("NEAR BANK OF INDIA, MEERUT", "", "MEERUT"),
            ("DELHI", "DELHI", ""),
        ] {
            let parts = split(address, &states);
            assert_eq!((&*parts.state, &*parts.city), (state, city), "{address}");
        }
    }

    #[test]
    fn a_single_part_is_city_and_locality() {
        let parts = split("Bengaluru", &[]);
        assert_eq!((&*parts.city, &*parts.locality), ("Bengaluru", "Bengaluru"));
        assert_eq!(split(" , ,, 560038 ", &[]).line, "");
    }
}
