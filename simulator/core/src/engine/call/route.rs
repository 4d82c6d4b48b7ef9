//! From method and path to what is called.

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::FixedState;
use svc_fixtures::contract::{BundleIndex, Contract, OperationIndex};
use svc_fixtures::reading::nearest_path;
use svc_fixtures::sample;

use crate::engine::state::rejection::Rejection;

/// Which paths there are. Made once from the contract's rows.
#[derive(Debug, Clone)]
pub struct Router {
    exact: HashMap<String, OperationIndex, FixedState>,
    bundles: HashMap<String, BundleIndex, FixedState>,
    /// What stands before a path's last part, where that part may be anything.
    wildcards: Vec<(String, OperationIndex)>,
    /// All of them as people know them, in the contract's order, for who mistypes one.
    known: Vec<(&'static str, String)>,
}

/// What a call asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target<'a> {
    /// An operation.
    Operation(OperationIndex),
    /// A bundle.
    Bundle(BundleIndex),
    /// The newest envelope of this verification.
    Verification(&'a str),
    /// What was spent.
    Usage,
}

const VERIFICATIONS: &str = "/v1/verifications/";
/// Where the usage report is (ruling 27).
pub const USAGE: &str = "/v1/usage";

impl Router {
    /// The paths of a contract.
    #[must_use]
    pub fn new(contract: &Contract) -> Self {
        let mut router = Router {
            exact: HashMap::default(),
            bundles: HashMap::default(),
            wildcards: Vec::new(),
            known: Vec::new(),
        };
        for (index, bundle) in contract.bundles.iter().enumerate() {
            let path = bundle.path.clone();
            router.bundles.insert(path, BundleIndex(index));
        }
        let operations = contract.operations.iter().map(sample::path);
        let posted = operations.chain(contract.bundles.iter().map(|it| it.path.clone()));
        router.known = posted.map(|path| ("POST", path)).collect();
        let read = [
            USAGE.to_owned(),
            format!("{VERIFICATIONS}{{verificationId}}"),
        ];
        router.known.extend(read.map(|path| ("GET", path)));
        for (index, operation) in contract.indexed_operations() {
            match operation.path.strip_suffix('*') {
                Some(before) => router.wildcards.push((before.to_owned(), index)),
                None => {
                    router.exact.insert(operation.path.clone(), index);
                }
            }
        }
        router
    }

    /// What this method and path ask for.
    ///
    /// # Errors
    /// [`Rejection::UnknownPath`], or [`Rejection::MethodNotAllowed`] where only the path exists.
    pub fn find<'a>(&self, method: &str, path: &'a str) -> Result<Target<'a>, Rejection> {
        let (target, allow) = self.by_path(path).ok_or_else(|| Rejection::UnknownPath {
            meant: self.meant(path),
        })?;
        match method == allow {
            true => Ok(target),
            false => Err(Rejection::MethodNotAllowed { allow }),
        }
    }

    /// The operation of a path, whatever the method.
    #[must_use]
    pub fn operation_at(&self, path: &str) -> Option<OperationIndex> {
        match self.by_path(path)? {
            (Target::Operation(operation), _) => Some(operation),
            (Target::Bundle(_) | Target::Verification(_) | Target::Usage, _) => None,
        }
    }

    /// Method and path of what a path that is none may mean.
    fn meant(&self, path: &str) -> Option<String> {
        let below: Vec<String> = self
            .known
            .iter()
            .filter(|(_, known)| is_below(known, path))
            .map(|(method, path)| format!("{method} {path}"))
            .take(MOST_MEANT + 1)
            .collect();
        if (1..=MOST_MEANT).contains(&below.len()) {
            return Some(below.join(" or "));
        }
        let known = self.known.iter().map(|(_, path)| path.as_str());
        let meant = nearest_path(path, known)?;
        let (method, path) = self.known.iter().find(|(_, path)| path == meant)?;
        Some(format!("{method} {path}"))
    }

    fn by_path<'a>(&self, path: &'a str) -> Option<(Target<'a>, &'static str)> {
        if let Some(&index) = self.exact.get(path) {
            return Some((Target::Operation(index), "POST"));
        }
        if let Some(&index) = self.bundles.get(path) {
            return Some((Target::Bundle(index), "POST"));
        }
        if path == USAGE {
            return Some((Target::Usage, "GET"));
        }
        let one_part = |rest: &&str| !rest.is_empty() && !rest.contains('/');
        if let Some(id) = path.strip_prefix(VERIFICATIONS).filter(one_part) {
            return Some((Target::Verification(id), "GET"));
        }
        let wildcard = |(before, _): &&(String, OperationIndex)| {
            path.strip_prefix(before.as_str())
                .is_some_and(|rest| one_part(&rest))
        };
        self.wildcards
            .iter()
            .find(wildcard)
            .map(|&(_, index)| (Target::Operation(index), "POST"))
    }
}

/// So many operations below a path are named where it is asked for itself.
const MOST_MEANT: usize = 4;

/// Whether a known path goes on where another one ends.
fn is_below(known: &str, path: &str) -> bool {
    let path = path.strip_suffix('/').unwrap_or(path);
    known
        .strip_prefix(path)
        .is_some_and(|rest| rest.len() > 1 && rest.starts_with('/'))
}

/// What an envelope calls a path that is no operation: the path after `/v1/`, dotted.
#[must_use]
pub fn dotted(path: &str) -> Cow<'_, str> {
    let rest = path
        .strip_prefix("/v1/")
        .unwrap_or_else(|| path.trim_start_matches('/'));
    match rest.contains('/') {
        true => Cow::Owned(rest.replace('/', ".")),
        false => Cow::Borrowed(rest),
    }
}
