//! One file of Rust as the rules see it: its modules, what they name, their types and functions.
//! Code of tests is read for the length of its functions only.

use std::collections::BTreeMap;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// A module without those that lie in files of their own.
#[derive(Debug, Default)]
pub(crate) struct Module {
    /// The modules below it: None where a file of its own holds it.
    pub(crate) children: BTreeMap<String, Option<Module>>,
    /// What `use` brings in, by the name that it has here.
    pub(crate) imports: BTreeMap<String, Vec<String>>,
    /// Every path it names, imports included.
    pub(crate) paths: Vec<(Vec<String>, usize)>,
    /// Its types that others can name.
    pub(crate) types: Vec<(String, usize)>,
}

/// A function and how many lines of code it has: a text of several lines is data and counts as one.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) lines: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Type,
    Variant,
    Method,
    Constant,
}

/// Something with a comment of its own.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) kind: Kind,
    /// The type that it belongs to, where it does.
    pub(crate) of: String,
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) docs: String,
    /// The methods that it calls on itself.
    pub(crate) calls: Vec<String>,
}

#[derive(Debug, Default)]
pub(crate) struct Source {
    pub(crate) module: Module,
    pub(crate) functions: Vec<Function>,
    pub(crate) items: Vec<Item>,
}

/// # Panics
/// Where it is not Rust: the compiler said so before.
pub(crate) fn read(text: &str) -> Source {
    let file = syn::parse_file(text).expect("Rust");
    let mut reader = Reader::default();
    reader.visit_file(&file);
    for function in &mut reader.functions {
        let body = function.line..function.line + function.lines;
        let texts = reader.texts.iter().filter(|(from, _)| body.contains(from));
        function.lines -= texts.map(|(from, to)| to - from).sum::<usize>();
    }
    Source {
        module: reader.module,
        functions: reader.functions,
        items: reader.items,
    }
}

#[derive(Default)]
struct Reader {
    module: Module,
    functions: Vec<Function>,
    items: Vec<Item>,
    /// The type whose methods are read.
    of: String,
    /// The first and last line of each text of several lines.
    texts: Vec<(usize, usize)>,
    in_tests: bool,
}

fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    })
}

fn docs(attributes: &[syn::Attribute]) -> String {
    let line = |attribute: &syn::Attribute| match &attribute.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            syn::Expr::Lit(literal) => match &literal.lit {
                syn::Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    };
    attributes
        .iter()
        .filter_map(line)
        .collect::<Vec<_>>()
        .join("\n")
}

fn line(spanned: &impl syn::spanned::Spanned) -> usize {
    spanned.span().start().line
}

impl Reader {
    /// Reads what an item holds; what is there for tests alone says nothing of the crate.
    fn within(&mut self, attributes: &[syn::Attribute], read: impl FnOnce(&mut Self)) {
        let outside = self.in_tests;
        self.in_tests |= is_for_tests(attributes);
        read(self);
        self.in_tests = outside;
    }

    fn names(&mut self, path: Vec<String>, line: usize) {
        if !self.in_tests {
            self.module.paths.push((path, line));
        }
    }

    fn function(&mut self, name: String, from: usize, to: usize) {
        self.functions.push(Function {
            name,
            line: from,
            lines: to + 1 - from,
        });
    }

    fn item(&mut self, kind: Kind, of: &str, name: &syn::Ident, attributes: &[syn::Attribute]) {
        if !self.in_tests {
            self.items.push(Item {
                kind,
                of: of.to_owned(),
                name: name.to_string(),
                line: line(name),
                docs: docs(attributes),
                calls: Vec::new(),
            });
        }
    }

    fn literal(&mut self, span: proc_macro2::Span) {
        let (from, to) = (span.start().line, span.end().line);
        if from < to {
            self.texts.push((from, to));
        }
    }

    fn public_type(&mut self, visibility: &syn::Visibility, name: &syn::Ident) {
        if !self.in_tests && !matches!(visibility, syn::Visibility::Inherited) {
            self.module.types.push((name.to_string(), line(name)));
        }
    }

