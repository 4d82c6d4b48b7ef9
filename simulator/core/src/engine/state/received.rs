//! A request as it came in, for the call log (ruling 35). Its bytes are kept as they came, credentials blacked out, and
//! are read as method, path, headers and body when somebody asks. Must not decide what is black.

use std::net::IpAddr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::form;
use super::sizes::{ALLOCATED, text_bytes};
use crate::scenario::HeaderLines;

/// A request as it came in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReceivedRequest {
    /// Method and target in a line, a line for each header, an empty line, the body.
    #[serde(with = "form::bytes")]
    pub(in crate::engine) text: Arc<[u8]>,
    /// Where in that the body begins.
    pub(in crate::engine) body_at: usize,
    /// How much of the body was sent and kept.
    pub body: ReceivedBody,
    /// The caller's address (ruling 16).
    pub peer: IpAddr,
    /// The paths of the members of the body that no field names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown_members: Vec<String>,
}

/// How much of a body was sent and kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ReceivedBody {
    /// All of it is kept.
    Whole {
        /// How many bytes were sent.
        bytes: u64,
    },
    /// The beginning of it is kept.
    Cut {
        /// How many bytes were sent.
        bytes: u64,
    },
    /// It was not read to its end, and nothing of it is kept.
    Unread,
}

/// As they are kept: what is a secret is black, and no rule asks for it.
impl HeaderLines for ReceivedRequest {
    fn each(&self, line: &mut dyn FnMut(&str, &[u8])) {
        for (name, value) in self.headers() {
            line(name, value);
        }
    }
}

impl ReceivedRequest {
    /// The method.
    #[must_use]
    pub fn method(&self) -> &str {
        self.target().0
    }

    /// The path, undecoded.
    #[must_use]
    pub fn path(&self) -> &str {
        let target = self.target().1;
        target.split_once('?').map_or(target, |(path, _)| path)
    }

    /// What follows the path's question mark, where there is one.
    #[must_use]
    pub fn query(&self) -> Option<&str> {
        self.target().1.split_once('?').map(|(_, query)| query)
    }

    /// Each header line: the name in lower case, and the value. Names come in the order in which each was sent first, the
    /// values of one name together.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let head = &self.text[..self.body_at];
        let lines = head.split(|&byte| byte == b'\n').skip(1);
        lines.filter_map(|line| {
            let colon = line.iter().position(|&byte| byte == b':')?;
            let name = std::str::from_utf8(&line[..colon]).ok()?;
            Some((name, line.get(colon + 2..)?))
        })
    }

    /// What is kept of the body; none where it was not read to its end.
    #[must_use]
    pub fn kept_body(&self) -> Option<&[u8]> {
        (self.body != ReceivedBody::Unread).then(|| &self.text[self.body_at..])
    }

    /// Method and target.
    fn target(&self) -> (&str, &str) {
        let line = self.text.split(|&byte| byte == b'\n').next();
        let line = line.and_then(|line| std::str::from_utf8(line).ok());
        line.and_then(|line| line.split_once(' '))
            .unwrap_or_default()
    }

    /// What it takes in memory beside its own place, in bytes.
    pub(super) fn heap_bytes(&self) -> usize {
        let names = self.unknown_members.iter();
        let names = names.map(|name| size_of::<String>() + text_bytes(name));
        ALLOCATED + 2 * size_of::<usize>() + self.text.len() + names.sum::<usize>()
    }
}
