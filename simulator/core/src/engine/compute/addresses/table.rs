//! What a reader of Indian addresses expects of pairs: written down before the scores, and kept.

use std::sync::LazyLock;

use svc_fixtures::world::WorldRows;

use super::score::{self, Towns};
use crate::engine::compute::ByName;

/// Whether both are one place (0.80 and more), and the two as somebody wrote them.
type Pair = (bool, &'static str, &'static str);

const SAMPLE: &str = "12, 4TH CROSS, INDIRANAGAR, BENGALURU, KARNATAKA 560038";

const PAIRS: &[Pair] = &[
    // One place, written otherwise.
    (
        true,
        "12 4th cross Indiranagar Bengaluru Karnataka - 560 038",
        SAMPLE,
    ),
    (
        true,
        "No. 12, Fourth Cross, Indira Nagar, Bangalore, Karnataka, India, PIN 560038",
        SAMPLE,
    ),
    (
        true,
        "#12, IV Cross, Indiranagar, Bangalore - 560038",
        SAMPLE,
    ),
    (true, "12, 4th X, Indiranagar, Blore 560038", SAMPLE),
    (
        true,
        "Indiranagar, 4th Cross, No 12, Bangalore 560038",
        SAMPLE,
    ),
    (true, "12, 4TH CROSS, INDIRANAGAR, BENGALURU", SAMPLE),
    (
        true,
        "12, 4th Cross, Indranagar, Bengaluru, KA 560038",
        SAMPLE,
    ),
    (
        true,
        "H.No. 12, 4th Cross Road, Indiranagar, Bengaluru 560038",
        SAMPLE,
    ),
    (
        true,
        "12, 4th Cross, Near Metro Station, Indiranagar, Bengaluru 560038",
        SAMPLE,
    ),
    (
        true,
        "5, MARINE DRIVE, BOMBAY 400020",
        "5, Marine Drive, Mumbai 400020",
    ),
    (
        true,
        "21 Park Street, Calcutta 700016",
        "21, PARK STREET, KOLKATA 700016",
    ),
    (
        true,
        "8 Mount Road, Madras 600002",
        "8, MOUNT ROAD, CHENNAI 600002",
    ),
    (
        true,
        "3 Palace Road, Mysore 570001",
        "3, PALACE ROAD, MYSURU 570001",
    ),
    (
        true,
        "44 DLF Ph II, Gurgaon 122002",
        "44, DLF PHASE 2, GURUGRAM 122002",
    ),
    (
        true,
        "7 M G Rd, Trivandrum 695001",
        "7, MG ROAD, THIRUVANANTHAPURAM 695001",
    ),
    (true, "9 FC Road, Poona 411004", "9, F.C. ROAD, PUNE 411004"),
    (
        true,
        "10 RC Dutt Road, Baroda 390007",
        "10, R C DUTT ROAD, VADODARA 390007",
    ),
    (
        true,
        "2 Civil Lines, Allahabad 211001",
        "2, CIVIL LINES, PRAYAGRAJ 211001",
    ),
    (
        true,
        "6 Beach Rd, Pondicherry 605001",
        "6, BEACH ROAD, PUDUCHERRY 605001",
    ),
    (
        true,
        "6 Beach Rd, Vizag 530003",
        "6, BEACH ROAD, VISAKHAPATNAM 530003",
    ),
    (
        true,
        "14 MG Road, Cochin 682016",
        "14, M.G. ROAD, KOCHI 682016",
    ),
    (
        true,
        "14 Mavoor Rd, Calicut 673001",
        "14, MAVOOR ROAD, KOZHIKODE 673001",
    ),
    (
        true,
        "5 Assi Ghat, Benares 221005",
        "5, ASSI GHAT, VARANASI 221005",
    ),
    (
        true,
        "5 Assi Ghat, Banaras 221005",
        "5, ASSI GHAT, VARANASI 221005",
    ),
    (
        true,
        "1 Mall Road, Simla 171001",
        "1, MALL ROAD, SHIMLA 171001",
    ),
    (
        true,
        "3 GS Road, Gauhati 781005",
        "3, G S ROAD, GUWAHATI 781005",
    ),
    (
        true,
        "11 Big St, Tanjore 613001",
        "11, BIG STREET, THANJAVUR 613001",
    ),
    (
        true,
        "11 Big St, Trichy 620002",
        "11, BIG STREET, TIRUCHIRAPPALLI 620002",
    ),
    (
        true,
        "2 Hampankatta, Mangalore 575001",
        "2, HAMPANKATTA, MANGALURU 575001",
    ),
    (
        true,
        "2 Club Road, Belgaum 590001",
        "2, CLUB ROAD, BELAGAVI 590001",
    ),
    (
        true,
        "2 Station Rd, Hubli 580020",
        "2, STATION ROAD, HUBBALLI 580020",
    ),
    (
        true,
        "9 Kanke Rd, Aurangabad 431001",
        "9, KANKE ROAD, CHHATRAPATI SAMBHAJINAGAR 431001",
    ),
    (
        true,
        "4 Janpath, Bhubaneshwar, Orissa 751001",
        "4, JANPATH, BHUBANESWAR, ODISHA 751001",
    ),
    (
        true,
        "4 Rajpur Rd, Dehradun, Uttaranchal 248001",
        "4, RAJPUR ROAD, DEHRADUN, UTTARAKHAND 248001",
    ),
    (
        true,
        "Flat 4B, II Floor, Sai Apts, 5th Main, Pune 411004",
        "FLAT 4B, 2ND FLOOR, SAI APARTMENTS, 5TH MAIN, PUNE 411004",
    ),
    (
        true,
        "4-B, 2nd Flr, Sai Apt, Vth Main, Pune 411004",
        "4B, SECOND FLOOR, SAI APARTMENTS, 5TH MAIN, PUNE 411004",
    ),
    (
        true,
        "G.F., 7 Ring Rd, New Delhi 110024",
        "GROUND FLOOR, 7, RING ROAD, NEW DELHI 110024",
    ),
    (
        true,
        "III Cross, Sec 9, Noida 201301",
        "3RD CROSS, SECTOR 9, NOIDA 201301",
    ),
    (
        true,
        "H-12, Sec-15, Chandigarh 160015",
        "HOUSE NO. H12, SECTOR 15, CHANDIGARH 160015",
    ),
    (
        true,
        "Plot No. 7, Ph-1, Hinjewadi, Pune",
        "PLOT 7, PHASE I, HINJEWADI, PUNE 411057",
    ),
    (
        true,
        "Opp. City Mall, 7 Ring Rd, Surat 395002",
        "7, RING ROAD, OPPOSITE CITY MALL, SURAT 395002",
    ),
    (
        true,
        "Nr. Bus Stand, 7 Ring Rd, Surat 395002",
        "7, RING ROAD, NEAR BUS STAND, SURAT 395002",
    ),
    (
        true,
        "7 Gandhi Ngr, Dist. Surat, Guj 395002",
        "7, GANDHI NAGAR, SURAT, GUJARAT 395002",
    ),
    (
        true,
        "7 Gandhinagar, Surat 395002",
        "7, GANDHI NAGAR, SURAT 395002",
    ),
    (
        true,
        "12 Anna Salai, Chennai, TN 600002",
        "12, ANNA SALAI, CHENNAI, TAMIL NADU 600002",
    ),
    (
        true,
        "12 Hazratganj, Lucknow, U.P. 226001",
        "12, HAZRATGANJ, LUCKNOW, UTTAR PRADESH 226001",
    ),
    (
        true,
        "12 Arera Colony, Bhopal M.P.",
        "12, ARERA COLONY, BHOPAL, MADHYA PRADESH 462016",
    ),
    (
        true,
        "C/o Mohan Rao, 12, 4th Cross, Indiranagar, Bengaluru 560038",
        SAMPLE,
    ),
    (
        true,
        "12, 4th Cross, Indiranagar, Bengaluru, Karnataka 560038, Bharat",
        SAMPLE,
    ),
    (
        true,
        "7-1-28/A, Ameerpet, Hyderabad 500016",
        "7-1-28 A, AMEERPET, HYDERABAD 500016",
    ),
    // Other places.
    (
        false,
        "14, 4TH CROSS, INDIRANAGAR, BENGALURU, KARNATAKA 560038",
        SAMPLE,
    ),
    (
        false,
        "12, 5TH CROSS, INDIRANAGAR, BENGALURU, KARNATAKA 560038",
        SAMPLE,
    ),
    (false, "12, V Cross, Indiranagar, Bengaluru 560038", SAMPLE),
    (
        false,
        "12, 4TH CROSS, INDIRANAGAR, BENGALURU, KARNATAKA 560037",
        SAMPLE,
    ),
    (
        false,
        "12, 4TH CROSS, INDIRANAGAR, MYSURU, KARNATAKA 570001",
        SAMPLE,
    ),
    (
        false,
        "12, 4TH MAIN, JAYANAGAR, BENGALURU, KARNATAKA",
        SAMPLE,
    ),
    (false, "INDIRANAGAR, BENGALURU", SAMPLE),
    (false, "BENGALURU 560038", SAMPLE),
    (
        false,
        "45, RESIDENCY ROAD, ASHOK NAGAR, BENGALURU, KARNATAKA 560025",
        SAMPLE,
    ),
    (
        false,
        "7, STATION ROAD, KOTHRUD, PUNE, MAHARASHTRA 411038",
        SAMPLE,
    ),
    (
        false,
        "5, MARINE DRIVE, MUMBAI 400020",
        "5, MARINE DRIVE, KOCHI 682031",
    ),
    (false, "7, MG ROAD, PUNE", "7, MG ROAD, BENGALURU"),
    (
        false,
        "44, DLF PHASE 1, GURUGRAM 122002",
        "44, DLF PHASE 2, GURUGRAM 122002",
    ),
    (
        false,
        "FLAT 4B, 2ND FLOOR, SAI APARTMENTS, PUNE",
        "FLAT 4B, 3RD FLOOR, OM APARTMENTS, PUNE",
    ),
    (false, "SECTOR 9, NOIDA 201301", "SECTOR 19, NOIDA 201301"),
    (
        false,
        "7-1-28/A, AMEERPET, HYDERABAD 500016",
        "7-1-29/A, AMEERPET, HYDERABAD 500016",
    ),
    (
        false,
        "12, ANNA SALAI, CHENNAI 600002",
        "12, ANNA NAGAR, CHENNAI 600040",
    ),
    (false, "", SAMPLE),
    (
        false,
        "12, 4th Cross, 2nd Stage, Near Gandhi Park, Indiranagar, Mysuru, Karnataka",
        "12, 4TH CROSS, 2ND STAGE, NEAR GANDHI PARK, INDIRANAGAR, BENGALURU, KARNATAKA",
    ),
    (
        false,
        "14, 4th Cross, 2nd Stage, Near Gandhi Park, Indiranagar, Bengaluru, Karnataka",
        "12, 4TH CROSS, 2ND STAGE, NEAR GANDHI PARK, INDIRANAGAR, BENGALURU, KARNATAKA",
    ),
    (
        false,
        "Flat 302, Sai Residency, 5th Main, HSR Layout, Bengaluru 560102",
        "FLAT 303, SAI RESIDENCY, 5TH MAIN, HSR LAYOUT, BENGALURU 560102",
    ),
    (
        true,
        "Flat No 302, Sai Residency, V Main, HSR Lyt, Bangalore 560102",
        "FLAT 302, SAI RESIDENCY, 5TH MAIN, HSR LAYOUT, BENGALURU 560102",
    ),
    (
        true,
        "302, Sai Residency, 5 Main Rd, H.S.R. Layout, Bangalore",
        "FLAT 302, SAI RESIDENCY, 5TH MAIN ROAD, HSR LAYOUT, BENGALURU 560102",
    ),
    (
        true,
        "Dr. No. 8-2-120, Rd No 2, Banjara Hills, Hyderabad, TS 500034",
        "8-2-120, ROAD NO. 2, BANJARA HILLS, HYDERABAD, TELANGANA 500034",
    ),
    (
        false,
        "8-2-120, Road No. 2, Banjara Hills, Hyderabad 500034",
        "8-2-121, ROAD NO. 2, BANJARA HILLS, HYDERABAD 500034",
    ),
    (
        true,
        "B-12, Sector 62, Noida, UP - 201 301",
        "B 12 SEC 62 NOIDA UTTAR PRADESH 201301",
    ),
];