    fn import(&mut self, tree: &syn::UseTree, before: &[String]) {
        let with = |name: &syn::Ident| {
            let mut path = before.to_vec();
            // `use a::{self}` brings in `a`.
            if name != "self" || before.is_empty() {
                path.push(name.to_string());
            }
            path
        };
        match tree {
            syn::UseTree::Path(path) => self.import(&path.tree, &with(&path.ident)),
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, before);
                }
            }
            syn::UseTree::Glob(glob) => self.names(before.to_vec(), line(glob)),
            syn::UseTree::Name(name) => {
                let path = with(&name.ident);
                let here = path.last().cloned().unwrap_or_default();
                self.imported(here, path, line(&name.ident));
            }
            syn::UseTree::Rename(rename) => {
                let path = with(&rename.ident);
                self.imported(rename.rename.to_string(), path, line(&rename.ident));
            }
        }
    }

    fn imported(&mut self, here: String, path: Vec<String>, line: usize) {
        if !self.in_tests {
            self.module.imports.insert(here, path.clone());
        }
        self.names(path, line);
    }

    /// Paths and functions in what a macro is given, which is not parsed.
    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut function = None;
        let mut path: Vec<String> = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Ident(name) => {
                    if at > 0 && is_word(&tokens[at - 1], "fn") {
                        function = Some((name.to_string(), line(name)));
                    }
                    if !(at > 1 && is_colon(&tokens[at - 1]) && is_colon(&tokens[at - 2])) {
                        path.clear();
                    }
                    path.push(name.to_string());
                    let goes_on = tokens.get(at + 1).is_some_and(is_colon)
                        && tokens.get(at + 2).is_some_and(is_colon);
                    if !goes_on && path.len() > 1 {
                        self.names(path.clone(), line(name));
                    }
                }
                TokenTree::Group(group) => {
                    if group.delimiter() == Delimiter::Brace
                        && let Some((name, from)) = function.take()
                    {
                        self.function(name, from, group.span_close().end().line);
                    }
                    self.tokens(group.stream());
                }
                TokenTree::Literal(literal) => self.literal(literal.span()),
                TokenTree::Punct(_) => {}
            }
        }
    }
}

