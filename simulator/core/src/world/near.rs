//! Places by where they lie.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::kind::{Domain, View};
use super::{AskedIndex, Subject, World};

impl World {
    /// The field beside such a text, where it takes both to find a place.
    #[must_use]
    pub fn beside(&self, asked: AskedIndex) -> Option<&str> {
        self.asked[asked.0].beside.as_deref()
    }

    /// The place nearest to a point, in degrees north and east; none where these are no degrees.
    #[must_use]
    pub fn near(&self, asked: AskedIndex, north: &str, east: &str, seed: u64) -> Option<Subject> {
        let kind = self.asked[asked.0].otherwise;
        let degrees = |text: &str| text.trim().parse::<f64>().ok().filter(|it| it.is_finite());
        let (point, fields) = (
            (degrees(north)?, degrees(east)?),
            self.kinds[kind.0].fields(View::Own),
        );
        let (at, table) =
            fields
                .iter()
                .enumerate()
                .find_map(|(at, field)| match &field.domain {
                    Domain::Rows(table) => Some((at, table)),
                    Domain::Numbers { .. } => None,
                })?;
        let (norths, easts) = (table.column("latitude")?, table.column("longitude")?);
        let apart = |row: &u64| {
            let north = degrees(norths.text(*row)).unwrap_or_default() - point.0;
            let east = degrees(easts.text(*row)).unwrap_or_default() - point.1;
            north.mul_add(north, east * east)
        };
        let nearest = (0..table.rows()).min_by(|a, b| apart(a).total_cmp(&apart(b)))?;
        let number = xxh3_64_with_seed(format!("{north},{east}").as_bytes(), seed);
        let mut digits = self.kinds[kind.0].digits(self.nth(kind, number).number, View::Own, seed);
        digits[at] = nearest;
        let number = self.kinds[kind.0].number(&digits, View::Own, seed);
        Some(Subject { kind, number })
    }
}
