//! What scores of addresses must be like.

use super::table::score;

const SAMPLE: &str = "12, 4TH CROSS, INDIRANAGAR, BENGALURU, KARNATAKA 560038";

#[test]
fn one_address_has_many_spellings() {
    for (a, b) in [
        (
            SAMPLE,
            "12 4th cross Indiranagar Bengaluru Karnataka - 560 038",
        ),
        (
            SAMPLE,
            "No. 12, Fourth Cross, Indiranagar, Bangalore, Karnataka, India, PIN 560038",
        ),
        (
            "5 M.G. Rd, Apt 4-B, Opp. Park",
            "No 5, MG ROAD, APARTMENT 4 B, OPPOSITE PARK",
        ),
    ] {
        assert_eq!(score(a, b), 1.0, "{b}");
    }
}

#[test]
fn nearer_addresses_score_higher() {
    let others = [
        "INDIRANAGAR, 4TH CROSS, 12, BENGALURU, KARNATAKA 560038",
        "12, 4TH CROSS, INDRANAGAR, BENGALURU, KARNATAKA 560038",
        "12, 4TH CROSS, INDIRANAGAR, BENGALURU",
        "12, 4TH CROSS, INDIRANAGAR, NEAR METRO STATION, BENGALURU, KARNATAKA 560038",
        "14, 4TH CROSS, INDIRANAGAR, BENGALURU, KARNATAKA 560038",
        "12, 4TH CROSS, INDIRANAGAR, BENGALURU, KARNATAKA 560037",
        "INDIRANAGAR, BENGALURU",
        "45, RESIDENCY ROAD, ASHOK NAGAR, BENGALURU, KARNATAKA 560025",
        "7, STATION ROAD, KOTHRUD, PUNE, MAHARASHTRA 411038",
        "",
    ];
    let lines = others.map(|other| format!("{:.2} {other}", score(SAMPLE, other)));
    insta::assert_snapshot!(lines.join("\n"), @"
    0.98 INDIRANAGAR, 4TH CROSS, 12, BENGALURU, KARNATAKA 560038
    0.99 12, 4TH CROSS, INDRANAGAR, BENGALURU, KARNATAKA 560038
    0.94 12, 4TH CROSS, INDIRANAGAR, BENGALURU
    0.91 12, 4TH CROSS, INDIRANAGAR, NEAR METRO STATION, BENGALURU, KARNATAKA 560038
    0.75 14, 4TH CROSS, INDIRANAGAR, BENGALURU, KARNATAKA 560038
    0.75 12, 4TH CROSS, INDIRANAGAR, BENGALURU, KARNATAKA 560037
    0.56 INDIRANAGAR, BENGALURU
    0.22 45, RESIDENCY ROAD, ASHOK NAGAR, BENGALURU, KARNATAKA 560025
    0.00 7, STATION ROAD, KOTHRUD, PUNE, MAHARASHTRA 411038
    0.00
    ");
}

#[test]
fn two_pins_never_match() {
    let long = "12, 4TH CROSS, 2ND STAGE, NEAR GANDHI PARK, INDIRANAGAR, BENGALURU, KARNATAKA";
    assert!(score(&format!("{long} 560038"), &format!("{long} 560037")) < 0.8);
    assert!(score(&format!("{long} 560038"), long) >= 0.8);
}

#[test]
fn a_huge_address_is_compared_in_no_time() {
    let many = "park ".repeat(200_000);
    let long = "a".repeat(1_000_000);
    for (a, b) in [
        (&many, &long),
        (&long, &format!("{long}b")),
        (&many, &format!("{many}y")),
    ] {
        assert!(score(a, b) < 1.0);
    }
}