fn is_colon(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == ':')
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.within(&item.attrs, |reader| {
            let name = item.ident.to_string();
            let Some((_, items)) = &item.content else {
                if !reader.in_tests {
                    reader.module.children.insert(name, None);
                }
                return;
            };
            let outer = std::mem::take(&mut reader.module);
            for item in items {
                reader.visit_item(item);
            }
            let inner = std::mem::replace(&mut reader.module, outer);
            if !reader.in_tests {
                reader.module.children.insert(name, Some(inner));
            }
        });
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if item.leading_colon.is_none() {
            self.within(&item.attrs, |reader| reader.import(&item.tree, &[]));
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        let (name, from) = (item.sig.ident.to_string(), line(&item.sig.fn_token));
        self.function(name, from, item.block.brace_token.span.close().end().line);
        self.within(&item.attrs, |reader| visit::visit_item_fn(reader, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        let (name, from) = (item.sig.ident.to_string(), line(&item.sig.fn_token));
        self.function(name, from, item.block.brace_token.span.close().end().line);
        let of = self.of.clone();
        self.within(&item.attrs, |reader| {
            reader.item(Kind::Method, &of, &item.sig.ident, &item.attrs);
            visit::visit_impl_item_fn(reader, item);
        });
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let is_own = matches!(&*call.receiver, syn::Expr::Path(it) if it.path.is_ident("self"));
        if is_own
            && !self.in_tests
            && let Some(method) = self.items.last_mut()
        {
            method.calls.push(call.method.to_string());
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.item(Kind::Constant, "", &item.ident, &item.attrs);
        visit::visit_item_const(self, item);
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        let of = self.of.clone();
        self.item(Kind::Constant, &of, &item.ident, &item.attrs);
        visit::visit_impl_item_const(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            let (name, from) = (item.sig.ident.to_string(), line(&item.sig.fn_token));
            self.function(name, from, block.brace_token.span.close().end().line);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if let syn::Type::Path(own) = &*item.self_ty
            && let Some(name) = own.path.segments.last()
        {
            self.of = name.ident.to_string();
        }
        self.within(&item.attrs, |reader| visit::visit_item_impl(reader, item));
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.public_type(&item.vis, &item.ident);
        self.item(Kind::Type, "", &item.ident, &item.attrs);
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.public_type(&item.vis, &item.ident);
        self.item(Kind::Type, "", &item.ident, &item.attrs);
        for variant in &item.variants {
            let of = item.ident.to_string();
            self.item(Kind::Variant, &of, &variant.ident, &variant.attrs);
        }
        visit::visit_item_enum(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.public_type(&item.vis, &item.ident);
        self.item(Kind::Type, "", &item.ident, &item.attrs);
        visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.public_type(&item.vis, &item.ident);
        self.item(Kind::Type, "", &item.ident, &item.attrs);
        visit::visit_item_type(self, item);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        // One word alone is a name of this module, or it was imported.
        if path.leading_colon.is_none() && path.segments.len() > 1 {
            let segments = path.segments.iter();
            let words = segments.map(|segment| segment.ident.to_string()).collect();
            self.names(words, line(path));
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.visit_path(&mac.path);
        self.tokens(mac.tokens.clone());
    }

    fn visit_lit(&mut self, literal: &'ast syn::Lit) {
        self.literal(literal.span());
    }

    // `pub(in crate::a)` says who may name this, not what this names.
    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
}

#[cfg(test)]
mod tests {
    use super::read;

    fn paths(text: &str) -> Vec<String> {
        let source = read(text);
        let paths = source.module.paths.iter();
        paths
            .map(|(path, line)| format!("{line} {}", path.join("::")))
            .collect()
    }

    #[test]
    fn a_use_tree_is_every_path_in_it() {
        let text = "use crate::{a::{self, B as C}, d};\npub use super::e::*;\nuse std::io as _;";
        let read = read(text);
        assert_eq!(
            paths(text),
            [
                "1 crate::a",
                "1 crate::a::B",
                "1 crate::d",
                "2 super::e",
                "3 std::io",
            ]
        );
        let imports: Vec<&str> = read.module.imports.keys().map(String::as_str).collect();
        assert_eq!(imports, ["C", "_", "a", "d"]);
    }

    #[test]
    fn paths_in_code_and_in_macros_are_seen() {
        let text = "fn f() -> crate::a::A {\n    let x = super::b::c(1);\n    assert!(crate::d::E == x, \"{}\", self::g::H);\n}";
        assert_eq!(
            paths(text),
            [
                "1 crate::a::A",
                "2 super::b::c",
                "3 crate::d::E",
                "3 self::g::H"
            ]
        );
    }

    #[test]
    fn what_is_there_for_tests_names_nothing() {
        let text = "#[cfg(test)]\nmod tests {\n    use crate::a;\n    pub struct T;\n}\n#[cfg(test)]\nuse crate::b;\n#[cfg(test)]\nmod more;\npub(in crate::c) fn f() {}";
        let source = read(text);
        assert_eq!(source.module.paths, []);
        assert_eq!(source.module.types, []);
        assert!(source.module.children.is_empty());
    }

    #[test]
    fn functions_are_measured_in_methods_tests_and_macros_too() {
        let text = "fn a() {\n}\nimpl A {\n    fn b() {\n\n    }\n}\n#[cfg(test)]\nmod tests {\n    fn c() {}\n    proptest! {\n        fn d(x in y) {\n            f();\n            g();\n        }\n    }\n}";
        let measured = read(text).functions;
        let measured: Vec<_> = measured
            .iter()
            .map(|it| (it.name.as_str(), it.line, it.lines))
            .collect();
        assert_eq!(
            measured,
            [("a", 1, 2), ("b", 4, 3), ("c", 10, 1), ("d", 12, 4)]
        );
    }
}