/// The score with the towns and states of the rows.
pub(super) fn score(a: &str, b: &str) -> f64 {
    static TABLES: LazyLock<[ByName<String>; 3]> = LazyLock::new(|| {
        let mut tables = WorldRows::built_in().tables();
        let names = ["city_names", "city_states", "state_names"];
        names.map(|name| tables.remove(name).into_iter().flatten().collect())
    });
    let [names, states, codes] = &*TABLES;
    let towns = Towns {
        names: Some(names),
        states: Some(states),
        codes: Some(codes),
    };
    score::score(a, b, towns)
}

#[test]
fn pairs_are_judged_as_a_reader_judges_them() {
    let judged = |(same, a, b): &Pair| {
        let score = (score(a, b) * 100.0).round() / 100.0;
        ((score >= 0.8) != *same).then(|| format!("{same} {score:.2} {a} / {b}"))
    };
    let wrong: Vec<String> = PAIRS.iter().filter_map(judged).collect();
    assert!(
        wrong.is_empty(),
        "{} of {} wrong:\n{}",
        wrong.len(),
        PAIRS.len(),
        wrong.join("\n")
    );
}

#[test]
fn a_score_is_the_same_both_ways() {
    for (_, a, b) in PAIRS {
        assert_eq!(score(a, b), score(b, a), "{a} / {b}");
    }
}
