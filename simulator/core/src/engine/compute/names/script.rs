//! Words of Indian scripts in Latin capitals, and Latin letters without their accents. What a script leaves
//! open is marked at the end of the word, for whoever compares it.

/// Ends a word whose last letter may have an `A` behind it, which the script does not write.
pub(super) const OPEN: char = 'ə';
/// Ends any other word that was written in a script of India.
pub(super) const WRITTEN: char = 'ˑ';
/// Ends a word of a script that hardly writes vowels.
pub(super) const CONSONANTS: char = 'ˀ';

/// Latin letters with an accent, by the letter.
const ACCENTS: [(&str, &str); 17] = [
    ("A", "ÀÁÂÃÄÅĀĂĄ"),
    ("AE", "Æ"),
    ("C", "ÇĆĈĊČ"),
    ("D", "ĎĐÐḌ"),
    ("E", "ÈÉÊËĒĔĖĘĚ"),
    ("G", "ĜĞĠĢ"),
    ("H", "ĤĦḤ"),
    ("I", "ÌÍÎÏĨĪĬĮİ"),
    ("L", "ĹĻĽŁḶ"),
    ("N", "ÑŃŅŇṆṄ"),
    ("O", "ÒÓÔÕÖØŌŎŐ"),
    ("R", "ŔŖŘṚ"),
    ("S", "ŚŜŞŠṢ"),
    ("T", "ŢŤŦṬ"),
    ("U", "ÙÚÛÜŨŪŬŮŰŲ"),
    ("Y", "ÝŶŸ"),
    ("Z", "ŹŻŽ"),
];

/// The scripts that descend from Brahmi have blocks of 128 characters in one order: what stands at each place,
/// vowels from 5 and consonants from 21 on.
const VOWELS: [&str; 16] = [
    "A", "A", "I", "I", "U", "U", "RI", "LI", "E", "E", "E", "AI", "O", "O", "O", "AU",
];
const CONSONANT: [&str; 37] = [
    "K", "KH", "G", "GH", "NG", "CH", "CHH", "J", "JH", "N", "T", "TH", "D", "DH", "N", "T", "TH",
    "D", "DH", "N", "N", "P", "PH", "B", "BH", "M", "Y", "R", "R", "L", "L", "ZH", "V", "SH", "SH",
    "S", "H",
];
/// Signs of vowels, from 62 on.
const SIGNS: [&str; 15] = [
    "A", "I", "I", "U", "U", "RI", "RI", "E", "E", "E", "AI", "O", "O", "O", "AU",
];
/// Letters with a dot, from 88 on.
const DOTTED: [&str; 8] = ["K", "KH", "G", "Z", "R", "RH", "F", "Y"];
/// Malayalam's letters without a vowel, from 122 on.
const CHILLUS: [&str; 6] = ["N", "N", "R", "L", "L", "K"];
const TAMIL: u32 = 5;
const MALAYALAM: u32 = 8;

/// Letters of the script of Urdu. Some are never a sound of their own.
const ARABIC: [(&str, &str); 26] = [
    ("B", "ب"),
    ("P", "پ"),
    ("T", "تطٹةۃ"),
    ("S", "ثسص"),
    ("J", "جژ"),
    ("CH", "چ"),
    ("H", "حہهھۂ"),
    ("KH", "خ"),
    ("D", "دڈ"),
    ("Z", "ذزضظ"),
    ("R", "رڑ"),
    ("SH", "ش"),
    ("G", "گ"),
    ("GH", "غ"),
    ("F", "ف"),
    ("Q", "ق"),
    ("K", "كک"),
    ("L", "ل"),
    ("M", "م"),
    ("N", "نں"),
    ("V", "و"),
    ("Y", "یيىےئ"),
    ("A", "اآأإ"),
    ("", "عءؤ"),
    (
        "",
        "\u{64B}\u{64C}\u{64D}\u{64E}\u{64F}\u{650}\u{651}\u{652}\u{670}",
    ),
    ("", "\u{640}"),
];

/// Letters by their English names, as initials are written in the scripts of India.
const LETTERS: [(&str, &str); 19] = [
    ("E", "A"),
    ("BI", "B"),
    ("SI", "C"),
    ("DI", "D"),
    ("I", "E"),
    ("EPH", "F"),
    ("ECH", "H"),
    ("AI", "I"),
    ("JE", "J"),
    ("KE", "K"),
    ("EL", "L"),
    ("EM", "M"),
    ("EN", "N"),
    ("PI", "P"),
    ("AR", "R"),
    ("ES", "S"),
    ("TI", "T"),
    ("VI", "V"),
    ("VAI", "Y"),
];

/// What is heard behind a consonant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Behind {
    /// A vowel that the script does not write.
    Open,
    Nothing,
}

