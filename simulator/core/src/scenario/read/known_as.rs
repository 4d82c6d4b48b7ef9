//! What somebody who is declared is asked for by is known of them, and what is known of them and handed out as an
//! identifier they are asked for by.

use svc_fixtures::contract::{FieldIndex, Operation};
use svc_fixtures::json::Json;
use svc_fixtures::reading::Table;
use svc_fixtures::world::{AskedRow, WorldRows};

use super::people::Cast;
use crate::scenario::people::Profile;

impl Cast<'_> {
    /// What is said with an identifier is known, too: a company with this `establishmentId` has this
    /// `establishment_id`, and its GSTIN has its PAN in it.
    pub(super) fn complete(&self, profile: &mut Profile, asked: &mut Vec<(String, Json<'static>)>) {
        let attributes = &self.roles[&profile.role].attributes;
        for at in 0..profile.asked.len() {
            let (field, text) = &profile.asked[at];
            let Some((name, part)) = self.attribute(&profile.role, field) else {
                continue;
            };
            let text = match part {
                Some((from, to)) => text.get(from..to),
                None => Some(text.as_str()),
            };
            let Some(text) = text.filter(|_| attributes.contains_key(name)) else {
                continue;
            };
            // What a field takes for several identifiers may be another one.
            let json = Json::from(text);
            let mut asking = self.identifying(name).map(|(row, at)| &row.request[at]);
            let fits = asking.all(|field| field.check(&json, &self.contract.formats, &[]).is_ok());
            if !fits || profile.said.contains_key(name) {
                continue;
            }
            // Whoever has this PAN in a GSTIN is asked for by the PAN, too.
            if self.identifying(name).next().is_some() {
                let (text, span) = (text.to_owned(), profile.spans[at].clone());
                asked.push((name.to_owned(), json.clone().into_owned()));
                profile.identifiers.push(text.clone());
                profile.asked.push((name.to_owned(), text));
                profile.spans.push(span);
            }
            profile.said.insert(name.to_owned(), json.into_owned());
        }
    }

    /// What answers hand out as an identifier is one: a company whose `establishment_id` is said is asked for by that
    /// `establishmentId`.
    pub(super) fn ask_by_known(
        &self,
        profile: &mut Profile,
        row: &Table<'_>,
        asked: &mut Vec<(String, Json<'static>)>,
    ) {
        for (key, item) in row.entries() {
            let Some(text) = item.if_text().map(str::to_owned) else {
                continue;
            };
            if !profile.said.contains_key(key) || self.identifying(key).next().is_some() {
                continue;
            }
            let Some(field) = self.field_known_as(&profile.role, key, &text) else {
                continue;
            };
            match profile.asked.iter().find(|(known, _)| known == field) {
                Some((_, other)) if *other == text || profile.breaks_contract => {}
                Some((_, other)) => item.problem_with_hint(
                    format!("`{key}` is \"{text}\" and `{field}` is \"{other}\", which are one identifier"),
                    "leave one of them out, or write `breaks_contract = true` there if they are to contradict each other",
                ),
                None => {
                    asked.push((field.to_owned(), Json::from(text.as_str()).into_owned()));
                    profile.identifiers.push(text.clone());
                    profile.asked.push((field.to_owned(), text));
                    profile.spans.push(item.location().span);
                }
            }
        }
    }

    /// The field that asks for those of a role by what they are known as, where it takes the text.
    fn field_known_as(&self, role: &str, attribute: &str, text: &str) -> Option<&str> {
        let is = format!("{role}.{attribute}");
        let rows = &WorldRows::built_in().asked;
        let row = rows
            .iter()
            .find(|row| row.part.is_none() && row.is.contains(&is))?;
        let json = Json::from(text);
        let asks = |(operation, at): &(&Operation, FieldIndex)| {
            let field = &operation.request[*at];
            // What is asked by the name of a field may be something else of theirs, such as an engine's number.
            let by = match field.format(self.contract) {
                Some(format) => row.by.iter().any(|by| by == format),
                None => row.by.first() == Some(&field.name),
            };
            by && field.check(&json, &self.contract.formats, &[]).is_ok()
        };
        let mut fields = self.identifying.iter();
        fields.find_map(|(name, of)| of.iter().any(asks).then_some(*name))
    }

    /// What those of a role are known by whom a field asks for, and which part of its text that is.
    fn attribute(&self, role: &str, field: &str) -> Option<(&'static str, Option<(usize, usize)>)> {
        let row = self.asked_row(field)?;
        let mut names = row.is.iter().filter_map(|is| is.split_once('.'));
        let (_, name) = names.find(|(kind, _)| *kind == role)?;
        Some((name, row.part))
    }

    /// What the text of a field of this name is taken for.
    pub(super) fn asked_row(&self, field: &str) -> Option<&'static AskedRow> {
        let (row, at) = self.identifying(field).next()?;
        let format = row.request[at].format(self.contract).unwrap_or_default();
        let names = [row.id.as_str(), format, field];
        let rows = &WorldRows::built_in().asked;
        names.iter().find_map(|name| {
            let mut rows = rows.iter();
            rows.find(|row| row.by.iter().any(|by| by == name))
        })
    }
}
