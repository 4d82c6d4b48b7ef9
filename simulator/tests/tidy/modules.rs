//! The modules of one crate and who names whom. A name is followed to where it is defined, also
//! through `pub use`.

use std::collections::{BTreeMap, BTreeSet};

use super::source::{Module, Source};

/// A path deeper than this through `pub use` leads nowhere.
const MOST_STEPS: usize = 32;

#[derive(Debug)]
pub(crate) struct Node {
    /// Its path below the crate, empty for the crate itself.
    pub(crate) path: Vec<String>,
    pub(crate) file: String,
    parent: usize,
    children: BTreeMap<String, usize>,
    imports: BTreeMap<String, Vec<String>>,
    paths: Vec<(Vec<String>, usize)>,
    /// Its types that others can name, with the line of each.
    pub(crate) types: Vec<(String, usize)>,
}

#[derive(Debug)]
pub(crate) struct Modules {
    pub(crate) nodes: Vec<Node>,
}

/// One place where a module names something of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// `file:line path`.
    pub(crate) place: String,
}

impl Modules {
    /// Reads a crate from its files, by their paths below its source folder.
    pub(crate) fn of(files: &BTreeMap<&str, &Source>) -> Self {
        let mut modules = Modules { nodes: Vec::new() };
        modules.add(0, Vec::new(), "lib.rs", &files["lib.rs"].module, files);
        modules
    }

    fn add(
        &mut self,
        parent: usize,
        path: Vec<String>,
        file: &str,
        module: &Module,
        files: &BTreeMap<&str, &Source>,
    ) -> usize {
        let id = self.nodes.len();
        self.nodes.push(Node {
            path: path.clone(),
            file: file.to_owned(),
            parent,
            children: BTreeMap::new(),
            imports: module.imports.clone(),
            paths: module.paths.clone(),
            types: module.types.clone(),
        });
        for (name, inline) in &module.children {
            let mut below = path.clone();
            below.push(name.clone());
            let child = match inline {
                Some(inline) => self.add(id, below, file, inline, files),
                None => {
                    let place = below.join("/");
                    let found = [format!("{place}.rs"), format!("{place}/mod.rs")];
                    let found = found.iter().find(|file| files.contains_key(file.as_str()));
                    let file = found.unwrap_or_else(|| panic!("no file holds {place}"));
                    self.add(id, below, file, &files[file.as_str()].module, files)
                }
            };
            self.nodes[id].children.insert(name.clone(), child);
        }
        id
    }

    /// The module that defines what a path means, and whether it means that module itself.
    fn resolve(&self, from: usize, path: &[String], steps: usize) -> Option<(usize, bool)> {
        if steps == 0 {
            return None;
        }
        let mut here = from;
        for (at, word) in path.iter().enumerate() {
            here = match word.as_str() {
                "crate" if at == 0 => 0,
                "self" if at == 0 => from,
                "super" => self.nodes[here].parent,
                word => {
                    if let Some(&child) = self.nodes[here].children.get(word) {
                        child
                    } else if let Some(import) = self.nodes[here].imports.get(word)
                        && import != path
                    {
                        match self.resolve(here, import, steps - 1)? {
                            (module, true) => module,
                            (module, false) => return Some((module, false)),
                        }
                    } else if at == 0 {
                        // Of another crate, or of this module.
                        return None;
                    } else {
                        return Some((here, false));
                    }
                }
            };
        }
        Some((here, true))
    }

    /// Every place where a module names another one or something that it defines.
    pub(crate) fn named(&self) -> Vec<Named> {
        let mut all = Vec::new();
        for (from, node) in self.nodes.iter().enumerate() {
            for (path, line) in &node.paths {
                let Some((to, _)) = self.resolve(from, path, MOST_STEPS) else {
                    continue;
                };
                if to != from {
                    let place = format!("{}:{line} {}", node.file, path.join("::"));
                    all.push(Named { from, to, place });
                }
            }
        }
        all
    }

    /// The modules right below a folder, given as its path with `::`.
    pub(crate) fn members(&self, folder: &str) -> BTreeSet<String> {
        let is_it = |node: &&Node| node.path.join("::") == folder;
        let node = self.nodes.iter().find(is_it).expect("a folder");
        node.children.keys().cloned().collect()
    }
}

/// The arrows between the members of one folder, each with the places that make it.
pub(crate) type Arrows = BTreeMap<(String, String), Vec<String>>;

/// The arrows of each folder, by its path. A member stands for all that lies below it; who names the
/// folder that it lies in, or what lies below itself, names no sibling.
pub(crate) fn folders(modules: &Modules) -> BTreeMap<String, Arrows> {
    let mut folders: BTreeMap<String, Arrows> = BTreeMap::new();
    for Named { from, to, place } in modules.named() {
        let (from, to) = (&modules.nodes[from].path, &modules.nodes[to].path);
        let shared = from.iter().zip(to).take_while(|(a, b)| a == b).count();
        if let (Some(member), Some(sibling)) = (from.get(shared), to.get(shared)) {
            let folder = folders.entry(from[..shared].join("::")).or_default();
            let arrow = folder.entry((member.clone(), sibling.clone()));
            arrow.or_default().push(place);
        }
    }
    folders
}

/// The rings among members: each a set of members of which every one reaches every other.
pub(crate) fn rings(arrows: &Arrows) -> Vec<BTreeSet<String>> {
    let reached = |from: &str| {
        let mut reached = BTreeSet::new();
        let mut open = vec![from.to_owned()];
        while let Some(here) = open.pop() {
            for (_, next) in arrows.keys().filter(|(member, _)| *member == here) {
                if reached.insert(next.clone()) {
                    open.push(next.clone());
                }
            }
        }
        reached
    };
    let members: BTreeSet<&str> = arrows.keys().map(|(from, _)| from.as_str()).collect();
    let reach: BTreeMap<&str, BTreeSet<String>> = members
        .iter()
        .map(|member| (*member, reached(member)))
        .collect();
    let mut rings: Vec<BTreeSet<String>> = Vec::new();
    for member in &members {
        if rings.iter().any(|ring| ring.contains(*member)) {
            continue;
        }
        let back = reach[member].iter().filter(|other| {
            reach
                .get(other.as_str())
                .is_some_and(|reached| reached.contains(*member))
        });
        let ring: BTreeSet<String> = back.cloned().collect();
        if ring.len() > 1 {
            rings.push(ring);
        }
    }
    rings
}

/// A crate that a test makes up.
pub(crate) fn planted(files: &[(&'static str, &str)]) -> Modules {
    let read = |(path, text): &(&'static str, &str)| (*path, super::source::read(text));
    let sources: Vec<(&str, Source)> = files.iter().map(read).collect();
    Modules::of(&sources.iter().map(|(path, it)| (*path, it)).collect())
}