/// A word in Latin capitals, without accents; itself where its letters are others.
pub(super) fn latin(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_uppercase();
    }
    match word.chars().find(|c| !c.is_ascii()).map(block) {
        Some(Block::Indic) => indic(word),
        Some(Block::Arabic) => arabic(word),
        _ => {
            let upper = word.chars().flat_map(char::to_uppercase);
            let plain = |c: char| {
                let found = ACCENTS.iter().find(|(_, accents)| accents.contains(c));
                found.map_or_else(|| c.to_string(), |(plain, _)| (*plain).to_owned())
            };
            // An accent may be a character of its own.
            let letters = upper.filter(|c| !('\u{300}'..='\u{36F}').contains(c));
            letters.map(plain).collect()
        }
    }
}

enum Block {
    Indic,
    Arabic,
    Other,
}

fn block(c: char) -> Block {
    match c {
        '\u{900}'..='\u{D7F}' => Block::Indic,
        '\u{600}'..='\u{6FF}' => Block::Arabic,
        _ => Block::Other,
    }
}

fn indic(word: &str) -> String {
    let mut latin = String::new();
    let mut behind = Behind::Nothing;
    let mut letters = word.chars().peekable();
    while let Some(c) = letters.next() {
        let (script, at) = match u32::from(c) {
            code @ 0x900..=0xD7F => ((code - 0x900) / 128, (code % 128) as usize),
            _ => (0, 128),
        };
        let is_consonant = matches!(at, 21..=57 | 88..=95) || (script == MALAYALAM && at >= 122);
        if behind == Behind::Open && (is_consonant || matches!(at, 1..=20 | 112..=113)) {
            latin.push('A');
        }
        behind = Behind::Nothing;
        match at {
            // A nasal is heard as the consonant behind it says; before `H` it is `NG`.
            1 | 2 | 112 => {
                latin.push_str(match letters.peek().map(|next| u32::from(*next) % 128) {
                    Some(42..=46) => "M",
                    Some(57) => "NG",
                    _ => "N",
                })
            }
            5..=20 => latin.push_str(VOWELS[at - 5]),
            21..=57 => {
                let letter = match (script, at) {
                    // Tamil has one letter for `CH` and `S`.
                    (TAMIL, 26) => "S",
                    _ => CONSONANT[at - 21],
                };
                // `JN` is spoken as `GY`.
                match latin.ends_with('J') && at == 30 {
                    true => latin.replace_range(latin.len() - 1.., "GY"),
                    false => latin.push_str(letter),
                }
                behind = Behind::Open;
            }
            62..=76 => latin.push_str(SIGNS[at - 62]),
            78 => latin.push('T'),
            88..=95 => {
                latin.push_str(DOTTED[at - 88]);
                behind = Behind::Open;
            }
            // The sign that no vowel is heard; Gurmukhi's sign that the next letter is long.
            77 | 113 => {}
            122..=127 if script == MALAYALAM => latin.push_str(CHILLUS[at - 122]),
            102..=111 => latin.push(char::from(b'0' + (at - 102) as u8)),
            // A dot below belongs to the letter before.
            60 => behind = Behind::Open,
            _ if c.is_ascii_alphanumeric() => latin.push(c.to_ascii_uppercase()),
            _ => {}
        }
        // A sign of a vowel, or of none, takes the place of what is not written.
        if behind == Behind::Open
            && let Some(next) = letters.peek().map(|next| u32::from(*next))
            && (0x900..=0xD7F).contains(&next)
            && matches!(next % 128, 62..=77)
        {
            behind = Behind::Nothing;
        }
    }
    let is_open = behind == Behind::Open;
    if let Some((_, letter)) = LETTERS.iter().find(|(name, _)| *name == latin) {
        return (*letter).to_owned();
    }
    if latin.chars().nth(1).is_some() {
        latin.push(if is_open { OPEN } else { WRITTEN });
    }
    latin
}

fn arabic(word: &str) -> String {
    let letter = |c: char| {
        let found = ARABIC.iter().find(|(_, letters)| letters.contains(c));
        found.map_or("", |(latin, _)| latin)
    };
    let mut latin: String = word.chars().map(letter).collect();
    if latin.chars().nth(1).is_some() {
        latin.push(CONSONANTS);
    }
    latin
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_read_as_they_are_spoken() {
        for (word, spoken) in [
            ("आशा", "ASHAˑ"),
            ("राव", "RAVə"),
            ("लक्ष्मी", "LAKSHMIˑ"),
            ("ज्ञानेंद्र", "GYANENDRə"),
            ("सिंह", "SINGHə"),
            ("अय्यर", "AYYARə"),
            ("के", "K"),
            ("अमित", "AMITə"),
            ("அமுதா", "AMUTAˑ"),
            ("సురేశ్", "SURESHˑ"),
            ("ಮಂಜುನಾಥ", "MANJUNATHə"),
            ("അമൽ", "AMALˑ"),
            ("ਗੁਰਪ੍ਰੀਤ", "GURAPRITə"),
            ("অমিত", "AMITə"),
            ("હાર્દિક", "HARDIKə"),
            ("ଆଶା", "ASHAˑ"),
            ("محمد", "MHMDˀ"),
            ("José", "JOSE"),
            ("Zoe\u{308}", "ZOE"),
            ("Ravi", "RAVI"),
            ("李", "李"),
            ("१२", "12ˑ"),
        ] {
            assert_eq!(latin(word), spoken, "{word}");
        }
    }
}
