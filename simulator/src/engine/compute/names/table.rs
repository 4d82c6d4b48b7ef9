//! What a reader of Indian names expects of pairs: written down before the scores, and kept. `Same` is a match
//! (0.80 and more), `Partial` what may be the same (0.70 to 0.79), `Other` is somebody else (below).

use super::{Options, score};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    Same,
    Partial,
    Other,
}

use Expected::{Other, Partial, Same};

type Pair = (Expected, &'static str, &'static str);

const PEOPLE: &[Pair] = &[
    // Case, spaces, punctuation, titles, relations.
    (Same, "asha rao", "ASHA RAO"),
    (Same, "Asha  Rao.", "ASHA RAO"),
    (Same, "Smt. Asha Rao", "ASHA RAO"),
    (Same, "Mrs Asha Rao", "ASHA RAO"),
    (Same, "Shri Ravi Kumar", "RAVI KUMAR"),
    (Same, "Sri. Ravi Kumar", "RAVI KUMAR"),
    (Same, "Shri. Dr. Ravi Kumar", "RAVI KUMAR"),
    (Same, "Dr Ravi Kumar MBBS", "RAVI KUMAR"),
    (Same, "Ravi Kumar S/O Mohan Kumar", "RAVI KUMAR"),
    (Same, "Asha Rao W/O Mohan Rao", "ASHA RAO"),
    (Same, "Er. Ravi Kumar", "RAVI KUMAR"),
    (Same, "Capt. Ravi Kumar", "RAVI KUMAR"),
    (Same, "Ravi Kumar ji", "RAVI KUMAR"),
    (Same, "Late Mohan Rao", "MOHAN RAO"),
    (Same, "Mary D'Souza", "MARY DSOUZA"),
    (Same, "Mary De Souza", "MARY DSOUZA"),
    (Same, "José Fernandes", "JOSE FERNANDES"),
    (Same, "Zoë Pereira", "ZOE PEREIRA"),
    // Order.
    (Same, "Rao Asha", "ASHA RAO"),
    (Same, "Rao, Asha", "ASHA RAO"),
    (Same, "Narayan R K", "R K NARAYAN"),
    (Same, "Venkatesh S", "S VENKATESH"),
    (Same, "Patel Hardik Kumar", "HARDIK KUMAR PATEL"),
    // Middle names and initials that are only written once.
    (Same, "Asha K Rao", "ASHA RAO"),
    (Same, "Asha Kumari Rao", "ASHA RAO"),
    (Same, "Ramesh Kumar", "RAMESH KUMAR SHARMA"),
    (Same, "Abdul Kalam", "A P J ABDUL KALAM"),
    (Same, "Sachin Ramesh Tendulkar", "SACHIN TENDULKAR"),
    (Same, "Amit Kr Singh", "AMIT KUMAR SINGH"),
    (Same, "Amit Kr. Singh", "AMIT SINGH"),
    (Same, "S Venkatesh Iyer", "SURESH VENKATESH IYER"),
    (Same, "R Venkataraman", "VENKATARAMAN"),
    // Initials that expand: may be the same.
    (Partial, "S. Venkatesh", "SURESH VENKATESH"),
    (Partial, "A Rao", "ASHA RAO"),
    (Partial, "A. Rao", "ANIL RAO"),
    (Partial, "Rao A", "ASHA RAO"),
    (Partial, "Asha R", "ASHA RAO"),
    (Partial, "R K Sharma", "RAJESH KUMAR SHARMA"),
    (Partial, "RK Sharma", "RAJESH KUMAR SHARMA"),
    (Partial, "M S Dhoni", "MAHENDRA SINGH DHONI"),
    (Partial, "MS Dhoni", "MAHENDRA SINGH DHONI"),
    (Partial, "K. R. Narayanan", "KOCHERIL RAMAN NARAYANAN"),
    (
        Partial,
        "P V Narasimha Rao",
        "PAMULAPARTHI VENKATA NARASIMHA RAO",
    ),
    (Partial, "Venkatesh S", "SURESH VENKATESH"),
    (Partial, "V. Anand", "VISWANATHAN ANAND"),
    (Partial, "Karunanidhi M", "MUTHUVEL KARUNANIDHI"),
    (Same, "Mohd. A Khan", "MOHAMMED ASIF KHAN"),
    // A name left out.
    (Partial, "Asha", "ASHA RAO"),
    (Partial, "Rao", "ASHA RAO"),
    // Initials that are others'.
    (Other, "S. Venkatesh", "RAMESH VENKATESH"),
    (Other, "B Rao", "ASHA RAO"),
    (Other, "A Rao", "ASHA SHARMA"),
    (Other, "A R", "ASHA RAO"),
    (Other, "Asha K Rao", "ASHA M RAO"),
    (Other, "R K Sharma", "RAJESH MOHAN SHARMA"),
    // Other people.
    (Other, "Ravi Kumar", "RAVI KUMARI"),
    (Other, "Asha Rao", "USHA RAO"),
    (Other, "Asha Rao", "ASHA RAJ"),
    (Other, "Asha Rao", "ASHA RAI"),
    (Other, "Asha Rao", "ASHA SHARMA"),
    (Other, "Asha Rao", "VIKRAM SETH"),
    (Other, "Amit Shah", "SUMIT SHAH"),
    (Other, "Anil Verma", "SUNIL VERMA"),
    (Other, "Sita Devi", "GITA DEVI"),
    (Other, "Ram Singh", "SHYAM SINGH"),
    (Other, "Rahul Gandhi", "RAJIV GANDHI"),
    (Other, "Suresh Patel", "SURESHBHAI SHAH"),
    (Other, "Asha Kumari Rao", "ASHA DEVI RAO"),
    (Other, "Ramesh Iyer", "RAMESH IYENGAR"),
    (Other, "Priya Nair", "PRIYANKA NAIR"),
    (Other, "Krishna Iyer", "KRISHNAMURTHY IYER"),
    (Other, "Amita Shah", "AMIT SHAH"),
    (Other, "Anita Joshi", "ANIL JOSHI"),
    (Other, "Kiran Rao", "KARAN RAO"),
    (Other, "Manoj Gupta", "MANISH GUPTA"),
    (Other, "Harish Chandra", "GIRISH CHANDRA"),
    (Other, "Ravi Das", "RAVI DEV"),
    (Other, "Mohan Lal", "MADAN LAL"),
    (Other, "Rekha Sharma", "REENA SHARMA"),
    (Other, "Sunil Kumar", "SUNITA KUMARI"),
    (Other, "Ravi", "RAVINDRA"),
    (Other, "Asha Rao", "RAOSAHEB ASHTEKAR"),
    (Other, "Deepa Nair", "DEEPAK NAIR"),
    (Other, "Arun Kumar", "VARUN KUMAR"),
    (Other, "Mohammed Asif", "MOHAMMED ARIF"),
    (Other, "Mohammed Khan", "MEHMOOD KHAN"),
    (Other, "Lakshmi Rao", "LAKSHMAN RAO"),
    // Slips of the fingers.
    (Same, "Aasha Rao", "ASHA RAO"),
    (Same, "Asha Roa", "ASHA RAO"),
    (Same, "Rajehs Sharma", "RAJESH SHARMA"),
    (Same, "Rajesh Sharmaa", "RAJESH SHARMA"),
    (Same, "Venkatesh Prasd", "VENKATESH PRASAD"),
    (Same, "Subramaniam Swamy", "SUBRAMANIAN SWAMY"),
    // One name, several spellings.
    (Same, "Laxmi Choudhary", "LAKSHMI CHAUDHARI"),
    (Same, "Lakshmi Narayanan", "LAXMI NARAYANAN"),
    (Same, "Srinivas Rao", "SHRINIVAS RAO"),
    (Same, "Sreenivas Rao", "SRINIVAS RAO"),
    (Same, "Srinivasa Rao", "SREENIVASA RAO"),
    (Same, "Narayana Murthy", "NARAYANA MOORTHY"),
    (Same, "Narayanamurti", "NARAYANA MURTHY"),
    (Same, "Krishnamurthy Iyer", "KRISHNAMOORTHI IYER"),
    (Same, "Savitha Nair", "SAVITA NAIR"),
    (Same, "Kavitha Reddy", "KAVITA REDDY"),
    (Same, "Geetha Menon", "GITA MENON"),
    (Same, "Jothi Basu", "JYOTHI BASU"),
    (Same, "Poornima Devi", "PURNIMA DEVI"),
    (Same, "Pooja Singh", "PUJA SINGH"),
    (Same, "Deepak Singh", "DIPAK SINGH"),
    (Same, "Vishwanathan Anand", "VISWANATHAN ANAND"),
    (Same, "Easwaran Pillai", "ESWARAN PILLAI"),
    (Same, "Parvathi Ammal", "PARVATI AMMAL"),
    (Same, "Tamizh Selvi", "TAMIL SELVI"),
    (Same, "Kanimozhi Karunanidhi", "KANIMOLI KARUNANIDHI"),
    (Same, "Ezhilarasan M", "ELILARASAN M"),
    (Same, "Saravanan Gnanam", "SARAVANAN JNANAM"),
    (Same, "Aiyer Ramesh", "RAMESH IYER"),
    (Same, "Bhattacharya Amit", "AMIT BHATTACHARYYA"),
    (Same, "Amit Bannerjee", "AMIT BANERJEE"),
    (Same, "Subhas Bose", "SUBHASH BOSE"),
    (Same, "Suvendu Ghose", "SUVENDU GHOSH"),
    (Same, "Vivek Agrawal", "VIVEK AGARWAL"),
    (Same, "Vivek Aggarwal", "VIVEK AGARWAL"),
    (Same, "Gyanendra Sing", "GYANENDRA SINGH"),
    (Same, "Wasim Akram", "VASIM AKRAM"),
    (Same, "Wijay Kumar", "VIJAY KUMAR"),
    (Same, "Vikas Saksena", "VIKAS SAXENA"),
    (Same, "Thirumala Devi", "TIRUMALA DEVI"),
    (Same, "Venkat Raman", "VENKATRAMAN"),
    (Same, "Ram Kumar", "RAMKUMAR"),
    (Same, "Venkata Ramana", "VENKATARAMANA"),
    (Same, "Jai Prakash", "JAIPRAKASH"),
    (Same, "Jay Prakash", "JAI PRAKASH"),
    // Names of Urdu and Arabic.
    (Same, "Mohd Irfan", "MOHAMMAD IRFAN"),
    (Same, "Md. Irfan", "MUHAMMAD IRFAN"),
    (Same, "Mohamed Irfan", "MOHAMMED IRFAN"),
    (Same, "Mohd Irfan", "MD IRFAN"),
    (Same, "Hussain Ali", "HUSAIN ALI"),
    (Same, "Hussein Ali", "HUSSAIN ALI"),
    (Same, "Sheikh Abdullah", "SHAIKH ABDULLAH"),
    (Same, "Sk Abdullah", "SHEIKH ABDULLAH"),
    (Same, "Ahmad Khan", "AHMED KHAN"),
    (Same, "Syed Ahmed", "SAYYED AHMAD"),
    (Same, "Abdul Rahman", "ABDUR REHMAN"),
    (Same, "Abdul Rehman", "ABDULRAHMAN"),
    (Same, "Yousuf Pathan", "YUSUF PATHAN"),
    (Same, "Fatima Begum", "FATHIMA BEGUM"),
    (Same, "Begam Noor Jahan", "NOOR JAHAN BEGUM"),
    (Same, "Qureshi Imran", "IMRAN KURESHI"),
    (Same, "Zakir Husain", "JAKIR HUSSAIN"),
    // Scripts of India.
    (Same, "आशा राव", "ASHA RAO"),
    (Same, "श्रीमती आशा राव", "ASHA RAO"),
    (Same, "लक्ष्मी नारायण", "LAKSHMI NARAYAN"),
    (Same, "राजेश कुमार शर्मा", "RAJESH KUMAR SHARMA"),
    (Same, "ज्ञानेंद्र सिंह", "GYANENDRA SINGH"),
    (Same, "प्रिया चौधरी", "PRIYA CHOUDHARY"),
    (Same, "विकास सक्सेना", "VIKAS SAXENA"),
    (Same, "சுரேஷ் குமார்", "SURESH KUMAR"),
    (Same, "லட்சுமி நாராயணன்", "LAKSHMI NARAYANAN"),
    (Same, "వెంకటేశ్ రావు", "VENKATESH RAO"),
    (Same, "ಆಶಾ ರಾವ್", "ASHA RAO"),
    (Same, "ಮಂಜುನಾಥ ಗೌಡ", "MANJUNATH GOWDA"),
    (Same, "অমিত সেন", "AMIT SEN"),
    (Same, "હાર્દિક પટેલ", "HARDIK PATEL"),
    (Same, "സുരേഷ് നായർ", "SURESH NAIR"),
    (Same, "ਗੁਰਪ੍ਰੀਤ ਸਿੰਘ", "GURPREET SINGH"),
    (Same, "محمد عرفان", "MOHAMMED IRFAN"),
    (Same, "احمد خان", "AHMED KHAN"),
    (Same, "ଆଶା ରାଓ", "ASHA RAO"),
    (Same, "आशा राव", "ಆಶಾ ರಾವ್"),
    (Other, "आशा राव", "USHA RAO"),
    (Other, "आशा राव", "VIKRAM SETH"),
    (Partial, "ए राव", "ASHA RAO"),
    (Partial, "अ राव", "ASHA RAO"),
];

const BUSINESSES: &[Pair] = &[
    (
        Same,
        "Neelgiri Systems Pvt Ltd",
        "NEELGIRI SYSTEMS PRIVATE LIMITED",
    ),
    (
        Same,
        "Neelgiri Systems (P) Ltd.",
        "NEELGIRI SYSTEMS PRIVATE LIMITED",
    ),
    (
        Same,
        "Neelgiri Systems P. Ltd",
        "NEELGIRI SYSTEMS PRIVATE LIMITED",
    ),
    (
        Same,
        "M/s. Neelgiri Systems Pvt. Ltd.",
        "NEELGIRI SYSTEMS PRIVATE LIMITED",
    ),
    (
        Same,
        "M/S NEELGIRI SYSTEMS",
        "NEELGIRI SYSTEMS PRIVATE LIMITED",
    ),
    (Same, "Neelgiri Systems", "NEELGIRI SYSTEMS PRIVATE LIMITED"),
    (
        Same,
        "Nilgiri Systems Pvt Ltd",
        "NEELGIRI SYSTEMS PRIVATE LIMITED",
    ),
    (
        Same,
        "Neelgiri System Pvt Ltd",
        "NEELGIRI SYSTEMS PRIVATE LIMITED",
    ),
    (
        Same,
        "Neelgiri Systms Pvt Ltd",
        "NEELGIRI SYSTEMS PRIVATE LIMITED",
    ),
    (
        Same,
        "NeelgiriSystems Private Limited",
        "NEELGIRI SYSTEMS PRIVATE LIMITED",
    ),
    (Same, "The Neelgiri Systems Ltd", "NEELGIRI SYSTEMS LIMITED"),
    (Same, "Shah & Sons", "SHAH AND SONS"),
    (Same, "Shah & Co", "SHAH AND COMPANY"),
    (Same, "Shah & Co.", "SHAH & COMPANY"),
    (Same, "T C S Limited", "TCS LTD"),
    (Same, "T.C.S. Ltd", "TCS LIMITED"),
    (Same, "Sharma Bros", "SHARMA BROTHERS"),
    (
        Same,
        "Surya Mfg Co Ltd",
        "SURYA MANUFACTURING COMPANY LIMITED",
    ),
    (Same, "Surya Engg Works", "SURYA ENGINEERING WORKS"),
    (
        Same,
        "Surya Intl Pvt Ltd",
        "SURYA INTERNATIONAL PRIVATE LIMITED",
    ),
    (
        Same,
        "Surya Tech Solutions LLP",
        "SURYA TECHNOLOGIES SOLUTIONS LLP",
    ),
    (Same, "Surya Foods L.L.P.", "SURYA FOODS LLP"),
    (
        Same,
        "Surya Foods Limited Liability Partnership",
        "SURYA FOODS LLP",
    ),
    (
        Same,
        "Surya Foods (India) Pvt Ltd",
        "SURYA FOODS INDIA PRIVATE LIMITED",
    ),
    (
        Same,
        "Surya Foods India Pvt Ltd",
        "SURYA FOODS PRIVATE LIMITED",
    ),
    (
        Same,
        "Surya Foods (OPC) Pvt Ltd",
        "SURYA FOODS OPC PRIVATE LIMITED",
    ),
    (
        Same,
        "Lakshmi Textiles Pvt Ltd",
        "LAXMI TEXTILES PRIVATE LIMITED",
    ),
    (Same, "Surya Inds", "SURYA INDUSTRIES"),
    (
        Same,
        "नीलगिरी सिस्टम्स प्राइवेट लिमिटेड",
        "NEELGIRI SYSTEMS PRIVATE LIMITED",
    ),
    // Two legal persons, whatever they are called.
    (
        Partial,
        "Neelgiri Systems LLP",
        "NEELGIRI SYSTEMS PRIVATE LIMITED",
    ),
    (Partial, "Neelgiri Systems LLP", "NEELGIRI SYSTEMS LIMITED"),
    (
        Partial,
        "Neelgiri Systems Ltd",
        "NEELGIRI SYSTEMS PRIVATE LIMITED",
    ),
    (
        Partial,
        "Neelgiri Systems (OPC) Pvt Ltd",
        "NEELGIRI SYSTEMS PRIVATE LIMITED",
    ),
    (
        Partial,
        "Neelgiri Systems Trust",
        "NEELGIRI SYSTEMS FOUNDATION",
    ),
    (Partial, "Neelgiri Systems HUF", "NEELGIRI SYSTEMS LLP"),
    // Others.
    (Other, "Tata Steel Ltd", "TATA MOTORS LTD"),
    (
        Other,
        "Sunrise Foods Pvt Ltd",
        "NEELGIRI SYSTEMS PRIVATE LIMITED",
    ),
    (
        Other,
        "Surya Foods Pvt Ltd",
        "SURYA TEXTILES PRIVATE LIMITED",
    ),
    (
        Other,
        "Surya Foods Pvt Ltd",
        "CHANDRA FOODS PRIVATE LIMITED",
    ),
    (Other, "ABC Traders", "ABD TRADERS"),
    (Other, "Private Limited", "NEELGIRI SYSTEMS PRIVATE LIMITED"),
    (Other, "Asha Rao", "NEELGIRI SYSTEMS PRIVATE LIMITED"),
    (Other, "Reliance Power Ltd", "RELIANCE CAPITAL LTD"),
    (Other, "Shree Ganesh Traders", "SHREE KRISHNA TRADERS"),
    (Other, "Surya Foods Unit 1", "SURYA FOODS UNIT 2"),
];

fn judged((expected, a, b): Pair, business: bool) -> Option<String> {
    let options = Options {
        business,
        ..Options::default()
    };
    let score = (score(a, b, options) * 100.0).round() / 100.0;
    let found = match score {
        score if score >= 0.8 => Same,
        score if score >= 0.7 => Partial,
        _ => Other,
    };
    (found != expected).then(|| format!("{expected:?} {score:.2} {a} / {b}"))
}

#[test]
fn pairs_are_judged_as_a_reader_judges_them() {
    let people = PEOPLE.iter().filter_map(|pair| judged(*pair, false));
    let wrong = people.chain(BUSINESSES.iter().filter_map(|pair| judged(*pair, true)));
    let wrong: Vec<String> = wrong.collect();
    let all = PEOPLE.len() + BUSINESSES.len();
    assert!(
        wrong.is_empty(),
        "{} of {all} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
